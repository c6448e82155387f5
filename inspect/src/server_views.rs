//! Answers of the server about memory and pictures: values, thumbnails, ranges of memory, events that are drawn again.

use std::time::Instant;

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::Serialize;
use triglyph::GuestRange;

use crate::answer::{Answer, json};
use crate::canvas::Canvas;
use crate::fault_text::fault_text;
use crate::pixel::pixel_text;
use crate::redraw::{Edited, Redrawn};
use crate::serve::{Looked, Server};
use crate::tour::{Ask, Moment};

/// Bytes of memory in an answer at most.
const MAX_MEMORY: u64 = 1 << 16;
/// Pixels across and down of a thumbnail at most.
const THUMBNAIL: u32 = 48;

/// An event that was drawn again, in an answer.
#[derive(Serialize)]
struct RedrawAnswer {
    /// Pictures in Base64.
    before: String,
    after: String,
    /// Pixels that differ between them.
    differ: usize,
    /// Whether both tiers have stored the same bytes.
    agree: bool,
    /// Faults of the event, also those of edits that are not possible.
    faults: Vec<String>,
    /// Why there are no pictures.
    error: Option<String>,
}

impl Server<'_> {
    /// The bytes of a canvas at an event.
    fn bytes_of(&mut self, event: usize, canvas: usize, moment: Moment) -> Option<&[u8]> {
        let of = (event, canvas, moment);
        if self.looked.as_ref().is_none_or(|looked| looked.of != of) {
            let range = self.canvases.get(canvas)?.range();
            // Room for the new ones first: both may be large.
            self.looked = None;
            let seen = self.session.show(event, moment, Ask { registers: false, ranges: vec![range] }).ok()?;
            self.looked = Some(Looked { of, bytes: seen.ranges.into_iter().next()? });
        }
        self.looked.as_ref().map(|looked| &looked.bytes[..])
    }

    /// The value of a stored pixel of a surface as text.
    pub(crate) fn value(&mut self, event: usize, canvas: usize, moment: Moment, [x, y]: [u32; 2]) -> Option<Answer> {
        let Canvas::Surface(surface) = *self.canvases.get(canvas)? else { return None };
        if x >= surface.width || y >= surface.rows {
            return None;
        }
        let at = usize::try_from(surface.offset(x, y)).ok()?;
        let pixel = self.bytes_of(event, canvas, moment)?.get(at..at + surface.bytes as usize)?;
        json(&pixel_text(&surface.stored, pixel))
    }

    /// A small picture of a canvas after an event.
    pub(crate) fn thumbnail(&mut self, event: usize, canvas: usize) -> Option<Answer> {
        let of = self.canvases.get(canvas)?.clone();
        let seen = self.session.show(event, Moment::After, Ask { registers: false, ranges: vec![of.range()] }).ok()?;
        let bytes = of.thumbnail(seen.ranges.first()?, THUMBNAIL).to_png(true).ok()?;
        Some(Answer { kind: "image/png", bytes })
    }

    /// Bytes of guest memory, zeros where nothing is mapped.
    pub(crate) fn memory(&mut self, event: usize, moment: Moment, range: GuestRange) -> Option<Answer> {
        if range.size > MAX_MEMORY || range.start.address.checked_add(range.size).is_none() {
            return None;
        }
        let seen = self.session.show(event, moment, Ask { registers: false, ranges: vec![range] }).ok()?;
        Some(Answer { kind: "application/octet-stream", bytes: seen.ranges.into_iter().next()? })
    }

    /// What all events use, in half of the time that an answer may take: the rest of a submission comes after that.
    pub(crate) fn resources(&mut self) -> Option<Answer> {
        let deadline = Instant::now().checked_add(self.time / 2);
        json(&self.session.resources(deadline).ok()?)
    }

    /// An event drawn again after edits.
    pub(crate) fn redraw(&mut self, event: usize, canvas: usize, edits: &[&str]) -> Option<Answer> {
        let changes: Vec<Edited> = edits.iter().map(|text| Edited::parse(text)).collect::<Option<_>>()?;
        let of = self.canvases.get(canvas)?.clone();
        let before = self.bytes_of(event, canvas, Moment::After)?.to_vec();
        let answer = match self.session.redraw(event, &changes, of.range()) {
            Ok(drawn) => RedrawAnswer::new(&of, &before, &drawn),
            Err(error) => RedrawAnswer::refused(error.to_string()),
        };
        json(&answer)
    }
}

impl RedrawAnswer {
    fn new(canvas: &Canvas, before: &[u8], drawn: &[Redrawn; 2]) -> Self {
        let (before, after) = (canvas.picture(before), canvas.picture(&drawn[0].bytes));
        let pixels = before.rgba.as_chunks::<4>().0.iter().zip(after.rgba.as_chunks::<4>().0);
        let png = |picture: &triglyph::capture::Picture| {
            picture.to_png(true).map_or_else(|_| String::new(), |png| BASE64.encode(&png))
        };
        RedrawAnswer {
            differ: pixels.filter(|(a, b)| a != b).count(),
            before: png(&before),
            after: png(&after),
            agree: drawn[0].bytes == drawn[1].bytes,
            faults: drawn[0].faults.iter().map(fault_text).collect(),
            error: None,
        }
    }

    fn refused(why: String) -> Self {
        let (before, after, faults) = (String::new(), String::new(), Vec::new());
        RedrawAnswer { before, after, differ: 0, agree: false, faults, error: Some(why) }
    }
}
