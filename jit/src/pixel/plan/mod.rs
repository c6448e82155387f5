//! Analysis of a key: what code generation depends on.

pub mod need;
pub mod pica;
pub mod programs;
