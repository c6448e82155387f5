//! Vertex kernels of the PICA200.

mod programs;
mod random;
mod support;
