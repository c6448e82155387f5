//! Command lists of the 3DS: registers by name.

use triglyph::GuestAddr;
use triglyph::n3ds::gsp::to_physical;
use triglyph_guest::pica::command::Header;
use triglyph_guest::pica::regs;

use super::memory::CaptureMemory;
use super::{Line, MAX_WORDS, payload_word, show};

/// GX command 1, the only one with a list.
const PROCESS_COMMAND_LIST: u32 = 1;

/// The writes of a GX command's list, and of those that it jumps to.
pub fn lines(memory: &CaptureMemory, record: usize, payload: &[u8]) -> Vec<Line> {
    let [Some(command), Some(address), Some(bytes)] = [0, 4, 8].map(|at| payload_word(payload, at)) else {
        return Vec::new();
    };
    if command & 0xFF != PROCESS_COMMAND_LIST {
        return Vec::new();
    }
    let mut list = List { memory, record, lines: Vec::new(), words: 0, buffers: [(0, 0); 2] };
    let mut next = to_physical(address).map(|start| (u64::from(start), bytes));
    while let Some((start, bytes)) = next {
        next = list.buffer(start, bytes);
    }
    list.lines
}

struct List<'a> {
    memory: &'a CaptureMemory,
    record: usize,
    lines: Vec<Line>,
    words: usize,
    /// Address and size in bytes of the two buffers that jumps lead to.
    buffers: [(u64, u32); 2],
}

impl List<'_> {
    /// Lists a buffer; returns that which it jumps to.
    fn buffer(&mut self, start: u64, bytes: u32) -> Option<(u64, u32)> {
        let end = start + u64::from(bytes);
        let mut at = start;
        while at + 8 <= end && self.words < MAX_WORDS {
            let header = Header(self.word(at + 4)?);
            let places = std::iter::once(at).chain((0..header.extra() as u64).map(|extra| at + 8 + 4 * extra));
            for (index, place) in places.take_while(|place| *place < end).enumerate() {
                let value = self.word(place)?;
                if let Some(jump) = self.write(place, header.register(index), value, header) {
                    return Some(jump);
                }
            }
            self.words += header.packet_words();
            at += 4 * header.packet_words() as u64;
        }
        None
    }

    fn word(&self, address: u64) -> Option<u32> {
        self.memory.word(GuestAddr::new(0, address))
    }

    fn write(&mut self, address: u64, id: usize, value: u32, header: Header) -> Option<(u64, u32)> {
        let (method, mut fields) = match regs::info(id) {
            None => (format!("{id:#05x}"), String::new()),
            Some(row) if row.count > 1 => {
                (format!("{}[{}]", row.name, (id - row.id) / row.step), show(row.fields, value))
            }
            Some(row) => (row.name.to_owned(), show(row.fields, value)),
        };
        if header.mask() != 0xF {
            let comma = if fields.is_empty() { "" } else { "; " };
            fields += &format!("{comma}bytes {:04b}", header.mask());
        }
        let (event, record, class) = ("method", self.record, "pica".to_owned());
        self.lines.push(Line { event, record, address, port: None, class, method, value, fields });
        let channel = |ids: [usize; 2]| ids.iter().position(|found| *found == id);
        if let Some(channel) = channel(regs::cmdbuf_size::IDS) {
            self.buffers[channel].1 = regs::cmdbuf_size::size(value) << 3;
        } else if let Some(channel) = channel(regs::cmdbuf_addr::IDS) {
            self.buffers[channel].0 = regs::cmdbuf_addr::address(value);
        } else if let Some(channel) = channel([regs::cmdbuf_jump0::ID, regs::cmdbuf_jump1::ID]) {
            return (value != 0).then_some(self.buffers[channel]);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of one buffer that jumps to another one, by the second channel.
    #[test]
    fn jumps_lead_to_the_buffer_whose_address_and_size_were_written() {
        const LIST: u32 = 0x2000_0000;
        const OTHER: u32 = 0x2345_6780;
        let write = |id: usize, value: u32| [value, id as u32 | 0xF << 16];
        let bytes = |words: &[[u32; 2]]| -> Vec<u8> {
            words.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let [_, size] = regs::cmdbuf_size::IDS;
        let [_, address] = regs::cmdbuf_addr::IDS;
        let first = bytes(&[
            write(size, 16 >> 3),
            write(address, OTHER >> 3),
            write(regs::cmdbuf_jump1::ID, 1),
            write(0x40, 5),
        ]);
        let second = bytes(&[write(0x41, 6), write(0x42, 7), write(0x43, 8)]);
        let mut memory = CaptureMemory::new(false);
        for (at, bytes) in [(LIST, &first), (OTHER, &second)] {
            let at = GuestAddr::new(0, at.into());
            memory.map(at.range(bytes.len() as u64));
            memory.store(at, bytes);
        }
        // FCRAM as a process sees it.
        let command = [PROCESS_COMMAND_LIST, 0x3000_0000, first.len() as u32];
        let payload: Vec<u8> = command.iter().flat_map(|word| word.to_le_bytes()).collect();
        let lines: Vec<(u64, u32)> =
            lines(&memory, 0, &payload).iter().map(|line| (line.address, line.value)).collect();
        let (list, other) = (u64::from(LIST), u64::from(OTHER));
        let wanted = [(list, 2), (list + 8, OTHER >> 3), (list + 16, 1), (other, 6), (other + 8, 7)];
        assert_eq!(lines, wanted);
    }
}
