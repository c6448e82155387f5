//! Formats by their codes in registers and headers: one row each.
//!
//! ```text
//! color.rs      colour targets, surfaces of the 2D class
//! zeta.rs       depth and stencil targets
//! vertex.rs     vertex attributes
//! texture.rs    texture headers
//! ```
//! Sources: NVIDIA's class headers for codes and names, deko3d, Mesa and envytools for positions. A texel is
//! little-endian: bit 0 is the lowest bit of its first byte. Names list components from the most significant one to the
//! least, except where underscores part them.

mod color;
mod texture;
mod vertex;
mod zeta;

pub use color::ColorFormat;
pub use texture::{Coding, TextureFormat, TextureRow};
pub use vertex::{VertexFormat, VertexRow, VertexType};
pub use zeta::{ZetaFormat, ZetaRow};

use crate::kernel::program::output::{Bits, Channel};
use crate::table::formats::formats;

const fn at(shift: u8, bits: u8) -> Bits {
    Bits { shift, bits }
}

const fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(at(shift, bits))
}

const fn snorm(shift: u8, bits: u8) -> Channel {
    Channel::Snorm(at(shift, bits))
}

const fn srgb(shift: u8, bits: u8) -> Channel {
    Channel::Srgb(at(shift, bits))
}

const fn uint(shift: u8, bits: u8) -> Channel {
    Channel::Uint(at(shift, bits))
}

const fn sint(shift: u8, bits: u8) -> Channel {
    Channel::Sint(at(shift, bits))
}

const fn float(shift: u8, bits: u8) -> Channel {
    match bits {
        32 => Channel::Float(at(shift, bits)),
        _ => Channel::FloatCut(at(shift, bits)),
    }
}
