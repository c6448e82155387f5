//! The methods of the engine classes: one table per class, looked up by dword address.
//!
//! ```text
//! table.rs     rows by address, what a write does; trigger.rs what triggers have in common
//! common/      rows that several classes have
//! values.rs    named values that several classes share
//! class.rs     the classes by number
//! classes.rs   the classes as types, with their tables: `dispatch_class!`
//! threed/      0xB197    twod/  0x902D    inline/  0xA140    copy/  0xB0B5    compute/  0xB1C0
//! ```
//! A register is a module: `threed::regs::set_depth_func::ID`, `threed::regs::set_depth_func::v(word)`. Registers at
//! equal distances share one: `threed::regs::set_color_target_format::id(target)`. Methods of the host are in
//! [`fifo::host`](crate::tegra::fifo::host).

pub(in crate::tegra) mod class;
pub mod classes;
pub mod common;
pub mod compute;
pub mod copy;
pub mod inline;
pub mod table;
pub mod threed;
mod trigger;
pub mod twod;
pub mod values;

use crate::dispatch_class;
pub use class::Class;
use classes::ClassTables;
pub use common::Common;
pub use table::{ADDRESSES, Effect, MethodInfo, MethodTable};
pub use trigger::ClassTrigger;

use crate::table::FieldInfo;
use crate::tegra::fifo::{SUBCHANNELS, host};

/// The objects of the subchannels before the first SET_OBJECT: the assignment that drivers use and the hardware has;
/// software methods on the last three.
pub const SUBCHANNEL_CLASSES: [Option<Class>; SUBCHANNELS] = [
    Some(Class::ThreeD),
    Some(Class::Compute),
    Some(Class::Inline),
    Some(Class::TwoD),
    Some(Class::Copy),
    None,
    None,
    None,
];

/// A row of a method table, for all classes.
#[derive(Clone, Copy, Debug)]
pub struct MethodName {
    /// The row's name, upper case.
    pub name: &'static str,
    /// Which of the row's registers, if it declares several.
    pub index: Option<usize>,
    /// Its content.
    pub doc: &'static str,
    /// Its bit fields.
    pub fields: &'static [FieldInfo],
}

impl std::fmt::Display for MethodName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index {
            Some(index) => write!(f, "{}[{index}]", self.name),
            None => f.write_str(self.name),
        }
    }
}

impl Class {
    /// The class's place in [`Class::ALL`].
    pub const fn index(self) -> usize {
        dispatch_class!(self, C => C::INDEX)
    }

    /// The row of a method of this class; methods below 0x40 are the host's whatever the class.
    pub fn method(self, method: u32) -> Option<MethodName> {
        if method < host::END {
            return name(&host::METHODS, method);
        }
        dispatch_class!(self, C => name(C::METHODS, method))
    }

    /// The initial values of the class's registers.
    #[doc(hidden)]
    pub fn reset(self) -> &'static [u32; ADDRESSES] {
        dispatch_class!(self, C => C::RESET)
    }
}

fn name<T: Copy>(table: &MethodTable<T>, method: u32) -> Option<MethodName> {
    let (row, index) = table.info(method)?;
    let index = (row.count > 1).then_some(index);
    Some(MethodName { name: row.name, index, doc: row.doc, fields: row.fields })
}

/// The row of a method: of the class, or of the host where there is none.
pub fn find(class: Option<Class>, method: u32) -> Option<MethodName> {
    match class {
        Some(class) => class.method(method),
        None if method < host::END => name(&host::METHODS, method),
        None => None,
    }
}

/// The name of a method for listings: its row's, or its address.
pub fn method_text(class: Option<Class>, method: u32) -> String {
    find(class, method).map_or_else(|| format!("{method:#05x}"), |name| name.to_string())
}
