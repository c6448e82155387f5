//! Vertex programs of the RSX.
//!
//! ```text
//! Machine   registers of one vertex; instructions until the program ends
//!   alu       what both units do
//!   branch    where the program goes on
//! ```
//!
//! `guest::rsx::vertex` defines what instructions do.

mod alu;
mod branch;

use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::kernel::program::vertex::RsxVertexCode;
use triglyph_guest::rsx::operand::{Condition, Mask, Test};
use triglyph_guest::rsx::vertex::{
    self, BranchVisitor, CONSTANTS, Instruction, Register, ScalarVisitor, Source, TEMPS, Unit, VectorVisitor,
};

use crate::program::{Vector, limit};
use alu::{ScalarUnit, UnitResult, VectorUnit};
use branch::Branch;

/// A program, decoded.
#[derive(Clone, Debug)]
pub struct Program {
    decoded: vertex::Program,
    branch_bits: u32,
}

impl Program {
    /// Decodes a program. Instructions that do not exist do nothing.
    pub fn new(code: &RsxVertexCode) -> Self {
        let decoded = vertex::Program::decode(&code.code, code.start.into(), |_, _| {});
        Program { decoded, branch_bits: code.branch_bits }
    }
}

/// What a program reads besides its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'a> {
    /// Constants.
    pub constants: &'a [Vector],
    /// Texture units.
    pub keys: &'a [Option<TextureKey>; 4],
    /// What they read.
    pub textures: &'a [Texture<'a>; 4],
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    End,
    /// It had no more fuel.
    OutOfFuel,
}

/// Four integers.
type Address = [i32; 4];

/// The registers of a vertex.
#[derive(Clone, Debug)]
pub struct Machine {
    /// v\[0\] to v\[15\].
    pub inputs: [Vector; 16],
    /// o\[0\] to o\[15\].
    pub outputs: [Vector; 16],
    temps: [Vector; TEMPS],
    addresses: [Address; 2],
    conditions: [Vector; 2],
    /// Where calls return to.
    calls: Vec<usize>,
    /// The address stack.
    stack: Vec<Address>,
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

    /// Runs a program, at most `fuel` instructions of it.
    pub fn run(&mut self, program: &Program, resources: &Resources<'_>, fuel: u32) -> Ending {
        let mut next = Some(usize::from(program.decoded.entry));
        let mut left = fuel;
        while let Some(at) = next {
            let Some(instruction) = program.decoded.code.get(at) else { break };
            if left == 0 {
                return Ending::OutOfFuel;
            }
            left -= 1;
            next = self.step(instruction, at, program.branch_bits, resources);
        }
        Ending::End
    }

    /// Executes the instruction at `at`, and gives the index of the next one.
    fn step(
        &mut self,
        instruction: &Instruction,
        at: usize,
        branch_bits: u32,
        resources: &Resources<'_>,
    ) -> Option<usize> {
        // Both units read everything before either writes.
        let sources = instruction.sources.map(|source| self.source(&source, instruction, resources.constants));
        let holds = self.holds(instruction.condition, instruction.condition_register);
        let mut unit = VectorUnit { machine: self, instruction, resources };
        let vector = unit.visit(instruction.vector.op, sources);
        let scalar = ScalarUnit { machine: self, instruction }.visit(instruction.scalar.op, sources);

        if let Some(result) = vector {
            self.write_vector(instruction, result, holds);
        }
        if let Some(result) = scalar {
            self.write_scalar(instruction, result, holds);
        }
        if instruction.end {
            return None;
        }
        let [holds, ..] = holds;
        let mut branch = Branch { machine: self, instruction, at, holds, branch_bits };
        branch.visit(instruction.scalar.op, [(); 3]).unwrap_or(Some(at + 1))
    }

    fn source(&self, source: &Source, instruction: &Instruction, constants: &[Vector]) -> Vector {
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
    fn holds(&self, condition: Option<Condition>, register: u8) -> [bool; 4] {
        let Some(condition) = condition else { return [true; 4] };
        let values = self.conditions[usize::from(register & 1)];
        condition.swizzle.0.map(|i| test(condition.test, values[usize::from(i & 3)]))
    }

    /// The address register that an instruction selects.
    fn selected_address(&self, instruction: &Instruction) -> Address {
        self.addresses[usize::from(instruction.address_register & 1)]
    }

    fn write_vector(&mut self, instruction: &Instruction, result: UnitResult, holds: [bool; 4]) {
        let vector = &instruction.vector;
        match result {
            UnitResult::None => {}
            UnitResult::Address(address) => self.write_address(vector.address, address, vector.mask, holds),
            UnitResult::Numbers(result) => {
                let result = saturated(instruction, result);
                for i in written(vector.mask, holds) {
                    self.put(vector.temp, vector.output, i, result[i]);
                    self.update(instruction, Unit::Vector, i, result[i]);
                }
            }
        }
    }

    fn write_scalar(&mut self, instruction: &Instruction, result: UnitResult, holds: [bool; 4]) {
        let scalar = &instruction.scalar;
        match result {
            UnitResult::None => {}
            UnitResult::Address(address) => {
                self.write_address(instruction.address_register, address, scalar.mask, holds);
            }
            UnitResult::Numbers(result) => {
                let result = saturated(instruction, result);
                for i in written(scalar.mask, holds) {
                    self.put(scalar.temp, scalar.output, i, result[i]);
                    self.update(instruction, Unit::Scalar, i, result[i]);
                }
            }
        }
    }

    fn write_address(&mut self, register: u8, address: Address, mask: Mask, holds: [bool; 4]) {
        for i in written(mask, holds) {
            self.addresses[usize::from(register & 1)][i] = address[i];
        }
    }

    /// Writes component `i` of the condition register, if that is the unit whose result goes there.
    fn update(&mut self, instruction: &Instruction, unit: Unit, i: usize, value: f32) {
        if instruction.update == Some(unit) {
            self.conditions[usize::from(instruction.condition_register & 1)][i] = value;
        }
    }

    fn put(&mut self, temp: Option<u8>, output: Option<u8>, i: usize, value: f32) {
        if let Some(temp) = temp {
            self.temps[usize::from(temp) % TEMPS][i] = value;
        }
        if let Some(output) = output {
            self.outputs[usize::from(output & 15)][i] = value;
        }
    }
}

/// Components that a unit writes.
fn written(mask: Mask, holds: [bool; 4]) -> impl Iterator<Item = usize> {
    (0..4).filter(move |&i| mask.has(i) && holds[i])
}

fn saturated(instruction: &Instruction, result: Vector) -> Vector {
    if instruction.saturate { result.map(|v| limit(v, 0.0, 1.0)) } else { result }
}

/// Whether `v` is what the test asks for.
fn test(test: Test, v: f32) -> bool {
    match test {
        Test::FALSE => false,
        Test::LESS => v < 0.0,
        Test::EQUAL => v == 0.0,
        Test::LESS_EQUAL => v <= 0.0,
        Test::GREATER => v > 0.0,
        Test::NOT_EQUAL => v != 0.0,
        Test::GREATER_EQUAL => v >= 0.0,
        _ => true,
    }
}
