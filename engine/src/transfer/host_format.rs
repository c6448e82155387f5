//! The host's formats of pixels.

use triglyph_guest::kernel::transfer::PixelFields;

use super::format;

/// The host's format of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostFormat {
    /// Bytes R, G, B, A.
    Rgba8,
    /// Bytes B, G, R, A.
    Bgra8,
    /// 16 bits, low byte first: red 15:11, green 10:5, blue 4:0.
    Rgb565,
}

impl HostFormat {
    /// As fields of a word.
    pub(crate) const fn fields(self) -> PixelFields {
        match self {
            HostFormat::Rgba8 => format::A8B8G8R8,
            HostFormat::Bgra8 => format::A8R8G8B8,
            HostFormat::Rgb565 => format::RGB565,
        }
    }

    /// Bytes of a pixel.
    pub const fn bytes(self) -> usize {
        self.fields().bytes as usize
    }
}
