//! Operand descriptors: the write mask, negations and swizzles that instructions refer to by index.

/// Number of descriptors that a shader unit holds. Source: 3dbrew "Shader Instruction Set" (7-bit references).
pub const DESCRIPTORS: usize = 128;

/// The selector that leaves components where they are: x, y, z, w.
pub const IDENTITY: u8 = 0x1B;

/// One operand descriptor. Source: 3dbrew "Shader Instruction Set", operand descriptors.
///
/// | bits | meaning |
/// |---|---|
/// | 0:3 | write mask, x in bit 3, w in bit 0 |
/// | 4, 13, 22 | negate source 1, 2, 3 |
/// | 5:12, 14:21, 23:30 | selector of source 1, 2, 3; x in its top two bits |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor(pub u32);

impl Descriptor {
    /// Full mask, no negation, no swizzle.
    pub const IDENTITY: Descriptor = Descriptor(0x0D86_C36F);

    /// Which components the destination receives, x first.
    #[inline]
    pub const fn mask(self) -> [bool; 4] {
        [self.writes(0), self.writes(1), self.writes(2), self.writes(3)]
    }

    /// Whether the destination receives `component`, 0 x to 3 w.
    #[inline]
    pub const fn writes(self, component: usize) -> bool {
        self.0 & (8 >> (component & 3)) != 0
    }

    /// Whether source 1, 2 or 3 is negated (after the swizzle).
    #[inline]
    pub const fn negate(self, source: usize) -> bool {
        (self.0 >> negate_bit(source)) & 1 != 0
    }

    /// Which component of the register is read as `component` of source 1, 2 or 3; 0 x to 3 w.
    #[inline]
    pub const fn select(self, source: usize, component: usize) -> u8 {
        select(self.selector(source), component)
    }

    /// The selector byte of source 1, 2 or 3.
    #[inline]
    pub const fn selector(self, source: usize) -> u8 {
        (self.0 >> (negate_bit(source) + 1)) as u8
    }
}

/// Bit of the negation of source 1, 2 or 3; its selector begins one above.
const fn negate_bit(source: usize) -> u32 {
    assert!(source >= 1 && source <= 3, "sources are numbered 1 to 3");
    4 + 9 * (source as u32 - 1)
}

/// Component `component` of a selector byte.
pub const fn select(selector: u8, component: usize) -> u8 {
    (selector >> (6 - 2 * (component & 3))) & 3
}

/// A descriptor of which only some bits matter to the instruction that wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The values of the bits.
    pub value: u32,
    /// The bits that matter.
    pub care: u32,
}

impl Wanted {
    /// Nothing matters yet.
    pub const ANY: Wanted = Wanted { value: 0, care: 0 };

    /// Wants the components `bits` of the write mask to be as in `mask` (bit 3 is x).
    pub const fn mask(self, mask: u8, bits: u8) -> Self {
        self.with((mask & bits) as u32, bits as u32)
    }

    /// Wants a source 1, 2 or 3 with this negation and selector.
    pub const fn source(self, source: usize, negate: bool, selector: u8) -> Self {
        let bits = negate as u32 | (selector as u32) << 1;
        self.with(bits << negate_bit(source), 0x1FF << negate_bit(source))
    }

    const fn with(self, value: u32, care: u32) -> Self {
        Wanted { value: self.value & !care | value, care: self.care | care }
    }

    /// Whether a descriptor is as wanted.
    pub const fn accepts(self, descriptor: u32) -> bool {
        (descriptor ^ self.value) & self.care == 0
    }
}

/// No descriptor is free for an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// All descriptors that the instruction can name are taken by others.
    #[error("all {0} operand descriptors that this instruction can name are in use")]
    Full(usize),
    /// The descriptor that the line asks for has other contents.
    #[error("operand descriptor {0} is already in use with other contents")]
    Taken(usize),
    /// The descriptor that the line asks for does not exist or is out of the instruction's reach.
    #[error("this instruction cannot name operand descriptor {0}")]
    OutOfReach(usize),
}

/// The descriptors of a program under construction. Instructions share one if the bits that matter to them agree.
#[derive(Clone, Debug)]
pub struct DescriptorPool {
    slots: [Wanted; DESCRIPTORS],
    used: usize,
}

impl Default for DescriptorPool {
    fn default() -> Self {
        DescriptorPool { slots: [Wanted::ANY; DESCRIPTORS], used: 0 }
    }
}

impl DescriptorPool {
    /// The index of a descriptor that is as wanted, among the first `reach`: an existing one if possible, else a new
    /// one.
    pub fn intern(&mut self, wanted: Wanted, reach: usize) -> Result<u8, DescriptorError> {
        let reach = reach.min(DESCRIPTORS);
        let fits = |slot: &Wanted| (slot.value ^ wanted.value) & slot.care & wanted.care == 0;
        let shared = self.slots[..reach].iter().position(|slot| slot.care != 0 && fits(slot));
        let index = shared.or_else(|| self.slots[..reach].iter().position(|slot| slot.care == 0));
        let index = index.ok_or(DescriptorError::Full(reach))?;
        self.place(index, wanted, reach)
    }

    /// Puts a descriptor at `index`, which must be free or agree with it.
    pub fn place(&mut self, index: usize, wanted: Wanted, reach: usize) -> Result<u8, DescriptorError> {
        if index >= reach.min(DESCRIPTORS) {
            return Err(DescriptorError::OutOfReach(index));
        }
        let slot = &mut self.slots[index];
        if (slot.value ^ wanted.value) & slot.care & wanted.care != 0 {
            return Err(DescriptorError::Taken(index));
        }
        *slot = slot.with(wanted.value, wanted.care);
        self.used = self.used.max(index + 1);
        Ok(index as u8)
    }

    /// The descriptors up to the last one in use; bits without effect are zero.
    pub fn words(&self) -> Vec<u32> {
        self.slots[..self.used].iter().map(|slot| slot.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_selects_in_order() {
        for source in 1..=3 {
            assert_eq!(Descriptor::IDENTITY.selector(source), IDENTITY);
            for component in 0..4 {
                assert_eq!(Descriptor::IDENTITY.select(source, component), component as u8);
            }
        }
        assert_eq!(Descriptor::IDENTITY.mask(), [true; 4]);
        assert_eq!(Descriptor(0xA).mask(), [true, false, true, false]);
    }

    #[test]
    fn pool_shares_what_agrees_and_reports_what_is_full() {
        let mut pool = DescriptorPool::default();
        let one = Wanted::ANY.mask(0xF, 0xF).source(1, false, IDENTITY);
        let two = one.source(2, true, 0);
        let other = one.source(2, false, 0);
        assert_eq!(pool.intern(one, 128), Ok(0));
        assert_eq!(pool.intern(two, 128), Ok(0));
        assert_eq!(pool.intern(other, 128), Ok(1));
        assert_eq!(pool.intern(two.mask(1, 0xF), 2), Err(DescriptorError::Full(2)));
        assert_eq!(pool.place(1, two, 128), Err(DescriptorError::Taken(1)));
        assert_eq!(pool.place(32, two, 32), Err(DescriptorError::OutOfReach(32)));
        assert_eq!(pool.words(), [0x0000_236F, 0x0000_036F]);
    }
}
