//! Pixel kernels: `function` is their code, of any machine; `pica` and `programs` compile and call it.

mod function;
mod pica;
mod programs;

pub use pica::{dump as dump_pixel, pixel};
pub use programs::{dump as dump_fragment, fragment};
