//! The host's rows that pictures are stored in, and how pictures of other sizes are fitted.

use super::host_format::HostFormat;
use super::placement::{Placement, Presentation, Shown};
use super::presented::Presented;
use crate::error::Error;

/// The treatment of pictures whose size is not that of the host's rows. Guests choose sizes: the wide mode of the 3DS
/// has 800 columns instead of 400.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fit {
    /// The part that fits is stored, from the top left corner. Around a smaller picture the rows stay as they are.
    #[default]
    Cut,
    /// All of it is stored, smaller or larger, so that it fills the rows: the nearest pixel for each.
    Scale,
}

/// Rows of the host's that a picture goes to, top row first.
#[derive(Debug)]
pub struct HostRows<'h> {
    /// The bytes of all rows.
    pub bytes: &'h mut [u8],
    /// Bytes from a row to the next, at least those of a row. Bytes between rows are not changed.
    pub stride: usize,
    /// The format of the pixels.
    pub format: HostFormat,
    /// Pixels of a row; 0 for as many as the stride has.
    pub width: u32,
    /// How many rows; 0 for as many as there are.
    pub height: u32,
    /// The treatment of pictures of another size.
    pub fit: Fit,
}

impl<'h> HostRows<'h> {
    /// Rows of which each has as many pixels as the stride. Larger pictures are cut.
    pub fn new(bytes: &'h mut [u8], stride: usize, format: HostFormat) -> Self {
        HostRows { bytes, stride, format, width: 0, height: 0, fit: Fit::Cut }
    }

    /// The same with so many pixels in a row, and so many rows.
    #[must_use]
    pub fn with_size(self, width: u32, height: u32) -> Self {
        HostRows { width, height, ..self }
    }

    /// The same with another treatment of pictures that do not fit.
    #[must_use]
    pub fn with_fit(self, fit: Fit) -> Self {
        HostRows { fit, ..self }
    }

    /// The position of a picture that has at least one pixel.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for rows without room for a pixel, or for the size that the host gives them.
    pub(crate) fn place(&self, width: u32, height: u32) -> Result<Placement, Error> {
        let HostRows { stride, fit, .. } = *self;
        let most = self.row_pixels()?;
        let stored_width = if fit == Fit::Scale { most } else { most.min(width) };
        // The last row need not be followed by what is between rows.
        let after_first = |width: u32| self.bytes.len() - width as usize * self.format.bytes();
        let rows = |width: u32| u32::try_from(after_first(width) / stride).unwrap_or(u32::MAX).saturating_add(1);
        let most_rows = match self.height {
            0 => rows(stored_width),
            // Whatever the picture, the rows have the size that the host gives them.
            given if given > rows(if self.width == 0 { stored_width } else { self.width }) => {
                return Err(self.no_room(most, given));
            }
            given => given,
        };
        let stored_height = if fit == Fit::Scale { most_rows } else { most_rows.min(height) };
        let shown = match fit {
            _ if (stored_width, stored_height) == (width, height) => Shown::Whole,
            Fit::Cut => Shown::Cut,
            Fit::Scale => Shown::Scaled,
        };
        Ok(Placement { shown, width: stored_width, height: stored_height })
    }

    /// Pixels that a row may have.
    fn row_pixels(&self) -> Result<u32, Error> {
        let pixels = self.stride.min(self.bytes.len()) / self.format.bytes();
        let pixels = u32::try_from(pixels).unwrap_or(u32::MAX);
        match self.width {
            0 if pixels == 0 => Err(self.no_room(1, 1)),
            0 => Ok(pixels),
            width if width > pixels => Err(self.no_room(width, 1)),
            width => Ok(width),
        }
    }

    fn no_room(&self, width: u32, height: u32) -> Error {
        let (stride, bytes) = (self.stride, self.bytes.len());
        let what = format!("{width}x{height} pixels in {bytes} bytes of rows with a stride of {stride}");
        Error::InvalidArgument(what)
    }

    /// One colour over all of a picture: red, green, blue, alpha.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for rows without room for a pixel, or for the size that the host gives them.
    pub fn fill(
        &mut self,
        width: u32,
        height: u32,
        color: [u8; 4],
        presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        let place = self.place(width.max(1), height.max(1))?;
        if width == 0 || height == 0 {
            presented.forget();
            return Ok(Presentation::nothing(width, height));
        }
        let word = self
            .format
            .fields()
            .channels
            .iter()
            .zip(color)
            .fold(0, |word, (field, channel)| word | u32::from(channel) >> (8 - field.bits) << field.shift);
        let (pixel, bytes) = (word.to_le_bytes(), self.format.bytes());
        for row in self.bytes.chunks_mut(self.stride).take(place.height as usize) {
            let pixels = row[..place.width as usize * bytes].chunks_exact_mut(bytes);
            pixels.for_each(|to| to.copy_from_slice(&pixel[..bytes]));
        }
        presented.last = None;
        let filled = Some((place, color, self.format));
        let changed = std::mem::replace(&mut presented.filled, filled) != filled;
        Ok(place.presentation(changed, width, height, 0))
    }

    /// Pieces of so many rows.
    pub(crate) fn bands(&mut self, height: u32, rows: usize) -> Vec<&mut [u8]> {
        let bytes = self.bytes.len().min(self.stride.saturating_mul(height as usize));
        self.bytes[..bytes].chunks_mut(self.stride.saturating_mul(rows)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_find_their_place() {
        let mut bytes = [0; 4 * (10 * 3 + 8)];
        let mut place = |size: (u32, u32), fit, width, height| {
            let rows = HostRows::new(&mut bytes, 40, HostFormat::Rgba8).with_size(size.0, size.1).with_fit(fit);
            rows.place(width, height).map(|Placement { shown, width, height }| (shown, width, height)).ok()
        };
        // The last row is shorter than the stride.
        assert_eq!(place((0, 0), Fit::Cut, 8, 4), Some((Shown::Whole, 8, 4)));
        assert_eq!(place((0, 0), Fit::Cut, 9, 4), Some((Shown::Cut, 9, 3)));
        assert_eq!(place((0, 0), Fit::Cut, 100, 2), Some((Shown::Cut, 10, 2)));
        assert_eq!(place((0, 0), Fit::Scale, 5, 4), Some((Shown::Scaled, 10, 3)));
        assert_eq!(place((8, 4), Fit::Scale, 16, 4), Some((Shown::Scaled, 8, 4)));
        assert_eq!(place((8, 4), Fit::Scale, 8, 4), Some((Shown::Whole, 8, 4)));
        assert_eq!(place((8, 4), Fit::Cut, 2, 9), Some((Shown::Cut, 2, 4)));
        // A size that the rows do not have is the host's mistake, whatever the picture.
        assert_eq!(place((11, 1), Fit::Cut, 1, 1), None);
        assert_eq!((place((9, 4), Fit::Scale, 1, 1), place((9, 4), Fit::Cut, 1, 1)), (None, None));
        let has_place =
            |bytes: usize, stride| HostRows::new(&mut vec![0; bytes], stride, HostFormat::Rgb565).place(1, 1).is_ok();
        assert!(!has_place(1, 2) && !has_place(8, 1) && !has_place(8, 0) && has_place(2, 2));
    }
}
