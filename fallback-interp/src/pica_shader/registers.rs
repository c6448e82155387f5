//! The registers of a shader unit, for tracers.

use triglyph_guest::kernel::trace::{Register, WordForm};

use super::Machine;
use crate::trace::{Registers, register, vectors};

impl Registers for Machine {
    fn registers(&self) -> Vec<Register> {
        let files = vectors("v", 16).chain(vectors("r", 16)).chain(vectors("o", 16));
        let rest =
            [register("a0", 2, WordForm::Int), register("aL", 1, WordForm::Int), register("cmp", 2, WordForm::Flag)];
        files.chain(rest).collect()
    }

    fn words(&self, _: usize, words: &mut Vec<u32>) {
        let files = [&self.inputs, &self.temporaries, self.outputs()];
        words.extend(files.into_iter().flatten().flatten().map(|value| value.to_bits()));
        words.extend(self.address.map(|address| address as u32));
        words.push(self.loop_counter as u32);
        words.extend(self.flags.map(u32::from));
    }
}
