//! Vertex programs of the RSX.
//!
//! ```text
//! Machine   registers of one vertex; instructions until the program ends
//!   alu       formulas of both units
//! ```
//!
//! What instructions do is said in `guest::rsx::vertex`.

mod alu;

use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::kernel::program::vertex::RsxVertexCode;
use triglyph_guest::rsx::operand::{Condition, Mask, Test};
use triglyph_guest::rsx::vertex::{
    self, CALL_DEPTH, CONSTANTS, Instruction, Register, ScalarOp, Source, TEMPS, Unit, VectorOp,
};

use crate::program::sampler::{self, LodSource};
use crate::program::{Vector, limit};

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
    /// What PSH has put away.
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
        let vector = match instruction.vector.op {
            VectorOp::Txl => lookup(instruction.vector.texture, sources[0], resources),
            op => alu::vector(op, sources),
        };
        let scalar = alu::scalar(instruction.scalar.op, sources[2]);
        let address = self.address(instruction, sources[0]);
        let popped = self.address_stack(instruction);

        self.write_vector(instruction, vector, address, holds);
        self.write_scalar(instruction, scalar, popped, holds);
        if instruction.end {
            return None;
        }
        self.flow(instruction, at, holds[0], branch_bits)
    }

    fn source(&self, source: &Source, instruction: &Instruction, constants: &[Vector]) -> Vector {
        let register = usize::from(instruction.address_register & 1);
        let offset = self.addresses[register][usize::from(instruction.address_component & 3)];
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

    /// What ARL, ARR and ARA give.
    fn address(&self, instruction: &Instruction, a: Vector) -> Address {
        match instruction.vector.op {
            // The conversion saturates, NaN becomes 0.
            VectorOp::Arl => a.map(|v| v.floor() as i32),
            VectorOp::Arr => a.map(|v| v.round_ties_even() as i32),
            VectorOp::Ara => {
                let [x, y, z, w] = self.addresses[usize::from(instruction.address_register & 1)];
                let (x, y) = (x.wrapping_add(z), y.wrapping_add(w));
                [x, y, x, y]
            }
            _ => [0; 4],
        }
    }

    /// Executes PSH and the first half of POP.
    fn address_stack(&mut self, instruction: &Instruction) -> Option<Address> {
        match instruction.scalar.op {
            ScalarOp::Psh if self.stack.len() < CALL_DEPTH => {
                self.stack.push(self.addresses[usize::from(instruction.address_register & 1)]);
                None
            }
            ScalarOp::Pop => self.stack.pop(),
            _ => None,
        }
    }

    fn write_vector(&mut self, instruction: &Instruction, result: Vector, address: Address, holds: [bool; 4]) {
        let vector = &instruction.vector;
        if vector.op == VectorOp::Nop {
            return;
        }
        let result = saturated(instruction, result);
        for i in written(vector.mask, holds) {
            if vector.op.writes_address() {
                self.addresses[usize::from(vector.address & 1)][i] = address[i];
                continue;
            }
            self.put(vector.temp, vector.output, i, result[i]);
            if instruction.update == Some(Unit::Vector) {
                self.conditions[usize::from(instruction.condition_register & 1)][i] = result[i];
            }
        }
    }

    fn write_scalar(&mut self, instruction: &Instruction, result: Vector, popped: Option<Address>, holds: [bool; 4]) {
        let scalar = &instruction.scalar;
        let result = saturated(instruction, result);
        for i in written(scalar.mask, holds) {
            if let Some(popped) = popped {
                self.addresses[usize::from(instruction.address_register & 1)][i] = popped[i];
            }
            if !scalar.op.has_result() {
                continue;
            }
            self.put(scalar.temp, scalar.output, i, result[i]);
            if instruction.update == Some(Unit::Scalar) {
                self.conditions[usize::from(instruction.condition_register & 1)][i] = result[i];
            }
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

    /// Where the program goes on; `None`: it ends.
    fn flow(&mut self, instruction: &Instruction, at: usize, holds: bool, branch_bits: u32) -> Option<usize> {
        let scalar = &instruction.scalar;
        let taken = match scalar.op.tests_branch_bit() {
            true => (branch_bits >> (scalar.branch_bit & 31) & 1 != 0) == scalar.branch_value,
            false => holds,
        };
        if !taken {
            return Some(at + 1);
        }
        match scalar.op {
            ScalarOp::Ret => self.calls.pop(),
            op if op.is_call() => {
                if self.calls.len() == CALL_DEPTH {
                    return None;
                }
                self.calls.push(at + 1);
                Some(scalar.target.into())
            }
            op if op.has_target() => Some(scalar.target.into()),
            _ => Some(at + 1),
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

fn lookup(number: u8, a: Vector, resources: &Resources<'_>) -> Vector {
    let number = usize::from(number & 3);
    let Some(key) = &resources.keys[number] else { return [0.0; 4] };
    sampler::TextureUnit { key, texture: &resources.textures[number] }.sample(a, &LodSource::Level(a[3]))
}
