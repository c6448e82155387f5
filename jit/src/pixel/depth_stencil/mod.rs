//! Stencil and depth tests, and what they write.

mod pica;
mod programs;
