//! Video instructions: left to the reference.

use triglyph_guest::kernel::Refused;
use triglyph_guest::tegra::shader::isa::*;

use super::{Done, Lower};

impl VideoVisitor for Lower<'_, '_> {
    type Output = Done;

    fn vadd(&mut self, _: VideoAdd) -> Done {
        Err(Refused("video instructions"))
    }

    fn vmnmx(&mut self, _: VideoMinMax) -> Done {
        Err(Refused("video instructions"))
    }

    fn vmad(&mut self, _: VideoMad) -> Done {
        Err(Refused("video instructions"))
    }

    fn vset(&mut self, _: VideoSet) -> Done {
        Err(Refused("video instructions"))
    }

    fn vsetp(&mut self, _: VideoSetPred) -> Done {
        Err(Refused("video instructions"))
    }

    fn vshl(&mut self, _: VideoShift) -> Done {
        Err(Refused("video instructions"))
    }

    fn vshr(&mut self, _: VideoShift) -> Done {
        Err(Refused("video instructions"))
    }

    fn vabsdiff(&mut self, _: VideoAbsDiff) -> Done {
        Err(Refused("video instructions"))
    }

    fn vabsdiff4(&mut self, _: VideoAbsDiff4) -> Done {
        Err(Refused("video instructions"))
    }
}
