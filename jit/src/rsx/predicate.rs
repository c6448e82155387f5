//! Tests of condition registers.

use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::operand::Test;

use crate::lane::{Emit, F32x4, Mask};

/// In which lanes something happens.
#[derive(Clone, Copy, Debug)]
pub enum Predicate {
    Never,
    Always,
    Lanes(Mask),
}

impl Predicate {
    /// Of a test whose outcome does not depend on a register.
    pub fn constant(test: Test) -> Option<Predicate> {
        match test {
            Test::TRUE => Some(Predicate::Always),
            Test::FALSE => Some(Predicate::Never),
            _ => None,
        }
    }

    /// The lanes in which a test that is not constant holds for `value`.
    pub fn test(e: &mut Emit<'_>, test: Test, value: F32x4) -> Predicate {
        let zero = e.f(0.0);
        Predicate::Lanes(match test {
            Test::LESS => e.lt(value, zero),
            Test::EQUAL => e.feq(value, zero),
            Test::LESS_EQUAL => e.le(value, zero),
            Test::GREATER => e.lt(zero, value),
            Test::GREATER_EQUAL => e.le(zero, value),
            // NOT_EQUAL, also for NaN.
            _ => e.fne(value, zero),
        })
    }
}
