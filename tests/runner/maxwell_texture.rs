//! Textures and images of shader programs of Tegra X1.
//!
//! `tex0 = d2 4 2`: shape and sizes (layers after them), then any of `linear`, `mip` (as many levels as fit), `compare`
//! (less), `integer`, `signalling`, `rgba8`, `edge` (clamped to the edge, not repeated). Texel (x, y, z) of layer l and
//! level m is (x, y, z + l, m) as floats or integers, as payloads of signalling NaNs from 1 on, or as bytes; width and
//! height are those of level 0. `image0 = d2 4 2`: shape and sizes, then `rgba8` (otherwise words), `raw` layouts are
//! pitch, or `blocks`; byte i is i at first. Handles are 0x100 + n of textures, 0x200 + n of images.

use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::program::environment::{Image, ImageKey};
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat};
use triglyph_guest::kernel::program::sampler::{
    Compare, Filter, LEVELS, Level, PADDING, Rounding, Shape, Texels, Texture, TextureKey, Wrap,
};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::layout::SurfaceLayout;

use crate::parse::integer;
use triglyph_testkit::fragment::NEAREST;

/// A texture and what it is set up as.
#[derive(Clone)]
struct Filled {
    key: TextureKey,
    texels: Vec<u32>,
    levels: [Level; LEVELS],
    level_count: u32,
    layer_texels: u32,
    layers: u32,
}

/// An image and its sizes.
#[derive(Clone)]
struct Sized {
    key: ImageKey,
    width: u32,
    height: u32,
    depth: u32,
    layers: u32,
}

/// The textures and images of a case.
#[derive(Default)]
pub struct Units {
    textures: Vec<Filled>,
    images: Vec<Sized>,
}

fn shape(name: &str) -> Result<(Shape, usize), String> {
    Ok(match name {
        "d1" => (Shape::D1, 1),
        "d2" => (Shape::D2, 2),
        "d3" => (Shape::D3, 3),
        "cube" => (Shape::Cube, 2),
        "a1d" => (Shape::D1Array, 1),
        "a2d" => (Shape::D2Array, 2),
        other => return Err(format!("no shape `{other}`")),
    })
}

/// The shape and sizes that a setting begins with, and the words after them.
struct Sizes<'a> {
    shape: Shape,
    size: [u32; 3],
    layers: u32,
    options: Vec<&'a str>,
}

fn sizes(value: &str) -> Result<Sizes<'_>, String> {
    let mut words = value.split_whitespace();
    let (shape, axes) = shape(words.next().unwrap_or(""))?;
    let mut number = || integer(words.next().unwrap_or(""));
    let mut size = [1; 3];
    for axis in &mut size[..axes] {
        *axis = number()?;
    }
    let layers = match shape {
        Shape::D1Array | Shape::D2Array => number()?,
        Shape::Cube => 6,
        _ => 1,
    };
    Ok(Sizes { shape, size, layers, options: words.collect() })
}

impl Units {
    /// Reads a setting if it is one of these. They come in the order of their numbers.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        if key == format!("tex{}", self.textures.len()) {
            self.textures.push(texture(value)?);
        } else if key == format!("image{}", self.images.len()) {
            self.images.push(image(value)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub fn texture_keys(&self) -> Vec<Option<TextureKey>> {
        self.textures.iter().map(|texture| Some(texture.key)).collect()
    }

    pub fn image_keys(&self) -> Vec<Option<ImageKey>> {
        self.images.iter().map(|image| Some(image.key)).collect()
    }

    pub fn textures(&self) -> Vec<Texture<'_>> {
        let texture = |texture| {
            let Filled { texels, levels, level_count, layer_texels, layers, .. }: &Filled = texture;
            Texture {
                texels,
                layer_texels: *layer_texels,
                layers: *layers,
                level_count: *level_count,
                levels: *levels,
                lod_max: 15.0,
                ..Texture::default()
            }
        };
        self.textures.iter().map(texture).collect()
    }

    pub fn handles(&self) -> Vec<u32> {
        let textures = (0x100..).take(self.textures.len());
        textures.chain((0x200..).take(self.images.len())).collect()
    }

    /// The bytes of the images.
    pub fn surfaces(&self) -> Vec<Vec<AtomicU8>> {
        let bytes = |image: &Sized| (0..image.bytes()).map(|i| i as u8).collect::<Vec<_>>();
        self.images.iter().map(|image| window::buffer(&bytes(image))).collect()
    }

    /// The images on their bytes.
    pub fn bound<'a>(&self, surfaces: &'a [Vec<AtomicU8>]) -> Vec<Image<'a>> {
        let image = |(image, bytes): (&Sized, &'a Vec<AtomicU8>)| Image {
            window: Window::new(bytes),
            pitch: image.pitch(),
            width: image.width,
            height: image.height,
            depth: image.depth,
            log2_depth: 0,
            layers: image.layers,
            layer_bytes: u64::from(image.layer_bytes()),
        };
        self.images.iter().zip(surfaces).map(image).collect()
    }
}

impl Sized {
    /// Bytes or GOBs of a row.
    fn pitch(&self) -> u32 {
        let bytes = self.width * u32::from(self.key.format.bytes);
        if self.key.layout == SurfaceLayout::Pitch { bytes } else { bytes.div_ceil(64) }
    }

    fn layer_bytes(&self) -> u32 {
        match self.key.layout {
            SurfaceLayout::Pitch => self.pitch() * self.height * self.depth,
            _ => self.pitch() * 512 * self.height.div_ceil(8) * self.depth,
        }
    }

    fn bytes(&self) -> u32 {
        self.layer_bytes() * self.layers
    }
}

fn texture(value: &str) -> Result<Filled, String> {
    let Sizes { shape, size, layers, options } = sizes(value)?;
    let has = |name| options.contains(&name);
    let known = ["linear", "mip", "compare", "integer", "signalling", "rgba8", "edge"];
    if let Some(other) = options.iter().find(|option| !known.contains(option)) {
        return Err(format!("no option `{other}`"));
    }
    let filter = if has("linear") { Filter::Linear } else { Filter::Nearest };
    let texel_form = if has("rgba8") { Texels::Rgba8 } else { Texels::Float4 };
    let key = TextureKey {
        shape,
        texels: texel_form,
        magnify: filter,
        minify: filter,
        mipmap: has("mip").then_some(filter),
        compare: has("compare").then_some(Compare::Less),
        wrap: if has("edge") { [Wrap::ClampToEdge; 3] } else { NEAREST.wrap },
        rounding: Rounding::Subtexels,
        ..NEAREST
    };
    let last = size.iter().max().map_or(0, |most| most.ilog2());
    let level_count = if has("mip") { last + 1 } else { 1 };
    let mut levels = [Level::default(); LEVELS];
    let mut layer_texels = 0;
    for number in 0..LEVELS as u32 {
        let shown = number.min(level_count - 1);
        let [width, height, depth] = size.map(|size| (size >> shown).max(1));
        if number < level_count {
            levels[number as usize] = Level { offset: layer_texels, width, height, depth };
            layer_texels += width * height * depth;
        } else {
            levels[number as usize] = levels[level_count as usize - 1];
        }
    }
    let mut texels = Vec::new();
    for layer in 0..layers {
        for (number, level) in levels[..level_count as usize].iter().enumerate() {
            for at in 0..level.width * level.height * level.depth {
                let (x, y, z) = (at % level.width, at / level.width % level.height, at / level.width / level.height);
                let channels = [x, y, z + layer, number as u32];
                match () {
                    () if has("rgba8") => texels.push(u32::from_le_bytes(channels.map(|channel| channel as u8))),
                    () if has("integer") => texels.extend(channels),
                    () if has("signalling") => texels.extend(channels.map(|channel| 0x7F80_0001 + channel)),
                    () => texels.extend(channels.map(|channel| (channel as f32).to_bits())),
                }
            }
        }
    }
    texels.extend([0; PADDING]);
    Ok(Filled { key, texels, levels, level_count, layer_texels, layers })
}

fn image(value: &str) -> Result<Sized, String> {
    let Sizes { shape, size: [width, height, depth], layers, options } = sizes(value)?;
    let channel = |shift| Channel::Unorm(Bits { shift, bits: 8 });
    let channels = match options.contains(&"rgba8") {
        true => [0, 8, 16, 24].map(channel),
        false => [Channel::Uint(Bits { shift: 0, bits: 32 }), Channel::Absent, Channel::Absent, Channel::Absent],
    };
    let layout = match options.contains(&"blocks") {
        true => SurfaceLayout::BlockLinear { log2_gobs: 0 },
        false => SurfaceLayout::Pitch,
    };
    let key = ImageKey { shape, format: ColorFormat { bytes: 4, swap: 1, channels }, layout };
    Ok(Sized { key, width, height, depth, layers })
}
