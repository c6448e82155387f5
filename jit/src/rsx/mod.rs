//! Programs of the RSX: vertex and fragment programs to lanes.

pub mod fragment;
pub mod vertex;
