//! Presenting: what a display shows, in the host's format, in the host's memory.

use triglyph::{
    Fit, GuestAddr, HostFormat, HostRows, PixelFields, Presentation, Presented, ScanLayout, ScanOut, Shown, scan_format,
};

use super::capture::picture::triglyph_present;
use super::error::{Failure, guard, numbered, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::pointer::{self, Out, SizedStruct, give, required};

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

/// The treatment of pictures whose size is not that of the host's rows. Guests choose sizes: the wide mode of the 3DS
/// has 800 columns instead of 400.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_fit {
    /// The part that fits is stored, from the top left corner. Around a smaller picture the rows stay as they are.
    Cut = 0,
    /// All of it is stored, smaller or larger, so that it fills the rows: the nearest pixel for each.
    Scale = 1,
}

/// How a picture was stored.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_shown_kind {
    /// There is no picture, or none that there can be: nothing is stored.
    Nothing = 0,
    /// All of it, pixel by pixel.
    Whole = 1,
    /// Its upper left part.
    Cut = 2,
    /// All of it, smaller or larger.
    Scaled = 3,
}

/// The result of presenting a picture.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_shown {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_shown)`.
    pub size: u32,
    /// A `triglyph_shown_kind`.
    pub kind: u32,
    /// Whether it differs from the picture before: 1 or 0. It may be 1 once when it does not, as pictures are not
    /// remembered before they come twice.
    pub changed: u32,
    /// Pixels of a row of the guest's picture.
    pub width: u32,
    /// Rows of the guest's picture.
    pub height: u32,
    /// Pixels of a row that were stored.
    pub stored_width: u32,
    /// Rows that were stored.
    pub stored_height: u32,
    /// 0.
    pub reserved: u32,
    /// Bytes of the picture that are not in memory that the GPU may read: they count as zeros.
    pub missing: u64,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_shown {}

impl From<Presentation> for triglyph_shown {
    fn from(presentation: Presentation) -> Self {
        let Presentation { changed, shown, width, height, stored_width, stored_height, missing, .. } = presentation;
        let kind = match shown {
            Shown::Nothing => triglyph_shown_kind::Nothing,
            Shown::Whole => triglyph_shown_kind::Whole,
            Shown::Cut => triglyph_shown_kind::Cut,
            Shown::Scaled => triglyph_shown_kind::Scaled,
        };
        let (size, kind, changed) = (size_of::<Self>() as u32, kind as u32, changed.into());
        triglyph_shown { size, kind, changed, width, height, stored_width, stored_height, reserved: 0, missing }
    }
}

/// Rows of the host's that a picture goes to, top row first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_rows {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_rows)`.
    pub size: u32,
    /// A `triglyph_host_format`.
    pub format: u32,
    /// The first byte of the top row. The bytes have values before the call, whichever.
    pub bytes: *mut u8,
    /// How many bytes all rows have.
    pub length: usize,
    /// Bytes from a row to the next, at least those of a row. What is between rows is left alone.
    pub stride: usize,
    /// Pixels of a row; 0 for as many as the stride has.
    pub width: u32,
    /// How many rows; 0 for as many as there are.
    pub height: u32,
    /// A `triglyph_fit`.
    pub fit: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_rows {}

/// The picture that was presented to some rows last, so that the next call detects an unchanged picture. Rows that get
/// pictures by turns have one each. One call at a time may use it.
#[derive(Default)]
pub struct triglyph_presented {
    presented: Presented,
}

/// One that nothing was presented with yet. It belongs to the caller, who destroys it with
/// `triglyph_presented_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_presented_create(presented: Out<'_, *mut triglyph_presented>) -> triglyph_status {
    guard(|| {
        give(triglyph_presented::default(), required(presented, "presented")?);
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
/// `rows` is null or points to a structure that begins with its size. The rows have the bytes that they declare, which
/// nothing else uses.
unsafe fn host_rows<'a>(rows: *const triglyph_rows) -> Result<HostRows<'a>, Failure> {
    let (size, bytes) = (size_of::<triglyph_rows>() as u32, std::ptr::null_mut());
    let (format, length, stride, width, height, fit, reserved) = (0, 0, 0, 0, 0, 0, 0);
    let none = triglyph_rows { size, format, bytes, length, stride, width, height, fit, reserved };
    // SAFETY: the caller promises the same.
    let given = unsafe { pointer::read_sized(rows, none, "rows") }?;
    let triglyph_rows { bytes, length, stride, format, width, height, fit, .. } = given;
    let format = match format {
        1 => HostFormat::Rgba8,
        2 => HostFormat::Bgra8,
        3 => HostFormat::Rgb565,
        other => return Err(Failure::invalid(format!("host format {other}"))),
    };
    // SAFETY: the caller promises that.
    let bytes = unsafe { pointer::bytes_mut(bytes, length, "rows") }?;
    let fit = numbered(fit, &[Fit::Cut, Fit::Scale], "fit")?;
    Ok(HostRows { bytes, stride, format, width, height, fit })
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

/// Calls `present` to store a picture in the host's rows; without a handle every picture counts as new.
///
/// # Safety
/// As [`host_rows`]; `presented` is null or a handle that no other call uses; `shown` is null or points to a structure
/// that begins with its size.
pub(crate) unsafe fn presenting(
    rows: *const triglyph_rows,
    presented: *mut triglyph_presented,
    shown: *mut triglyph_shown,
    present: impl FnOnce(&mut HostRows<'_>, &mut Presented) -> Result<Presentation, triglyph::Error>,
) -> Result<(), Failure> {
    // SAFETY: the caller promises the same.
    let (mut rows, presented) = unsafe { (host_rows(rows)?, presented.as_mut()) };
    let mut none = triglyph_presented::default();
    let done = present(&mut rows, &mut presented.unwrap_or(&mut none).presented)?;
    // SAFETY: the caller promises the same.
    unsafe { pointer::put_sized(shown, &done.into(), "shown") }
}

/// The picture of a display, as a value of the façade.
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
/// 64), formats other than 8; its label does not count, and `big_endian` says whether its words are. `shown`, which may
/// be null, says what that came to. Nothing that a guest chooses is an error: pictures of another size than the rows
/// are cut or scaled as `rows->fit` says, what of them is not in memory is 0, and a picture that there cannot be (a
/// size of 0 or above 8192, a pitch below a row) is `TRIGLYPH_SHOWN_KIND_NOTHING`. Where it is known at once that the
/// picture does not differ from the one that was presented with `presented` last, which may be null, nothing is stored.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for numbers without a meaning, for rows without room for a pixel, or for
/// the size that they are said to have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_present_picture(
    device: Option<&triglyph_device>,
    present: *const triglyph_present,
    big_endian: bool,
    rows: *const triglyph_rows,
    presented: *mut triglyph_presented,
    shown: *mut triglyph_shown,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for a structure that begins with its size.
        let scan = scan_out(&unsafe { triglyph_present::given(present) }?, big_endian)?;
        // SAFETY: as before, for rows of that size, and for a handle that no other call uses.
        unsafe {
            presenting(rows, presented, shown, |rows, presented| state.gpu.device().present(&scan, rows, presented))
        }
    })
}
