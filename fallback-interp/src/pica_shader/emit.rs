//! EMIT and SETEMIT: how a geometry unit hands out vertices (3dbrew: Shader Instruction Set; the two output banks are a
//! hardware test).

use triglyph_guest::pica::isa::SetEmit;

use super::Registers;

/// An EMIT of a geometry program.
#[derive(Clone, Copy, Debug)]
pub struct Emitted<'a> {
    /// o0 to o15 of the bank that was written to.
    pub outputs: &'a Registers,
    /// Which vertex they are, and whether it completes a triangle.
    pub setting: SetEmit,
}

/// The vertices that EMIT stores, with all their outputs. They are not cleared: vertices can be used again.
#[derive(Clone, Debug, Default)]
pub struct Slots([Registers; 4]);

/// A triangle of a geometry program: the output registers at three EMITs, all sixteen each.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<'a> {
    /// In the order of the vertex slots.
    pub vertices: [&'a Registers; 3],
    /// Whether the winding is inverted: the assembler exchanges the first two vertices.
    pub inverted: bool,
}

impl Slots {
    /// Keeps the outputs in the chosen slot and gives the triangle of the slots when one is asked for.
    pub fn store(&mut self, emitted: Emitted<'_>) -> Option<Triangle<'_>> {
        let SetEmit { vertex, primitive, winding } = emitted.setting;
        // Slots 0 to 2; that there is a fourth one is unverified.
        self.0[usize::from(vertex & 3)] = *emitted.outputs;
        let [a, b, c, _] = &self.0;
        primitive.then_some(Triangle { vertices: [a, b, c], inverted: winding })
    }
}
