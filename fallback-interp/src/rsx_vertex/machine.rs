//! The registers of a vertex.

use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::rsx::operand::Condition;
use triglyph_guest::rsx::vertex::{CONSTANTS, Instruction, Register, Source, TEMPS};

use crate::operations;
use crate::program::Vector;

/// The resources that a program reads besides its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'a> {
    /// Constants.
    pub constants: &'a [Vector],
    /// Texture units.
    pub keys: &'a [Option<TextureKey>; 4],
    /// The data that they read.
    pub textures: &'a [Texture<'a>; 4],
}

/// Four integers.
pub(super) type Address = [i32; 4];

/// The registers of a vertex.
#[derive(Clone, Debug)]
pub struct Machine {
    /// v\[0\] to v\[15\].
    pub inputs: [Vector; 16],
    /// o\[0\] to o\[15\].
    pub outputs: [Vector; 16],
    pub(super) temps: [Vector; TEMPS],
    pub(super) addresses: [Address; 2],
    pub(super) conditions: [Vector; 2],
    /// Where calls return to.
    pub(super) calls: Vec<usize>,
    /// The address stack.
    pub(super) stack: Vec<Address>,
}

impl Machine {
    /// The registers with which a vertex begins.
    pub fn new(inputs: [Vector; 16]) -> Self {
        Machine {
            inputs,
            outputs: [[0.0, 0.0, 0.0, 1.0]; 16],
            temps: [[0.0; 4]; TEMPS],
            addresses: [[0; 4]; 2],
            conditions: [[0.0; 4]; 2],
            calls: Vec::new(),
            stack: Vec::new(),
        }
    }

    pub(super) fn source(&self, source: &Source, instruction: &Instruction, constants: &[Vector]) -> Vector {
        let offset = self.selected_address(instruction)[usize::from(instruction.address_component & 3)];
        let value = match source.register {
            Register::None => [0.0; 4],
            Register::Temp(number) => self.temps[usize::from(number) % TEMPS],
            Register::Input => {
                let offset = if instruction.relative_input { offset } else { 0 };
                self.inputs[(i32::from(instruction.input).wrapping_add(offset) & 15) as usize]
            }
            Register::Constant => {
                let offset = if instruction.relative_constant { offset } else { 0 };
                let number = usize::try_from(i32::from(instruction.constant).wrapping_add(offset)).ok();
                let existing = number.filter(|&number| number < CONSTANTS);
                existing.and_then(|number| constants.get(number)).copied().unwrap_or_default()
            }
        };
        source.swizzle.0.map(|i| {
            let v = value[usize::from(i & 3)];
            let v = if source.absolute { v.abs() } else { v };
            if source.negate { -v } else { v }
        })
    }

    /// For which components a condition holds.
    pub(super) fn holds(&self, condition: Option<Condition>, register: u8) -> [bool; 4] {
        let Some(condition) = condition else { return [true; 4] };
        let values = self.conditions[usize::from(register & 1)];
        condition.swizzle.0.map(|i| operations::test(condition.test, values[usize::from(i & 3)]))
    }

    /// The address register that an instruction selects.
    pub(super) fn selected_address(&self, instruction: &Instruction) -> Address {
        self.addresses[usize::from(instruction.address_register & 1)]
    }

    pub(super) fn put(&mut self, temp: Option<u8>, output: Option<u8>, i: usize, value: f32) {
        if let Some(temp) = temp {
            self.temps[usize::from(temp) % TEMPS][i] = value;
        }
        if let Some(output) = output {
            self.outputs[usize::from(output & 15)][i] = value;
        }
    }
}
