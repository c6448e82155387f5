//! Draws: from vertices to primitives in a scene.
//!
//! ```text
//! indices ─► vertex reuse ─► vertex kernel ─► records ─► assemble ─► clip ─► setup ─► scene
//! ```

mod assemble;
mod clip;
pub mod program;
mod setup;
mod shade;
pub mod tessellate;
mod vertex_reuse;

pub use assemble::SavedAssembler;
pub use assemble::{Assembler, Topology};
pub use setup::{Cull, OpaqueState, Setup};
pub use shade::{Batch, Shaded, shade};
pub use vertex_reuse::VertexReuse;
