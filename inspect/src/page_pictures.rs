//! Pictures of a page: each is stored as what differs from the one before it.

use triglyph::GuestRange;
use triglyph::capture::Picture;

use crate::canvas::{Canvas, color_at};
use crate::page::base64;
use crate::page_data::PagePicture;

/// Pictures that one is made of at most.
const MAX_CHAIN: u32 = 16;

/// The pictures of a canvas.
pub struct CanvasPictures {
    canvas: Canvas,
    /// Of a surface the offsets of its stored pixels, row after row.
    offsets: Vec<u64>,
    latest: Option<Latest>,
}

/// The picture that came last.
struct Latest {
    number: usize,
    bytes: Vec<u8>,
    chain: u32,
    picture: Picture,
}

impl CanvasPictures {
    pub fn new(canvas: Canvas) -> Self {
        let offsets = match &canvas {
            Canvas::Surface(surface) => {
                let row = |y: u32| (0..surface.width).map(move |x| surface.offset(x, y));
                (0..surface.rows).flat_map(row).collect()
            }
            Canvas::Output(..) => Vec::new(),
        };
        CanvasPictures { canvas, offsets, latest: None }
    }

    /// The memory that it is in.
    pub fn range(&self) -> GuestRange {
        self.canvas.range()
    }

    /// Adds the picture of its bytes, unless it is the one that came last; returns its number.
    pub fn note(&mut self, pictures: &mut Vec<PagePicture>, bytes: Vec<u8>) -> usize {
        let number = pictures.len();
        let Some(latest) = self.latest.take() else {
            let picture = self.canvas.picture(&bytes);
            pictures.push(whole(&picture));
            self.latest = Some(Latest { number, bytes, chain: 0, picture });
            return number;
        };
        let next = if latest.bytes == bytes { None } else { self.next(&latest, &bytes) };
        let Some((picture, changed)) = next else {
            let number = latest.number;
            self.latest = Some(Latest { bytes, ..latest });
            return number;
        };
        let is_whole = (changed[2] - changed[0], changed[3] - changed[1]) == (picture.width, picture.height);
        let chain = if latest.chain < MAX_CHAIN && !is_whole { latest.chain + 1 } else { 0 };
        pictures.push(if chain == 0 { whole(&picture) } else { part(&picture, changed, Some(latest.number)) });
        self.latest = Some(Latest { number, bytes, chain, picture });
        number
    }

    /// The picture after the latest one, and what differs: left, top, one after right and bottom. `None` if nothing
    /// does that can be seen.
    fn next(&self, latest: &Latest, bytes: &[u8]) -> Option<(Picture, [u32; 4])> {
        let mut picture = latest.picture.clone();
        match &self.canvas {
            Canvas::Output(..) => picture = self.canvas.picture(bytes),
            Canvas::Surface(surface) => {
                let size = surface.bytes as usize;
                for (&offset, color) in self.offsets.iter().zip(picture.rgba.as_chunks_mut().0) {
                    let pixel = offset as usize..offset as usize + size;
                    if bytes.get(pixel.clone()) != latest.bytes.get(pixel) {
                        *color = color_at(surface, bytes, offset);
                    }
                }
            }
        }
        let changed = difference(&latest.picture, &picture)?;
        Some((picture, changed))
    }
}

fn whole(picture: &Picture) -> PagePicture {
    part(picture, [0, 0, picture.width, picture.height], None)
}

/// A part of a picture, over another one.
fn part(picture: &Picture, rect: [u32; 4], base: Option<usize>) -> PagePicture {
    // Only a picture without pixels has no PNG.
    let png = crop(picture, rect).to_png(true).map_or_else(|_| String::new(), |png| base64(&png));
    PagePicture { width: picture.width, height: picture.height, base, x: rect[0], y: rect[1], png }
}

/// The smallest rectangle that holds all pixels that differ, as left, top, and one after right and bottom.
fn difference(a: &Picture, b: &Picture) -> Option<[u32; 4]> {
    if (a.width, a.height) != (b.width, b.height) {
        return Some([0, 0, b.width, b.height]);
    }
    let mut found: Option<[u32; 4]> = None;
    let row = 4 * a.width.max(1) as usize;
    let rows = a.rgba.chunks_exact(row).zip(b.rgba.chunks_exact(row));
    for (y, (before, after)) in (0..).zip(rows).filter(|(_, (before, after))| before != after) {
        let differs = |(_, (a, b)): &(u32, (&[u8; 4], &[u8; 4]))| a != b;
        let pixels = || (0..).zip(before.as_chunks().0.iter().zip(after.as_chunks().0)).filter(differs);
        let (Some((first, _)), Some((last, _))) = (pixels().next(), pixels().last()) else { continue };
        let [x0, y0, x1, _] = found.unwrap_or([first, y, last + 1, y + 1]);
        found = Some([x0.min(first), y0, x1.max(last + 1), y + 1]);
    }
    found
}

fn crop(picture: &Picture, [x0, y0, x1, y1]: [u32; 4]) -> Picture {
    let row = |y: u32| {
        let at = |x: u32| 4 * (y as usize * picture.width as usize + x as usize);
        &picture.rgba[at(x0)..at(x1)]
    };
    Picture { width: x1 - x0, height: y1 - y0, rgba: (y0..y1).flat_map(row).copied().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_the_smallest_rectangle() {
        let blank = Picture { width: 4, height: 3, rgba: vec![0; 48] };
        assert_eq!(difference(&blank, &blank), None);
        let mut other = blank.clone();
        other.rgba[4 * 6 + 1] = 1;
        assert_eq!(difference(&blank, &other), Some([2, 1, 3, 2]));
        other.rgba[4 * 9] = 1;
        assert_eq!(difference(&blank, &other), Some([1, 1, 3, 3]));
        assert_eq!(crop(&other, [1, 1, 3, 3]).rgba.len(), 16);
    }
}
