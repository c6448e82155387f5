//! The methods of the 3D class, the puller and the software object: one table each, looked up by byte address. Those of
//! the 2D classes are in `two_d`.
//!
//! A method is a module: `methods::curie::set_surface_format::ID`, `..::color(word)`. Addresses that no row has are
//! plain storage without known effect.

pub mod curie;
pub mod effect;
pub mod puller;
pub mod software;

pub use effect::{Effect, Trigger, dirty};

use super::fifo::{METHOD_SPACE, METHODS};
use super::objects::class;
use super::two_d;
use crate::table::FieldInfo;

/// A row of a method table: one method or an array of them.
pub type Method = crate::table::RegInfo<Effect>;

/// The methods of a class.
#[derive(Debug)]
pub struct Class {
    rows: &'static [Method],
    initial: &'static [(usize, &'static [u32])],
    /// Row of each word of the method space plus one; zero for none.
    row_of: [u16; METHODS],
}

/// 3D.
pub static CURIE: Class = Class::new(curie::REGISTERS, curie::INITIAL);
/// The methods of the puller, on every subchannel.
pub static PULLER: Class = Class::new(puller::REGISTERS, &[]);
/// The software object.
pub static SOFTWARE: Class = Class::new(software::REGISTERS, &[]);

/// The text of a method of a class for listings: its name and its fields; `None` for one that no table has.
pub fn describe(number: u32, address: u32) -> Option<(String, &'static [FieldInfo])> {
    if number != class::CURIE {
        return two_d::info(number, address).map(|info| (info.name.to_owned(), info.fields));
    }
    let found = CURIE.find(address)?;
    Some((found.to_string(), found.method.fields))
}

/// The values of an object's registers when GCM has initialised a channel, by address / 4; those of a bare channel are
/// zero. `None` for a class without registers.
pub fn initialised(number: u32) -> Option<Box<[u32; METHODS]>> {
    if number == class::CURIE {
        return Some(Box::new(CURIE.initialised()));
    }
    let mut words = Box::new([0; METHODS]);
    for info in two_d::methods(number)? {
        words[info.id / 4] = info.reset;
    }
    Some(words)
}

/// A method of a class.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The row.
    pub method: &'static Method,
    /// Which element, where the row is an array; else 0.
    pub index: usize,
    /// Which word of the element, for values of several words; else 0.
    pub word: usize,
}

impl std::fmt::Display for Found {
    /// `SET_TEXTURE_FORMAT[3]`, `SET_VERTEX_DATA4F_M[0].2`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.method.name)?;
        if self.method.count > 1 {
            write!(f, "[{}]", self.index)?;
        }
        if words(self.method) > 1 {
            write!(f, ".{}", self.word)?;
        }
        Ok(())
    }
}

/// Words of an element of a row.
const fn words(method: &Method) -> usize {
    match method.effect {
        Effect::Trigger(trigger) => trigger.words(),
        _ => 1,
    }
}

impl Class {
    /// # Panics
    /// When two rows have the same address; for a `static` that is a compile error.
    const fn new(rows: &'static [Method], initial: &'static [(usize, &'static [u32])]) -> Self {
        let mut row_of = [0; METHODS];
        let mut row = 0;
        while row < rows.len() {
            let words = words(&rows[row]);
            let mut i = 0;
            while i < rows[row].count * words {
                let address = rows[row].id + (i / words) * rows[row].step + (i % words) * 4;
                if row_of[address / 4] != 0 {
                    panic!("{}", rows[row].name);
                }
                row_of[address / 4] = row as u16 + 1;
                i += 1;
            }
            row += 1;
        }
        Class { rows, initial, row_of }
    }

    /// The rows, in the order of the table.
    pub const fn rows(&self) -> &'static [Method] {
        self.rows
    }

    /// The method at a byte address, which wraps at 0x2000; `None` for one that no row has.
    pub fn find(&self, address: u32) -> Option<Found> {
        let address = (address & (METHOD_SPACE - 1)) as usize;
        let row = (self.row_of[address / 4] as usize).checked_sub(1)?;
        let method = &self.rows[row];
        let distance = address - method.id;
        let index = distance.checked_div(method.step).unwrap_or(0);
        Some(Found { method, index, word: (distance - index * method.step) / 4 })
    }

    /// The row with this name, upper case.
    pub fn named(&self, name: &str) -> Option<&'static Method> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The effect of a write to each method, by address / 4.
    pub const fn effects(&self) -> [Effect; METHODS] {
        let mut effects = [Effect::None; METHODS];
        let mut i = 0;
        while i < METHODS {
            if self.row_of[i] != 0 {
                effects[i] = self.rows[self.row_of[i] as usize - 1].effect;
            }
            i += 1;
        }
        effects
    }

    /// The value of each register when GCM has initialised a channel, by address / 4. A bare channel begins with zeros.
    pub const fn initialised(&self) -> [u32; METHODS] {
        let mut words = [0; METHODS];
        let mut i = 0;
        while i < METHODS {
            if self.row_of[i] != 0 {
                words[i] = self.rows[self.row_of[i] as usize - 1].reset;
            }
            i += 1;
        }
        let mut list = 0;
        while list < self.initial.len() {
            let (id, values) = self.initial[list];
            let mut i = 0;
            while i < values.len() {
                words[id / 4 + i] = values[i];
                i += 1;
            }
            list += 1;
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_fields() {
        for row in [&CURIE, &PULLER, &SOFTWARE].into_iter().flat_map(|class| class.rows()) {
            assert!(!row.fields.is_empty(), "{}", row.name);
        }
    }

    #[test]
    fn elements_and_words_are_found() {
        let shown = |address| CURIE.find(address).map(|found| found.to_string());
        assert_eq!(shown(0x1A64).as_deref(), Some("SET_TEXTURE_FORMAT[3]"));
        assert_eq!(shown(0x1C18).as_deref(), Some("SET_VERTEX_DATA4F_M[1].2"));
        assert_eq!(shown(0x150C), None);
        assert_eq!(shown(0x2000 + 0x208).as_deref(), Some("SET_SURFACE_FORMAT"));
        assert_eq!(shown(0x1984).as_deref(), Some("SET_VERTEX_DATA4S_M[0].1"));
        assert_eq!(shown(0x2CC).as_deref(), Some("SET_WINDOW_CLIP_VERTICAL[1]"));
        assert_eq!(PULLER.find(0x68).map(|found| found.method.name), Some("SEMAPHORE_ACQUIRE"));
        assert_eq!(SOFTWARE.find(0x944).map(|found| found.to_string()).as_deref(), Some("DRIVER_QUEUE[1]"));
    }

    #[test]
    fn every_class_is_described() {
        let name = |class, address| describe(class, address).map(|(name, _)| name);
        assert_eq!(name(0x4097, 0x1A64).as_deref(), Some("SET_TEXTURE_FORMAT[3]"));
        assert_eq!(name(0x0039, 0x328).as_deref(), Some("BUF_NOTIFY"));
        assert_eq!(name(0x308A, 0x1FFC).as_deref(), Some("COLOR"));
        assert_eq!((name(0x4097, 0x150C), name(0x3D, 0x100)), (None, None));
    }

    #[test]
    fn objects_begin_as_gcm_leaves_them() {
        let word = |class, address: usize| initialised(class).map(|words| words[address / 4]);
        for (class, values) in [
            (0x4097, [(0x184, 0xFEED_0000), (0xA20, 0x4500_0000), (0x1FD4, 0x001B_1A19)]),
            (0x0039, [(0x184, 0xFEED_0001), (0x188, 0xFEED_0000), (0x324, 0x101)]),
            (0x3062, [(0x184, 0xFEED_0000), (0x300, 0xA), (0x304, 0x0040_0040)]),
            (0x309E, [(0x184, 0xFEED_0000), (0x300, 0x0001_000A), (0x304, 0)]),
            (0x308A, [(0x19C, 0x3133_71C3), (0x2FC, 3), (0x300, 4)]),
            (0x3089, [(0x198, 0x3133_71C3), (0x400, 0x0001_0002), (0x404, 0x0001_0000)]),
        ] {
            for (address, value) in values {
                assert_eq!(word(class, address), Some(value), "{class:#x} {address:#x}");
            }
        }
        assert_eq!(word(0x3089, 0x2FC), Some(1));
        assert_eq!(word(0x02, 0), None);
    }

    #[test]
    fn effects_and_initial_values_stand_at_their_addresses() {
        let (effects, values) = (CURIE.effects(), CURIE.initialised());
        assert_eq!(effects[0x1808 / 4], Effect::Trigger(Trigger::BeginEnd));
        assert_eq!(effects[0x1C0C / 4].groups(), dirty::VERTEX_DATA);
        assert_eq!(effects[0x0220 / 4], Effect::Dirty(dirty::SURFACE));
        assert_eq!(effects[0x1D84 / 4], Effect::Ignored);
        assert_eq!((effects[0x0114 / 4], effects[0x1D90 / 4]), (Effect::None, Effect::None));
        assert_eq!((values[0xA28 / 4], values[0xA2C / 4], values[0x47C / 4]), (0x3F00_0000, 0, 0x99AB_BBAA));
        assert_eq!((values[0x2F4 / 4], values[0x208 / 4], values[0x204 / 4]), (0x0FFF_0000, 0x121, 0));
    }
}
