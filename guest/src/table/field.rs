//! The fields of a register's word: where they are, what their bits mean, and a word as text.

use crate::num::{F16, F20, F24, F31};

/// The meaning of a field's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A number.
    Number,
    /// A number whose highest bit is a sign.
    Signed,
    /// One of [`FieldInfo::values`].
    Named,
    /// Bits that are no number: data, handles, masks, patterns.
    Bits,
    /// A number in units of 2^-`fraction`.
    Fixed {
        /// Bits after the point.
        fraction: u32,
        /// Whether the highest bit is a sign.
        signed: bool,
    },
    /// An address, or the part of one that begins at bit `shift`.
    Address {
        /// Bits that are not in the field, below it.
        shift: u32,
    },
    /// An f32.
    F32,
    /// A float of 16 bits, 1.5.10.
    F16,
    /// A float of 20 bits, 1.7.12.
    F20,
    /// A float of 24 bits, 1.7.16.
    F24,
    /// A float of 31 bits, 1.7.23.
    F31,
}

impl FieldKind {
    /// The kind of a field whose row does not tell it.
    ///
    /// # Panics
    /// For a field that is the whole word, whose row has to tell it: a float or an address is no number. In a `const`
    /// that is a compile error.
    pub const fn untold(lo: u32, hi: u32) -> Self {
        assert!(hi - lo < 31, "a field that is the whole word tells its kind");
        FieldKind::Number
    }

    const fn is_signed(self) -> bool {
        matches!(self, FieldKind::Signed | FieldKind::Fixed { signed: true, .. })
    }
}

/// A bit field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldInfo {
    /// Its name, as the function that reads it.
    pub name: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit, inclusive.
    pub hi: u32,
    /// The meaning of its bits.
    pub kind: FieldKind,
    /// The names of its values, if they have names.
    pub values: &'static [(u32, &'static str)],
}

/// The values of a flag.
pub const FLAG: &[(u32, &str)] = &[(0, "FALSE"), (1, "TRUE")];

impl FieldInfo {
    /// Its bits.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (31 - self.hi + self.lo)) << self.lo
    }

    /// The field's value in `word`, sign-extended if it is signed.
    pub const fn get(&self, word: u32) -> i64 {
        if self.kind.is_signed() {
            signed(word, self.lo, self.hi) as i64
        } else {
            unsigned(word, self.lo, self.hi) as i64
        }
    }

    /// The value named `name`.
    pub fn value_named(&self, name: &str) -> Option<u32> {
        self.values.iter().find(|(_, other)| *other == name).map(|(value, _)| *value)
    }

    /// Whether the field is the word itself and means no more than the word in hexadecimal digits does.
    const fn is_raw(&self) -> bool {
        self.hi - self.lo == 31 && matches!(self.kind, FieldKind::Bits | FieldKind::Address { shift: 0 })
    }

    /// The field's value in `word` as text.
    pub fn text(&self, word: u32) -> String {
        let value = self.get(word);
        let bits = value as u32;
        if let Some((_, name)) = self.values.iter().find(|(number, _)| i64::from(*number) == value) {
            return (*name).to_owned();
        }
        match self.kind {
            FieldKind::Number | FieldKind::Signed => value.to_string(),
            FieldKind::Named | FieldKind::Bits => format!("{bits:#x}"),
            FieldKind::Fixed { fraction, .. } => (value as f64 / f64::from(fraction).exp2()).to_string(),
            FieldKind::Address { shift } => format!("{:#x}", value << shift),
            // An integer where a float is usual: registers of colours are shared by targets of both.
            FieldKind::F32 if f32::from_bits(bits).is_subnormal() => format!("{bits:#x}"),
            FieldKind::F32 => float_text(f32::from_bits(bits)),
            FieldKind::F16 => float_text(F16::decode(bits)),
            FieldKind::F20 => float_text(F20::decode(bits)),
            FieldKind::F24 => float_text(F24::decode(bits)),
            FieldKind::F31 => float_text(F31::decode(bits)),
        }
    }
}

/// The shortest digits that are this number; with a point, so that it is seen to be a float.
fn float_text(value: f32) -> String {
    format!("{value:?}")
}

/// The fields of a word as text: `rgb SRC_ALPHA, alpha ONE`. Nothing of a word that is one value without a better form
/// than its hexadecimal digits.
pub fn show_fields(fields: &[FieldInfo], word: u32) -> String {
    let shown = fields.iter().filter(|field| !field.is_raw());
    shown.map(|field| format!("{} {}", field.name, field.text(word))).collect::<Vec<_>>().join(", ")
}

/// Bits `lo` to `hi` of `word`.
#[inline(always)]
pub const fn unsigned(word: u32, lo: u32, hi: u32) -> u32 {
    (word << (31 - hi)) >> (31 - hi + lo)
}

/// Bits `lo` to `hi` of `word`, the upper one being the sign.
#[inline(always)]
pub const fn signed(word: u32, lo: u32, hi: u32) -> i32 {
    ((word << (31 - hi)) as i32) >> (31 - hi + lo)
}

/// Checks while compiling that there are fields, that they lie in their register, are as wide as their kinds, and
/// share no bits.
///
/// # Panics
/// When they do not.
pub const fn check_fields(fields: &[FieldInfo]) {
    assert!(!fields.is_empty(), "a register has a field, if only of bits");
    let mut used = 0;
    let mut i = 0;
    while i < fields.len() {
        let field = fields[i];
        assert!(field.lo <= field.hi && field.hi < 32, "a field is not in its register");
        assert!(used & field.mask() == 0, "two fields of a register share bits");
        let width = match field.kind {
            FieldKind::F32 => 32,
            FieldKind::F16 => 16,
            FieldKind::F20 => 20,
            FieldKind::F24 => 24,
            FieldKind::F31 => 31,
            _ => field.hi - field.lo + 1,
        };
        assert!(width == field.hi - field.lo + 1, "a float has the width of its format");
        used |= field.mask();
        i += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: FieldKind, lo: u32, hi: u32, word: u32) -> String {
        FieldInfo { name: "f", lo, hi, kind, values: &[] }.text(word)
    }

    #[test]
    fn kinds_have_their_text() {
        assert_eq!(text(FieldKind::Number, 4, 7, 0xA5), "10");
        assert_eq!(text(FieldKind::Signed, 4, 7, 0xA5), "-6");
        assert_eq!(text(FieldKind::Bits, 4, 11, 0xABC), "0xab");
        assert_eq!(text(FieldKind::Named, 0, 3, 9), "0x9");
        assert_eq!(text(FieldKind::Fixed { fraction: 8, signed: true }, 0, 12, 0x1F80), "-0.5");
        assert_eq!(text(FieldKind::Fixed { fraction: 8, signed: false }, 7, 18, 0x180 << 7), "1.5");
        assert_eq!(text(FieldKind::Address { shift: 3 }, 0, 27, 0x0300_0000), "0x18000000");
        assert_eq!(text(FieldKind::Address { shift: 32 }, 0, 7, 5), "0x500000000");
        assert_eq!(text(FieldKind::F32, 0, 31, 1.0f32.to_bits()), "1.0");
        assert_eq!(text(FieldKind::F32, 0, 31, 200), "0xc8");
        assert_eq!(text(FieldKind::F16, 16, 31, 0x3800_0000), "0.5");
        assert_eq!(text(FieldKind::F24, 0, 23, 0x40_0000), "2.0");
        assert_eq!(text(FieldKind::F20, 0, 19, 0x3F000), "1.0");
        assert_eq!(text(FieldKind::F31, 1, 31, 0x3F00_0000), "1.0");
    }

    #[test]
    fn words_without_a_better_form_have_no_text() {
        let field = |kind, hi| FieldInfo { name: "f", lo: 0, hi, kind, values: &[] };
        assert_eq!(show_fields(&[field(FieldKind::Bits, 31)], 5), "");
        assert_eq!(show_fields(&[field(FieldKind::Address { shift: 0 }, 31)], 5), "");
        assert_eq!(show_fields(&[field(FieldKind::Address { shift: 8 }, 31)], 5), "f 0x500");
        assert_eq!(show_fields(&[field(FieldKind::Number, 31)], 5), "f 5");
        let flag = FieldInfo { name: "on", lo: 8, hi: 8, kind: FieldKind::Named, values: FLAG };
        assert_eq!(show_fields(&[field(FieldKind::Bits, 7), flag], 0x105), "f 0x5, on TRUE");
        assert_eq!((flag.value_named("TRUE"), flag.value_named("ON")), (Some(1), None));
    }
}
