//! Which register components matter: those that some way to the program's end still reads.
//!
//! What does not matter is not computed, its inputs are not fetched, and a NaN in it is nobody's business. What matters
//! at a program's start is what it reads without having written it.

use triglyph_guest::kernel::vertex::OutputMap;
use triglyph_guest::pica::isa::{ConditionOp, Dst, Index, Src};

use super::decode::{Alu, Code, Instruction, Operand};
use crate::flow::{Block, Exit, Graph, Step};

/// A set of components; bit `4 * register + component` of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Live {
    pub inputs: u64,
    pub temporaries: u64,
    /// Output registers of the bank that is written to.
    pub outputs: u64,
    /// Those of the other bank.
    pub others: u64,
    /// a0.x and a0.y.
    pub address: [bool; 2],
    /// cmp.x and cmp.y.
    pub flags: [bool; 2],
    /// aL.
    pub counter: bool,
    /// What SETEMIT said.
    pub setting: bool,
}

/// Bit of a component.
pub(super) const fn bit(register: u8, component: usize) -> u64 {
    1 << (4 * (register as usize & 15) + component)
}

impl Live {
    /// Adds what is in `other`; whether that is anything new.
    pub fn join(&mut self, other: &Live) -> bool {
        let before = *self;
        self.inputs |= other.inputs;
        self.temporaries |= other.temporaries;
        self.outputs |= other.outputs;
        self.others |= other.others;
        self.counter |= other.counter;
        self.setting |= other.setting;
        for i in 0..2 {
            self.address[i] |= other.address[i];
            self.flags[i] |= other.flags[i];
        }
        *self != before
    }

    /// What is in both.
    pub fn common(&self, other: &Live) -> Live {
        Live {
            inputs: self.inputs & other.inputs,
            temporaries: self.temporaries & other.temporaries,
            outputs: self.outputs & other.outputs,
            others: self.others & other.others,
            address: [0, 1].map(|i| self.address[i] && other.address[i]),
            flags: [0, 1].map(|i| self.flags[i] && other.flags[i]),
            counter: self.counter && other.counter,
            setting: self.setting && other.setting,
        }
    }

    fn file(&mut self, of: Dst) -> (&mut u64, u8) {
        match of {
            Dst::Output(n) => (&mut self.outputs, n),
            Dst::Temp(n) => (&mut self.temporaries, n),
        }
    }

    /// Which components of `mask` matter.
    pub fn needed(&self, target: Dst, mask: [bool; 4]) -> [bool; 4] {
        let (file, n) = match target {
            Dst::Output(n) => (self.outputs, n),
            Dst::Temp(n) => (self.temporaries, n),
        };
        std::array::from_fn(|c| mask[c] && file & bit(n, c) != 0)
    }

    fn read(&mut self, operand: &Operand, components: [bool; 4]) {
        for (select, _) in operand.select.into_iter().zip(components).filter(|(_, read)| *read) {
            match operand.register {
                Src::Input(n) => self.inputs |= bit(n, select.into()),
                Src::Temp(n) => self.temporaries |= bit(n, select.into()),
                Src::Const(_, Index::A0X) => self.address[0] = true,
                Src::Const(_, Index::A0Y) => self.address[1] = true,
                Src::Const(_, Index::AL) => self.counter = true,
                Src::Const(_, Index::None) => {}
            }
        }
    }

    /// From behind an instruction to before it. `exported`: the output components that EMIT hands out.
    fn before(&mut self, instruction: &Instruction, exported: u64) {
        match instruction {
            Instruction::Arithmetic { op, sources, target, mask } => {
                let needed = self.needed(*target, *mask);
                let flags = if *op == Alu::Litp { std::mem::take(&mut self.flags) } else { [false; 2] };
                let (file, n) = self.file(*target);
                for component in (0..4).filter(|&component| needed[component]) {
                    *file &= !bit(n, component);
                }
                for (source, components) in sources.iter().zip(reads(*op, needed, flags)) {
                    self.read(source, components);
                }
            }
            Instruction::Address { source, mask } => {
                let needed = [0, 1].map(|i| mask[i] && std::mem::take(&mut self.address[i]));
                // Those that are not written stay what they were.
                self.read(source, [needed[0], needed[1], false, false]);
            }
            Instruction::Compare { sources, comparisons } => {
                let flags = std::mem::take(&mut self.flags);
                let needed = [0, 1].map(|i| flags[i] && comparisons[i] < 6);
                for source in sources {
                    self.read(source, [needed[0], needed[1], false, false]);
                }
            }
            Instruction::Emit => {
                std::mem::swap(&mut self.outputs, &mut self.others);
                self.outputs |= exported;
                self.setting = true;
            }
            Instruction::SetEmit(_) => self.setting = false,
            Instruction::Flow(_) => {}
        }
    }

    /// Adds what an instruction may write.
    fn write(&mut self, instruction: &Instruction) {
        match instruction {
            Instruction::Arithmetic { op, target, mask, .. } => {
                let (file, n) = self.file(*target);
                *file |= (0..4).filter(|&component| mask[component]).fold(0, |set, c| set | bit(n, c));
                if *op == Alu::Litp {
                    self.flags = [true; 2];
                }
            }
            Instruction::Address { mask, .. } => (0..2).for_each(|i| self.address[i] |= mask[i]),
            Instruction::Compare { .. } => self.flags = [true; 2],
            Instruction::SetEmit(_) => self.setting = true,
            Instruction::Emit | Instruction::Flow(_) => {}
        }
    }
}

/// Components of each source (after the swizzle) that `op` reads to compute components `needed` and flags `flags`.
fn reads(op: Alu, needed: [bool; 4], flags: [bool; 2]) -> [[bool; 4]; 3] {
    const NONE: [bool; 4] = [false; 4];
    let any = needed.contains(&true);
    match op {
        Alu::Mov | Alu::Flr => [needed, NONE, NONE],
        Alu::Add | Alu::Mul | Alu::Sge | Alu::Slt | Alu::Max | Alu::Min => [needed, needed, NONE],
        Alu::Mad => [needed; 3],
        Alu::Dp3 => [[any, any, any, false], [any, any, any, false], NONE],
        Alu::Dp4 => [[any; 4], [any; 4], NONE],
        Alu::Dph => [[any, any, any, false], [any; 4], NONE],
        Alu::Dst => [[false, needed[1], needed[2], false], [false, needed[1], false, needed[3]], NONE],
        Alu::Ex2 | Alu::Lg2 | Alu::Rcp | Alu::Rsq => [[any, false, false, false], NONE, NONE],
        Alu::Litp => [[needed[0] || flags[0], needed[1], false, needed[3] || flags[1]], NONE, NONE],
    }
}

/// The output components that become part of a vertex.
pub(super) fn exported(outputs: &OutputMap) -> u64 {
    let components = outputs.slots.iter().flatten();
    components.fold(0, |set, of| set | bit(of.register, usize::from(of.component & 3)))
}

/// What some instruction of a program may write. With an EMIT each bank of outputs may be the one.
pub(super) fn written(code: &Code, graph: &Graph) -> Live {
    let (mut all, mut emits) = (Live::default(), false);
    for step in graph.blocks.iter().flat_map(|block| &block.steps) {
        all.counter |= step.enter.is_some();
        if let Some(instruction) = code.get(step.pc) {
            emits |= *instruction == Instruction::Emit;
            all.write(instruction);
        }
    }
    if emits {
        all.others = all.outputs;
    }
    all
}

/// What matters at the start of each block, and the means to find it inside of blocks.
#[derive(Debug)]
pub(super) struct Liveness {
    starts: Vec<Live>,
    /// What EMIT hands out.
    exported: u64,
    /// At the end of the program.
    end: Live,
}

impl Liveness {
    /// `exported`: the outputs that EMIT hands out; `end`: what matters when the program has ended.
    pub fn new(code: &Code, graph: &Graph, exported: u64, end: Live) -> Liveness {
        let mut liveness = Liveness { starts: vec![Live::default(); graph.blocks.len()], exported, end };
        // Backward; as long as a cycle passes on something new.
        loop {
            let mut changed = false;
            for (i, block) in graph.blocks.iter().enumerate().rev() {
                let mut live = liveness.end(block);
                block.steps.iter().rev().for_each(|step| liveness.pass(code, step, &mut live));
                changed |= liveness.starts[i].join(&live);
            }
            if !changed || !graph.cyclic {
                return liveness;
            }
        }
    }

    /// What matters at the start of block `i`.
    pub fn start(&self, i: usize) -> &Live {
        &self.starts[i]
    }

    /// What matters behind the last instruction of a block.
    pub fn end(&self, block: &Block) -> Live {
        let mut live = if block.exit == Exit::End { self.end } else { Live::default() };
        for to in block.exit.targets() {
            live.join(&self.starts[to]);
        }
        if let Exit::Flags { condition, .. } = block.exit {
            live.flags[0] |= condition.op != ConditionOp::Y;
            live.flags[1] |= condition.op != ConditionOp::X;
        }
        live
    }

    /// What matters behind each instruction of a block.
    pub fn inside(&self, code: &Code, block: &Block) -> Vec<Live> {
        let mut live = self.end(block);
        let mut all = vec![live; block.steps.len()];
        for (step, after) in block.steps.iter().zip(&mut all).rev() {
            *after = live;
            self.pass(code, step, &mut live);
        }
        all
    }

    /// From behind a step to before it.
    fn pass(&self, code: &Code, step: &Step, live: &mut Live) {
        if step.enter.is_some() {
            // LOOP gives aL another value. A nested one brings the old value back at its end, but that is of the loop
            // around it, of the same run.
            live.counter = false;
        }
        if let Some(instruction) = code.get(step.pc) {
            live.before(instruction, self.exported);
        }
    }
}
