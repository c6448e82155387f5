//! The pictures of the screens.

use triglyph::n3ds::{Eye, Picture, PixelFormat};

use super::{screen, triglyph_n3ds};
use crate::error::{Failure, numbered, triglyph_status};
use crate::handle::with_machine;
use crate::pointer::{Out, put_found, store};
use crate::present::{presenting, triglyph_presented, triglyph_rows, triglyph_shown};

/// A picture in memory. Its rows are columns of the screen: pixel (x, y), counted from the top left, is at
/// `address + x * pitch + (height - 1 - y) * bytes`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_picture {
    /// Physical address of the leftmost column's lowest pixel.
    pub address: u32,
    /// Pixel format, numbered as PRESENT has it (`TRIGLYPH_FORMAT_RGBA8` to `TRIGLYPH_FORMAT_RGBA4`).
    pub format: u32,
    /// Bytes of a pixel.
    pub bytes: u32,
    /// Columns as a person sees them: 320 or 400, 800 in the wide mode.
    pub width: u32,
    /// Pixels of a column: 240.
    pub height: u32,
    /// Bytes from a column to the next; may be negative, and 0 repeats the first.
    pub pitch: i32,
}

/// The picture that an eye (0 left or both, 1 right) sees on a `triglyph_n3ds_screen`. `found` is false for the right
/// eye of a flat picture, and for formats that there are not.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_lcd_picture(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    eye: u32,
    picture: Out<'_, triglyph_n3ds_picture>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let shown = n3ds.external().lcd(self::screen(screen)?).picture(self::eye(eye)?);
        put_found(shown.map(described), picture, found);
        Ok(())
    })
}

/// An eye by its number.
pub(crate) fn eye(number: u32) -> Result<Eye, Failure> {
    numbered(number, &[Eye::Left, Eye::Right], "eye")
}

fn described(picture: Picture) -> triglyph_n3ds_picture {
    let Picture { address, format, width, height, pitch } = picture;
    let bytes = format.bytes();
    let format = match format {
        PixelFormat::Rgba8 => 1,
        PixelFormat::Rgb8 => 2,
        PixelFormat::Rgb565 => 3,
        PixelFormat::Rgb5A1 => 4,
        PixelFormat::Rgba4 => 5,
    };
    triglyph_n3ds_picture { address, format, bytes, width, height, pitch }
}

/// A colour as a word, red lowest.
fn color_word([r, g, b]: [u8; 3]) -> u32 {
    u32::from_le_bytes([r, g, b, 0])
}

/// The colour that covers a screen instead of its picture: red, green, blue, 8 bits each, red lowest. `found` says
/// whether there is one.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_lcd_fill_color(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    color: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let fill = n3ds.external().lcd(self::screen(screen)?).fill_color();
        put_found(fill.map(color_word), color, found);
        Ok(())
    })
}

/// A screen's gamma tables as 256 words: red, green and blue after the table, red lowest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_lcd_gamma(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    table: *mut u32,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        // SAFETY: the header asks callers for room for 256 words.
        let table = unsafe { crate::pointer::slice_mut(table, 256, "table") }?;
        let lcd = n3ds.external().lcd(self::screen(screen)?);
        for (entry, level) in table.iter_mut().zip(0..=u8::MAX) {
            *entry = color_word(lcd.gamma([level; 3]));
        }
        Ok(())
    })
}

/// Whether both eyes have pictures of their own on a screen.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_is_lcd_stereo(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    stereo: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| store(stereo, n3ds.external().lcd(self::screen(screen)?).is_stereo(), "stereo"))
}

/// Presents what a `triglyph_n3ds_screen` shows an eye (0 left or both, 1 right), as `triglyph_present_picture`: the
/// controller's picture through its gamma table, upright, or the colour that covers it. The guest chooses its size:
/// 320, 400 or 800 columns of 240 pixels. `triglyph_n3ds_lcd_picture` tells it before.
///
/// Errors: as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_present_screen(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    eye: u32,
    rows: *const triglyph_rows,
    presented: *mut triglyph_presented,
    shown: *mut triglyph_shown,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let (screen, eye) = (self::screen(screen)?, self::eye(eye)?);
        // SAFETY: the header asks callers for structures that begin with their size, rows of that size, and a handle
        // that no other call uses.
        unsafe {
            presenting(rows, presented, shown, |rows, presented| n3ds.present_screen(screen, eye, rows, presented))
        }
    })
}
