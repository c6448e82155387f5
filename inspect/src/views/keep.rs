//! Answers that go into a file.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use serde::Serialize;
use triglyph::probe::{Counting, Surface};
use triglyph::{Error, Machine};

use super::heat::{Heat, has_heat};
use super::inputs::{Inputs, Texels, Texture};
use super::order::{Fragments, PrimitivesAnswer};
use super::{answer_of, constants, drawn_before};
use crate::answer::{Answer, json};
use crate::canvas::Canvas;
use crate::replay::Session;

/// Draws whose views are in a file: the first ones of its events.
const MAX_DRAWS: usize = 64;
/// Bytes of these views in a file, about.
const MAX_BYTES: usize = 8 << 20;
/// The same of heat maps, and of outcomes of fragments.
const MAX_HEAT_BYTES: usize = 8 << 20;
/// Rows of a table of vertices; what the page asks for at once.
const ROWS: usize = 50;
/// Texels of the pictures of an event's textures.
const MAX_TEXELS: u64 = 1 << 25;
/// Attributes that have a mesh before the vertex stage, and layers of textures.
const MAX_EACH: usize = 6;

/// Answers by path.
#[derive(Debug, Default)]
pub struct Kept {
    /// Numbers of texts.
    pub answers: BTreeMap<String, usize>,
    /// JSON as it is, other answers in Base64.
    pub texts: Vec<String>,
    /// How many of the first events have heat maps and outcomes of fragments.
    pub counted: usize,
    /// Texts by themselves: many draws have the same.
    known: HashMap<String, usize>,
    /// Bytes that are left.
    room: usize,
}

/// What a page may ask for of some events, as far as there is room for it.
///
/// # Errors
/// As [`Session::tour`].
pub fn keep(session: &mut Session<'_>, canvases: &[Canvas], events: Range<usize>) -> Result<Kept, Error> {
    let kept = Arc::new(Mutex::new(Kept { room: MAX_BYTES, ..Kept::default() }));
    keep_inputs(session, events.clone(), &kept)?;
    let start = events.start;
    {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.room, kept.counted) = (MAX_HEAT_BYTES, start);
    }
    let is_whole = !session.is_cut() && keep_fragments(session, canvases, events.clone(), &kept)?;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.counted = if is_whole { events.len() } else { kept.counted - start };
    Ok(std::mem::take(&mut *kept))
}

/// Keeps what goes into the first draws.
fn keep_inputs(session: &mut Session<'_>, events: Range<usize>, kept: &Arc<Mutex<Kept>>) -> Result<(), Error> {
    let listed = session.events().get(events).unwrap_or_default();
    let draws = listed.iter().filter(|event| event.draws().count() > 0).take(MAX_DRAWS);
    let classes: HashMap<usize, u32> = draws.map(|event| (event.number, event.command.class)).collect();
    let mut wanted: BTreeMap<usize, Texels> = classes.keys().map(|&event| (event, Texels::All)).collect();
    // What has changed is said of the first one, too.
    let before = wanted.keys().next().and_then(|&first| drawn_before(session, first));
    wanted.extend(before.map(|event| (event, Texels::None)));
    let (machine, kept) = (session.machine(), kept.clone());
    let mut before: Option<Inputs> = None;
    session.inputs_of(&wanted, move |event, inputs| {
        if let Some(&class) = classes.get(&event) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.add_inputs(event, (machine, class), &inputs, before.as_ref());
        }
        before = Some(inputs);
        true
    })
}

/// Keeps heat maps and outcomes of fragments, event by event: the page adds up a range. Returns whether they
/// are those of all events.
fn keep_fragments(
    session: &mut Session<'_>,
    canvases: &[Canvas],
    events: Range<usize>,
    kept: &Arc<Mutex<Kept>>,
) -> Result<bool, Error> {
    let surface = |(number, canvas): (usize, &Canvas)| match canvas {
        Canvas::Surface(surface) if has_heat(surface) => Some((number, *surface)),
        _ => None,
    };
    let (numbers, surfaces): (Vec<usize>, Vec<Surface>) = canvases.iter().enumerate().filter_map(surface).unzip();
    let (shown, kept) = (surfaces.clone(), kept.clone());
    let is_full = Arc::new(AtomicBool::new(false));
    let full = is_full.clone();
    session.count_fragments(events, (&surfaces, Counting::Verdicts), move |counted| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let event = counted.event;
        let mut all = vec![(format!("order/{event}"), text_of(&Fragments::of(counted)))];
        all.push((format!("primitives/{event}"), text_of(&PrimitivesAnswer::of(counted))));
        for (place, (surface, canvas)) in shown.iter().zip(&numbers).enumerate() {
            if let Some(heat) = Heat::of_event(surface, counted, place) {
                all.push((format!("heat/{canvas}/{event}"), text_of(&heat.answer(surface))));
            }
        }
        // Either all of an event is there or nothing of it and of those after it.
        let size: usize = all.iter().map(|(_, text)| text.len()).sum();
        if size > kept.room {
            full.store(true, Ordering::Relaxed);
            kept.counted = event;
            return false;
        }
        all.into_iter().for_each(|(path, text)| kept.add(path, text));
        kept.counted = event + 1;
        true
    })?;
    Ok(!session.is_cut() && !is_full.load(Ordering::Relaxed))
}

fn text_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What the page asks for at an event, as it begins, besides constants.
fn paths(event: usize, inputs: &Inputs) -> Vec<String> {
    let mut paths = vec![format!("inputs/{event}")];
    if let Some(vertices) = inputs.vertices.first() {
        paths.extend([format!("vertices/{event}/0/0/{ROWS}"), format!("mesh/{event}/0/after")]);
        paths.extend((0..vertices.attributes.len().min(MAX_EACH)).map(|at| format!("mesh/{event}/0/{at}")));
    }
    let mut texels = MAX_TEXELS;
    for (number, texture) in inputs.textures.iter().enumerate() {
        for level in 0..texture.levels() {
            let Some(left) = texels.checked_sub(texels_of(texture, level)) else { continue };
            texels = left;
            let layers = texture.layers().min(MAX_EACH as u32);
            paths.extend((0..layers).map(|layer| format!("texture/{event}/{number}/{level}/{layer}/0")));
        }
    }
    paths
}

/// Texels of the pictures of a level.
fn texels_of(texture: &Texture, level: u32) -> u64 {
    let [width, height, _] = texture.size(level);
    u64::from(width) * u64::from(height) * u64::from(texture.layers().min(MAX_EACH as u32))
}

impl Kept {
    fn add_inputs(&mut self, event: usize, of: (Machine, u32), inputs: &Inputs, before: Option<&Inputs>) {
        let constants = (format!("constants/{event}"), json(&constants::lines(inputs, before)));
        let others = paths(event, inputs).into_iter().map(|path| {
            let answer = answer_of(inputs, of, &path.split('/').collect::<Vec<_>>());
            (path, answer)
        });
        for (path, answer) in others.chain([constants]) {
            let Some(Answer { kind, bytes }) = answer else { continue };
            let text = match kind {
                "application/json" => String::from_utf8(bytes).unwrap_or_default(),
                _ => BASE64.encode(&bytes),
            };
            self.add(path, text);
        }
    }

    /// Keeps an answer, if there is room for it.
    fn add(&mut self, path: String, text: String) {
        let number = match self.known.get(&text) {
            Some(&number) => number,
            None if text.len() > self.room => return,
            None => {
                self.room -= text.len();
                self.texts.push(text.clone());
                self.known.insert(text, self.texts.len() - 1);
                self.texts.len() - 1
            }
        };
        self.answers.insert(path, number);
    }
}
