//! Stages of a draw: the program of each, and running it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::stage::{PATCH_WORDS, Patches, ShaderJob, Stage, Vertices, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::{ProgramStage, attribute};
use triglyph_guest::tegra::methods::threed::regs as r;

use super::codes::{Linkage, Program};
use super::meter::{self, Meter};
use super::program::Loaded;
use super::recent_programs::{ProgramKey, UnchangedPrograms};
use super::stage_numbers::{GEOMETRY, PIXEL, TESS_CONTROL, TESS_EVALUATION, VERTEX_B};
use crate::class_3d::ThreeD;
use crate::class_3d::state::texture::Pools;
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::render::program::ShaderFaults;

/// Vertices of one piece of a batch.
const PIECE: usize = 256;

/// Vertices after which programs without end are noticed.
const ROUND: usize = 16 * PIECE;

/// Nanoseconds that an instruction of a vertex takes, compiled and interpreted, roughly.
const COST: (u64, u64) = (1, 60);

/// Records of vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    /// The words, record after record.
    pub words: Vec<u32>,
    /// Which words a record has.
    pub set: WordSet,
}

impl Records {
    /// The record of a vertex.
    pub(crate) fn get(&self, vertex: u32) -> &[u32] {
        let stride = self.set.len();
        &self.words[vertex as usize * stride..][..stride]
    }
}

/// The words of a program's records: those of its map, and the position.
pub(crate) fn outputs(loaded: &Loaded) -> WordSet {
    const POSITION: u8 = (attribute::POSITION / 4) as u8;
    loaded.outputs.union(&(POSITION..POSITION + 4).collect())
}

impl ThreeD {
    /// Whether a stage is on. The second vertex program always is.
    pub(crate) fn is_on(registers: &Registers, stage: usize) -> bool {
        stage == VERTEX_B || r::set_pipeline_shader::enable(registers.get(r::set_pipeline_shader::id(stage)))
    }

    /// The program of a stage with all that it reaches.
    pub(crate) fn program(&mut self, core: &mut Core, registers: &Registers, stage: usize) -> Option<Arc<Program>> {
        let unchanged = self.unchanged.get(core, stage);
        let program = unchanged.or_else(|| {
            let key = registers.deriving(UnchangedPrograms::GROUPS, || self.program_key(core, registers, stage));
            self.last.refresh(core, (stage, &key), &mut self.programs, &mut self.codes, &mut self.unchanged)
        })?;
        if core.renderer.wants_inputs() {
            self.note_program(core, registers, stage, &program);
        }
        Some(program)
    }

    /// What registers say of the program of a stage.
    fn program_key(&self, core: &Core, registers: &Registers, stage: usize) -> ProgramKey {
        let kind = match stage {
            TESS_CONTROL => ProgramStage::TessellationControl,
            TESS_EVALUATION => ProgramStage::TessellationEvaluation,
            GEOMETRY => ProgramStage::Geometry,
            PIXEL => ProgramStage::Pixel,
            _ => ProgramStage::Vertex,
        };
        let offset = registers.get(r::set_pipeline_program::id(stage));
        let segment = registers.address(r::set_program_region_a::ID);
        let address = segment.wrapping_add(offset.into()) & ADDRESS_MASK;
        let group = r::set_pipeline_binding::group(registers.get(r::set_pipeline_binding::id(stage))) as usize;
        ProgramKey {
            space: core.space,
            segment,
            address,
            kind: Some(kind),
            local_bytes: None,
            y_direction: y_direction(registers),
            pools: Pools::of(registers),
            buffers: self.bindings.group(group),
        }
    }

    /// Runs the program of a stage, in warps of so many lanes. What they execute beyond what was paid before is paid
    /// then, and runs without end count for all of the draw.
    pub(crate) fn run_stage(
        &mut self,
        core: &mut Core,
        (stage, lanes): (usize, u32),
        (program, linkage): (&Program, Linkage),
        work: impl FnOnce(&Core, &Handle<kinds::Shader>, &Meter<'_>),
    ) {
        let before = self.progress.exhausted[stage];
        let (excess, price) = (AtomicU64::new(0), meter::price(lanes));
        let exhausted = self.codes.run(core, program, (linkage, before), |core, handle, environment| {
            let environment = Environment { excess: &excess, ..environment };
            let (fuel, exceeds) = (core.budget.fuel(), program.loaded.exceeds);
            work(core, handle, &Meter { environment, fuel, price, exceeds });
        });
        self.progress.exhausted[stage] = exhausted;
        self.shader_faults.add(ShaderFaults { exhausted: exhausted.wrapping_sub(before), ..ShaderFaults::default() });
        core.budget.charge(excess.into_inner().saturating_mul(price));
        self.pay_programs(core);
    }

    /// Runs a program of a vertex stage for records of `inputs`.
    pub(crate) fn run_vertices(
        &mut self,
        core: &mut Core,
        (stage, program): (usize, &Program),
        inputs: &Records,
    ) -> Records {
        let set = outputs(&program.loaded);
        let (from, to) = (inputs.set.len(), set.len());
        let count = inputs.words.len().checked_div(from).unwrap_or(0);
        let mut words = self.vertex_buffers.acquire_outputs(count * to);
        let serial = program.reach.writes;
        let instructions = program.loaded.instructions;
        let linkage = Linkage { stage: Stage::Vertex, inputs: inputs.set, outputs: set };
        self.run_stage(core, (stage, 1), (program, linkage), |core, handle, meter| {
            let environment = meter.environment;
            let run = |(inputs, outputs): (&[u32], &mut [u32])| {
                let count = inputs.len() / from;
                handle.run(&mut ShaderJob { environment, work: Work::Vertices(Vertices { inputs, outputs, count }) });
            };
            let each = if handle.is_compiled() { COST.0 } else { COST.1 };
            let (mut inputs, mut outputs) = (&inputs.words[..], &mut words[..]);
            while !inputs.is_empty() {
                let count = meter.runs(ROUND).min(inputs.len() / from);
                if count == 0 {
                    break;
                }
                let (first, rest) = inputs.split_at(count * from);
                let (written, unwritten) = std::mem::take(&mut outputs).split_at_mut(count * to);
                (inputs, outputs) = (rest, unwritten);
                if serial || count <= PIECE {
                    run((first, written));
                    continue;
                }
                let pieces = first.chunks(PIECE * from).zip(written.chunks_mut(PIECE * to)).collect();
                let cost = Duration::from_nanos(count as u64 * each * instructions);
                core.renderer.scheduler.for_each_item(pieces, cost, run);
            }
        });
        Records { words, set }
    }
}

/// Runs a program of patches, some of them at a time, as far as the meter says.
pub(crate) fn run_patches(handle: &Handle<kinds::Shader>, meter: &Meter<'_>, all: Patches<'_>) {
    const ROUND: usize = 64;
    let count = all.primitives.len();
    let (read, written) = (all.inputs.len() / count.max(1), all.outputs.len() / count.max(1));
    let mut first = 0;
    while first < count {
        let end = (first + meter.runs(ROUND)).min(count);
        if end == first {
            return;
        }
        let patches = Patches {
            inputs: &all.inputs[first * read..end * read],
            outputs: &mut all.outputs[first * written..end * written],
            patches: &mut all.patches[first * PATCH_WORDS..end * PATCH_WORDS],
            primitives: &all.primitives[first..end],
            ..all
        };
        handle.run(&mut ShaderJob { environment: meter.environment, work: Work::Patches(patches) });
        first = end;
    }
}

/// What programs read as Y_DIRECTION: -1 where rows count from below.
pub(crate) fn y_direction(registers: &Registers) -> f32 {
    if registers.get(r::set_window_origin::ID) & 1 != 0 { -1.0 } else { 1.0 }
}
