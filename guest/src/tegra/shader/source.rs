//! Sources of an instruction word: registers, constants, immediates of all kinds, with signs.
//!
//! The second source is a register at bit 20 (`b`) or 39 (`e`), a constant (`s`, `w`) or an immediate (`i`), as the
//! form has it. Immediates of 20 bits are signed integers, or the upper bits of an f32 or f64, or two halves without
//! their low bits; the operation says which.

use super::operand::{Constant, Inv, Neg, Operand, Reg, Src, parse_operand, parse_reg, print_operand, print_reg};
use super::part::{Part, text_by};
use super::syntax::{Assembly, Listing};
use crate::table::{Cursor, Encoder, Fields, TextError};

/// Types of a form's immediate. Of 20 bits: a signed integer; of fewer: an unsigned one.
const INTEGER: u8 = 0;
/// Of 20 bits: the upper bits of a float.
const FLOAT: u8 = 1;
/// Of 20 bits: the upper ten of each half.
const HALVES: u8 = 2;

fn read_constant(fields: Fields<'_>, slot: u8, word: u8) -> Operand {
    Operand::Constant(Constant { slot: fields.byte(slot), offset: (fields.get(word) * 4) as u16 })
}

fn write_constant(constant: Constant, word: &mut Encoder<'_>, slot: u8, offset: u8) {
    if !word.has(slot) || !constant.offset.is_multiple_of(4) {
        return word.reject(offset, constant.offset.into());
    }
    word.put(slot, constant.slot.into());
    word.put(offset, u64::from(constant.offset / 4));
}

/// The two halves whose upper bits are `bits`: each sign, five bits of exponent, four of mantissa.
const fn halves(bits: u32) -> u32 {
    (bits & 0x3FF) << 6 | (bits >> 10 & 0x3FF) << 22
}

fn read_immediate(fields: Fields<'_>, letter: u8, kind: u8) -> u32 {
    let bits = fields.get(letter) as u32;
    match (fields.width(letter), kind) {
        (20, INTEGER) => fields.signed(letter) as u32,
        (20, FLOAT) => bits << 12,
        (20, HALVES) => halves(bits),
        _ => bits,
    }
}

fn write_immediate(value: u32, word: &mut Encoder<'_>, letter: u8, kind: u8) {
    let top = |value: u32| u64::from(value >> 6 & 0x3FF);
    match (word.width(letter), kind) {
        (0, _) => word.reject(letter, value.into()),
        (20, INTEGER) => word.put_signed(letter, (value as i32).into()),
        (20, FLOAT) if value & 0xFFF == 0 => word.put(letter, u64::from(value >> 12)),
        (20, HALVES) if value & 0x003F_003F == 0 => word.put(letter, top(value) | top(value >> 16) << 10),
        (20, _) => word.reject(letter, value.into()),
        _ => word.put(letter, value.into()),
    }
}

/// Prints a value between the marks of its sign.
fn print_signed(neg: bool, abs: bool, out: &mut String, print: impl FnOnce(&mut String)) {
    out.push_str(if neg { "-" } else { "" });
    out.push_str(if abs { "|" } else { "" });
    print(out);
    out.push_str(if abs { "|" } else { "" });
}

fn parse_signed<'t, T>(
    text: &mut Cursor<'t>,
    parse: impl FnOnce(&mut Cursor<'t>) -> Result<T, TextError>,
) -> Result<Src<T>, TextError> {
    let neg = text.eat("-");
    let abs = text.eat("|");
    let value = parse(text)?;
    if abs {
        text.expect("|")?;
    }
    Ok(Src { value, neg, abs })
}

fn parse_neg<'t, T>(
    text: &mut Cursor<'t>,
    parse: impl FnOnce(&mut Cursor<'t>) -> Result<T, TextError>,
) -> Result<Neg<T>, TextError> {
    let neg = text.eat("-");
    Ok(Neg { value: parse(text)?, neg })
}

/// A second source without sign: `b e s w i`.
pub(super) struct Second<const KIND: u8>;

/// An integer as second source.
pub(super) type Int = Second<INTEGER>;
/// A float as second source.
pub(super) type Float = Second<FLOAT>;
/// Two halves as second source, without swizzle.
pub(super) type Halves = Second<HALVES>;

impl<const KIND: u8> Part for Second<KIND> {
    type Value = Operand;
    const BITS: &'static [(u32, u32)] = &[(0, 8), (0, 8), (0, 5), (0, 14), (0, 32)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Operand {
        let &[b, e, s, w, i, ..] = letters else { return Operand::Reg(Reg::RZ) };
        match () {
            () if fields.has(b) => Operand::Reg(Reg(fields.byte(b))),
            () if fields.has(e) => Operand::Reg(Reg(fields.byte(e))),
            () if fields.has(s) => read_constant(fields, s, w),
            () => Operand::Immediate(read_immediate(fields, i, KIND)),
        }
    }

    fn write(value: &Operand, word: &mut Encoder<'_>, letters: &[u8]) {
        let &[b, e, s, w, i, ..] = letters else { return };
        match *value {
            Operand::Reg(reg) if word.has(b) => word.put(b, reg.0.into()),
            Operand::Reg(reg) if word.has(e) => word.put(e, reg.0.into()),
            Operand::Reg(reg) => word.reject(b, reg.0.into()),
            Operand::Constant(constant) => write_constant(constant, word, s, w),
            Operand::Immediate(value) => write_immediate(value, word, i, KIND),
        }
    }

    text_by!(print_operand, parse_operand);
}

/// A third source: register `c`, constant `t u`, or in forms without either the old value of the destination.
pub(super) struct Third;

impl Part for Third {
    type Value = Operand;
    const BITS: &'static [(u32, u32)] = &[(0, 8), (0, 5), (0, 14)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> Operand {
        let &[c, t, u, ..] = letters else { return Operand::Reg(Reg::RZ) };
        match () {
            () if fields.has(c) => Operand::Reg(Reg(fields.byte(c))),
            () if fields.has(t) => read_constant(fields, t, u),
            () => Operand::Reg(Reg(fields.byte(b'd'))),
        }
    }

    fn write(value: &Operand, word: &mut Encoder<'_>, letters: &[u8]) {
        let &[c, t, u, ..] = letters else { return };
        match *value {
            Operand::Reg(reg) if word.has(c) => word.put(c, reg.0.into()),
            Operand::Constant(constant) => write_constant(constant, word, t, u),
            Operand::Reg(reg) if !word.has(t) && word.stored(b'd') == u64::from(reg.0) => {}
            Operand::Reg(reg) => word.reject(c, reg.0.into()),
            Operand::Immediate(value) => word.reject(c, value.into()),
        }
    }

    text_by!(print_operand, parse_operand);
}

/// Sources with signs: the part that holds the value, then a letter for the sign, then one for the absolute value.
macro_rules! signed_parts {
    ($(
        $(#[doc = $about:literal])+
        $Name:ident = $Value:ident: $Of:ty, $count:literal letters, $wrap:ident { $($flag:ident),+ } $parse:ident $read:ident;
    )+) => { $(
        $(#[doc = $about])+
        pub(super) struct $Name;

        impl Part for $Name {
            type Value = $wrap<<$Of as Part>::Value>;
            const BITS: &'static [(u32, u32)] = &signed_parts!(@bits $Of, $count, $($flag)+);

            fn read(fields: Fields<'_>, letters: &[u8]) -> Self::Value {
                let value = <$Of as Part>::read(fields, &letters[..$count]);
                let mut signs = letters[$count..].iter().map(|&letter| fields.flag(letter));
                $( let $flag = signs.next().unwrap_or(false); )+
                $wrap { value, $($flag),+ }
            }

            fn write(value: &Self::Value, word: &mut Encoder<'_>, letters: &[u8]) {
                <$Of as Part>::write(&value.value, word, &letters[..$count]);
                let mut signs = letters[$count..].iter();
                $( if let Some(&letter) = signs.next() {
                    word.put(letter, value.$flag.into());
                } )+
            }

            fn print(value: &Self::Value, _: &Listing<'_>, out: &mut String) {
                signed_parts!(@print $wrap value out $Value)
            }

            fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<Self::Value, TextError> {
                $parse(text, $read)
            }
        }
    )+ };
    (@bits $Of:ty, $count:literal, $($flag:ident)+) => {{
        const FLAGS: usize = [$(stringify!($flag)),+].len();
        let mut bits = [(0, 1); $count + FLAGS];
        let mut i = 0;
        while i < $count {
            bits[i] = <$Of as Part>::BITS[i];
            i += 1;
        }
        bits
    }};
    (@print Src $value:ident $out:ident $print:ident) => {
        print_signed($value.neg, $value.abs, $out, |out| $print($value.value, out))
    };
    (@print Neg $value:ident $out:ident $print:ident) => {
        print_signed($value.neg, false, $out, |out| $print($value.value, out))
    };
    (@print Inv $value:ident $out:ident $print:ident) => {{
        $out.push_str(if $value.invert { "~" } else { "" });
        $print($value.value, $out)
    }};
}

fn parse_inv<'t, T>(
    text: &mut Cursor<'t>,
    parse: impl FnOnce(&mut Cursor<'t>) -> Result<T, TextError>,
) -> Result<Inv<T>, TextError> {
    let invert = text.eat("~");
    Ok(Inv { value: parse(text)?, invert })
}

signed_parts! {
    /// A float in a register: `a`, sign, absolute value.
    FloatReg = print_reg: Reg, 1 letters, Src { neg, abs } parse_signed parse_reg;
    /// A float as second source: `b e s w i`, sign, absolute value.
    SignedFloat = print_operand: Float, 5 letters, Src { neg, abs } parse_signed parse_operand;
    /// An integer in a register: `a`, sign.
    IntReg = print_reg: Reg, 1 letters, Neg { neg } parse_neg parse_reg;
    /// An integer as second source: `b e s w i`, sign.
    SignedInt = print_operand: Int, 5 letters, Neg { neg } parse_neg parse_operand;
    /// An integer or float as second source of a conversion of integers: `b e s w i`, sign, absolute value.
    ConvertedInt = print_operand: Int, 5 letters, Src { neg, abs } parse_signed parse_operand;
    /// A third source: `c t u`, sign.
    SignedThird = print_operand: Third, 3 letters, Neg { neg } parse_neg parse_operand;
    /// Bits in a register: `a`, inversion.
    LogicReg = print_reg: Reg, 1 letters, Inv { invert } parse_inv parse_reg;
    /// Bits as second source: `b e s w i`, inversion.
    Logic = print_operand: Int, 5 letters, Inv { invert } parse_inv parse_operand;
}
