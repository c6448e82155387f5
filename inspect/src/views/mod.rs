//! Views of the inputs of a draw, as answers to a page.
//!
//! | path | answer |
//! |---|---|
//! | `inputs/EVENT` | JSON: textures, parts with their attributes |
//! | `texture/EVENT/TEXTURE/LEVEL/LAYER/SLICE` | a PNG |
//! | `bytes/EVENT/TEXTURE/RANGE` | the bytes of a range of a texture |
//! | `vertices/EVENT/PART/FIRST/COUNT` | JSON: rows of a table |
//! | `mesh/EVENT/PART/after`, `mesh/EVENT/PART/ATTRIBUTE` | JSON: positions and edges |
//! | `heat/CANVAS/FIRST/LAST` | JSON: how often pixels were drawn to by events FIRST to LAST, both included |
//! | `order/FIRST/LAST` | JSON: outcomes of the fragments of each draw of events FIRST to LAST |
//! | `primitives/EVENT` | JSON: the same for each primitive |
//! | `overlay/EVENT/CANVAS` | JSON: what lies over the surface at a draw |
//! | `csv/EVENT/PART` | CSV: the vertices of a part |
//! | `obj/EVENT/PART/after`, `obj/EVENT/PART/ATTRIBUTE` | OBJ: the mesh of a part |
//! | `constants/EVENT` | JSON: constants, and what changed since the draw before |

mod constants;
mod counted;
mod export;
mod heat;
mod inputs;
mod keep;
mod order;
mod overlay;
mod resources;
mod textures;
mod vertices;

use serde::Serialize;
use triglyph::Machine;

pub use heat::Heat;
pub use inputs::{Form, Inputs, MAX_PARTS, Texture};
pub(crate) use keep::keep;
pub use order::{Fragments, Primitive};
pub use overlay::Overlay;
pub use resources::{Resource, Resources, Use};
pub use vertices::{format as attribute_format, value as vertex_value};

use crate::answer::{Answer, json};
use crate::canvas::Canvas;
use crate::replay::Session;

/// What goes into the events that were looked at last.
#[derive(Debug, Default)]
pub struct Views {
    /// Latest last, with the texture whose texels are there.
    kept: Vec<((usize, Option<usize>), Inputs)>,
}

/// Events that are kept.
const MAX_EVENTS: usize = 4;

#[derive(Serialize)]
struct InputsAnswer {
    textures: Vec<textures::Line>,
    parts: Vec<vertices::Part>,
    /// How many parts there are, also those that are left out.
    count: usize,
}

impl Views {
    /// The answer to a path; `None` for one that there is not.
    pub fn answer(&mut self, session: &mut Session<'_>, canvases: &[Canvas], parts: &[&str]) -> Option<Answer> {
        let range = |first: &str, last: &str| Some(number(first)?..number(last)?.checked_add(1)?);
        match *parts {
            ["heat", canvas, first, last] => {
                let Canvas::Surface(surface) = canvases.get(number(canvas)?)? else { return None };
                json(&session.heat(surface, range(first, last)?).ok()?.answer(surface))
            }
            ["overlay", event, canvas] => {
                let Canvas::Surface(surface) = canvases.get(number(canvas)?)? else { return None };
                json(&session.overlay(surface, number(event)?).ok()?.answer(surface))
            }
            ["order", first, last] => json(&session.drawing_order(range(first, last)?).ok()?),
            ["primitives", event] => {
                let event = number(event)?;
                let add = |found: &mut _, counted: &_| *found = order::PrimitivesAnswer::of(counted);
                json(&session.fold_fragments(event..event + 1, &[], order::PrimitivesAnswer::default(), add).ok()?)
            }
            ["constants", event] => {
                let event = number(event)?;
                let before = drawn_before(session, event).and_then(|event| self.inputs(session, event, None)).cloned();
                json(&constants::lines(self.inputs(session, event, None)?, before.as_ref()))
            }
            [_, event, ref rest @ ..] => {
                let event = number(event)?;
                let texture = rest.first().filter(|_| matches!(parts[0], "texture" | "bytes"));
                let texture = texture.map(|text| number(text)).map_or(Some(None), |number| number.map(Some))?;
                let (machine, class) = (session.machine(), session.events().get(event)?.command.class);
                answer_of(self.inputs(session, event, texture)?, (machine, class), parts)
            }
            _ => None,
        }
    }

    /// What goes into the draws of an event, with the texels of one of the textures.
    fn inputs(&mut self, session: &mut Session<'_>, event: usize, texture: Option<usize>) -> Option<&Inputs> {
        let known =
            |(key, _): &((usize, Option<usize>), Inputs)| key.0 == event && (texture.is_none() || key.1 == texture);
        if let Some(at) = self.kept.iter().position(known) {
            let found = self.kept.remove(at);
            self.kept.push(found);
        } else {
            let found = session.inputs(event, texture).ok()?;
            // Texels may be many: one texture has them.
            self.kept.retain(|(key, _)| key.0 != event && (texture.is_none() || key.1.is_none()));
            if self.kept.len() >= MAX_EVENTS {
                self.kept.remove(0);
            }
            self.kept.push(((event, texture), found));
        }
        self.kept.last().map(|(_, inputs)| inputs)
    }
}

/// The answer to a path that asks for what goes into draws.
fn answer_of(inputs: &Inputs, (machine, class): (Machine, u32), parts: &[&str]) -> Option<Answer> {
    match *parts {
        ["inputs", _] => {
            let textures = textures::lines(machine, class, inputs);
            json(&InputsAnswer { textures, parts: vertices::parts(inputs), count: inputs.parts })
        }
        ["texture", _, texture, level, layer, slice] => {
            let found = inputs.textures.get(number(texture)?)?;
            let picture = found.picture(level.parse().ok()?, layer.parse().ok()?, slice.parse().ok()?)?;
            Some(Answer { kind: "image/png", bytes: picture.to_png(true).ok()? })
        }
        ["bytes", _, texture, range] => {
            let bytes = inputs.textures.get(number(texture)?)?.bytes.get(number(range)?)?.clone();
            Some(Answer { kind: "application/octet-stream", bytes })
        }
        ["vertices", _, part, first, count] => {
            json(&vertices::rows(inputs.vertices.get(number(part)?)?, number(first)?, number(count)?))
        }
        ["csv", _, part] => {
            let bytes = export::csv(inputs.vertices.get(number(part)?)?).into_bytes();
            Some(Answer { kind: "text/csv; charset=utf-8", bytes })
        }
        ["obj", _, part, which] => {
            let attribute = if which == "after" { None } else { Some(number(which)?) };
            let bytes = export::obj(&vertices::mesh(inputs, number(part)?, attribute)?).into_bytes();
            Some(Answer { kind: "text/plain; charset=utf-8", bytes })
        }
        ["mesh", _, part, which] => {
            let attribute = if which == "after" { None } else { Some(number(which)?) };
            json(&vertices::mesh(inputs, number(part)?, attribute)?)
        }
        _ => None,
    }
}

/// The last event before another one that draws.
fn drawn_before(session: &Session<'_>, event: usize) -> Option<usize> {
    session.events().get(..event)?.iter().rposition(|event| event.draws().count() > 0)
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok()
}
