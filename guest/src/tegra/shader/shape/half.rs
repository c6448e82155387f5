//! Arithmetic of pairs of f16.

use std::marker::PhantomData;

use crate::table::{Cursor, Encoder, Fields, TextError};
use crate::tegra::shader::modifiers::{BoolOp, FloatCompare, Fmz, HalfMerge, HalfSwizzle};
use crate::tegra::shader::operand::{Operand, Pred, PredSource, Reg, parse_operand, print_operand};
use crate::tegra::shader::part::{Part, shapes, text_by};
use crate::tegra::shader::source::{Halves, Third};
use crate::tegra::shader::syntax::{Assembly, Listing};

/// A source of two halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HalfSrc<T> {
    /// Where the value is.
    pub value: T,
    /// Which halves count. Constants are always f32, immediates two halves.
    pub swizzle: HalfSwizzle,
    /// Whether the sign of both lanes is changed.
    pub neg: bool,
    /// Whether the sign of both lanes is dropped.
    pub abs: bool,
}

/// The swizzle of a form that has no field for it.
fn implied(value: Operand) -> HalfSwizzle {
    if matches!(value, Operand::Constant(_)) { HalfSwizzle::F32 } else { HalfSwizzle::H1H0 }
}

fn read(fields: Fields<'_>, value: Operand, letters: &[u8]) -> HalfSrc<Operand> {
    let &[swizzle, neg, abs] = letters else {
        return HalfSrc { value, swizzle: HalfSwizzle::H1H0, neg: false, abs: false };
    };
    let stored = fields.has(swizzle).then(|| HalfSwizzle::from_bits(fields.byte(swizzle)));
    HalfSrc { value, swizzle: stored.unwrap_or(implied(value)), neg: fields.flag(neg), abs: fields.flag(abs) }
}

fn write(value: HalfSrc<Operand>, word: &mut Encoder<'_>, letters: &[u8]) {
    let &[swizzle, neg, abs] = letters else { return };
    let bits = value.swizzle.bits().into();
    match word.has(swizzle) {
        true => word.put(swizzle, bits),
        false if value.swizzle != implied(value.value) => word.reject(swizzle, bits),
        false => {}
    }
    word.put(neg, value.neg.into());
    word.put(abs, value.abs.into());
}

fn print(value: HalfSrc<Operand>, out: &mut String) {
    out.push_str(if value.neg { "-" } else { "" });
    out.push_str(if value.abs { "|" } else { "" });
    print_operand(value.value, out);
    if value.swizzle != implied(value.value) {
        out.push('.');
        out.push_str(value.swizzle.name());
    }
    out.push_str(if value.abs { "|" } else { "" });
}

fn parse(text: &mut Cursor<'_>) -> Result<HalfSrc<Operand>, TextError> {
    let neg = text.eat("-");
    let abs = text.eat("|");
    let value = parse_operand(text)?;
    let mut swizzle = implied(value);
    if text.eat(".") {
        let name = text.name().unwrap_or("");
        let all = [HalfSwizzle::H1H0, HalfSwizzle::F32, HalfSwizzle::H0H0, HalfSwizzle::H1H1];
        let found = all.into_iter().find(|swizzle| swizzle.name() == name);
        swizzle = found.ok_or_else(|| text.expected("halves: h1_h0, f32, h0_h0 or h1_h1"))?;
    }
    if abs {
        text.expect("|")?;
    }
    Ok(HalfSrc { value, swizzle, neg, abs })
}

/// Halves in a register: `a`, swizzle, sign, absolute value.
pub(super) struct HalfReg;

impl Part for HalfReg {
    type Value = HalfSrc<Reg>;
    const BITS: &'static [(u32, u32)] = &[(8, 8), (2, 2), (0, 1), (0, 1)];

    fn read(fields: Fields<'_>, letters: &[u8]) -> HalfSrc<Reg> {
        let reg = Reg(fields.byte(letters[0]));
        let HalfSrc { swizzle, neg, abs, .. } = read(fields, Operand::Reg(reg), &letters[1..]);
        HalfSrc { value: reg, swizzle, neg, abs }
    }

    fn write(value: &HalfSrc<Reg>, word: &mut Encoder<'_>, letters: &[u8]) {
        let HalfSrc { value: reg, swizzle, neg, abs } = *value;
        word.put(letters[0], reg.0.into());
        write(HalfSrc { value: Operand::Reg(reg), swizzle, neg, abs }, word, &letters[1..]);
    }

    fn print(value: &HalfSrc<Reg>, _: &Listing<'_>, out: &mut String) {
        let HalfSrc { value, swizzle, neg, abs } = *value;
        print(HalfSrc { value: Operand::Reg(value), swizzle, neg, abs }, out);
    }

    fn parse(text: &mut Cursor<'_>, _: &Assembly<'_>) -> Result<HalfSrc<Reg>, TextError> {
        let before = text.clone();
        let HalfSrc { value, swizzle, neg, abs } = parse(text)?;
        match value {
            Operand::Reg(value) => Ok(HalfSrc { value, swizzle, neg, abs }),
            _ => Err(before.expected("a register")),
        }
    }
}

/// Halves in a part of `LETTERS` letters, then swizzle, sign, absolute value.
pub(super) struct HalfOf<P, const LETTERS: usize>(PhantomData<P>);

/// Halves as second source: `b e s w i`, swizzle, sign, absolute value.
pub(super) type HalfSecond = HalfOf<Halves, 5>;
/// Halves as third source: `c t u`, swizzle, sign, absolute value (which none has).
pub(super) type HalfThird = HalfOf<Third, 3>;

impl<P: Part<Value = Operand>, const LETTERS: usize> HalfOf<P, LETTERS> {
    /// The fields of the value, then those of swizzle, sign and absolute value; then nothing.
    const FIELDS: &'static [(u32, u32)] = &{
        let mut fields = [(0, 0); 8];
        let mut i = 0;
        while i < LETTERS {
            fields[i] = P::BITS[i];
            i += 1;
        }
        fields[LETTERS] = (0, 2);
        fields[LETTERS + 1] = (0, 1);
        fields[LETTERS + 2] = (0, 1);
        fields
    };
}

impl<P: Part<Value = Operand>, const LETTERS: usize> Part for HalfOf<P, LETTERS> {
    type Value = HalfSrc<Operand>;
    const BITS: &'static [(u32, u32)] = Self::FIELDS.split_at(LETTERS + 3).0;

    fn read(fields: Fields<'_>, letters: &[u8]) -> HalfSrc<Operand> {
        let (of_value, suffix) = letters.split_at(LETTERS);
        read(fields, P::read(fields, of_value), suffix)
    }

    fn write(value: &HalfSrc<Operand>, word: &mut Encoder<'_>, letters: &[u8]) {
        let (of_value, suffix) = letters.split_at(LETTERS);
        P::write(&value.value, word, of_value);
        write(*value, word, suffix);
    }

    text_by!(print, parse);
}

shapes! {
    /// Two sums.
    HalfAdd {
        flags { ftz f "ftz", sat v "sat" }
        modifiers { merge: HalfMerge[h] }
        operands { dst: Reg[d], a: HalfSrc<Reg> = HalfReg[a z n m], b: HalfSrc<Operand> = HalfSecond[b e s w i y k l] }
    }

    /// Two products.
    HalfMul {
        flags {
            /// The products' signs are changed.
            neg j "neg",
            sat v "sat",
        }
        modifiers { fmz: Fmz[f], merge: HalfMerge[h] }
        operands { dst: Reg[d], a: HalfSrc<Reg> = HalfReg[a z n m], b: HalfSrc<Operand> = HalfSecond[b e s w i y k l] }
    }

    /// Two products and addends.
    HalfFma {
        flags {
            /// The products' signs are changed.
            neg j "neg",
            sat v "sat",
        }
        modifiers { fmz: Fmz[f], merge: HalfMerge[h] }
        operands {
            dst: Reg[d], a: HalfSrc<Reg> = HalfReg[a z n m], b: HalfSrc<Operand> = HalfSecond[b e s w i y o l],
            c: HalfSrc<Operand> = HalfThird[c t u x k r],
        }
    }

    /// Two comparisons to a register.
    HalfSet {
        flags {
            /// 1.0 instead of all ones.
            bf h "bf",
            ftz f "ftz",
        }
        modifiers { compare: FloatCompare[x], bop: BoolOp[j] }
        operands {
            dst: Reg[d], a: HalfSrc<Reg> = HalfReg[a z n m], b: HalfSrc<Operand> = HalfSecond[b e s w i y k l],
            pred: PredSource[p],
        }
    }

    /// Two comparisons to predicates.
    HalfSetPred {
        flags {
            /// The lanes' results are joined.
            both h "h_and",
            ftz f "ftz",
        }
        modifiers { compare: FloatCompare[x], bop: BoolOp[j] }
        operands {
            dst: Pred[r], dst_second: Pred[q], a: HalfSrc<Reg> = HalfReg[a z n m],
            b: HalfSrc<Operand> = HalfSecond[b e s w i y k l], pred: PredSource[p],
        }
    }
}
