//! Arguments of a texture unit.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::sampler::{LEVELS, LINEAR, Level, PADDING, Shape, Texels, Texture, TextureKey};

/// A texture unit's arguments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TextureArgs {
    /// Addresses of all texels, and of level 0.
    pub texels: *const u32,
    pub first: *const u32,
    pub levels: *const Level,
    pub layer_texels: u32,
    /// Number of the last layer (of the last cube), as float.
    pub last_layer: f32,
    pub last_level: f32,
    pub lod_bias: f32,
    pub lod_min: f32,
    pub lod_max: f32,
    /// Of [`Texels::Rgba8`].
    pub border_word: u32,
    pub border: [f32; 4],
    /// [`LINEAR`].
    pub linear: *const f32,
    pub level_count: u32,
    /// Number of layers in memory, and as the size query reports it.
    pub layers: u32,
    pub counted_layers: u32,
    /// Samples of a pixel, which are layers.
    pub samples: u32,
}

/// Widths, heights and depths of textures are below this: indices are products of 16-bit numbers.
const MAX_SIZE: u32 = 1 << 15;

impl TextureArgs {
    /// Checks that all texels are present and translates the state of a unit.
    pub fn new(key: &TextureKey, texture: &Texture<'_>) -> Result<TextureArgs, Unsupported> {
        let words = key.texels.words() as u64;
        let available = (texture.texels.len() as u64).saturating_sub(PADDING as u64) / words;
        let count = texture.level_count;
        let before = u64::from(texture.layers.saturating_sub(1)) * u64::from(texture.layer_texels);
        let cubes = matches!(key.shape, Shape::Cube | Shape::CubeArray);
        let layers = if cubes { texture.layers / 6 } else { texture.layers };
        if count == 0 || count as usize > LEVELS || layers == 0 || available > 1 << 28 {
            return Err(Unsupported("a texture without texels or with too many"));
        }
        let border = if key.seamless { 2 } else { 0 };
        // Rows of one-dimensional ones are never multiplied.
        let largest = if key.shape == Shape::D1 { 1 << 27 } else { MAX_SIZE };
        let mut power_of_two = true;
        for level in &texture.levels[..count as usize] {
            let [width, height, depth] = [level.width, level.height, level.depth];
            if [width, height, depth].iter().any(|&size| size == 0 || size >= largest) {
                return Err(Unsupported("texture dimensions"));
            }
            let row = u64::from(width) + border;
            if border != 0 && row >= u64::from(MAX_SIZE) {
                return Err(Unsupported("texture dimensions"));
            }
            let texels = row * u64::from(height) * u64::from(depth);
            // A border begins above and ends below.
            let (above, below) = if border == 0 { (0, 0) } else { (row + 1, row - 1) };
            if u64::from(level.offset) < above || before + u64::from(level.offset) + texels + below > available {
                return Err(Unsupported("a texture that is not there whole"));
            }
            power_of_two &= width.is_power_of_two() && height.is_power_of_two() && depth.is_power_of_two();
        }
        if key.power_of_two && !power_of_two {
            return Err(Unsupported("sizes that are no powers of two"));
        }
        let border = texture.border;
        let mut border_word = 0;
        if key.texels == Texels::Rgba8 {
            let bytes = border.map(|v| v as u8);
            if bytes.map(f32::from) != border {
                return Err(Unsupported("a border colour that no texel could have"));
            }
            border_word = u32::from_le_bytes(bytes);
        }
        let first = texture.levels[0].offset as usize * words as usize;
        Ok(TextureArgs {
            texels: texture.texels.as_ptr(),
            first: texture.texels[first..].as_ptr(),
            levels: texture.levels.as_ptr(),
            layer_texels: texture.layer_texels,
            last_layer: (layers - 1) as f32,
            last_level: (count - 1) as f32,
            lod_bias: texture.lod_bias,
            lod_min: texture.lod_min,
            lod_max: texture.lod_max,
            border_word,
            border,
            linear: LINEAR.as_ptr(),
            level_count: count,
            layers: texture.layers,
            counted_layers: layers / texture.samples.max(1),
            samples: texture.samples.max(1),
        })
    }

    /// Offset of field `field` of sampled unit `index`.
    pub const fn at(index: usize, field: usize) -> i32 {
        (index * size_of::<TextureArgs>() + field) as i32
    }
}
