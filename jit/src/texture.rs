//! Texture decoding.

/// Decodes textures to `0xRRGGBBAA` words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder;
