//! A capture as one HTML file that needs nothing else.
//!
//! Events, what changed in registers, and pictures of everything that events write, before and after each. A picture is
//! stored as what differs from the one before it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use triglyph::capture::Picture;
use triglyph::probe::{Watch, Watched};
use triglyph::{Error, Machine};

use crate::canvas::Canvas;
use crate::compare::Difference;
use crate::names::Names;
use crate::page_data::{PageCanvas, PageData, PageEvent, PagePicture, PageShow, PictureKey, page_event};
use crate::programs::program_of;
use crate::replay::Session;
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
/// Pictures that one is made of at most.
const MAX_CHAIN: u32 = 16;

/// Writes a page.
///
/// # Errors
/// As [`Session::tour`]; [`Error::InvalidArgument`] for events that there are not.
pub fn write_page(session: &mut Session<'_>, options: &PageOptions) -> Result<String, Error> {
    let mut data = page_data(session, options, true)?;
    let events = options.events.clone().unwrap_or(0..session.events().len());
    (data.answers, data.blobs) = views::keep(session, events);
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
    for (index, event) in listed.iter().enumerate() {
        let mut page = page_event(machine, event);
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
        canvases: canvases.iter().map(page_canvas).collect(),
        faults: session.faults().first().iter().map(|fault| fault.what.clone()).collect(),
        served: !pictures,
        comparison: options.comparison.clone(),
        ..PageData::default()
    };
    let page = Arc::new(Mutex::new(data));
    let tour = PageTour {
        machine,
        canvases,
        plan,
        pictures,
        page: page.clone(),
        registers: HashMap::new(),
        latest: HashMap::new(),
    };
    if let Some(last) = range.clone().next_back() {
        session.tour(range.start, last, Box::new(tour))?;
    }
    let mut page = page.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *page))
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
const SCRIPTS: [&str; 9] = [
    include_str!("../page/panels.js"),
    include_str!("../page/textures.js"),
    include_str!("../page/vertices.js"),
    include_str!("../page/mesh.js"),
    include_str!("../page/constants.js"),
    include_str!("../page/heat.js"),
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

/// A picture of a canvas that came last.
struct Latest {
    number: usize,
    bytes: Vec<u8>,
    chain: u32,
    picture: Picture,
}

struct PageTour {
    machine: Machine,
    canvases: Vec<Canvas>,
    /// By the order of commands: which event, and which canvases it shows.
    plan: HashMap<u64, (usize, Vec<usize>)>,
    /// Whether pictures and programs are part of the page.
    pictures: bool,
    page: Arc<Mutex<PageData>>,
    /// Registers of each class at its event before.
    registers: HashMap<u32, Vec<u32>>,
    latest: HashMap<usize, Latest>,
}

impl Tour for PageTour {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        let (_, shown) = self.plan.get(&order)?;
        let ranges = shown.iter().map(|&canvas| self.canvases[canvas].range()).collect();
        Some(Ask { registers: moment == Moment::Before, ranges })
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
            let number = PictureKey::Number(self.note_picture(&mut page.pictures, canvas, &bytes));
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

    /// Notes the picture of a canvas; returns its number.
    fn note_picture(&mut self, pictures: &mut Vec<PagePicture>, canvas: usize, bytes: &[u8]) -> usize {
        if let Some(latest) = self.latest.get(&canvas).filter(|latest| latest.bytes == bytes) {
            return latest.number;
        }
        let picture = self.canvases[canvas].picture(bytes);
        let latest = self.latest.get(&canvas);
        let changed = latest.map(|latest| difference(&latest.picture, &picture));
        if let (Some(latest), Some(None)) = (latest, changed) {
            return latest.number;
        }
        let [x0, y0, x1, y1] = match changed.flatten() {
            Some(rect) => rect,
            None => [0, 0, picture.width, picture.height],
        };
        let below =
            latest.filter(|latest| latest.chain < MAX_CHAIN && (x1 - x0, y1 - y0) != (picture.width, picture.height));
        let (base, chain) = below.map_or((None, 0), |latest| (Some(latest.number), latest.chain + 1));
        let rect = if base.is_some() { [x0, y0, x1, y1] } else { [0, 0, picture.width, picture.height] };
        // Only a picture without pixels has no PNG.
        let png = crop(&picture, rect).to_png(true).map_or_else(|_| String::new(), |png| base64(&png));
        let number = pictures.len();
        pictures.push(PagePicture { width: picture.width, height: picture.height, base, x: rect[0], y: rect[1], png });
        self.latest.insert(canvas, Latest { number, bytes: bytes.to_vec(), chain, picture });
        number
    }
}

/// The smallest rectangle that holds all pixels that differ, as left, top, and one after right and bottom.
fn difference(a: &Picture, b: &Picture) -> Option<[u32; 4]> {
    let mut found: Option<[u32; 4]> = None;
    let width = a.width.max(1) as usize;
    for (index, (a, b)) in a.rgba.chunks_exact(4).zip(b.rgba.chunks_exact(4)).enumerate() {
        if a != b {
            let (x, y) = ((index % width) as u32, (index / width) as u32);
            let [x0, y0, x1, y1] = found.unwrap_or([x, y, x + 1, y + 1]);
            found = Some([x0.min(x), y0.min(y), x1.max(x + 1), y1.max(y + 1)]);
        }
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
