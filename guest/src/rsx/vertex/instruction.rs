//! One vertex instruction: what its four words mean, and the words for a meaning.
//!
//! Decoding drops what has no effect: the fields of an idle unit, of a source that no operation reads, of an index that
//! nothing uses. So two instructions that do the same are equal, whatever their writers left in idle bits.

use super::fields::{self as f, source as s};
use super::ops::{ScalarOp, VectorOp};
use crate::rsx::operand::{Condition, Mask, Swizzle, Test};
use crate::table::{WordField, flags};

/// The four words of an instruction, in the order in which TRANSFORM_PROGRAM takes them.
pub type Words = [u32; 4];

/// An instruction: two units work at the same time on the same three sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The vector unit's half.
    pub vector: Vector,
    /// The scalar unit's half.
    pub scalar: Scalar,
    /// Sources 0 to 2. One that no operation reads is [`Source::UNUSED`].
    pub sources: [Source; 3],
    /// The number of the one input that sources can name, 0 to 15.
    pub input: u8,
    /// The number of the one constant that sources can name, 0 to 1023. There are 468.
    pub constant: u16,
    /// Adds the selected address component to `input`.
    pub relative_input: bool,
    /// Adds the selected address component to `constant`.
    pub relative_constant: bool,
    /// Which address register relative numbers, [`VectorOp::ara`], [`ScalarOp::psh`] and [`ScalarOp::pop`] use, 0 or 1.
    pub address_register: u8,
    /// Which of its components relative numbers use.
    pub address_component: u8,
    /// The condition of writes and branches; `None`: none.
    pub condition: Option<Condition>,
    /// Which condition register is tested and updated, 0 or 1.
    pub condition_register: u8,
    /// The unit whose result goes to the condition register as well.
    pub update: Option<Unit>,
    /// Clamps both units' results to 0..1.
    pub saturate: bool,
    /// The program ends after this instruction, also inside a call and whether a branch is taken or not.
    pub end: bool,
}

/// The vector unit's half of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    /// The operation.
    pub op: VectorOp,
    /// Temporary that it writes, 0 to 62.
    pub temp: Option<u8>,
    /// Output that it writes, 0 to 15.
    pub output: Option<u8>,
    /// Address register that ARL, ARR and ARA write, 0 or 1.
    pub address: u8,
    /// Components that it writes.
    pub mask: Mask,
    /// Texture unit of TXL, 0 to 3.
    pub texture: u8,
}

impl Vector {
    /// Whether it writes nothing at all.
    #[inline]
    pub const fn is_idle(&self) -> bool {
        !self.op.has_result() && !self.op.writes_address()
    }
}

/// The scalar unit's half of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The operation.
    pub op: ScalarOp,
    /// Temporary that it writes, 0 to 62.
    pub temp: Option<u8>,
    /// Output that it writes, 0 to 15. Only one of the units has one.
    pub output: Option<u8>,
    /// Components that it writes.
    pub mask: Mask,
    /// Where branches and calls go: an index into the program store, 0 to 1023.
    pub target: u16,
    /// Which branch bit BRB and CLB test, 0 to 31.
    pub branch_bit: u8,
    /// The value of the branch bit at which they go.
    pub branch_value: bool,
}

/// One of the two units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The vector unit.
    Vector,
    /// The scalar unit.
    Scalar,
}

/// A source operand: loaded, then swizzled, then made absolute, then negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// Where it is loaded from.
    pub register: Register,
    /// The order of its components.
    pub swizzle: Swizzle,
    /// Clears the signs.
    pub absolute: bool,
    /// Flips the signs.
    pub negate: bool,
}

/// Where a source is loaded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// Nowhere: (0, 0, 0, 0).
    None,
    /// A temporary, 0 to 63.
    Temp(u8),
    /// The instruction's input.
    Input,
    /// The instruction's constant.
    Constant,
}

/// Words whose vector or scalar opcode has no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown vertex instruction {:08x} {:08x} {:08x} {:08x}", words[0], words[1], words[2], words[3])]
pub struct UnknownInstruction {
    /// The words.
    pub words: Words,
}

impl Source {
    /// A source that no operation reads.
    pub const UNUSED: Source = Source::new(Register::None);

    /// The whole register as it is.
    pub const fn new(register: Register) -> Self {
        Source { register, swizzle: Swizzle::IDENTITY, absolute: false, negate: false }
    }

    fn from_bits(bits: u32, absolute: bool) -> Self {
        let bits = [bits];
        let register = match s::TYPE.get(&bits) {
            0 => Register::None,
            1 => Register::Temp(s::TEMP.get(&bits) as u8),
            2 => Register::Input,
            _ => Register::Constant,
        };
        let swizzle = Swizzle::from_reversed(bits[0] >> s::SWZ_W.lo);
        Source { register, swizzle, absolute, negate: s::NEGATE.is_set(&bits) }
    }

    fn bits(&self) -> u32 {
        let mut bits = [self.swizzle.reversed() << s::SWZ_W.lo];
        let (kind, temp) = match self.register {
            Register::None => (0, 0),
            Register::Temp(temp) => (1, temp),
            Register::Input => (2, 0),
            Register::Constant => (3, 0),
        };
        s::TYPE.put(&mut bits, kind);
        s::TEMP.put(&mut bits, temp.into());
        s::NEGATE.put(&mut bits, self.negate.into());
        bits[0]
    }
}

/// The usual encoding of a source that nothing reads: an input, all components in order.
const UNUSED_BITS: u32 = 0x1B02;
/// No temporary.
const NO_TEMP: u32 = 63;
/// No output.
const NO_OUTPUT: u32 = 31;
/// Outputs that exist.
const OUTPUTS: u8 = 16;

/// A field of which one value means none.
fn optional(field: WordField, words: &Words, none: u32) -> Option<u8> {
    let value = field.get(words);
    (value != none).then_some(value as u8)
}

impl Instruction {
    /// Decodes four words.
    ///
    /// # Errors
    /// An opcode that has no row.
    pub fn decode(words: Words) -> Result<Self, UnknownInstruction> {
        let w = &words;
        let vector_op = VectorOp::from_code(f::VEC_OPCODE.get(w)).ok_or(UnknownInstruction { words })?;
        let scalar_op = ScalarOp::from_code(f::SCA_OPCODE.get(w)).ok_or(UnknownInstruction { words })?;
        let sources = [
            (f::SRC0_HIGH.get(w) << 9 | f::SRC0_LOW.get(w), f::SRC0_ABS),
            (f::SRC1.get(w), f::SRC1_ABS),
            (f::SRC2_HIGH.get(w) << 11 | f::SRC2_LOW.get(w), f::SRC2_ABS),
        ];
        let raw = Instruction {
            vector: Vector {
                op: vector_op,
                temp: optional(f::VEC_DST_TEMP, w, NO_TEMP),
                output: optional(f::DST_OUTPUT, w, NO_OUTPUT).filter(|_| f::VEC_RESULT.is_set(w)),
                address: f::VEC_DST_TEMP.get(w) as u8 & 1,
                mask: Mask::from_reversed((w[3] >> f::VEC_MASK_W.lo) as u8 & 0xF),
                texture: f::TXL_UNIT.get(w) as u8,
            },
            scalar: Scalar {
                op: scalar_op,
                temp: optional(f::SCA_DST_TEMP, w, NO_TEMP),
                output: optional(f::DST_OUTPUT, w, NO_OUTPUT).filter(|_| !f::VEC_RESULT.is_set(w)),
                mask: Mask::from_reversed((w[3] >> f::SCA_MASK_W.lo) as u8 & 0xF),
                target: (f::SRC2_ABS.get(w) << 9 | f::SRC2_HIGH.get(w) << 3 | f::IADDR_LOW.get(w)) as u16,
                branch_bit: f::BRANCH_BIT_INDEX.get(w) as u8,
                branch_value: f::BRANCH_BIT_VALUE.is_set(w),
            },
            sources: sources.map(|(bits, absolute)| Source::from_bits(bits, absolute.is_set(w))),
            input: f::INPUT_SRC.get(w) as u8,
            constant: f::CONST_SRC.get(w) as u16,
            relative_input: f::INDEX_INPUT.is_set(w),
            relative_constant: f::INDEX_CONST.is_set(w),
            address_register: f::ADDR_REG_SEL.get(w) as u8,
            address_component: f::ADDR_SWZ.get(w) as u8,
            condition: f::COND_TEST.is_set(w).then(|| Condition {
                test: Test::from_bits(f::COND_MASK.get(w)),
                swizzle: Swizzle::from_reversed(w[0] >> f::COND_SWZ_W.lo),
            }),
            condition_register: f::COND_REG_SEL.get(w) as u8,
            update: None,
            saturate: f::SATURATE.is_set(w),
            end: f::END.is_set(w),
        };
        Ok(raw.without_idle_units().with_update(w).without_idle_fields())
    }

    /// Clears what a unit without a result holds, and outputs that do not exist.
    fn without_idle_units(mut self) -> Self {
        let (vector, scalar) = (&mut self.vector, &mut self.scalar);
        vector.output = vector.output.filter(|&output| output < OUTPUTS);
        scalar.output = scalar.output.filter(|&output| output < OUTPUTS);
        if vector.op.writes_address() {
            (vector.temp, vector.output) = (None, None);
        } else {
            vector.address = 0;
        }
        if vector.is_idle() {
            (vector.temp, vector.output, vector.mask) = (None, None, Mask::NONE);
        }
        if !vector.op.is_texture() {
            vector.texture = 0;
        }
        if !scalar.op.has_result() {
            (scalar.temp, scalar.output) = (None, None);
            if !scalar.op.writes_address() {
                scalar.mask = Mask::NONE;
            }
        }
        if !scalar.op.has_target() {
            scalar.target = 0;
        }
        if !scalar.op.tests_branch_bit() {
            (scalar.branch_bit, scalar.branch_value) = (0, false);
        }
        self
    }

    /// Finds out whose result updates the condition register. With both bits of the words it is the vector unit's
    /// unless that does nothing; with the first bit alone it is that of a unit that writes nothing else (RPCS3).
    /// Address registers have no condition.
    fn with_update(mut self, words: &Words) -> Self {
        let idle = |temp: Option<u8>, output: Option<u8>| temp.is_none() && output.is_none();
        let (vector, scalar) = (&self.vector, &self.scalar);
        let vector_has = vector.op.has_result();
        self.update = match (f::COND_UPDATE0.is_set(words), f::COND_UPDATE1.is_set(words)) {
            (false, _) => None,
            (true, true) if vector_has => Some(Unit::Vector),
            (true, true) => Some(Unit::Scalar).filter(|_| vector.is_idle() && scalar.op.has_result()),
            (true, false) if vector_has && idle(vector.temp, vector.output) => Some(Unit::Vector),
            (true, false) if scalar.op.has_result() && idle(scalar.temp, scalar.output) => Some(Unit::Scalar),
            (true, false) => None,
        };
        self
    }

    /// Clears sources, indices and conditions that nothing depends on.
    fn without_idle_fields(mut self) -> Self {
        for n in 0..3 {
            if !self.reads_source(n) {
                self.sources[n] = Source::UNUSED;
            }
        }
        if !self.reads(Register::Input) {
            (self.input, self.relative_input) = (0, false);
        }
        if !self.reads(Register::Constant) {
            (self.constant, self.relative_constant) = (0, false);
        }
        if !self.relative_input && !self.relative_constant {
            self.address_component = 0;
            let whole = self.scalar.op.selects_address() || self.vector.op.has(flags::SELECTS_ADDRESS);
            self.address_register = if whole { self.address_register } else { 0 };
        }
        let scalar = self.scalar.op;
        let writes = !self.vector.is_idle() || scalar.has_result() || scalar.writes_address();
        let tested = writes || scalar.tests_condition();
        self.condition = self.condition.filter(|condition| condition.test != Test::TRUE && tested);
        if let Some(condition) = &mut self.condition
            && condition.test.is_constant()
        {
            condition.swizzle = Swizzle::IDENTITY;
        }
        if self.update.is_none() && self.condition.is_none_or(|condition| condition.test.is_constant()) {
            self.condition_register = 0;
        }
        self.saturate &= self.vector.op.has_result() || scalar.has_result();
        self
    }

    /// Whether one of the operations reads source `n`.
    #[inline]
    pub fn reads_source(&self, n: usize) -> bool {
        self.vector.op.reads(n) || self.scalar.op.reads(n)
    }

    /// Whether one of the sources that are read is loaded from `register`.
    pub fn reads(&self, register: Register) -> bool {
        (0..3).any(|n| self.reads_source(n) && self.sources[n].register == register)
    }

    /// The words of this instruction. Idle fields are as common writers leave them. The target of a branch takes
    /// precedence over the bits of source 2 that it shares, the texture unit over those of source 1.
    pub fn encode(&self) -> Words {
        let mut words = [0; 4];
        let w = &mut words;
        self.put_sources(w);
        self.put_destinations(w);
        f::VEC_OPCODE.put(w, self.vector.op.code());
        f::SCA_OPCODE.put(w, self.scalar.op.code());
        f::INPUT_SRC.put(w, self.input.into());
        f::CONST_SRC.put(w, self.constant.into());
        f::INDEX_INPUT.put(w, self.relative_input.into());
        f::INDEX_CONST.put(w, self.relative_constant.into());
        f::ADDR_REG_SEL.put(w, self.address_register.into());
        f::ADDR_SWZ.put(w, self.address_component.into());
        f::COND_TEST.put(w, self.condition.is_some().into());
        let condition = self.condition.unwrap_or(Condition::ALWAYS);
        f::COND_MASK.put(w, condition.test.bits());
        w[0] |= condition.swizzle.reversed() << f::COND_SWZ_W.lo;
        f::COND_REG_SEL.put(w, self.condition_register.into());
        f::COND_UPDATE0.put(w, self.update.is_some().into());
        let both = self.update == Some(Unit::Vector) || self.update == Some(Unit::Scalar) && self.vector.is_idle();
        f::COND_UPDATE1.put(w, both.into());
        f::SATURATE.put(w, self.saturate.into());
        f::END.put(w, self.end.into());
        words
    }

    fn put_sources(&self, w: &mut Words) {
        let [a, b, c] = [0, 1, 2].map(|n| if self.reads_source(n) { self.sources[n].bits() } else { UNUSED_BITS });
        f::SRC0_HIGH.put(w, a >> 9);
        f::SRC0_LOW.put(w, a);
        f::SRC1.put(w, b);
        f::SRC2_HIGH.put(w, c >> 11);
        f::SRC2_LOW.put(w, c);
        for (source, field) in self.sources.iter().zip([f::SRC0_ABS, f::SRC1_ABS, f::SRC2_ABS]) {
            field.put(w, source.absolute.into());
        }
        if self.vector.op.is_texture() {
            f::TXL_UNIT.put(w, self.vector.texture.into());
        }
        if self.scalar.op.has_target() {
            let target = u32::from(self.scalar.target);
            f::SRC2_ABS.put(w, target >> 9);
            f::SRC2_HIGH.put(w, target >> 3);
            f::IADDR_LOW.put(w, target);
        }
        if self.scalar.op.tests_branch_bit() {
            f::BRANCH_BIT_INDEX.put(w, self.scalar.branch_bit.into());
            f::BRANCH_BIT_VALUE.put(w, self.scalar.branch_value.into());
        }
    }

    fn put_destinations(&self, w: &mut Words) {
        let (vector, scalar) = (&self.vector, &self.scalar);
        let vector_temp =
            if vector.op.writes_address() { vector.address.into() } else { vector.temp.map_or(NO_TEMP, u32::from) };
        f::VEC_DST_TEMP.put(w, vector_temp);
        f::SCA_DST_TEMP.put(w, scalar.temp.map_or(NO_TEMP, u32::from));
        f::VEC_RESULT.put(w, vector.output.is_some().into());
        f::DST_OUTPUT.put(w, vector.output.or(scalar.output).map_or(NO_OUTPUT, u32::from));
        w[3] |= u32::from(vector.mask.reversed()) << f::VEC_MASK_W.lo;
        w[3] |= u32::from(scalar.mask.reversed()) << f::SCA_MASK_W.lo;
    }
}
