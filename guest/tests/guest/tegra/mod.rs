//! The Tegra X1.

mod fifo;
mod formats;
mod headers;
mod layout;
mod methods;
mod mme;
mod shader_isa;
mod shader_programs;
mod textures;
