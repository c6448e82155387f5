//! Operand fields of an instruction word. Letters of the fields: d destination, a b c sources 1 to 3, i index register
//! or uniform number, p operand descriptor, t target, n number of instructions, o x y condition or comparisons, v q w
//! vertex slot, primitive, winding.

use super::operand::{
    Arith1, Arith2, Arith3, Branch, Compare, Condition, ConditionOp, Dst, Flow0, MovA, SetEmit, Src, Uniform,
};
use crate::table::{Encoder, FieldSpec, Fields, Shape};

const DST: FieldSpec = FieldSpec::new(b'd', 5);
const INDEX: FieldSpec = FieldSpec::new(b'i', 2);
const DESC: FieldSpec = FieldSpec::new(b'p', 7);
const TARGET: FieldSpec = FieldSpec::between(b't', 0, 12);

const fn source(letter: u8) -> FieldSpec {
    FieldSpec::between(letter, 5, 7)
}

fn read_source(fields: Fields<'_>, letter: u8) -> Src {
    Src::from_bits(fields.byte(letter), fields.byte(b'i'))
}

/// Stores the sources and the index bits of the constant among them.
fn put_sources(word: &mut Encoder<'_>, sources: &[(u8, Src)]) {
    let mut index = 0;
    for &(letter, src) in sources {
        word.put(letter, src.number().into());
        if matches!(src, Src::Const(..)) {
            index = src.index();
        }
    }
    word.put(b'i', index.into());
}

impl Shape for Arith2 {
    const NAME: &'static str = "Arith2";
    const FIELDS: &'static [FieldSpec] = &[DST, INDEX, source(b'a'), source(b'b'), DESC];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Arith2 {
            dst: Dst::from_bits(fields.byte(b'd')),
            src1: read_source(fields, b'a'),
            src2: read_source(fields, b'b'),
            idx: fields.byte(b'i'),
            desc: fields.byte(b'p'),
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'd', self.dst.number().into());
        put_sources(word, &[(b'a', self.src1), (b'b', self.src2)]);
        word.put(b'p', self.desc.into());
    }
}

impl Shape for Arith1 {
    const NAME: &'static str = "Arith1";
    const FIELDS: &'static [FieldSpec] = &[DST, INDEX, source(b'a'), DESC];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Arith1 { dst: Dst::from_bits(fields.byte(b'd')), src1: read_source(fields, b'a'), desc: fields.byte(b'p') }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'd', self.dst.number().into());
        put_sources(word, &[(b'a', self.src1)]);
        word.put(b'p', self.desc.into());
    }
}

impl Shape for MovA {
    const NAME: &'static str = "MovA";
    const FIELDS: &'static [FieldSpec] = &[INDEX, source(b'a'), DESC];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        MovA { src1: read_source(fields, b'a'), desc: fields.byte(b'p') }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        put_sources(word, &[(b'a', self.src1)]);
        word.put(b'p', self.desc.into());
    }
}

impl Shape for Compare {
    const NAME: &'static str = "Compare";
    const FIELDS: &'static [FieldSpec] =
        &[INDEX, source(b'a'), source(b'b'), DESC, FieldSpec::new(b'x', 3), FieldSpec::new(b'y', 3)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Compare {
            src1: read_source(fields, b'a'),
            src2: read_source(fields, b'b'),
            desc: fields.byte(b'p'),
            op_x: fields.byte(b'x'),
            op_y: fields.byte(b'y'),
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        put_sources(word, &[(b'a', self.src1), (b'b', self.src2)]);
        word.put(b'p', self.desc.into());
        word.put(b'x', self.op_x.into());
        word.put(b'y', self.op_y.into());
    }
}

impl Shape for Arith3 {
    const NAME: &'static str = "Arith3";
    const FIELDS: &'static [FieldSpec] =
        &[DST, INDEX, source(b'a'), source(b'b'), source(b'c'), FieldSpec::new(b'p', 5)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Arith3 {
            dst: Dst::from_bits(fields.byte(b'd')),
            src1: read_source(fields, b'a'),
            src2: read_source(fields, b'b'),
            src3: read_source(fields, b'c'),
            desc: fields.byte(b'p'),
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'd', self.dst.number().into());
        put_sources(word, &[(b'a', self.src1), (b'b', self.src2), (b'c', self.src3)]);
        word.put(b'p', self.desc.into());
    }
}

impl Shape for Flow0 {
    const NAME: &'static str = "Flow0";
    const FIELDS: &'static [FieldSpec] = &[];

    #[inline]
    fn decode(_: Fields<'_>) -> Self {
        Flow0
    }

    fn encode(&self, _: &mut Encoder<'_>) {}
}

impl Shape for Branch {
    const NAME: &'static str = "Branch";
    const FIELDS: &'static [FieldSpec] = &[
        TARGET,
        FieldSpec::between(b'n', 0, 8),
        FieldSpec::between(b'x', 0, 1),
        FieldSpec::between(b'y', 0, 1),
        FieldSpec::between(b'o', 0, 2),
    ];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        let op = match fields.byte(b'o') & 3 {
            0 => ConditionOp::Or,
            1 => ConditionOp::And,
            2 => ConditionOp::X,
            _ => ConditionOp::Y,
        };
        Branch {
            target: fields.get(b't') as u16,
            count: fields.byte(b'n'),
            cond: Condition { op, ref_x: fields.flag(b'x'), ref_y: fields.flag(b'y') },
        }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b't', self.target.into());
        word.put(b'n', self.count.into());
        word.put(b'o', self.cond.op as u64);
        word.put(b'x', self.cond.ref_x.into());
        word.put(b'y', self.cond.ref_y.into());
    }
}

impl Shape for Uniform {
    const NAME: &'static str = "Uniform";
    const FIELDS: &'static [FieldSpec] = &[TARGET, FieldSpec::between(b'n', 0, 8), FieldSpec::between(b'i', 2, 4)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        Uniform { target: fields.get(b't') as u16, count: fields.byte(b'n'), id: fields.byte(b'i') }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b't', self.target.into());
        word.put(b'n', self.count.into());
        word.put(b'i', self.id.into());
    }
}

impl Shape for SetEmit {
    const NAME: &'static str = "SetEmit";
    const FIELDS: &'static [FieldSpec] = &[FieldSpec::new(b'v', 2), FieldSpec::new(b'q', 1), FieldSpec::new(b'w', 1)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        SetEmit { vertex: fields.byte(b'v'), primitive: fields.flag(b'q'), winding: fields.flag(b'w') }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'v', self.vertex.into());
        word.put(b'q', self.primitive.into());
        word.put(b'w', self.winding.into());
    }
}
