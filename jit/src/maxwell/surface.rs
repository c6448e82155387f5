//! Images: left to the reference.

use triglyph_guest::kernel::Refused;
use triglyph_guest::tegra::shader::isa::*;

use super::{Done, Lower};

impl SurfaceVisitor for Lower<'_, '_> {
    type Output = Done;

    fn suld_p(&mut self, _: SurfaceLoad) -> Done {
        Err(Refused("images"))
    }

    fn suld_d(&mut self, _: SurfaceLoadRaw) -> Done {
        Err(Refused("images"))
    }

    fn sust_p(&mut self, _: SurfaceStore) -> Done {
        Err(Refused("images"))
    }

    fn sust_d(&mut self, _: SurfaceStoreRaw) -> Done {
        Err(Refused("images"))
    }

    fn sured_p(&mut self, _: SurfaceReduce) -> Done {
        Err(Refused("images"))
    }

    fn sured_d(&mut self, _: SurfaceReduce) -> Done {
        Err(Refused("images"))
    }

    fn suatom(&mut self, _: SurfaceAtomic) -> Done {
        Err(Refused("images"))
    }

    fn suatom_cas(&mut self, _: SurfaceCas) -> Done {
        Err(Refused("images"))
    }
}
