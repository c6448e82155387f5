//! Operands that vertex and fragment programs have in common: masks, swizzles, tests of condition registers, and how
//! they are written.

use crate::table::{Cursor, TextError};

/// The letters of components 0 to 3.
pub const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A set of components: bit 0 is x, bit 3 is w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mask(u8);

impl Mask {
    /// No component.
    pub const NONE: Mask = Mask(0);
    /// All four components.
    pub const ALL: Mask = Mask(0xF);

    /// From bits, x lowest; bits above the fourth are dropped.
    #[inline]
    pub const fn new(bits: u8) -> Self {
        Mask(bits & 0xF)
    }

    /// From four bits of which the highest is x, as vertex instructions have them.
    #[inline]
    pub const fn from_reversed(bits: u8) -> Self {
        Mask(bits.reverse_bits() >> 4)
    }

    /// The bits, x lowest.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The bits, x highest.
    #[inline]
    pub const fn reversed(self) -> u8 {
        self.0.reverse_bits() >> 4
    }

    /// Whether component `i`, 0 to 3, is in the set.
    #[inline]
    pub const fn has(self, i: usize) -> bool {
        self.0 >> i & 1 != 0
    }

    /// Whether no component is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Appends `.xz`, nothing for all components, `._` for none.
    pub fn print(self, out: &mut String) {
        if self == Mask::ALL {
            return;
        }
        out.push('.');
        out.extend((0..4).filter(|&i| self.has(i)).map(|i| COMPONENTS[i]));
        if self.is_empty() {
            out.push('_');
        }
    }

    /// Reads what [`print`](Self::print) writes.
    pub fn parse(text: &mut Cursor<'_>) -> Result<Self, TextError> {
        if !text.eat(".") {
            return Ok(Mask::ALL);
        }
        if text.eat("_") {
            return Ok(Mask::NONE);
        }
        let (mut mask, mut next) = (0, 0);
        for letter in text.take(|c| COMPONENTS.contains(&c)).chars() {
            let component = COMPONENTS.iter().position(|&c| c == letter).unwrap_or(0);
            if component < next {
                return Err(TextError::Rule("the components of a write mask come in order, each once".to_owned()));
            }
            (mask, next) = (mask | 1 << component, component + 1);
        }
        if mask == 0 { Err(text.expected("components x, y, z, w or _")) } else { Ok(Mask(mask)) }
    }
}

/// For each component of a result, which component of the register it comes from, 0 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle(pub [u8; 4]);

impl Swizzle {
    /// Every component from itself.
    pub const IDENTITY: Swizzle = Swizzle([0, 1, 2, 3]);

    /// One component everywhere.
    pub const fn all(component: u8) -> Self {
        Swizzle([component; 4])
    }

    /// From eight bits, x lowest, as fragment instructions have them.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Swizzle([(bits & 3) as u8, (bits >> 2 & 3) as u8, (bits >> 4 & 3) as u8, (bits >> 6 & 3) as u8])
    }

    /// From eight bits, x highest, as vertex instructions have them.
    #[inline]
    pub const fn from_reversed(bits: u32) -> Self {
        Swizzle([(bits >> 6 & 3) as u8, (bits >> 4 & 3) as u8, (bits >> 2 & 3) as u8, (bits & 3) as u8])
    }

    /// Eight bits, x lowest.
    #[inline]
    pub const fn bits(self) -> u32 {
        let [x, y, z, w] = self.0;
        (x & 3) as u32 | ((y & 3) as u32) << 2 | ((z & 3) as u32) << 4 | ((w & 3) as u32) << 6
    }

    /// Eight bits, x highest.
    #[inline]
    pub const fn reversed(self) -> u32 {
        let [x, y, z, w] = self.0;
        ((x & 3) as u32) << 6 | ((y & 3) as u32) << 4 | ((z & 3) as u32) << 2 | (w & 3) as u32
    }

    /// Appends `.xxyw`, one letter if all are equal, nothing for the identity.
    pub fn print(self, out: &mut String) {
        if self == Swizzle::IDENTITY {
            return;
        }
        let letters = self.0.map(|i| COMPONENTS[(i & 3) as usize]);
        out.push('.');
        let equal = letters.iter().all(|&letter| letter == letters[0]);
        out.extend(&letters[..if equal { 1 } else { 4 }]);
    }

    /// Reads one to four letters after a point, the last of which repeats; without a point it is the identity.
    pub fn parse(text: &mut Cursor<'_>) -> Result<Self, TextError> {
        if !text.eat(".") {
            return Ok(Swizzle::IDENTITY);
        }
        let letters = text.take(|c| COMPONENTS.contains(&c));
        let mut out = [0; 4];
        let mut last = None;
        let mut read = letters.chars();
        for component in &mut out {
            last = read.next().or(last);
            match last.and_then(|letter| COMPONENTS.iter().position(|&c| c == letter)) {
                Some(i) => *component = i as u8,
                None => return Err(text.expected("components x, y, z or w")),
            }
        }
        if read.next().is_some() { Err(text.expected("at most four components")) } else { Ok(Swizzle(out)) }
    }
}

/// The condition on a component of a condition register: an or of less than (1), equal to (2) and greater than (4)
/// zero.
///
/// A component holds the f32 that was written last. A test holds if one of its comparisons with zero does; for NaN,
/// which compares with nothing, only [`TRUE`](Self::TRUE) and [`NOT_EQUAL`](Self::NOT_EQUAL) hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Test(u8);

impl Test {
    /// Never holds.
    pub const FALSE: Test = Test(0);
    /// Less than zero.
    pub const LESS: Test = Test(1);
    /// Zero of either sign.
    pub const EQUAL: Test = Test(2);
    /// Less than or equal to zero.
    pub const LESS_EQUAL: Test = Test(3);
    /// Greater than zero.
    pub const GREATER: Test = Test(4);
    /// Less or greater than zero or NaN.
    pub const NOT_EQUAL: Test = Test(5);
    /// Greater than or equal to zero.
    pub const GREATER_EQUAL: Test = Test(6);
    /// Always holds.
    pub const TRUE: Test = Test(7);

    const NAMES: [&'static str; 8] = ["fl", "lt", "eq", "le", "gt", "ne", "ge", "tr"];

    /// From three bits: 1 less, 2 equal, 4 greater.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Test((bits & 7) as u8)
    }

    /// The three bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0 as u32
    }

    /// Whether the result does not depend on the condition register.
    #[inline]
    pub const fn is_constant(self) -> bool {
        matches!(self, Test::FALSE | Test::TRUE)
    }

    /// `fl`, `lt`, `eq`, `le`, `gt`, `ne`, `ge` or `tr`.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self.0 as usize & 7]
    }

    /// Reads a [`name`](Self::name).
    pub fn parse(text: &mut Cursor<'_>) -> Result<Self, TextError> {
        match Self::NAMES.iter().position(|name| text.eat(name)) {
            Some(bits) => Ok(Test(bits as u8)),
            None => Err(text.expected("a test, one of fl lt eq le gt ne ge tr")),
        }
    }
}

/// A test of the components of a condition register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The condition on a component.
    pub test: Test,
    /// Which component of the register is tested for each component of the result.
    pub swizzle: Swizzle,
}

impl Condition {
    /// Always holds.
    pub const ALWAYS: Condition = Condition { test: Test::TRUE, swizzle: Swizzle::IDENTITY };

    /// Appends `lt.xxxx`.
    pub fn print(self, out: &mut String) {
        out.push_str(self.test.name());
        self.swizzle.print(out);
    }

    /// Reads what [`print`](Self::print) writes.
    pub fn parse(text: &mut Cursor<'_>) -> Result<Self, TextError> {
        Ok(Condition { test: Test::parse(text)?, swizzle: Swizzle::parse(text)? })
    }
}

/// The words that differ, as `^w3:0x1000`: bits that mean nothing, for a listing that assembles back to the same words.
pub fn print_difference(words: &[u32; 4], canonical: &[u32; 4]) -> Vec<String> {
    let differences = words.iter().zip(canonical).map(|(a, b)| a ^ b).enumerate();
    differences.filter(|(_, bits)| *bits != 0).map(|(i, bits)| format!("^w{i}:{bits:#x}")).collect()
}

/// The words of an instruction with the bits of `difference` changed; `same` says whether words mean the instruction.
pub(crate) fn with_difference(
    words: [u32; 4],
    difference: [u32; 4],
    same: impl Fn([u32; 4]) -> bool,
) -> Result<[u32; 4], TextError> {
    if !same(words) {
        return Err(TextError::Rule(
            "this cannot be said in one instruction, or a part of it has no effect".to_owned(),
        ));
    }
    let differing = [0, 1, 2, 3].map(|i| words[i] ^ difference[i]);
    if !same(differing) {
        return Err(TextError::Rule("bits after `^` change what the instruction means".to_owned()));
    }
    Ok(differing)
}

/// Reads one difference after its `^`.
pub fn parse_difference(text: &mut Cursor<'_>, difference: &mut [u32; 4]) -> Result<(), TextError> {
    text.expect("w")?;
    let word = text.number("a word number", 3)? as usize;
    text.expect(":")?;
    difference[word] ^= text.number("bits", u32::MAX.into())? as u32;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_swizzles_have_both_bit_orders() {
        assert_eq!(Mask::from_reversed(0b1000), Mask::new(1));
        assert_eq!(Mask::new(0b0110).reversed(), 0b0110);
        for bits in 0..=255 {
            assert_eq!(Swizzle::from_bits(bits).bits(), bits);
            assert_eq!(Swizzle::from_reversed(bits).reversed(), bits);
        }
        assert_eq!(Swizzle::from_bits(0xE4), Swizzle::IDENTITY);
        assert_eq!(Swizzle::from_reversed(0x1B), Swizzle::IDENTITY);
    }

    #[test]
    fn masks_swizzles_and_tests_read_as_written() {
        for bits in 0..=255u32 {
            let (mut text, swizzle) = (String::new(), Swizzle::from_bits(bits));
            swizzle.print(&mut text);
            assert_eq!(Swizzle::parse(&mut Cursor::new(&text)), Ok(swizzle));
            let (mut text, mask) = (String::new(), Mask::new(bits as u8));
            mask.print(&mut text);
            assert_eq!(Mask::parse(&mut Cursor::new(&text)), Ok(mask));
            let (mut text, condition) = (String::new(), Condition { test: Test::from_bits(bits), swizzle });
            condition.print(&mut text);
            assert_eq!(Condition::parse(&mut Cursor::new(&text)), Ok(condition));
        }
        assert_eq!(Swizzle::parse(&mut Cursor::new(".xw")), Ok(Swizzle([0, 3, 3, 3])));
        assert!(Swizzle::parse(&mut Cursor::new(".xyzwx")).is_err());
        assert!(Swizzle::parse(&mut Cursor::new(".q")).is_err());
        assert!(Mask::parse(&mut Cursor::new(".q")).is_err());
        assert!(Condition::parse(&mut Cursor::new("xx")).is_err());
    }
}
