//! Shader units and their programs.

pub(crate) mod unit;
pub(crate) mod worst_case_steps;
