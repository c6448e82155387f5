//! The methods of the engine classes: one table per class, looked up by dword address.
//!
//! ```text
//! table.rs     rows by address, what a write does
//! common/      rows that several classes have
//! values.rs    named values that several classes share
//! threed/      0xB197    twod/  0x902D    inline/  0xA140    copy/  0xB0B5    compute/  0xB1C0
//! ```
//! A register is a module: `threed::regs::set_depth_func::ID`, `threed::regs::set_depth_func::v(word)`. Registers at
//! equal distances share one: `threed::regs::set_color_target_format::id(target)`. Methods of the host are in
//! [`fifo::host`](crate::tegra::fifo::host).

pub mod common;
pub mod compute;
pub mod copy;
pub mod inline;
pub mod table;
pub mod threed;
pub mod twod;
pub mod values;

use crate::listed;
pub use common::Common;
pub use table::{ADDRESSES, Effect, MethodInfo, MethodTable};

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

/// What sits on the subchannels before SET_OBJECT says otherwise: the assignment that drivers use and the hardware has;
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

/// What a table says about one method, whatever the class.
#[derive(Clone, Copy, Debug)]
pub struct MethodName {
    /// The row's name, upper case.
    pub name: &'static str,
    /// Which of the row's registers, if it stands for several.
    pub index: Option<usize>,
    /// What it holds.
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
    /// By the number that SET_OBJECT has, whose lower half counts; `None` for others.
    pub const fn from_id(id: u32) -> Option<Class> {
        Class::from_number(id as u16)
    }

    /// The number that SET_OBJECT has.
    pub const fn id(self) -> u32 {
        self as u32
    }

    /// The row of a method of this class; methods below 0x40 are the host's whatever the class.
    pub fn method(self, method: u32) -> Option<MethodName> {
        match self {
            _ if method < host::END => name(&host::METHODS, method),
            Class::ThreeD => name(&threed::METHODS, method),
            Class::Compute => name(&compute::METHODS, method),
            Class::Inline => name(&inline::METHODS, method),
            Class::TwoD => name(&twod::METHODS, method),
            Class::Copy => name(&copy::METHODS, method),
        }
    }

    /// What the class's registers hold when a channel is made.
    pub fn reset(self) -> &'static [u32; ADDRESSES] {
        match self {
            Class::ThreeD => &threed::RESET,
            Class::Compute => &compute::RESET,
            Class::Inline => &inline::RESET,
            Class::TwoD => &twod::RESET,
            Class::Copy => &copy::RESET,
        }
    }
}

fn name<T: Copy>(table: &MethodTable<T>, method: u32) -> Option<MethodName> {
    let (row, index) = table.info(method)?;
    let index = (row.count > 1).then_some(index);
    Some(MethodName { name: row.name, index, doc: row.doc, fields: row.fields })
}

/// The name of a method for listings: its row's, or its address.
pub fn method_text(class: Option<Class>, method: u32) -> String {
    let name = match class {
        Some(class) => class.method(method),
        None if method < host::END => name(&host::METHODS, method),
        None => None,
    };
    name.map_or_else(|| format!("{method:#05x}"), |name| name.to_string())
}
