//! Pictures of a page: each is stored as the difference to the one before it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use triglyph::GuestRange;
use triglyph::capture::Picture;

use crate::canvas::{Canvas, color_at};
use crate::limits::{MAX_LOOK_BYTES, Room};
use crate::page_data::PagePicture;

/// Bytes that are compared before their pixels are.
const BLOCK: usize = 4096;
/// Pictures that one is made of at most.
const MAX_CHAIN: u32 = 16;

/// Bytes of a picture in JSON, about, besides its PNG.
const PICTURE_BYTES: usize = 80;
/// Bytes of pictures that came last, with what they are made of, which later ones are compared with.
const MAX_KEPT: u64 = 2 * MAX_LOOK_BYTES;

/// The pictures of all canvases. Those that came last are kept, as far as there is room for them: then that of the
/// canvas whose turn is longest ago is dropped, and its next one is whole.
pub struct Pictures {
    canvases: Vec<CanvasPictures>,
    /// Canvases whose latest picture is kept, that of the latest turn last.
    kept: Vec<usize>,
}

impl Pictures {
    pub fn new(canvases: Vec<Canvas>) -> Self {
        Pictures { canvases: canvases.into_iter().map(CanvasPictures::new).collect(), kept: Vec::new() }
    }

    /// The memory that a canvas is in.
    pub fn range(&self, canvas: usize) -> GuestRange {
        self.canvases[canvas].canvas.range()
    }

    /// Adds the picture of a canvas's bytes, unless it is the one that came last; returns its number. `None` if there
    /// is no room for it.
    pub fn note(
        &mut self,
        canvas: usize,
        pictures: &mut Vec<PagePicture>,
        room: &mut Room,
        bytes: Vec<u8>,
    ) -> Option<usize> {
        self.kept.retain(|&kept| kept != canvas);
        let number = self.canvases[canvas].note(pictures, room, bytes);
        self.kept.push(canvas);
        let size = |kept: &usize| self.canvases[*kept].size();
        let mut total: u64 = self.kept.iter().map(size).sum();
        while total > MAX_KEPT && self.kept.len() > 1 {
            let oldest = self.kept.remove(0);
            total -= self.canvases[oldest].size();
            self.canvases[oldest].forget();
        }
        number
    }
}

/// The pictures of a canvas.
struct CanvasPictures {
    canvas: Canvas,
    /// Of a surface the offsets of its stored pixels, row after row, while a picture is kept.
    offsets: Vec<u32>,
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
    fn new(canvas: Canvas) -> Self {
        CanvasPictures { canvas, offsets: Vec::new(), latest: None }
    }

    /// Bytes that are kept of it.
    fn size(&self) -> u64 {
        let latest = self.latest.as_ref().map_or(0, |latest| latest.bytes.len() + latest.picture.rgba.len());
        (latest + 4 * self.offsets.len()) as u64
    }

    /// Drops what is kept.
    fn forget(&mut self) {
        (self.offsets, self.latest) = (Vec::new(), None);
    }

    fn note(&mut self, pictures: &mut Vec<PagePicture>, room: &mut Room, bytes: Vec<u8>) -> Option<usize> {
        let number = pictures.len();
        let Some(latest) = self.latest.take() else {
            let picture = self.canvas.picture(&bytes);
            add(pictures, room, whole(&picture))?;
            self.latest = Some(Latest { number, bytes, chain: 0, picture });
            return Some(number);
        };
        let next = if latest.bytes == bytes { None } else { self.next(&latest, &bytes) };
        let Some((picture, changed)) = next else {
            let number = latest.number;
            self.latest = Some(Latest { bytes, ..latest });
            return Some(number);
        };
        let is_whole = (changed[2] - changed[0], changed[3] - changed[1]) == (picture.width, picture.height);
        let chain = if latest.chain < MAX_CHAIN && !is_whole { latest.chain + 1 } else { 0 };
        let made = if chain == 0 { whole(&picture) } else { part(&picture, changed, Some(latest.number)) };
        add(pictures, room, made)?;
        self.latest = Some(Latest { number, bytes, chain, picture });
        Some(number)
    }

    /// Offsets of stored pixels. Surfaces that are shown have at most 2^28 bytes.
    fn offsets(canvas: &Canvas) -> Vec<u32> {
        match canvas {
            Canvas::Surface(surface) => {
                let row = |y: u32| (0..surface.width).map(move |x| surface.offset(x, y) as u32);
                (0..surface.rows).flat_map(row).collect()
            }
            Canvas::Output(..) => Vec::new(),
        }
    }

    /// The picture after the latest one, and what differs: left, top, one after right and bottom. `None` if nothing
    /// does that can be seen.
    fn next(&mut self, latest: &Latest, bytes: &[u8]) -> Option<(Picture, [u32; 4])> {
        if self.offsets.is_empty() {
            self.offsets = Self::offsets(&self.canvas);
        }
        let mut picture = latest.picture.clone();
        match &self.canvas {
            Canvas::Output(..) => picture = self.canvas.picture(bytes),
            Canvas::Surface(surface) => {
                let size = surface.bytes as usize;
                let blocks = bytes.chunks(BLOCK).zip(latest.bytes.chunks(BLOCK));
                let changed: Vec<bool> = blocks.map(|(after, before)| after != before).collect();
                let may_differ = |at: usize| changed.get(at / BLOCK).copied().unwrap_or(false);
                for (&offset, color) in self.offsets.iter().zip(picture.rgba.as_chunks_mut().0) {
                    let pixel = offset as usize..offset as usize + size;
                    let may_differ = may_differ(pixel.start) || may_differ(pixel.end.saturating_sub(1));
                    if may_differ && bytes.get(pixel.clone()) != latest.bytes.get(pixel) {
                        *color = color_at(surface, bytes, offset.into());
                    }
                }
            }
        }
        let changed = difference(&latest.picture, &picture)?;
        Some((picture, changed))
    }
}

/// Adds a picture, if there is room for it.
fn add(pictures: &mut Vec<PagePicture>, room: &mut Room, picture: PagePicture) -> Option<()> {
    room.take(PICTURE_BYTES + picture.png.len()).then(|| pictures.push(picture))
}

fn whole(picture: &Picture) -> PagePicture {
    part(picture, [0, 0, picture.width, picture.height], None)
}

/// A part of a picture, over another one.
fn part(picture: &Picture, rect: [u32; 4], base: Option<usize>) -> PagePicture {
    // Only a picture without pixels has no PNG.
    let png = crop(picture, rect).to_png(true).map_or_else(|_| String::new(), |png| BASE64.encode(&png));
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
    use triglyph::GuestAddr;
    use triglyph::capture::Present;

    use super::*;

    fn output(label: &str) -> Canvas {
        let present = Present {
            at: GuestAddr::new(0, 0),
            format: 6,
            width: 4096,
            height: 4096,
            pitch: 4 * 4096,
            layout: 0,
            label: label.to_owned(),
        };
        Canvas::Output(present, false)
    }

    #[test]
    fn few_large_pictures_are_kept() {
        let mut pictures = Pictures::new((0..8).map(|n| output(&n.to_string())).collect());
        let bytes = vec![0; 4 * 4096 * 4096];
        let (mut made, mut room) = (Vec::new(), Room::new(1 << 20));
        let mut note = |canvas, bytes: &[u8]| {
            let number = pictures.note(canvas, &mut made, &mut room, bytes.to_vec());
            let kept: u64 = pictures.canvases.iter().map(CanvasPictures::size).sum();
            assert!(kept <= MAX_KEPT, "{kept} bytes");
            (number, made.len())
        };
        for canvas in 0..8 {
            assert_eq!(note(canvas, &bytes), (Some(canvas), canvas + 1));
        }
        // The last one is still known, the first one not.
        assert_eq!(note(7, &bytes), (Some(7), 8));
        assert_eq!(note(0, &bytes), (Some(8), 9));
    }

    #[test]
    fn pictures_take_the_room_that_there_is() {
        let mut pictures = Pictures::new(vec![output("a")]);
        let (mut made, mut room) = (Vec::new(), Room::new(100));
        assert_eq!(pictures.note(0, &mut made, &mut room, vec![0; 4 * 4096 * 4096]), None);
        assert!(made.is_empty());
    }

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
