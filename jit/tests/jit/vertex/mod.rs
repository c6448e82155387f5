//! Vertex kernels of the PICA200.

mod f24;
mod programs;
mod random;
mod support;
