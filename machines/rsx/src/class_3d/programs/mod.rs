//! Vertex and fragment programs.

pub(crate) mod fragment_code;
pub(crate) mod upload;
pub(crate) mod vertex_code;
