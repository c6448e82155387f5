//! Validates texture and image units of programs.

use super::{InvalidKey, Validate, check};
use crate::kernel::program::environment::ImageKey;
use crate::kernel::program::sampler::{Reduction, Shape, Texels, TextureKey};

impl Validate for TextureKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        use Shape::{Cube, CubeArray, D2, D2Array};
        let is_cube = matches!(self.shape, Cube | CubeArray);
        check(is_cube || !self.seamless, "only cubes are filtered across edges")?;
        let most = if is_cube || matches!(self.shape, D2 | D2Array) { 16 } else { 1 };
        let fits = match self.reduction {
            Reduction::Rounded => self.texels == Texels::Rgba8 && self.compare.is_none(),
            Reduction::Halves | Reduction::Words => self.texels == Texels::Float4 && self.compare.is_none(),
            Reduction::Average | Reduction::Minimum | Reduction::Maximum => true,
        };
        check(fits, "only bytes, or floats, are filtered in steps of such numbers")?;
        check((1..=most).contains(&self.anisotropy), "1 to 16 taps are taken, of shapes with two axes")
    }
}

impl Validate for ImageKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        self.format.validate()?;
        self.layout.validate()
    }
}
