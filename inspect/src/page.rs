//! A capture as one HTML file that needs nothing else.
//!
//! Events, what changed in registers, and pictures of everything that events write, before and after each. A picture is
//! stored as what differs from the one before it.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::time::Instant;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use triglyph::probe::Surface;
use triglyph::{Error, Machine};

use crate::canvas::{Canvas, Canvases, MAX_LABEL};
use crate::compare::Comparison;
use crate::events::Event;
use crate::limits::{MAX_LOOK_BYTES, PageLimits, Room};
use crate::page_data::{PageCanvas, PageData, PageEvent, PageFrame, PagePass, PageShow, PictureKey, page_event};
use crate::page_tour::{PageTour, Plan};
use crate::passes::each_pass;
use crate::replay::Session;
use crate::surfaces::is_same;
use crate::views;

/// What goes into a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageOptions {
    /// Its title.
    pub title: String,
    /// Events, by number; all if there is none.
    pub events: Option<Range<usize>>,
    /// What it is compared with, and the first event that differs. The page opens there.
    pub comparison: Option<Comparison>,
    /// What it may take.
    pub limits: PageLimits,
}

/// Canvases that are shown at an event at most.
const MAX_SHOWN: usize = 6;
/// Bytes of one of them in a page, about, besides its pictures.
const SHOW_BYTES: usize = 80;

/// A page that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The file.
    pub html: String,
    /// What limits have left out of it, in words; the page says so, too.
    pub left_out: Vec<String>,
}

/// Writes a page.
///
/// # Errors
/// As [`Session::tour`]; [`Error::InvalidArgument`] for events that there are not.
pub fn write_page(session: &mut Session<'_>, options: &PageOptions) -> Result<Page, Error> {
    session.set_deadline(Instant::now().checked_add(options.limits.time));
    let data = page_data(session, options, true).and_then(|mut data| {
        // Views are those of events whose pictures are there.
        let events = data.first..data.first + data.complete;
        if !session.is_cut() && !events.is_empty() {
            let kept = views::keep(session, &Canvases::of(session).all, events)?;
            (data.answers, data.blobs, data.counted) = (kept.answers, kept.texts, kept.counted);
        }
        Ok(data)
    });
    let is_late = session.is_cut();
    session.set_deadline(None);
    let mut data = data?;
    if is_late && data.complete == data.events.len() {
        data.left_out.push(format!("Views of draws are not all there: {:?} were over.", options.limits.time));
    }
    Ok(Page { html: html(&data)?, left_out: data.left_out })
}

/// What a page says, with all pictures or with paths under which they can be asked for.
pub(crate) fn page_data(session: &mut Session<'_>, options: &PageOptions, pictures: bool) -> Result<PageData, Error> {
    let wanted = options.events.clone().unwrap_or(0..session.events().len());
    if session.events().get(wanted.clone()).is_none() {
        return Err(Error::InvalidArgument(format!("events {} to {}", wanted.start, wanted.end)));
    }
    let machine = session.machine();
    let Canvases { all: canvases, left_out } = Canvases::of(session);
    let Chosen { events, plan, room } = choose_events(session, options, &wanted, &canvases, pictures);
    let first = events.first().map_or(wanted.start, |(number, _)| *number);
    let events: Vec<PageEvent> = events.into_iter().map(|(_, event)| event).collect();
    let range = first..first + events.len();
    let mut data = PageData {
        title: options.title.clone(),
        machine: machine.to_string(),
        first,
        complete: events.len(),
        left_out: events_left_out(session, &wanted, &range),
        events,
        passes: passes(session, &canvases, &range),
        frames: frames(session, &range),
        canvases: canvases.iter().map(|canvas| page_canvas(session, canvas)).collect(),
        faults: session.faults().first().iter().map(|fault| fault.what.clone()).collect(),
        served: !pictures,
        comparison: options.comparison.clone(),
        ..PageData::default()
    };
    data.left_out.extend(left_out);
    if let Some(last) = range.clone().next_back() {
        data = PageTour::new(machine, canvases, (plan, pictures), (data, room)).go(session, range.start, last)?;
    }
    data.note_end(session.is_cut(), &options.limits);
    Ok(data)
}

/// Events of a page, with their numbers.
struct Chosen {
    events: Vec<(usize, PageEvent)>,
    plan: Plan,
    /// What is left for what else is in the page.
    room: Room,
}

/// Events before the first that differs, in a page that has no room for all.
const MAX_LEAD: usize = 256;

/// The first of the wanted events, as many as there is room for; if the first that differs is not among them, those
/// around it.
fn choose_events(
    session: &Session<'_>,
    options: &PageOptions,
    wanted: &Range<usize>,
    canvases: &[Canvas],
    pictures: bool,
) -> Chosen {
    let choose = |from: usize| choose_from(session, &options.limits, from..wanted.end, canvases, pictures);
    let chosen = choose(wanted.start);
    let differs = options.comparison.as_ref().and_then(|comparison| comparison.first.as_ref()).map(|first| first.event);
    match differs.filter(|event| wanted.contains(event) && *event >= wanted.start + chosen.events.len()) {
        Some(event) => {
            let lead = lead(session, &options.limits, wanted.start..event);
            choose(event - lead)
        }
        None => chosen,
    }
}

/// How many events before one are in a page with it: they take less than half of the room.
fn lead(session: &Session<'_>, limits: &PageLimits, before: Range<usize>) -> usize {
    let mut room = Room::new(limits.bytes / 2);
    let machine = session.machine();
    let page_event = |event: &Event| page_event(machine, &session.capture().entries()[event.record].record, event);
    let fits = |event: &&Event| room.take(page_event(event).size() + MAX_SHOWN * SHOW_BYTES);
    session.events()[before].iter().rev().take(MAX_LEAD.min(limits.events / 2)).take_while(fits).count()
}

/// The first of some events, as many as there is room for.
fn choose_from(
    session: &Session<'_>,
    limits: &PageLimits,
    events: Range<usize>,
    canvases: &[Canvas],
    pictures: bool,
) -> Chosen {
    let machine = session.machine();
    let mut chosen = Chosen { events: Vec::new(), plan: HashMap::new(), room: Room::new(limits.bytes) };
    let mut before: Option<&Event> = None;
    for (index, event) in session.events()[events].iter().enumerate().take(limits.events) {
        let mut page = page_event(machine, &session.capture().entries()[event.record].record, event);
        if let Some(draw) = &mut page.draw {
            draw.differs = before.map_or_else(Vec::new, |before| differs(before, event));
            before = Some(event);
        }
        let (mut shown, unshown) = shown_at(event, canvases);
        page.unshown = unshown;
        if !chosen.room.take(page.size() + SHOW_BYTES * shown.len()) {
            break;
        }
        if !pictures {
            page.shows.extend(shown.drain(..).map(|canvas| asked_for(event.number, canvas)));
        }
        chosen.plan.insert(event.order, (index, shown));
        chosen.events.push((event.number, page));
    }
    chosen
}

/// Canvases that an event may write: those that are shown, as far as they may be looked at together, and the others.
fn shown_at(event: &Event, canvases: &[Canvas]) -> (Vec<usize>, Vec<usize>) {
    let (mut left, mut count) = (MAX_LOOK_BYTES, 0);
    let written = (0..canvases.len()).filter(|&canvas| event.may_write(canvases[canvas].range()));
    written.partition(|&canvas| {
        let size = canvases[canvas].range().size;
        let is_shown = size <= left && count < MAX_SHOWN;
        if is_shown {
            (left, count) = (left - size, count + 1);
        }
        is_shown
    })
}

/// Which events a page does not have, in words.
fn events_left_out(session: &Session<'_>, wanted: &Range<usize>, range: &Range<usize>) -> Vec<String> {
    let mut all = Vec::new();
    if range.start > wanted.start {
        let (first, last) = (wanted.start, range.start - 1);
        all.push(format!("Events {first} to {last} are not in this page: it begins near the first that differs."));
    }
    if range.end < wanted.end {
        all.push(format!("Events {} to {} are not in this page: it has room for no more.", range.end, wanted.end - 1));
    }
    if session.left_out() > 0 {
        let (count, events) = (session.left_out(), session.events().len());
        all.push(format!("{count} commands with effects after event {events} are not listed: the list is full."));
    }
    all
}

/// What two draws do not have in common.
fn differs(before: &Event, event: &Event) -> Vec<String> {
    let (Some(a), Some(b)) = (before.draws().next(), event.draws().next()) else { return Vec::new() };
    let parts = [
        ("surfaces", a.surfaces != b.surfaces),
        ("pixel kernel", a.kernel != b.kernel),
        ("textures", a.textures != b.textures),
        ("topology", a.topology != b.topology),
    ];
    parts.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned()).collect()
}

/// The passes of a range of events.
fn passes(session: &Session<'_>, canvases: &[Canvas], range: &Range<usize>) -> Vec<PagePass> {
    let surface = |canvas: &Canvas| if let Canvas::Surface(surface) = canvas { Some(*surface) } else { None };
    let surfaces: Vec<Surface> = canvases.iter().filter_map(surface).collect();
    let mut passes = Vec::new();
    each_pass(&session.events()[range.clone()], &surfaces, |pass| {
        let number = |surface: &Surface| surfaces.iter().position(|known| is_same(known, surface));
        passes.push(PagePass {
            events: [pass.events.start - range.start, pass.events.end - range.start],
            canvases: pass.surfaces.iter().filter_map(number).collect(),
        });
    });
    passes
}

/// A canvas at an event, by the paths of [`Server`](crate::Server).
fn asked_for(event: usize, canvas: usize) -> PageShow {
    let path = |moment: &str| PictureKey::Path(format!("picture/{event}/{canvas}/{moment}"));
    PageShow { canvas, before: path("before"), after: path("after") }
}

fn page_canvas(session: &Session<'_>, canvas: &Canvas) -> PageCanvas {
    let turn = if is_on_its_side(session, canvas) { 90 } else { 0 };
    PageCanvas { name: canvas.name(), form: canvas.form(), depth: canvas.is_depth(), turn }
}

/// Pixels of a row of the 3DS's screens, which are mounted on their sides: rows of memory are columns of the screen,
/// from its lower end up (3dbrew, GPU/External Registers).
const SIDE: u64 = 240;

/// Whether a canvas is shown rotated: the 3DS stores columns of its screens as rows. Outputs are rotated already.
fn is_on_its_side(session: &Session<'_>, canvas: &Canvas) -> bool {
    let (width, rows) = canvas.size();
    let is_surface = matches!(canvas, Canvas::Surface(_));
    session.machine() == Machine::N3ds && is_surface && width == SIDE && rows >= 320
}

/// The frames of a range of events, if the capture presents pictures. Pictures between which nothing happens end the
/// same frame.
fn frames(session: &Session<'_>, range: &Range<usize>) -> Vec<PageFrame> {
    let events = &session.events()[range.clone()];
    let mut frames: Vec<PageFrame> = Vec::new();
    let mut start = 0;
    for (record, present) in session.pictures() {
        let end = events.partition_point(|event| event.record < record);
        let label: String = present.label.chars().take(MAX_LABEL).collect();
        match frames.last_mut() {
            Some(last) if end == start && last.labels.len() < MAX_LABELS => last.labels.push(label),
            _ if end > start => frames.push(PageFrame { events: [start, end], labels: vec![label] }),
            _ => {}
        }
        start = end;
    }
    if start > 0 && start < events.len() {
        frames.push(PageFrame { events: [start, events.len()], labels: Vec::new() });
    }
    frames
}

/// Pictures that a frame names.
const MAX_LABELS: usize = 8;

/// The page's script: panels are there before what starts them.
const SCRIPTS: [&str; 18] = [
    include_str!("../page/panels.js"),
    include_str!("../page/textures.js"),
    include_str!("../page/vertices.js"),
    include_str!("../page/mesh.js"),
    include_str!("../page/constants.js"),
    include_str!("../page/order.js"),
    include_str!("../page/heat.js"),
    include_str!("../page/resources.js"),
    include_str!("../page/memory.js"),
    include_str!("../page/edit.js"),
    include_str!("../page/orientation.js"),
    include_str!("../page/pictures.js"),
    include_str!("../page/history.js"),
    include_str!("../page/thumbnails.js"),
    include_str!("../page/list.js"),
    include_str!("../page/page.js"),
    include_str!("../page/programs.js"),
    include_str!("../page/compare.js"),
];

/// The file around the data.
pub(crate) fn html(data: &PageData) -> Result<String, Error> {
    let failed = |why: String| Error::InvalidArgument(format!("a page that is no text: {why}"));
    let page = include_str!("../page/page.html");
    let page = page.replace("/*style*/", include_str!("../page/page.css"));
    let page = page.replace("/*script*/", &SCRIPTS.concat());
    let (before, after) = page.split_once("/*data*/").unwrap_or((&page, ""));
    let mut file = before.as_bytes().to_vec();
    data.serialize(&mut Serializer::with_formatter(&mut file, InHtml)).map_err(|error| failed(error.to_string()))?;
    file.extend_from_slice(after.as_bytes());
    String::from_utf8(file).map_err(|error| failed(error.to_string()))
}

/// JSON inside of an element of HTML: `<` begins no tag or comment there, and separators of lines end none, as strings
/// have these characters escaped. Nothing but strings has them.
struct InHtml;

impl Formatter for InHtml {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '\u{2028}', '\u{2029}']) {
            let (plain, from) = rest.split_at(at);
            let Some(c) = from.chars().next() else { break };
            write!(writer, "{plain}\\u{:04x}", u32::from(c))?;
            rest = &from[c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_capture_is_no_markup() {
        let title = "<!--<script></script>\u{2028}\u{2029}\\u003c\"&".to_owned();
        let page = html(&PageData { title: title.clone(), ..PageData::default() }).unwrap();
        let (_, data) = page.split_once("id=\"data\">").unwrap();
        let (data, _) = data.split_once("</script>").unwrap();
        assert!(!data.contains(['<', '\u{2028}', '\u{2029}']), "{data}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(data).unwrap()["title"], title);
    }
}
