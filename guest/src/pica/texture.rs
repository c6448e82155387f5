//! Textures for command lists, and texels as the 3DS stores them.
//!
//! ```
//! use triglyph_guest::pica::{List, Texture, regs, texture};
//!
//! // 8 x 8 texels of red, stored at a physical address of VRAM.
//! let texels = texture::tile_rgba8(8, 8, &[[255, 0, 0, 255]; 64])?;
//! assert_eq!(texels[..4], [255, 0, 0, 255], "alpha, blue, green, red");
//!
//! let red = Texture { mag: regs::TextureFilter::Linear, ..Texture::new(regs::TextureFormat::Rgba8, 8, 8, 0x1800_0000) };
//! let mut list = List::new();
//! list.texture(0, &red).texture_units([true, false, false]);
//! let words = list.finish()?;
//! # assert!(!words.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::list::{List, ListError};
use super::regs::{self, TextureFilter, TextureFormat, TextureType, TextureWrap};
use crate::layout::Block;

/// The smallest width and height of a texture, texels.
pub const MIN_SIZE: u32 = 8;
/// The largest width and height of a texture, texels.
pub const MAX_SIZE: u32 = 1024;

/// A texture of units 0 to 2: where its texels are, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Format of the texels.
    pub format: TextureFormat,
    /// Texels across: a power of two from 8 to 1024.
    pub width: u32,
    /// Texels down: a power of two from 8 to 1024.
    pub height: u32,
    /// Physical address of level 0, a multiple of 8. Smaller levels follow it.
    pub address: u32,
    /// Levels in memory less one, 0 to 7.
    pub max_level: u32,
    /// Filter when magnified.
    pub mag: TextureFilter,
    /// Filter when minified.
    pub min: TextureFilter,
    /// Filter between levels.
    pub mip: TextureFilter,
    /// Coordinates outside of 0 to 1: s, t.
    pub wrap: [TextureWrap; 2],
    /// Colour of the border: red, green, blue, alpha.
    pub border: [u8; 4],
    /// Added to the level of detail, in units of 1/256, -4096 to 4095.
    pub lod_bias: i32,
}

impl Texture {
    /// A texture of one level that repeats, each texel read as it is. `address` is physical.
    pub const fn new(format: TextureFormat, width: u32, height: u32, address: u32) -> Self {
        Texture {
            format,
            width,
            height,
            address,
            max_level: 0,
            mag: TextureFilter::Nearest,
            min: TextureFilter::Nearest,
            mip: TextureFilter::Nearest,
            wrap: [TextureWrap::Repeat; 2],
            border: [0; 4],
            lod_bias: 0,
        }
    }
}

impl List {
    /// Sets the registers of texture unit 0, 1 or 2. [`texture_units`](Self::texture_units) switches units on.
    pub fn texture(&mut self, unit: usize, texture: &Texture) -> &mut Self {
        let &Texture { format, width, height, address, max_level, mag, min, mip, wrap, border, lod_bias } = texture;
        self.limit("texture unit", unit, 2);
        for size in [width, height] {
            self.limit("texture size", size as usize, MAX_SIZE as usize);
            if !size.is_power_of_two() || size < MIN_SIZE {
                self.fail(ListError::TextureSize { size });
            }
        }
        let unit = unit.min(2);
        let [r, g, b, a] = border.map(u32::from);
        // The field is 2 for the compressed formats, as libraries have it.
        let etc = if matches!(format, TextureFormat::Etc1 | TextureFormat::Etc1A4) { 2 } else { 0 };
        let param = regs::tex_param::new().mag(mag).min(min).mip(mip).etc(etc).wrap_s(wrap[0]).wrap_t(wrap[1]);
        let param = if unit == 0 { param.kind(TextureType::D2) } else { param };
        self.set(regs::tex_border::IDS[unit], regs::tex_border::new().r(r).g(g).b(b).a(a));
        self.set(regs::tex_dim::IDS[unit], regs::tex_dim::new().width(width).height(height));
        self.set(regs::tex_param::IDS[unit], param);
        self.set(regs::tex_lod::IDS[unit], regs::tex_lod::new().bias(lod_bias).max(max_level));
        self.set(regs::tex_addr::IDS[unit], regs::tex_addr::new().address(address.into()));
        self.set(regs::tex_format::IDS[unit], regs::tex_format::new().format(format))
    }

    /// Switches texture units 0 to 2 on or off, the procedural texture off, and empties the texture cache.
    pub fn texture_units(&mut self, [unit0, unit1, unit2]: [bool; 3]) -> &mut Self {
        let config = regs::tex_config::new().enable0(unit0).enable1(unit1).enable2(unit2);
        self.set(regs::tex_config::ID, config.one(1).clear_cache(true))
    }
}

/// Texels in rows as the 3DS stores them: tiles of 8 x 8 from left to right and from above, texels of a tile in Morton
/// order. Texture coordinate t is 1 above the first row and 0 below the last one. `texels` are `texel` bytes each.
///
/// # Errors
/// [`ListError::TextureSize`] for a width or a height that is no multiple of 8, [`ListError::Range`] for texels that
/// are not `width` x `height`.
pub fn tile(width: u32, height: u32, texel: usize, texels: &[u8]) -> Result<Vec<u8>, ListError> {
    if let Some(&size) = [width, height].iter().find(|size| !size.is_multiple_of(8)) {
        return Err(ListError::TextureSize { size });
    }
    let bytes = width as usize * height as usize * texel;
    if texels.len() != bytes {
        return Err(ListError::Range { what: "bytes of texels", value: texels.len() as u64, max: bytes as u64 });
    }
    let mut tiled = vec![0; bytes];
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for ((x, y), from) in places.zip(texels.chunks_exact(texel.max(1))) {
        let at = Block::B8.index(x, y, width) as usize * texel;
        tiled[at..at + texel].copy_from_slice(from);
    }
    Ok(tiled)
}

/// Red, green, blue and alpha of texels in rows as a texture of the format RGBA8; see [`tile`].
///
/// # Errors
/// As [`tile`].
pub fn tile_rgba8(width: u32, height: u32, texels: &[[u8; 4]]) -> Result<Vec<u8>, ListError> {
    let reversed: Vec<u8> = texels.iter().flat_map(|[r, g, b, a]| [*a, *b, *g, *r]).collect();
    tile(width, height, 4, &reversed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_are_in_tiles() {
        let texels: Vec<u8> = (0..128).collect();
        let tiled = tile(16, 8, 1, &texels).expect("two tiles");
        assert_eq!(tiled[..8], [0, 1, 16, 17, 2, 3, 18, 19]);
        assert_eq!(tiled[64], 8);
        assert_eq!(tile(12, 8, 1, &texels), Err(ListError::TextureSize { size: 12 }));
        assert!(tile(8, 8, 1, &texels).is_err());
    }

    #[test]
    fn sizes_are_checked() {
        let fails = |unit, texture: &Texture| {
            let mut list = List::new();
            list.texture(unit, texture);
            list.finish().expect_err("a mistake").to_string()
        };
        let texture = Texture::new(TextureFormat::Rgba8, 8, 8, 0x1800_0000);
        assert_eq!(fails(3, &texture), "texture unit 3 is beyond 2");
        assert_eq!(fails(0, &Texture { width: 2048, ..texture }), "texture size 2048 is beyond 1024");
        let odd = "a texture's width and height are powers of two from 8, not 24";
        assert_eq!(fails(0, &Texture { height: 24, ..texture }), odd);
        assert_eq!(fails(1, &Texture { address: 4, ..texture }), "tex_addr: address 0x4 is not a multiple of 0x8");
    }
}
