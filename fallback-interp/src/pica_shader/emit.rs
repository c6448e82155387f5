//! EMIT and SETEMIT: how a geometry unit hands out triangles (3dbrew: Shader Instruction Set; the two output banks are a
//! hardware test).

use triglyph_guest::pica::isa::SetEmit;

use super::Registers;

/// A triangle of a geometry program: the output registers at three EMITs, all sixteen each.
#[derive(Clone, Copy, Debug)]
pub struct Triangle<'a> {
    /// In the order of the vertex slots.
    pub vertices: [&'a Registers; 3],
    /// Whether the winding is inverted: the assembler exchanges the first two vertices.
    pub inverted: bool,
}

/// The vertex slots and what the next EMIT does. Slots are not cleared: vertices can be used again.
#[derive(Clone, Debug)]
pub(super) struct Emitter {
    setting: SetEmit,
    /// 0 to 2; that there is a fourth one is unverified.
    slots: [Registers; 4],
}

impl Default for Emitter {
    fn default() -> Self {
        let setting = SetEmit { vertex: 0, primitive: false, winding: false };
        Emitter { setting, slots: [[[0.0; 4]; 16]; 4] }
    }
}

impl Emitter {
    pub(super) fn set(&mut self, setting: SetEmit) {
        self.setting = setting;
    }

    /// Keeps the outputs in the chosen slot and makes a triangle of the slots when one is asked for.
    pub(super) fn emit(&mut self, outputs: &Registers, triangle: &mut dyn FnMut(Triangle<'_>)) {
        self.slots[usize::from(self.setting.vertex & 3)] = *outputs;
        if self.setting.primitive {
            let [a, b, c, _] = &self.slots;
            triangle(Triangle { vertices: [a, b, c], inverted: self.setting.winding });
        }
    }
}
