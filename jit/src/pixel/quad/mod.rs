//! One quad of 2x2 pixels through all stages.

pub mod pica;
pub mod programs;
