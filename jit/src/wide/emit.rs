//! Code of a function after register allocation: frame, moves, branches, constants.

use regalloc2::{Allocation, Block, Edit, Function as _, InstOrEdit, Output, PReg, RegClass};

use super::encode::{Address, Bytes, Operand};
use super::machine::{self, Encoded, Immediate, InstKind, MachineFunction, MachineInst, Reg, Rm};
use super::opcode::{self, Condition};
use super::{Refusal, WideCode};

const RSP: u8 = 4;
const RBP: u8 = 5;

/// Bytes of a page at least: the distance between two touches of a frame that grows.
const PAGE: i32 = 4096;

/// Code and constants of a function.
///
/// # Errors
/// When the frame needs more than `max_frame` bytes, or an operand is not where its instruction has to have it.
pub(super) fn emit(function: &MachineFunction, output: &Output, max_frame: u32) -> Result<WideCode, Refusal> {
    let needed = (output.num_spillslots as u64 * 8).next_multiple_of(32);
    let frame = i32::try_from(needed).ok().filter(|_| needed <= max_frame.into()).ok_or(Refusal::Frame(needed))?;
    let saved = saved_registers(output);
    let count = function.blocks.len();
    let mut emitter = Emitter {
        function,
        output,
        bytes: Bytes::default(),
        saved,
        targets: targets(function, output),
        block_starts: vec![0; count],
        branches: Vec::new(),
    };
    emitter.prologue(frame);
    for index in 0..count {
        emitter.block(index)?;
    }
    emitter.finish()
}

/// The registers that the function changes and has to restore.
fn saved_registers(output: &Output) -> Vec<u8> {
    let moves = output.edits.iter().flat_map(|(_, Edit::Move { from, to })| [*from, *to]);
    let used: regalloc2::PRegSet = output.allocs.iter().copied().chain(moves).filter_map(Allocation::as_reg).collect();
    machine::CALLEE_SAVED
        .into_iter()
        .filter(|&number| used.contains(machine::general(number)))
        .map(|n| n as u8)
        .collect()
}

/// Targets of jumps to each block: past blocks that only jump, which have no code.
fn targets(function: &MachineFunction, output: &Output) -> Vec<usize> {
    let only_jumps = |block: usize| {
        let block = Block::new(block);
        let insts = function.block_insns(block);
        let is_jump = matches!(function.insts[insts.first().index()].kind, InstKind::Jump);
        is_jump && output.block_insts_and_edits(function, block).count() == 1
    };
    let next = |block: usize| function.blocks[block].successors[0].index();
    let target = |block: usize| {
        let mut to = block;
        // Blocks that go around in a circle have code.
        for _ in 0..MAX_JUMPS {
            if !only_jumps(to) {
                return to;
            }
            to = next(to);
        }
        block
    };
    (0..function.blocks.len()).map(|block| if block == 0 { 0 } else { target(block) }).collect()
}

/// How many blocks that only jump are passed at once.
const MAX_JUMPS: usize = 8;

struct Emitter<'f> {
    function: &'f MachineFunction,
    output: &'f Output,
    bytes: Bytes,
    saved: Vec<u8>,
    targets: Vec<usize>,
    block_starts: Vec<usize>,
    /// Where the four bytes of distances to blocks are.
    branches: Vec<(usize, usize)>,
}

impl Emitter<'_> {
    /// Saves registers and makes room for `frame` bytes, aligned as a vector is.
    fn prologue(&mut self, frame: i32) {
        self.push(RBP);
        self.general_move(RBP, RSP);
        for register in self.saved.clone() {
            self.push(register);
        }
        if frame == 0 {
            return;
        }
        self.alu_immediate(opcode::AND, -32);
        let mut rest = frame;
        while rest >= PAGE {
            self.alu_immediate(opcode::SUB, PAGE);
            let top = Operand::Memory(Address { base: RSP, index: None, shift: 0, offset: 0 });
            self.bytes.inst(opcode::TEST, false, 0, None, top, &[]);
            rest -= PAGE;
        }
        self.alu_immediate(opcode::SUB, rest);
    }

    fn epilogue(&mut self) {
        let offset = -8 * self.saved.len() as i32;
        let stack = Operand::Memory(Address { base: RBP, index: None, shift: 0, offset });
        self.bytes.inst(opcode::LEA.with_w(true), false, RSP, None, stack, &[]);
        for register in self.saved.clone().into_iter().rev().chain([RBP]) {
            self.one_byte(0x58, register);
        }
        self.zero_upper();
        self.bytes.bytes.push(0xC3);
    }

    /// Clears the upper halves of vectors: code that has 128 bits alone is slow otherwise.
    fn zero_upper(&mut self) {
        self.bytes.bytes.extend([0xC5, 0xF8, 0x77]);
    }

    fn push(&mut self, register: u8) {
        self.one_byte(0x50, register);
    }

    /// An instruction of a byte that holds a register.
    fn one_byte(&mut self, opcode: u8, register: u8) {
        if register >= 8 {
            self.bytes.bytes.push(0x41);
        }
        self.bytes.bytes.push(opcode | register & 7);
    }

    fn general_move(&mut self, to: u8, from: u8) {
        self.bytes.inst(opcode::LOAD.with_w(true), false, to, None, Operand::Register(from), &[]);
    }

    fn alu_immediate(&mut self, opcode: opcode::Opcode, value: i32) {
        let extension = opcode.immediate_extension();
        let immediate = opcode::ALU_IMMEDIATE.with_w(true);
        self.bytes.inst(immediate, false, extension, None, Operand::Register(RSP), &value.to_le_bytes());
    }

    fn block(&mut self, index: usize) -> Result<(), Refusal> {
        self.block_starts[index] = self.bytes.bytes.len();
        if self.targets[index] != index {
            return Ok(());
        }
        let (function, output) = (self.function, self.output);
        for step in output.block_insts_and_edits(function, Block::new(index)) {
            match step {
                InstOrEdit::Edit(Edit::Move { from, to }) => self.allocated_move(*from, *to)?,
                InstOrEdit::Inst(inst) => {
                    let allocations = output.inst_allocs(inst);
                    self.inst(index, &function.insts[inst.index()], allocations)?;
                }
            }
        }
        Ok(())
    }

    fn allocated_move(&mut self, from: Allocation, to: Allocation) -> Result<(), Refusal> {
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => match from.class() {
                RegClass::Int => self.general_move(number(to), number(from)),
                _ => self.vector(opcode::MOVAPS, number(to), Operand::Register(number(from))),
            },
            (Some(from), None) => {
                let slot = slot(to).ok_or(NO_PLACE)?;
                match from.class() {
                    RegClass::Int => {
                        self.bytes.inst(opcode::STORE.with_w(true), false, number(from), None, slot, &[]);
                    }
                    _ => self.vector(opcode::MOVUPS_STORE, number(from), slot),
                }
            }
            (None, Some(to)) => {
                let slot = slot(from).ok_or(NO_PLACE)?;
                match to.class() {
                    RegClass::Int => self.bytes.inst(opcode::LOAD.with_w(true), false, number(to), None, slot, &[]),
                    _ => self.vector(opcode::MOVUPS_LOAD, number(to), slot),
                }
            }
            // The allocator makes none between two places on the stack.
            (None, None) => return Err(Refusal::Emission("a move from the stack to the stack")),
        }
        Ok(())
    }

    /// A move of a whole vector.
    fn vector(&mut self, opcode: opcode::Opcode, reg: u8, rm: Operand) {
        self.bytes.inst(opcode, true, reg, None, rm, &[]);
    }

    fn inst(&mut self, block: usize, inst: &MachineInst, allocations: &[Allocation]) -> Result<(), Refusal> {
        match inst.kind {
            InstKind::Entry => {}
            InstKind::Encoded(encoded) => self.encoded(encoded, allocations)?,
            InstKind::Constant(value) => self.constant(allocated(allocations, 0)?, value),
            InstKind::Call => {
                self.zero_upper();
                let callee = allocated(allocations, 0)?;
                if callee >= 8 {
                    self.bytes.bytes.push(0x41);
                }
                self.bytes.bytes.extend([0xFF, 0xD0 | callee & 7]);
            }
            InstKind::Jump => self.jump(block, self.successor(block, 0)),
            InstKind::Branch(condition) => {
                let [yes, no] = [0, 1].map(|way| self.successor(block, way));
                if self.follows(block, yes) {
                    self.branch(condition.inverse(), no);
                } else {
                    self.branch(condition, yes);
                    self.jump(block, no);
                }
            }
            InstKind::Return => self.epilogue(),
        }
        Ok(())
    }

    fn constant(&mut self, register: u8, value: i64) {
        let rm = Operand::Register(register);
        if let Ok(value) = u32::try_from(value) {
            // Clears the upper half. Not XOR, which changes flags.
            if register >= 8 {
                self.bytes.bytes.push(0x41);
            }
            self.bytes.bytes.push(0xB8 | register & 7);
            self.bytes.bytes.extend(value.to_le_bytes());
        } else if let Ok(value) = i32::try_from(value) {
            let opcode = opcode::Opcode { byte: 0xC7, ..opcode::STORE }.with_w(true);
            self.bytes.inst(opcode, false, 0, None, rm, &value.to_le_bytes());
        } else {
            self.bytes.bytes.extend([0x48 | u8::from(register >= 8), 0xB8 | register & 7]);
            self.bytes.bytes.extend(value.to_le_bytes());
        }
    }

    fn encoded(&mut self, inst: Encoded, allocations: &[Allocation]) -> Result<(), Refusal> {
        let register = |place: machine::OperandIndex| allocated(allocations, place);
        let reg = match inst.reg {
            Reg::Operand(place) => register(place)?,
            Reg::Extension(extension) => extension,
        };
        let rm = match inst.rm {
            Rm::Register(place) => Operand::Register(register(place)?),
            Rm::Anywhere(place) => match allocations.get(usize::from(place)).copied().and_then(slot) {
                Some(slot) => slot,
                None => Operand::Register(register(place)?),
            },
            Rm::Constant(constant) => Operand::Constant(constant),
            Rm::Memory(memory) => Operand::Memory(Address {
                base: register(memory.base)?,
                index: memory.index.map(register).transpose()?,
                shift: memory.shift,
                offset: memory.offset,
            }),
        };
        let word;
        let byte;
        let immediate: &[u8] = match inst.immediate {
            Immediate::None => &[],
            Immediate::Byte(value) => {
                byte = [value];
                &byte
            }
            Immediate::Word(value) => {
                word = value.to_le_bytes();
                &word
            }
            Immediate::Register(place) => {
                byte = [register(place)? << 4];
                &byte
            }
        };
        let second = inst.second.map(register).transpose()?;
        self.bytes.inst(inst.opcode, inst.wide, reg, second, rm, immediate);
        Ok(())
    }

    /// A successor of a block.
    fn successor(&self, block: usize, index: usize) -> usize {
        self.targets[self.function.blocks[block].successors[index].index()]
    }

    /// Whether a block is the next one that has code.
    fn follows(&self, block: usize, to: usize) -> bool {
        (block + 1..self.targets.len()).find(|&next| self.targets[next] == next) == Some(to)
    }

    fn jump(&mut self, block: usize, to: usize) {
        if !self.follows(block, to) {
            self.bytes.bytes.push(0xE9);
            self.distance(to);
        }
    }

    fn branch(&mut self, condition: Condition, to: usize) {
        self.bytes.bytes.extend([0x0F, 0x80 | condition as u8]);
        self.distance(to);
    }

    fn distance(&mut self, to: usize) {
        self.branches.push((self.bytes.bytes.len(), to));
        self.bytes.bytes.extend([0; 4]);
    }

    /// Fills in distances, and appends the constants.
    fn finish(self) -> Result<WideCode, Refusal> {
        let Emitter { bytes: Bytes { mut bytes, constants }, block_starts, branches, function, .. } = self;
        let first = bytes.len().next_multiple_of(32);
        let mut set = |at: usize, to: usize, from: usize| -> Result<(), Refusal> {
            let distance = i32::try_from(to as i64 - from as i64).map_err(|_| Refusal::Emission("a distance"))?;
            bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
            Ok(())
        };
        for (at, block) in branches {
            set(at, block_starts[block], at + 4)?;
        }
        for used in constants {
            set(used.at, first + 32 * used.constant, used.from)?;
        }
        bytes.resize(first, 0xCC);
        bytes.extend(function.constants.iter().flatten());
        Ok(WideCode { bytes, constants: first })
    }
}

/// A place on the stack.
fn slot(allocation: Allocation) -> Option<Operand> {
    let offset = allocation.as_stack()?.index() as i32 * 8;
    Some(Operand::Memory(Address { base: RSP, index: None, shift: 0, offset }))
}

/// Of an operand that has to be in a register and is not.
const NO_REGISTER: Refusal = Refusal::Emission("an operand without a register");
/// Of a move to or from neither a register nor the stack.
const NO_PLACE: Refusal = Refusal::Emission("a move without a place");

/// The number of the register of an operand.
fn allocated(allocations: &[Allocation], place: machine::OperandIndex) -> Result<u8, Refusal> {
    allocations.get(usize::from(place)).and_then(|allocation| allocation.as_reg()).map(number).ok_or(NO_REGISTER)
}

fn number(register: PReg) -> u8 {
    register.hw_enc() as u8
}
