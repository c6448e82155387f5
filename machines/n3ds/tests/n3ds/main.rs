//! Tests of the 3DS through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod bounded;
mod choices;
mod choices_pixels;
mod derived_state;
mod gas;
mod gsp;
mod judged;
mod large_draws;
mod snapshot;
mod snapshot_broken;
mod support;
