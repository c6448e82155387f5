//! Draws of shader pipelines, whose stages are all programs.
//!
//! ```text
//! indices ─► vertex reuse ─► vertex kernel ─► records ─► project ─► assemble ─► clip ─► setup ─► scene
//!                                         │                                 triangle.rs, line.rs, point.rs
//!                                         └─ clip-space position first, then the other outputs
//! ```
//! Positions are snapped to 1/256 pixel; depth planes are computed in f64 and rounded to f32 once, those of other
//! words in f32. Nothing here depends on the tier or on threads.

mod assemble;
mod binning;
mod clip;
mod compact;
mod line;
mod pieces;
mod plane;
mod point;
mod project;
mod projected;
mod setup;
mod shade;
mod split;
mod topology;
mod triangle;
mod unfinished;
mod varying;
mod words;

pub use super::vertex_reuse::RESTART;
pub use assemble::{Provoking, Shape, Topology, primitives, segment_primitives};
pub use binning::Binned;
pub use compact::{compact, has_most};
pub use pieces::{Primitives, SetupThreads};
pub use project::{ClipDistance, Keep, Projection, Single, Viewport};
pub use projected::ProjectedVertices;
pub use setup::{
    CullFace, DepthOffset, Drawn, Fill, LineShape, LineStipple, Planes, PointSize, PolygonMode, ProgramSetup, Winding,
};
pub use shade::{ProgramBatch, Records, shade_programs};
pub use split::{Segment, Segments, Sharing, Split};
pub use unfinished::{OwnedPrimitives, UnfinishedDraw};
pub use varying::{Interpolate, Output, PointR, Varying, Varyings, WordPlane, WordPlanes, WordValue};
