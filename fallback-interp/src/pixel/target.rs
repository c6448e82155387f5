//! The surfaces a pixel is written to.

use triglyph_guest::format::{DepthFormat, PixelFormat};
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::pixel::{PixelKey, Target};

use super::Color;

/// A pixel's place in the colour and in the depth buffer.
pub(super) struct Pixel<'m> {
    target: Target<'m>,
    color_format: Option<PixelFormat>,
    depth_format: Option<DepthFormat>,
    /// Channels that are written, bit 0 = r.
    mask: u8,
    /// Index in stored order.
    index: usize,
}

impl<'m> Pixel<'m> {
    /// Pixel `x` of stored row `row`.
    pub(super) fn new(key: &PixelKey, target: &Target<'m>, x: u32, row: u32) -> Self {
        Pixel {
            target: *target,
            color_format: key.color_format,
            depth_format: key.depth_format,
            mask: key.color_mask & 15,
            index: key.block.index(x, row, target.width) as usize,
        }
    }

    /// Whether [`Self::store_color`] would write anything.
    pub(super) fn writes_color(&self) -> bool {
        self.color_format.is_some() && self.mask != 0
    }

    /// The stored colour; transparent black without a colour buffer.
    pub(super) fn color(&self) -> Color {
        self.color_format.map_or([0; 4], |format| {
            let bytes = format.bytes();
            format.decode(self.target.color.read_word(self.offset(bytes), bytes))
        })
    }

    /// Stores the channels of `color` that are not masked off; the others are as in `destination`.
    pub(super) fn store_color(&self, color: Color, destination: Color) {
        if let Some(format) = self.color_format {
            let written = |channel: usize| self.mask & 1 << channel != 0;
            let color = std::array::from_fn(|c| if written(c) { color[c] } else { destination[c] });
            let bytes = format.bytes();
            self.target.color.write_word(self.offset(bytes), bytes, format.encode(color));
        }
    }

    /// Stores a colour as it is, whatever the mask says.
    pub(super) fn store_all(&self, color: Color) {
        if let Some(format) = self.color_format {
            let bytes = format.bytes();
            self.target.color.write_word(self.offset(bytes), bytes, format.encode(color));
        }
    }

    /// The largest depth that is stored; `None` without a depth buffer.
    pub(super) fn depth_max(&self) -> Option<u32> {
        self.depth_format.map(DepthFormat::max)
    }

    /// Stored depth and, with [`DepthFormat::D24S8`], stencil.
    pub(super) fn depth_stencil(&self) -> (u32, u8) {
        let Some((format, window)) = self.depth_window() else { return (0, 0) };
        let word = window.read_word(0, format.bytes());
        (word & format.max(), (word >> 24) as u8)
    }

    /// Stores a depth value, leaving the stencil byte alone.
    pub(super) fn store_depth(&self, depth: u32) {
        if let Some((format, window)) = self.depth_window() {
            let bytes = if format == DepthFormat::D16 { 2 } else { 3 };
            window.write_word(0, bytes, depth);
        }
    }

    /// Stores a stencil value, leaving the depth bytes alone.
    pub(super) fn store_stencil(&self, stencil: u8) {
        if let Some((DepthFormat::D24S8, window)) = self.depth_window() {
            window.write(3, &[stencil]);
        }
    }

    /// Stores the 24-bit depth of a shadow map's pixel, most significant byte first.
    pub(super) fn store_shadow_depth(&self, depth: u32) {
        let [_, bytes @ ..] = depth.to_be_bytes();
        self.target.color.write(self.offset(4), &bytes);
    }

    /// Stores the light that comes through at a shadow map's pixel.
    pub(super) fn store_shadow_light(&self, light: u8) {
        self.target.color.write(self.offset(4) + 3, &[light]);
    }

    fn depth_window(&self) -> Option<(DepthFormat, Window<'m>)> {
        let format = self.depth_format?;
        Some((format, self.target.depth.from(self.offset(format.bytes()))))
    }

    fn offset(&self, bytes: u32) -> usize {
        self.index * bytes as usize
    }
}
