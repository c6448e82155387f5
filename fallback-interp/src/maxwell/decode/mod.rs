//! Execution of instructions: one visitor of the instruction table, a family a file.

/// Instructions that do nothing here, with their operands.
macro_rules! nothing {
    ($($name:ident: $Operands:ty;)+) => {
        $(fn $name(&mut self, _: $Operands) -> Op {
            self.nothing()
        })+
    };
}

mod attribute;
mod control;
mod convert;
mod float;
mod half;
mod integer;
mod logic;
mod memory;
mod moves;
mod surface;
mod texture;
mod video;
mod warp;

use triglyph_guest::tegra::shader::isa::{Pred, PredSource};
use triglyph_guest::tegra::shader::modifiers::{BoolOp, IntCompare};

use super::lane::Lane;

/// 1.0
const ONE: u32 = 0x3F80_0000;

/// `a op b`
fn join(op: BoolOp, a: bool, b: bool) -> bool {
    match op {
        BoolOp::And | BoolOp::Unknown(_) => a && b,
        BoolOp::Or => a || b,
        BoolOp::Xor => a != b,
    }
}

/// The result of a comparison as a register: 1.0 or all ones.
fn truth(value: bool, one: bool) -> u32 {
    match (value, one) {
        (false, _) => 0,
        (true, false) => u32::MAX,
        (true, true) => ONE,
    }
}

/// Sets both predicates of a comparison.
fn set_both(lane: &mut Lane, dst: Pred, dst_not: Pred, compared: bool, op: BoolOp, with: PredSource) {
    let with = lane.pred(with);
    lane.set_pred(dst, join(op, compared, with));
    lane.set_pred(dst_not, join(op, !compared, with));
}

/// A comparison of integers.
fn compare<T: PartialOrd>(operation: IntCompare, a: T, b: T) -> bool {
    match operation {
        IntCompare::False => false,
        IntCompare::Less => a < b,
        IntCompare::Equal => a == b,
        IntCompare::LessOrEqual => a <= b,
        IntCompare::Greater => a > b,
        IntCompare::NotEqual => a != b,
        IntCompare::GreaterOrEqual => a >= b,
        IntCompare::True => true,
    }
}

/// A comparison of words.
fn compare_words(operation: IntCompare, signed: bool, a: u32, b: u32) -> bool {
    if signed { compare(operation, a as i32, b as i32) } else { compare(operation, a, b) }
}
