//! Shading by state.
//!
//! | file | what |
//! |---|---|
//! | `lighting.rs` | the two colours of fragment lighting |
//! | `combine.rs` | the six combiner stages on 16-bit pairs |
//! | `fog.rs`, `gas.rs` | what changes their result |

pub(crate) mod combine;
mod fog;
mod gas;
pub mod gas_args;
pub mod lighting;
