//! What lies over the picture of a surface at a draw: its outline, the borders of its primitives, those that show their
//! backs, pixels whose fragments failed the depth test, and stored values that are no numbers.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::Serialize;
use triglyph::Error;
use triglyph::capture::Picture;
use triglyph::probe::{Counting, FragmentCounts, Surface, Verdict};

use super::counted::Counted;
use super::heat::has_heat;
use crate::pixel::is_nan;
use crate::replay::Session;
use crate::surfaces::is_same;

/// What lies over a stored pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// Bits of each stored pixel, row after row as they are stored.
    pub bits: Vec<u8>,
    /// Whether the draws have told of all their fragments; without that bits are missing.
    pub is_whole: bool,
}

impl Overlay {
    /// The draw has fragments at the pixel and not at all of its neighbours.
    pub const OUTLINE: u8 = 1;
    /// A primitive has a fragment at the pixel and not at all of its neighbours.
    pub const WIREFRAME: u8 = 2;
    /// A primitive that shows its back has a fragment at the pixel: on the 3DS a clockwise one.
    pub const BACK: u8 = 4;
    /// A fragment at the pixel has failed the depth test.
    pub const DEPTH_FAILED: u8 = 8;
    /// A component of the value that is stored after the event is no number.
    pub const NAN: u8 = 16;
}

/// An overlay in an answer.
#[derive(Serialize)]
pub struct OverlayAnswer {
    is_whole: bool,
    /// How many pixels have each of the bits.
    counts: [usize; 5],
    /// A picture in Base64, with the bits in red.
    png: String,
}

impl Session<'_> {
    /// What lies over a surface at an event.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an event that there is not, and for a surface of more than 2^23 pixels;
    /// otherwise as [`Self::tour`].
    pub fn overlay(&mut self, surface: &Surface, event: usize) -> Result<Overlay, Error> {
        if !has_heat(surface) {
            return Err(Error::InvalidArgument(format!("a surface of {}x{} pixels", surface.width, surface.rows)));
        }
        let empty = Overlay { bits: vec![0; surface.width as usize * surface.rows as usize], is_whole: true };
        let start = (empty, *surface);
        let range = event..event.saturating_add(1);
        let add = |(overlay, surface): &mut (Overlay, Surface), counted: &Counted| overlay.add(surface, counted);
        Ok(self.fold_counts(range, (&[*surface], Counting::Shapes), start, add)?.0)
    }
}

impl Overlay {
    fn add(&mut self, surface: &Surface, counted: &Counted) {
        self.is_whole &= counted.left_out == 0;
        let drawn = |counts: &&FragmentCounts| counts.surfaces.iter().any(|found| is_same(found, surface));
        for counts in counted.draws.iter().filter(drawn) {
            self.add_draw(surface, counts);
        }
        self.outline(surface);
        if let Some(after) = counted.after.first() {
            self.add_values(surface, after);
        }
    }

    fn set(&mut self, surface: &Surface, (x, y): (u32, u32), bits: u8) {
        if x < surface.width && y < surface.rows {
            self.bits[y as usize * surface.width as usize + x as usize] |= bits;
        }
    }

    /// Each pixel of a draw is one or more stored ones. The outline's bit says at first that there is a fragment.
    fn add_draw(&mut self, surface: &Surface, counts: &FragmentCounts) {
        let [across, down] = surface.samples.map(u32::from);
        let [x0, y0, width, rows] = counts.area;
        let width = width.max(1);
        self.is_whole &= counts.shapes.len() == counts.counts.len() && counts.judged.is_some();
        for (at, _) in (0u32..).zip(&counts.counts).filter(|(_, count)| **count != 0) {
            let shape = counts.shapes.get(at as usize).copied().unwrap_or(0);
            let bit = |of: u8, bit: u8| if shape & of != 0 { bit } else { 0 };
            let bits =
                Self::OUTLINE | bit(FragmentCounts::BORDER, Self::WIREFRAME) | bit(FragmentCounts::BACK, Self::BACK);
            for (dx, dy) in (0..down).flat_map(|dy| (0..across).map(move |dx| (dx, dy))) {
                let place = ((x0 + at % width) * across + dx, (y0 + at / width) * down + dy);
                self.set(surface, place, bits);
            }
        }
        let Some(judged) = &counts.judged else { return };
        let stored = width * across;
        let failed = &judged.verdicts[Verdict::Depth as usize];
        for (at, _) in (0u32..).zip(failed).filter(|(_, count)| **count != 0).take((stored * rows * down) as usize) {
            self.set(surface, (x0 * across + at % stored, y0 * down + at / stored), Self::DEPTH_FAILED);
        }
    }

    /// Leaves the bit of the outline where a neighbour lacks it.
    fn outline(&mut self, surface: &Surface) {
        let width = surface.width as usize;
        let covered: Vec<bool> = self.bits.iter().map(|bits| bits & Self::OUTLINE != 0).collect();
        let is_covered = |at: Option<usize>| at.and_then(|at| covered.get(at)).copied().unwrap_or(false);
        for at in (0..covered.len()).filter(|&at| covered[at]) {
            let (x, left, right) = (at % width, at.checked_sub(1), Some(at + 1));
            let across = x > 0 && is_covered(left) && x + 1 < width && is_covered(right);
            if across && is_covered(at.checked_sub(width)) && is_covered(Some(at + width)) {
                self.bits[at] &= !Self::OUTLINE;
            }
        }
    }

    fn add_values(&mut self, surface: &Surface, bytes: &[u8]) {
        for (x, y) in (0..surface.rows).flat_map(|y| (0..surface.width).map(move |x| (x, y))) {
            let at = surface.offset(x, y) as usize;
            if bytes.get(at..at + surface.bytes as usize).is_some_and(|pixel| is_nan(&surface.stored, pixel)) {
                self.set(surface, (x, y), Self::NAN);
            }
        }
    }

    /// The answer for a page.
    pub(super) fn answer(&self, surface: &Surface) -> OverlayAnswer {
        let rgba = self.bits.iter().flat_map(|&bits| [bits, 0, 0, 255]).collect();
        let picture = Picture { width: surface.width, height: surface.rows, rgba };
        let count = |bit: u8| self.bits.iter().filter(|bits| **bits & bit != 0).count();
        OverlayAnswer {
            is_whole: self.is_whole,
            counts: [Self::OUTLINE, Self::WIREFRAME, Self::BACK, Self::DEPTH_FAILED, Self::NAN].map(count),
            // Only a picture without pixels has no PNG.
            png: picture.to_png(true).map_or_else(|_| String::new(), |png| BASE64.encode(&png)),
        }
    }
}
