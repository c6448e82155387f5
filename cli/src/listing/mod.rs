//! The words of command lists and push buffers by name, with the fields of their data.
//!
//! ```text
//! records.rs  a record in one line
//! work.rs     a submission in one line
//! memory.rs   what the capture has stored
//! pica.rs     3DS: registers of command lists
//! rsx.rs      PS3: methods of push buffers, over channels and objects
//! tegra.rs    Tegra X1: methods of GPFIFO segments, by class
//! ```
//!
//! Memory is followed as the capture stores it: what the GPU itself would write is not seen, and what a macro writes is
//! not a word of a push buffer.

mod memory;
mod pica;
pub mod records;
mod rsx;
mod tegra;
pub mod work;

use serde::Serialize;
use triglyph::Machine;
use triglyph::capture::Record;
use triglyph_guest::table::show_fields as show;

use memory::CaptureMemory;

/// Words that are listed of a submission at most: jumps may go round in circles.
const MAX_WORDS: usize = 1 << 22;

/// One word of data, or a word that leads elsewhere.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    event: &'static str,
    /// Index of the SUBMIT.
    record: usize,
    /// Address of the word.
    pub address: u64,
    /// What receives it, on machines that have channels.
    #[serde(flatten)]
    port: Option<Port>,
    /// The class of the object on the subchannel, or the unit.
    pub class: String,
    /// The name of the register or method, or what the word does.
    pub method: String,
    /// The word.
    pub value: u32,
    /// The fields of the value that have a name.
    pub fields: String,
}

/// A channel's subchannel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Port {
    channel: u32,
    subchannel: u32,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Line { record, address, port, class, method, value, fields, .. } = self;
        write!(f, "{record:>5} {address:#010x} ")?;
        if let Some(Port { channel, subchannel }) = port {
            write!(f, "{channel}.{subchannel} {class:<16} ")?;
        }
        write!(f, "{method:<40} {value:#010x}")?;
        if fields.is_empty() { Ok(()) } else { write!(f, "  {fields}") }
    }
}

/// What goes through a capture and lists its submissions.
pub struct Listing {
    memory: CaptureMemory,
    machine: MachineListing,
}

enum MachineListing {
    Pica,
    Rsx(rsx::PushBuffers),
    Tegra(tegra::PushBuffers),
    /// Of a machine whose submissions this version does not list.
    Unknown,
}

impl Listing {
    /// The listing of a capture of this machine from its beginning on.
    pub fn new(machine: Machine, big_endian: bool) -> Self {
        let memory = CaptureMemory::new(big_endian);
        let machine = match machine {
            Machine::N3ds => MachineListing::Pica,
            Machine::Ps3 => MachineListing::Rsx(rsx::PushBuffers::default()),
            Machine::TegraX1 => MachineListing::Tegra(tegra::PushBuffers::default()),
            _ => MachineListing::Unknown,
        };
        Listing { memory, machine }
    }

    /// Takes a record in; returns the lines of a SUBMIT.
    pub fn add(&mut self, index: usize, record: &Record<'_>) -> Vec<Line> {
        let memory = &mut self.memory;
        match (record, &mut self.machine) {
            (Record::Map(map), _) => memory.map(map.range),
            (Record::Mem(mem), _) => memory.store(mem.at, &mem.bytes),
            (Record::Object(object), MachineListing::Rsx(rsx)) => rsx.add_object(object),
            (Record::Submit(payload), MachineListing::Pica) => return pica::lines(memory, index, payload),
            (Record::Submit(payload), MachineListing::Rsx(rsx)) => return rsx.lines(memory, index, payload),
            (Record::Submit(payload), MachineListing::Tegra(tegra)) => return tegra.lines(memory, index, payload),
            _ => {}
        }
        Vec::new()
    }
}

/// The 32-bit word at a byte offset of a payload.
fn payload_word(payload: &[u8], at: usize) -> Option<u32> {
    payload.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The 64-bit word at a byte offset of a payload.
fn payload_long(payload: &[u8], at: usize) -> Option<u64> {
    payload.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
