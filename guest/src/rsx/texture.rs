//! Textures of fragment programs for push buffers.
//!
//! ```
//! use triglyph_guest::rsx::enums::{MagFilter, TextureLocation};
//! use triglyph_guest::rsx::texel::TextureFormat;
//! use triglyph_guest::rsx::{PushBuffer, Texture};
//!
//! // 64 x 64 texels in rows of 256 bytes, at an offset in local memory.
//! let texture = Texture::rows(TextureFormat::A8R8G8B8, 64, 64, 256, TextureLocation::Local, 0x90_0000);
//! let mut push = PushBuffer::new();
//! push.texture(0, &Texture { mag: MagFilter::Linear, ..texture });
//! # assert!(push.finish().is_ok());
//! ```

use super::enums::{MagFilter, MinFilter, RemapFrom, RemapKind, TextureDimension, TextureLocation, Wrap};
use super::methods::curie as m;
use super::push::PushBuffer;
use super::texel::TextureFormat;

/// A texture of a fragment program: where its texels are, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Texture {
    /// Format of the texels.
    pub format: TextureFormat,
    /// Memory that the texels are in.
    pub location: TextureLocation,
    /// Offset of the texels in that memory, bytes.
    pub offset: u32,
    /// Texels across, 1 to 4096.
    pub width: u32,
    /// Texels down, 1 to 4096.
    pub height: u32,
    /// Bytes from row to row; `None` for texels in Morton order, whose width and height are powers of two.
    pub pitch: Option<u32>,
    /// Levels in memory, 1 to 13.
    pub levels: u32,
    /// Filter when minified.
    pub min: MinFilter,
    /// Filter when magnified.
    pub mag: MagFilter,
    /// Coordinates outside of 0 to 1: s, t.
    pub wrap: [Wrap; 2],
    /// Where red, green, blue and alpha of the result come from.
    pub remap: [RemapFrom; 4],
    /// Colour of the border: red, green, blue, alpha.
    pub border: [u8; 4],
}

/// The largest width and height of a texture, texels.
pub const MAX_SIZE: u32 = 4096;

impl Texture {
    /// A texture of one level in rows of `pitch` bytes that repeats, each texel read as it is.
    pub const fn rows(
        format: TextureFormat,
        width: u32,
        height: u32,
        pitch: u32,
        location: TextureLocation,
        offset: u32,
    ) -> Self {
        Texture {
            format,
            location,
            offset,
            width,
            height,
            pitch: Some(pitch),
            levels: 1,
            min: MinFilter::Nearest,
            mag: MagFilter::Nearest,
            wrap: [Wrap::Repeat; 2],
            remap: [RemapFrom::R, RemapFrom::G, RemapFrom::B, RemapFrom::A],
            border: [0; 4],
        }
    }
}

impl PushBuffer {
    /// Sets up texture unit 0 to 15 and switches it on.
    pub fn texture(&mut self, unit: usize, texture: &Texture) -> &mut Self {
        let &Texture { format, location, offset, width, height, pitch, levels, min, mag, wrap, remap, border } =
            texture;
        self.limit("texture unit", unit, m::set_texture_offset::COUNT - 1);
        self.limit("texture size", width.max(height) as usize, MAX_SIZE as usize);
        let unit = unit % m::set_texture_offset::COUNT;
        let shape = m::set_texture_format::new().location(location).no_border(true).dimension(TextureDimension::D2);
        let shape = shape.format(format).linear(pitch.is_some()).is_format(true).levels(levels);
        let [r, g, b, a] = border.map(u32::from);
        let [r_from, g_from, b_from, a_from] = remap;
        let from = m::set_texture_control1::new().r_from(r_from).g_from(g_from).b_from(b_from).a_from(a_from);
        let kind = RemapKind::Remap;
        let max_lod = levels.saturating_sub(1) << 8;
        self.set(m::set_texture_offset::id(unit), m::set_texture_offset::new().offset(offset));
        self.set(m::set_texture_format::id(unit), shape);
        let address = m::set_texture_address::new().wrap_s(wrap[0]).wrap_t(wrap[1]).wrap_r(Wrap::ClampToEdge);
        self.set(m::set_texture_address::id(unit), address);
        self.set(m::set_texture_control0::id(unit), m::set_texture_control0::new().max_lod(max_lod).enable(true));
        self.set(m::set_texture_control1::id(unit), from.r_kind(kind).g_kind(kind).b_kind(kind).a_kind(kind));
        self.set(m::set_texture_filter::id(unit), m::set_texture_filter::new().min(min).mag(mag));
        self.set(m::set_texture_image_rect::id(unit), m::set_texture_image_rect::new().width(width).height(height));
        let color = m::set_texture_border_color::new().r(r).g(g).b(b).a(a);
        self.set(m::set_texture_border_color::id(unit), color);
        let pitch = m::set_texture_control3::new().pitch(pitch.unwrap_or(0)).depth(1);
        self.set(m::set_texture_control3::id(unit), pitch)
    }

    /// Switches texture unit 0 to 15 off.
    pub fn texture_off(&mut self, unit: usize) -> &mut Self {
        self.limit("texture unit", unit, m::set_texture_offset::COUNT - 1);
        let unit = unit % m::set_texture_offset::COUNT;
        self.set(m::set_texture_control0::id(unit), m::set_texture_control0::new().enable(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_sizes_are_checked() {
        let fails = |unit, texture: &Texture| {
            let mut push = PushBuffer::new();
            push.texture(unit, texture);
            push.finish().expect_err("a mistake").to_string()
        };
        let texture = Texture::rows(TextureFormat::A8R8G8B8, 64, 64, 256, TextureLocation::Main, 0);
        assert_eq!(fails(16, &texture), "texture unit 16 is beyond 15");
        assert_eq!(fails(0, &Texture { width: 4097, ..texture }), "texture size 4097 is beyond 4096");
        assert_eq!(fails(0, &Texture { levels: 16, ..texture }), "set_texture_format: levels 16 is not 0 to 15");
    }
}
