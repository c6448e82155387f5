//! Register file of a vertex program during emission: the SSA values of its components.
//!
//! Within a block, and from a block to its successors without other predecessors, components are plain values. At other
//! edges they go through variables of the builder.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_codegen::ir::{Type, Value};
use cranelift_frontend::Variable;
use triglyph_guest::num::ops::Ops;

use super::Lower;
use crate::lane::{F32x4, I32x4};

/// A component of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    Temp(u8, u8),
    Output(u8, u8),
    Condition(u8, u8),
    Address(u8, u8),
    /// Of an address register on the stack.
    Pushed(u8, u8),
}

impl Cell {
    fn ty(self) -> Type {
        match self {
            Cell::Temp(..) | Cell::Output(..) | Cell::Condition(..) => F32X4,
            Cell::Address(..) | Cell::Pushed(..) => I32X4,
        }
    }
}

/// What is known at a place.
#[derive(Clone, Default)]
pub struct File {
    values: BTreeMap<Cell, Value>,
    /// What is newer here than in its variable.
    dirty: BTreeSet<Cell>,
    /// The program's start: what was not written has its first value. Elsewhere it is in its variable.
    start: bool,
}

impl File {
    /// Where the program begins.
    pub fn start() -> File {
        File { start: true, ..File::default() }
    }
}

/// Variables for everything that lives across blocks.
#[derive(Default)]
pub struct Variables {
    cells: BTreeMap<Cell, Variable>,
    /// Instructions that may still be executed.
    pub fuel: Option<Variable>,
}

impl Lower<'_, '_> {
    /// Declares variables for everything that the program writes, and gives them their first values.
    pub fn start_variables(&mut self, cells: BTreeSet<Cell>, fuel: Option<Value>) {
        for cell in cells {
            let variable = self.e.b.declare_var(cell.ty());
            let first = self.first_value(cell);
            self.e.b.def_var(variable, first);
            self.variables.cells.insert(cell, variable);
        }
        if let Some(fuel) = fuel {
            let variable = self.e.b.declare_var(I32);
            self.e.b.def_var(variable, fuel);
            self.variables.fuel = Some(variable);
        }
    }

    /// What a component holds when the program begins.
    fn first_value(&mut self, cell: Cell) -> Value {
        match cell {
            Cell::Output(_, 3) => self.e.f(1.0).0,
            _ if cell.ty() == F32X4 => self.e.f(0.0).0,
            _ => self.e.i(0).0,
        }
    }

    fn value(&mut self, cell: Cell) -> Value {
        if let Some(&value) = self.file.values.get(&cell) {
            return value;
        }
        let variable = self.variables.cells.get(&cell).copied().filter(|_| !self.file.start);
        let value = match variable {
            Some(variable) => self.e.b.use_var(variable),
            None => self.first_value(cell),
        };
        self.file.values.insert(cell, value);
        value
    }

    fn put(&mut self, cell: Cell, value: Value) {
        self.file.values.insert(cell, value);
        self.file.dirty.insert(cell);
    }

    /// A component of floats.
    pub fn float(&mut self, cell: Cell) -> F32x4 {
        F32x4(self.value(cell))
    }

    /// A component of integers.
    pub fn int(&mut self, cell: Cell) -> I32x4 {
        I32x4(self.value(cell))
    }

    pub fn write_float(&mut self, cell: Cell, value: F32x4) {
        self.put(cell, value.0);
    }

    pub fn write_int(&mut self, cell: Cell, value: I32x4) {
        if let Cell::Address(..) = cell {
            self.relative.clear();
        }
        self.put(cell, value.0);
    }

    /// Brings the variables up to date.
    pub fn flush(&mut self) {
        for cell in std::mem::take(&mut self.file.dirty) {
            if let (Some(&variable), Some(&value)) = (self.variables.cells.get(&cell), self.file.values.get(&cell)) {
                self.e.b.def_var(variable, value);
            }
        }
    }
}
