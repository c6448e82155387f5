//! Fragment programs of the RSX: the four lanes of a quad.
//!
//! ```text
//! Quad      which lanes execute what next, until all have ended
//!   flow      structures, jumps
//!   compute   sources -> operation -> modifiers of the result -> writes
//!     alu       operations of one lane
//!     pack      packed bits
//!     texture   differences and lookups
//!     effect    operations without a result
//!   lane      registers, condition registers, place
//! ```
//!
//! `guest::rsx::fragment` defines what instructions do, `guest::kernel::program::fragment` the order of lanes.

mod alu;
mod compute;
mod effect;
mod flow;
mod lane;
mod lanes;
mod pack;
mod registers;
mod structure;
mod texture;

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::program::fragment::{FUEL, FragmentInput, RsxFragmentCode, UNITS};
use triglyph_guest::kernel::program::sampler::{Texture, TextureKey};
use triglyph_guest::rsx::fragment::{self, HALF_REGISTERS, Instruction, Step, Storage, Temp, word_of};

use crate::program::Vector;
use crate::program::interpolate::Point;
use crate::program::output::OUTPUTS;
use crate::trace::Watch;
use lane::Lane;
use lanes::Lanes;

/// A program, decoded.
#[derive(Clone, Debug)]
pub struct Program {
    decoded: fragment::Program,
    inputs: [FragmentInput; 16],
    exports: [Temp; 4],
    export_depth: bool,
    accuracy: Accuracy,
    /// Components of H registers that lanes keep as they compute them.
    kept: [u8; HALF_REGISTERS],
}

impl Program {
    /// Decodes a program. Instructions that do not exist do nothing.
    pub fn new(code: &RsxFragmentCode) -> Self {
        let decoded = fragment::Program::decode(&code.code, |_, _| {});
        let kept = match code.accuracy {
            Accuracy::Exact => [0; HALF_REGISTERS],
            Accuracy::Fast => never_full(&decoded.storage(&code.exports(), code.export_depth)),
        };
        let RsxFragmentCode { inputs, export_depth, accuracy, .. } = *code;
        Program { decoded, inputs, exports: code.exports(), export_depth, accuracy, kept }
    }

    /// Whether it may discard fragments or gives their depth.
    pub fn decides(&self, textures: &[Option<TextureKey>; UNITS]) -> bool {
        let summary = &self.decoded.summary;
        let units = textures.iter().enumerate().filter(|(unit, _)| summary.textures >> unit & 1 != 0);
        let alpha_kills = units.filter_map(|(_, key)| *key).any(|key| key.alpha_kill);
        summary.kills || alpha_kills || self.export_depth
    }
}

/// The resources that a program reads besides its inputs.
#[derive(Clone, Copy, Debug)]
pub struct Resources<'a> {
    /// Inline constants.
    pub constants: &'a [Vector],
    /// Texture units.
    pub keys: &'a [Option<TextureKey>; UNITS],
    /// The data that they read.
    pub textures: &'a [Texture<'a>; UNITS],
}

/// Four lanes that run a program.
#[derive(Debug)]
pub struct Quad<'a> {
    program: &'a Program,
    resources: Resources<'a>,
    lanes: [Lane; 4],
}

impl<'a> Quad<'a> {
    /// Lanes for `program`.
    pub fn new(program: &'a Program, resources: Resources<'a>) -> Self {
        Quad { program, resources, lanes: [(); 4].map(|()| Lane::new(program.kept)) }
    }

    /// Back to the start of the program.
    pub fn reset(&mut self) {
        let registers = usize::from(self.program.decoded.summary.registers);
        for lane in &mut self.lanes {
            lane.reset(registers);
        }
    }

    /// Runs the program for four pixels.
    pub fn run(&mut self, points: &[Point<'_>; 4]) {
        self.run_watched(points, &mut ());
    }

    /// The same with a watcher.
    pub fn run_watched(&mut self, points: &[Point<'_>; 4], watch: &mut impl Watch<Self>) {
        self.reset();
        let code = &self.program.decoded.code;
        let mut executed = 0;
        while let Some((first, lanes)) = self.next() {
            let mut limited = first.waits();
            if limited {
                self.each(lanes, Lane::end_pass);
            } else if let Some(step) = code.get(first.at) {
                executed += 1;
                limited = matches!(&step.instruction, Instruction::Flow(flow) if flow.op.is_call());
                self.execute(step, lanes, points);
                watch.executed(16 * u32::from(step.slot), lanes.into(), self);
            } else {
                // After the last instruction.
                self.each(lanes, |lane| lane.ended = true);
            }
            self.each(lanes, Lane::settle);
            if limited && executed > FUEL {
                return;
            }
        }
    }

    /// Executes an instruction for the lanes of a set.
    fn execute(&mut self, step: &Step, lanes: Lanes, points: &[Point<'_>; 4]) {
        match &step.instruction {
            Instruction::Compute(compute) => {
                self.compute(compute, step, lanes, points);
                self.each(lanes, |lane| lane.at += 1);
            }
            Instruction::Flow(flow) => self.each(lanes, |lane| lane.flow(flow, step)),
        }
        if step.instruction.ends() {
            self.each(lanes, |lane| lane.ended = true);
        }
    }

    /// The lane whose turn it is, and all that are at the same place.
    fn next(&self) -> Option<(&Lane, Lanes)> {
        let first = self.lanes.iter().filter(|lane| !lane.ended).min_by(|a, b| a.order(b))?;
        let together = |lane: &Lane| !lane.ended && lane.at == first.at && lane.structures == first.structures;
        let lanes = self.lanes.iter().enumerate().fold(0, |set, (i, lane)| set | Lanes::from(together(lane)) << i);
        Some((first, lanes))
    }

    fn each(&mut self, lanes: Lanes, mut act: impl FnMut(&mut Lane)) {
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            if lanes >> i & 1 != 0 {
                act(lane);
            }
        }
    }

    /// Whether the program has discarded the fragment of a lane.
    pub fn is_discarded(&self, lane: usize) -> bool {
        self.lanes[lane].discarded
    }

    /// The colour outputs of a lane: four, the others are (0, 0, 0, 0).
    pub fn colors(&self, lane: usize) -> [Vector; OUTPUTS] {
        let mut colors = [[0.0; 4]; OUTPUTS];
        for (color, register) in colors.iter_mut().zip(self.program.exports) {
            *color = self.lanes[lane].read(register);
        }
        colors
    }

    /// The depth that a lane's program gives, if it does.
    pub fn depth(&self, lane: usize) -> Option<f32> {
        self.program.export_depth.then(|| self.lanes[lane].read(Temp::Full(1))[2])
    }
}

/// The components of H registers in words that a program never uses as R.
fn never_full(storage: &Storage) -> [u8; HALF_REGISTERS] {
    std::array::from_fn(|half| {
        let alone = |c: &usize| !storage.is_full(word_of(Temp::Half(half as u8), *c).0);
        (0..4).filter(alone).fold(0, |components, c| components | 1 << c)
    })
}
