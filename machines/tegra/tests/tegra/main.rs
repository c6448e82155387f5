//! Tests of the Tegra X1 through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod class_2d;
mod class_3d;
mod compute;
mod copy;
mod front_end;
mod snapshot;
mod support;
mod system;
