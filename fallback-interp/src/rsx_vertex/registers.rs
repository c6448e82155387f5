//! The registers of a vertex, for tracers.

use triglyph_guest::kernel::trace::{Register, WordForm};
use triglyph_guest::rsx::vertex::TEMPS;

use super::Machine;
use crate::trace::{Registers, register, vectors};

impl Registers for Machine {
    fn registers(&self) -> Vec<Register> {
        let files = vectors("v", 16).chain(vectors("R", TEMPS)).chain(vectors("o", 16)).chain(vectors("RC", 2));
        files.chain(["A0", "A1"].map(|name| register(name, 4, WordForm::Int))).collect()
    }

    fn words(&self, _: usize, words: &mut Vec<u32>) {
        let vectors = self.inputs.iter().chain(&self.temps).chain(&self.outputs).chain(&self.conditions);
        words.extend(vectors.flatten().map(|value| value.to_bits()));
        words.extend(self.addresses.iter().flatten().map(|&address| address as u32));
    }
}
