//! Tests of the PlayStation 3 through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod bounded;
mod captures;
mod class_2d;
mod class_3d;
mod front_end;
mod program;
mod random;
mod snapshot;
mod support;
mod system;
mod vectors;
