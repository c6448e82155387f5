//! The shapes that are assembled from the vertices of a draw.

use triglyph_engine::draw::program::Shape;

/// Shapes and the numbers of their primitives.
pub(crate) type Shapes = Vec<(Shape, u32)>;
