//! The registers of a warp, for tracers.

use triglyph_guest::kernel::trace::{Register, WordForm};
use triglyph_guest::tegra::shader::isa::Reg;

use super::warp::Warp;
use crate::trace::{Registers, register};

/// R0 to R254.
const REGISTERS: u8 = 255;
/// P0 to P6.
const PREDICATES: u8 = 7;

impl Registers for Warp {
    fn registers(&self) -> Vec<Register> {
        let general = (0..REGISTERS).map(|number| register(format!("R{number}"), 1, WordForm::Bits));
        let predicates = (0..PREDICATES).map(|number| register(format!("P{number}"), 1, WordForm::Flag));
        // Z, S, C, O.
        general.chain(predicates).chain([register("CC", 1, WordForm::Bits)]).collect()
    }

    fn lanes(&self) -> usize {
        self.lanes.len()
    }

    fn words(&self, lane: usize, words: &mut Vec<u32>) {
        let lane = &self.lanes[lane];
        words.extend((0..REGISTERS).map(|number| lane.read(Reg(number))));
        words.extend((0..PREDICATES).map(|number| lane.predicates() >> number & 1));
        words.push(lane.condition.bits());
    }
}
