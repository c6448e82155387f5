//! Textures as the shared samplers take them ([`crate::kernel::program::sampler`]).
//!
//! ```text
//! image.rs      a texture header as an image in memory
//! unit.rs       a texture header and a sampler as a unit
//! samples.rs    positions of samples in a pixel's cell
//! ```
//! An instruction says the shape it reads and whether it brings a reference; header and sampler say the rest. A unit
//! that compares serves instructions without reference as well.

mod image;
mod samples;
mod unit;

pub use image::{TextureImage, image};
pub use unit::{TextureUnit, unit};

use super::header::texture::{ComponentSource, ComponentType, TextureHeader, TextureKind};
use crate::kernel::program::sampler::{Shape, Source};

/// Why a texture reads 0 in all components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextureProblem {
    /// A header without format. Drivers have such ones for textures that are not there.
    #[error("the texture header is null")]
    Null,
    /// A component has no type, or the format holds coverage.
    #[error("texture format {format:#04x} does not exist with component types {types:?}")]
    Format {
        /// The code of the format.
        format: u32,
        /// Types of r, g, b, a.
        types: [Option<ComponentType>; 4],
    },
    /// The header's dimensions are not those of the instruction.
    #[error("a program reads a texture of kind {kind:?} as {shape:?}")]
    Shape {
        /// The data of the header.
        kind: Option<TextureKind>,
        /// The shape that the instruction reads.
        shape: Shape,
    },
    /// Blocks, levels or samples that do not go together, or more bytes than 32 bits count.
    #[error("the texture header has a layout that does not exist")]
    Layout,
}

/// Whether a header of this kind can be read as `shape`: the texels of two dimensions are the same in images, arrays
/// and cubes, those of one dimension in images and arrays.
fn readable(header: &TextureHeader, shape: Shape) -> bool {
    use TextureKind::*;
    let Some(kind) = header.kind else { return false };
    match shape {
        Shape::D1 | Shape::D1Array => matches!(kind, D1 | D1Array | Buffer),
        Shape::D2 | Shape::D2Array => matches!(kind, D2 | D2NoMipmap | D2Array | Cube | CubeArray),
        Shape::Cube | Shape::CubeArray => {
            matches!(kind, D2Array | Cube | CubeArray) && header.width == header.height && header.layers() >= 6
        }
        Shape::D3 => kind == D3,
    }
}

/// Which component, 0 to 3, a source is.
const fn component(source: Option<ComponentSource>) -> Option<usize> {
    match source {
        Some(ComponentSource::R) => Some(0),
        Some(ComponentSource::G) => Some(1),
        Some(ComponentSource::B) => Some(2),
        Some(ComponentSource::A) => Some(3),
        _ => None,
    }
}

/// The component that is compared: that which x comes from. In depth and stencil formats depth may be red or green; the
/// image of a unit that compares has it in red, and the one that was there in its place.
fn compared(header: &TextureHeader) -> usize {
    component(header.sources[0]).unwrap_or(0)
}

/// Where a component of the result comes from; `exchanged`: the component that is exchanged with red.
fn source(header: &TextureHeader, source: Option<ComponentSource>, exchanged: usize) -> Source {
    const CHANNELS: [Source; 4] = [Source::Red, Source::Green, Source::Blue, Source::Alpha];
    let Some(found) = component(source) else {
        return match source {
            Some(ComponentSource::OneInt) => Source::OneInteger,
            Some(ComponentSource::OneFloat) => Source::One,
            _ => Source::Zero,
        };
    };
    let is_integer = matches!(header.types[found], Some(ComponentType::Sint | ComponentType::Uint));
    match found {
        // Components that a format lacks read 0, alpha 1, in its own type.
        3 if is_integer && !header.format.is_some_and(has_alpha) => Source::OneInteger,
        _ if found == exchanged => CHANNELS[0],
        0 => CHANNELS[exchanged],
        other => CHANNELS[other],
    }
}

/// Whether a format stores alpha.
fn has_alpha(format: super::format::TextureFormat) -> bool {
    match format.row().coding {
        super::format::Coding::Packed(fields) => fields[3].bits != 0,
        _ => false,
    }
}
