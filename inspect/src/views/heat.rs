//! Heat maps: how often the pixels of a surface were drawn to in a range of events, and the outcomes of fragments.

use std::ops::Range;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::Serialize;
use triglyph::Error;
use triglyph::capture::Picture;
use triglyph::probe::{FragmentCounts, Surface, Verdict};

use super::counted::Counted;
use crate::replay::Session;
use crate::surfaces::is_same;

/// How often each stored pixel of a part of a surface was drawn to, row after row as they are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    /// The part: the first pixel of a row, the first row, pixels of a row, rows.
    pub area: [u32; 4],
    /// Draws that were counted.
    pub draws: usize,
    /// Those of them with known outcomes of fragments.
    pub judged: usize,
    /// Draws that are not counted, as they are too large. Each may have been to another surface of its event.
    pub left_out: usize,
    /// Fragments before any test: the depth complexity.
    pub fragments: Vec<u32>,
    /// Events that changed the pixel's bytes: the overdraw, as far as it shows.
    pub changes: Vec<u32>,
    /// Outcomes of the fragments of the tested draws, by [`Verdict::ALL`].
    pub verdicts: [Vec<u32>; Verdict::ALL.len()],
}

/// Stored pixels of the largest surface that is counted.
const MAX_PIXELS: u64 = 1 << 23;

impl Session<'_> {
    /// Counts for a surface what the draws of some events do to its pixels. Fragments are those of draws that have the
    /// surface, changes those of any of their events that draw to it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for events that there are not, and for surfaces of more than 2^23 pixels; otherwise
    /// as [`Self::tour`].
    pub fn heat(&mut self, surface: &Surface, events: Range<usize>) -> Result<Heat, Error> {
        if !has_heat(surface) {
            return Err(Error::InvalidArgument(format!("a surface of {}x{} pixels", surface.width, surface.rows)));
        }
        let whole = Heat::new([0, 0, surface.width, surface.rows]);
        let (heat, _) = self.fold_fragments(events, &[*surface], (whole, *surface), |(heat, surface), counted| {
            heat.add(surface, counted, 0);
        })?;
        Ok(heat)
    }
}

/// Whether a surface is small enough to be counted.
pub(super) fn has_heat(surface: &Surface) -> bool {
    u64::from(surface.width) * u64::from(surface.rows) <= MAX_PIXELS
}

/// The stored pixels of a surface in which a draw has fragments.
fn stored_area(surface: &Surface, counts: &FragmentCounts) -> [u32; 4] {
    let ([across, down], [x, y, width, rows]) = (surface.samples.map(u32::from), counts.area);
    [x * across, y * down, width * across, rows * down]
}

impl Heat {
    fn new(area: [u32; 4]) -> Self {
        let empty = || vec![0; area[2] as usize * area[3] as usize];
        Heat {
            area,
            draws: 0,
            judged: 0,
            left_out: 0,
            fragments: empty(),
            changes: empty(),
            verdicts: std::array::from_fn(|_| empty()),
        }
    }

    /// The heat of one event, in the part of the surface that it draws to; `None` if it does not draw to it. `number`:
    /// which of the surfaces that were looked at it is.
    pub(super) fn of_event(surface: &Surface, counted: &Counted, number: usize) -> Option<Heat> {
        let areas = counted.draws.iter().filter(|counts| has_surface(counts, surface));
        let [x0, y0, x1, y1] =
            areas.map(|counts| stored_area(surface, counts)).fold([u32::MAX, u32::MAX, 0, 0], |all, part| {
                let [x, y, width, rows] = part;
                [all[0].min(x), all[1].min(y), all[2].max(x + width), all[3].max(y + rows)]
            });
        let (x1, y1) = (x1.min(surface.width), y1.min(surface.rows));
        if x1 <= x0 || y1 <= y0 {
            return None;
        }
        let mut heat = Heat::new([x0, y0, x1 - x0, y1 - y0]);
        heat.add(surface, counted, number);
        Some(heat)
    }

    /// Adds what an event does.
    fn add(&mut self, surface: &Surface, counted: &Counted, number: usize) {
        let mut is_drawn = false;
        self.left_out += counted.left_out;
        for counts in counted.draws.iter().filter(|counts| has_surface(counts, surface)) {
            is_drawn = true;
            self.draws += 1;
            self.add_fragments(surface, counts);
            self.add_verdicts(surface, counts);
        }
        let shown = counted.shown.iter().position(|&shown| shown == number).filter(|_| is_drawn);
        let bytes = shown.and_then(|shown| counted.before.get(shown).zip(counted.after.get(shown)));
        if let Some((before, after)) = bytes {
            self.add_changes(surface, before, after);
        }
    }

    /// Where the number of a stored pixel is.
    fn index(&self, x: u32, y: u32) -> Option<usize> {
        let [x0, y0, width, rows] = self.area;
        let (dx, dy) = (x.checked_sub(x0)?, y.checked_sub(y0)?);
        (dx < width && dy < rows).then_some((dy * width + dx) as usize)
    }

    /// All samples of a pixel have its fragments.
    fn add_fragments(&mut self, surface: &Surface, counts: &FragmentCounts) {
        let [across, down] = surface.samples.map(u32::from);
        let [x0, y0, width, _] = counts.area;
        for (y, row) in (y0..).zip(counts.counts.chunks(width.max(1) as usize)) {
            for (x, &count) in (x0..).zip(row).filter(|(_, count)| **count != 0) {
                for (dx, dy) in (0..down).flat_map(|dy| (0..across).map(move |dx| (dx, dy))) {
                    if let Some(at) = self.index(x * across + dx, y * down + dy) {
                        self.fragments[at] += count;
                    }
                }
            }
        }
    }

    fn add_verdicts(&mut self, surface: &Surface, counts: &FragmentCounts) {
        let Some(judged) = &counts.judged else { return };
        self.judged += 1;
        let [x0, y0, width, _] = stored_area(surface, counts);
        for (number, found) in judged.verdicts.iter().enumerate() {
            for (y, row) in (y0..).zip(found.chunks(width.max(1) as usize)) {
                for (x, &count) in (x0..).zip(row).filter(|(_, count)| **count != 0) {
                    if let Some(at) = self.index(x, y) {
                        self.verdicts[number][at] += count;
                    }
                }
            }
        }
    }

    fn add_changes(&mut self, surface: &Surface, before: &[u8], after: &[u8]) {
        if before == after {
            return;
        }
        let ([x0, y0, width, _], bytes) = (self.area, surface.bytes as usize);
        for (index, changes) in (0..).zip(&mut self.changes) {
            let at = surface.offset(x0 + index % width, y0 + index / width) as usize;
            *changes += u32::from(after.get(at..at + bytes) != before.get(at..at + bytes));
        }
    }

    /// The answer for a page.
    pub(super) fn answer(&self, surface: &Surface) -> HeatAnswer {
        let all = [("fragments", &self.fragments), ("changes", &self.changes)].into_iter();
        let names = Verdict::ALL.map(verdict_name);
        let maps: Vec<(&str, &Vec<u32>)> = all.chain(names.into_iter().zip(&self.verdicts)).collect();
        let maps: Vec<_> = maps.into_iter().filter(|(_, counts)| counts.iter().any(|&count| count != 0)).collect();
        let word = |count: u32| [(count >> 16).min(255) as u8, (count >> 8) as u8, count as u8, 255];
        let rgba = maps.iter().flat_map(|(_, counts)| counts.iter().flat_map(|&count| word(count))).collect();
        let picture = Picture { width: self.area[2], height: self.area[3] * maps.len() as u32, rgba };
        // Only a picture without pixels has no PNG.
        let png = picture.to_png(true).map_or_else(|_| String::new(), |png| BASE64.encode(&png));
        HeatAnswer {
            width: surface.width,
            rows: surface.rows,
            area: self.area,
            draws: self.draws,
            judged: self.judged,
            left_out: self.left_out,
            maps: maps.into_iter().map(|(name, _)| name).collect(),
            png,
        }
    }
}

/// A heat map in an answer.
#[derive(Serialize)]
pub struct HeatAnswer {
    width: u32,
    rows: u32,
    area: [u32; 4],
    draws: usize,
    judged: usize,
    left_out: usize,
    /// Maps with counts in them.
    maps: Vec<&'static str>,
    /// Pictures of these maps below each other, in Base64: counts of 24 bits, the highest in red.
    png: String,
}

/// What pages call the fragments with a verdict.
fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Alpha => "alpha",
        Verdict::Bounds => "bounds",
        Verdict::Stencil => "stencil",
        Verdict::Depth => "depth",
        _ => "discarded",
    }
}

fn has_surface(counts: &FragmentCounts, surface: &Surface) -> bool {
    counts.surfaces.iter().any(|found| is_same(found, surface))
}
