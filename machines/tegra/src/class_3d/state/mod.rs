//! State of draws, derived from registers and memory.

pub(crate) mod bindings;
pub(crate) mod constant;
pub(crate) mod output;
pub(crate) mod pixels;
pub(crate) mod setup;
pub(crate) mod target;
pub(crate) mod texture;
pub(crate) mod units;
pub(crate) mod unsupported;
