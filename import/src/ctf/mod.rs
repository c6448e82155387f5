//! CiTrace files: traces of the PICA200 by Citra and its successors.
//!
//! Sources: `src/core/tracer/citrace.h` and `recorder.cpp` of Citra from its first version (2015-04-04, then
//! `tracer.h`) to that of 2023-12-28, the same of Azahar; where they record: `command_processor.cpp`, `gpu.cpp`,
//! `lcd.cpp`, `graphics_tracing.cpp`.
//!
//! A trace is the registers at its beginning, and a stream of memory that the GPU is about to read, writes to external
//! registers and ends of frames. Here it becomes a command list that writes the registers; MEM; GX commands where a
//! register starts a unit; and a PRESENT of each screen at the end of a frame.

mod format;
mod registers;
mod setup;

use triglyph::capture::{Compression, Header, Map, Writer};
use triglyph::{Access, GuestAddr, GuestRange, Machine};

use super::stored::Stored;
use super::{ImportError, Imported, assemble, meta};
use format::{Element, Layout, Trace};
use registers::Registers;

/// The first bytes of a trace.
pub const MAGIC: [u8; 4] = *b"CiTr";

/// Where VRAM and FCRAM are, physically.
const VRAM: GuestRange = GuestRange::new(0, 0x1800_0000, 0x60_0000);
const FCRAM: GuestRange = GuestRange::new(0, 0x2000_0000, 0x1000_0000);

/// What no trace has, as far as it matters to a replay.
const LACKS: [&str; 6] = [
    "Memory is only what was recorded when a draw read it: command lists, vertices, indices and level 0 of 2D textures. \
     Smaller levels, other faces of cubes, what a transfer reads and what targets held before the trace are zero.",
    "Tables of lighting, fog and procedural textures are as after a reset until the trace writes them.",
    "Programs and constants of the geometry unit are as after a reset until the trace writes them.",
    "Components w of constants and default attributes were not saved; they are 0 and 1 where the file has no sound \
     number.",
    "What a hardware renderer had drawn may not have been in memory when that was recorded.",
    "What the processors and the DSP do is not recorded.",
];

/// Makes a capture of a trace.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn import(name: &str, file: &[u8]) -> Result<Imported, ImportError> {
    let trace = Trace::parse(file)?;
    let format = match trace.layout {
        Layout::Sized => "CiTrace 1, register writes with sizes",
        Layout::Words => "CiTrace 1, register writes without sizes",
    };
    let mut translation = Translation::new(&trace)?;
    for element in &trace.elements {
        translation.element(element)?;
    }
    let Translation { records, pictures, elsewhere, .. } = translation;
    let mut lacks: Vec<String> = LACKS.map(str::to_owned).into();
    if pictures == 0 {
        lacks.push("No frame ends in the trace with a screen that shows memory: there are no pictures.".to_owned());
    }
    if elsewhere > 0 {
        lacks.push(format!("{elsewhere} loads of memory that is neither VRAM nor FCRAM are left out."));
    }
    let capture = assemble(Header::new(Machine::N3ds), &meta(name, format, &lacks), records)?;
    Ok(Imported { capture, format: format.to_owned(), lacks, pictures })
}

/// What a trace becomes, so far.
struct Translation {
    records: Writer<Vec<u8>>,
    registers: Registers,
    stored: Stored,
    pictures: usize,
    /// Loads that are left out.
    elsewhere: usize,
}

impl Translation {
    /// Memory, and the registers at the beginning.
    fn new(trace: &Trace<'_>) -> Result<Self, ImportError> {
        let records = Writer::new(Vec::new(), Header::new(Machine::N3ds), Compression::default())?;
        let registers = Registers::new(&trace.gpu);
        let mut translation = Translation { records, registers, stored: Stored::default(), pictures: 0, elsewhere: 0 };
        for range in [VRAM, FCRAM] {
            translation.records.map(&Map { range, access: Access::READ_WRITE })?;
        }
        let list = setup::list(trace);
        let at = free_place(trace, list.len() as u64);
        translation.records.mem(at, &list)?;
        translation.records.submit(&registers::command_list(at.address as u32, list.len() as u32))?;
        Ok(translation)
    }

    fn element(&mut self, element: &Element<'_>) -> Result<(), ImportError> {
        match *element {
            Element::Memory { address, bytes, place } => {
                let range = GuestRange::new(0, address.into(), bytes.len() as u64);
                let lies_in =
                    |memory: GuestRange| range.start.address >= memory.start.address && range.end() <= memory.end();
                if bytes.is_empty() {
                    return Ok(());
                }
                if !lies_in(VRAM) && !lies_in(FCRAM) {
                    self.elsewhere += 1;
                    return Ok(());
                }
                // Each draw loads what it reads. What is there since it was loaded last is not stored again.
                let too_much = || ImportError::new(place, format!("more than {} bytes of memory", Stored::MAX_BYTES));
                if self.stored.is_new(range, place).ok_or_else(too_much)? {
                    self.records.mem(range.start, bytes)?;
                }
            }
            Element::Register { address, value } => {
                if let Some(command) = self.registers.write(address, value) {
                    self.records.submit(&command)?;
                }
            }
            Element::Frame => {
                for present in self.registers.screens() {
                    self.records.present(&present)?;
                    self.pictures += 1;
                }
            }
        }
        Ok(())
    }
}

/// A place in FCRAM for a list that nothing in the trace touches before it has been executed: above all loads, or at
/// the beginning, as the list is executed before the first of them is stored.
fn free_place(trace: &Trace<'_>, size: u64) -> GuestAddr {
    let end = |element: &Element<'_>| match *element {
        Element::Memory { address, bytes, .. } => u64::from(address) + bytes.len() as u64,
        _ => 0,
    };
    let start = trace.elements.iter().map(end).filter(|end| *end <= FCRAM.end()).max().unwrap_or(0);
    let start = start.max(FCRAM.start.address).next_multiple_of(0x1000);
    let fits = start + size <= FCRAM.end();
    GuestAddr::new(0, if fits { start } else { FCRAM.start.address })
}
