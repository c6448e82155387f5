//! Views of what goes into a draw, as answers to a page.
//!
//! | path | answer |
//! |---|---|
//! | `inputs/EVENT` | JSON: textures, parts with their attributes |
//! | `texture/EVENT/TEXTURE/LEVEL/LAYER/SLICE` | a PNG |
//! | `bytes/EVENT/TEXTURE/RANGE` | the bytes of a range of a texture |
//! | `vertices/EVENT/PART/FIRST/COUNT` | JSON: rows of a table |
//! | `mesh/EVENT/PART/after`, `mesh/EVENT/PART/ATTRIBUTE` | JSON: positions and edges |
//! | `heat/CANVAS/FIRST/LAST` | JSON: how often pixels were drawn to by events FIRST to LAST, both included |
//! | `constants/EVENT` | JSON: constants, and what changed since the draw before |

mod constants;
mod heat;
mod inputs;
mod keep;
mod textures;
mod vertices;

use serde::Serialize;

pub use heat::Heat;
pub use inputs::{Form, Inputs, MAX_PARTS, Texture};
pub(crate) use keep::keep;
pub use vertices::value as vertex_value;

use crate::canvas::Canvas;
use crate::replay::Session;
use crate::serve::Answer;

/// What goes into the events that were looked at last.
#[derive(Debug, Default)]
pub struct Views {
    /// Latest last, with the texture whose texels are there.
    kept: Vec<((usize, Option<usize>), Inputs)>,
}

/// Events that are kept.
const KEPT: usize = 4;

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
        let number = |text: &str| text.parse::<usize>().ok();
        match *parts {
            ["inputs", event] => {
                let event = number(event)?;
                let (machine, class) = (session.machine(), session.events().get(event)?.command.class);
                let inputs = self.inputs(session, event, None)?;
                let textures = textures::lines(machine, class, inputs);
                json(&InputsAnswer { textures, parts: vertices::parts(inputs), count: inputs.parts })
            }
            ["texture", event, texture, level, layer, slice] => {
                let texture = number(texture)?;
                let inputs = self.inputs(session, number(event)?, Some(texture))?;
                let found = inputs.textures.get(texture)?;
                let picture = found.picture(level.parse().ok()?, layer.parse().ok()?, slice.parse().ok()?)?;
                Some(Answer { kind: "image/png", bytes: picture.to_png(true).ok()? })
            }
            ["bytes", event, texture, range] => {
                let texture = number(texture)?;
                let inputs = self.inputs(session, number(event)?, Some(texture))?;
                let bytes = inputs.textures.get(texture)?.bytes.get(number(range)?)?.clone();
                Some(Answer { kind: "application/octet-stream", bytes })
            }
            ["vertices", event, part, first, count] => {
                let inputs = self.inputs(session, number(event)?, None)?;
                json(&vertices::rows(inputs.vertices.get(number(part)?)?, number(first)?, number(count)?))
            }
            ["mesh", event, part, which] => {
                let attribute = if which == "after" { None } else { Some(number(which)?) };
                json(&vertices::mesh(self.inputs(session, number(event)?, None)?, number(part)?, attribute)?)
            }
            ["constants", event] => {
                let event = number(event)?;
                let earlier = session.events().get(..event)?.iter().rposition(|event| event.draws().count() > 0);
                let before = earlier.and_then(|earlier| self.inputs(session, earlier, None)).cloned();
                json(&constants::lines(self.inputs(session, event, None)?, before.as_ref()))
            }
            ["heat", canvas, first, last] => {
                let Canvas::Surface(surface) = canvases.get(number(canvas)?)? else { return None };
                let events = number(first)?..number(last)?.checked_add(1)?;
                json(&session.heat(surface, events).ok()?)
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
            self.kept.retain(|(key, _)| key.0 != event);
            if self.kept.len() >= KEPT {
                self.kept.remove(0);
            }
            self.kept.push(((event, texture), found));
        }
        self.kept.last().map(|(_, inputs)| inputs)
    }
}

fn json(answer: &impl Serialize) -> Option<Answer> {
    Some(Answer { kind: "application/json", bytes: serde_json::to_vec(answer).ok()? })
}
