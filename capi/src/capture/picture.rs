//! Pictures in guest memory as RGBA.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use triglyph::GuestAddr;
use triglyph::capture::{Picture, Present, hash_memory};

use crate::buffer::triglyph_buffer;
use crate::error::{Failure, guard, triglyph_status};
use crate::handle::{destroy, triglyph_device, with_device};
use crate::memory::range;
use crate::pointer::{self, Out, SizedStruct, put, required};

/// Pixel formats of pictures.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_format {
    /// 4 bytes: A, B, G, R.
    Rgba8 = 1,
    /// 3 bytes: B, G, R.
    Bgr8 = 2,
    /// 16 bits: R 15:11, G 10:5, B 4:0.
    Rgb565 = 3,
    /// 16 bits: R 15:11, G 10:6, B 5:1, A 0.
    Rgb5a1 = 4,
    /// 16 bits: R 15:12, G 11:8, B 7:4, A 3:0.
    Rgba4 = 5,
    /// 32 bits: A 31:24, R 23:16, G 15:8, B 7:0.
    A8r8g8b8 = 6,
    /// 32 bits: A 31:24, B 23:16, G 15:8, R 7:0.
    A8b8g8r8 = 7,
    /// Four 16-bit floats, R first.
    R16g16b16a16f = 8,
    /// As `TRIGLYPH_FORMAT_A8R8G8B8` without alpha.
    X8r8g8b8 = 9,
    /// As `TRIGLYPH_FORMAT_A8B8G8R8` without alpha.
    X8b8g8r8 = 10,
}

/// How pixels are arranged.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_layout {
    /// Rows of `pitch` bytes, top row first.
    TopFirst = 0,
    /// Rows of `pitch` bytes, bottom row first.
    BottomFirst = 1,
    /// A 3DS screen: columns of `pitch` bytes, each from the bottom up.
    Lcd = 2,
    /// Tegra block-linear, top row first; bits 8 to 15 of the number are log2 of the block height in GOBs.
    BlockLinear = 3,
    /// Tegra block-linear, bottom row first.
    BlockLinearBottomFirst = 4,
    /// RSX swizzled, top row first.
    Swizzled = 5,
    /// RSX swizzled, bottom row first.
    SwizzledBottomFirst = 6,
}

/// Where a picture is in guest memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_present {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_present)`.
    pub size: u32,
    /// Its address space.
    pub space: u32,
    /// A `triglyph_format`.
    pub format: u32,
    /// A `triglyph_layout`, with its parameter.
    pub layout: u32,
    /// Its first byte.
    pub address: u64,
    /// Pixels from left to right as a person sees it.
    pub width: u32,
    /// Pixels from top to bottom as a person sees it.
    pub height: u32,
    /// Bytes from one stored row (or stored column) to the next.
    pub pitch: u32,
    /// 0.
    pub reserved: u32,
    /// Name of the output (UTF-8), for recordings: `"top"`, `"main"`; null for `"main"`.
    pub label: *const c_char,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_present {}

impl triglyph_present {
    /// What a caller passes: fields that its version does not have are 0.
    ///
    /// # Safety
    /// `present` is null or points to a structure that begins with its size.
    pub(crate) unsafe fn given(present: *const Self) -> Result<Self, Failure> {
        let (size, label) = (size_of::<Self>() as u32, std::ptr::null());
        let (space, format, layout, address) = (0, 0, 0, 0);
        let (width, height, pitch, reserved) = (0, 0, 0, 0);
        let none = triglyph_present { size, space, format, layout, address, width, height, pitch, reserved, label };
        // SAFETY: the caller promises the same.
        unsafe { pointer::read_sized(present, none, "present") }
    }

    /// As the façade has it.
    ///
    /// # Safety
    /// The label is null or ends with 0.
    pub(super) unsafe fn read(&self) -> Result<Present, Failure> {
        let &triglyph_present { space, format, address, width, height, pitch, layout, label, .. } = self;
        // SAFETY: the caller promises that the label ends with 0.
        let label = unsafe { pointer::text(label, "label") }?.unwrap_or("main").to_owned();
        Ok(Present { at: GuestAddr::new(space, address), format, width, height, pitch, layout, label })
    }
}

/// A picture: RGBA, 8 bits a channel, top row first. It does not change, so any number of threads may read it.
pub struct triglyph_picture {
    picture: Picture,
}

impl triglyph_picture {
    /// Hands a picture to the host.
    pub(super) fn give(picture: Picture, out: &mut MaybeUninit<*mut triglyph_picture>) {
        pointer::give(triglyph_picture { picture }, out);
    }
}

/// Reads a picture from a device's memory, after everything that was submitted: `big_endian` says whether its words
/// are. It belongs to the caller, who destroys it with `triglyph_picture_destroy`.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for what describes no picture; `TRIGLYPH_STATUS_UNMAPPED`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_picture_read(
    device: Option<&triglyph_device>,
    present: *const triglyph_present,
    big_endian: bool,
    picture: Out<'_, *mut triglyph_picture>,
) -> triglyph_status {
    with_device(device, |state| {
        let out = required(picture, "picture")?;
        // SAFETY: the header asks callers for a structure that begins with its size, and a label that ends with 0.
        let present = unsafe { triglyph_present::given(present)?.read() }?;
        let device = state.gpu.device();
        device.finish();
        triglyph_picture::give(Picture::read(device, &present, big_endian)?, out);
        Ok(())
    })
}

/// Size in pixels, and where the `4 * width * height` bytes of a picture are, until it is destroyed. All but `picture`
/// may be null.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_picture_pixels(
    picture: Option<&triglyph_picture>,
    width: Out<'_, u32>,
    height: Out<'_, u32>,
    rgba: Out<'_, *const u8>,
) -> triglyph_status {
    guard(|| {
        let picture = &required(picture, "picture")?.picture;
        put(width, picture.width);
        put(height, picture.height);
        put(rgba, picture.rgba.as_ptr());
        Ok(())
    })
}

/// A picture as a PNG file, with or without its alpha channel. The buffer belongs to the caller, who destroys it with
/// `triglyph_buffer_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_picture_png(
    picture: Option<&triglyph_picture>,
    alpha: bool,
    png: Out<'_, *mut triglyph_buffer>,
) -> triglyph_status {
    guard(|| {
        let (picture, out) = (required(picture, "picture")?, required(png, "png")?);
        triglyph_buffer::give(picture.picture.to_png(alpha)?, out);
        Ok(())
    })
}

/// Destroys a picture. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_picture_destroy(picture: *mut triglyph_picture) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(picture, |_| Ok(())) }
}

/// XXH3 (64 bits) of a range of guest memory, after everything that was submitted.
///
/// Errors: `TRIGLYPH_STATUS_UNMAPPED`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_hash(
    device: Option<&triglyph_device>,
    space: u32,
    address: u64,
    size: u64,
    hash: Out<'_, u64>,
) -> triglyph_status {
    with_device(device, |state| {
        let out = required(hash, "hash")?;
        let device = state.gpu.device();
        device.finish();
        out.write(hash_memory(device, range(space, address, size)?)?);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use triglyph::capture::{Format, Layout};

    #[test]
    fn formats_and_layouts_have_the_numbers_of_captures() {
        use triglyph_format as format;
        let formats = [
            (format::Rgba8, Format::Rgba8),
            (format::Bgr8, Format::Bgr8),
            (format::Rgb565, Format::Rgb565),
            (format::Rgb5a1, Format::Rgb5A1),
            (format::Rgba4, Format::Rgba4),
            (format::A8r8g8b8, Format::A8R8G8B8),
            (format::A8b8g8r8, Format::A8B8G8R8),
            (format::R16g16b16a16f, Format::R16G16B16A16F),
            (format::X8r8g8b8, Format::X8R8G8B8),
            (format::X8b8g8r8, Format::X8B8G8R8),
        ];
        assert_eq!(formats.len(), Format::ALL.len());
        for (number, known) in formats {
            assert_eq!(Format::from_number(number as u32), Some(known));
        }
        assert_eq!(Layout::from_number(triglyph_layout::Lcd as u32), Some(Layout::Lcd));
        assert!(Layout::from_number(triglyph_layout::SwizzledBottomFirst as u32).is_some());
    }
}
