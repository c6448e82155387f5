//! Random textures and images of programs, with handles.

use std::sync::atomic::{AtomicU8, Ordering};

use triglyph_guest::kernel::maxwell::{Unit, UnitUse};
use triglyph_guest::kernel::program::environment::{Image, ImageKey};
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat};
use triglyph_guest::kernel::program::random_texture::{RandomTexture, random_unit};
use triglyph_guest::kernel::program::sampler::{Shape, Texture, TextureKey};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::shader::isa::decode;

use super::shapes;

/// An image and what its memory holds when a program begins.
pub struct TestImage {
    pub key: ImageKey,
    pub bytes: Vec<u8>,
    image: Image<'static>,
}

/// The textures and surfaces of a program.
#[derive(Default)]
pub struct Units {
    pub textures: Vec<(TextureKey, RandomTexture)>,
    pub images: Vec<TestImage>,
    /// Of textures, then of images: small numbers, some of them twice.
    pub handles: Vec<u32>,
}

/// The memory of all images during a run.
pub struct ImageMemory(Vec<Vec<AtomicU8>>);

impl ImageMemory {
    /// Its result.
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(|bytes| bytes.iter().map(|byte| byte.load(Ordering::Relaxed)).collect()).collect()
    }
}

fn at(shift: u8, bits: u8) -> Bits {
    Bits { shift, bits }
}

fn format(word: u32) -> ColorFormat {
    use Channel::{Absent, Float, Ones, Sint, Snorm, Srgb, Uint, Unorm, Zeros};
    let (bytes, channels) = match word % 12 {
        0 => (16, [0, 32, 64, 96].map(|shift| Float(at(shift, 32)))),
        1 => (16, [0, 32, 64, 96].map(|shift| Uint(at(shift, 32)))),
        2 => (8, [0, 16, 32, 48].map(|shift| Float(at(shift, 16)))),
        3 => (8, [0, 16, 32, 48].map(|shift| Sint(at(shift, 16)))),
        4 => (4, [0, 8, 16, 24].map(|shift| Unorm(at(shift, 8)))),
        5 => (4, [Srgb(at(0, 8)), Srgb(at(8, 8)), Srgb(at(16, 8)), Unorm(at(24, 8))]),
        6 => (4, [Float(at(0, 11)), Float(at(11, 11)), Float(at(22, 10)), Absent]),
        7 => (4, [Uint(at(0, 10)), Uint(at(10, 10)), Uint(at(20, 10)), Uint(at(30, 2))]),
        8 => (4, [Sint(at(0, 32)), Absent, Absent, Absent]),
        9 => (2, [Unorm(at(0, 5)), Unorm(at(5, 6)), Unorm(at(11, 5)), Absent]),
        10 => (2, [Snorm(at(0, 8)), Snorm(at(8, 8)), Absent, Absent]),
        _ => (4, [Unorm(at(0, 8)), Zeros(at(8, 8)), Ones(at(16, 8)), Snorm(at(24, 8))]),
    };
    ColorFormat { bytes, swap: 1, channels }
}

impl TestImage {
    fn new(word: &mut impl FnMut() -> u32) -> TestImage {
        let format = format(word());
        let layout = match word() % 4 {
            0 => SurfaceLayout::Pitch,
            1 => SurfaceLayout::Swizzled { log2_width: 3, log2_height: 3 },
            _ => SurfaceLayout::BlockLinear { log2_gobs: (word() % 2) as u8 },
        };
        let (width, height, depth) = (1 + word() % 8, 1 + word() % 8, 1 + word() % 3);
        let pitch = match layout {
            SurfaceLayout::BlockLinear { .. } => (8 * u32::from(format.bytes)).div_ceil(64),
            _ => 8 * u32::from(format.bytes),
        };
        // Sometimes memory ends early.
        let length = if word().is_multiple_of(4) { 200 + word() % 300 } else { 6000 };
        let image = Image {
            window: Window::default(),
            pitch,
            width,
            height,
            depth,
            log2_depth: (word() % 2) as u8,
            layers: 1 + word() % 3,
            layer_bytes: u64::from(1500 + word() % 64),
        };
        let bytes = (0..length).map(|_| word() as u8).collect();
        TestImage { key: ImageKey { shape: Shape::D2Array, format, layout }, bytes, image }
    }
}

impl Units {
    /// Some of each.
    pub fn new(textures: usize, images: usize, word: &mut impl FnMut() -> u32) -> Units {
        let handles = (0..textures + images).map(|_| word() % 6).collect();
        let textures = (0..textures).map(|_| random_unit(word)).collect();
        let images = (0..images).map(|_| TestImage::new(word)).collect();
        Units { textures, images, handles }
    }

    /// Keys of the textures.
    pub fn texture_keys(&self) -> Vec<Option<TextureKey>> {
        self.textures.iter().map(|(key, _)| Some(*key)).collect()
    }

    /// Keys of the images.
    pub fn image_keys(&self) -> Vec<Option<ImageKey>> {
        self.images.iter().map(|image| Some(image.key)).collect()
    }

    /// The textures of a job.
    pub fn job_textures(&self) -> Vec<Texture<'_>> {
        self.textures.iter().map(|(_, texture)| texture.texture()).collect()
    }

    /// Memory for a run.
    pub fn memory(&self) -> ImageMemory {
        ImageMemory(self.images.iter().map(|image| window::buffer(&image.bytes)).collect())
    }

    /// The images of a job.
    pub fn job_images<'m>(&self, memory: &'m ImageMemory) -> Vec<Image<'m>> {
        let all = self.images.iter().zip(&memory.0);
        all.map(|(image, bytes)| Image { window: Window::new(bytes), ..image.image }).collect()
    }

    /// Units for the instructions of a program: ones that fit, some known only when the program runs, some without.
    pub fn uses(&self, words: &[u64], word: &mut impl FnMut() -> u32) -> Vec<UnitUse> {
        let mut uses = Vec::new();
        for (n, &code) in words.iter().enumerate().filter(|(n, _)| n % 4 != 0) {
            let surface = decode(code).is_some_and(|op| op.info().family == "SurfaceVisitor");
            let wanted = shapes(code);
            let fitting: Vec<Unit> = match surface {
                true => (0..self.images.len()).map(|n| Unit::Image(n as u8)).collect(),
                false => (0..self.textures.len())
                    .filter(|&n| wanted.contains(&self.textures[n].0.shape))
                    .map(|n| Unit::Texture(n as u8))
                    .collect(),
            };
            if !surface && wanted.is_empty() || word().is_multiple_of(12) {
                continue;
            }
            let dynamic = word().is_multiple_of(4) || fitting.is_empty();
            let unit = if dynamic { Unit::Dynamic } else { fitting[word() as usize % fitting.len()] };
            uses.push(UnitUse { address: 8 * n as u32, unit });
        }
        uses
    }
}
