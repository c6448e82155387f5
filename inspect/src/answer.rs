//! What the server answers to a path.

use serde::Serialize;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its media type.
    pub kind: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The answer for a value as JSON; `None` if it cannot be JSON.
pub(crate) fn json(value: &impl Serialize) -> Option<Answer> {
    Some(Answer { kind: "application/json", bytes: serde_json::to_vec(value).ok()? })
}
