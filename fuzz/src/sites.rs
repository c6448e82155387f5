//! Sites that can be edited in a capture: words of command lists and push buffers with the fields that tables give
//! them, headers, instructions, numbers of records.

mod code;
mod image;
mod numbers;
mod pica;
mod rsx;
mod tegra;

use std::ops::RangeInclusive;

use triglyph::Machine;
use triglyph::capture::Record;
use triglyph_guest::table::FieldInfo;

use super::document::{Document, word};
use image::Image;
pub use image::MEM_HEADER;

/// How a word's bytes are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Lowest byte first.
    Little,
    /// Highest byte first.
    Big,
}

impl Order {
    /// The bytes of a word.
    pub fn bytes(self, word: u32) -> [u8; 4] {
        match self {
            Order::Little => word.to_le_bytes(),
            Order::Big => word.to_be_bytes(),
        }
    }

    /// The word at an offset; 0 where there is none.
    pub fn word(self, bytes: &[u8], at: usize) -> u32 {
        match self {
            Order::Little => word(bytes, at),
            Order::Big => word(bytes, at).swap_bytes(),
        }
    }
}

/// The kind of a site.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A datum of a register or method, with the fields that it has.
    Datum(&'static [FieldInfo]),
    /// A header of a command list or push buffer.
    Header,
    /// An instruction.
    Instruction(Isa),
    /// A number of 4 bytes.
    Number,
    /// A number of 8 bytes: an address, a size, an argument.
    Long,
}

/// The instruction set of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Vertex and geometry units of the 3DS, 4 bytes.
    Pica,
    /// Vertex unit of the RSX, 16 bytes.
    RsxVertex,
    /// Fragment unit of the RSX, 16 bytes.
    RsxFragment,
    /// Shaders of the Tegra X1, 8 bytes.
    Maxwell,
    /// Macros of the Tegra X1, 4 bytes.
    Macro,
}

impl Isa {
    /// Bytes of an instruction.
    pub const fn size(self) -> usize {
        match self {
            Isa::Pica | Isa::Macro => 4,
            Isa::Maxwell => 8,
            Isa::RsxVertex | Isa::RsxFragment => 16,
        }
    }
}

/// A place in a record's payload.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The record.
    pub record: usize,
    /// The first byte of the payload.
    pub at: usize,
    /// How words are ordered there.
    pub order: Order,
    /// The kind.
    pub what: What,
    /// Its name, for people.
    pub name: &'static str,
}

/// The sites of a capture by kind.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// Data of registers and methods.
    pub data: Vec<Site>,
    /// Those of them that count: vertices of draws, lines of copies.
    pub counts: Vec<Site>,
    /// Headers.
    pub headers: Vec<Site>,
    /// Instructions.
    pub instructions: Vec<Site>,
    /// Numbers in records.
    pub numbers: Vec<Site>,
    /// Records with bytes to store, and where these begin in the payload.
    pub memory: Vec<(usize, usize)>,
    /// Records with checksums.
    pub sealed: Vec<usize>,
    /// Addresses at which something begins or ends.
    pub addresses: Vec<u64>,
}

impl Sites {
    /// Looks for the sites of a capture.
    pub fn of(document: &Document) -> Self {
        let mut sites = Sites::default();
        let mut image = Image::default();
        let mut walk = Walk::new(document);
        for at in 0..document.blocks.len() {
            numbers::find(document, at, &mut sites);
            match document.record(at) {
                Some(Record::Map(map)) => {
                    let start = map.range.start.address;
                    sites.addresses.extend([start, start.saturating_add(map.range.size)]);
                }
                Some(Record::Mem(mem)) => {
                    image.store(mem.at, mem.bytes.len() as u64, at);
                    sites.addresses.push(mem.at.address);
                    code::find_maxwell(document, at, mem.at.address, &mut sites);
                }
                Some(Record::Object(object)) => walk.rsx.add_object(&object),
                Some(Record::Submit(payload)) => match document.header.machine {
                    Machine::N3ds => pica::find(document, &image, &payload, &mut sites),
                    Machine::Ps3 => walk.rsx.find(&image, &payload, &mut sites),
                    Machine::TegraX1 => walk.tegra.find(&image, &payload, &mut sites),
                    _ => {}
                },
                _ => {}
            }
        }
        sites.addresses.sort_unstable();
        sites.addresses.dedup();
        // A push buffer that is submitted again is there once.
        for list in [&mut sites.data, &mut sites.headers, &mut sites.instructions] {
            list.sort_by_key(|site| (site.record, site.at));
            list.dedup_by_key(|site| (site.record, site.at));
        }
        sites.counts = sites.data.iter().filter(|site| count_of(site).is_some()).copied().collect();
        sites
    }
}

/// The bits of a word that count something, if its fields say so.
pub fn count_of(site: &Site) -> Option<RangeInclusive<u32>> {
    let What::Datum(fields) = site.what else { return None };
    let field = fields.iter().find(|field| field.name.contains("count"))?;
    Some(field.lo..=field.hi)
}

/// State between submissions.
struct Walk<'d> {
    rsx: rsx::PushBuffers<'d>,
    tegra: tegra::PushBuffers<'d>,
}

impl<'d> Walk<'d> {
    fn new(document: &'d Document) -> Self {
        Walk { rsx: rsx::PushBuffers::new(document), tegra: tegra::PushBuffers::new(document) }
    }
}
