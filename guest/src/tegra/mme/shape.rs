//! Operand fields of a macro instruction. Letters of the fields: d destination, a b sources, s assignment, x exit, i
//! immediate or distance, p position in the result, n size of a field or annul, q position in the source.

use super::operand::{Alu, Assign, Bits, Branch, Immediate, Reg, Target};
use crate::table::{Encoder, FieldSpec, Fields, Shape};

const A: FieldSpec = FieldSpec::new(b'a', 3);
const B: FieldSpec = FieldSpec::new(b'b', 3);
const DST: FieldSpec = FieldSpec::new(b'd', 3);
const ASSIGN: FieldSpec = FieldSpec::new(b's', 3);
const EXIT: FieldSpec = FieldSpec::new(b'x', 1);
const IMMEDIATE: FieldSpec = FieldSpec::new(b'i', 18);

#[inline]
fn target(fields: Fields<'_>) -> Target {
    Target { dst: Reg(fields.byte(b'd')), assign: Assign::from_bits(fields.byte(b's')), exit: fields.flag(b'x') }
}

fn put_target(target: Target, word: &mut Encoder<'_>) {
    word.put(b'd', target.dst.0.into());
    word.put(b's', target.assign as u64);
    word.put(b'x', target.exit.into());
}

impl Shape for Alu {
    const NAME: &'static str = "Alu";
    const FIELDS: &'static [FieldSpec] = &[DST, ASSIGN, EXIT, A, B];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Alu { to: target(fields), a: Reg(fields.byte(b'a')), b: Reg(fields.byte(b'b')) }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        put_target(self.to, word);
        word.put(b'a', self.a.0.into());
        word.put(b'b', self.b.0.into());
    }
}

impl Shape for Immediate {
    const NAME: &'static str = "Immediate";
    const FIELDS: &'static [FieldSpec] = &[DST, ASSIGN, EXIT, A, IMMEDIATE];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Immediate { to: target(fields), a: Reg(fields.byte(b'a')), value: fields.signed(b'i') as i32 }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        put_target(self.to, word);
        word.put(b'a', self.a.0.into());
        word.put_signed(b'i', self.value.into());
    }
}

impl Shape for Bits {
    const NAME: &'static str = "Bits";
    const FIELDS: &'static [FieldSpec] = &[
        DST,
        ASSIGN,
        EXIT,
        A,
        B,
        FieldSpec::between(b'q', 0, 5),
        FieldSpec::new(b'n', 5),
        FieldSpec::between(b'p', 0, 5),
    ];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Bits {
            to: target(fields),
            a: Reg(fields.byte(b'a')),
            b: Reg(fields.byte(b'b')),
            from: fields.byte(b'q'),
            size: fields.byte(b'n'),
            at: fields.byte(b'p'),
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        put_target(self.to, word);
        word.put(b'a', self.a.0.into());
        word.put(b'b', self.b.0.into());
        word.put(b'q', self.from.into());
        word.put(b'n', self.size.into());
        word.put(b'p', self.at.into());
    }
}

impl Shape for Branch {
    const NAME: &'static str = "Branch";
    const FIELDS: &'static [FieldSpec] = &[EXIT, A, IMMEDIATE, FieldSpec::new(b'n', 1)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Branch {
            a: Reg(fields.byte(b'a')),
            offset: fields.signed(b'i') as i32,
            annul: fields.flag(b'n'),
            exit: fields.flag(b'x'),
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'a', self.a.0.into());
        word.put_signed(b'i', self.offset.into());
        word.put(b'n', self.annul.into());
        word.put(b'x', self.exit.into());
    }
}
