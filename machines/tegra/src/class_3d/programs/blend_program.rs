//! Programs that blend ("iterated blend").

use std::sync::Arc;

use triglyph_guest::kernel::program::blend_program::{
    BlendOperand, BlendOperation, BlendProgram, BlendRoute, BlendStep, Compare, MAX_STEPS,
};
use triglyph_guest::num::F16;
use triglyph_guest::tegra::methods::threed::{self as m, regs as r};

use r::load_iterated_blend_instruction as fields;

use crate::front_end::registers::Registers;

/// The program that registers ask for, of loaded words; those that were never loaded are 0.
pub(crate) fn derive(registers: &Registers, words: &[u32]) -> Option<Arc<BlendProgram>> {
    let control = registers.get(r::set_iterated_blend::ID);
    if !r::set_iterated_blend::enable(control) {
        return None;
    }
    // A step is one pass.
    let count = r::set_iterated_blend_pass::count(registers.get(r::set_iterated_blend_pass::ID)) as usize;
    let words = words.iter().copied().chain(std::iter::repeat(0)).take(count.min(MAX_STEPS));
    let half = |id: usize| F16::decode(registers.get(id) & 0xFFFF).to_bits();
    Some(Arc::new(BlendProgram {
        steps: words.map(step).collect(),
        constants: std::array::from_fn(|n| {
            [
                r::set_iterated_blend_constant_red::id(n),
                r::set_iterated_blend_constant_green::id(n),
                r::set_iterated_blend_constant_blue::id(n),
            ]
            .map(half)
        }),
        alpha: r::set_iterated_blend::alpha_enable(control),
    }))
}

/// An instruction. Codes that do not exist compute the sum of products, and are 0 as operands.
fn step(word: u32) -> BlendStep {
    use m::{BlendMask, BlendPassOutput, BlendProgramOp, BlendSwizzle, BlendTest};
    BlendStep {
        test: match fields::test_cc(word) {
            Some(BlendTest::False) => Compare::Never,
            Some(BlendTest::Eq) => Compare::Equal,
            Some(BlendTest::Ne) => Compare::NotEqual,
            Some(BlendTest::Lt) => Compare::Less,
            Some(BlendTest::Le) => Compare::LessEqual,
            Some(BlendTest::Gt) => Compare::Greater,
            Some(BlendTest::Ge) => Compare::GreaterEqual,
            Some(BlendTest::True) | None => Compare::Always,
        },
        operation: match fields::operation(word) {
            Some(BlendProgramOp::SubProducts) => BlendOperation::SubtractProducts,
            Some(BlendProgramOp::Min) => BlendOperation::Minimum,
            Some(BlendProgramOp::Max) => BlendOperation::Maximum,
            Some(BlendProgramOp::Rcp) => BlendOperation::Reciprocal,
            Some(BlendProgramOp::Add) => BlendOperation::Add,
            Some(BlendProgramOp::Subtract) => BlendOperation::Subtract,
            Some(BlendProgramOp::AddProducts) | None => BlendOperation::AddProducts,
        },
        operands: [first(word >> 9 & 7), second(word >> 12 & 15), first(word >> 16 & 7), second(word >> 19 & 15)],
        constant: fields::constant_input_select(word) as u8,
        route: match fields::output_swizzle(word) {
            Some(BlendSwizzle::Gbr) => BlendRoute::Gbr,
            Some(BlendSwizzle::Rrr) => BlendRoute::Red,
            Some(BlendSwizzle::Ggg) => BlendRoute::Green,
            Some(BlendSwizzle::Bbb) => BlendRoute::Blue,
            Some(BlendSwizzle::RToA) => BlendRoute::RedToAlpha,
            Some(BlendSwizzle::Rgb) | None => BlendRoute::Rgb,
        },
        mask: match fields::output_write_mask(word) {
            Some(BlendMask::ROnly) => 1,
            Some(BlendMask::GOnly) => 2,
            Some(BlendMask::BOnly) => 4,
            Some(BlendMask::Rgb) | None => 7,
        },
        output: match fields::pass_output(word) {
            Some(BlendPassOutput::Temp0) => Some(0),
            Some(BlendPassOutput::Temp1) => Some(1),
            Some(BlendPassOutput::Temp2) => Some(2),
            Some(BlendPassOutput::None) | None => None,
        },
        sets: fields::set_cc(word),
    }
}

/// Operands A and C.
fn first(code: u32) -> BlendOperand {
    use m::BlendOperand as O;
    match O::from_register(code) {
        Some(O::SrcRgb) => BlendOperand::Source,
        Some(O::DestRgb) => BlendOperand::Destination,
        Some(O::SrcAaa) => BlendOperand::SourceAlpha,
        Some(O::DestAaa) => BlendOperand::DestinationAlpha,
        Some(O::Temp0Rgb) => BlendOperand::Register(0),
        Some(O::Temp1Rgb) => BlendOperand::Register(1),
        Some(O::Temp2Rgb) => BlendOperand::Register(2),
        Some(O::PbrRgb) => BlendOperand::Last,
        None => BlendOperand::Zero,
    }
}

/// Operands B and D, whose codes are the same but for the name of the last one.
fn second(code: u32) -> BlendOperand {
    use m::BlendOperandB as O;
    match O::from_register(code) {
        Some(O::Zero) | None => BlendOperand::Zero,
        Some(O::One) => BlendOperand::One,
        Some(O::SrcRgb) => BlendOperand::Source,
        Some(O::SrcAaa) => BlendOperand::SourceAlpha,
        Some(O::OneMinusSrcAaa) => BlendOperand::InverseSourceAlpha,
        Some(O::DestRgb) => BlendOperand::Destination,
        Some(O::DestAaa) => BlendOperand::DestinationAlpha,
        Some(O::OneMinusDestAaa) => BlendOperand::InverseDestinationAlpha,
        Some(O::Temp0Rgb) => BlendOperand::Register(0),
        Some(O::Temp1Rgb) => BlendOperand::Register(1),
        Some(O::Temp2Rgb) => BlendOperand::Register(2),
        Some(O::PbrRgb) => BlendOperand::Last,
        Some(O::ConstantRgb) => BlendOperand::Constant,
        Some(O::ZeroATimesB) => BlendOperand::Nothing,
    }
}
