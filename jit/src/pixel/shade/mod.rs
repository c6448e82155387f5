//! Shading: lighting, combiners, fog and gas in `pica`, which the 3DS has as state; a machine's program in `programs`.

pub mod pica;
mod programs;
