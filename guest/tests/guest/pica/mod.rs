//! The PICA200.

mod command;
mod isa;
mod programs;
