//! The registers of a quad, for tracers.

use triglyph_guest::kernel::trace::{Register, WordForm};
use triglyph_guest::rsx::fragment::Temp;

use super::Quad;
use crate::trace::{Recorder, Registers, bits, register, vectors};

impl Quad<'_> {
    /// Notes the four colours of a lane, and its depth if the program gives one.
    pub fn note_results(&self, lane: usize, recorder: &mut Recorder) {
        for (number, color) in self.colors(lane).iter().take(self.program.exports.len()).enumerate() {
            recorder.result(format!("color{number}"), WordForm::Float, &bits(color));
        }
        if let Some(depth) = self.depth(lane) {
            recorder.result("depth", WordForm::Float, &[depth.to_bits()]);
        }
    }

    /// R registers that the program uses.
    fn full(&self) -> u8 {
        self.program.decoded.summary.registers.min(64)
    }
}

impl Registers for Quad<'_> {
    fn registers(&self) -> Vec<Register> {
        let full = usize::from(self.full());
        let files = vectors("R", full).chain(vectors("H", (2 * full).min(64))).chain(vectors("RC", 2));
        files.chain([register("killed", 1, WordForm::Flag)]).collect()
    }

    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn words(&self, lane: usize, words: &mut Vec<u32>) {
        let (lane, full) = (&self.lanes[lane], self.full());
        let registers = (0..full).map(Temp::Full).chain((0..(2 * full).min(64)).map(Temp::Half));
        words.extend(registers.flat_map(|register| lane.read(register)).map(f32::to_bits));
        words.extend(lane.conditions.iter().flatten().map(|value| value.to_bits()));
        words.push(lane.discarded.into());
    }
}
