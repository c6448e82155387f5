//! Structures that the GPU reads from memory: texture headers, samplers, program headers, launch descriptors.
//!
//! ```text
//! texture/              texture headers (TIC): 8 words in five kinds; texture handles
//! sampler.rs            samplers (TSC): 8 words
//! program.rs            program headers (SPH): 20 words in front of the code; build.rs headers from descriptions
//! launch/               launch descriptors (QMD): 64 words, what a compute grid is
//! ```
//! Each has its fields as a table and is decoded to a plain structure. Every bit pattern decodes to something.

pub mod build;
pub mod launch;
pub mod program;
pub mod sampler;
pub mod texture;

pub use build::{HeaderBuilder, HeaderError};
pub use launch::Launch;
pub use program::ProgramHeader;
pub use sampler::Sampler;
pub use texture::{TextureHandle, TextureHeader};
