//! Kernels of the PICA200.

mod gas;
mod geometry;
mod lighting;
mod numbers;
mod pixel;
mod procedural;
mod shader;
mod shadow;
mod texture;
mod vertex;
