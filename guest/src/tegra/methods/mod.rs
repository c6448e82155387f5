//! The methods of the engine classes: one table per class, looked up by dword address.
//!
//! ```text
//! table.rs     rows by address, what a write does
//! common/      rows that several classes have
//! values.rs    named values that several classes share
//! classes.rs   the classes as types, with their tables: `dispatch_class!`
//! threed/      0xB197    twod/  0x902D    inline/  0xA140    copy/  0xB0B5    compute/  0xB1C0
//! ```
//! A register is a module: `threed::regs::set_depth_func::ID`, `threed::regs::set_depth_func::v(word)`. Registers at
//! equal distances share one: `threed::regs::set_color_target_format::id(target)`. Methods of the host are in
//! [`fifo::host`](crate::tegra::fifo::host).

pub mod classes;
pub mod common;
pub mod compute;
pub mod copy;
pub mod inline;
pub mod table;
pub mod threed;
pub mod twod;
pub mod values;

use crate::{dispatch_class, listed};
use classes::ClassTables;
pub use common::Common;
pub use table::{ADDRESSES, ClassTrigger, Effect, MethodInfo, MethodTable};

use crate::table::FieldInfo;
use crate::tegra::fifo::{SUBCHANNELS, host};

listed! {
    /// A class of engines.
    #[derive(PartialOrd, Ord)]
    pub enum Class: u16 {
        /// MAXWELL_B.
        ThreeD = 0xB197,
        /// MAXWELL_COMPUTE_B.
        Compute = 0xB1C0,
        /// KEPLER_INLINE_TO_MEMORY_B.
        Inline = 0xA140,
        /// FERMI_TWOD_A.
        TwoD = 0x902D,
        /// MAXWELL_DMA_COPY_A.
        Copy = 0xB0B5,
    }
}

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
    /// Numbers and names.
    pub const VALUES: &[(u32, &str)] = &[
        (0xB197, "MAXWELL_B"),
        (0xB1C0, "MAXWELL_COMPUTE_B"),
        (0xA140, "KEPLER_INLINE_TO_MEMORY_B"),
        (0x902D, "FERMI_TWOD_A"),
        (0xB0B5, "MAXWELL_DMA_COPY_A"),
    ];

    /// By the number in a field of a register; `None` for others.
    pub const fn from_register(number: u32) -> Option<Class> {
        Class::from_id(number)
    }

    /// By the number that SET_OBJECT has, whose lower half counts; `None` for others.
    pub const fn from_id(id: u32) -> Option<Class> {
        Class::from_number(id as u16)
    }

    /// The class's place in [`Class::ALL`].
    pub const fn index(self) -> usize {
        dispatch_class!(self, C => C::INDEX)
    }

    /// The number that SET_OBJECT has.
    pub const fn id(self) -> u32 {
        self as u32
    }

    /// The number in a field of a register.
    pub const fn bits(self) -> u32 {
        self.id()
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
