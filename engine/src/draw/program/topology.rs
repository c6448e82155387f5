//! Primitive topologies.

/// How vertices form primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topology {
    /// One vertex each.
    Points,
    /// Two vertices each.
    Lines,
    /// Each vertex with the one before it, and the last with the first.
    LineLoop,
    /// Each vertex with the one before it.
    LineStrip,
    /// Three vertices each.
    Triangles,
    /// Each vertex with the two before it; the winding of every second triangle is flipped.
    TriangleStrip,
    /// Each vertex with the one before it and the first.
    TriangleFan,
    /// Four vertices each, cut between the first and the third.
    Quads,
    /// The same, cut between the second and the fourth.
    QuadsByFourth,
    /// Two vertices with the two before them.
    QuadStrip,
    /// The same, each cut between its second and third vertex, like a strip of triangles (RSX).
    QuadStripAsTriangles,
    /// All of them.
    Polygon,
}
