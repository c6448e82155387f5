//! The 3D class.

mod clear;
mod copies;
mod derived_state;
mod fragments;
mod lines_points;
mod output;
mod random;
mod raster;
mod sync;
#[allow(clippy::unusual_byte_groupings, reason = "words are written by their fields")]
mod textures;
mod vertices;

pub use triglyph_testkit::rsx as support;
