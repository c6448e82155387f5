//! Kernels of RSX programs.

mod fragment;
mod support;
mod vertex;
