//! Tests of the 3DS through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod bounded;
mod class_3d;
mod snapshot;
mod snapshot_broken;
mod support;
mod system;
