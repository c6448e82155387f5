//! The data of a page, as it is in its JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use triglyph::capture::Record;
use triglyph::probe::{Draw, Effect, Transfer, TransferKind};
use triglyph::{DroppedPrimitives, GuestRange, Machine};

use crate::calls::call_text;
use crate::compare::Comparison;
use crate::events::Event;
use crate::fault_text::fault_text;
use crate::limits::PageLimits;
use crate::names::Names;
use crate::programs::Program;

/// All of a page.
#[derive(Default, Serialize)]
pub struct PageData {
    pub title: String,
    pub machine: String,
    /// Number of the first event in the capture.
    pub first: usize,
    pub events: Vec<PageEvent>,
    pub canvases: Vec<PageCanvas>,
    /// Runs of events that draw to the same canvases.
    pub passes: Vec<PagePass>,
    /// Runs of events up to a presented picture.
    pub frames: Vec<PageFrame>,
    pub pictures: Vec<PagePicture>,
    /// Names of classes, and of the registers that change.
    pub classes: BTreeMap<u32, PageClass>,
    pub faults: Vec<String>,
    /// Programs that events run; empty in a served page, which requests them.
    pub programs: Vec<Program>,
    /// Whether the page is served: pictures and histories can be requested.
    pub served: bool,
    /// Without that, what is answered under which path: numbers of [`Self::blobs`].
    pub answers: BTreeMap<String, usize>,
    /// JSON as text, and other answers in Base64.
    pub blobs: Vec<String>,
    /// How many of the first events have heat maps there.
    pub counted: usize,
    /// How many of the first events have registers, and pictures and programs in a file.
    pub complete: usize,
    /// What limits have left out, in words.
    pub left_out: Vec<String>,
    /// What it is compared with.
    pub comparison: Option<Comparison>,
}

/// An event.
#[derive(Serialize)]
pub struct PageEvent {
    pub record: usize,
    pub class: u32,
    pub method: String,
    pub value: u32,
    pub fields: String,
    pub position: u64,
    pub kind: &'static str,
    pub faults: u64,
    /// The kind and the text of its first fault, if it has one and something else.
    pub fault: String,
    pub text: String,
    /// Milliseconds that it takes here, with all that it draws.
    pub time: f64,
    /// What it draws, if it does.
    pub draw: Option<PageDraw>,
    pub details: Vec<String>,
    pub shows: Vec<PageShow>,
    /// Canvases that it may write and that are not shown: there is room for few.
    pub unshown: Vec<usize>,
    /// Which of [`PageData::programs`] it runs.
    pub programs: Vec<usize>,
    /// Registers of the class that are others than at its event before: number, word, fields.
    pub registers: Vec<(usize, u32, String)>,
}

/// What an event draws.
#[derive(Serialize)]
pub struct PageDraw {
    pub topology: String,
    /// Draws: instances, or parts.
    pub parts: usize,
    pub vertices: u64,
    pub primitives: u64,
    /// What is not as in the draw before it in the page.
    pub differs: Vec<String>,
}

/// A frame: what comes before a picture is presented.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct PageFrame {
    /// Its first event and the one after its last, in the page.
    pub events: [usize; 2],
    /// The labels of the pictures that end it; empty after the last picture of a capture.
    pub labels: Vec<String>,
}

/// A pass.
#[derive(Serialize)]
pub struct PagePass {
    /// Its first event and the one after its last, in the page.
    pub events: [usize; 2],
    pub canvases: Vec<usize>,
}

/// A canvas at an event.
#[derive(Serialize)]
pub struct PageShow {
    pub canvas: usize,
    pub before: PictureKey,
    pub after: PictureKey,
}

/// Where a picture is.
#[derive(Clone, Serialize)]
#[serde(untagged)]
pub enum PictureKey {
    /// In [`PageData::pictures`].
    Number(usize),
    /// What is asked for under this path.
    Path(String),
}

/// A canvas.
#[derive(Serialize)]
pub struct PageCanvas {
    pub name: String,
    pub form: String,
    pub depth: bool,
    /// Degrees counter-clockwise that turn the picture as a viewer sees it.
    pub turn: u16,
}

/// A picture: what differs from another one.
#[derive(Serialize)]
pub struct PagePicture {
    pub width: u32,
    pub height: u32,
    /// The picture below, or none.
    pub base: Option<usize>,
    /// Where the PNG goes.
    pub x: u32,
    pub y: u32,
    /// Base64.
    pub png: String,
}

/// A class of registers.
#[derive(Default, Serialize)]
pub struct PageClass {
    pub name: String,
    pub registers: BTreeMap<usize, String>,
}

/// Effects of an event that are listed one by one.
const MAX_DETAILS: usize = 64;
/// Bytes of an event in JSON, about, besides its texts; with those of a pass, of which there are no more.
const EVENT_BYTES: usize = 320;

impl PageData {
    /// Says from where on registers and pictures are missing, if they are.
    pub fn note_end(&mut self, is_late: bool, limits: &PageLimits) {
        if self.complete >= self.events.len() {
            return;
        }
        let what = match self.served {
            true => "Registers and times",
            false => "Pictures, registers, programs, times and views of draws",
        };
        let first = self.first + self.complete;
        self.left_out.push(match is_late {
            true => format!("{what} of events from {first} on are left out: {:?} were over.", limits.time),
            false => {
                format!("{what} of events from {first} on are left out: the page is full ({} MiB).", limits.bytes >> 20)
            }
        });
    }
}

impl PageEvent {
    /// Its bytes in JSON, about, before it has pictures, programs and registers.
    pub fn size(&self) -> usize {
        let draw = self.draw.as_ref().map_or(0, |draw| 120 + draw.differs.len() * 16);
        let details: usize = self.details.iter().map(|detail| detail.len() + 3).sum();
        let unshown = 4 * self.unshown.len();
        EVENT_BYTES
            + unshown
            + self.method.len()
            + self.fields.len()
            + self.text.len()
            + self.fault.len()
            + draw
            + details
    }
}

/// An event without pictures and registers, of a record of the capture.
pub fn page_event(machine: Machine, record: &Record<'_>, event: &Event) -> PageEvent {
    let (names, command) = (Names(machine), event.command);
    let call = match record {
        Record::Call(call) => Some(format!("work of {}", call_text(machine, call))),
        _ => None,
    };
    PageEvent {
        record: event.record,
        class: command.class,
        method: names.name(command.class, command.method),
        value: command.value,
        fields: names.fields(command.class, command.method, command.value),
        position: command.position,
        kind: event.kind(),
        faults: event.faults(),
        fault: fault(event),
        text: summary(event),
        time: 0.0,
        draw: draw(event),
        details: call.into_iter().chain(details(event)).collect(),
        shows: Vec::new(),
        unshown: Vec::new(),
        programs: Vec::new(),
        registers: Vec::new(),
    }
}

/// What it draws, without what differs.
fn draw(event: &Event) -> Option<PageDraw> {
    let first = event.draws().next()?;
    Some(PageDraw {
        topology: topology(first),
        parts: event.draws().count(),
        vertices: vertices(event),
        primitives: primitives(event),
        differs: Vec::new(),
    })
}

fn vertices(event: &Event) -> u64 {
    event.draws().map(|draw| u64::from(draw.vertices)).sum()
}

fn primitives(event: &Event) -> u64 {
    event.draws().map(|draw| draw.primitives).sum()
}

fn topology(draw: &Draw) -> String {
    draw.topology.map_or_else(|| "triangles".to_owned(), |topology| format!("{topology:?}"))
}

/// The first fault of an event whose summary is of something else.
fn fault(event: &Event) -> String {
    let fault = |effect: &Effect| match effect {
        Effect::Faults(faults) if event.kind() != "fault" => Some(fault_text(faults)),
        _ => None,
    };
    event.effects.iter().find_map(fault).unwrap_or_default()
}

/// An event in a few words.
fn summary(event: &Event) -> String {
    if event.draws().next().is_some() {
        let (vertices, primitives) = (vertices(event), primitives(event));
        return format!("{}, {}", count(vertices, "vertex", "vertices"), count(primitives, "primitive", "primitives"));
    }
    let first = event.effects.iter().find(|effect| !matches!(effect, Effect::Faults(_)));
    first.or(event.effects.first()).map_or_else(String::new, detail)
}

/// A number of things.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn range_text(range: GuestRange) -> String {
    let space = if range.start.space == 0 { String::new() } else { format!("{}:", range.start.space) };
    format!("{space}{:#x}+{:#x}", range.start.address, range.size)
}

/// Its effects in lines.
fn details(event: &Event) -> Vec<String> {
    let mut lines: Vec<String> = event.effects.iter().take(MAX_DETAILS).map(detail).collect();
    if event.effects.len() > MAX_DETAILS {
        lines.push(format!("and {} more", event.effects.len() - MAX_DETAILS));
    }
    lines
}

/// Primitives that were dropped, by reason; nothing if there are none.
fn dropped_text(dropped: &DroppedPrimitives) -> String {
    let counts = dropped.named().into_iter().filter(|(_, count)| *count > 0);
    counts.map(|(reason, count)| format!(", {count} {reason}")).collect()
}

/// An effect in a line.
fn detail(effect: &Effect) -> String {
    match effect {
        Effect::Draw(draw) => {
            let topology = topology(draw);
            let textures: Vec<String> = draw.textures.iter().copied().map(range_text).collect();
            let textures = if textures.is_empty() {
                "no textures".to_owned()
            } else {
                format!("textures {}", textures.join(", "))
            };
            let Draw { vertices, primitives, kernel, .. } = draw;
            let vertices = count(u64::from(*vertices), "vertex", "vertices");
            let dropped = dropped_text(&draw.dropped);
            format!("{topology}: {vertices}, {primitives} set up{dropped}; {textures}; pixel kernel {:032x}", kernel.0)
        }
        Effect::Transfer(Transfer { kind, source, target }) => {
            let kind = match kind {
                TransferKind::FillRect => "fill rectangle".to_owned(),
                kind => format!("{kind:?}").to_lowercase(),
            };
            match (source.map(range_text), target.map(range_text)) {
                (Some(source), Some(target)) => format!("{kind} {source} to {target}"),
                (source, target) => format!("{kind} {}", source.or(target).unwrap_or_default()),
            }
        }
        Effect::Store(range) => format!("stored {}", range_text(*range)),
        Effect::Signal => "signal".to_owned(),
        Effect::Macro(number) => format!("macro {number:#x}"),
        Effect::Compute => "compute program".to_owned(),
        Effect::Faults(faults) => fault_text(faults),
        Effect::LeftOut(count) => format!("{count} effects more, which are not listed"),
        _ => String::new(),
    }
}
