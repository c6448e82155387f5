//! Words of registers from the values of their fields, with checked ranges.
//!
//! Every register module of [`regs!`](super::regs) has `new()`, a word of zeros, and a method per field that stores a
//! value: `cull::new().mode(CullMode::Back)`. A value that the field cannot hold is remembered as a [`FieldError`] and
//! not stored. [`RegisterWord::get`] reports it; builders of command lists take words as they are and report the first
//! error when the list is finished, so that lists are written without a check in each line.

use std::fmt;

use super::field::FieldKind;
use crate::num::SmallFloat;

/// A field of a register, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPlace {
    /// The register's module.
    pub register: &'static str,
    /// The field.
    pub field: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit, inclusive.
    pub hi: u32,
}

impl FieldPlace {
    const fn bits(&self) -> u32 {
        self.hi - self.lo + 1
    }

    const fn max(&self) -> u32 {
        u32::MAX >> (32 - self.bits())
    }
}

/// Why a field cannot hold a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misfit {
    /// An integer out of range: the value, the smallest and the largest.
    Range(i64, i64, i64),
    /// An address beyond the field's bits.
    Address(u64),
    /// An address with low bits that the field does not have: the address, and the power of two that it must be a
    /// multiple of.
    Alignment(u64, u32),
    /// A finite float that is infinite in the format of the field; its bits.
    Float(u32),
}

/// A value that does not fit the field it was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldError {
    place: FieldPlace,
    misfit: Misfit,
}

impl FieldError {
    /// The register and the field.
    pub const fn place(&self) -> &FieldPlace {
        &self.place
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldPlace { register, field, lo, hi } = self.place;
        write!(f, "{register}: ")?;
        match self.misfit {
            Misfit::Range(value, min, max) => write!(f, "{field} {value} is not {min} to {max}"),
            Misfit::Address(value) => write!(f, "{field} {value:#x} does not fit bits {lo} to {hi}"),
            Misfit::Alignment(value, log2) => write!(f, "{field} {value:#x} is not a multiple of {:#x}", 1u64 << log2),
            Misfit::Float(bits) => write!(f, "{field} {:e} is too large for its format", f32::from_bits(bits)),
        }
    }
}

impl std::error::Error for FieldError {}

/// A word for a register, and the first error of those who made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterWord {
    bits: u32,
    error: Option<FieldError>,
}

impl RegisterWord {
    /// All bits 0.
    pub const ZERO: RegisterWord = RegisterWord { bits: 0, error: None };

    /// The word.
    ///
    /// # Errors
    /// The first value that its field cannot hold.
    pub const fn get(self) -> Result<u32, FieldError> {
        match self.error {
            None => Ok(self.bits),
            Some(error) => Err(error),
        }
    }

    /// The word without the values that did not fit.
    pub const fn bits(self) -> u32 {
        self.bits
    }

    const fn put(self, place: &FieldPlace, value: u32) -> Self {
        let mask = place.max() << place.lo;
        RegisterWord { bits: self.bits & !mask | value << place.lo & mask, error: self.error }
    }

    const fn fail(self, place: FieldPlace, misfit: Misfit) -> Self {
        match self.error {
            Some(_) => self,
            None => RegisterWord { bits: self.bits, error: Some(FieldError { place, misfit }) },
        }
    }

    /// With a number, a count or bits in a field.
    pub const fn unsigned(self, place: FieldPlace, value: u32) -> Self {
        match value <= place.max() {
            true => self.put(&place, value),
            false => self.fail(place, Misfit::Range(value as i64, 0, place.max() as i64)),
        }
    }

    /// With a number in a field whose highest bit is a sign.
    pub const fn signed(self, place: FieldPlace, value: i32) -> Self {
        let end = 1i64 << (place.bits() - 1);
        let number = value as i64;
        match -end <= number && number < end {
            true => self.put(&place, value as u32),
            false => self.fail(place, Misfit::Range(number, -end, end - 1)),
        }
    }

    /// With the bits of an address from bit `shift` on.
    pub const fn address(self, place: FieldPlace, shift: u32, value: u64) -> Self {
        if value & ((1 << shift) - 1) != 0 {
            return self.fail(place, Misfit::Alignment(value, shift));
        }
        let bits = value >> shift;
        match bits <= place.max() as u64 {
            true => self.put(&place, bits as u32),
            false => self.fail(place, Misfit::Address(value)),
        }
    }

    /// With a float of the 3DS's formats, cut to it.
    pub fn small_float<const E: u32, const M: u32>(self, place: FieldPlace, value: f32) -> Self {
        let bits = SmallFloat::<E, M>::encode_constant(value);
        match value.is_finite() && SmallFloat::<E, M>::decode(bits).is_infinite() {
            true => self.fail(place, Misfit::Float(value.to_bits())),
            false => self.put(&place, bits),
        }
    }
}

impl From<u32> for RegisterWord {
    /// Bits as they are.
    fn from(bits: u32) -> Self {
        RegisterWord { bits, error: None }
    }
}

impl super::FieldInfo {
    /// `word` with the number `value` in this field: for floats their bits, for addresses the bits that are in the
    /// field, for fixed-point numbers units. `None` if the field cannot hold it.
    pub const fn with(&self, word: u32, value: i64) -> Option<u32> {
        let place = FieldPlace { register: "", field: self.name, lo: self.lo, hi: self.hi };
        let word = RegisterWord { bits: word, error: None };
        let signed = matches!(self.kind, FieldKind::Signed | FieldKind::Fixed { signed: true, .. });
        let fits = if signed { value as i32 as i64 == value } else { value as u32 as i64 == value };
        if !fits {
            return None;
        }
        let word = if signed { word.signed(place, value as i32) } else { word.unsigned(place, value as u32) };
        match word.error {
            None => Some(word.bits),
            Some(_) => None,
        }
    }
}

/// Checks of what [`regs!`](super::regs) makes.
#[cfg(test)]
pub(crate) mod check {
    use std::fmt::Debug;

    use super::RegisterWord;

    /// What reading a field gives: its value, or nothing for bits without a meaning.
    pub(crate) trait Sample {
        type Value: Copy + Debug;
        fn sample(self) -> Option<Self::Value>;
    }

    macro_rules! always {
        ($($Type:ident)+) => { $(
            impl Sample for $Type {
                type Value = $Type;
                fn sample(self) -> Option<$Type> {
                    Some(self)
                }
            }
        )+ };
    }
    always!(u32 i32 u64 bool f32);

    impl<T: Copy + Debug> Sample for Option<T> {
        type Value = T;
        fn sample(self) -> Option<T> {
            self
        }
    }

    /// Values of a field of so many bits: all of a narrow one, otherwise patterns.
    fn patterns(bits: u32) -> Vec<u32> {
        if bits <= 10 {
            return (0..1 << bits).collect();
        }
        let max = u32::MAX >> (32 - bits);
        let singles = (0..bits).flat_map(|bit| [1 << bit, max ^ 1 << bit]);
        let more = [0, max, 0x5555_5555, 0xAAAA_AAAA, 0x3C00, 0x3F80_0000, 0x1234_5678, 0x8765_4321];
        singles.chain(more).map(|value| value & max).collect()
    }

    /// A field is read, stored and read again, in a word of zeros and in one that has everything set.
    pub(crate) fn round_trip<T: Sample>(
        (name, lo, hi): (&str, u32, u32),
        get: impl Fn(u32) -> T,
        set: impl Fn(RegisterWord, T::Value) -> RegisterWord,
    ) {
        let mask = (u32::MAX >> (31 - hi + lo)) << lo;
        for pattern in patterns(hi - lo + 1) {
            let Some(value) = get(pattern << lo).sample() else { continue };
            for around in [0, !mask] {
                let word = set(RegisterWord::from(around), value).get();
                let word = word.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(word & !mask, around, "{name}: bits of others");
                // As text, so that NaN is NaN.
                let again = get(word).sample().map(|again| format!("{again:?}"));
                assert_eq!(again, Some(format!("{value:?}")), "{name}: {pattern:#x}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FieldInfo, FieldKind};
    use super::*;
    use crate::num::F24;

    const WIDTH: FieldPlace = FieldPlace { register: "fb_dim", field: "width", lo: 4, hi: 14 };

    fn error(word: RegisterWord) -> String {
        word.get().expect_err("the value does not fit").to_string()
    }

    #[test]
    fn values_that_do_not_fit_are_told() {
        let word = RegisterWord::default();
        assert_eq!(word.unsigned(WIDTH, 2047).get(), Ok(0x7FF0));
        assert_eq!(error(word.unsigned(WIDTH, 2048)), "fb_dim: width 2048 is not 0 to 2047");
        assert_eq!(word.signed(WIDTH, -1024).get(), Ok(0x4000));
        assert_eq!(error(word.signed(WIDTH, 1024)), "fb_dim: width 1024 is not -1024 to 1023");
        assert_eq!(word.address(WIDTH, 3, 0x18).get(), Ok(0x30));
        assert_eq!(error(word.address(WIDTH, 3, 0x1C)), "fb_dim: width 0x1c is not a multiple of 0x8");
        assert_eq!(error(word.address(WIDTH, 3, 1 << 20)), "fb_dim: width 0x100000 does not fit bits 4 to 14");
        let float = FieldPlace { lo: 0, hi: 23, ..WIDTH };
        assert_eq!(word.small_float::<7, 16>(float, 120.0).get(), Ok(F24::encode(120.0)));
        assert_eq!(error(word.small_float::<7, 16>(float, 1e30)), "fb_dim: width 1e30 is too large for its format");
    }

    #[test]
    fn the_first_error_stays_and_later_fields_are_stored() {
        let word = RegisterWord::default().unsigned(WIDTH, 5000).unsigned(FieldPlace { lo: 0, hi: 3, ..WIDTH }, 16);
        assert_eq!(error(word), "fb_dim: width 5000 is not 0 to 2047");
        assert_eq!(word.unsigned(WIDTH, 1).bits(), 0x10);
        assert!(word.unsigned(WIDTH, 1).get().is_err());
    }

    #[test]
    fn fields_as_data_store_numbers() {
        let field = |kind| FieldInfo { name: "f", lo: 4, hi: 7, kind, values: &[] };
        assert_eq!(field(FieldKind::Number).with(0xFFF, 3), Some(0xF3F));
        assert_eq!(field(FieldKind::Number).with(0, 16), None);
        assert_eq!(field(FieldKind::Number).with(0, -1), None);
        assert_eq!(field(FieldKind::Signed).with(0, -8), Some(0x80));
        assert_eq!(field(FieldKind::Fixed { fraction: 2, signed: true }).with(0, 8), None);
    }
}
