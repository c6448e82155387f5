//! Liveness of register components.
//!
//! Dead components are not computed, their inputs are not fetched, and a NaN in them does not count. What is live at a
//! program's start is what it reads without having written it.

use triglyph_guest::kernel::vertex::OutputMap;
use triglyph_guest::pica::isa::{ConditionOp, Dst, Index, Src};

use super::decode::Code;
use super::flow::{Block, Exit, Graph, Step};
use super::instruction::{Instruction, Operand};
use crate::cfg::Exit as _;

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

    /// Which components of `mask` are live.
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

    /// From after an instruction to before it. `exported`: the output components that EMIT hands out.
    fn before(&mut self, instruction: &Instruction, exported: u64) {
        match instruction {
            Instruction::Arithmetic(arithmetic) => {
                let needed = self.needed(arithmetic.target, arithmetic.mask);
                let flags = if arithmetic.signs.is_some() { std::mem::take(&mut self.flags) } else { [false; 2] };
                let (file, n) = self.file(arithmetic.target);
                for component in (0..4).filter(|&component| needed[component]) {
                    *file &= !bit(n, component);
                }
                for (source, components) in arithmetic.sources.iter().zip(arithmetic.reads(needed, flags)) {
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
            Instruction::Arithmetic(arithmetic) => {
                let (file, n) = self.file(arithmetic.target);
                *file |= (0..4).filter(|&c| arithmetic.mask[c]).fold(0, |set, c| set | bit(n, c));
                if arithmetic.signs.is_some() {
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
            emits |= matches!(instruction, Instruction::Emit);
            all.write(instruction);
        }
    }
    if emits {
        all.others = all.outputs;
    }
    all
}

/// What is live at the start of each block, and what it takes to find that inside of blocks.
#[derive(Debug)]
pub(super) struct Liveness {
    starts: Vec<Live>,
    /// What EMIT hands out.
    exported: u64,
    /// At the end of the program.
    end: Live,
}

impl Liveness {
    /// `exported`: the outputs that EMIT hands out; `end`: what is live when the program has ended.
    pub fn new(code: &Code, graph: &Graph, exported: u64, end: Live) -> Liveness {
        let mut liveness = Liveness { starts: vec![Live::default(); graph.blocks.len()], exported, end };
        // Backward; until no cycle adds anything.
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

    /// What is live at the start of block `i`.
    pub fn start(&self, i: usize) -> &Live {
        &self.starts[i]
    }

    /// What is live after the last instruction of a block.
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

    /// What is live after each instruction of a block.
    pub fn inside(&self, code: &Code, block: &Block) -> Vec<Live> {
        let mut live = self.end(block);
        let mut all = vec![live; block.steps.len()];
        for (step, after) in block.steps.iter().zip(&mut all).rev() {
            *after = live;
            self.pass(code, step, &mut live);
        }
        all
    }

    /// From after a step to before it.
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
