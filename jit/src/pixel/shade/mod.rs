//! The colour of a pixel: lighting, combiners, fog and gas in `pica`, a machine's program in `programs`.

pub mod pica;
mod programs;
