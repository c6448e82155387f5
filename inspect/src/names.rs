//! Names of registers and methods, from the machines' tables.

use triglyph::Machine;
use triglyph_guest::pica::{external, regs};
use triglyph_guest::rsx::{methods, objects};
use triglyph_guest::table::{FieldInfo, show_fields};
use triglyph_guest::tegra::methods::{Class, find, method_text};

/// The names of a machine's registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names(pub Machine);

/// A row's name, and which of its registers it is where there are several.
fn indexed(name: &str, count: usize, index: usize) -> String {
    if count > 1 { format!("{name}[{index}]") } else { name.to_owned() }
}

impl Names {
    /// What a command's class is called.
    pub fn class(self, class: u32) -> String {
        match (self.0, class) {
            (Machine::N3ds, 0) => "PICA".to_owned(),
            (Machine::N3ds, _) => "external".to_owned(),
            (_, 0) => "FIFO".to_owned(),
            (Machine::Ps3, class) => objects::class::name(class).map_or_else(|| format!("{class:#x}"), str::to_owned),
            (_, class) => Class::from_id(class).map_or_else(|| format!("{class:#x}"), |class| format!("{class:?}")),
        }
    }

    /// The method of a register in [`Seen::registers`](crate::Seen::registers).
    pub fn method_of(self, register: usize) -> u32 {
        if self.0 == Machine::Ps3 { 4 * register as u32 } else { register as u32 }
    }

    /// The name of a register or method, and its fields; `None` for one that no table has.
    pub fn find(self, class: u32, method: u32) -> Option<(String, &'static [FieldInfo])> {
        match (self.0, class) {
            (Machine::N3ds, 0) => {
                let row = regs::info(method as usize)?;
                let index = (method as usize - row.id).checked_div(row.step).unwrap_or(0);
                Some((indexed(row.name, row.count, index), row.fields))
            }
            (Machine::N3ds, _) => external::register(method).map(|row| (row.name.to_owned(), row.fields)),
            (Machine::Ps3, 0) => {
                let found = methods::PULLER.find(method)?;
                Some((found.to_string(), found.method.fields))
            }
            (Machine::Ps3, class) => methods::describe(class, method),
            (_, class) => {
                let class = Class::from_id(class);
                let fields = find(class, method).map_or(&[][..], |name| name.fields);
                Some((method_text(class, method), fields))
            }
        }
    }

    /// The name of a register or method, or its number.
    pub fn name(self, class: u32, method: u32) -> String {
        self.find(class, method).map_or_else(|| format!("{method:#x}"), |(name, _)| name)
    }

    /// The fields of a register's word as text.
    pub fn fields(self, class: u32, method: u32, word: u32) -> String {
        self.find(class, method).map_or_else(String::new, |(_, fields)| show_fields(fields, word))
    }
}
