//! Vertex programs of the RSX.
//!
//! ```text
//! machine   registers of one vertex
//!   alu       what both units do
//!   branch    where the program goes on
//! ```
//!
//! `guest::rsx::vertex` defines what instructions do.

mod alu;
mod branch;
mod machine;
mod registers;

use triglyph_guest::kernel::program::vertex::RsxVertexCode;
use triglyph_guest::rsx::operand::Mask;
use triglyph_guest::rsx::vertex::{self, BranchVisitor, Instruction, ScalarVisitor, Unit, VectorVisitor};

use crate::program::{Vector, limit};
use crate::trace::Watch;
use alu::{ScalarUnit, UnitResult, VectorUnit};
use branch::Branch;
use machine::Address;
pub use machine::{Machine, Resources};

/// A program, decoded.
#[derive(Clone, Debug)]
pub struct Program {
    decoded: vertex::Program,
    /// Where in the store each instruction is.
    places: Vec<u16>,
    branch_bits: u32,
}

impl Program {
    /// Decodes a program. Instructions that do not exist do nothing.
    pub fn new(code: &RsxVertexCode) -> Self {
        let decoded = vertex::Program::decode(&code.code, code.start.into(), |_, _| {});
        Program {
            decoded,
            places: vertex::Program::places(&code.code, code.start.into()),
            branch_bits: code.branch_bits,
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    End,
    /// It had no more fuel.
    OutOfFuel,
}

impl Machine {
    /// Runs a program, at most `fuel` instructions of it. Returns how many were executed as well.
    pub fn run(&mut self, program: &Program, resources: &Resources<'_>, fuel: u32) -> (Ending, u32) {
        self.run_watched(program, resources, fuel, &mut ())
    }

    /// The same with a watcher.
    pub fn run_watched(
        &mut self,
        program: &Program,
        resources: &Resources<'_>,
        fuel: u32,
        watch: &mut impl Watch<Self>,
    ) -> (Ending, u32) {
        let mut next = Some(usize::from(program.decoded.entry));
        let mut left = fuel;
        while let Some(at) = next {
            let Some(instruction) = program.decoded.code.get(at) else { break };
            if left == 0 {
                return (Ending::OutOfFuel, fuel);
            }
            left -= 1;
            next = self.step(instruction, at, program.branch_bits, resources);
            watch.executed(16 * program.places.get(at).copied().map_or(0, u32::from), 1, self);
        }
        (Ending::End, fuel - left)
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
}

/// Components that a unit writes.
fn written(mask: Mask, holds: [bool; 4]) -> impl Iterator<Item = usize> {
    (0..4).filter(move |&i| mask.has(i) && holds[i])
}

fn saturated(instruction: &Instruction, result: Vector) -> Vector {
    if instruction.saturate { result.map(|v| limit(v, 0.0, 1.0)) } else { result }
}
