//! A capture taken apart into its records, payloads decoded.

use triglyph::capture::{Compression, Header, Kind, Reader, Record, Writer};
use triglyph::{Error, Machine};

/// Kinds of records that only this crate knows. Every reader skips them.
pub mod extra {
    /// A call of GSP's, as a client makes it: `u32` session, then the words of its command buffer. Pointers of the
    /// process are offsets into the bytes that follow the command buffer in the payload.
    pub const IPC: u32 = 0x8000_F001;
    /// A file of kernel keys that the device begins with. The first one counts.
    pub const KEYS: u32 = 0x8000_F002;
    /// Words of an [`IPC`] record's command buffer.
    pub const IPC_WORDS: usize = 66;
}

/// A record: its kind, and its payload as it is once decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Kind, known or not.
    pub kind: u32,
    /// The decoded payload.
    pub payload: Vec<u8>,
}

/// A capture in records.
#[derive(Clone, Debug)]
pub struct Document {
    /// The machine of the commands.
    pub header: Header,
    /// The records, in order.
    pub blocks: Vec<Block>,
}

impl Document {
    /// A document without records.
    pub fn new(machine: Machine) -> Self {
        Document { header: Header::new(machine), blocks: Vec::new() }
    }

    /// Takes a capture apart.
    ///
    /// # Errors
    /// A broken header, record or payload.
    pub fn parse(file: &[u8]) -> Result<Self, Error> {
        let reader = Reader::new(file)?;
        let mut blocks = Vec::new();
        for record in reader.raw_records() {
            let record = record?;
            let payload = record.decode(reader.limits().payload)?.into_owned();
            blocks.push(Block { kind: record.kind, payload });
        }
        Ok(Document { header: reader.header(), blocks })
    }

    /// The capture, uncompressed.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.written(Compression::None)
    }

    /// The capture, compressed: for findings that are kept.
    pub fn to_small_bytes(&self) -> Vec<u8> {
        self.written(Compression::default())
    }

    fn written(&self, compression: Compression) -> Vec<u8> {
        let written = (|| {
            let mut writer = Writer::new(Vec::new(), self.header, compression)?;
            for block in &self.blocks {
                writer.record(block.kind, &[&block.payload])?;
            }
            writer.finish()
        })();
        // A `Vec` takes everything.
        written.unwrap_or_default()
    }

    /// Appends a record.
    pub fn push(&mut self, kind: u32, payload: Vec<u8>) {
        self.blocks.push(Block { kind, payload });
    }

    /// Appends a record of a machine's own call.
    pub fn push_call(&mut self, number: u64, arguments: &[u64]) {
        self.push(Kind::Call as u32, call(number, arguments));
    }

    /// Appends memory.
    pub fn push_map(&mut self, space: u32, address: u64, size: u64, access: u32) {
        let mut payload = Vec::new();
        payload.extend(address.to_le_bytes());
        payload.extend(size.to_le_bytes());
        payload.extend(space.to_le_bytes());
        payload.extend(access.to_le_bytes());
        self.push(Kind::Map as u32, payload);
    }

    /// Appends bytes to store.
    pub fn push_mem(&mut self, space: u32, address: u64, bytes: &[u8]) {
        let mut payload = Vec::new();
        payload.extend(address.to_le_bytes());
        payload.extend(space.to_le_bytes());
        payload.extend([0; 4]);
        payload.extend(bytes);
        self.push(Kind::Mem as u32, payload);
    }

    /// Bytes of a SUBMIT's payload before its entries, and bytes of each: the GX command on the 3DS, segments of push
    /// buffers on the PlayStation 3, GPFIFO entries on the Tegra X1, else words.
    pub fn entry_form(&self) -> (usize, usize) {
        match self.header.machine {
            Machine::N3ds => (0, 32),
            Machine::Ps3 => (8, 16),
            Machine::TegraX1 => (8, 8),
            _ => (0, 4),
        }
    }

    /// The content of a record, if it is sound.
    pub fn record(&self, at: usize) -> Option<Record<'_>> {
        let block = self.blocks.get(at)?;
        let kind = Kind::from_number(block.kind)?;
        Record::parse(self.header.machine, kind, (&block.payload[..]).into()).ok()
    }

    /// Whether it holds a record of this kind.
    pub fn has(&self, kind: u32) -> bool {
        self.blocks.iter().any(|block| block.kind == kind)
    }
}

/// The payload of a CALL.
pub fn call(number: u64, arguments: &[u64]) -> Vec<u8> {
    triglyph_guest::table::calls::encode(number, arguments)
}

/// The `u32` at an offset; 0 where there is none.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The `u64` at an offset; 0 where there is none.
pub fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_come_back() {
        let mut document = Document::new(Machine::N3ds);
        document.push_map(0, 0x1800_0000, 0x1000, 3);
        document.push_mem(0, 0x1800_0000, &[7; 100]);
        document.push(extra::IPC, vec![1, 2, 3]);
        for bytes in [document.to_bytes(), document.to_small_bytes()] {
            assert_eq!(Document::parse(&bytes).unwrap().blocks, document.blocks);
        }
        assert!(matches!(document.record(1), Some(Record::Mem(mem)) if mem.bytes.len() == 100));
        assert!(document.record(2).is_none() && document.has(extra::IPC));
    }
}
