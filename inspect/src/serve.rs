//! A page whose pictures are made on request. The caller listens on a port.
//!
//! | path | answer |
//! |---|---|
//! | (empty) | the page |
//! | `picture/EVENT/CANVAS/before`, `.../after` | a PNG |
//! | `value/EVENT/CANVAS/before/X/Y`, `.../after/X/Y` | JSON: the value of a stored pixel, as text |
//! | `thumbnail/EVENT/CANVAS` | a PNG of at most 48 pixels across and down, after the event |
//! | `memory/EVENT/before/SPACE/ADDRESS/COUNT`, `.../after/...` | at most 64 KiB of guest memory |
//! | `resources` | JSON: what events use, and which of them |
//! | `redraw/EVENT/CANVAS/EDIT/...` | JSON: the event drawn again after [edits](Edited::parse) |
//! | `programs/EVENT` | JSON: the programs that an event runs |
//! | `trace/EVENT/vertex/NUMBER`, `.../vertex/first` | JSON: runs of its vertex programs for an array element |
//! | `trace/EVENT/pixel/X/Y` | JSON: runs of its fragment programs for a stored pixel of its first surface |
//! | `trace/EVENT/primitive/NUMBER` | JSON: runs of its programs of primitives and patches |
//! | `trace/EVENT/thread/X/Y/Z/NUMBER` | JSON: the run of a compute program for a thread of a block |
//! | `compiled/EVENT/KERNEL` | text: what the compiler makes of a program |
//! | `other/EVENT/CANVAS/before`, `.../after` | a PNG of the run that this one is compared with |
//! | `history/CANVAS/X/Y` | JSON: events that changed a stored pixel or tried to, with its value before and after; and
//! how many more there are |
//!
//! and those of [`Views`].

use std::time::{Duration, Instant};

use serde::Serialize;
use triglyph::probe::{Fragment, KernelKey, Surface, Verdict, Wanted, Watch};
use triglyph::{Error, GuestRange};

use crate::answer::{Answer, json};
use crate::canvas::{Canvas, Canvases};
use crate::history::{Change, history};
use crate::page::{PageOptions, html, page_data};
use crate::pixel::{pixel_text, to_rgba};
use crate::programs::programs;
#[cfg(doc)]
use crate::redraw::Edited;
use crate::replay::Session;
use crate::stepping::runs;
use crate::tour::{Ask, Moment};
use crate::views::Views;

/// What a compiler makes of a kernel's key; `None` where there is no compiler for it.
pub type Compiled = Box<dyn Fn(&KernelKey) -> Option<String>>;

/// Answers the requests of one page.
pub struct Server<'a> {
    pub(crate) session: Session<'a>,
    /// What it is compared with.
    other: Option<Session<'a>>,
    compiled: Option<Compiled>,
    pub(crate) canvases: Vec<Canvas>,
    page: String,
    views: Views,
    pub(crate) looked: Option<Looked>,
    /// How long an answer may take.
    pub(crate) time: Duration,
}

/// The bytes of the canvas that was looked at last: many values of one picture are asked for.
#[derive(Debug)]
pub(crate) struct Looked {
    pub of: (usize, usize, Moment),
    pub bytes: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such path.
    Unknown,
    /// It takes longer than [`PageLimits::time`](crate::PageLimits).
    Late,
}

/// The history of a pixel.
#[derive(Serialize)]
struct History {
    lines: Vec<Line>,
    /// How many events more there are.
    left_out: usize,
}

/// Events of a history that are listed.
const MAX_LINES: usize = 4096;

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
    /// The value that each fragment would have stored, and its outcome.
    fragments: Vec<String>,
    /// How many fragments more it has.
    left_out: usize,
}

impl<'a> Server<'a> {
    /// Looks at the events of the page once, for their registers. What limits leave out the page says.
    ///
    /// # Errors
    /// As [`Session::tour`].
    pub fn new(mut session: Session<'a>, options: &PageOptions) -> Result<Self, Error> {
        let time = options.limits.time;
        session.set_deadline(Instant::now().checked_add(time));
        let page = html(&page_data(&mut session, options, false)?)?;
        let canvases = Canvases::of(&session).all;
        let (views, looked) = (Views::default(), None);
        Ok(Server { canvases, session, other: None, page, compiled: None, views, looked, time })
    }

    /// Compares with another run, whose pictures are shown beside those of this one.
    pub fn with_other(self, other: Session<'a>) -> Self {
        Server { other: Some(other), ..self }
    }

    /// Adds a compiler that shows the code of programs.
    pub fn with_compiled(self, compiled: Compiled) -> Self {
        Server { compiled: Some(compiled), ..self }
    }

    /// The page: what is answered to an empty path.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The session.
    pub fn session(&self) -> &Session<'a> {
        &self.session
    }

    /// The answer to a path, without what precedes it.
    ///
    /// # Errors
    /// Why there is none.
    pub fn answer(&mut self, path: &str) -> Result<Answer, Refusal> {
        let deadline = Instant::now().checked_add(self.time);
        self.sessions().for_each(|session| session.set_deadline(deadline));
        let answer = self.find(path);
        // A partial history or heat map does not show what is missing from it.
        if self.sessions().any(|session| session.is_cut()) {
            (self.views, self.looked) = (Views::default(), None);
            return Err(Refusal::Late);
        }
        answer.ok_or(Refusal::Unknown)
    }

    fn sessions(&mut self) -> impl Iterator<Item = &mut Session<'a>> {
        std::iter::once(&mut self.session).chain(&mut self.other)
    }

    fn find(&mut self, path: &str) -> Option<Answer> {
        let parts: Vec<&str> = path.split('/').collect();
        match parts[..] {
            [""] => Some(Answer { kind: "text/html; charset=utf-8", bytes: self.page.clone().into_bytes() }),
            [whose @ ("picture" | "other"), event, canvas, moment] => {
                self.picture(whose == "other", event.parse().ok()?, canvas.parse().ok()?, moment_of(moment)?)
            }
            ["value", event, canvas, moment, x, y] => {
                let at = [x.parse().ok()?, y.parse().ok()?];
                self.value(event.parse().ok()?, canvas.parse().ok()?, moment_of(moment)?, at)
            }
            ["thumbnail", event, canvas] => self.thumbnail(event.parse().ok()?, canvas.parse().ok()?),
            ["memory", event, moment, space, address, count] => {
                let range = GuestRange::new(space.parse().ok()?, address.parse().ok()?, count.parse().ok()?);
                self.memory(event.parse().ok()?, moment_of(moment)?, range)
            }
            ["resources"] => self.resources(),
            ["redraw", event, canvas, ref edits @ ..] => self.redraw(event.parse().ok()?, canvas.parse().ok()?, edits),
            ["programs", event] => json(&programs(&mut self.session, event.parse().ok()?).ok()?),
            ["trace", event, ref what @ ..] => {
                let event = event.parse().ok()?;
                let wanted = self.wanted(event, what)?;
                json(&runs(&mut self.session, event, wanted).ok()?)
            }
            ["compiled", event, kernel] => self.compiled(event.parse().ok()?, kernel),
            ["history", canvas, x, y] => self.history(canvas.parse().ok()?, x.parse().ok()?, y.parse().ok()?),
            _ => self.views.answer(&mut self.session, &self.canvases, &parts),
        }
    }

    /// Which run of a program a path asks for.
    fn wanted(&self, event: usize, what: &[&str]) -> Option<Wanted> {
        let [kind, rest @ ..] = what else { return None };
        let numbers: Option<Vec<u32>> = rest.iter().map(|text| text.parse().ok()).collect();
        match (*kind, rest, numbers.as_deref()) {
            ("vertex", ["first"], _) => Some(Wanted::Vertex(None)),
            ("vertex", _, Some(&[number])) => Some(Wanted::Vertex(Some(number))),
            ("pixel", _, Some(&[x, y])) => {
                let samples = self.session.events().get(event)?.surfaces().next()?.samples.map(u32::from);
                Some(Wanted::Pixel([x / samples[0].max(1), y / samples[1].max(1)]))
            }
            ("primitive", _, Some(&[number])) => Some(Wanted::Primitive(number)),
            ("thread", _, Some(&[x, y, z, number])) => Some(Wanted::Thread([x, y, z], number)),
            _ => None,
        }
    }

    fn compiled(&mut self, event: usize, kernel: &str) -> Option<Answer> {
        let compiled = self.compiled.as_ref()?;
        let keys = self.session.watch(event, Watch::default()).ok()?.keys;
        let (_, key) = keys.iter().find(|(hash, _)| format!("{:032x}", hash.0) == kernel)?;
        Some(Answer { kind: "text/plain; charset=utf-8", bytes: compiled(key)?.into_bytes() })
    }

    fn picture(&mut self, of_other: bool, event: usize, canvas: usize, moment: Moment) -> Option<Answer> {
        let canvas = self.canvases.get(canvas)?;
        let ask = Ask { registers: false, ranges: vec![canvas.range()] };
        let session = if of_other { self.other.as_mut()? } else { &mut self.session };
        let seen = session.show(event, moment, ask).ok()?;
        let bytes = canvas.picture(seen.ranges.first()?).to_png(true).ok()?;
        Some(Answer { kind: "image/png", bytes })
    }

    /// Outputs have no history: they are copies.
    fn history(&mut self, canvas: usize, x: u32, y: u32) -> Option<Answer> {
        let Canvas::Surface(surface) = self.canvases.get(canvas)? else { return None };
        let changes = history(&mut self.session, surface, x, y).ok()?;
        json(&History::new(surface, &changes))
    }
}

fn moment_of(text: &str) -> Option<Moment> {
    match text {
        "before" => Some(Moment::Before),
        "after" => Some(Moment::After),
        _ => None,
    }
}

impl History {
    fn new(surface: &Surface, changes: &[Change]) -> Self {
        let concerned = || changes.iter().filter(|change| change.concerns());
        let lines = concerned().take(MAX_LINES).map(|change| Line::new(surface, change)).collect();
        History { lines, left_out: concerned().count().saturating_sub(MAX_LINES) }
    }
}

impl Line {
    fn new(surface: &Surface, change: &Change) -> Self {
        Line {
            event: change.event,
            before: to_rgba(&surface.stored, &change.before),
            after: to_rgba(&surface.stored, &change.after),
            text: [&change.before, &change.after].map(|bytes| pixel_text(&surface.stored, bytes)),
            changed: change.is_changed(),
            fragments: change.fragments.iter().map(|fragment| fragment_text(surface, fragment)).collect(),
            left_out: change.left_out,
        }
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

#[cfg(test)]
mod tests {
    use triglyph::GuestAddr;
    use triglyph::probe::{Block, Layout, Role, Stored};

    use super::*;

    #[test]
    fn histories_are_short() {
        let surface = Surface {
            role: Role::Color(0),
            start: GuestAddr::new(0, 0),
            size: 4,
            layout: Layout::Tiled(Block::B8),
            pitch: 1,
            bytes: 4,
            stored: Stored::Unknown,
            width: 1,
            rows: 1,
            samples: [1, 1],
        };
        let change = |event: usize| Change {
            event,
            before: vec![0; 4],
            after: vec![u8::from(event.is_multiple_of(2)); 4],
            fragments: Vec::new(),
            left_out: 0,
        };
        let all: Vec<Change> = (0..3 * MAX_LINES).map(change).collect();
        let told = History::new(&surface, &all);
        // Every second one has changed it.
        assert_eq!((told.lines.len(), told.left_out), (MAX_LINES, MAX_LINES / 2));
        assert!(told.lines.iter().all(|line| line.event.is_multiple_of(2)));
    }
}
