//! Operands of the shader instructions, as plain structures. Source of all formats: 3dbrew "Shader Instruction Set",
//! instruction formats.

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
    /// The reference of cmp.x.
    pub ref_x: bool,
    /// The reference of cmp.y.
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
    /// The index bits of the word; a constant source includes them already.
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

/// The operation of the next EMIT (format 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetEmit {
    /// Slot of the vertex, 0 to 2; 3 is possible and reserved.
    pub vertex: u8,
    /// Whether the three slots then make a triangle.
    pub primitive: bool,
    /// Whether that triangle is inverted.
    pub winding: bool,
}
