//! Validates pixel keys of the 3DS.

use super::{InvalidKey, Validate, check, each};
use crate::format::DepthFormat;
use crate::kernel::combine::{Source, Stage};
use crate::kernel::pixel::{PixelKey, TextureKey};
use crate::kernel::procedural::ProceduralKey;

/// Slots of a vertex record.
const SLOTS: u8 = 64;
/// Texture units, the procedural one included.
pub(super) const UNITS: u8 = 4;

/// Whether slots of a vertex record exist.
pub(super) fn slots(slots: &[u8]) -> Result<(), InvalidKey> {
    check(slots.iter().all(|slot| *slot < SLOTS), "a varying slot does not exist")
}

impl Validate for PixelKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        slots(&self.color_slots)?;
        each(&self.textures)?;
        each(&self.combiners.stages)?;
        check(self.color_mask < 16, "there are four colour channels")?;
        let without_stencil = self.depth_format.is_some_and(|format| format != DepthFormat::D24S8);
        check(self.stencil.is_none() || !without_stencil, "the depth buffer has no stencil to test")?;
        each(self.lighting.as_deref())?;
        each(&self.procedural)
    }
}

impl Validate for TextureKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        slots(&self.coordinates)
    }
}

impl Validate for ProceduralKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        slots(&self.coordinates)
    }
}

impl Validate for Stage {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.color_shift <= 2 && self.alpha_shift <= 2, "a combiner scales by 1, 2 or 4")?;
        let colors = self.color_operands.iter().map(|operand| operand.source);
        let mut sources = colors.chain(self.alpha_operands.iter().map(|operand| operand.source));
        let exists = |source| !matches!(source, Source::Texture(unit) if unit >= UNITS);
        check(sources.all(exists), "a combiner reads a texture unit that does not exist")
    }
}
