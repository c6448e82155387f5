//! Fragment programs: four fragments of a quad as four lanes.
//!
//! ```text
//! graph.rs      states of flow control -> blocks in the order of execution; order.rs what their shape tells
//! flatten.rs    programs that need no branches
//! control.rs    a walk through the blocks, with a mask for each where lanes part
//! registers.rs  R and H registers and condition registers as values
//! operand.rs    sources, and what happens to results on their way to a register
//! alu.rs        arithmetic    pack.rs  packing    texture.rs  lookups
//! live.rs       components that matter, in programs without flow control
//! ```

mod alu;
mod block;
mod context;
mod control;
mod flatten;
pub mod graph;
mod live;
mod operand;
mod order;
mod pack;
mod registers;
mod texture;

use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::kernel::program::fragment::RsxFragmentCode;
use triglyph_guest::kernel::program::output::{Channel, TARGETS};
use triglyph_guest::rsx::fragment::{Instruction, Program, Step, Storage, Temp};
use triglyph_guest::table::flags;

use crate::lane::{F32x4, Mask};
use crate::pixel::plan::programs::RsxPlan;
use crate::pixel::quad::programs::{Quad, Results};
use flatten::Flat;
use graph::Graph;
use registers::{File, Variables};

/// Emits a program.
struct Lower<'l, 'q, 'a> {
    quad: &'l mut Quad<'q, 'a>,
    code: &'l RsxFragmentCode,
    program: &'l Program,
    graph: &'l Graph,
    storage: Storage,
    file: File,
    /// Of programs of several blocks.
    variables: Option<Variables>,
    /// The block that is being emitted.
    current: usize,
    /// Lanes that execute; `None` for all.
    exec: Option<Mask>,
    /// Components of the current instruction's result that matter.
    needed: [bool; 4],
    /// The program reads bits of registers: a NaN must have the right ones.
    bits_matter: bool,
    /// The operand of the last LG2 that is part of a reciprocal square root.
    root_operand: Option<F32x4>,
}

/// Colour outputs of which something is read, and which components.
fn outputs(quad: &Quad<'_, '_>) -> [[bool; 4]; 4] {
    let mut read = [[false; 4]; 4];
    for number in 0..TARGETS {
        if let Some(key) = quad.key.output.colors[number].filter(|_| quad.plan.surfaces[number].is_some()) {
            if let Some(components) = read.get_mut(usize::from(key.source)) {
                *components = [true; 4];
            }
            if key.blend.is_some_and(|blend| blend.takes_second()) {
                read[1] = [true; 4];
            }
        }
    }
    let coverage = quad.key.output.alpha_to_coverage && quad.plan.samples.count() > 1;
    if quad.key.output.alpha_test != Compare::Always || coverage {
        read[0][3] = true;
    }
    read
}

/// Emits the program of a quad.
pub fn program(quad: &mut Quad<'_, '_>, plan: &RsxPlan) -> Results {
    let RsxPlan { code, program, graph } = plan;
    let read = outputs(quad);
    let exports = code.exports();
    let storage = program.storage(&exports, code.export_depth);
    let seen: Vec<Temp> = (0..exports.len()).filter(|&n| read[n].contains(&true)).map(|n| exports[n]).collect();
    let mixed = program.storage(&seen, code.export_depth).has_mixed();
    let bits_matter = mixed || unpacks(program) || stores_bits(quad);
    let flat = flatten::flatten(program, graph);
    let variables = flat.is_none().then(|| Variables::new(quad.e, &storage, graph.loops));
    let mut lower = Lower {
        quad,
        code,
        program,
        graph,
        storage,
        file: File::new(flat.is_some()),
        variables,
        current: 0,
        exec: None,
        needed: [true; 4],
        bits_matter,
        root_operand: None,
    };
    match flat {
        Some(steps) => lower.straight(&steps, &read, &exports),
        None => lower.blocks(),
    }
    let mut colors = [None; TARGETS];
    for (output, components) in read.into_iter().enumerate() {
        if components.contains(&true) {
            colors[output] = Some([0, 1, 2, 3].map(|c| lower.exported(exports[output], c)));
        }
    }
    let depth = code.export_depth.then(|| lower.temp(Temp::Full(1), 2).value);
    let killed = lower.killed();
    Results { colors, depth, killed, samples: None }
}

/// Whether a program takes the bits of a register apart.
fn unpacks(program: &Program) -> bool {
    let unpacks =
        |step: &Step| matches!(&step.instruction, Instruction::Compute(compute) if compute.op.has(flags::UNPACKS));
    program.code.iter().any(unpacks)
}

/// Whether a target takes the bits of its colour as integers.
fn stores_bits(quad: &Quad<'_, '_>) -> bool {
    let mut colors = quad.key.output.colors.iter().flatten();
    colors.any(|key| key.format.channels.iter().any(|c| matches!(c, Channel::Uint(_) | Channel::Sint(_))))
}

impl Lower<'_, '_, '_> {
    /// A component of a colour output.
    fn exported(&mut self, temp: Temp, c: usize) -> F32x4 {
        let number = self.temp(temp, c);
        if self.bits_matter { self.exact(number).value } else { number.value }
    }

    /// A program without branches.
    fn straight(&mut self, steps: &[Flat], read: &[[bool; 4]; 4], exports: &[Temp; 4]) {
        let live = live::components(self.program, steps, read, exports, self.code.export_depth);
        // Lanes around each open IFE, and those of its first part.
        let mut open: Vec<(Option<Mask>, Mask)> = Vec::new();
        for (&step, needed) in steps.iter().zip(live) {
            match step {
                Flat::Step(step) => {
                    self.needed = needed;
                    self.step(&self.program.code[usize::from(step)], self.exec);
                }
                Flat::If(step) => {
                    let first = self.condition_of(step);
                    open.push((self.exec, first));
                    self.exec = Some(self.within(self.exec, first));
                }
                Flat::Else => {
                    if let Some(&(around, first)) = open.last() {
                        let others = self.quad.e.not(first);
                        self.exec = Some(self.within(around, others));
                    }
                }
                Flat::End => self.exec = open.pop().and_then(|(around, _)| around),
            }
        }
    }

    /// Those of `lanes`, or of all, that are in a mask.
    fn within(&mut self, lanes: Option<Mask>, mask: Mask) -> Mask {
        match lanes {
            Some(lanes) => self.quad.e.and(lanes, mask),
            None => mask,
        }
    }
}
