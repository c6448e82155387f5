//! Where a finished picture is in guest memory, by words: the arguments of a PRESENT record.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use triglyph::capture::{Format, Layout, Present};
use triglyph::{Access, GuestAddr};

/// Names of the formats, by their numbers from 1 on.
const FORMATS: [&str; 10] =
    ["rgba8", "bgr8", "rgb565", "rgb5a1", "rgba4", "a8r8g8b8", "a8b8g8r8", "r16g16b16a16f", "x8r8g8b8", "x8b8g8r8"];

/// Names of the layouts, by their numbers from 0 on.
const LAYOUTS: [&str; 7] =
    ["rows", "rows-upwards", "columns", "block-linear", "block-linear-upwards", "swizzled", "swizzled-upwards"];

/// Bytes to which the pitch of block-linear pictures is rounded up.
const GOB_BYTES: u32 = 64;

/// What a call says of a picture.
pub struct Place<'a> {
    pub address: u64,
    pub space: u32,
    pub size: (u32, u32),
    pub format: &'a str,
    pub pitch: Option<u32>,
    pub layout: &'a str,
    pub block_height: u32,
}

impl Place<'_> {
    /// The PRESENT. Without a pitch rows, or columns, follow each other.
    ///
    /// # Errors
    /// `ValueError` for words and numbers without a meaning.
    pub fn present(&self, label: String) -> PyResult<Present> {
        let &Place { address, space, size: (width, height), format, pitch, layout, block_height } = self;
        let format = format_number(format)?;
        let bytes = Format::from_number(format).map_or(0, Format::bytes);
        let layout = layout_number(layout, block_height)?;
        let tight = match Layout::from_number(layout) {
            Some(Layout::Linear { .. }) => width.checked_mul(bytes),
            Some(Layout::Lcd) => height.checked_mul(bytes),
            Some(Layout::BlockLinear { .. }) => {
                width.checked_mul(bytes).and_then(|row| row.checked_next_multiple_of(GOB_BYTES))
            }
            _ => Some(0),
        };
        let too_large = || PyValueError::new_err(format!("a picture of {width}x{height} pixels"));
        let pitch = pitch.or(tight).ok_or_else(too_large)?;
        Ok(Present { at: GuestAddr::new(space, address), format, width, height, pitch, layout, label })
    }
}

fn number_of(names: &[&str], name: &str, what: &str) -> PyResult<u32> {
    let found = (0..).zip(names).find(|(_, known)| **known == name);
    let none = || PyValueError::new_err(format!("{what} {name:?} is none of {}", names.join(", ")));
    found.map(|(number, _)| number).ok_or_else(none)
}

fn format_number(name: &str) -> PyResult<u32> {
    number_of(&FORMATS, name, "format").map(|number| number + 1)
}

fn layout_number(name: &str, block_height: u32) -> PyResult<u32> {
    let number = number_of(&LAYOUTS, name, "layout")?;
    if !block_height.is_power_of_two() || block_height > 32 || (block_height > 1 && !matches!(number, 3 | 4)) {
        return Err(PyValueError::new_err(format!("block_height {block_height} of {name}")));
    }
    Ok(number | block_height.ilog2() << 8)
}

/// The name of a format; None for a number without one.
pub fn format_name(number: u32) -> Option<&'static str> {
    FORMATS.get(number.checked_sub(1)? as usize).copied()
}

/// The name of a layout, and the height of its blocks in GOBs; None for a number without one.
pub fn layout_name(number: u32) -> Option<(&'static str, u32)> {
    Layout::from_number(number)?;
    Some((LAYOUTS.get((number & 0xFF) as usize)?, 1 << (number >> 8)))
}

/// Access of the GPU by letters: "r", "w", "rw", "".
///
/// # Errors
/// `ValueError` for others.
pub fn access(letters: &str) -> PyResult<Access> {
    match letters {
        "" | "r" | "w" | "rw" => Ok(Access { read: letters.contains('r'), write: letters.contains('w') }),
        _ => Err(PyValueError::new_err(format!("access {letters:?} is none of r, w, rw"))),
    }
}

/// The letters of an access.
pub fn access_letters(access: Access) -> &'static str {
    match (access.read, access.write) {
        (true, true) => "rw",
        (true, false) => "r",
        (false, true) => "w",
        (false, false) => "",
    }
}
