//! One lane: registers, condition registers, position in the program.

use triglyph_guest::num::half;
use triglyph_guest::num::ops::Scalar;
use triglyph_guest::rsx::fragment::{HALF_REGISTERS, REGISTERS, Temp};
use triglyph_guest::rsx::operand::Condition;

use super::structure::Structure;
use crate::operations;
use crate::program::Vector;

/// The NaN that operations give.
const NAN: f32 = f32::from_bits(0x7FFF_FFFF);

/// `v`, any NaN being the one that operations give.
pub(super) fn canonical(v: f32) -> f32 {
    if v.is_nan() { NAN } else { v }
}

/// The half nearest to `v`, in the low bits.
pub(super) fn half_bits(v: f32) -> u32 {
    half::bits(&mut Scalar, canonical(v)) as u32
}

/// The value of the half in the low bits.
pub(super) fn half_value(bits: u32) -> f32 {
    canonical(half::value(&mut Scalar, (bits & 0xFFFF) as i32))
}

/// The half next to `v` towards zero, as f32.
pub(super) fn half_cut(v: f32) -> f32 {
    canonical(half::cut(&mut Scalar, v))
}

/// `v` with a mantissa of ten bits, towards zero.
pub(super) fn mantissa_cut(v: f32) -> f32 {
    canonical(f32::from_bits(half::cut_mantissa(&mut Scalar, canonical(v).to_bits() as i32) as u32))
}

/// A lane of a quad.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// R registers, as bits: H registers lie in them.
    registers: [[u32; 4]; REGISTERS],
    /// Components of H registers that do not lie in an R register but are kept as they were computed: bit c of each
    /// register's entry.
    kept: [u8; HALF_REGISTERS],
    /// Their values.
    halves: [Vector; HALF_REGISTERS],
    /// The operand of the last LG2 that is part of a reciprocal square root.
    pub(super) root_operand: f32,
    /// Condition registers.
    pub(super) conditions: [Vector; 2],
    /// The instruction that comes next.
    pub(super) at: usize,
    /// Open structures, the innermost one last.
    pub(super) structures: Vec<Structure>,
    /// Nothing comes next.
    pub(super) ended: bool,
    /// The fragment will not be written.
    pub(super) discarded: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Lane {
            registers: [[0; 4]; REGISTERS],
            kept: [0; HALF_REGISTERS],
            halves: [[0.0; 4]; HALF_REGISTERS],
            root_operand: 0.0,
            conditions: [[0.0; 4]; 2],
            at: 0,
            structures: Vec::new(),
            ended: false,
            discarded: false,
        }
    }
}

impl Lane {
    /// A lane that keeps these components of H registers as they are computed.
    pub(super) fn new(kept: [u8; HALF_REGISTERS]) -> Self {
        Lane { kept, ..Lane::default() }
    }

    /// Whether component `i` of an H register is kept as it is computed.
    pub(super) fn keeps(&self, half: u8, i: usize) -> bool {
        self.kept[usize::from(half) % HALF_REGISTERS] >> i & 1 != 0
    }

    /// Back to the start of a program that uses this many R registers.
    pub(super) fn reset(&mut self, registers: usize) {
        self.registers[..registers.min(REGISTERS)].fill([0; 4]);
        self.halves[..(2 * registers).min(HALF_REGISTERS)].fill([0.0; 4]);
        self.conditions = [[0.0; 4]; 2];
        self.at = 0;
        self.structures.clear();
        self.ended = false;
        self.discarded = false;
    }

    /// The value of a register, bits of an R register as they are.
    pub(super) fn read(&self, register: Temp) -> Vector {
        match register {
            Temp::Full(number) => self.registers[usize::from(number) % REGISTERS].map(f32::from_bits),
            Temp::Half(number) => {
                let [low, high] = self.words_of_half(number);
                let stored = [low, low >> 16, high, high >> 16].map(half_value);
                let kept = self.halves[usize::from(number) % HALF_REGISTERS];
                std::array::from_fn(|i| if self.keeps(number, i) { kept[i] } else { stored[i] })
            }
        }
    }

    /// The two words that hold an H register.
    fn words_of_half(&self, number: u8) -> [u32; 2] {
        let [x, y, z, w] = self.registers[usize::from(number / 2) % REGISTERS];
        if number & 1 == 0 { [x, y] } else { [z, w] }
    }

    /// Writes component `i` of a register.
    pub(super) fn write(&mut self, register: Temp, i: usize, value: f32) {
        match register {
            Temp::Full(number) => self.registers[usize::from(number) % REGISTERS][i] = value.to_bits(),
            Temp::Half(number) if self.keeps(number, i) => {
                self.halves[usize::from(number) % HALF_REGISTERS][i] = value;
            }
            Temp::Half(number) => {
                let register = &mut self.registers[usize::from(number / 2) % REGISTERS];
                let word = &mut register[2 * usize::from(number & 1) + i / 2];
                let shift = 16 * (i & 1);
                *word = *word & !(0xFFFF << shift) | half_bits(value) << shift;
            }
        }
    }

    /// Writes component `i` of a condition register.
    pub(super) fn set_condition(&mut self, register: u8, i: usize, value: f32) {
        self.conditions[usize::from(register & 1)][i] = value;
    }

    /// For which components a condition holds.
    pub(super) fn holds(&self, condition: Option<Condition>, register: u8) -> [bool; 4] {
        let Some(condition) = condition else { return [true; 4] };
        let values = self.conditions[usize::from(register & 1)];
        condition.swizzle.0.map(|i| operations::test(condition.test, values[usize::from(i & 3)]))
    }
}
