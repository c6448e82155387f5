//! Packing and unpacking of bits.

use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::Source;

use super::context::{Alu, Components};
use super::registers::Number;
use crate::lane::{Emit, F32x4, I32x4};

impl Alu<'_, '_, '_, '_> {
    /// A word of `count` fields, the first one lowest. `convert` makes the low bits of a field of a component; bits
    /// above them are zero.
    pub fn pack(
        &mut self,
        a: &Source,
        count: usize,
        convert: impl Fn(&mut Emit<'_>, usize, F32x4) -> I32x4,
    ) -> Components {
        let bits = 32 / count as u32;
        let mut word: Option<I32x4> = None;
        for c in 0..count {
            let a = self.read(a, c).value;
            let e = self.e();
            let field = convert(e, c, a);
            word = Some(match word {
                None => field,
                Some(word) => {
                    let field = e.ishl(field, bits * c as u32);
                    e.ior(word, field)
                }
            });
        }
        let e = self.e();
        let word = word.unwrap_or_else(|| e.i(0));
        let number = Number { exact: true, ..Number::new(e.float_of_bits(word)) };
        self.same(number)
    }

    /// Components of the word in component x of a source, each made by `convert`.
    pub fn unpack(&mut self, a: &Source, convert: impl Fn(&mut Emit<'_>, usize, I32x4) -> Number) -> Components {
        let word = self.lower.source_bits(self.step, self.compute, a);
        let word = self.e().bits(word);
        self.each(|this, c| convert(this.e(), c, word))
    }
}

/// `floor(v * max + 0.5)` as an integer.
pub fn scaled(e: &mut Emit<'_>, v: F32x4, max: f32) -> I32x4 {
    let (scale, half) = (e.f(max), e.f(0.5));
    let scaled = e.mul(v, scale);
    let scaled = e.add(scaled, half);
    let whole = e.floor(scaled);
    e.truncate_to_int(whole)
}

/// An integer times a factor.
pub fn fraction(e: &mut Emit<'_>, value: I32x4, factor: f32) -> F32x4 {
    let value = e.to_float(value);
    let scale = e.f(factor);
    e.mul(value, scale)
}

/// Field `n` of a word with fields of this many bits.
pub fn field(e: &mut Emit<'_>, word: I32x4, bits: u32, n: usize) -> I32x4 {
    let top = at_top(e, word, bits, n);
    e.ushr(top, 32 - bits)
}

/// As [`field`], in two's complement.
pub fn signed_field(e: &mut Emit<'_>, word: I32x4, bits: u32, n: usize) -> I32x4 {
    let top = at_top(e, word, bits, n);
    e.ishr(top, 32 - bits)
}

/// The word shifted so that field `n` has the highest bits.
fn at_top(e: &mut Emit<'_>, word: I32x4, bits: u32, n: usize) -> I32x4 {
    match 32 - bits * (n as u32 + 1) {
        0 => word,
        above => e.ishl(word, above),
    }
}
