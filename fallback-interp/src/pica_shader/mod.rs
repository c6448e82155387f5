//! The PICA200 shader unit (3dbrew: Shader Instruction Set).
//!
//! ```text
//! Program::decode  words -> instructions, once per program            decode.rs
//! Machine::run -> step, until END, the end of code memory or no fuel   flow.rs
//!   arithmetic     one fn per instruction on four components           alu.rs
//!   control flow   CALL, IF and LOOP stacks, what happens when they pop flow.rs
//!   emission       what EMIT hands out, vertex slots and triangles     emit.rs
//! ```
//!
//! Numbers are f32, rounded to nearest, with the console's rule that 0 * infinity is 0. Its registers have 24 bits.

mod alu;
mod decode;
mod emit;
mod flow;
mod registers;

use triglyph_guest::kernel::geometry::GeometryRegisters;
use triglyph_guest::kernel::vertex::{FUEL, Numbers, PicaProgram, Uniforms};
use triglyph_guest::pica::isa::{Dst, Index, SetEmit, Src};

pub use decode::Program;
pub use emit::{Emitted, Slots, Triangle};

use crate::trace::Watch;
use decode::{Instruction, Operand, Target};
use flow::{CallEntry, IfEntry, LoopEntry, Next, Ring};

/// The program of a key, decoded, and how it is run.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub program: Program,
    pub entry: u16,
    pub bools: u16,
    pub numbers: Numbers,
}

impl Code {
    pub fn new(program: &PicaProgram, unit: Unit) -> Self {
        let &PicaProgram { entry, bools, numbers, .. } = program;
        Code { program: Program::decode(&program.code, &program.descriptors, unit, numbers), entry, bools, numbers }
    }
}

/// Four components, x first.
pub type Vector = [f32; 4];

/// A file of sixteen registers.
pub type Registers = [Vector; 16];

/// Which kind of unit executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 512 words of code; EMIT and SETEMIT do nothing.
    Vertex,
    /// 4096 words of code; EMIT and SETEMIT make triangles.
    Geometry,
}

impl Unit {
    /// Words of code memory.
    pub const fn code_words(self) -> u16 {
        match self {
            Unit::Vertex => 512,
            Unit::Geometry => 4096,
        }
    }
}

/// The value of aL after the end of a loop within a loop. The sources disagree; unverified on hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NestedLoop {
    /// The outer loop's value: LOOP saves aL before it sets it.
    #[default]
    Intended,
    /// The inner loop's first value: LOOP saves aL after it has set it, as one interpreter does.
    InnerStart,
}

/// Values a program reads but cannot write.
#[derive(Clone, Copy, Debug)]
pub struct Constants<'a> {
    /// Float and integer uniforms.
    pub uniforms: &'a Uniforms,
    /// Boolean uniforms, bit n = bn.
    pub bools: u16,
}

/// Why a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By END, by running off code memory, or by BREAK outside of a loop.
    Finished,
    /// It was abandoned after [`FUEL`] instructions; outputs are as they are.
    OutOfFuel,
}

/// The state of a shader unit.
#[derive(Clone, Debug)]
pub struct Machine {
    /// v0 to v15; the caller loads them.
    pub inputs: Registers,
    /// The value of aL after a nested loop.
    pub nested_loop: NestedLoop,
    /// The last setting by SETEMIT.
    pub setting: SetEmit,
    unit: Unit,
    temporaries: Registers,
    /// Two banks of o0 to o15; EMIT changes from one to the other.
    outputs: [Registers; 2],
    bank: usize,
    /// a0.x and a0.y.
    address: [i32; 2],
    /// aL.
    loop_counter: i32,
    /// cmp.x and cmp.y.
    flags: [bool; 2],
    calls: Ring<CallEntry, 4>,
    ifs: Ring<IfEntry, 8>,
    loops: Ring<LoopEntry, 4>,
}

impl Machine {
    /// A unit with everything zero.
    pub fn new(unit: Unit) -> Self {
        Machine {
            inputs: [[0.0; 4]; 16],
            nested_loop: NestedLoop::default(),
            setting: SetEmit::default(),
            unit,
            temporaries: [[0.0; 4]; 16],
            outputs: [[[0.0; 4]; 16]; 2],
            bank: 0,
            address: [0; 2],
            loop_counter: 0,
            flags: [false; 2],
            calls: Ring::default(),
            ifs: Ring::default(),
            loops: Ring::default(),
        }
    }

    /// Zeroes everything but the inputs, as before each run of a vertex program. Geometry programs keep their state
    /// from run to run; a draw begins with a reset.
    pub fn reset(&mut self) {
        let (inputs, nested_loop) = (self.inputs, self.nested_loop);
        *self = Machine { inputs, nested_loop, ..Machine::new(self.unit) };
    }

    /// The state that instructions write, except the setting.
    pub fn registers(&self) -> GeometryRegisters {
        GeometryRegisters {
            temporaries: self.temporaries,
            outputs: [self.outputs[self.bank], self.outputs[self.bank ^ 1]],
            address: self.address,
            loop_counter: self.loop_counter,
            flags: self.flags,
        }
    }

    /// Gives everything that instructions write another value.
    pub fn set_registers(&mut self, registers: &GeometryRegisters) {
        let GeometryRegisters { temporaries, outputs, address, loop_counter, flags } = registers;
        (self.temporaries, self.outputs, self.bank) = (*temporaries, *outputs, 0);
        (self.address, self.loop_counter, self.flags) = (*address, *loop_counter, *flags);
    }

    /// o0 to o15 of the current bank.
    pub fn outputs(&self) -> &Registers {
        &self.outputs[self.bank]
    }

    /// aL.
    pub fn loop_counter(&self) -> i32 {
        self.loop_counter
    }

    /// cmp.x and cmp.y.
    pub fn flags(&self) -> [bool; 2] {
        self.flags
    }

    /// Runs a program from instruction `entry` on. A geometry unit hands what it emits to `emit`.
    pub fn run(
        &mut self,
        program: &Program,
        constants: &Constants<'_>,
        entry: u16,
        emit: &mut dyn FnMut(Emitted<'_>),
    ) -> Ending {
        self.run_watched(program, constants, entry, emit, &mut ())
    }

    /// The same with a watcher.
    pub fn run_watched(
        &mut self,
        program: &Program,
        constants: &Constants<'_>,
        entry: u16,
        emit: &mut dyn FnMut(Emitted<'_>),
        watch: &mut impl Watch<Self>,
    ) -> Ending {
        self.clear_stacks();
        let mut pc = entry;
        for _ in 0..FUEL {
            let next = self.step(program, constants, pc, emit);
            watch.executed(4 * u32::from(pc), 1, self);
            match next {
                Some(next) => pc = next,
                None => return Ending::Finished,
            }
        }
        Ending::OutOfFuel
    }

    /// Executes the instruction at `pc`. The address of the next one, or `None` at the end of the program.
    pub fn step(
        &mut self,
        program: &Program,
        constants: &Constants<'_>,
        pc: u16,
        emit: &mut dyn FnMut(Emitted<'_>),
    ) -> Option<u16> {
        let instruction = *program.fetch(pc)?;
        let mut next = Next { pc: pc + 1, leave_loop: false };
        match instruction {
            Instruction::Nop => {}
            Instruction::One { function, source, target } => {
                let value = function(self.read(source, constants));
                self.write(target, value);
            }
            Instruction::Two { function, sources, target } => {
                let [a, b] = sources;
                self.write(target, function(self.read(a, constants), self.read(b, constants)));
            }
            Instruction::Three { function, sources, target } => {
                let [a, b, c] = sources;
                let value = function(self.read(a, constants), self.read(b, constants), self.read(c, constants));
                self.write(target, value);
            }
            Instruction::Litp { source, target } => {
                let value = self.read(source, constants);
                self.flags = [value[0] >= 0.0, value[3] >= 0.0];
                self.write(target, alu::litp(value));
            }
            Instruction::MoveAddress { source, mask } => {
                let value = self.read(source, constants);
                for component in 0..2 {
                    if mask[component] {
                        // Toward zero; beyond 32 bits the nearest there is, NaN 0: out of an index's range anyway.
                        self.address[component] = value[component] as i32;
                    }
                }
            }
            Instruction::Compare { functions, sources } => {
                let [a, b] = [self.read(sources[0], constants), self.read(sources[1], constants)];
                self.flags = [functions[0](a[0], b[0]), functions[1](a[1], b[1])];
            }
            Instruction::End => return None,
            Instruction::Flow(flow) => next = self.flow(flow, constants, pc)?,
            Instruction::SetEmit(setting) => self.setting = setting,
            Instruction::Emit if self.unit == Unit::Vertex => {}
            Instruction::Emit => {
                emit(Emitted { outputs: &self.outputs[self.bank], setting: self.setting });
                self.bank ^= 1;
            }
        }
        Some(self.after(pc, next))
    }

    /// A source's value.
    fn read(&self, source: Operand, constants: &Constants<'_>) -> Vector {
        let register = match source.register {
            Src::Input(n) => &self.inputs[usize::from(n & 15)],
            Src::Temp(n) => &self.temporaries[usize::from(n & 15)],
            Src::Const(n, index) => &constants.uniforms.floats[self.indexed(n, index)],
        };
        let [x, y, z, w] = source.select;
        let component = |number: u8| register[usize::from(number & 3)];
        let value = [component(x), component(y), component(z), component(w)];
        if source.negate { value.map(|v| -v) } else { value }
    }

    /// The number of a constant register, 0 to 127. Numbers from 96 on read ones, offsets beyond 8 bits count as 0 (3DS
    /// hardware test).
    fn indexed(&self, number: u8, index: Index) -> usize {
        let offset = match index {
            Index::None => 0,
            Index::A0X => self.address[0],
            Index::A0Y => self.address[1],
            Index::AL => self.loop_counter,
        };
        let offset = if (-128..=127).contains(&offset) { offset } else { 0 };
        ((i32::from(number) + offset) & 0x7F) as usize
    }

    /// Writes the components of the target's mask.
    fn write(&mut self, target: Target, value: Vector) {
        let register = match target.register {
            Dst::Output(n) => &mut self.outputs[self.bank][usize::from(n & 15)],
            Dst::Temp(n) => &mut self.temporaries[usize::from(n & 15)],
        };
        for component in 0..4 {
            if target.mask[component] {
                register[component] = value[component];
            }
        }
    }
}
