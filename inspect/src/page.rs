//! A capture as one HTML file that needs nothing else.
//!
//! Events, what changed in registers, and pictures of everything that events write, before and after each. A picture is
//! stored as what differs from the one before it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use triglyph::probe::{Surface, Watch, Watched};
use triglyph::{Error, Machine};

use crate::canvas::Canvas;
use crate::compare::Difference;
use crate::events::Event;
use crate::names::Names;
use crate::page_data::{PageCanvas, PageData, PageEvent, PagePass, PageShow, PictureKey, page_event};
use crate::page_pictures::CanvasPictures;
use crate::passes::{Pass, passes_of};
use crate::programs::program_of;
use crate::replay::Session;
use crate::surfaces::is_same;
use crate::tour::{Ask, Moment, Seen, Tour};
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
}

/// A comparison, as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// What the other run is called.
    pub other: String,
    /// Whether it has pictures: [`Server::with_other`](crate::Server::with_other).
    pub has_pictures: bool,
    /// The first event that differs.
    pub first: Option<Difference>,
}

/// Canvases that are shown at an event at most.
const MAX_SHOWN: usize = 6;

/// Writes a page.
///
/// # Errors
/// As [`Session::tour`]; [`Error::InvalidArgument`] for events that there are not.
pub fn write_page(session: &mut Session<'_>, options: &PageOptions) -> Result<String, Error> {
    let mut data = page_data(session, options, true)?;
    let events = options.events.clone().unwrap_or(0..session.events().len());
    let kept = views::keep(session, &Canvas::all(session), events)?;
    (data.answers, data.blobs, data.counted) = (kept.answers, kept.texts, kept.counted);
    html(&data)
}

/// What a page says, with all pictures or with paths under which they can be asked for.
pub(crate) fn page_data(session: &mut Session<'_>, options: &PageOptions, pictures: bool) -> Result<PageData, Error> {
    let range = options.events.clone().unwrap_or(0..session.events().len());
    let none = || Error::InvalidArgument(format!("events {} to {}", range.start, range.end));
    let listed = session.events().get(range.clone()).ok_or_else(none)?;
    let machine = session.machine();
    let canvases = Canvas::all(session);
    let mut plan = HashMap::new();
    let mut events = Vec::new();
    let mut before: Option<&Event> = None;
    for (index, event) in listed.iter().enumerate() {
        let mut page = page_event(machine, event);
        if let Some(draw) = &mut page.draw {
            draw.differs = before.map_or_else(Vec::new, |before| differs(before, event));
            before = Some(event);
        }
        let shown = (0..canvases.len()).filter(|&canvas| event.may_write(canvases[canvas].range())).take(MAX_SHOWN);
        let shown = match pictures {
            true => shown.collect(),
            false => {
                page.shows.extend(shown.map(|canvas| asked_for(event.number, canvas)));
                Vec::new()
            }
        };
        plan.insert(event.order, (index, shown));
        events.push(page);
    }
    let data = PageData {
        title: options.title.clone(),
        machine: machine.to_string(),
        first: range.start,
        events,
        passes: passes(session, &canvases, &range),
        canvases: canvases.iter().map(page_canvas).collect(),
        faults: session.faults().first().iter().map(|fault| fault.what.clone()).collect(),
        served: !pictures,
        comparison: options.comparison.clone(),
        ..PageData::default()
    };
    let page = Arc::new(Mutex::new(data));
    let tour = PageTour {
        machine,
        canvases: canvases.into_iter().map(CanvasPictures::new).collect(),
        plan,
        pictures,
        page: page.clone(),
        registers: HashMap::new(),
    };
    if let Some(last) = range.clone().next_back() {
        session.tour(range.start, last, Box::new(tour))?;
    }
    let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *page))
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

/// The passes of a range of events, as far as they lie in it.
fn passes(session: &Session<'_>, canvases: &[Canvas], range: &Range<usize>) -> Vec<PagePass> {
    let surface = |canvas: &Canvas| if let Canvas::Surface(surface) = canvas { Some(*surface) } else { None };
    let surfaces: Vec<Surface> = canvases.iter().filter_map(surface).collect();
    let page_pass = |pass: Pass| {
        let (first, end) = (pass.events.start.max(range.start), pass.events.end.min(range.end));
        let number = |surface: &Surface| surfaces.iter().position(|known| is_same(known, surface));
        (first < end).then(|| PagePass {
            events: [first - range.start, end - range.start],
            canvases: pass.surfaces.iter().filter_map(number).collect(),
        })
    };
    passes_of(session.events(), &surfaces).into_iter().filter_map(page_pass).collect()
}

/// A canvas at an event, by the paths of [`Server`](crate::Server).
fn asked_for(event: usize, canvas: usize) -> PageShow {
    let path = |moment: &str| PictureKey::Path(format!("picture/{event}/{canvas}/{moment}"));
    PageShow { canvas, before: path("before"), after: path("after") }
}

fn page_canvas(canvas: &Canvas) -> PageCanvas {
    PageCanvas { name: canvas.name(), form: canvas.form(), depth: canvas.is_depth() }
}

/// The page's script: panels are there before what starts them.
const SCRIPTS: [&str; 13] = [
    include_str!("../page/panels.js"),
    include_str!("../page/textures.js"),
    include_str!("../page/vertices.js"),
    include_str!("../page/mesh.js"),
    include_str!("../page/constants.js"),
    include_str!("../page/order.js"),
    include_str!("../page/heat.js"),
    include_str!("../page/pictures.js"),
    include_str!("../page/history.js"),
    include_str!("../page/list.js"),
    include_str!("../page/page.js"),
    include_str!("../page/programs.js"),
    include_str!("../page/compare.js"),
];

/// The file around the data.
pub(crate) fn html(data: &PageData) -> Result<String, Error> {
    let failed = |error: serde_json::Error| Error::InvalidArgument(format!("a page that is no JSON: {error}"));
    // No tag may end in the data.
    let data = serde_json::to_string(data).map_err(failed)?.replace("</", "<\\/");
    let page = include_str!("../page/page.html");
    let page = page.replace("/*style*/", include_str!("../page/page.css"));
    let page = page.replace("/*script*/", &SCRIPTS.concat());
    Ok(page.replace("/*data*/", &data))
}

struct PageTour {
    machine: Machine,
    canvases: Vec<CanvasPictures>,
    /// By the order of commands: which event, and which canvases it shows.
    plan: HashMap<u64, (usize, Vec<usize>)>,
    /// Whether pictures and programs are part of the page.
    pictures: bool,
    page: Arc<Mutex<PageData>>,
    /// Registers of each class at its event before.
    registers: HashMap<u32, Vec<u32>>,
}

impl Tour for PageTour {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let (_, shown) = self.plan.get(&order)?;
        let ranges = shown.iter().map(|&canvas| self.canvases[canvas].range()).collect();
        Some(Ask { registers: moment == Moment::Before, ranges })
    }

    fn time(&mut self, order: u64, time: Duration) {
        let Some((index, _)) = self.plan.get(&order) else { return };
        // Microseconds suffice.
        let milliseconds = (time.as_secs_f64() * 1e6).round() / 1e3;
        self.page.lock().unwrap_or_else(PoisonError::into_inner).events[*index].time = milliseconds;
    }

    fn watch(&mut self, order: u64) -> Option<Watch> {
        (self.pictures && self.plan.contains_key(&order)).then(Watch::default)
    }

    fn watched(&mut self, order: u64, watched: Watched) {
        let Some((index, _)) = self.plan.get(&order) else { return };
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let page = &mut *page;
        for (hash, key) in &watched.keys {
            let name = format!("{:032x}", hash.0);
            let known = page.programs.iter().position(|program| program.kernel == name);
            let number = known.or_else(|| {
                page.programs.push(program_of(*hash, key)?);
                Some(page.programs.len() - 1)
            });
            page.events[*index].programs.extend(number);
        }
    }

    fn seen(&mut self, seen: Seen) {
        let Some((index, shown)) = self.plan.get(&seen.order).cloned() else { return };
        let page = self.page.clone();
        let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.moment == Moment::Before {
            self.note_registers(&mut page, index, seen.registers);
        }
        for (place, (canvas, bytes)) in shown.into_iter().zip(seen.ranges).enumerate() {
            let number = PictureKey::Number(self.canvases[canvas].note(&mut page.pictures, bytes));
            let shows = &mut page.events[index].shows;
            match seen.moment {
                Moment::Before => shows.push(PageShow { canvas, before: number.clone(), after: number }),
                Moment::After => {
                    if let Some(show) = shows.get_mut(place) {
                        show.after = number;
                    }
                }
            }
        }
    }
}

impl PageTour {
    /// Notes which registers have changed since the class's event before.
    fn note_registers(&mut self, page: &mut PageData, index: usize, words: Vec<u32>) {
        let PageEvent { class, .. } = page.events[index];
        let names = Names(self.machine);
        let entry = page.classes.entry(class).or_default();
        entry.name = names.class(class);
        let before = self.registers.entry(class).or_default();
        before.resize(words.len(), 0);
        for (register, (word, before)) in words.iter().zip(before.iter()).enumerate() {
            if word == before {
                continue;
            }
            let method = names.method_of(register);
            let Some((name, fields)) = names.find(class, method) else { continue };
            entry.registers.entry(register).or_insert(name);
            page.events[index].registers.push((register, *word, crate::names::show_fields(fields, *word)));
        }
        *before = words;
    }
}

/// Bytes as Base64, with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let index = (word >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= group.len() { DIGITS[index].into() } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
