//! Copies of lines of bytes.

pub(crate) mod lines;
pub(crate) mod pieces;
