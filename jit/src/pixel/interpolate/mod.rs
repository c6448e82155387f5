//! Varyings, 1/w and depth of a quad: weighted sums over edge functions in `pica`, planes in `programs`.

pub mod pica;
mod programs;
