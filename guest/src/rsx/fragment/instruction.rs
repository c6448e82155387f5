//! One fragment instruction: what its four words mean, and the words for a meaning.
//!
//! Decoding drops what has no effect, as for vertex instructions: two instructions that do the same are equal.

use super::fields::{self as f, flow, source as s};
use super::operand::{Input, Precision, Register, Scale, Source, Temp, UNUSED_BITS, UNUSED_INPUT_BITS};
use super::ops::{FlowOp, Op};
use crate::rsx::operand::{Condition, Mask, Swizzle, Test};
use crate::table::{WordField, flags};

/// The four words of an instruction, in logical order (see [`memory`](super::memory)).
pub type Words = [u32; 4];

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// One that computes.
    Compute(Compute),
    /// One that decides what comes next.
    Flow(Flow),
}

/// An instruction that computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compute {
    /// The operation.
    pub op: Op,
    /// Register that it writes.
    pub destination: Option<Temp>,
    /// Condition register that it writes, 0 or 1.
    pub set_condition: Option<u8>,
    /// Components that it writes.
    pub mask: Mask,
    /// The condition of writes; for KIL of the discard. `None`: none.
    pub condition: Option<Condition>,
    /// Which condition register is tested, 0 or 1.
    pub condition_register: u8,
    /// Sources 0 to 2. One that the operation does not read is [`Source::UNUSED`].
    pub sources: [Source; 3],
    /// The meaning of sources of type input.
    pub input: Input,
    /// Inputs are read without their perspective.
    pub linear: bool,
    /// Texture unit, 0 to 15.
    pub texture: u8,
    /// The texture's result becomes `2 * v - 1`.
    pub expand: bool,
    /// Factor of the result.
    pub scale: Scale,
    /// Clamps the scaled result to 0..1.
    pub saturate: bool,
    /// Precision of the result.
    pub precision: Precision,
    /// An inline constant of four words follows, whether a source that is read is a constant or not.
    pub has_constant: bool,
    /// The program ends after this instruction.
    pub end: bool,
}

/// An instruction of flow control. Offsets count 32-bit words from the start of the program, inline constants included;
/// [`Step`](super::Step) has them as indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flow {
    /// The operation.
    pub op: FlowOp,
    /// On what condition, looked up in component `swizzle[0]` alone; `None`: always.
    pub condition: Option<Condition>,
    /// Which condition register is tested, 0 or 1.
    pub condition_register: u8,
    /// Offset of the else part of IFE, of the code that CAL calls.
    pub target: u32,
    /// Offset after the last instruction of IFE, LOOP and REP.
    pub end_offset: u32,
    /// Passes of LOOP and REP.
    pub count: u8,
    /// First index of LOOP.
    pub init: u8,
    /// The increment of the index for each pass of LOOP.
    pub increment: i8,
    /// The program ends after this instruction.
    pub end: bool,
}

/// Words whose opcode has no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown fragment instruction {:08x} {:08x} {:08x} {:08x}", words[0], words[1], words[2], words[3])]
pub struct UnknownInstruction {
    /// The words.
    pub words: Words,
}

/// The displacement that Mesa and the console's compiler encode in an instruction that reads a texture coordinate.
const IDLE_DISPLACEMENT: u32 = 0x7FC;
/// Input registers that are texture coordinates.
const TEXTURE_COORDINATES: std::ops::Range<u8> = 4..14;

const SOURCES: [WordField; 3] = [f::SRC0, f::SRC1, f::SRC2];
const ABSOLUTES: [WordField; 3] = [f::SRC0_ABS, f::SRC1_ABS, f::SRC2_ABS];
const MODIFIERS: [WordField; 3] = [f::SRC0_PREC_MOD, f::SRC1_PREC_MOD, f::SRC2_PREC_MOD];

/// Whether an inline constant follows the instruction: a source is of that type, read or not.
pub fn has_constant(words: &Words) -> bool {
    !f::OPCODE_BIT6.is_set(words) && SOURCES.iter().any(|source| s::TYPE.get(&[source.get(words)]) == 2)
}

/// The condition of four words, `None` if it always holds, and the number of its register.
fn condition(words: &Words) -> (Option<Condition>, u8) {
    let test = Test::from_bits(words[1] >> f::EXEC_LT.lo);
    let swizzle = Swizzle::from_bits(words[1] >> f::CC_SWZ_X.lo);
    match test {
        Test::TRUE => (None, 0),
        Test::FALSE => (Some(Condition { test, swizzle: Swizzle::IDENTITY }), 0),
        _ => (Some(Condition { test, swizzle }), f::CC_READ_INDEX.get(words) as u8),
    }
}

fn put_condition(words: &mut Words, condition: Option<Condition>, register: u8) {
    let condition = condition.unwrap_or(Condition::ALWAYS);
    words[1] |= condition.test.bits() << f::EXEC_LT.lo | condition.swizzle.bits() << f::CC_SWZ_X.lo;
    f::CC_READ_INDEX.put(words, register.into());
}

impl Instruction {
    /// Does nothing.
    pub const NOP: Instruction = Instruction::Compute(Compute::NOP);

    /// Decodes four words.
    ///
    /// # Errors
    /// An opcode that has no row.
    pub fn decode(words: Words) -> Result<Self, UnknownInstruction> {
        let opcode = f::OPCODE_BIT6.get(&words) << 6 | f::OPCODE_LOW6.get(&words);
        let instruction = match (Op::from_code(opcode), FlowOp::from_code(opcode)) {
            (Some(op), _) => Instruction::Compute(Compute::decode(op, &words)),
            (None, Some(op)) => Instruction::Flow(Flow::decode(op, &words)),
            (None, None) => return Err(UnknownInstruction { words }),
        };
        Ok(instruction)
    }

    /// The words of this instruction. Idle fields are as common writers leave them.
    pub fn encode(&self) -> Words {
        match self {
            Instruction::Compute(compute) => compute.encode(),
            Instruction::Flow(flow) => flow.encode(),
        }
    }

    /// Whether the program ends after this instruction.
    pub fn ends(&self) -> bool {
        match self {
            Instruction::Compute(compute) => compute.end,
            Instruction::Flow(flow) => flow.end,
        }
    }

    /// Whether an inline constant follows.
    pub fn has_constant(&self) -> bool {
        matches!(self, Instruction::Compute(compute) if compute.has_constant)
    }
}

impl Compute {
    /// Does nothing.
    pub const NOP: Compute = Compute {
        op: Op::nop,
        destination: None,
        set_condition: None,
        mask: Mask::NONE,
        condition: None,
        condition_register: 0,
        sources: [Source::UNUSED; 3],
        input: Input::Register(0),
        linear: false,
        texture: 0,
        expand: false,
        scale: Scale::One,
        saturate: false,
        precision: Precision::Full,
        has_constant: false,
        end: false,
    };

    fn decode(op: Op, w: &Words) -> Self {
        let number = f::DST_REG.get(w) as u8;
        let temp = if f::DST_HALF.is_set(w) { Temp::Half(number) } else { Temp::Full(number) };
        let (condition, condition_register) = condition(w);
        let input = match f::USE_INDEX.is_set(w) {
            true => Input::Relative((f::ADDRESS_DISPLACEMENT.get(w) << 5) as i16 >> 5),
            false => Input::Register(f::INPUT_SRC.get(w) as u8),
        };
        let raw = Compute {
            op,
            destination: Some(temp).filter(|_| !f::NO_DEST.is_set(w)),
            set_condition: f::SET_COND.is_set(w).then(|| f::CC_WRITE_INDEX.get(w) as u8),
            mask: Mask::new((w[0] >> f::MASK_X.lo) as u8),
            condition,
            condition_register,
            sources: sources(op, w),
            input,
            linear: f::PERSPECTIVE_DISABLE.is_set(w),
            texture: f::TEX_UNIT.get(w) as u8,
            expand: f::BX2.is_set(w),
            scale: Scale::ALL[f::SCALE.get(w) as usize],
            saturate: f::SATURATE.is_set(w),
            precision: Precision::ALL[f::PRECISION.get(w) as usize],
            has_constant: has_constant(w),
            end: f::END.is_set(w),
        };
        raw.without_idle_fields()
    }

    fn without_idle_fields(mut self) -> Self {
        if !self.reads(Register::Input) {
            (self.input, self.linear) = (Input::Register(0), false);
        }
        if !self.op.is_texture() {
            (self.texture, self.expand) = (0, false);
        }
        if !self.op.has_result() {
            (self.destination, self.set_condition, self.mask) = (None, None, Mask::NONE);
            if !self.op.discards() {
                (self.condition, self.condition_register) = (None, 0);
            }
        }
        if self.destination.is_none() && self.set_condition.is_none() {
            (self.scale, self.saturate, self.precision) = (Scale::One, false, Precision::Full);
        }
        self
    }

    /// Whether the operation reads source `n`.
    #[inline]
    pub fn reads_source(&self, n: usize) -> bool {
        self.sources[n].register != Register::None
    }

    /// Whether one of the sources is loaded from `register`.
    pub fn reads(&self, register: Register) -> bool {
        self.sources.iter().any(|source| source.register == register)
    }

    fn encode(&self) -> Words {
        let mut words = [0; 4];
        let w = &mut words;
        f::OPCODE_LOW6.put(w, self.op.code());
        f::END.put(w, self.end.into());
        let (number, half) = match self.destination {
            Some(Temp::Full(number)) => (number, 0),
            Some(Temp::Half(number)) => (number, 1),
            None => (0, 0),
        };
        f::DST_REG.put(w, number.into());
        f::DST_HALF.put(w, half);
        f::NO_DEST.put(w, (self.destination.is_none() && self.op.has_result()).into());
        f::SET_COND.put(w, self.set_condition.is_some().into());
        f::CC_WRITE_INDEX.put(w, self.set_condition.unwrap_or(0).into());
        w[0] |= u32::from(self.mask.bits()) << f::MASK_X.lo;
        put_condition(w, self.condition, self.condition_register);
        f::TEX_UNIT.put(w, self.texture.into());
        f::BX2.put(w, self.expand.into());
        f::SCALE.put(w, self.scale as u32);
        f::SATURATE.put(w, self.saturate.into());
        f::PRECISION.put(w, self.precision as u32);
        for (n, source) in self.sources.iter().enumerate() {
            SOURCES[n].put(w, source.bits());
            ABSOLUTES[n].put(w, source.absolute.into());
            MODIFIERS[n].put(w, source.modifier.code());
        }
        self.put_input(w);
        if self.has_constant && !has_constant(w) {
            // A source that is not read says so; the last one, because source 1 of TXL and TXB would then be read.
            if let Some(n) = (0..3).rev().find(|&n| !self.reads_source(n)) {
                w[SOURCES[n].word] |= 2;
            }
        }
        words
    }

    fn put_input(&self, w: &mut Words) {
        if !self.reads(Register::Input) {
            return;
        }
        f::PERSPECTIVE_DISABLE.put(w, self.linear.into());
        match self.input {
            Input::Register(number) => {
                f::INPUT_SRC.put(w, number.into());
                if TEXTURE_COORDINATES.contains(&number) {
                    f::ADDRESS_DISPLACEMENT.put(w, IDLE_DISPLACEMENT);
                }
            }
            Input::Relative(displacement) => {
                f::USE_INDEX.put(w, 1);
                f::ADDRESS_DISPLACEMENT.put(w, displacement as u32);
            }
        }
    }
}

/// The sources that `op` reads. A level of detail in source 1 is there only where the source says something.
fn sources(op: Op, w: &Words) -> [Source; 3] {
    let optional = op.has(flags::OPTIONAL_B);
    [0, 1, 2].map(|n| {
        let (bits, absolute, modifier) = (SOURCES[n].get(w), ABSOLUTES[n].is_set(w), MODIFIERS[n].get(w));
        let idle = [UNUSED_BITS, UNUSED_INPUT_BITS].contains(&bits) && !absolute && modifier == 0;
        if !op.reads(n) || n == 1 && optional && idle {
            return Source::UNUSED;
        }
        Source::from_bits(bits, absolute, modifier)
    })
}

impl Flow {
    /// Operation `op` without a condition, everything else zero.
    pub const fn new(op: FlowOp) -> Flow {
        Flow {
            op,
            condition: None,
            condition_register: 0,
            target: 0,
            end_offset: 0,
            count: 0,
            init: 0,
            increment: 0,
            end: false,
        }
    }

    fn decode(op: FlowOp, w: &Words) -> Self {
        let (condition, condition_register) = condition(w);
        let condition = condition.map(|condition| match condition.test {
            Test::FALSE => condition,
            test => Condition { test, swizzle: Swizzle::all(condition.swizzle.0[0]) },
        });
        Flow {
            op,
            condition,
            condition_register,
            target: if op.has_target() { flow::ELSE_OR_CALL_OFFSET.get(w) } else { 0 },
            end_offset: if op.has_end() { flow::END_OFFSET.get(w) } else { 0 },
            count: if op.repeats() { flow::LOOP_COUNT.get(w) as u8 } else { 0 },
            init: if op.has_index() { flow::LOOP_INIT.get(w) as u8 } else { 0 },
            increment: if op.has_index() { flow::LOOP_INCREMENT.get(w) as u8 as i8 } else { 0 },
            end: f::END.is_set(w),
        }
    }

    fn encode(&self) -> Words {
        let mut words = [0, UNUSED_BITS, 0, 0];
        let w = &mut words;
        f::OPCODE_LOW6.put(w, self.op.code());
        f::OPCODE_BIT6.put(w, 1);
        f::END.put(w, self.end.into());
        put_condition(w, self.condition, self.condition_register);
        if self.op.has_target() {
            flow::ELSE_OR_CALL_OFFSET.put(w, self.target);
        }
        if self.op.repeats() {
            flow::LOOP_COUNT.put(w, self.count.into());
            flow::LOOP_INIT.put(w, self.init.into());
            flow::LOOP_INCREMENT.put(w, self.increment as u8 as u32);
        }
        flow::END_OFFSET.put(w, self.end_offset);
        words
    }
}
