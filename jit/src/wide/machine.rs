//! Machine instructions with virtual registers, and the function that regalloc2 sees.

use std::ops::Range;

use regalloc2::{Block, Inst, InstRange, Operand, OperandConstraint, OperandKind, PReg, PRegSet, RegClass, VReg};

use super::opcode::{Condition, Opcode};

/// Index of a register among the operands of its instruction.
pub(super) type OperandIndex = u8;

/// What an instruction finds in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub base: OperandIndex,
    pub index: Option<OperandIndex>,
    /// By how many bits the index is shifted, 0 to 3.
    pub shift: u8,
    pub offset: i32,
}

/// An operand in a register or in memory (`r/m`), by operand indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rm {
    Register(OperandIndex),
    /// A vector in a register, or on the stack if there is none for it.
    Anywhere(OperandIndex),
    Memory(Memory),
    /// A constant of the function.
    Constant(usize),
}

/// The operand of an instruction that is always a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reg {
    Operand(OperandIndex),
    /// None: these bits tell instructions apart.
    Extension(u8),
}

/// What follows an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Immediate {
    None,
    Byte(u8),
    Word(i32),
    /// A register in the upper half of a byte.
    Register(OperandIndex),
}

/// An instruction in one of the regular encodings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded {
    pub opcode: Opcode,
    /// Whether vectors have 256 bits.
    pub wide: bool,
    pub reg: Reg,
    /// The operand that only VEX encodings have.
    pub second: Option<OperandIndex>,
    pub rm: Rm,
    pub immediate: Immediate,
}

/// The kind of a machine instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum InstKind {
    Encoded(Encoded),
    /// The function's argument arrives in the first operand.
    Entry,
    /// The first operand becomes a constant.
    Constant(i64),
    /// Calls the address in the first operand.
    Call,
    /// Goes to the block's only successor.
    Jump,
    /// Goes to the block's first successor if the flags say so, else to its second one.
    Branch(Condition),
    Return,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct MachineInst {
    pub kind: InstKind,
    /// Its operands among those of the function.
    pub operands: Range<usize>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub(super) struct MachineBlock {
    pub insts: Vec<MachineInst>,
    pub parameters: Vec<VReg>,
    pub successors: Vec<Block>,
    pub predecessors: Vec<Block>,
    /// The parameters of the successor of a block that ends in a jump.
    pub arguments: Vec<VReg>,
    pub cold: bool,
}

/// A function in the form that registers are allocated for. Its blocks are in the order of the code.
#[derive(Debug, Default)]
pub(super) struct MachineFunction {
    pub blocks: Vec<MachineBlock>,
    /// Where the instructions of each block begin, and where the last one's end.
    pub starts: Vec<usize>,
    pub insts: Vec<MachineInst>,
    pub operands: Vec<Operand>,
    pub registers: usize,
    /// Constants of 32 bytes.
    pub constants: Vec<[u8; 32]>,
}

impl MachineFunction {
    /// Puts the instructions of all blocks in a row.
    pub fn number_insts(&mut self) {
        self.insts.clear();
        self.starts = vec![0];
        for block in &mut self.blocks {
            self.insts.append(&mut block.insts);
            self.starts.push(self.insts.len());
        }
    }
}

/// Bytes that a register takes on the stack: those of general purpose registers, and of vectors.
const SPILLED: [usize; 2] = [8, 32];

/// General purpose registers that a function may change, by their numbers: all but those of the stack and the frame.
pub(super) const CALLER_SAVED: [usize; 9] = [0, 1, 2, 6, 7, 8, 9, 10, 11];
/// Those that it has to restore.
pub(super) const CALLEE_SAVED: [usize; 5] = [3, 12, 13, 14, 15];

/// A general purpose register.
pub(super) const fn general(number: usize) -> PReg {
    PReg::new(number, RegClass::Int)
}

fn vectors() -> impl Iterator<Item = PReg> {
    (0..16).map(|number| PReg::new(number, RegClass::Float))
}

/// Registers that calls change.
fn clobbered() -> PRegSet {
    CALLER_SAVED.map(general).into_iter().chain(vectors()).collect()
}

/// The registers that there are.
pub(super) fn environment() -> regalloc2::MachineEnv {
    let (caller, callee) = (CALLER_SAVED.map(general), CALLEE_SAVED.map(general));
    regalloc2::MachineEnv {
        preferred_regs_by_class: [caller.into_iter().collect(), vectors().collect(), PRegSet::empty()],
        non_preferred_regs_by_class: [callee.into_iter().collect(), PRegSet::empty(), PRegSet::empty()],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

impl regalloc2::Function for MachineFunction {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let [from, to] = [block.index(), block.index() + 1].map(|index| Inst::new(self.starts[index]));
        InstRange::new(from, to)
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].parameters
    }

    fn is_ret(&self, inst: Inst) -> bool {
        matches!(self.insts[inst.index()].kind, InstKind::Return)
    }

    fn is_branch(&self, inst: Inst) -> bool {
        matches!(self.insts[inst.index()].kind, InstKind::Jump | InstKind::Branch(_))
    }

    fn branch_blockparams(&self, block: Block, _: Inst, _: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        &self.operands[self.insts[inst.index()].operands.clone()]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        if !matches!(self.insts[inst.index()].kind, InstKind::Call) {
            return PRegSet::empty();
        }
        // A result is not clobbered.
        let is_result = |operand: &&Operand| operand.kind() == OperandKind::Def;
        let mut clobbered = clobbered();
        for result in self.inst_operands(inst).iter().filter(is_result) {
            if let OperandConstraint::FixedReg(register) = result.constraint() {
                clobbered.remove(register);
            }
        }
        clobbered
    }

    fn num_vregs(&self) -> usize {
        self.registers
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        SPILLED[usize::from(class != RegClass::Int)] / SPILLED[0]
    }
}
