//! An image on a texture unit.

use std::sync::Arc;

use triglyph_guest::kernel::program::sampler::Texture;

use crate::cache::image::{DecodedImage, ImageSource};

/// An image on a texture unit, with the values of its sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureBinding {
    /// The image.
    pub image: Arc<ImageSource>,
    /// Added to the level of detail.
    pub lod_bias: f32,
    /// Range of the level of detail.
    pub lod_range: [f32; 2],
    /// Border colour r, g, b, a in the texels' scale.
    pub border: [f32; 4],
}

impl TextureBinding {
    /// The image as kernels take it, with the values of the sampler.
    pub fn texture<'a>(&self, image: &'a DecodedImage) -> Texture<'a> {
        Texture {
            lod_bias: self.lod_bias,
            lod_min: self.lod_range[0],
            lod_max: self.lod_range[1],
            border: self.border,
            ..image.texture()
        }
    }
}
