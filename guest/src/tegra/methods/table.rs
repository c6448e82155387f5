//! Method tables: rows by address, and the effects of writes.

use super::common::trigger::Common;
use super::trigger::ClassTrigger;
use crate::table::RegInfo;

/// Method addresses of a class: dword addresses of 12 bits.
pub const ADDRESSES: usize = 0x1000;

/// The effect of a write to a method. The value is stored in any case, so that macros may read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect<T> {
    /// Nothing: the register is read when it is needed.
    None,
    /// Makes groups of state dirty: bits of the class's `dirty`.
    Dirty(u32),
    /// An immediate effect that several classes have.
    Common(Common),
    /// An immediate effect.
    Trigger(T),
}

impl<T> Effect<T> {
    /// The groups of state that are dirty after the write: bits of the class's `dirty`.
    pub const fn groups(&self) -> u32 {
        match self {
            Effect::Dirty(groups) => *groups,
            Effect::None | Effect::Common(_) | Effect::Trigger(_) => 0,
        }
    }
}

impl<T: ClassTrigger> Effect<T> {
    /// [`ClassTrigger::shows_drawing`] of what the method triggers.
    #[inline]
    pub fn shows_drawing(&self) -> bool {
        match self {
            Effect::Common(trigger) => trigger.shows_drawing(),
            Effect::Trigger(trigger) => trigger.shows_drawing(),
            Effect::None | Effect::Dirty(_) => false,
        }
    }

    /// [`ClassTrigger::is_stream`] of what the method triggers.
    #[inline]
    pub fn is_stream(&self) -> bool {
        match self {
            Effect::Common(trigger) => trigger.is_stream(),
            Effect::Trigger(trigger) => trigger.is_stream(),
            Effect::None | Effect::Dirty(_) => false,
        }
    }
}

/// A row of a class with triggers `T`.
pub type MethodInfo<T> = RegInfo<Effect<T>>;

/// The methods of a class.
#[derive(Debug)]
pub struct MethodTable<T: 'static> {
    rows: &'static [MethodInfo<T>],
    /// The row of each address plus one; zero for none.
    row_of: [u16; ADDRESSES],
    effects: [Effect<T>; ADDRESSES],
}

impl<T: Copy> MethodTable<T> {
    /// The table of `rows`.
    ///
    /// # Panics
    /// When two rows have the same address or one has an address beyond the space; in a `const` or `static` that is a
    /// compile error.
    pub const fn new(rows: &'static [MethodInfo<T>]) -> Self {
        let mut row_of = [0; ADDRESSES];
        let mut effects = [Effect::None; ADDRESSES];
        let mut row = 0;
        while row < rows.len() {
            let mut index = 0;
            while index < rows[row].count {
                let address = rows[row].id + index * rows[row].step;
                if row_of[address] != 0 {
                    panic!("{}", rows[row].name);
                }
                row_of[address] = row as u16 + 1;
                effects[address] = rows[row].effect;
                index += 1;
            }
            row += 1;
        }
        MethodTable { rows, row_of, effects }
    }

    /// The rows, in the order of the table.
    pub const fn rows(&self) -> &'static [MethodInfo<T>] {
        self.rows
    }

    /// The row of a method and which of the row's registers it is; `None` for an address that no row has.
    pub fn info(&self, method: u32) -> Option<(&'static MethodInfo<T>, usize)> {
        let method = method as usize;
        let row = self.rows.get((*self.row_of.get(method)? as usize).checked_sub(1)?)?;
        Some((row, (method - row.id).checked_div(row.step).unwrap_or(0)))
    }

    /// The effect of a write to a method; none for an address without a row.
    #[inline]
    pub const fn effect(&self, method: u32) -> Effect<T> {
        self.effects[method as usize & (ADDRESSES - 1)]
    }

    /// The row with this name, upper case as in [`RegInfo::name`].
    pub fn named(&self, name: &str) -> Option<&'static MethodInfo<T>> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The initial value of each register of a channel.
    #[doc(hidden)]
    pub const fn reset(&self) -> [u32; ADDRESSES] {
        let mut values = [0; ADDRESSES];
        let mut row = 0;
        while row < self.rows.len() {
            let mut index = 0;
            while index < self.rows[row].count {
                values[self.rows[row].id + index * self.rows[row].step] = self.rows[row].reset;
                index += 1;
            }
            row += 1;
        }
        values
    }
}
