//! Tests of the tables and formats, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod block_codecs;
mod image_blocks;
mod pica;
mod rsx;
mod tegra;
