//! How a program uses the storage of its registers: R and H registers share it.

use super::operand::{Register, Temp};
use super::step::Step;
use super::{Instruction, REGISTERS};

/// A word of storage: register and component.
pub type Word = (u8, u8);

/// The word of component `c` of a register, and for an H register which half of it.
pub fn word_of(temp: Temp, c: usize) -> (Word, Option<usize>) {
    match temp {
        Temp::Full(n) => ((n & 63, c as u8), None),
        Temp::Half(n) => (((n / 2) & 31, 2 * (n & 1) + c as u8 / 2), Some(c % 2)),
    }
}

/// As what a program uses each word. Bit c of an entry is component c of an R register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    full: [u8; REGISTERS],
    half: [u8; REGISTERS],
}

impl Storage {
    /// Destinations by their masks, all four components of sources, and these exports.
    pub fn of(code: &[Step], exports: &[Temp], export_depth: bool) -> Self {
        let mut storage = Storage { full: [0; REGISTERS], half: [0; REGISTERS] };
        for step in code {
            let Instruction::Compute(compute) = &step.instruction else { continue };
            if let Some(temp) = compute.destination {
                (0..4).filter(|&c| compute.mask.has(c)).for_each(|c| storage.note(temp, c));
            }
            for source in &compute.sources {
                if let Register::Temp(temp) = source.register {
                    source.swizzle.0.iter().for_each(|&c| storage.note(temp, usize::from(c & 3)));
                }
            }
        }
        for &temp in exports {
            (0..4).for_each(|c| storage.note(temp, c));
        }
        if export_depth {
            storage.note(Temp::Full(1), 2);
        }
        storage
    }

    fn note(&mut self, temp: Temp, c: usize) {
        let ((register, component), half) = word_of(temp, c);
        let of = if half.is_some() { &mut self.half } else { &mut self.full };
        of[usize::from(register)] |= 1 << component;
    }

    /// Whether the program uses a word as R.
    pub fn is_full(&self, (register, component): Word) -> bool {
        self.full[usize::from(register) % REGISTERS] >> component & 1 != 0
    }

    /// Whether it uses some word both as R and as H.
    pub fn has_mixed(&self) -> bool {
        self.full.iter().zip(&self.half).any(|(full, half)| full & half != 0)
    }

    /// All words that it uses, in order.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        let used = self.full.iter().zip(&self.half).map(|(full, half)| full | half);
        (0..)
            .zip(used)
            .flat_map(|(register, used)| (0..4).filter(move |c| used >> c & 1 != 0).map(move |c| (register, c)))
    }
}
