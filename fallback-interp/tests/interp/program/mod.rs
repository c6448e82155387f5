//! Kernels of shader pipelines, which the RSX and the Tegra X1 share.

mod fragment;
mod lookup;
mod output;
mod random;
mod sampler;
mod vertex;
