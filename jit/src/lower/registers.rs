//! Guest registers as values: what is known of them at the place that is being emitted.
//!
//! Within a block, and on from a block to those that only it leads to, components are plain values. Where ways meet,
//! they go through variables of the builder, which makes block parameters of those that differ.

use std::collections::HashMap;

use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::vertex::Input;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::pica::isa::{Dst, Index, Src};

use super::Lower;
use super::decode::Operand;
use super::kernel::{Args, FLOATS};
use super::live::{Live, bit};
use crate::flow::LOOPS;
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// A component of a register in four lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub value: F32x4,
    /// It cannot hold a NaN that the guest would not have: no product went into it.
    pub clean: bool,
}

pub(super) const fn clean(value: F32x4) -> Number {
    Number { value, clean: true }
}

/// Four numbers of a register, as far as they are known.
type Register = [Option<Number>; 4];

/// What is known at a place.
#[derive(Clone)]
pub(super) struct File {
    temporaries: [Register; 16],
    outputs: [Register; 16],
    /// Offsets that a0.x and a0.y add to the number of a register: 0 when they hold more than 8 bits.
    address: [Option<I32x4>; 2],
    flags: [Option<Mask>; 2],
    /// What is newer here than in its variable.
    dirty: Live,
    /// Lanes with a NaN that may be wrong, besides those in the variable.
    pub suspect: Option<Mask>,
    /// The program's start: what was not written is zero. Elsewhere it is in its variable.
    start: bool,
    /// Values that do not change during a call, and where in the program they were loaded.
    constants: HashMap<(Constant, u8), (F32x4, u32)>,
    /// Rows of uniforms at an address register.
    relative: HashMap<(Index, u8), [F32x4; 4]>,
    /// Addresses of uniforms at aL.
    rows: HashMap<u8, Value>,
    pointers: [Option<Value>; 2],
}

/// Four numbers that do not change during a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Uniform(u8),
    /// Beginning at this uniform, aL further on.
    UniformAtLoop(u8),
    Fixed(u8),
    /// Half of the viewport's size in x and y, its corner in z and w.
    Viewport,
    ClipPlane,
}

/// Instructions for which a constant is kept; loading it again costs less than keeping it on the stack.
const KEPT: u32 = 8;

impl File {
    /// Nothing is known. `start`: because nothing was written, else because ways meet here.
    pub fn new(start: bool) -> File {
        File {
            temporaries: [[None; 4]; 16],
            outputs: [[None; 4]; 16],
            address: [None; 2],
            flags: [None; 2],
            dirty: Live::default(),
            suspect: None,
            start,
            constants: HashMap::new(),
            relative: HashMap::new(),
            rows: HashMap::new(),
            pointers: [None; 2],
        }
    }

    /// aL has another value from here on.
    pub fn forget_loop_counter(&mut self) {
        self.rows.clear();
        self.constants.retain(|(constant, _), _| !matches!(constant, Constant::UniformAtLoop(_)));
    }
}

/// Variables for everything that lives across blocks.
pub(super) struct Variables {
    registers: [Variable; 128],
    address: [Variable; 2],
    flags: [Variable; 2],
    suspect: Variable,
    /// Instructions that may still be executed.
    pub fuel: Variable,
    /// aL.
    pub counter: Variable,
    /// Iterations left in each loop.
    pub left: [Variable; LOOPS],
    /// aL from before each loop.
    pub saved: [Variable; LOOPS],
}

impl Variables {
    pub fn new(e: &mut Emit<'_>) -> Variables {
        Variables {
            registers: std::array::from_fn(|_| e.b.declare_var(F32X4)),
            address: std::array::from_fn(|_| e.b.declare_var(I32X4)),
            flags: std::array::from_fn(|_| e.b.declare_var(I32X4)),
            suspect: e.b.declare_var(I32X4),
            fuel: e.b.declare_var(I32),
            counter: e.b.declare_var(I32),
            left: std::array::from_fn(|_| e.b.declare_var(I32)),
            saved: std::array::from_fn(|_| e.b.declare_var(I32)),
        }
    }

    fn register(&self, of: Dst, component: usize) -> Variable {
        match of {
            Dst::Temp(n) => self.registers[4 * usize::from(n & 15) + component],
            Dst::Output(n) => self.registers[64 + 4 * usize::from(n & 15) + component],
        }
    }
}

/// Every component of both files.
fn components() -> impl Iterator<Item = (Dst, usize)> {
    let registers = (0..16).flat_map(|n| [Dst::Temp(n), Dst::Output(n)]);
    registers.flat_map(|register| (0..4).map(move |component| (register, component)))
}

impl Live {
    fn has(&self, of: Dst, component: usize) -> bool {
        match of {
            Dst::Temp(n) => self.temporaries & bit(n, component) != 0,
            Dst::Output(n) => self.outputs & bit(n, component) != 0,
        }
    }
}

impl Lower<'_, '_> {
    /// A component of a temporary or output register.
    pub fn register(&mut self, of: Dst, component: usize) -> Number {
        let known = match of {
            Dst::Temp(n) => self.file.temporaries[usize::from(n & 15)][component],
            Dst::Output(n) => self.file.outputs[usize::from(n & 15)][component],
        };
        if let Some(number) = known {
            return number;
        }
        let number = match &self.variables {
            Some(variables) if !self.file.start => {
                let value = self.e.b.use_var(variables.register(of, component));
                Number { value: F32x4(value), clean: false }
            }
            _ => clean(self.e.f(0.0)),
        };
        self.put(of, component, number);
        number
    }

    fn put(&mut self, of: Dst, component: usize, number: Number) {
        match of {
            Dst::Temp(n) => self.file.temporaries[usize::from(n & 15)][component] = Some(number),
            Dst::Output(n) => self.file.outputs[usize::from(n & 15)][component] = Some(number),
        }
    }

    /// Gives a component of a register another value.
    pub fn write(&mut self, of: Dst, component: usize, number: Number) {
        self.put(of, component, number);
        match of {
            Dst::Temp(n) => self.file.dirty.temporaries |= bit(n, component),
            Dst::Output(n) => self.file.dirty.outputs |= bit(n, component),
        }
    }

    /// cmp.x or cmp.y.
    pub fn flag(&mut self, number: usize) -> Mask {
        if let Some(flag) = self.file.flags[number] {
            return flag;
        }
        let flag = match &self.variables {
            Some(variables) if !self.file.start => Mask(self.e.b.use_var(variables.flags[number])),
            _ => Mask(self.e.i(0).0),
        };
        self.file.flags[number] = Some(flag);
        flag
    }

    pub fn write_flag(&mut self, number: usize, flag: Mask) {
        self.file.flags[number] = Some(flag);
        self.file.dirty.flags[number] = true;
    }

    /// What a0.x or a0.y adds to the number of a register.
    fn address(&mut self, number: usize) -> I32x4 {
        if let Some(offset) = self.file.address[number] {
            return offset;
        }
        let offset = match &self.variables {
            Some(variables) if !self.file.start => I32x4(self.e.b.use_var(variables.address[number])),
            _ => self.e.i(0),
        };
        self.file.address[number] = Some(offset);
        offset
    }

    pub fn write_address(&mut self, number: usize, offset: I32x4) {
        let index = [Index::A0X, Index::A0Y][number];
        self.file.relative.retain(|(of, _), _| *of != index);
        self.file.address[number] = Some(offset);
        self.file.dirty.address[number] = true;
    }

    /// Component `component` of a source.
    pub fn source(&mut self, operand: &Operand, component: usize) -> Number {
        let number = self.magnitude(operand, component);
        match operand.negate {
            true => Number { value: self.e.neg(number.value), clean: number.clean },
            false => number,
        }
    }

    /// As [`Self::source`], without the negation.
    pub fn magnitude(&mut self, operand: &Operand, component: usize) -> Number {
        let select = operand.select[component];
        match operand.register {
            Src::Input(n) => self.input(n, select),
            Src::Temp(n) => self.register(Dst::Temp(n), select.into()),
            Src::Const(n, Index::None) => clean(self.constant(Constant::Uniform(n & 0x7F), select)),
            Src::Const(n, Index::AL) if !self.reads_counter => {
                clean(self.constant(Constant::Uniform(n & 0x7F), select))
            }
            Src::Const(n, Index::AL) => clean(self.constant(Constant::UniformAtLoop(n), select)),
            Src::Const(n, index) => clean(self.relative(n, index)[usize::from(select)]),
        }
    }

    fn input(&mut self, n: u8, component: u8) -> Number {
        clean(match self.key.inputs[usize::from(n & 15)] {
            Input::Zero => self.e.f(0.0),
            Input::Fixed(number) => self.constant(Constant::Fixed(number & 15), component),
            Input::Array { .. } => self.fetched(n)[usize::from(component)],
        })
    }

    /// The address of the uniforms (0) or of the table of constants (1).
    pub fn pointer(&mut self, which: usize) -> Value {
        if let Some(pointer) = self.file.pointers[which] {
            return pointer;
        }
        let args = self.e.args;
        let pointer = self.e.load_i64(args, [Args::UNIFORMS, Args::TABLE][which]);
        self.file.pointers[which] = Some(pointer);
        pointer
    }

    /// A component of a constant.
    pub fn constant(&mut self, constant: Constant, component: u8) -> F32x4 {
        if let Some(&(value, place)) = self.file.constants.get(&(constant, component))
            && self.place - place < KEPT
        {
            return value;
        }
        let value = match constant {
            Constant::UniformAtLoop(n) => {
                let row = self.row_at_loop(n);
                self.e.load_splat_f32(row, FLOATS + 4 * i32::from(component))
            }
            _ => {
                let next = self.table.len() as i32;
                let index = *self.table.entry((constant, component)).or_insert(next);
                let base = self.pointer(1);
                self.e.load_floats(base, 16 * index)
            }
        };
        self.file.constants.insert((constant, component), (value, self.place));
        value
    }

    /// The address of uniform `n` + aL.
    fn row_at_loop(&mut self, n: u8) -> Value {
        if let Some(&row) = self.file.rows.get(&n) {
            return row;
        }
        let base = self.pointer(0);
        let counter = self.counter();
        // aL is never negative; beyond 127 it counts as 0.
        let e = &mut *self.e;
        let high = e.b.ins().ushr_imm_u(counter, 7);
        let zero = e.i32(0);
        let offset = e.b.ins().select(high, zero, counter);
        let number = e.b.ins().iadd_imm_u(offset, i64::from(n));
        let number = e.b.ins().band_imm_u(number, 0x7F);
        let row = e.address(base, number, 4);
        self.file.rows.insert(n, row);
        row
    }

    /// Uniform `n` plus an address register, each lane its own, transposed.
    fn relative(&mut self, n: u8, index: Index) -> [F32x4; 4] {
        if let Some(&row) = self.file.relative.get(&(index, n)) {
            return row;
        }
        let base = self.pointer(0);
        let offset = self.address(usize::from(index == Index::A0Y));
        let e = &mut *self.e;
        let (number, mask) = (e.i(n.into()), e.i(0x7F));
        let number = e.iadd(offset, number);
        let number = e.iand(number, mask);
        let rows = [0, 1, 2, 3].map(|lane| {
            let number = e.lane(number, lane);
            let row = e.address(base, number, 4);
            e.load_floats(row, FLOATS)
        });
        let rows = e.transpose(rows);
        self.file.relative.insert((index, n), rows);
        rows
    }

    /// Everything that matters and has no variable yet gets its start value, and the suspicions get none.
    pub fn start_variables(&mut self, live: &Live, fuel: u32) {
        let Some(variables) = &self.variables else { return };
        let e = &mut *self.e;
        let (float, int) = (e.f(0.0).0, e.i(0).0);
        for (of, component) in components().filter(|&(of, component)| live.has(of, component)) {
            e.b.def_var(variables.register(of, component), float);
        }
        for i in 0..2 {
            e.b.def_var(variables.address[i], int);
            e.b.def_var(variables.flags[i], int);
        }
        e.b.def_var(variables.suspect, int);
        let (zero, fuel) = (e.i32(0), e.i32(fuel as i32));
        e.b.def_var(variables.counter, zero);
        e.b.def_var(variables.fuel, fuel);
    }

    /// Brings the variables up to date, as far as they matter from here on.
    pub fn flush(&mut self, live: &Live) {
        let suspect = self.file.suspect.and_then(|_| self.suspect());
        let Some(variables) = &self.variables else { return };
        let (e, file) = (&mut *self.e, &mut self.file);
        for (of, component) in components() {
            let number = match of {
                Dst::Temp(n) => file.temporaries[usize::from(n)][component],
                Dst::Output(n) => file.outputs[usize::from(n)][component],
            };
            if let Some(number) = number.filter(|_| file.dirty.has(of, component) && live.has(of, component)) {
                e.b.def_var(variables.register(of, component), number.value.0);
            }
        }
        for i in 0..2 {
            if let Some(offset) = file.address[i].filter(|_| file.dirty.address[i] && live.address[i]) {
                e.b.def_var(variables.address[i], offset.0);
            }
            if let Some(flag) = file.flags[i].filter(|_| file.dirty.flags[i] && live.flags[i]) {
                e.b.def_var(variables.flags[i], flag.0);
            }
        }
        if let Some(suspect) = suspect {
            e.b.def_var(variables.suspect, suspect.0);
        }
        (file.dirty, file.suspect) = (Live::default(), None);
    }

    /// Lanes with a NaN that may be wrong; `None` when there cannot be any.
    pub fn suspect(&mut self) -> Option<Mask> {
        let Some(variables) = &self.variables else { return self.file.suspect };
        let earlier = Mask(self.e.b.use_var(variables.suspect));
        Some(match self.file.suspect {
            Some(here) => self.e.or(earlier, here),
            None => earlier,
        })
    }

    /// aL.
    pub fn counter(&mut self) -> Value {
        match &self.variables {
            Some(variables) => self.e.b.use_var(variables.counter),
            None => self.e.i32(0),
        }
    }
}
