//! Tests of the reference kernels, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod maxwell;
mod mme;
mod pica;
mod program;
mod traces;
mod transfer;
