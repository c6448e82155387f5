//! Tests of the library as a host uses it, one binary for all of them.
#![allow(missing_docs, reason = "test code, never published")]

mod background;
mod bounded;
mod console_scenes;
mod console_values;
mod fuel;
mod hidden_surfaces;
mod host;
mod host_memory;
mod interrupted;
mod observed;
mod packet_traces;
mod present;
mod recording;
mod robustness;
mod segments;
mod shared_page;
mod snapshot;
mod tegra;
mod trim;
mod vectors;
mod vectors_shader;
mod wide_kernels;
