//! Pairs of halves: left to the reference.

use triglyph_guest::kernel::Refused;
use triglyph_guest::tegra::shader::isa::*;

use super::{Done, Lower};

impl HalfVisitor for Lower<'_, '_> {
    type Output = Done;

    fn hadd2(&mut self, _: HalfAdd) -> Done {
        Err(Refused("pairs of halves"))
    }

    fn hmul2(&mut self, _: HalfMul) -> Done {
        Err(Refused("pairs of halves"))
    }

    fn hfma2(&mut self, _: HalfFma) -> Done {
        Err(Refused("pairs of halves"))
    }

    fn hset2(&mut self, _: HalfSet) -> Done {
        Err(Refused("pairs of halves"))
    }

    fn hsetp2(&mut self, _: HalfSetPred) -> Done {
        Err(Refused("pairs of halves"))
    }
}
