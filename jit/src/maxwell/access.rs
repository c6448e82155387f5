//! Memory accesses as the arguments of calls.

/// An access of [`perform`](super::memory::perform).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub space: Space,
    pub action: Action,
    /// 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Loads extend the sign.
    pub signed: bool,
    /// Slot of the constant buffer.
    pub slot: u8,
    /// The upper half of a constant's address is added to its slot.
    pub slot_indexed: bool,
    /// The result of an atomic is not used.
    pub unread: bool,
    /// Of atomics.
    pub ty: u8,
    pub op: u8,
}

/// Address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Global,
    Local,
    Constant,
    Shared,
}

/// Operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Load,
    Store,
    Atomic,
    /// Compare and exchange.
    Cas,
    /// Fill with 0.
    Clear,
}

impl Access {
    pub const fn new(space: Space, action: Action, bytes: u8) -> Access {
        Access { space, action, bytes, signed: false, slot: 0, slot_indexed: false, unread: false, ty: 0, op: 0 }
    }

    /// As a number.
    pub const fn pack(self) -> u64 {
        let flags = (self.signed as u64) | (self.slot_indexed as u64) << 1 | (self.unread as u64) << 2;
        self.space as u64
            | (self.action as u64) << 8
            | (self.bytes as u64) << 16
            | flags << 24
            | (self.slot as u64) << 32
            | (self.ty as u64) << 40
            | (self.op as u64) << 48
    }

    /// From a number.
    pub fn unpack(bits: u64) -> Access {
        let byte = |n: u32| (bits >> (8 * n)) as u8;
        Access {
            space: match byte(0) {
                0 => Space::Global,
                1 => Space::Local,
                2 => Space::Constant,
                _ => Space::Shared,
            },
            action: match byte(1) {
                0 => Action::Load,
                1 => Action::Store,
                2 => Action::Atomic,
                3 => Action::Cas,
                _ => Action::Clear,
            },
            bytes: byte(2),
            signed: byte(3) & 1 != 0,
            slot_indexed: byte(3) & 2 != 0,
            unread: byte(3) & 4 != 0,
            slot: byte(4),
            ty: byte(5),
            op: byte(6),
        }
    }
}
