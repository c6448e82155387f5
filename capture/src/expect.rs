//! Comparing a picture with the one that EXPECT holds.

use std::io::Cursor;

use super::format::Expect;
use super::picture::{MAX_EDGE, MAX_PIXELS, Picture};

/// A picture to compare with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The picture; alpha is 255 where the PNG has none.
    pub picture: Picture,
    /// Whether alpha counts.
    pub has_alpha: bool,
    /// Largest difference allowed per channel, in 8-bit steps.
    pub tolerance: u32,
    /// How many pixels in a thousand may exceed it.
    pub permille: u32,
}

/// A pixel that differs by more than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Column, from the left.
    pub x: u32,
    /// Row, from the top.
    pub y: u32,
    /// RGBA expected.
    pub want: [u8; 4],
    /// RGBA found.
    pub got: [u8; 4],
}

/// How a picture compares with the one expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Whether it is close enough.
    pub ok: bool,
    /// Whether the sizes agree; if not, all pixels count as differing.
    pub same_size: bool,
    /// Pixels compared.
    pub pixels: u64,
    /// Pixels beyond the tolerance.
    pub over: u64,
    /// Pixels that differ at all.
    pub unequal: u64,
    /// Largest difference of a channel.
    pub max_difference: u8,
    /// The first pixel beyond the tolerance, row by row.
    pub first: Option<Differing>,
}

impl Expected {
    /// Decodes the PNG of an EXPECT.
    ///
    /// # Errors
    /// The error.
    pub fn decode(expect: &Expect<'_>) -> Result<Self, String> {
        let (picture, has_alpha) = decode_png(&expect.png)?;
        Ok(Expected { picture, has_alpha, tolerance: expect.tolerance, permille: expect.permille })
    }

    /// Compares a picture.
    pub fn compare(&self, got: &Picture) -> Comparison {
        let want = &self.picture;
        let pixels = u64::from(want.width) * u64::from(want.height);
        if (want.width, want.height) != (got.width, got.height) {
            let all = Comparison { ok: false, same_size: false, pixels, over: pixels, ..Comparison::EQUAL };
            return Comparison { unequal: pixels, max_difference: 255, ..all };
        }
        let mut result = Comparison { pixels, ..Comparison::EQUAL };
        let pairs = want.rgba.as_chunks::<4>().0.iter().zip(got.rgba.as_chunks::<4>().0);
        for (index, (want, got)) in pairs.enumerate() {
            let difference = difference(want, got, self.has_alpha);
            if difference == 0 {
                continue;
            }
            result.unequal += 1;
            result.max_difference = result.max_difference.max(difference);
            if u32::from(difference) > self.tolerance {
                result.over += 1;
                let (x, y) = (index as u32 % self.picture.width, index as u32 / self.picture.width);
                result.first = result.first.or(Some(Differing { x, y, want: *want, got: *got }));
            }
        }
        result.ok = result.over.saturating_mul(1000) <= u64::from(self.permille).saturating_mul(pixels);
        result
    }

    /// A picture of the differences: black where equal, grey to white within the tolerance and red beyond it, each
    /// the brighter the larger. `None` when the sizes disagree.
    pub fn difference_picture(&self, got: &Picture) -> Option<Picture> {
        let Picture { width, height, .. } = self.picture;
        if (width, height) != (got.width, got.height) {
            return None;
        }
        let mut rgba = Vec::with_capacity(got.rgba.len());
        for (want, got) in self.picture.rgba.as_chunks::<4>().0.iter().zip(got.rgba.as_chunks::<4>().0) {
            let difference = difference(want, got, self.has_alpha);
            let bright = match difference {
                0 => 0,
                more => more.saturating_mul(8).max(64),
            };
            let over = u32::from(difference) > self.tolerance;
            rgba.extend(if over { [bright, 0, 0, 255] } else { [bright / 2, bright / 2, bright / 2, 255] });
        }
        Some(Picture { width, height, rgba })
    }
}

impl Comparison {
    const EQUAL: Comparison =
        Comparison { ok: true, same_size: true, pixels: 0, over: 0, unequal: 0, max_difference: 0, first: None };
}

/// The largest difference of a channel.
fn difference(want: &[u8; 4], got: &[u8; 4], alpha: bool) -> u8 {
    let channels = if alpha { 4 } else { 3 };
    want.iter().zip(got).take(channels).map(|(want, got)| want.abs_diff(*got)).max().unwrap_or(0)
}

/// Decodes a PNG of any colour type to RGBA; the flag says whether it has alpha.
pub fn decode_png(file: &[u8]) -> Result<(Picture, bool), String> {
    let broken = |error: png::DecodingError| format!("broken PNG: {error}");
    let limits = png::Limits { bytes: 4 * MAX_PIXELS as usize };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(broken)?;
    let (width, height) = reader.info().size();
    if width > MAX_EDGE || height > MAX_EDGE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!("a PNG of {width}x{height} pixels"));
    }
    let size = reader.output_buffer_size().ok_or_else(|| "a PNG too large for memory".to_owned())?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(broken)?;
    pixels.truncate(frame.buffer_size());
    let alpha = matches!(frame.color_type, png::ColorType::Rgba | png::ColorType::GrayscaleAlpha);
    let rgba = match frame.color_type {
        png::ColorType::Rgba => pixels,
        png::ColorType::Rgb => pixels.chunks_exact(3).flat_map(|p| [p[0], p[1], p[2], 255]).collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|v| [*v, *v, *v, 255]).collect(),
        png::ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        png::ColorType::Indexed => return Err("a PNG whose palette was not applied".to_owned()),
    };
    if (frame.width, frame.height) != (width, height) || rgba.len() as u64 != 4 * u64::from(width) * u64::from(height) {
        return Err("a PNG whose pixels do not fill it".to_owned());
    }
    Ok((Picture { width, height, rgba }, alpha))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(width: u32, height: u32, colour: [u8; 4]) -> Picture {
        Picture { width, height, rgba: colour.repeat((width * height) as usize) }
    }

    fn expected(picture: &Picture, alpha: bool, tolerance: u32, permille: u32) -> Expected {
        let png = picture.to_png(alpha).unwrap();
        Expected::decode(&Expect { tolerance, permille, png: png.as_slice().into() }).unwrap()
    }

    #[test]
    fn png_keeps_pixels_and_says_whether_alpha_counts() {
        let picture = Picture { width: 2, height: 1, rgba: vec![1, 2, 3, 4, 5, 6, 7, 8] };
        assert_eq!(decode_png(&picture.to_png(true).unwrap()).unwrap(), (picture.clone(), true));
        let (opaque, alpha) = decode_png(&picture.to_png(false).unwrap()).unwrap();
        assert_eq!((opaque.rgba, alpha), (vec![1, 2, 3, 255, 5, 6, 7, 255], false));
    }

    #[test]
    fn tolerance_is_inclusive_and_permille_counts_pixels() {
        let want = flat(10, 100, [100, 100, 100, 0]);
        let mut got = want.clone();
        got.rgba[4 * 57 + 2] = 107;
        got.rgba[4 * 58] = 94;
        got.rgba[3] = 200;
        let compare = |tolerance, permille| expected(&want, false, tolerance, permille).compare(&got);
        assert!(compare(7, 0).ok);
        let close = compare(6, 1);
        assert!(close.ok);
        assert_eq!((close.over, close.unequal, close.max_difference), (1, 2, 7));
        let first = Differing { x: 7, y: 5, want: [100, 100, 100, 255], got: [100, 100, 107, 0] };
        assert_eq!(close.first, Some(first));
        assert!(!compare(6, 0).ok);
        assert!(!compare(5, 1).ok);
        assert!(compare(5, 2).ok);
        assert!(!expected(&want, true, 7, 0).compare(&got).ok);
    }

    #[test]
    fn another_size_is_a_difference() {
        let result = expected(&flat(2, 2, [0; 4]), true, 255, 999).compare(&flat(2, 3, [0; 4]));
        assert!(!result.ok && !result.same_size);
    }

    #[test]
    fn broken_pngs_are_errors() {
        let png = flat(9, 9, [7; 4]).to_png(true).unwrap();
        for length in 0..png.len() - 12 {
            assert!(decode_png(&png[..length]).is_err(), "{length}");
        }
        let mut huge = png.clone();
        huge[16..20].copy_from_slice(&0x7FFF_FFFFu32.to_be_bytes());
        assert!(decode_png(&huge).is_err());
    }
}
