//! Register file of a PICA200 program during emission: the SSA values of its components.
//!
//! Within a block, and from a block to its successors without other predecessors, components are plain values. At other
//! edges they go through variables of the builder, which makes block parameters of those that differ.

use std::collections::HashMap;

use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::Variable;
use triglyph_guest::kernel::vertex::Input;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::pica::isa::{Dst, Index, SetEmit, Src};

use super::args::{FLOATS, GeometryArgs, Pointer, VertexArgs};
use super::flow::LOOPS;
use super::instruction::Operand;
use super::live::{Live, bit};
use super::tracked::{TrackedValue, clean, uniform};
use super::{Feed, Lower};
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// A register that instructions write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    Temp(u8),
    /// Of the bank that is written to.
    Output(u8),
    /// Of the other bank.
    Other(u8),
}

impl From<Dst> for Register {
    fn from(of: Dst) -> Self {
        match of {
            Dst::Temp(n) => Register::Temp(n & 15),
            Dst::Output(n) => Register::Output(n & 15),
        }
    }
}

/// The registers of a file, as far as they are known.
type Numbers = [[Option<TrackedValue>; 4]; 16];

/// What is known at a place.
#[derive(Clone)]
pub(super) struct File {
    pub temporaries: Numbers,
    pub outputs: Numbers,
    pub others: Numbers,
    /// Offsets that a0.x and a0.y add to the number of a register: 0 when they hold more than 8 bits.
    address: [Option<I32x4>; 2],
    flags: [Option<Mask>; 2],
    /// What is newer here than in its variable.
    pub dirty: Live,
    /// Lanes with a NaN that may be wrong, besides those in the variable; see [`Lower::suspect`].
    pub suspect: Option<Mask>,
    /// The least and the largest of some magnitudes that have to be ordinary, see [`Lower::ordinary_among`].
    pub bounds: Option<(I32x4, I32x4)>,
    /// The program's start: what was not written is as it was before. Elsewhere it is in its variable.
    pub start: bool,
    /// Values that do not change during a call, and where in the program they were loaded.
    constants: HashMap<(Constant, u8), (F32x4, u32)>,
    /// Rows of uniforms at an address register.
    relative: HashMap<(Index, u8), [F32x4; 4]>,
    /// Addresses of uniforms at aL.
    rows: HashMap<u8, Value>,
    pointers: [Option<Value>; Pointer::COUNT],
    /// What SETEMIT said last; `None`: its variable knows, and at the start the unit.
    pub setting: Option<SetEmit>,
    /// EMITs so far, in programs without variables.
    pub emitted: u32,
}

/// Four numbers that do not change during a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constant {
    Uniform(u8),
    /// A uniform as an operand of arithmetic in 24-bit floats, where subnormals are 0.
    Operand(u8),
    /// Beginning at this uniform, aL further on.
    UniformAtLoop(u8),
    Fixed(u8),
    /// An input register of a geometry program.
    Input(u8),
    /// Half of the viewport's size in x and y, its corner in z and w.
    Viewport,
    ClipPlane,
    /// The bits that 24-bit floats have.
    Kept,
    /// Addend that sets a bit in numbers that are not ordinary.
    Bias,
}

/// Instructions for which a constant is kept; loading it again costs less than keeping it on the stack.
const MAX_DISTANCE: u32 = 8;

impl File {
    /// Nothing is known. `start`: because nothing was written, else because the block has several predecessors.
    pub fn new(start: bool) -> File {
        File {
            temporaries: [[None; 4]; 16],
            outputs: [[None; 4]; 16],
            others: [[None; 4]; 16],
            address: [None; 2],
            flags: [None; 2],
            dirty: Live::default(),
            suspect: None,
            bounds: None,
            start,
            constants: HashMap::new(),
            relative: HashMap::new(),
            rows: HashMap::new(),
            pointers: [None; Pointer::COUNT],
            setting: None,
            emitted: 0,
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
    registers: [Variable; 192],
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
    /// What SETEMIT said last, as a byte of the log.
    pub setting: Variable,
    /// EMITs so far.
    pub emitted: Variable,
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
            setting: e.b.declare_var(I32),
            emitted: e.b.declare_var(I32),
        }
    }

    fn register(&self, of: Register, component: usize) -> Variable {
        let (file, n) = match of {
            Register::Temp(n) => (0, n),
            Register::Output(n) => (64, n),
            Register::Other(n) => (128, n),
        };
        self.registers[file + 4 * usize::from(n & 15) + component]
    }
}

/// Every component of all files.
fn components() -> impl Iterator<Item = (Register, usize)> {
    let registers = (0..16).flat_map(|n| [Register::Temp(n), Register::Output(n), Register::Other(n)]);
    registers.flat_map(|register| (0..4).map(move |component| (register, component)))
}

impl Live {
    fn has(&self, of: Register, component: usize) -> bool {
        match of {
            Register::Temp(n) => self.temporaries & bit(n, component) != 0,
            Register::Output(n) => self.outputs & bit(n, component) != 0,
            Register::Other(n) => self.others & bit(n, component) != 0,
        }
    }

    /// Its registers' components.
    pub fn components(self) -> impl Iterator<Item = (Register, usize)> {
        components().filter(move |&(of, component)| self.has(of, component))
    }
}

impl File {
    pub fn known(&mut self, of: Register, component: usize) -> &mut Option<TrackedValue> {
        match of {
            Register::Temp(n) => &mut self.temporaries[usize::from(n & 15)][component],
            Register::Output(n) => &mut self.outputs[usize::from(n & 15)][component],
            Register::Other(n) => &mut self.others[usize::from(n & 15)][component],
        }
    }
}

impl Lower<'_, '_> {
    /// A component of a temporary or output register.
    pub fn register(&mut self, of: impl Into<Register>, component: usize) -> TrackedValue {
        let of = of.into();
        if let Some(number) = *self.file.known(of, component) {
            return number;
        }
        let number = match &self.variables {
            Some(variables) if !self.file.start => {
                let value = self.e.b.use_var(variables.register(of, component));
                TrackedValue { clean: self.exact || self.is_f24(), ..clean(F32x4(value)) }
            }
            _ => clean(self.initial(of, component)),
        };
        *self.file.known(of, component) = Some(number);
        number
    }

    /// Gives a component of a register another value.
    pub fn write(&mut self, of: impl Into<Register>, component: usize, number: TrackedValue) {
        let of = of.into();
        *self.file.known(of, component) = Some(number);
        match of {
            Register::Temp(n) => self.file.dirty.temporaries |= bit(n, component),
            Register::Output(n) => self.file.dirty.outputs |= bit(n, component),
            Register::Other(n) => self.file.dirty.others |= bit(n, component),
        }
    }

    /// cmp.x or cmp.y.
    pub fn flag(&mut self, number: usize) -> Mask {
        if let Some(flag) = self.file.flags[number] {
            return flag;
        }
        let flag = match &self.variables {
            Some(variables) if !self.file.start => Mask(self.e.b.use_var(variables.flags[number])),
            _ => self.initial_flag(number),
        };
        self.file.flags[number] = Some(flag);
        flag
    }

    pub fn write_flag(&mut self, number: usize, flag: Mask) {
        self.file.flags[number] = Some(flag);
        self.file.dirty.flags[number] = true;
    }

    /// What a0.x or a0.y adds to the number of a register.
    pub fn address(&mut self, number: usize) -> I32x4 {
        if let Some(offset) = self.file.address[number] {
            return offset;
        }
        let offset = match &self.variables {
            Some(variables) if !self.file.start => I32x4(self.e.b.use_var(variables.address[number])),
            _ => self.initial_address(number),
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
    pub fn source(&mut self, operand: &Operand, component: usize) -> TrackedValue {
        let mut number = self.magnitude(operand, component);
        if operand.negate {
            number = self.settled(number);
        }
        match operand.negate {
            true => TrackedValue { value: self.e.neg(number.value), normal: false, ..number },
            false => number,
        }
    }

    /// As [`Self::source`], without the negation.
    pub fn magnitude(&mut self, operand: &Operand, component: usize) -> TrackedValue {
        let select = operand.select[component];
        match operand.register {
            Src::Input(n) => self.input(n, select),
            Src::Temp(n) => self.register(Dst::Temp(n), select.into()),
            Src::Const(n, Index::None) => uniform(self.constant(Constant::Uniform(n & 0x7F), select)),
            Src::Const(n, Index::AL) if !self.reads_counter => {
                uniform(self.constant(Constant::Uniform(n & 0x7F), select))
            }
            Src::Const(n, Index::AL) => uniform(self.constant(Constant::UniformAtLoop(n), select)),
            Src::Const(n, index) => uniform(self.relative(n, index)[usize::from(select)]),
        }
    }

    fn input(&mut self, n: u8, component: u8) -> TrackedValue {
        let input = match self.source.feed {
            Feed::Vertex(inputs) => inputs[usize::from(n & 15)],
            Feed::Registers(loaded) if loaded >> (n & 15) & 1 != 0 => {
                return clean(self.constant(Constant::Input(n & 15), component));
            }
            Feed::Registers(_) | Feed::Uniforms => Input::Zero,
        };
        clean(match input {
            Input::Zero => self.e.f(0.0),
            Input::Fixed(number) => self.constant(Constant::Fixed(number & 15), component),
            Input::Array { .. } => self.fetched(n)[usize::from(component)],
        })
    }

    /// An address from the arguments.
    pub fn pointer(&mut self, which: Pointer) -> Value {
        if let Some(pointer) = self.file.pointers[which as usize] {
            return pointer;
        }
        let offset = if self.source.is_geometry() { GeometryArgs::pointer(which) } else { VertexArgs::pointer(which) };
        let args = self.e.args;
        let pointer = self.e.load_i64(args, offset);
        self.file.pointers[which as usize] = Some(pointer);
        pointer
    }

    /// A component of a constant.
    pub fn constant(&mut self, constant: Constant, component: u8) -> F32x4 {
        if let Some(&(value, place)) = self.file.constants.get(&(constant, component))
            && self.place - place < MAX_DISTANCE
        {
            return value;
        }
        let value = match constant {
            Constant::UniformAtLoop(n) if self.wide() => {
                let row = self.row_at_loop(n);
                self.e.load_floats(row, 16 * i32::from(component))
            }
            Constant::UniformAtLoop(n) => {
                let row = self.row_at_loop(n);
                self.e.load_splat_f32(row, FLOATS + 4 * i32::from(component))
            }
            Constant::Uniform(n) if self.wide() => {
                let base = self.pointer(Pointer::Wide);
                self.e.load_floats(base, 64 * i32::from(n) + 16 * i32::from(component))
            }
            Constant::Input(n) => {
                let base = self.pointer(Pointer::Inputs);
                self.e.load_floats(base, 64 * i32::from(n) + 16 * i32::from(component))
            }
            _ => {
                let next = self.table.len() as i32;
                let index = *self.table.entry((constant, component)).or_insert(next);
                let base = self.pointer(Pointer::Table);
                self.e.load_floats(base, 16 * index)
            }
        };
        self.file.constants.insert((constant, component), (value, self.place));
        value
    }

    /// Whether each lane has float uniforms of its own.
    pub fn wide(&self) -> bool {
        matches!(self.source.feed, Feed::Uniforms)
    }

    /// The address of uniform `n` + aL.
    fn row_at_loop(&mut self, n: u8) -> Value {
        if let Some(&row) = self.file.rows.get(&n) {
            return row;
        }
        let wide = self.wide();
        let base = self.pointer(if wide { Pointer::Wide } else { Pointer::Uniforms });
        let counter = self.counter();
        // aL is never negative; beyond 127 it counts as 0.
        let e = &mut *self.e;
        let high = e.b.ins().ushr_imm_u(counter, 7);
        let zero = e.i32(0);
        let offset = e.b.ins().select(high, zero, counter);
        let number = e.b.ins().iadd_imm_u(offset, i64::from(n));
        let number = e.b.ins().band_imm_u(number, 0x7F);
        let row = e.address(base, number, if wide { 6 } else { 4 });
        self.file.rows.insert(n, row);
        row
    }

    /// Uniform `n` plus an address register, each lane its own, transposed.
    fn relative(&mut self, n: u8, index: Index) -> [F32x4; 4] {
        if let Some(&row) = self.file.relative.get(&(index, n)) {
            return row;
        }
        let wide = self.wide();
        let base = self.pointer(if wide { Pointer::Wide } else { Pointer::Uniforms });
        let offset = self.address(usize::from(index == Index::A0Y));
        let e = &mut *self.e;
        let (number, mask) = (e.i(n.into()), e.i(0x7F));
        let number = e.iadd(offset, number);
        let number = e.iand(number, mask);
        let rows = [0, 1, 2, 3].map(|lane| {
            let number = e.lane(number, lane);
            e.address(base, number, if wide { 6 } else { 4 })
        });
        let rows = if wide {
            // Lane l of component c is at 16 c + 4 l: each lane from its own row.
            [0, 16, 32, 48].map(|component| e.load_diagonal(rows, component))
        } else {
            let rows = rows.map(|row| e.load_floats(row, FLOATS));
            e.transpose(rows)
        };
        self.file.relative.insert((index, n), rows);
        rows
    }

    /// Everything that matters and has no variable yet gets its start value.
    pub fn start_variables(&mut self, live: &Live, fuel: u32) {
        if self.variables.is_none() {
            return;
        }
        let registers: Vec<_> =
            live.components().map(|(of, component)| (of, component, self.initial(of, component))).collect();
        let none = self.e.i(0);
        // Attributes that were loaded may have told something.
        self.compare_bounds();
        let suspect = self.file.suspect.take().unwrap_or(Mask(none.0));
        let address = [0, 1].map(|i| if live.address[i] { self.initial_address(i) } else { none });
        let flags = [0, 1].map(|i| if live.flags[i] { self.initial_flag(i).0 } else { none.0 });
        let counter = self.initial_counter();
        let setting = self.initial_setting();
        let Some(variables) = &self.variables else { return };
        let e = &mut *self.e;
        for (of, component, value) in registers {
            e.b.def_var(variables.register(of, component), value.0);
        }
        for i in 0..2 {
            e.b.def_var(variables.address[i], address[i].0);
            e.b.def_var(variables.flags[i], flags[i]);
        }
        e.b.def_var(variables.suspect, suspect.0);
        let (zero, fuel) = (e.i32(0), e.i32(fuel as i32));
        e.b.def_var(variables.counter, counter);
        e.b.def_var(variables.fuel, fuel);
        e.b.def_var(variables.setting, setting);
        e.b.def_var(variables.emitted, zero);
    }

    /// Brings the variables up to date, as far as they matter from here on.
    pub fn flush(&mut self, live: &Live) {
        if self.variables.is_none() {
            return;
        }
        for (of, component) in self.file.dirty.common(live).components() {
            if let Some(number) = *self.file.known(of, component) {
                let number = self.made_ordinary(number);
                let number = self.settled(number);
                *self.file.known(of, component) = Some(number);
            }
        }
        self.compare_bounds();
        let suspect = self.file.suspect.and_then(|_| self.suspect());
        let Some(variables) = &self.variables else { return };
        let (e, file) = (&mut *self.e, &mut self.file);
        for (of, component) in file.dirty.common(live).components() {
            if let Some(number) = *file.known(of, component) {
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

    /// Lanes with a NaN that may be wrong; `None` when there cannot be any. In 24-bit floats: bits of which
    /// [`odd_lanes`](Self::odd_lanes) tells lanes.
    pub fn suspect(&mut self) -> Option<Mask> {
        if self.exact {
            return None;
        }
        self.compare_bounds();
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
