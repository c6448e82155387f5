//! Stages of programs as registers number them.

pub(crate) const VERTEX_A: usize = 0;
pub(crate) const VERTEX_B: usize = 1;
pub(crate) const TESS_CONTROL: usize = 2;
pub(crate) const TESS_EVALUATION: usize = 3;
pub(crate) const GEOMETRY: usize = 4;
pub(crate) const PIXEL: usize = 5;
/// How many there are.
pub(crate) const STAGES: usize = 6;
