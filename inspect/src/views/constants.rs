//! Constants of the stages of a draw, and which of them changed since the draw before.

use serde::Serialize;
use triglyph::probe::Constants;

use super::inputs::Inputs;

/// Constants in an answer.
#[derive(Serialize)]
pub struct Line {
    name: String,
    kind: &'static str,
    /// First address and size, of those in memory.
    range: Option<(String, u64)>,
    words: Vec<u32>,
    /// Numbers of the words that are others than at the draw before; `None` if that had no such constants.
    changed: Option<Vec<usize>>,
}

/// Lines for all constants of a draw.
pub fn lines(inputs: &Inputs, before: Option<&Inputs>) -> Vec<Line> {
    let line = |constants: &Constants| {
        let known = before.and_then(|before| before.constants.iter().find(|known| known.name == constants.name));
        Line {
            name: constants.name.clone(),
            kind: constants.kind.name(),
            range: constants.range.map(|range| (format!("{:#x}", range.start.address), range.size)),
            words: constants.words.clone(),
            changed: known.map(|known| changed(known, constants)),
        }
    };
    inputs.constants.iter().map(line).collect()
}

/// Numbers of the words that are others than before.
fn changed(before: &Constants, now: &Constants) -> Vec<usize> {
    (0..now.words.len()).filter(|&at| before.words.get(at) != now.words.get(at)).collect()
}
