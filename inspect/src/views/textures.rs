//! Textures: their pictures as samplers read them, their descriptions and samplers.

use std::sync::atomic::AtomicU8;

use serde::Serialize;
use triglyph::Machine;
use triglyph::capture::Picture;
use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::program::sampler::{self, Convert, Shape, TextureKey};
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_guest::table::WordField;
use triglyph_guest::tegra::header::texture::{ComponentType, TextureHeader};
use triglyph_guest::tegra::header::{sampler as tsc, texture};
use triglyph_interp::pixel::texel;
use triglyph_interp::program::sampler::TextureUnit;

use super::inputs::{Form, Inputs, Texture};
use crate::layouts;
use crate::names::Names;
use triglyph_guest::table::show_fields;

/// Pixels of the largest picture; larger levels have none.
const MAX_PIXELS: u64 = 1 << 24;

/// A texture in an answer.
#[derive(Serialize)]
pub struct Line {
    stage: String,
    unit: u32,
    handle: Option<u32>,
    /// First address and size of each range.
    ranges: Vec<(String, u64)>,
    form: String,
    /// Width, height, slices of each level.
    levels: Vec<[u32; 3]>,
    /// Layers, faces or samples.
    layers: u32,
    /// How it is sampled.
    sampler: Vec<(&'static str, String)>,
    /// What describes it: registers, or the fields of its header and its sampler.
    words: Vec<(String, u32, String)>,
}

/// Lines for the textures of an event.
pub fn lines(machine: Machine, class: u32, inputs: &Inputs) -> Vec<Line> {
    let line = |texture: &Texture| Line {
        stage: texture.stage.clone(),
        unit: texture.unit,
        handle: texture.handle,
        ranges: texture.ranges.iter().map(|range| (format!("{:#x}", range.start.address), range.size)).collect(),
        form: form(texture),
        levels: (0..texture.levels()).map(|level| texture.size(level)).collect(),
        layers: texture.layers(),
        sampler: sampler_state(&texture.form),
        words: words(machine, class, inputs, texture),
    };
    inputs.textures.iter().map(line).collect()
}

impl Texture {
    /// How many levels it has.
    pub fn levels(&self) -> u32 {
        match &self.form {
            Form::Tiled(source) => source.levels,
            Form::Image(_, binding) => binding.image.layout.levels.len() as u32,
        }
    }

    /// Texels across and down, and slices, of a level.
    pub fn size(&self, level: u32) -> [u32; 3] {
        match &self.form {
            Form::Tiled(source) => {
                let (width, height) = source.level(level);
                [width, height, 1]
            }
            Form::Image(_, binding) => binding.image.layout.levels.get(level as usize).map_or([0; 3], |l| l.size),
        }
    }

    /// Layers: of cubes faces, with samples these.
    pub fn layers(&self) -> u32 {
        match &self.form {
            Form::Tiled(source) => source.face_count,
            Form::Image(_, binding) => binding.image.layout.decoded_layers(),
        }
    }

    /// Size, format and arrangement, in words.
    pub fn text(&self) -> String {
        form(self)
    }

    /// How it is sampled, as kernels have it: properties and their values, in words. The 3DS's is in its registers
    /// alone.
    pub fn sampler(&self) -> Vec<(&'static str, String)> {
        sampler_state(&self.form)
    }

    /// Whether the bytes of all ranges are there.
    fn has_all_bytes(&self) -> bool {
        let sizes = self.bytes.iter().map(|bytes| bytes.len() as u64);
        sizes.eq(self.ranges.iter().map(|range| range.size))
    }

    /// Whether its texels are integers.
    fn is_integer(&self) -> bool {
        let header = self.descriptors.and_then(|(words, _)| TextureHeader::decode(&words).ok());
        let is_integer = |kind: &Option<ComponentType>| matches!(kind, Some(ComponentType::Sint | ComponentType::Uint));
        header.is_some_and(|header| header.types.iter().any(is_integer))
    }

    /// A texel as programs see it, without filters, comparison and conversion to signed numbers: r, g, b, a. The
    /// texels of the texture must have been asked for.
    pub fn texel(&self, [x, y, z]: [u32; 3], layer: u32, level: u32) -> [f32; 4] {
        Sampled::new(self, level).map_or([0.0; 4], |sampled| sampled.texel([x, y, z], layer))
    }

    /// The picture of a slice of a layer of a level: colours limited to 0..1, of integers the lowest byte. `None` if
    /// there is no such picture.
    pub fn picture(&self, level: u32, layer: u32, slice: u32) -> Option<Picture> {
        let [width, height, depth] = self.size(level);
        let is_there = level < self.levels() && layer < self.layers() && slice < depth;
        if !is_there || u64::from(width) * u64::from(height) > MAX_PIXELS {
            return None;
        }
        let sampled = Sampled::new(self, level)?;
        let is_integer = self.is_integer();
        let mut rgba = Vec::with_capacity(4 * (width * height) as usize);
        for y in 0..height {
            for x in 0..width {
                let texel = sampled.texel([x, y, slice], layer);
                let byte = |value: f32| match is_integer {
                    true => value.to_bits() as u8,
                    false => (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
                };
                rgba.extend(texel.map(byte));
            }
        }
        Some(Picture { width, height, rgba })
    }
}

impl Inputs {
    /// What describes one of the textures, of a command of a class: the registers of its unit, or on the Tegra X1 the
    /// words of its header and its sampler. Each has its name, its word and the word's fields, in words.
    pub fn descriptors_of(&self, machine: Machine, class: u32, texture: &Texture) -> Vec<(String, u32, String)> {
        words(machine, class, self, texture)
    }
}

/// A level of a texture, ready to be read by the reference.
enum Sampled<'a> {
    Tiled { format: TexelFormat, faces: Vec<Vec<AtomicU8>>, width: u32 },
    Image { key: TextureKey, texture: Box<sampler::Texture<'a>>, level: u32 },
}

impl<'a> Sampled<'a> {
    fn new(texture: &'a Texture, level: u32) -> Option<Self> {
        match &texture.form {
            Form::Tiled(source) => {
                // Texels that are left out would be read as zeros.
                if !texture.has_all_bytes() {
                    return None;
                }
                let skipped: u32 = (0..level).map(|k| source.level(k)).map(|(w, h)| source.format.size(w, h)).sum();
                let face = |bytes: &Vec<u8>| buffer(bytes.get(skipped as usize..).unwrap_or_default());
                let faces = texture.bytes.iter().map(face).collect();
                Some(Sampled::Tiled { format: source.format, faces, width: texture.size(level)[0] })
            }
            Form::Image(key, binding) => {
                // Coordinates are those of the image itself: faces are layers, and signed texels have 0 in the middle.
                let shape = match key.shape {
                    Shape::Cube | Shape::CubeArray => Shape::D2Array,
                    shape => shape,
                };
                let key = TextureKey { shape, convert: [Convert::None; 4], ..*key };
                Some(Sampled::Image { key, texture: Box::new(binding.texture(texture.image.as_deref()?)), level })
            }
        }
    }

    fn texel(&self, [x, y, z]: [u32; 3], layer: u32) -> [f32; 4] {
        match self {
            Sampled::Tiled { format, faces, width } => {
                let Some(face) = faces.get(layer as usize) else { return [0.0; 4] };
                texel(*format, Window::new(face), x, y, *width).map(|value| f32::from(value) / 255.0)
            }
            Sampled::Image { key, texture, level } => {
                let unit = TextureUnit { key, texture };
                unit.fetch([x, y, z].map(|at| at as i32), layer, *level as i32)
            }
        }
    }
}

/// A texture in a line.
fn form(texture: &Texture) -> String {
    let [width, height, depth] = texture.size(0);
    match &texture.form {
        Form::Tiled(source) => format!("{width}x{height} {:?}, tiled", source.format),
        Form::Image(key, binding) => {
            let layout = &binding.image.layout;
            let arrangement =
                layout.levels.first().map_or_else(String::new, |level| layouts::level(&level.arrangement));
            let size = if depth > 1 { format!("{width}x{height}x{depth}") } else { format!("{width}x{height}") };
            let coding = match layout.coding {
                triglyph_guest::format::Coding::Packed(_) => format!("packed, as {:?}", key.texels),
                coding => format!("{coding:?}"),
            };
            format!("{:?} {size}, {coding}, {arrangement}", key.shape)
        }
    }
}

/// How a texture is sampled, as kernels have it.
fn sampler_state(form: &Form) -> Vec<(&'static str, String)> {
    let Form::Image(key, binding) = form else { return Vec::new() };
    let filter = |filter: &dyn std::fmt::Debug| format!("{filter:?}");
    vec![
        ("wrap s, t, r", filter(&key.wrap)),
        ("magnify", filter(&key.magnify)),
        ("minify", filter(&key.minify)),
        ("between levels", key.mipmap.map_or_else(|| "level 0 alone".to_owned(), |mipmap| filter(&mipmap))),
        ("level of detail", format!("{:?} + {}", binding.lod_range, binding.lod_bias)),
        ("anisotropy", key.anisotropy.to_string()),
        ("compare", key.compare.map_or_else(|| "no".to_owned(), |compare| filter(&compare))),
        ("swizzle", filter(&key.swizzle)),
        ("border", format!("{:?}", binding.border)),
    ]
}

/// What describes a texture, by names.
fn words(machine: Machine, class: u32, inputs: &Inputs, texture: &Texture) -> Vec<(String, u32, String)> {
    if let Some((header, sampler)) = &texture.descriptors {
        let mut all = descriptor("TIC", header, &header_fields(header));
        if let (Some(first), Err(error)) = (all.first_mut(), TextureHeader::decode(header)) {
            first.2 = format!("{error}; {}", first.2);
        }
        all.extend(descriptor("TSC", sampler, tsc::fields::FIELDS));
        return all;
    }
    let unit = texture.unit;
    let is_of_unit = |name: &str| match (machine, &*texture.stage) {
        (Machine::N3ds, _) => name.starts_with(&format!("tex{unit}_")),
        (_, "vertex") => name.starts_with("set_vertex_texture_") && name.ends_with(&format!("[{unit}]")),
        _ => name.starts_with("set_texture_") && name.ends_with(&format!("[{unit}]")),
    };
    let names = Names(machine);
    let register = |(register, &word): (usize, &u32)| {
        let (name, fields) = names.find(class, names.method_of(register))?;
        is_of_unit(&name.to_ascii_lowercase()).then(|| (name, word, show_fields(fields, word)))
    };
    inputs.registers.iter().enumerate().filter_map(register).collect()
}

/// The fields of a header that are of its kind.
fn header_fields(header: &texture::Words) -> Vec<WordField> {
    use texture::fields as f;
    let (buffer, colour_key) = match f::HEADER_VERSION.get(header) {
        0 => (true, false),
        1 | 4 => (false, true),
        _ => (false, false),
    };
    let block_linear = f::HEADER_VERSION.get(header) >= 3;
    let fits = |field: &&WordField| match field.name {
        "ADDRESS_BITS31TO0" | "WIDTH_MINUS_ONE_BITS31TO16" | "WIDTH_MINUS_ONE_BITS15TO0" => buffer,
        "WIDTH_MINUS_ONE" => !buffer,
        "ADDRESS_BITS31TO5" | "PITCH_BITS20TO5" => !buffer && !block_linear,
        "ADDRESS_BITS31TO9" | "GOB_DEPTH_OFFSET" | "TILE_WIDTH_IN_GOBS" | "GOB3D" => block_linear,
        name if name.starts_with("GOBS_PER_BLOCK") => block_linear,
        "COLOR_KEY_OP" | "COLOR_KEY_VALUE" => colour_key,
        name if name.starts_with("RES_VIEW") || matches!(name, "MULTI_SAMPLE_COUNT" | "MIN_LOD_CLAMP") => !colour_key,
        _ => true,
    };
    f::FIELDS.iter().filter(fits).copied().collect()
}

/// The words of a descriptor with their fields.
fn descriptor(name: &str, words: &[u32; 8], fields: &[WordField]) -> Vec<(String, u32, String)> {
    let mut all: Vec<(String, u32, String)> = Vec::new();
    for (number, &word) in words.iter().enumerate() {
        let of_word = fields.iter().filter(|field| field.word == number);
        let text: Vec<String> =
            of_word.map(|field| format!("{} {}", field.name.to_lowercase(), field.get(words))).collect();
        all.push((format!("{name}[{number}]"), word, text.join(", ")));
    }
    all
}
