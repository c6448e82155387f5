//! Transfer kernels: fills, copies, conversions and changes of layout.

use super::window::Window;
use crate::format::PixelFormat;
use crate::layout::{Block, LayoutKind, SurfaceLayout};
use borsh::{BorshDeserialize, BorshSerialize};

/// The key of a transfer kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum TransferKey {
    /// Repeats the low `bytes` (2, 3 or 4) bytes of a value.
    Fill {
        /// Bytes of the pattern.
        bytes: u8,
    },
    /// Copies lines with gaps.
    Copy,
    /// Converts an image.
    Convert(ConvertKey),
    /// Moves units from one layout to another.
    Rearrange(RearrangeKey),
    /// Stores bits of a value in every unit of a rectangle.
    FillRect(FillRectKey),
    /// Makes rows of pixels from rows of texels of another image.
    Resample(ResampleKey),
    /// Writes pixels in another format.
    Repack(RepackKey),
    /// Makes rows of pixels from twice as many texels of two rows.
    Halve(ResampleKey),
}

/// Formats of pixels that are written in another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct RepackKey {
    /// Format of the source.
    pub input: PixelFields,
    /// Format of the target.
    pub output: PixelFields,
    /// Where the source's pixels are.
    pub layout: PixelLayout,
}

impl RepackKey {
    /// Whether there are such formats, in that layout.
    pub fn is_sound(&self) -> bool {
        let fits = self.layout == PixelLayout::Rows || matches!(self.input.bytes, 2 | 4);
        self.input.is_sound() && self.output.is_sound() && fits
    }
}

/// Where pixels of some rows are that get another format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum PixelLayout {
    /// In rows without gaps.
    Rows,
    /// In a row of GOBs, [`gob_offset`](crate::layout::surface::gob_offset); pixels of 2 or 4 bytes.
    Gobs,
}

/// A format of pixels as fields of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct PixelFields {
    /// Bytes of a word: 2, 3 or 4.
    pub bytes: u8,
    /// Whether the first byte in memory is the highest of the word, instead of the lowest.
    pub big_endian: bool,
    /// Red, green, blue, alpha.
    pub channels: [BitField; 4],
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BitField {
    /// The lowest one.
    pub shift: u8,
    /// How many, at most 8; 0 where there is no such channel.
    pub bits: u8,
}

impl PixelFields {
    /// A format whose channels are (lowest bit, bits): red, green, blue, alpha.
    pub const fn new(bytes: u8, channels: [(u8, u8); 4]) -> Self {
        let [r, g, b, a] = channels;
        const fn field((shift, bits): (u8, u8)) -> BitField {
            BitField { shift, bits }
        }
        PixelFields { bytes, big_endian: false, channels: [field(r), field(g), field(b), field(a)] }
    }

    /// The same in the other byte order.
    pub const fn big_endian(self) -> Self {
        PixelFields { big_endian: true, ..self }
    }

    /// Whether there is such a format.
    pub fn is_sound(&self) -> bool {
        let within =
            |field: &BitField| field.bits <= 8 && u32::from(field.shift) + u32::from(field.bits) <= self.width();
        (2..=4).contains(&self.bytes) && self.channels.iter().all(within)
    }

    fn width(&self) -> u32 {
        8 * u32::from(self.bytes)
    }
}

/// The key of resampling: the source of each byte of a pixel, the first one in memory first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ResampleKey {
    /// Bytes of the pixel.
    pub bytes: [ByteSource; 4],
}

/// The source of a byte of a resampled pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum ByteSource {
    /// A byte of the texels: bits 0 and 1 are its place.
    Texel(u8),
    /// Nothing: the byte is this one.
    Constant(u8),
}

/// The key of a fill of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct FillRectKey {
    /// Bytes of a unit: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Layout of the image.
    pub layout: LayoutKind,
}

/// The key of a change of layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct RearrangeKey {
    /// Bytes of a unit: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Layout of the source.
    pub source: LayoutKind,
    /// Layout of the target.
    pub target: LayoutKind,
}

/// Formats and layouts of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct ConvertKey {
    /// Format of the source.
    pub input: PixelFormat,
    /// Format of the target.
    pub output: PixelFormat,
    /// Layout of the source.
    pub input_layout: Layout,
    /// Layout of the target.
    pub output_layout: Layout,
    /// Downscaling.
    pub scale: Scale,
}

/// How pixels are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Layout {
    /// Rows.
    Linear,
    /// Rows of Morton-ordered blocks.
    Tiled(Block),
}

impl Layout {
    /// Index, in pixels, of pixel (`x`, `y`) in an image of `width` pixels.
    pub const fn index(self, x: u32, y: u32, width: u32) -> u32 {
        match self {
            Layout::Linear => y.wrapping_mul(width).wrapping_add(x),
            Layout::Tiled(block) => block.index(x, y, width),
        }
    }
}

/// Downscaling of a conversion: the mean of neighbouring pixels, truncated, after expansion to 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Scale {
    /// One to one.
    None,
    /// Two pixels side by side become one. In a tiled source these are the next two *in Morton order*; in a linear
    /// source the two by coordinates.
    Half,
    /// A 2x2 block becomes one pixel: the next four in Morton order, or by coordinates.
    Quarter,
}

impl Scale {
    /// log2 of the horizontal and vertical reduction.
    pub const fn shifts(self) -> (u32, u32) {
        match self {
            Scale::None => (0, 0),
            Scale::Half => (1, 0),
            Scale::Quarter => (1, 1),
        }
    }
}

/// One call of a transfer kernel.
#[derive(Clone, Debug)]
pub enum TransferJob<'m> {
    /// For [`TransferKey::Fill`].
    Fill(Fill<'m>),
    /// For [`TransferKey::Copy`].
    Copy(Copy<'m>),
    /// For [`TransferKey::Convert`].
    Convert(Convert<'m>),
    /// For [`TransferKey::Rearrange`].
    Rearrange(Rearrange<'m>),
    /// For [`TransferKey::FillRect`].
    FillRect(FillRect<'m>),
    /// For [`TransferKey::Resample`].
    Resample(Resample<'m>),
    /// For [`TransferKey::Repack`].
    Repack(Repack<'m>),
    /// For [`TransferKey::Halve`].
    Halve(Halve<'m>),
}

/// Writes pixels in another format. A channel of n bits becomes 8 bits by repeating its bits from the highest on, as
/// often as they fit and then in part; one that the source does not have is 255. The target takes the highest bits of
/// these 8; its bits in no field are 0. Reads beyond the source give zero bytes, writes beyond the target are dropped.
/// The windows share no bytes.
#[derive(Clone, Copy, Debug)]
pub struct Repack<'m> {
    /// Pixels, where the key's layout has them.
    pub source: Window<'m>,
    /// Rows of pixels without gaps.
    pub target: Window<'m>,
    /// Pixels of a row.
    pub width: usize,
    /// Rows; in GOBs at most 8.
    pub rows: usize,
    /// Bytes from one row of the source to the next; in GOBs from one GOB to the next.
    pub source_stride: usize,
    /// Bytes from one row of the target to the next.
    pub target_stride: usize,
}

impl<'m> Repack<'m> {
    /// Of one row.
    pub const fn row(source: Window<'m>, target: Window<'m>, width: usize) -> Self {
        Repack { source, target, width, rows: 1, source_stride: 0, target_stride: 0 }
    }
}

/// Repeats a pattern over the whole window; the pattern starts with its first byte.
#[derive(Clone, Copy, Debug)]
pub struct Fill<'m> {
    /// The memory to fill, all of it; the last repetition may be cut.
    pub target: Window<'m>,
    /// The pattern, byte 0 in the low bits.
    pub value: u32,
}

/// Copies `size` bytes: reads lines of `source_line` bytes and skips `source_gap` after each, and the same for the
/// target. Each run of `min(rest of either line, rest of size)` bytes is read before it is written, runs in order.
#[derive(Clone, Copy, Debug)]
pub struct Copy<'m> {
    /// From here; bytes beyond the end read zero.
    pub source: Window<'m>,
    /// To here; bytes beyond the end are dropped.
    pub target: Window<'m>,
    /// Payload in bytes, gaps not counted.
    pub size: usize,
    /// Bytes of a source line, not 0.
    pub source_line: usize,
    /// Bytes skipped after a source line.
    pub source_gap: usize,
    /// Bytes of a target line, not 0.
    pub target_line: usize,
    /// Bytes skipped after a target line.
    pub target_gap: usize,
}

/// Converts rows of an image. For each output pixel (x, y), x below `width`, y in `rows`: reads the source at
/// (x << sx, y << sy) with `source_width` pixels a row, averages as [`Scale`] says, and writes the target at
/// (x, `flip` ? `height` - 1 - y : y) with `target_width` pixels a row. Pixels are expanded to 8 bits a channel and
/// cut to the target's width. Reads beyond the source give zero bytes, writes beyond the target are dropped.
#[derive(Clone, Debug)]
pub struct Convert<'m> {
    /// The source image.
    pub source: Window<'m>,
    /// The target image.
    pub target: Window<'m>,
    /// Pixels of a source row.
    pub source_width: u32,
    /// Pixels of a target row.
    pub target_width: u32,
    /// Output pixels in a row.
    pub width: u32,
    /// Output rows of the whole image, for `flip`.
    pub height: u32,
    /// Rows this call does.
    pub rows: std::ops::Range<u32>,
    /// Whether the picture is turned upside down.
    pub flip: bool,
}

/// Where a rectangle of units lies in an image. Its coordinates stay below 2^16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// Arrangement of the image.
    pub layout: SurfaceLayout,
    /// As [`SurfaceLayout::offset`] takes it: bytes of a row, or GOBs of a row.
    pub pitch: u32,
    /// The rectangle's first column, units.
    pub x: u32,
    /// The rectangle's first row.
    pub y: u32,
}

impl Corner {
    /// Byte offset of the rectangle's unit (`x`, `y`) from the beginning of the image.
    pub const fn offset(&self, x: u32, y: u32, bytes: u32) -> u64 {
        self.layout.offset(self.x.wrapping_add(x), self.y.wrapping_add(y), bytes, self.pitch)
    }
}

/// Moves a rectangle of units to another image: for each row in `rows`, for each column below `width`, in this order,
/// the unit of the source's rectangle goes to the same place of the target's. Units are not looked into: they keep
/// their bytes and their byte order. Reads beyond the source give zero bytes, writes beyond the target are dropped.
#[derive(Clone, Debug)]
pub struct Rearrange<'m> {
    /// The source image.
    pub source: Window<'m>,
    /// The target image.
    pub target: Window<'m>,
    /// The position of the units in the source; its layout is of the key's kind.
    pub from: Corner,
    /// Where they go in the target; its layout is of the key's kind.
    pub to: Corner,
    /// Units in a row, at most 2^16.
    pub width: u32,
    /// Rows this call does, counted from the rectangle's first; the last is below 2^16.
    pub rows: std::ops::Range<u32>,
}

/// Stores bits of a value in every unit of a rectangle: for each row in `rows`, for each column below `width`, the unit
/// becomes (unit AND NOT mask) OR (value AND mask), byte by byte. Writes beyond the window are dropped.
#[derive(Clone, Debug)]
pub struct FillRect<'m> {
    /// The image.
    pub target: Window<'m>,
    /// Where the units are; its layout is of the key's kind.
    pub to: Corner,
    /// Units in a row, at most 2^16.
    pub width: u32,
    /// Rows this call does, counted from the rectangle's first; the last is below 2^16.
    pub rows: std::ops::Range<u32>,
    /// The stored pattern; the first byte in memory comes first. Bytes after those of a unit do not count.
    pub value: [u8; 16],
    /// Which of its bits are.
    pub mask: [u8; 16],
}

/// Makes a row of pixels from two rows of texels. Pixels and texels have four bytes each, which are numbers from 0 to
/// 1.
///
/// Pixel i takes the texels `first` and `second` of `columns[i]` of either row. A byte b of a texel is the number b ·
/// (1/255), a product of two f32. With mix(a, b, w) = a + (b - a) · w, each operation rounded to nearest, the byte is
/// computed from the number
///
/// mix(mix(upper\[first\], upper\[second\], c), mix(lower\[first\], lower\[second\], c), `weight`), c the weight
/// of the column,
///
/// and is the whole part of that number · 255 + 1/2. Texels beyond their row are zeros, writes beyond the target are
/// dropped.
#[derive(Clone, Debug)]
pub struct Resample<'m> {
    /// The first row of texels.
    pub upper: Window<'m>,
    /// The second one; may be the same.
    pub lower: Window<'m>,
    /// The row of pixels; shares no bytes with the texels.
    pub target: Window<'m>,
    /// The sources of the pixels.
    pub columns: &'m [Taps],
    /// Weight of the second row, 0 to 1.
    pub weight: f32,
}

/// Makes a row of pixels from twice as many texels of two rows. Pixels and texels have four bytes each. Where a byte of
/// pixel i is computed from a byte of texels, it is (a + b + c + d + 2) >> 2, of that byte of the texels 2i and 2i + 1
/// of either row. Texels beyond their row are zeros, writes beyond the target are dropped.
#[derive(Clone, Copy, Debug)]
pub struct Halve<'m> {
    /// The first row of texels.
    pub upper: Window<'m>,
    /// The second one; may be the same.
    pub lower: Window<'m>,
    /// The row of pixels; shares no bytes with the texels.
    pub target: Window<'m>,
    /// Pixels.
    pub width: usize,
}

/// Two texels of a row, and how much the second one counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taps {
    /// The first texel.
    pub first: u32,
    /// The second one; may be the same.
    pub second: u32,
    /// Weight of the second one, 0 to 1.
    pub weight: f32,
}
