//! Answers that go into a file.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Views;
use crate::page::base64;
use crate::replay::Session;

/// Draws whose views are in a file: the first ones of its events.
const MAX_DRAWS: usize = 64;
/// Bytes of all answers in a file, about.
const MAX_BYTES: usize = 8 << 20;
/// Rows of a table of vertices; what the page asks for at once.
const ROWS: usize = 50;
/// Attributes that have a mesh before the vertex stage, and layers of textures.
const MAX_EACH: usize = 6;

/// Answers by path, as numbers of texts: JSON as it is, pictures in Base64.
pub fn keep(session: &mut Session<'_>, events: Range<usize>) -> (BTreeMap<String, usize>, Vec<String>) {
    let draws: Vec<usize> = match session.events().get(events) {
        Some(events) => events.iter().filter(|event| event.draws().count() > 0).map(|event| event.number).collect(),
        None => Vec::new(),
    };
    let mut kept = Kept::default();
    let mut views = Views::default();
    for event in draws.into_iter().take(MAX_DRAWS) {
        for path in paths(&mut views, session, event) {
            kept.add(&mut views, session, path);
        }
    }
    (kept.answers, kept.texts)
}

/// What the page asks for at an event, as it begins.
fn paths(views: &mut Views, session: &mut Session<'_>, event: usize) -> Vec<String> {
    let Some(inputs) = views.inputs(session, event, None) else { return Vec::new() };
    let mut paths = vec![format!("inputs/{event}"), format!("constants/{event}")];
    if let Some(vertices) = inputs.vertices.first() {
        paths.extend([format!("vertices/{event}/0/0/{ROWS}"), format!("mesh/{event}/0/after")]);
        paths.extend((0..vertices.attributes.len().min(MAX_EACH)).map(|at| format!("mesh/{event}/0/{at}")));
    }
    for (number, texture) in inputs.textures.iter().enumerate() {
        for level in 0..texture.levels() {
            let layers = texture.layers().min(MAX_EACH as u32);
            paths.extend((0..layers).map(|layer| format!("texture/{event}/{number}/{level}/{layer}/0")));
        }
    }
    paths
}

#[derive(Default)]
struct Kept {
    answers: BTreeMap<String, usize>,
    texts: Vec<String>,
    /// Texts by themselves: many draws have the same.
    known: HashMap<String, usize>,
    bytes: usize,
}

impl Kept {
    fn add(&mut self, views: &mut Views, session: &mut Session<'_>, path: String) {
        let parts: Vec<&str> = path.split('/').collect();
        let Some(answer) = views.answer(session, &[], &parts) else { return };
        let text = match answer.kind {
            "application/json" => String::from_utf8(answer.bytes).unwrap_or_default(),
            _ => base64(&answer.bytes),
        };
        let number = match self.known.get(&text) {
            Some(&number) => number,
            None if self.bytes + text.len() > MAX_BYTES => return,
            None => {
                self.bytes += text.len();
                self.texts.push(text.clone());
                self.known.insert(text, self.texts.len() - 1);
                self.texts.len() - 1
            }
        };
        self.answers.insert(path, number);
    }
}
