//! Operand shapes of the shader instructions: plain structures read from a word. Source of all formats: 3dbrew "Shader
//! Instruction Set", instruction formats.

use crate::table::{Encoder, FieldSpec, Fields, Shape};

/// Which register's value is added to the number of a constant register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// None: the number is as written.
    None,
    /// Address register a0.x.
    A0X,
    /// Address register a0.y.
    A0Y,
    /// The loop register aL.
    AL,
}

impl Index {
    /// From the two bits of an instruction.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Index::None,
            1 => Index::A0X,
            2 => Index::A0Y,
            _ => Index::AL,
        }
    }
}

/// A source register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// v0 to v15, read only.
    Input(u8),
    /// r0 to r15.
    Temp(u8),
    /// c0 to c95, read only, with the register added to the number. Hardware ignores that for v and r.
    Const(u8, Index),
}

impl Src {
    /// From the number of a 5-bit or 7-bit source field and the instruction's index bits.
    #[inline]
    pub const fn from_bits(number: u8, index: u8) -> Self {
        match number & 0x7F {
            n @ 0x00..=0x0F => Src::Input(n),
            n @ 0x10..=0x1F => Src::Temp(n - 0x10),
            n => Src::Const(n - 0x20, Index::from_bits(index)),
        }
    }

    /// The number in a source field.
    pub const fn number(self) -> u8 {
        match self {
            Src::Input(n) => n,
            Src::Temp(n) => 0x10 + n,
            Src::Const(n, _) => 0x20 + n,
        }
    }

    /// The index bits, zero for inputs and temporaries.
    pub const fn index(self) -> u8 {
        match self {
            Src::Const(_, index) => index as u8,
            _ => 0,
        }
    }
}

/// A destination register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dst {
    /// o0 to o15, write only.
    Output(u8),
    /// r0 to r15.
    Temp(u8),
}

impl Dst {
    /// From the number of a 5-bit destination field.
    #[inline]
    pub const fn from_bits(number: u8) -> Self {
        if number & 0x10 == 0 { Dst::Output(number & 0xF) } else { Dst::Temp(number & 0xF) }
    }

    /// The number in a destination field.
    pub const fn number(self) -> u8 {
        match self {
            Dst::Output(n) => n,
            Dst::Temp(n) => 0x10 + n,
        }
    }
}

/// How the two flag comparisons of a condition are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionOp {
    /// One of them.
    Or,
    /// Both.
    And,
    /// That of x alone.
    X,
    /// That of y alone.
    Y,
}

/// A condition on the flags: x is `cmp.x == ref_x`, y is `cmp.y == ref_y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// How x and y are joined.
    pub op: ConditionOp,
    /// What cmp.x is compared with.
    pub ref_x: bool,
    /// What cmp.y is compared with.
    pub ref_y: bool,
}

impl Condition {
    /// Whether the condition holds.
    #[inline]
    pub const fn holds(self, cmp_x: bool, cmp_y: bool) -> bool {
        let (x, y) = (cmp_x == self.ref_x, cmp_y == self.ref_y);
        match self.op {
            ConditionOp::Or => x || y,
            ConditionOp::And => x && y,
            ConditionOp::X => x,
            ConditionOp::Y => y,
        }
    }
}

/// Two sources and a destination (formats 1 and 1i). One of the sources may be a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arith2 {
    /// Destination.
    pub dst: Dst,
    /// First source.
    pub src1: Src,
    /// Second source.
    pub src2: Src,
    /// The index bits as they stand in the word; a constant source already carries them.
    pub idx: u8,
    /// Operand descriptor, 0 to 127.
    pub desc: u8,
}

/// One source and a destination (format 1u).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arith1 {
    /// Destination.
    pub dst: Dst,
    /// Source.
    pub src1: Src,
    /// Operand descriptor, 0 to 127.
    pub desc: u8,
}

/// One source, the address registers being the destination (format 1u).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovA {
    /// Source.
    pub src1: Src,
    /// Operand descriptor, 0 to 127; its mask says which of a0.x and a0.y are written.
    pub desc: u8,
}

/// Two sources, the flags being the destination (format 1c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compare {
    /// First source.
    pub src1: Src,
    /// Second source.
    pub src2: Src,
    /// Operand descriptor, 0 to 127.
    pub desc: u8,
    /// Comparison for cmp.x: 0 ==, 1 !=, 2 <, 3 <=, 4 >, 5 >=, 6 and 7 always true.
    pub op_x: u8,
    /// Comparison for cmp.y.
    pub op_y: u8,
}

/// Three sources and a destination (formats 5 and 5i). The second or the third source may be a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arith3 {
    /// Destination.
    pub dst: Dst,
    /// First factor.
    pub src1: Src,
    /// Second factor.
    pub src2: Src,
    /// Summand.
    pub src3: Src,
    /// Operand descriptor, 0 to 31.
    pub desc: u8,
}

/// No operands (format 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow0;

/// Control flow on the flags (format 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Instruction index, 0 to 4095; zero where the instruction has none.
    pub target: u16,
    /// Number of instructions, 0 to 255: of the called block, of the else part; zero where the instruction has none.
    pub count: u8,
    /// The condition; that of an unconditional instruction means nothing.
    pub cond: Condition,
}

/// Control flow on a uniform (format 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uniform {
    /// Instruction index, 0 to 4095. For a loop the last instruction of its body.
    pub target: u16,
    /// Number of instructions, 0 to 255: of the called block, of the else part. Of JMPU: 1 jumps if the bool is
    /// *false*, 0 if it is true.
    pub count: u8,
    /// Which bool (0 to 15) or integer (0 to 3) uniform.
    pub id: u8,
}

/// What the next EMIT does (format 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetEmit {
    /// Slot of the vertex, 0 to 2; 3 is possible and reserved.
    pub vertex: u8,
    /// Whether the three slots then make a triangle.
    pub primitive: bool,
    /// Whether that triangle is inverted.
    pub winding: bool,
}

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
        word.put(b'x', (self.cond.ref_x && self.cond.op != ConditionOp::Y).into());
        word.put(b'y', (self.cond.ref_y && self.cond.op != ConditionOp::X).into());
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
    const FIELDS: &'static [FieldSpec] = &[FieldSpec::new(b'v', 2), FieldSpec::new(b'p', 1), FieldSpec::new(b'w', 1)];

    #[inline]
    fn decode(fields: Fields<'_>) -> Self {
        SetEmit { vertex: fields.byte(b'v'), primitive: fields.flag(b'p'), winding: fields.flag(b'w') }
    }

    fn encode(&self, word: &mut Encoder<'_>) {
        word.put(b'v', self.vertex.into());
        word.put(b'p', self.primitive.into());
        word.put(b'w', self.winding.into());
    }
}
