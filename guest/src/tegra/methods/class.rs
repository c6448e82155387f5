//! The classes of engines, by number.

use crate::listed;

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

    /// The number that SET_OBJECT has.
    pub const fn id(self) -> u32 {
        self as u32
    }

    /// The number in a field of a register.
    pub const fn bits(self) -> u32 {
        self.id()
    }
}
