//! Tests of the Tegra X1 through its public interface, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod compute;
mod copy;
mod derived_state;
mod driver;
mod front;
mod grids;
mod ioctl;
mod snapshot;
mod support;
mod threed;
mod twod;
