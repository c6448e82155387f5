//! The environment of a warp's lanes.

use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::environment::{Environment, Image};
use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::tegra::shader::isa::{Constant, IpaSample, OutKind, PixldMode, SpecialRegister};

use super::lane::Lane;

/// State that instructions access beside their lanes.
pub struct Context<'a> {
    /// Memory, constants, textures.
    pub environment: &'a Environment<'a>,
    /// How the textures are set up.
    pub textures: &'a [Option<TextureKey>],
    /// How the images are set up.
    pub images: &'a [Option<ImageKey>],
    /// The program's stage.
    pub stage: &'a mut dyn Surroundings,
    /// Instructions that the warp has executed.
    pub executed: u32,
}

/// An attribute access.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// The patch's words, not a vertex's.
    pub patch: bool,
    /// Of the outputs.
    pub output: bool,
    /// Byte address, of any size.
    pub address: u32,
    /// The vertex, if one is specified.
    pub vertex: Option<u32>,
}

impl Attribute {
    /// The word `index` words further on, in its space.
    pub fn word(&self, index: u8) -> u8 {
        let word = (self.address.wrapping_add(4 * u32::from(index)) >> 2) as u8;
        if self.patch { word & 0x7F } else { word }
    }
}

/// Stage-specific state. By default reads give 0 and writes are ignored.
pub trait Surroundings {
    /// A special register that not every stage has.
    fn special(&self, lane: &Lane, register: SpecialRegister) -> u32 {
        let _ = (lane, register);
        0
    }
    /// A word of an attribute.
    fn load(&self, lane: &Lane, attribute: &Attribute, word: u8) -> u32 {
        let _ = (lane, attribute, word);
        0
    }
    /// Stores a word of an attribute.
    fn store(&mut self, lane: &Lane, attribute: &Attribute, word: u8, value: u32) {
        let _ = (lane, attribute, word, value);
    }
    /// Appends a vertex, ends a strip.
    fn emit(&mut self, kind: OutKind, stream: u8) {
        let _ = (kind, stream);
    }
    /// An interpolated word.
    fn interpolate(&self, lane: &Lane, word: u8, place: InterpolationPoint) -> Interpolated {
        let _ = (lane, word, place);
        Interpolated::Bits(0)
    }
    /// The result of PIXLD.
    fn pixel_info(&self, lane: &Lane, mode: PixldMode, sample: u32) -> u32 {
        let _ = (lane, mode, sample);
        0
    }
    /// Whether the lanes are a quad of pixels.
    fn is_quad(&self) -> bool {
        false
    }
    /// Whether KIL has any effect.
    fn kills(&self) -> bool {
        false
    }
    /// The block's memory.
    fn shared(&mut self) -> &mut [u8] {
        &mut []
    }
}

/// Location of an interpolation.
#[derive(Clone, Copy, Debug)]
pub struct InterpolationPoint {
    /// The sampling mode.
    pub sample: IpaSample,
    /// The distance from the pixel's centre, in 1/4096 pixel.
    pub offset: [i16; 2],
}

/// The result of an interpolation.
#[derive(Clone, Copy, Debug)]
pub enum Interpolated {
    /// A number.
    Value {
        /// The value at the location.
        value: f32,
        /// The bits of the provoking vertex.
        flat: u32,
    },
    /// Bits that are not interpolated.
    Bits(u32),
}

impl Context<'_> {
    /// A word of a constant buffer; 0 beyond the end.
    #[inline]
    pub fn constant(&self, constant: Constant) -> u32 {
        match self.environment.constants.get(usize::from(constant.slot)) {
            Some(buffer) => buffer.read_word(constant.offset.into(), 4),
            None => 0,
        }
    }

    /// Texture `index` of the key.
    pub fn texture(&self, index: usize) -> Option<(&TextureKey, &Texture<'_>)> {
        self.textures.get(index)?.as_ref().zip(self.environment.textures.get(index))
    }

    /// Image `index` of the key.
    pub fn image(&self, index: usize) -> Option<(&ImageKey, &Image<'_>)> {
        self.images.get(index)?.as_ref().zip(self.environment.images.get(index))
    }
}
