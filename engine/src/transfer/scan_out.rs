//! Scan-out: the picture of a display in guest memory.

use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::transfer::PixelFields;

use crate::error::Error;
use crate::mem::{GuestAddr, atomic_bytes};

/// How the pixels of a shown picture are arranged; x to the right and y downwards, as a person sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScanLayout {
    /// Rows from the top; so many bytes from one to the next.
    Rows {
        /// At least the bytes of a row.
        pitch: u32,
    },
    /// Rows from the bottom.
    RowsUpwards {
        /// As above.
        pitch: u32,
    },
    /// Columns from the left, each from its lowest pixel up: the 3DS, whose screens are built in on their side.
    Columns {
        /// Bytes from one column to the next; may be negative, and 0 repeats the first.
        pitch: i32,
    },
    /// GOBs of 64 bytes and 8 rows: the Tegra X1. Pixels have 2 or 4 bytes.
    BlockLinear {
        /// log2 of the height of a block in GOBs, 0 to 5.
        log2_gobs: u8,
        /// Bytes of a row, a multiple of 64.
        pitch: u32,
    },
}

/// A picture in guest memory that a display shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScanOut {
    /// The first byte; in [`ScanLayout::Columns`] that of the leftmost column.
    pub at: GuestAddr,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The format of its pixels.
    pub format: PixelFields,
    /// Where each is.
    pub layout: ScanLayout,
}

impl ScanOut {
    /// The largest width and height.
    pub const MAX_EDGE: u32 = 8192;

    /// Offsets from [`Self::at`] to the first byte and to the end.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a picture that there cannot be.
    pub(crate) fn extent(&self) -> Result<(i64, i64), Error> {
        let ScanOut { width, height, format, layout, .. } = *self;
        let bad = |what: &str| Error::InvalidArgument(format!("a picture of {width}x{height} pixels: {what}"));
        if !(1..=Self::MAX_EDGE).contains(&width) || !(1..=Self::MAX_EDGE).contains(&height) {
            return Err(bad("its size"));
        }
        if !format.is_sound() {
            return Err(bad("its format"));
        }
        let bytes = i64::from(format.bytes);
        let row = i64::from(width) * bytes;
        match layout {
            ScanLayout::Rows { pitch } | ScanLayout::RowsUpwards { pitch } => match i64::from(pitch) < row {
                true => Err(bad("its pitch")),
                false => Ok((0, i64::from(pitch) * i64::from(height - 1) + row)),
            },
            ScanLayout::Columns { pitch } => {
                let last = i64::from(pitch) * i64::from(width - 1);
                Ok((last.min(0), last.max(0) + i64::from(height) * bytes))
            }
            ScanLayout::BlockLinear { log2_gobs, pitch } => {
                let sound = log2_gobs <= 5 && pitch.is_multiple_of(64) && i64::from(pitch) >= row && bytes != 3;
                let rows = 8_i64 << log2_gobs.min(5);
                match sound {
                    false => Err(bad("its blocks")),
                    true => Ok((0, i64::from(pitch) * ((i64::from(height) + rows - 1) / rows * rows))),
                }
            }
        }
    }

    /// The runs of bytes that the pixels are in: rows, columns or rows of blocks. For pictures with an
    /// [extent](Self::extent).
    pub(crate) fn runs(&self) -> Runs {
        let bytes = self.format.bytes as usize;
        let (row, column) = (self.width as usize * bytes, self.height as usize * bytes);
        let (width, height) = (self.width as usize, self.height as usize);
        match self.layout {
            ScanLayout::Rows { pitch } | ScanLayout::RowsUpwards { pitch } => {
                Runs { count: height, step: pitch.into(), bytes: row }
            }
            ScanLayout::Columns { pitch } => Runs { count: width, step: pitch.into(), bytes: column },
            ScanLayout::BlockLinear { log2_gobs, pitch } => {
                let rows = GOB_ROWS << log2_gobs;
                let step = i64::from(pitch) * rows as i64;
                Runs { count: height.div_ceil(rows), step, bytes: row.next_multiple_of(GOB_BYTES) * rows }
            }
        }
    }

    /// So many of its rows, from `first` on, which is a multiple of [`Self::row_unit`].
    pub(crate) fn rows(&self, first: u32, count: u32) -> ScanOut {
        let after = i64::from(self.height) - i64::from(first) - i64::from(count);
        let offset = match self.layout {
            ScanLayout::Rows { pitch } | ScanLayout::BlockLinear { pitch, .. } => i64::from(pitch) * i64::from(first),
            ScanLayout::RowsUpwards { pitch } => i64::from(pitch) * after,
            ScanLayout::Columns { .. } => i64::from(self.format.bytes) * after,
        };
        let address = self.at.address.wrapping_add_signed(offset);
        ScanOut { at: GuestAddr::new(self.at.space, address), height: count, ..*self }
    }

    /// Rows that are stored together.
    pub(crate) fn row_unit(&self) -> u32 {
        match self.layout {
            ScanLayout::BlockLinear { log2_gobs, .. } => (GOB_ROWS as u32) << log2_gobs.min(5),
            _ => 1,
        }
    }

    /// The same picture with its [runs](Self::runs) one after the other.
    pub(crate) fn compact(&self) -> ScanOut {
        let bytes = self.runs().bytes as u32;
        let layout = match self.layout {
            ScanLayout::Rows { .. } => ScanLayout::Rows { pitch: bytes },
            ScanLayout::RowsUpwards { .. } => ScanLayout::RowsUpwards { pitch: bytes },
            ScanLayout::Columns { .. } => ScanLayout::Columns { pitch: bytes as i32 },
            ScanLayout::BlockLinear { log2_gobs, .. } => {
                ScanLayout::BlockLinear { log2_gobs, pitch: bytes / (GOB_ROWS << log2_gobs) as u32 }
            }
        };
        ScanOut { layout, ..*self }
    }
}

/// Bytes of a row of a GOB.
const GOB_BYTES: usize = 64;
/// Rows of a GOB.
pub(super) const GOB_ROWS: usize = 8;

/// Runs of bytes of one length at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    /// How many.
    pub count: usize,
    /// From the start of one to the start of the next, in bytes.
    pub step: i64,
    /// Bytes of each.
    pub bytes: usize,
}

/// The tables that a display sends channels through: red, green, blue.
pub type Gamma = [[u8; 256]; 3];

/// Bytes of the host's as kernels see memory.
pub(crate) fn as_window(bytes: &mut [u8]) -> &[AtomicU8] {
    atomic_bytes(bytes)
}
