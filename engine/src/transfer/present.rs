//! Pictures for the host: from guest memory, in whatever layout and format, to rows of the host's.
//!
//! ```text
//! rows, block-linear ─► repack kernel: 8 rows at a time ─► the host's rows
//! columns (3DS) ─► repack kernel ─► gamma tables ─► turned by 90 degrees, 16 columns at a time ─► the host's rows
//! ```
//! Bands of rows are independent and are shared among threads.

use std::sync::Mutex;

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{PixelFields, PixelLayout, Repack, RepackKey, TransferJob, TransferKey};
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::layout::SurfaceLayout;
use xxhash_rust::xxh3::xxh3_64;

use super::host_format::HostFormat;
use super::host_rows::HostRows;
use super::placement::{Presentation, Shown};
use super::presented::{LastPicture, Presented};
use super::scan_out::{GOB_ROWS, Gamma, ScanLayout, ScanOut, as_window};
use super::{Transfers, format};
use crate::cache::{Handle, kinds};
use crate::error::Error;
use crate::mem::{GuestAddr, GuestRange};

/// Rows that a thread converts at a time.
const BAND: usize = 64;

/// Data for all bands of a picture.
struct Plan<'m> {
    scan: ScanOut,
    /// From the picture's first byte on.
    source: Window<'m>,
    format: HostFormat,
    /// Bytes from one of the host's rows to the next.
    stride: usize,
    /// Whether the caller asks for a hash of what was stored.
    hashed: bool,
    repack: Handle<kinds::Transfer>,
}

impl Transfers<'_> {
    /// Stores the picture of a display in rows of the host's, as far as it exists, and returns what was shown. If its
    /// pages show that it does not differ from the one that was presented with `presented` last, nothing is stored.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for rows without room for a pixel, or for the size that the host gives them.
    pub fn present(
        &self,
        scan: &ScanOut,
        gamma: Option<&Gamma>,
        rows: &mut HostRows<'_>,
        presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        let (width, height) = (scan.width, scan.height);
        let place = rows.place(width.max(1), height.max(1))?;
        if range_of(scan).is_none() {
            presented.forget();
            return Ok(Presentation::nothing(width, height));
        }
        let scan = match place.shown {
            Shown::Scaled => *scan,
            _ => ScanOut { width: place.width, ..scan.rows(0, place.height) },
        };
        let Some((range, _)) = range_of(&scan) else { return Ok(Presentation::nothing(width, height)) };
        let epoch = self.memory.epoch();
        let gamma_hash = gamma.map_or(0, |tables| xxh3_64(tables.as_flattened()));
        let same_kind = (scan, place, rows.format, gamma_hash);
        let alike = |last: &LastPicture| (last.scan, last.place, last.format, last.gamma) == same_kind;
        let last = presented.last.filter(alike);
        let same = |last: LastPicture| {
            !self.memory.mapped_since(last.epoch) && !presented.pages.changed_since(self.memory, last.epoch)
        };
        if let Some(last) = last.filter(|&last| same(last)) {
            return Ok(place.presentation(false, width, height, last.missing));
        }
        presented.pages.clear();
        presented.pages.add(self.memory, range);
        // Pictures by turns are new anyway: only those that were presented last time are worth a hash.
        let hashed = last.is_some();
        let Stored { hash, missing } = match place.shown {
            Shown::Scaled => self.present_scaled(&scan, gamma, rows, place, hashed)?,
            _ => self.present_pixels(&scan, gamma, rows, hashed)?,
        };
        presented.filled = None;
        let format = rows.format;
        presented.last = Some(LastPicture { scan, place, format, gamma: gamma_hash, epoch, hash, missing });
        let changed = hash.is_none() || last.is_none_or(|last| last.hash != hash);
        Ok(place.presentation(changed, width, height, missing))
    }

    /// Stores a picture pixel by pixel in rows that have room for it.
    pub(super) fn present_pixels(
        &self,
        scan: &ScanOut,
        gamma: Option<&Gamma>,
        rows: &mut HostRows<'_>,
        hashed: bool,
    ) -> Result<Stored, Error> {
        let Some((range, mut start)) = range_of(scan) else { return Ok(Stored::default()) };
        let (mut gathered, compact): (Vec<u8>, ScanOut);
        let (mut scan, mut source, mut missing) = (scan, self.memory.readable(range.start), 0);
        if (source.len() as u64) < range.size {
            (gathered, missing) = self.gather(scan);
            compact = scan.compact();
            (scan, source, start) = (&compact, Window::new(as_window(&mut gathered)), 0);
        }
        let hash = match (gamma, scan.layout) {
            (None, ScanLayout::Rows { .. } | ScanLayout::RowsUpwards { .. } | ScanLayout::BlockLinear { .. }) => {
                let hash = self.present_rows(scan, source, rows, hashed);
                hashed.then_some(hash)
            }
            _ => Some(self.present_columns(scan, source, start, gamma, rows)?),
        };
        Ok(Stored { hash, missing })
    }

    /// The bytes of a picture that is not in one mapping, one [run](ScanOut::runs) after the other: never more than the
    /// picture has, however far apart its rows are. What is not in memory is 0; how many bytes are not is the second.
    fn gather(&self, scan: &ScanOut) -> (Vec<u8>, u64) {
        let runs = scan.runs();
        let mut bytes = vec![0; runs.bytes * runs.count];
        let mut missing = 0;
        for (run, out) in bytes.chunks_exact_mut(runs.bytes).enumerate() {
            let address = scan.at.address.wrapping_add_signed(runs.step * run as i64);
            missing += self.memory.read_pieces(GuestAddr::new(scan.at.space, address), out) as u64;
        }
        (bytes, missing)
    }

    fn repack(&self, input: PixelFields, output: PixelFields, layout: PixelLayout) -> Handle<kinds::Transfer> {
        self.kernels.transfer(&TransferKey::Repack(RepackKey { input, output, layout }))
    }

    /// Pictures of rows, in bands. Returns a hash of what was stored if it is wanted.
    fn present_rows(&self, scan: &ScanOut, source: Window<'_>, rows: &mut HostRows<'_>, hashed: bool) -> u64 {
        let layout = match scan.layout {
            ScanLayout::BlockLinear { .. } => PixelLayout::Gobs,
            _ => PixelLayout::Rows,
        };
        let plan = Plan {
            scan: *scan,
            source,
            format: rows.format,
            stride: rows.stride,
            hashed,
            repack: self.repack(scan.format, rows.format.fields(), layout),
        };
        let bytes = u64::from(scan.width) * u64::from(scan.height) * u64::from(scan.format.bytes);
        let cost = self.cost(bytes, &plan.repack);
        let bands: Vec<(usize, &mut [u8])> = rows.bands(scan.height, BAND).into_iter().enumerate().collect();
        let hashes = Mutex::new(vec![0; bands.len()]);
        self.scheduler.for_each_item(bands, cost, |(number, band)| {
            let hash = plan.band(number * BAND, band);
            hashes.lock().unwrap_or_else(|e| e.into_inner())[number] = hash;
        });
        let hashes = hashes.into_inner().unwrap_or_else(|e| e.into_inner());
        hashes.into_iter().fold(0, |all, hash| (all ^ hash).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Pictures of columns, turned. Returns a hash of what was stored.
    fn present_columns(
        &self,
        scan: &ScanOut,
        source: Window<'_>,
        start: i64,
        gamma: Option<&Gamma>,
        rows: &mut HostRows<'_>,
    ) -> Result<u64, Error> {
        let ScanLayout::Columns { pitch } = scan.layout else {
            return Err(Error::InvalidArgument("gamma tables for a picture of rows".into()));
        };
        const COLUMNS: usize = 16;
        let (width, height) = (scan.width as usize, scan.height as usize);
        let (wide, fields) = (format::A8B8G8R8, rows.format.fields());
        let to_wide = self.repack(scan.format, wide, PixelLayout::Rows);
        let to_host = (fields != wide).then(|| self.repack(wide, fields, PixelLayout::Rows));
        let mut columns = vec![0; 4 * COLUMNS * height];
        let (mut turned, mut made) = ([0; 4 * COLUMNS], [0; 4 * COLUMNS]);
        let bytes = rows.format.bytes();
        let mut hash = 0_u64;
        for first in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - first);
            for (i, column) in columns.chunks_exact_mut(4 * height).take(count).enumerate() {
                let at = (i64::from(pitch) * (first + i) as i64 - start) as usize;
                run(&to_wide, source.from(at), Window::new(as_window(column)), height);
                if let Some(tables) = gamma {
                    correct(tables, column);
                }
            }
            for y in 0..height {
                for i in 0..count {
                    let at = 4 * (i * height + height - 1 - y);
                    turned[4 * i..4 * i + 4].copy_from_slice(&columns[at..at + 4]);
                }
                let pixels = match &to_host {
                    None => &turned[..4 * count],
                    Some(kernel) => {
                        let from = buffer(&turned[..4 * count]);
                        run(kernel, Window::new(&from), Window::new(as_window(&mut made)), count);
                        &made[..bytes * count]
                    }
                };
                let at = y * rows.stride + first * bytes;
                rows.bytes[at..at + pixels.len()].copy_from_slice(pixels);
            }
            hash = (hash ^ xxh3_64(&columns[..4 * height * count])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        Ok(hash)
    }
}

/// The stored bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    /// Of all pixels, if it was wanted.
    pub hash: Option<u64>,
    /// Bytes that are not in memory.
    pub missing: u64,
}

/// The bytes of a picture, from the first to the last, and the offset of the first from its address; `None` for one
/// that there cannot be.
fn range_of(scan: &ScanOut) -> Option<(GuestRange, i64)> {
    let (start, end) = scan.extent().ok()?;
    let first = scan.at.address.checked_add_signed(start)?;
    let size = (end - start) as u64;
    first.checked_add(size)?;
    Some((GuestAddr::new(scan.at.space, first).range(size), start))
}

/// Sends channels through their tables.
fn correct(tables: &Gamma, pixels: &mut [u8]) {
    for pixel in pixels.as_chunks_mut::<4>().0 {
        for (channel, table) in pixel.iter_mut().zip(tables) {
            *channel = table[usize::from(*channel)];
        }
    }
}

fn run(kernel: &Handle<kinds::Transfer>, source: Window<'_>, target: Window<'_>, count: usize) {
    kernel.run(&TransferJob::Repack(Repack::row(source, target, count)));
}

impl Plan<'_> {
    /// Converts the rows from `first` on that a band has, and hashes them if that is wanted.
    fn band(&self, first: usize, band: &mut [u8]) -> u64 {
        let row_bytes = self.scan.width as usize * self.format.bytes();
        let parts = band.chunks_mut(self.stride.saturating_mul(GOB_ROWS)).zip((first..).step_by(GOB_ROWS));
        parts.fold(0, |mut hash, (rows, first)| {
            let count = rows.len().div_ceil(self.stride).min(self.scan.height as usize - first);
            self.rows(first, count, rows);
            if self.hashed {
                for pixels in rows.chunks(self.stride).take(count) {
                    hash = (hash ^ xxh3_64(&pixels[..row_bytes])).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                }
            }
            hash
        })
    }

    /// Converts at most as many rows as a GOB has; `first` is a multiple of these.
    fn rows(&self, first: usize, count: usize, rows: &mut [u8]) {
        let (width, height) = (self.scan.width as usize, self.scan.height as usize);
        let target_stride = self.stride;
        let (at, source_stride) = match self.scan.layout {
            ScanLayout::Rows { pitch } => (first * pitch as usize, pitch as usize),
            ScanLayout::RowsUpwards { pitch } => {
                for (y, row) in rows.chunks_mut(self.stride).take(count).enumerate() {
                    let source = self.source.from((height - 1 - first - y) * pitch as usize);
                    run(&self.repack, source, Window::new(as_window(row)), width);
                }
                return;
            }
            ScanLayout::BlockLinear { log2_gobs, pitch } => {
                let layout = SurfaceLayout::BlockLinear { log2_gobs };
                (layout.offset(0, first as u32, 1, pitch / 64) as usize, 512 << log2_gobs)
            }
            // Turned elsewhere.
            ScanLayout::Columns { .. } => return,
        };
        let (source, target) = (self.source.from(at), Window::new(as_window(rows)));
        let job = Repack { source, target, width, rows: count, source_stride, target_stride };
        self.repack.run(&TransferJob::Repack(job));
    }
}
