//! Captures: a GPU's input in a file (`docs/reference/captures.md`).

pub mod file;
pub mod picture;
pub mod player;
pub mod record;
