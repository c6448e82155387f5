//! The bytes of a trace.
//!
//! | words | header |
//! |---|---|
//! | 0 | `CiTr`, `u32` version, 1, `u32` bytes of the header |
//! | 3 | offset in bytes and size in words of each section: external registers, LCD registers, PICA registers, default attributes (not in the first files, whose header is 8 bytes shorter), then code, operand descriptors and constants of the vertex and of the geometry unit |
//! | 23 | offset of the stream, number of its elements |
//!
//! An element has 20 bytes: a kind, and what belongs to it.
//!
//! | kind | |
//! |---|---|
//! | 0xE1 | the end of a frame |
//! | 0xE2 | memory: offset of the bytes in the file, size, physical address |
//! | 0xE3 | a register: physical address, 0xD1 to 0xD4 for 8 to 64 bits, `u64` value; since 2023-12-28 address and `u32` value |
//!
//! Both forms of the last one have version 1. They differ in the second word, which is a size in all writes of
//! a file, or in hardly any.

use super::super::ImportError;
use super::super::cursor::Cursor;
use triglyph_guest::pica::regs;

/// How register writes are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Size, and 64 bits of value.
    Sized,
    /// 32 bits of value.
    Words,
}

/// What is in a trace.
#[derive(Debug)]
pub struct Trace<'a> {
    /// How register writes are stored.
    pub layout: Layout,
    /// External registers, from 0x10400000 on.
    pub gpu: Vec<u32>,
    /// Internal registers.
    pub pica: Vec<u32>,
    /// Default attributes, four numbers of 24 bits each.
    pub attributes: Vec<u32>,
    /// The vertex unit's program and constants.
    pub vertex: Program,
    /// The geometry unit's. No known emulator writes them.
    pub geometry: Program,
    /// The stream.
    pub elements: Vec<Element<'a>>,
}

/// What a shader unit holds.
#[derive(Debug, Default)]
pub struct Program {
    /// Instructions.
    pub code: Vec<u32>,
    /// Operand descriptors.
    pub descriptors: Vec<u32>,
    /// Constants, four numbers of 24 bits each.
    pub floats: Vec<u32>,
}

/// An element of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element<'a> {
    /// A frame ends.
    Frame,
    /// Memory holds this before the next draw.
    Memory {
        /// Physical address.
        address: u32,
        /// What it holds.
        bytes: &'a [u8],
        /// Where that is in the file. The same bytes are there once.
        place: u64,
    },
    /// An external register is written.
    Register {
        /// Physical address.
        address: u32,
        /// What is stored.
        value: u32,
    },
}

const FRAME: u32 = 0xE1;
const MEMORY: u32 = 0xE2;
const REGISTER: u32 = 0xE3;
/// A size of 8, 16, 32 or 64 bits.
const SIZES: std::ops::RangeInclusive<u32> = 0xD1..=0xD4;
const ELEMENT_SIZE: u64 = 20;

/// Words of a header, and of the first ones, without default attributes.
const HEADER_WORDS: u32 = 25;
const FIRST_HEADER_WORDS: u32 = 23;

impl<'a> Trace<'a> {
    /// Takes a file apart.
    pub fn parse(file: &'a [u8]) -> Result<Self, ImportError> {
        let mut at = Cursor::new(file);
        if at.bytes(4, "the header")? != super::MAGIC {
            return Err(ImportError::new(0, "no CiTr"));
        }
        let version = at.word("the header")?;
        if version != 1 {
            return Err(ImportError::new(4, format!("CiTrace version {version}, only 1 is known")));
        }
        let has_attributes = match at.word("the header")? / 4 {
            HEADER_WORDS => true,
            FIRST_HEADER_WORDS => false,
            words => return Err(ImportError::new(8, format!("a header of {words} words, 23 or 25 are known"))),
        };
        // The largest sizes that are used; a file may say more.
        let mut section = |most: usize, what: &str| section(file, &mut at, most, what);
        let gpu = section(0x1000, "the external registers")?;
        section(0, "the LCD registers")?;
        let pica = section(regs::COUNT, "the PICA registers")?;
        let attributes = if has_attributes { section(4 * 16, "the default attributes")? } else { Vec::new() };
        let mut program = || {
            let code = section(4096, "the code")?;
            let descriptors = section(128, "the operand descriptors")?;
            Ok::<_, ImportError>(Program { code, descriptors, floats: section(4 * 96, "the constants")? })
        };
        let (vertex, geometry) = (program()?, program()?);
        let raw = stream(file, &mut at)?;
        let mut written = raw.iter().filter(|element| element.words[0] == REGISTER);
        let layout = match written.all(|element| SIZES.contains(&element.words[2])) {
            true => Layout::Sized,
            false => Layout::Words,
        };
        let elements = raw.iter().map(|raw| raw.element(file, layout)).collect::<Result<_, _>>()?;
        Ok(Trace { layout, gpu, pica, attributes, vertex, geometry, elements })
    }
}

/// At most so many words of a section, whose place and size are next in the header.
fn section(file: &[u8], at: &mut Cursor<'_>, most: usize, what: &str) -> Result<Vec<u32>, ImportError> {
    let (start, words) = (at.word("the header")?, at.word("the header")?);
    if words == 0 || most == 0 {
        return Ok(Vec::new());
    }
    let mut place = Cursor::new(file);
    place.seek(start.into(), what)?;
    place.words(u64::from(words).min(most as u64), what)
}

/// An element as it is in the file.
struct Raw {
    offset: u64,
    words: [u32; 5],
}

fn stream(file: &[u8], at: &mut Cursor<'_>) -> Result<Vec<Raw>, ImportError> {
    let (start, count) = (at.word("the header")?, at.word("the header")?);
    let mut place = Cursor::new(file);
    let cut = |error: ImportError| {
        let what = "; some versions write only a part of the registers, such a file cannot be replayed";
        ImportError { what: error.what + what, ..error }
    };
    place.seek(start.into(), "the stream").map_err(cut)?;
    if u64::from(count) * ELEMENT_SIZE > place.left() as u64 {
        return Err(cut(place.error(format!("the stream has {count} elements, {} bytes are left", place.left()))));
    }
    let mut elements = Vec::new();
    for _ in 0..count {
        let offset = place.offset();
        let words = place.words(ELEMENT_SIZE / 4, "an element")?;
        elements.push(Raw { offset, words: std::array::from_fn(|at| words[at]) });
    }
    Ok(elements)
}

impl Raw {
    fn element<'a>(&self, file: &'a [u8], layout: Layout) -> Result<Element<'a>, ImportError> {
        let [kind, a, b, c, high] = self.words;
        let bad = |what: String| Err(ImportError::new(self.offset, what));
        match kind {
            FRAME => Ok(Element::Frame),
            MEMORY => {
                let mut place = Cursor::new(file);
                let at_element = |error: ImportError| ImportError { offset: self.offset, ..error };
                place.seek(a.into(), "memory").map_err(at_element)?;
                let bytes = place.bytes(b.into(), "memory").map_err(at_element)?;
                Ok(Element::Memory { address: c, bytes, place: a.into() })
            }
            REGISTER if layout == Layout::Words => Ok(Element::Register { address: a, value: b }),
            // All registers have 32 bits; the emulators know no other writes.
            REGISTER if b == 0xD3 => Ok(Element::Register { address: a, value: c }),
            REGISTER => bad(format!("a write of {} bits to {a:#x} (value {high:#x}{c:08x})", 8 << (b - 0xD1))),
            other => bad(format!("an element of kind {other:#x}")),
        }
    }
}
