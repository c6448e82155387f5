//! Sources and destinations of instructions.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::vertex::{Input, RSX_CONSTANTS};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::operand::{Condition, Mask as Components, Test};
use triglyph_guest::rsx::vertex::{Instruction, Register, Source};

use super::Lower;
use super::registers::Cell;
use crate::lane::{F32x4, I32x4};
use crate::rsx::predicate::Predicate;
use crate::rsx::vertex_kernel::args::{INPUTS, VertexArgs};
use crate::rsx::vertex_kernel::fetch;
use crate::rsx::vertex_kernel::needs::Constant;

/// A row at an address register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relative {
    Constant { number: u16, register: u8, component: u8 },
    Input { number: u8, register: u8, component: u8 },
}

impl Lower<'_, '_> {
    /// Component `c` of a source.
    pub fn operand(&mut self, instruction: &Instruction, source: &Source, c: usize) -> F32x4 {
        let value = self.magnitude(instruction, source, c);
        if source.negate { self.e.neg(value) } else { value }
    }

    /// As [`Self::operand`], without the negation.
    pub fn magnitude(&mut self, instruction: &Instruction, source: &Source, c: usize) -> F32x4 {
        let component = source.swizzle.0[c] & 3;
        let value = match source.register {
            Register::None => self.e.f(0.0),
            Register::Temp(n) => self.float(Cell::Temp(n, component)),
            Register::Input => self.input(instruction, component.into()),
            Register::Constant => self.constant(instruction, component),
        };
        if source.absolute { self.e.abs(value) } else { value }
    }

    fn input(&mut self, instruction: &Instruction, component: usize) -> F32x4 {
        if !instruction.relative_input {
            return self.fetched_component(instruction.input, component);
        }
        let at = Relative::Input {
            number: instruction.input,
            register: instruction.address_register,
            component: instruction.address_component,
        };
        self.relative(at)[component]
    }

    fn constant(&mut self, instruction: &Instruction, component: u8) -> F32x4 {
        let number = instruction.constant;
        if instruction.relative_constant {
            let at = Relative::Constant {
                number,
                register: instruction.address_register,
                component: instruction.address_component,
            };
            return self.relative(at)[usize::from(component)];
        }
        if usize::from(number) >= RSX_CONSTANTS {
            return self.e.f(0.0);
        }
        self.tabled(Constant::Program(number), component)
    }

    /// Address of the table of constants.
    pub fn table(&mut self) -> Value {
        let (e, table) = (&mut *self.e, &mut self.table);
        let args = e.args;
        *table.get_or_insert_with(|| e.load_i64(args, VertexArgs::TABLE))
    }

    fn tabled(&mut self, constant: Constant, component: u8) -> F32x4 {
        let index = self.needs.constant(constant, component);
        let table = self.table();
        self.e.load_floats(table, 16 * index)
    }

    /// A component of input register `n`.
    fn fetched_component(&mut self, n: u8, component: usize) -> F32x4 {
        match self.source.key.inputs[usize::from(n & 15)] {
            Input::Fixed => self.tabled(Constant::Fixed(n & 15), component as u8),
            Input::Array { .. } => self.fetched(n)[component],
        }
    }

    /// Input register `n`, if it is an array; straight programs load it where they first read it.
    pub fn fetched(&mut self, n: u8) -> [F32x4; 4] {
        let number = usize::from(n & 15);
        if let Some(fetched) = self.inputs[number] {
            return fetched;
        }
        let key = self.source.key;
        let fetched = fetch::fetch(self.e, number, key.inputs[number], key.big_endian, self.groups.group);
        self.inputs[number] = Some(fetched);
        fetched
    }

    /// A row whose number each lane computes.
    fn relative(&mut self, at: Relative) -> [F32x4; 4] {
        if let Some(&row) = self.relative.get(&at) {
            return row;
        }
        let row = match at {
            Relative::Constant { number, register, component } => {
                let offset = self.int(Cell::Address(register & 1, component & 3));
                let base = self.e.i(number.into());
                let number = self.e.iadd(offset, base);
                self.constants_at(number)
            }
            Relative::Input { number, register, component } => {
                let offset = self.int(Cell::Address(register & 1, component & 3));
                let (base, low) = (self.e.i(number.into()), self.e.i(15));
                let number = self.e.iadd(offset, base);
                let number = self.e.iand(number, low);
                self.inputs_at(number)
            }
        };
        self.relative.insert(at, row);
        row
    }

    /// Constants of these numbers; zero outside of those that there are.
    fn constants_at(&mut self, number: I32x4) -> [F32x4; 4] {
        let e = &mut *self.e;
        let args = e.args;
        let last = e.i(RSX_CONSTANTS as i32 - 1);
        let clamped = e.umin(number, last);
        let inside = e.ieq(clamped, number);
        let base = e.load_i64(args, VertexArgs::CONSTANTS);
        let rows = [0, 1, 2, 3].map(|lane| {
            let number = e.lane(clamped, lane);
            let row = e.address(base, number, 4);
            e.load_floats(row, 0)
        });
        let mask = e.mask_ints(inside);
        e.transpose(rows).map(|column| {
            let bits = e.bits(column);
            let bits = e.iand(bits, mask);
            e.float_of_bits(bits)
        })
    }

    /// Input registers of these numbers, 0 to 15. All of them are put into memory first.
    fn inputs_at(&mut self, number: I32x4) -> [F32x4; 4] {
        for n in 0..16u8 {
            for c in 0..4 {
                let value = self.fetched_component(n, c);
                let args = self.e.args;
                self.e.store(value.0, args, INPUTS + 64 * i32::from(n) + 16 * c as i32);
            }
        }
        let e = &mut *self.e;
        let args = e.args;
        let rows = [0, 1, 2, 3].map(|lane| {
            let number = e.lane(number, lane);
            e.address(args, number, 6)
        });
        [0, 1, 2, 3].map(|c| {
            let mut words = None;
            for (lane, row) in rows.into_iter().enumerate() {
                let word = e.load_f32(row, INPUTS + 16 * c + 4 * lane as i32);
                words = Some(match words {
                    None => e.b.ins().scalar_to_vector(cranelift_codegen::ir::types::F32X4, word),
                    Some(vector) => e.b.ins().insertlane(vector, word, lane as u8),
                });
            }
            words.map_or_else(|| e.f(0.0), F32x4)
        })
    }

    /// Lanes in which a test holds for a component of a condition register.
    fn test(&mut self, test: Test, register: u8, component: u8) -> Predicate {
        if let Some(constant) = Predicate::constant(test) {
            return constant;
        }
        let value = self.float(Cell::Condition(register & 1, component & 3));
        Predicate::test(self.e, test, value)
    }

    /// A condition for component `c`.
    fn predicate(&mut self, condition: Option<Condition>, register: u8, c: usize) -> Predicate {
        match condition {
            None => Predicate::Always,
            Some(condition) => self.test(condition.test, register, condition.swizzle.0[c] & 3),
        }
    }

    /// The predicates of the components of `mask`; others are never written.
    pub fn predicates(&mut self, instruction: &Instruction, mask: Components) -> [Predicate; 4] {
        let mut known: Vec<(u8, Predicate)> = Vec::new();
        std::array::from_fn(|c| {
            if !mask.has(c) {
                return Predicate::Never;
            }
            let component = instruction.condition.map_or(0, |condition| condition.swizzle.0[c]);
            if let Some((_, predicate)) = known.iter().find(|(of, _)| *of == component) {
                return *predicate;
            }
            let predicate = self.predicate(instruction.condition, instruction.condition_register, c);
            known.push((component, predicate));
            predicate
        })
    }

    /// Writes a float in the lanes of a predicate.
    pub fn write_predicated(&mut self, cell: Cell, predicate: Predicate, value: F32x4) {
        let value = match predicate {
            Predicate::Never => return,
            Predicate::Always => value,
            Predicate::Lanes(mask) => {
                let old = self.float(cell);
                self.e.select(mask, value, old)
            }
        };
        self.write_float(cell, value);
    }

    /// Writes an integer in the lanes of a predicate.
    pub fn write_int_predicated(&mut self, cell: Cell, predicate: Predicate, value: I32x4) {
        let value = match predicate {
            Predicate::Never => return,
            Predicate::Always => value,
            Predicate::Lanes(mask) => {
                let old = self.int(cell);
                self.e.iselect(mask, value, old)
            }
        };
        self.write_int(cell, value);
    }

    /// Whether a condition of a branch holds, for the whole group: a scalar of four bits.
    pub fn branch_bits(&mut self, instruction: &Instruction) -> Value {
        match self.predicate(instruction.condition, instruction.condition_register, 0) {
            Predicate::Never => self.e.i32(0),
            Predicate::Always => self.e.i32(15),
            Predicate::Lanes(mask) => self.e.mask_bits(mask),
        }
    }

    /// Whether four bits are all set: a scalar.
    pub fn all(&mut self, bits: Value) -> Value {
        self.e.b.ins().icmp_imm_u(IntCC::Equal, bits, 15)
    }
}
