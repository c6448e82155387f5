//! From a PRESENT to a picture: RGBA, 8 bits a channel, top row first.

use super::format::Present;
pub use super::layout::Layout;
use super::layout::Shape;
use triglyph_engine::device::Device;
use triglyph_engine::error::Error;
use triglyph_guest::listed;

/// Largest width and height of a picture, in pixels.
pub const MAX_EDGE: u32 = 16384;
/// Most pixels of a picture.
pub const MAX_PIXELS: u64 = 1 << 26;
/// Most guest memory that a picture may span, in bytes.
pub const MAX_EXTENT: u64 = 512 << 20;

listed! {
    /// The pixel formats of PRESENT.
    pub enum Format: u32 {
        /// 4 bytes: A, B, G, R.
        Rgba8 = 1,
        /// 3 bytes: B, G, R.
        Bgr8 = 2,
        /// 16 bits: R 15:11, G 10:5, B 4:0.
        Rgb565 = 3,
        /// 16 bits: R 15:11, G 10:6, B 5:1, A 0.
        Rgb5A1 = 4,
        /// 16 bits: R 15:12, G 11:8, B 7:4, A 3:0.
        Rgba4 = 5,
        /// 32 bits: A 31:24, R 23:16, G 15:8, B 7:0.
        A8R8G8B8 = 6,
        /// 32 bits: A 31:24, B 23:16, G 15:8, R 7:0.
        A8B8G8R8 = 7,
        /// Four 16-bit floats, R first; 0 to 1 becomes 0 to 255, rounded to nearest.
        R16G16B16A16F = 8,
        /// As [`Self::A8R8G8B8`] without alpha.
        X8R8G8B8 = 9,
        /// As [`Self::A8B8G8R8`] without alpha.
        X8B8G8R8 = 10,
    }
}

impl Format {
    /// Bytes of one pixel.
    pub const fn bytes(self) -> u32 {
        match self {
            Format::Bgr8 => 3,
            Format::Rgb565 | Format::Rgb5A1 | Format::Rgba4 => 2,
            Format::R16G16B16A16F => 8,
            _ => 4,
        }
    }

    /// Whether it stores alpha; without it alpha is 255.
    pub const fn has_alpha(self) -> bool {
        !matches!(self, Format::Bgr8 | Format::Rgb565 | Format::X8R8G8B8 | Format::X8B8G8R8)
    }

    /// One pixel from its first [`Self::bytes`] bytes (missing ones count as 0).
    fn decode(self, bytes: &[u8], big_endian: bool) -> [u8; 4] {
        let byte = |index: usize| bytes.get(index).copied().unwrap_or(0);
        let half = |index: usize| match big_endian {
            true => u16::from_be_bytes([byte(index), byte(index + 1)]),
            false => u16::from_le_bytes([byte(index), byte(index + 1)]),
        };
        let word = || [byte(0), byte(1), byte(2), byte(3)];
        // Most significant byte first.
        let word = || if big_endian { word() } else { u32::from_le_bytes(word()).to_be_bytes() };
        match self {
            Format::Rgba8 => [byte(3), byte(2), byte(1), byte(0)],
            Format::Bgr8 => [byte(2), byte(1), byte(0), 255],
            Format::Rgb565 => {
                let v = half(0);
                [widen(v >> 11, 5), widen(v >> 5, 6), widen(v, 5), 255]
            }
            Format::Rgb5A1 => {
                let v = half(0);
                [widen(v >> 11, 5), widen(v >> 6, 5), widen(v >> 1, 5), widen(v, 1)]
            }
            Format::Rgba4 => {
                let v = half(0);
                [widen(v >> 12, 4), widen(v >> 8, 4), widen(v >> 4, 4), widen(v, 4)]
            }
            Format::A8R8G8B8 => {
                let [a, r, g, b] = word();
                [r, g, b, a]
            }
            Format::A8B8G8R8 => {
                let [a, b, g, r] = word();
                [r, g, b, a]
            }
            Format::X8R8G8B8 => {
                let [_, r, g, b] = word();
                [r, g, b, 255]
            }
            Format::X8B8G8R8 => {
                let [_, b, g, r] = word();
                [r, g, b, 255]
            }
            Format::R16G16B16A16F => [0, 2, 4, 6].map(|index| half_to_unorm(half(index))),
        }
    }
}

/// Repeats the low `bits` (1 to 8) bits of `value` until they fill 8.
fn widen(value: u16, bits: u32) -> u8 {
    let value = u32::from(value) & ((1 << bits) - 1);
    let mut wide = 0;
    let mut filled = 0;
    while filled < 8 {
        wide = wide << bits | value;
        filled += bits;
    }
    (wide >> (filled - 8)) as u8
}

/// A 16-bit float, clamped to 0..1, as 8 bits, to nearest; NaN is 0.
fn half_to_unorm(half: u16) -> u8 {
    let (exponent, mantissa) = (half >> 10 & 31, half & 1023);
    if half >> 15 != 0 || (exponent == 31 && mantissa != 0) {
        return 0;
    }
    let value = match exponent {
        0 => f32::from(mantissa) / (1 << 24) as f32,
        15.. => 1.0,
        _ => f32::from(1024 + mantissa) / (1u32 << (25 - exponent)) as f32,
    };
    (value * 255.0 + 0.5) as u8
}

/// A picture: `width * height` pixels, RGBA, 8 bits a channel, top row first.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub rgba: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.width, self.height)
    }
}

impl Picture {
    /// Reads the picture that a PRESENT names from a device's memory, after all work has finished.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a PRESENT that describes no picture, [`Error::Unmapped`] when it is not all in
    /// mapped memory.
    pub fn read(device: &mut dyn Device, present: &Present, big_endian: bool) -> Result<Self, Error> {
        let mut bytes = vec![0; Plan::new(present)?.extent()];
        device.read(present.at, &mut bytes)?;
        Self::decode(present, big_endian, &bytes)
    }

    /// Builds the picture from the [`extent`](Self::extent) bytes at the PRESENT's address. Bytes that are missing
    /// count as 0.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a PRESENT that describes no picture.
    pub fn decode(present: &Present, big_endian: bool, bytes: &[u8]) -> Result<Self, Error> {
        let Plan { format, shape } = Plan::new(present)?;
        let mut rgba = Vec::with_capacity(4 * (shape.width * shape.height) as usize);
        for y in 0..shape.height {
            for x in 0..shape.width {
                let pixel = bytes.get(shape.offset(x, y) as usize..).unwrap_or(&[]);
                rgba.extend(format.decode(pixel, big_endian));
            }
        }
        Ok(Picture { width: present.width, height: present.height, rgba })
    }

    /// How many bytes from its address on a PRESENT's picture spans, at most [`MAX_EXTENT`].
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a PRESENT that describes no picture.
    pub fn extent(present: &Present) -> Result<usize, Error> {
        Ok(Plan::new(present)?.extent())
    }

    /// The pixel at (`x`, `y`), `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let at = 4 * (y as usize * self.width as usize + x as usize);
        self.rgba.get(at..)?.first_chunk().copied()
    }

    /// The picture as a PNG file, with or without its alpha channel.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the sizes do not agree with the pixels.
    pub fn to_png(&self, alpha: bool) -> Result<Vec<u8>, Error> {
        let failed = |error: png::EncodingError| Error::InvalidArgument(format!("a picture that is no PNG: {error}"));
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(failed)?;
        match alpha {
            true => writer.write_image_data(&self.rgba),
            false => {
                let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
                writer.write_image_data(&rgb)
            }
        }
        .map_err(failed)?;
        writer.finish().map_err(failed)?;
        Ok(file)
    }
}

/// A PRESENT found to make sense.
struct Plan {
    format: Format,
    shape: Shape,
}

impl Plan {
    fn new(present: &Present) -> Result<Self, Error> {
        let Present { format, width, height, pitch, layout, .. } = *present;
        let bad = |what: String| Err(Error::InvalidArgument(what));
        let Some(format) = Format::from_number(format) else {
            return bad(format!("unknown picture format {format}"));
        };
        let Some(layout) = Layout::from_number(layout) else {
            return bad(format!("unknown picture layout {layout:#x}"));
        };
        let pixels = u64::from(width) * u64::from(height);
        if width == 0 || height == 0 || width > MAX_EDGE || height > MAX_EDGE || pixels > MAX_PIXELS {
            return bad(format!("a picture of {width}x{height} pixels"));
        }
        let row = match layout {
            Layout::Lcd => height,
            Layout::Swizzled { .. } => 0,
            _ => width,
        } * format.bytes();
        if pitch < row {
            return bad(format!("a pitch of {pitch} bytes is less than the {row} of a row"));
        }
        let shape = Shape {
            layout,
            width: width.into(),
            height: height.into(),
            pitch: pitch.into(),
            bytes_per_pixel: format.bytes().into(),
        };
        let extent = shape.extent();
        if extent > MAX_EXTENT || present.at.address.checked_add(extent).is_none() {
            return bad(format!("a picture that spans {extent:#x} bytes at {:#x}", present.at.address));
        }
        Ok(Plan { format, shape })
    }

    fn extent(&self) -> usize {
        self.shape.extent() as usize
    }
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
