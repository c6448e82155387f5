//! Programs of the RSX: vertex and fragment programs, four lanes at a time, and the vertex kernel: fetch and call.

pub mod fragment;
mod predicate;
pub mod vertex;
pub mod vertex_kernel;
