//! Random edits of fields, instructions and records.

mod instruction;
mod records;

pub use records::{
    driver as driver_call, gsp as gsp_call, gx_command, hardware as hardware_call, hypercall as hypervisor_call,
};

use super::choices::Choices;
use super::document::{Document, long};
use super::edit::Edit;
use super::sites::{self, Site, Sites, What};
use triglyph::Machine;
use triglyph_guest::rsx::fifo as rsx_fifo;
use triglyph_guest::table::FieldInfo;
use triglyph_guest::tegra::fifo as tegra_fifo;

/// A capture that mutants are derived from, and its sites.
#[derive(Clone, Debug)]
pub struct Base {
    /// Its name, for people.
    pub name: String,
    /// Its records.
    pub document: Document,
    sites: Sites,
}

impl Base {
    /// A capture to make mutants of.
    pub fn new(name: impl Into<String>, document: Document) -> Self {
        let sites = Sites::of(&document);
        Base { name: name.into(), document, sites }
    }

    /// The sites.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// A list of edits. The same choices make the same list.
    pub fn edits(&self, choices: &mut Choices) -> Vec<Edit> {
        let count = match choices.below(8) {
            0..3 => 1,
            3..5 => 2 + choices.below(3),
            5..7 => 4 + choices.below(12),
            _ => 16 + choices.below(100),
        };
        // Most mutants stick to one or two kinds of change, so that deep states are reached undisturbed.
        let kinds = [Change::chosen(choices), Change::chosen(choices)];
        let mut edits = Vec::new();
        for _ in 0..count {
            let kind = if choices.one_in(6) { Change::chosen(choices) } else { kinds[choices.below(2)] };
            edits.extend(self.edit(kind, choices));
        }
        self.seal(&mut edits, choices);
        edits
    }

    /// Snapshots and key files that were changed mostly get sound checksums.
    fn seal(&self, edits: &mut Vec<Edit>, choices: &mut Choices) {
        for &record in &self.sites.sealed {
            let changes = |edit: &Edit| match edit {
                Edit::Bytes { record: at, .. } | Edit::Resize { record: at, .. } => *at == record,
                _ => false,
            };
            if edits.iter().any(changes) && !choices.one_in(16) {
                edits.push(Edit::Seal { record });
            }
        }
    }

    fn edit(&self, change: Change, choices: &mut Choices) -> Option<Edit> {
        let sites = &self.sites;
        match change {
            Change::Datum => self.word(choices.pick(&sites.data)?, choices),
            Change::Count => self.count(choices.pick(&sites.counts)?, choices),
            Change::Header => self.word(choices.pick(&sites.headers)?, choices),
            Change::Instruction => {
                let site = choices.pick(&sites.instructions)?;
                instruction::edit(&self.document, sites, site, choices)
            }
            Change::Number => self.word(choices.pick(&sites.numbers)?, choices),
            Change::Memory => self.memory(choices),
            Change::Record => records::edit(&self.document, choices),
            Change::Call => records::call(self.document.header.machine, self.document.blocks.len(), choices),
            Change::File => self.file(choices),
        }
    }

    /// Another value of a word.
    fn word(&self, site: &Site, choices: &mut Choices) -> Option<Edit> {
        let payload = &self.document.blocks[site.record].payload;
        let bytes = match site.what {
            What::Long => {
                let value = match choices.pick(&self.sites.addresses) {
                    Some(&address) if choices.one_in(3) => near(address, choices),
                    _ => choices.long_value(long(payload, site.at)),
                };
                value.to_le_bytes().to_vec()
            }
            what => {
                let old = site.order.word(payload, site.at);
                let new = match what {
                    What::Datum(fields) => self.datum(old, fields, choices),
                    What::Header => header(self.document.header.machine, old, choices),
                    _ => self.datum(old, &[], choices),
                };
                site.order.bytes(new).to_vec()
            }
        };
        Some(Edit::Bytes { record: site.record, at: site.at, bytes, what: site.name.to_owned() })
    }

    /// Another number of vertices or lines: few, many, as many as there may be, too many.
    fn count(&self, site: &Site, choices: &mut Choices) -> Option<Edit> {
        let bits = sites::count_of(site)?;
        let (low, width) = (*bits.start(), bits.end() - bits.start() + 1);
        let around = |exponent: u32, choices: &mut Choices| {
            1_u32.checked_shl(exponent).unwrap_or(0).wrapping_add(choices.word() % 3).wrapping_sub(1)
        };
        let most = u32::MAX >> (32 - width);
        let new = match choices.below(4) {
            0 => around(width.saturating_sub(choices.below(16) as u32), choices),
            1 => around(choices.below(16) as u32, choices),
            2 => choices.word() >> choices.below(32),
            _ => most >> choices.below(12),
        };
        let old = site.order.word(&self.document.blocks[site.record].payload, site.at);
        let bytes = site.order.bytes(old & !(most << low) | new.min(most) << low).to_vec();
        Some(Edit::Bytes { record: site.record, at: site.at, bytes, what: site.name.to_owned() })
    }

    /// Another value of a register: of one of its fields, an address, or any.
    fn datum(&self, old: u32, fields: &[FieldInfo], choices: &mut Choices) -> u32 {
        match (choices.below(4), choices.pick(fields)) {
            (0 | 1, Some(field)) => {
                let named = choices.pick(field.values).map(|(value, _)| *value);
                let value = match named {
                    Some(value) if !choices.one_in(4) => value,
                    _ => choices.value(field.get(old) as u32),
                };
                old & !field.mask() | value << field.lo & field.mask()
            }
            (2, _) => match (choices.pick(&self.sites.data), choices.pick(&self.sites.addresses)) {
                // A value that another word has.
                (Some(site), _) if choices.one_in(2) => {
                    site.order.word(&self.document.blocks[site.record].payload, site.at)
                }
                (_, Some(&address)) => near(address, choices) as u32 >> [0, 3, 8][choices.below(3)],
                _ => choices.value(old),
            },
            _ => choices.value(old),
        }
    }

    /// Bytes that are stored: vertices, textures, descriptors, pages of snapshots.
    fn memory(&self, choices: &mut Choices) -> Option<Edit> {
        let &(record, start) = choices.pick(&self.sites.memory)?;
        let payload = &self.document.blocks[record].payload;
        let room = payload.len().checked_sub(start).filter(|room| *room > 0)?;
        let at = match choices.one_in(3) {
            true => start + choices.below(room.min(256)),
            false => (start + choices.below(room)) & !3,
        };
        let at = at.max(start);
        let bytes = match choices.below(4) {
            0 => vec![payload[at] ^ 1 << choices.below(8)],
            1 => {
                let from = start + choices.below(room);
                payload[from..payload.len().min(from + 1 + choices.below(64))].to_vec()
            }
            _ => choices.value(super::document::word(payload, at)).to_le_bytes().to_vec(),
        };
        Some(Edit::Bytes { record, at, bytes, what: "memory".to_owned() })
    }

    /// Bytes of the file.
    fn file(&self, choices: &mut Choices) -> Option<Edit> {
        let length =
            self.document.blocks.iter().map(|block| 16 + block.payload.len().next_multiple_of(8)).sum::<usize>();
        let at = choices.below(length + 16);
        Some(match choices.below(5) {
            0 => Edit::Cut { length: at },
            1 => Edit::File { at: at & !7, bytes: choices.long_value(0).to_le_bytes().to_vec() },
            2 => {
                // A header of a record.
                let before = choices.below(self.document.blocks.len());
                let blocks = &self.document.blocks[..before];
                let start = 16 + blocks.iter().map(|b| 16 + b.payload.len().next_multiple_of(8)).sum::<usize>();
                Edit::File { at: start + 4 * choices.below(4), bytes: choices.value(1).to_le_bytes().to_vec() }
            }
            _ => Edit::File { at, bytes: vec![choices.word() as u8] },
        })
    }
}

/// Kinds of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Datum,
    Count,
    Header,
    Instruction,
    Number,
    Memory,
    Record,
    Call,
    File,
}

impl Change {
    fn chosen(choices: &mut Choices) -> Change {
        match choices.below(64) {
            0..22 => Change::Datum,
            22..24 => Change::Count,
            24..29 => Change::Header,
            29..43 => Change::Instruction,
            43..49 => Change::Number,
            49..57 => Change::Memory,
            57..60 => Change::Record,
            60..63 => Change::Call,
            _ => Change::File,
        }
    }
}

/// An address at, or shortly before or after, another one.
fn near(address: u64, choices: &mut Choices) -> u64 {
    match choices.below(4) {
        0 => address,
        1 => address.wrapping_sub(1 + u64::from(choices.word()) % 0x100),
        2 => address.wrapping_add(u64::from(choices.word()) % 0x100),
        _ => address.wrapping_add(u64::from(choices.word() & 0xF_FF00)),
    }
}

/// Another header: of another register, of fewer or more words, or of another form.
fn header(machine: Machine, old: u32, choices: &mut Choices) -> u32 {
    let count = |count: u32, choices: &mut Choices| match choices.below(3) {
        0 => count.wrapping_add(1),
        1 => count.saturating_sub(1),
        _ => choices.value(count),
    };
    match (machine, choices.below(4)) {
        (_, 0) => choices.value(old),
        (Machine::N3ds, 1) => old & !0xFFFF | (choices.word() % 0x300),
        (Machine::N3ds, 2) => old ^ 1 << (16 + choices.below(4)) ^ u32::from(choices.one_in(2)) << 31,
        (Machine::N3ds, _) => old & !0x0FF0_0000 | (count(old >> 20 & 0xFF, choices) & 0xFF) << 20,
        (Machine::Ps3, 1) => old & !0x1FFC | choices.word() & 0x1FFC,
        (Machine::Ps3, 2) => match rsx_fifo::Command::decode(old) {
            rsx_fifo::Command::Methods(methods) if choices.one_in(2) => {
                rsx_fifo::Methods { increasing: !methods.increasing, ..methods }.encode()
            }
            _ => [1, 2, 0x2000_0000, 0x0002_0000][choices.below(4)] | choices.word() & 0xFFFC,
        },
        (Machine::Ps3, _) => old & !0x1FFC_0000 | (count(old >> 18 & 0x7FF, choices) & 0x7FF) << 18,
        (Machine::TegraX1, 1) => old & !0xFFF | choices.word() & tegra_fifo::METHOD_MASK,
        (Machine::TegraX1, 2) => old & 0x1FFF_FFFF | choices.word() << 29,
        (Machine::TegraX1, _) => old & !0x1FFF_0000 | (count(old >> 16 & 0x1FFF, choices) & 0x1FFF) << 16,
        _ => choices.word(),
    }
}
