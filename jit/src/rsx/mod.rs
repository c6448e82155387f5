//! Programs of the RSX: vertex and fragment programs, four lanes at a time.

pub mod fragment;
mod predicate;
pub mod vertex;
