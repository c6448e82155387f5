//! Both units of an instruction: where their results go. What operations compute is in `vector.rs` and `scalar.rs`.

use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::vertex::{Instruction, ScalarVisitor, Source, Unit, VectorVisitor};

use super::Lower;
use super::registers::Cell;
use crate::lane::{F32x4, I32x4, Mask};
use crate::rsx::predicate::Predicate;

/// What a unit gives.
pub enum UnitResult {
    /// Nothing is written.
    None,
    /// Components for a temporary, an output and a condition register.
    Numbers([Option<F32x4>; 4]),
    /// Components for an address register.
    Address([Option<I32x4>; 4]),
    /// An address register for the address stack.
    Push([I32x4; 4]),
}

/// Emits what a unit computes. Operations are methods: see [`VectorVisitor`] and [`ScalarVisitor`].
pub struct Alu<'l, 'e, 'a> {
    pub lower: &'l mut Lower<'e, 'a>,
    pub instruction: &'l Instruction,
    /// Components of the result that are used.
    pub wanted: [bool; 4],
    /// Address registers on the stack.
    pub pushed: u8,
}

impl Alu<'_, '_, '_> {
    /// Component `c` of a source.
    pub fn read(&mut self, source: &Source, c: usize) -> F32x4 {
        self.lower.operand(self.instruction, source, c)
    }

    /// As [`Self::read`], without the negation.
    pub fn magnitude(&mut self, source: &Source, c: usize) -> F32x4 {
        self.lower.magnitude(self.instruction, source, c)
    }

    /// The components that are used, each computed alone.
    pub fn each(&mut self, mut component: impl FnMut(&mut Self, usize) -> F32x4) -> UnitResult {
        let wanted = self.wanted;
        UnitResult::Numbers(std::array::from_fn(|c| wanted[c].then(|| component(self, c))))
    }

    /// One value in all components.
    pub fn same(&self, value: F32x4) -> UnitResult {
        UnitResult::Numbers(self.wanted.map(|wanted| wanted.then_some(value)))
    }

    /// 1 in the lanes of a mask, else 0.
    pub fn flag(&mut self, mask: Mask) -> F32x4 {
        let e = &mut *self.lower.e;
        let one = e.f(1.0);
        let (bits, mask) = (e.bits(one), e.mask_ints(mask));
        let bits = e.iand(bits, mask);
        e.float_of_bits(bits)
    }
}

impl<'e, 'a> Lower<'e, 'a> {
    /// Emits one instruction without control flow. `pushed` address registers are on the stack.
    pub fn instruction(&mut self, instruction: &Instruction, pushed: u8) {
        // Both units read before either writes.
        let (vector, scalar) = (&instruction.vector, &instruction.scalar);
        let vector_predicates = self.predicates(instruction, vector.mask);
        let scalar_predicates = self.predicates(instruction, scalar.mask);
        let sources = instruction.sources.each_ref();
        let wanted = self.wanted(instruction, Unit::Vector);
        let vector_result = match vector.op.has_result() && wanted == [false; 4] {
            true => None,
            false => VectorVisitor::visit(&mut Alu { lower: self, instruction, wanted, pushed }, vector.op, sources),
        };
        let wanted = self.wanted(instruction, Unit::Scalar);
        let scalar_result = match scalar.op.has_result() && wanted == [false; 4] {
            true => None,
            false => ScalarVisitor::visit(&mut Alu { lower: self, instruction, wanted, pushed }, scalar.op, sources),
        };
        match vector_result.unwrap_or(UnitResult::None) {
            UnitResult::Numbers(result) => self.write_numbers(instruction, Unit::Vector, result, vector_predicates),
            UnitResult::Address(address) => self.write_address(vector.address, address, vector_predicates),
            UnitResult::None | UnitResult::Push(_) => {}
        }
        match scalar_result.unwrap_or(UnitResult::None) {
            UnitResult::Numbers(result) => self.write_numbers(instruction, Unit::Scalar, result, scalar_predicates),
            UnitResult::Address(address) => {
                self.write_address(instruction.address_register, address, scalar_predicates);
            }
            UnitResult::Push(address) => {
                for (c, value) in address.into_iter().enumerate() {
                    self.write_int(Cell::Pushed(pushed, c as u8), value);
                }
            }
            UnitResult::None => {}
        }
    }

    fn write_numbers(
        &mut self,
        instruction: &Instruction,
        unit: Unit,
        result: [Option<F32x4>; 4],
        predicates: [Predicate; 4],
    ) {
        let (temp, output) = match unit {
            Unit::Vector => (instruction.vector.temp, instruction.vector.output),
            Unit::Scalar => (instruction.scalar.temp, instruction.scalar.output),
        };
        let condition = (instruction.update == Some(unit)).then_some(instruction.condition_register & 1);
        for c in 0..4 {
            let Some(value) = result[c] else { continue };
            let value = if instruction.saturate { self.e.clamp(value, 0.0, 1.0) } else { value };
            let component = c as u8;
            let cells = [
                temp.map(|n| Cell::Temp(n, component)),
                output.map(|n| Cell::Output(n, component)),
                condition.map(|n| Cell::Condition(n, component)),
            ];
            for cell in cells.into_iter().flatten() {
                self.write_predicated(cell, predicates[c], value);
            }
        }
    }

    fn write_address(&mut self, register: u8, address: [Option<I32x4>; 4], predicates: [Predicate; 4]) {
        for (c, value) in address.into_iter().enumerate() {
            if let Some(value) = value {
                self.write_int_predicated(Cell::Address(register & 1, c as u8), predicates[c], value);
            }
        }
    }

    /// Components of a unit's result that are used.
    fn wanted(&self, instruction: &Instruction, unit: Unit) -> [bool; 4] {
        let (mask, temp, output) = match unit {
            Unit::Vector => (instruction.vector.mask, instruction.vector.temp, instruction.vector.output),
            Unit::Scalar => (instruction.scalar.mask, instruction.scalar.temp, instruction.scalar.output),
        };
        let output = output.filter(|&n| self.source.key.outputs >> n & 1 != 0);
        let used = temp.is_some() || output.is_some() || instruction.update == Some(unit);
        [0, 1, 2, 3].map(|c| used && mask.has(c))
    }
}
