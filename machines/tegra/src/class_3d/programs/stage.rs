//! Programs of a draw: their kernels, what they reach, and running them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{Environment, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::stage::{PATCH_WORDS, Patches, ShaderJob, ShaderKey, Stage, Vertices, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::{ProgramStage, attribute};
use triglyph_guest::tegra::methods::threed::regs as r;

use super::meter::{self, Meter};
use super::program::Loaded;
use super::recent_programs::{ProgramKey, UnchangedPrograms};
use crate::class_3d::ThreeD;
use crate::class_3d::state::texture::{Pools, TextureUnits};
use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::cache::image::DecodedImage;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::mem::ProgramMemory;
use triglyph_engine::render::program::ShaderFaults;
use triglyph_engine::scene::resources::DeclaredResources;

/// Stages as registers number them.
pub(crate) const VERTEX_A: usize = 0;
pub(crate) const VERTEX_B: usize = 1;
pub(crate) const TESS_CONTROL: usize = 2;
pub(crate) const TESS_EVALUATION: usize = 3;
pub(crate) const GEOMETRY: usize = 4;
pub(crate) const PIXEL: usize = 5;
/// How many there are.
pub(crate) const STAGES: usize = 6;

/// Vertices of one piece of a batch.
const PIECE: usize = 256;

/// Vertices after which programs without end are noticed.
const ROUND: usize = 16 * PIECE;

/// Runs of programs without end after which the rest of a draw or grid is given up.
pub(crate) const EXHAUSTED_LIMIT: u32 = 16;

/// Nanoseconds that an instruction of a vertex takes, compiled and interpreted, roughly.
const COST: (u64, u64) = (1, 60);

/// A program of a draw.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What is in memory.
    pub loaded: Arc<Loaded>,
    /// Code with the units of its instructions.
    pub code: Arc<Code>,
    /// What its key says of textures.
    pub textures: Arc<[Option<TextureKey>]>,
    /// What its key says of images.
    pub images: Arc<[Option<ImageKey>]>,
    /// What it reaches.
    pub reach: Arc<DeclaredResources>,
    /// The kernel that it was run with first. Nearly always it is run with no other.
    pub(crate) kernel: Arc<OnceLock<StageKernel>>,
}

/// A kernel of a program with what else its key says.
pub(crate) type StageKernel = (Linkage, Handle<kinds::Shader>);

/// How a program is linked to the stages around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Linkage {
    /// Its stage.
    pub stage: Stage,
    /// The words of the records it reads.
    pub inputs: WordSet,
    /// The words of those it writes.
    pub outputs: WordSet,
}

impl Program {
    /// Whether kernels of both are the same.
    pub(crate) fn has_keys_of(&self, other: &Program) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
            && Arc::ptr_eq(&self.textures, &other.textures)
            && Arc::ptr_eq(&self.images, &other.images)
    }
}

/// Codes by program and units.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    codes: HashMap<CodeDraft, (Arc<Loaded>, Arc<Code>)>,
    handles: HashMap<ShaderKeyInputs, (Arc<Code>, Handle<kinds::Shader>)>,
    /// Textures by their handles.
    pub(crate) textures: TextureUnits,
}

/// What a code is made of: the program, by its place on the host, the buffer of handles, local memory.
type CodeDraft = (usize, u8, u32);

/// What a kernel is specialised to besides a code, which is named by its place on the host.
#[derive(Debug, PartialEq, Eq, Hash)]
struct ShaderKeyInputs {
    code: usize,
    linkage: Linkage,
    textures: Arc<[Option<TextureKey>]>,
    images: Arc<[Option<ImageKey>]>,
}

/// Entries that are kept; when there are more, all go.
const MAX_ENTRIES: usize = 4096;

impl Codes {
    pub(crate) fn code(
        &mut self,
        loaded: &Arc<Loaded>,
        handle_buffer: u8,
        local_bytes: u32,
        accuracy: Accuracy,
    ) -> Arc<Code> {
        if self.codes.len() >= MAX_ENTRIES {
            self.codes.clear();
        }
        let key = (Arc::as_ptr(loaded) as usize, handle_buffer, local_bytes);
        let make = || {
            let code = Code {
                words: loaded.words.clone(),
                targets: loaded.targets.clone(),
                units: loaded.wanted.uses.clone(),
                handle_buffer,
                local_bytes,
                accuracy,
            };
            (loaded.clone(), Arc::new(code))
        };
        self.codes.entry(key).or_insert_with(make).1.clone()
    }

    /// The kernel of a program.
    fn handle(&mut self, core: &Core, program: &Program, linkage: Linkage) -> Handle<kinds::Shader> {
        let (first, kernel) = program.kernel.get_or_init(|| (linkage, self.find(core, program, linkage)));
        if *first == linkage {
            return kernel.clone();
        }
        self.find(core, program, linkage)
    }

    fn find(&mut self, core: &Core, program: &Program, linkage: Linkage) -> Handle<kinds::Shader> {
        if self.handles.len() >= MAX_ENTRIES {
            self.handles.clear();
        }
        let key_inputs = ShaderKeyInputs {
            code: Arc::as_ptr(&program.code) as usize,
            linkage,
            textures: program.textures.clone(),
            images: program.images.clone(),
        };
        if let Some((_, handle)) = self.handles.get(&key_inputs) {
            return handle.clone();
        }
        let Linkage { stage, inputs, outputs } = linkage;
        let key = ShaderKey {
            stage,
            code: program.code.clone(),
            inputs,
            outputs,
            textures: program.textures.to_vec(),
            images: program.images.to_vec(),
        };
        let handle = core.renderer.kernels.shader(&key);
        self.handles.insert(key_inputs, (program.code.clone(), handle.clone()));
        handle
    }

    /// Runs `work` with the kernel of a program and what is around it, after so many runs of the program without end.
    /// Returns how many there are then.
    pub(crate) fn run(
        &mut self,
        core: &mut Core,
        program: &Program,
        (linkage, endless): (Linkage, u32),
        work: impl FnOnce(&Core, &Handle<kinds::Shader>, Environment<'_>),
    ) -> u32 {
        let handle = self.handle(core, program, linkage);
        if program.reach.writes || program.reach.reads {
            core.flush();
        }
        let decoded: Vec<Option<Arc<DecodedImage>>> = program
            .reach
            .textures
            .iter()
            .map(|binding| core.renderer.image(&core.memory, &binding.as_ref()?.image))
            .collect();
        let (exhausted, none) = (AtomicU32::new(endless), AtomicU32::new(0));
        let memory = ProgramMemory::new(&core.memory, core.space);
        let ready = program.reach.map(&decoded, &core.memory);
        work(core, &handle, ready.environment(&memory, [&exhausted, &none]));
        let unmapped = memory.unmapped();
        drop(ready);
        program.reach.mark_written(&core.memory);
        core.renderer.add_shader_faults(ShaderFaults { unmapped, ..ShaderFaults::default() });
        exhausted.into_inner()
    }
}

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

/// Whether so many runs of a program had no end that the rest of a draw or grid is given up.
pub(crate) fn is_endless(environment: &Environment<'_>) -> bool {
    environment.exhausted.load(Relaxed) >= EXHAUSTED_LIMIT
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
