//! Pixel, texel, vertex and depth formats: one row each.

pub mod block;
pub mod depth;
pub mod image;
pub mod pixel;
pub mod texel;

pub use depth::DepthFormat;
pub use image::{Arrangement, BlockCoding, Coding, Form, ImageLayout, LevelLayout};
pub use pixel::PixelFormat;
pub use texel::TexelFormat;
