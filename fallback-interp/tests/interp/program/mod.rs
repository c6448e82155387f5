//! Kernels that both machines whose stages are all programs have.

mod fragment;
mod lookup;
mod output;
mod random;
mod sampler;
mod vertex;
