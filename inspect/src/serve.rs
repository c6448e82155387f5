//! A page whose pictures are made when they are asked for. Who listens on which port is not decided here.
//!
//! | path | answer |
//! |---|---|
//! | (empty) | the page |
//! | `picture/EVENT/CANVAS/before`, `.../after` | a PNG |
//! | `history/CANVAS/X/Y` | JSON: events that changed a stored pixel or tried to, with its value before and after |
//!
//! and those of [`Views`].

use serde::Serialize;
use triglyph::Error;
use triglyph::probe::{Fragment, Surface, Verdict};

use crate::canvas::Canvas;
use crate::history::{Change, history};
use crate::page::{PageOptions, html, page_data};
use crate::pixel::{pixel_text, to_rgba};
use crate::replay::Session;
use crate::tour::{Ask, Moment};
use crate::views::Views;

/// Answers the requests of one page.
pub struct Server<'a> {
    session: Session<'a>,
    canvases: Vec<Canvas>,
    page: String,
    views: Views,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its media type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// An event that changed a pixel or tried to.
#[derive(Serialize)]
struct Line {
    event: usize,
    /// For people to look at; of depth 24 bits, the highest first.
    before: [u8; 4],
    after: [u8; 4],
    /// Values and bytes.
    text: [String; 2],
    changed: bool,
    /// What each fragment would have stored, and what became of it.
    fragments: Vec<String>,
}

impl<'a> Server<'a> {
    /// Looks at all events once, for their registers.
    ///
    /// # Errors
    /// As [`Session::tour`].
    pub fn new(mut session: Session<'a>, options: &PageOptions) -> Result<Self, Error> {
        let page = html(&page_data(&mut session, options, false)?)?;
        Ok(Server { canvases: Canvas::all(&session), session, page, views: Views::default() })
    }

    /// The session.
    pub fn session(&self) -> &Session<'a> {
        &self.session
    }

    /// The answer to a path, without what precedes it; `None` for one that there is not.
    pub fn answer(&mut self, path: &str) -> Option<Answer> {
        let parts: Vec<&str> = path.split('/').collect();
        match parts[..] {
            [""] => Some(Answer { kind: "text/html; charset=utf-8", bytes: self.page.clone().into_bytes() }),
            ["picture", event, canvas, moment] => {
                let moment = match moment {
                    "before" => Moment::Before,
                    "after" => Moment::After,
                    _ => return None,
                };
                self.picture(event.parse().ok()?, canvas.parse().ok()?, moment)
            }
            ["history", canvas, x, y] => self.history(canvas.parse().ok()?, x.parse().ok()?, y.parse().ok()?),
            _ => self.views.answer(&mut self.session, &self.canvases, &parts),
        }
    }

    fn picture(&mut self, event: usize, canvas: usize, moment: Moment) -> Option<Answer> {
        let canvas = self.canvases.get(canvas)?;
        let ask = Ask { registers: false, ranges: vec![canvas.range()] };
        let seen = self.session.show(event, moment, ask).ok()?;
        let bytes = canvas.picture(seen.ranges.first()?).to_png(true).ok()?;
        Some(Answer { kind: "image/png", bytes })
    }

    /// Outputs have no history: they are copies.
    fn history(&mut self, canvas: usize, x: u32, y: u32) -> Option<Answer> {
        let Canvas::Surface(surface) = self.canvases.get(canvas)? else { return None };
        let lines: Vec<Line> = history(&mut self.session, surface, x, y)
            .ok()?
            .into_iter()
            .filter(Change::concerns)
            .map(|change| Line {
                event: change.event,
                before: to_rgba(&surface.stored, &change.before),
                after: to_rgba(&surface.stored, &change.after),
                text: [&change.before, &change.after].map(|bytes| pixel_text(&surface.stored, bytes)),
                changed: change.is_changed(),
                fragments: change.fragments.iter().map(|fragment| fragment_text(surface, fragment)).collect(),
            })
            .collect();
        Some(Answer { kind: "application/json", bytes: serde_json::to_vec(&lines).ok()? })
    }
}

/// A fragment in a line.
fn fragment_text(surface: &Surface, fragment: &Fragment) -> String {
    let verdict = match fragment.verdict {
        Verdict::Passed => "passed",
        Verdict::Discarded => "discarded",
        Verdict::Alpha => "failed the alpha test",
        Verdict::Bounds => "failed the depth bounds test",
        Verdict::Stencil => "failed the stencil test",
        Verdict::Depth => "failed the depth test",
        _ => "unknown",
    };
    let shaded = fragment.shaded.as_ref().map(|bytes| format!("{}: ", pixel_text(&surface.stored, bytes)));
    format!("primitive {}: {}{verdict}", fragment.primitive, shaded.unwrap_or_default())
}
