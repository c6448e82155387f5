//! Presenting: what a display shows, in the host's format, in the host's memory.

use triglyph::{GuestAddr, HostFormat, HostRows, PixelFields, Presented, ScanLayout, ScanOut, scan_format};

use super::capture::picture::triglyph_present;
use super::error::{Failure, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::pointer::{self, Out, put, required};

/// The host's format of pixels.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_host_format {
    /// Bytes R, G, B, A.
    Rgba8 = 1,
    /// Bytes B, G, R, A.
    Bgra8 = 2,
    /// 16 bits, low byte first: R 15:11, G 10:5, B 4:0.
    Rgb565 = 3,
}

/// Rows of the host's that a picture goes to, top row first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_rows {
    /// The first byte of the top row. The bytes have values before the call, whichever.
    pub bytes: *mut u8,
    /// Bytes of all rows.
    pub size: usize,
    /// Bytes from a row to the next, at least those of a row. What is between rows is left alone.
    pub stride: usize,
    /// A `triglyph_host_format`.
    pub format: u32,
    /// 0.
    pub reserved: u32,
}

/// What was presented to some rows last, so that the next time it is known whether there is anything new. Rows that get
/// pictures by turns have one each. One call at a time may use it.
#[derive(Default)]
pub struct triglyph_presented {
    presented: Presented,
}

/// One that nothing was presented with yet. It belongs to the caller, who destroys it with
/// `triglyph_presented_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_presented_create(presented: Out<'_, *mut triglyph_presented>) -> triglyph_status {
    super::error::guard(|| {
        required(presented, "presented")?.write(Box::into_raw(Box::default()));
        Ok(())
    })
}

/// Destroys what was made by `triglyph_presented_create`. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_presented_destroy(presented: *mut triglyph_presented) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(presented, |_| Ok(())) }
}

/// The rows that C describes.
///
/// # Safety
/// They have the bytes that they say, which nobody else uses.
unsafe fn host_rows<'a>(rows: Option<&triglyph_rows>) -> Result<HostRows<'a>, Failure> {
    let &triglyph_rows { bytes, size, stride, format, .. } = required(rows, "rows")?;
    let format = match format {
        1 => HostFormat::Rgba8,
        2 => HostFormat::Bgra8,
        3 => HostFormat::Rgb565,
        other => return Err(Failure::invalid(format!("host format {other}"))),
    };
    // SAFETY: the caller promises that.
    let bytes = unsafe { pointer::bytes_mut(bytes, size, "rows") }?;
    Ok(HostRows { bytes, stride, format })
}

fn fields(format: u32, big_endian: bool) -> Result<PixelFields, Failure> {
    use scan_format::{A8B8G8R8, A8R8G8B8, ABGR8, BGR8, RGB5A1, RGB565, RGBA4, X8B8G8R8, X8R8G8B8};
    let of_words = |fields: PixelFields| if big_endian { fields.big_endian() } else { fields };
    Ok(match format {
        1 => ABGR8,
        2 => BGR8,
        3 => of_words(RGB565),
        4 => of_words(RGB5A1),
        5 => of_words(RGBA4),
        6 => of_words(A8R8G8B8),
        7 => of_words(A8B8G8R8),
        9 => of_words(X8R8G8B8),
        10 => of_words(X8B8G8R8),
        other => return Err(Failure::invalid(format!("format {other} cannot be presented"))),
    })
}

/// Has `present` store a picture in the host's rows; without a handle nothing is known of the one before.
///
/// # Safety
/// As [`host_rows`]; `presented` is null or a handle that no other call uses.
pub(crate) unsafe fn presenting(
    rows: Option<&triglyph_rows>,
    presented: *mut triglyph_presented,
    present: impl FnOnce(&mut HostRows<'_>, &mut Presented) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
    // SAFETY: the caller promises the same.
    let (mut rows, presented) = unsafe { (host_rows(rows)?, presented.as_mut()) };
    let mut none = triglyph_presented::default();
    present(&mut rows, &mut presented.unwrap_or(&mut none).presented)
}

/// What a display shows, as the façade has it.
fn scan_out(present: &triglyph_present, big_endian: bool) -> Result<ScanOut, Failure> {
    let &triglyph_present { space, format, address, width, height, pitch, layout, .. } = present;
    let layout = match (layout & 0xFF, layout >> 8) {
        (0, 0) => ScanLayout::Rows { pitch },
        (1, 0) => ScanLayout::RowsUpwards { pitch },
        (2, 0) => ScanLayout::Columns { pitch: pitch as i32 },
        (3, log2_gobs @ 0..=5) => ScanLayout::BlockLinear { log2_gobs: log2_gobs as u8, pitch },
        _ => return Err(Failure::invalid(format!("layout {layout:#x} cannot be presented"))),
    };
    Ok(ScanOut { at: GuestAddr::new(space, address), width, height, format: fields(format, big_endian)?, layout })
}

/// Converts a picture in guest memory to rows of the host's: compiled, and on the device's threads. Everything that is
/// done so far is in it. `present` says where it is: layouts 0 to 3 (block-linear with a pitch that is a multiple of
/// 64), formats other than 8; its label does not count, and `big_endian` says whether its words are. `changed` is
/// whether it differs from the one that was presented with `presented` last, which may be null: it may say so once when
/// it does not, as pictures are not remembered before they come twice. Where it is known at once that it does not,
/// nothing is stored.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what is no picture or has no room; `TRIGLYPH_STATUS_UNMAPPED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_present_picture(
    device: Option<&triglyph_device>,
    present: Option<&triglyph_present>,
    big_endian: bool,
    rows: Option<&triglyph_rows>,
    presented: *mut triglyph_presented,
    changed: Out<'_, bool>,
) -> triglyph_status {
    with_device(device, |state| {
        let scan = scan_out(required(present, "present")?, big_endian)?;
        // SAFETY: the header asks callers for rows of that size, and for a handle that no other call uses.
        let presents = unsafe {
            presenting(rows, presented, |rows, presented| Ok(state.gpu.device().present(&scan, rows, presented)?))
        };
        put(changed, presents?);
        Ok(())
    })
}
