//! The instruction sets that programs of captures have, and their assemblers.

use clap::ValueEnum;
use serde::Serialize;
use triglyph_guest::rsx::fragment::memory::Order;
use triglyph_guest::rsx::push::fragment_program_bytes;
use triglyph_guest::table::AsmError;
use triglyph_guest::{pica, rsx, tegra};

/// An instruction set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    /// Vertex and geometry programs of the 3DS.
    #[default]
    Pica,
    /// Vertex programs of the PS3.
    RsxVertex,
    /// Fragment programs of the PS3.
    RsxFragment,
    /// Shader programs of the Switch.
    Maxwell,
    /// Macros of the Switch.
    Mme,
}

impl Isa {
    /// The words of a program: of 64 bits for Maxwell, of 32 bits otherwise.
    ///
    /// # Errors
    /// The first line that does not assemble.
    pub fn assemble(self, text: &str) -> Result<Vec<u64>, AsmError> {
        match self {
            Isa::Pica => Ok(wide(&pica::Program::assemble(text)?.code)),
            Isa::RsxVertex => Ok(wide(rsx::vertex::assemble_program(text)?.1.as_flattened())),
            Isa::RsxFragment => Ok(wide(&rsx::fragment::assemble_program(text)?)),
            Isa::Maxwell => tegra::shader::assemble_program(text),
            Isa::Mme => Ok(wide(&tegra::mme::assemble_program(text)?)),
        }
    }

    /// Hexadecimal digits of a word.
    pub const fn digits(self) -> usize {
        if matches!(self, Isa::Maxwell) { 16 } else { 8 }
    }

    /// The bytes of words as the console stores them.
    pub fn bytes(self, words: &[u64]) -> Vec<u8> {
        let narrow = || words.iter().map(|word| *word as u32);
        match self {
            Isa::Maxwell => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
            Isa::RsxVertex => narrow().flat_map(u32::to_be_bytes).collect(),
            Isa::RsxFragment => fragment_program_bytes(&narrow().collect::<Vec<_>>(), Order::Big),
            Isa::Pica | Isa::Mme => narrow().flat_map(u32::to_le_bytes).collect(),
        }
    }
}

/// Words of 32 bits as words of 64.
pub fn wide(words: &[u32]) -> Vec<u64> {
    words.iter().map(|word| u64::from(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_assembles_and_has_its_bytes() {
        for (isa, text, bytes) in [
            (Isa::Pica, "end", vec![0, 0, 0, 0x88]),
            (Isa::RsxVertex, ".word 1, 2, 3, 4", [1, 2, 3, 4].into_iter().flat_map(u32::to_be_bytes).collect()),
            (Isa::RsxFragment, ".word 0x10002, 0, 0, 0", [&[0, 2, 0, 1][..], &[0; 12]].concat()),
            (Isa::Maxwell, ".sched 0x1\n.word 0x2", [1u64, 2].into_iter().flat_map(u64::to_le_bytes).collect()),
            (Isa::Mme, ".word 0x11", vec![0x11, 0, 0, 0]),
        ] {
            let words = isa.assemble(text).unwrap();
            assert_eq!(isa.bytes(&words), bytes, "{isa:?}");
            let error = isa.assemble(&format!("{text}\n  frobnicate r0")).unwrap_err();
            assert_eq!((error.line, error.column), (text.lines().count() + 1, 3), "{isa:?}: {error}");
        }
    }
}
