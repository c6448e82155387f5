//! Programs of a draw: their kernels, what they reach, and running them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use triglyph_guest::kernel::maxwell::{
    Code, Environment, ImageKey, ShaderJob, ShaderKey, Stage, UnitUse, Vertices, WordSet, Work,
};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::tegra::header::program::{ProgramStage, attribute};
use triglyph_guest::tegra::methods::threed::regs as r;

use super::ThreeD;
use super::bindings::Bindings;
use super::program::Loaded;
use super::texture::TextureUnits;
use super::units::{Units, units};
use crate::cache::ShaderHandle;
use crate::cache::image::DecodedImage;
use crate::device::FaultKind;
use crate::mem::ProgramMemory;
use crate::scene::reach::Reach;
use crate::tegra::core::{ADDRESS_MASK, Core};
use crate::tegra::registers::Registers;

/// Stages as registers number them.
pub(super) const VERTEX_A: usize = 0;
pub(super) const VERTEX_B: usize = 1;
pub(super) const TESS_CONTROL: usize = 2;
pub(super) const TESS_EVALUATION: usize = 3;
pub(super) const GEOMETRY: usize = 4;
pub(super) const PIXEL: usize = 5;

/// Words that the records of a draw may have: a gigabyte.
pub(super) const MOST_WORDS: usize = 1 << 28;

/// Whether so many records of so many words are not too large; otherwise a fault.
pub(super) fn affordable(core: &mut Core, records: usize, words: usize) -> bool {
    let enough = records.saturating_mul(words) <= MOST_WORDS;
    if !enough {
        let what = format_args!("{records} records of {words} words in a draw");
        core.fault(FaultKind::OutOfFuel, records as u64, what);
    }
    enough
}

/// Vertices of one piece of a batch.
const PIECE: usize = 256;

/// Nanoseconds that an instruction of a vertex takes, compiled and interpreted, roughly.
const COST: (u64, u64) = (1, 60);

/// A program of a draw.
#[derive(Clone, Debug)]
pub(in crate::tegra) struct Program {
    /// What is in memory.
    pub loaded: Arc<Loaded>,
    /// Code with the units of its instructions.
    pub code: Arc<Code>,
    /// What its key says of textures.
    pub textures: Vec<Option<TextureKey>>,
    /// What its key says of images.
    pub images: Vec<Option<ImageKey>>,
    /// What it reaches.
    pub reach: Reach,
}

/// Codes by program and units.
#[derive(Debug, Default)]
pub(in crate::tegra) struct Codes {
    codes: HashMap<CodeDraft, (Arc<Loaded>, Arc<Code>)>,
    handles: HashMap<Draft, (Arc<Code>, ShaderHandle)>,
    /// Textures by their handles.
    pub(super) textures: TextureUnits,
}

/// What a code is made of: the program, by its place on the host, its units, the buffer of handles, local memory.
type CodeDraft = (usize, Vec<UnitUse>, u8, u32);

/// What a kernel is specialised to besides a code, which is named by its place on the host.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Draft {
    code: usize,
    stage: Stage,
    inputs: WordSet,
    outputs: WordSet,
    textures: Vec<Option<TextureKey>>,
    images: Vec<Option<ImageKey>>,
}

/// Entries that are kept; when there are more, all go.
const MOST: usize = 4096;

impl Codes {
    fn code(&mut self, loaded: &Arc<Loaded>, units: Vec<UnitUse>, handle_buffer: u8, local_bytes: u32) -> Arc<Code> {
        if self.codes.len() >= MOST {
            self.codes.clear();
        }
        let key = (Arc::as_ptr(loaded) as usize, units, handle_buffer, local_bytes);
        if let Some((_, code)) = self.codes.get(&key) {
            return code.clone();
        }
        let code = Arc::new(Code {
            words: loaded.words.clone(),
            targets: loaded.targets.clone(),
            units: key.1.clone(),
            handle_buffer,
            local_bytes,
        });
        self.codes.insert(key, (loaded.clone(), code.clone()));
        code
    }

    /// The kernel of a program.
    fn handle(
        &mut self,
        core: &Core,
        program: &Program,
        stage: Stage,
        inputs: WordSet,
        outputs: WordSet,
    ) -> ShaderHandle {
        if self.handles.len() >= MOST {
            self.handles.clear();
        }
        let draft = Draft {
            code: Arc::as_ptr(&program.code) as usize,
            stage,
            inputs,
            outputs,
            textures: program.textures.clone(),
            images: program.images.clone(),
        };
        if let Some((_, handle)) = self.handles.get(&draft) {
            return handle.clone();
        }
        let key = ShaderKey {
            stage,
            code: program.code.clone(),
            inputs,
            outputs,
            textures: program.textures.clone(),
            images: program.images.clone(),
        };
        let handle = core.renderer.kernels.shader(&key);
        self.handles.insert(draft, (program.code.clone(), handle.clone()));
        handle
    }

    /// A program with all that it reaches: the constant buffers of a group, the textures of the registers' pools.
    pub(in crate::tegra) fn program(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        bindings: &Bindings,
        group: usize,
        loaded: Arc<Loaded>,
        local_bytes: u32,
    ) -> Program {
        let Units { uses, textures, images, bindings: texture_bindings, image_bindings, handles } =
            units(core, registers, bindings, &mut self.textures, &loaded, group);
        let handle_buffer =
            r::set_bindless_texture::constant_buffer_slot_select(registers.get(r::set_bindless_texture::ID));
        let reach = Reach {
            space: core.space,
            constants: bindings.copies(core, group, &loaded.constants),
            textures: texture_bindings,
            images: image_bindings,
            handles,
            y_direction: y_direction(registers),
            reads: loaded.reads,
            writes: loaded.writes,
        };
        let code = self.code(&loaded, uses, handle_buffer as u8, local_bytes);
        Program { loaded, code, textures, images, reach }
    }

    /// Runs `work` with the kernel of a program and what is around it.
    pub(in crate::tegra) fn run(
        &mut self,
        core: &mut Core,
        program: &Program,
        stage: Stage,
        inputs: WordSet,
        outputs: WordSet,
        work: impl FnOnce(&Core, &ShaderHandle, Environment<'_>),
    ) {
        let handle = self.handle(core, program, stage, inputs, outputs);
        if program.reach.writes || program.reach.reads {
            core.flush();
        }
        let decoded: Vec<Option<Arc<DecodedImage>>> = program
            .reach
            .textures
            .iter()
            .map(|binding| core.renderer.image(&core.memory, &binding.as_ref()?.image))
            .collect();
        let exhausted = AtomicU32::new(0);
        let memory = ProgramMemory::new(&core.memory, core.space);
        let ready = program.reach.ready(&decoded, &core.memory);
        work(core, &handle, ready.environment(&memory, &exhausted));
        let misses = memory.misses();
        drop(ready);
        program.reach.mark_written(&core.memory);
        core.renderer.add_troubles(misses, exhausted.load(Relaxed));
    }
}

/// Records of vertices.
#[derive(Clone, Debug, Default)]
pub(super) struct Records {
    /// The words, record after record.
    pub words: Vec<u32>,
    /// Which words a record has.
    pub set: WordSet,
}

impl Records {
    /// The record of a vertex.
    pub(super) fn get(&self, vertex: u32) -> &[u32] {
        let stride = self.set.len();
        &self.words[vertex as usize * stride..][..stride]
    }
}

/// The words of a program's records: those of its map, and the position.
pub(super) fn outputs(loaded: &Loaded) -> WordSet {
    let position = attribute::POSITION / 4..attribute::POSITION / 4 + 4;
    loaded.outputs().union(&position.map(|word| word as u8).collect())
}

impl ThreeD {
    /// Whether a stage is on. The second vertex program always is.
    pub(super) fn is_on(registers: &Registers, stage: usize) -> bool {
        stage == VERTEX_B || r::set_pipeline_shader::enable(registers.get(r::set_pipeline_shader::id(stage)))
    }

    /// The program of a stage with all that it reaches.
    pub(super) fn program(&mut self, core: &mut Core, registers: &Registers, stage: usize) -> Option<Program> {
        let kind = match stage {
            TESS_CONTROL => ProgramStage::TessellationControl,
            TESS_EVALUATION => ProgramStage::TessellationEvaluation,
            GEOMETRY => ProgramStage::Geometry,
            PIXEL => ProgramStage::Pixel,
            _ => ProgramStage::Vertex,
        };
        let offset = registers.get(r::set_pipeline_program::id(stage));
        let address = registers.address(r::set_program_region_a::ID).wrapping_add(offset.into()) & ADDRESS_MASK;
        let group = r::set_pipeline_binding::group(registers.get(r::set_pipeline_binding::id(stage))) as usize;
        let bindings = &self.bindings;
        let loaded = self.programs.get(core, address, Some(kind), |core, slot, offset| {
            bindings.word(core, group, usize::from(slot), offset)
        })?;
        let local = loaded.local_bytes();
        Some(self.codes.program(core, registers, &self.bindings, group, loaded, local))
    }

    /// Runs `work` with the kernel of a program and what is around it.
    pub(super) fn run(
        &mut self,
        core: &mut Core,
        program: &Program,
        stage: Stage,
        inputs: WordSet,
        outputs: WordSet,
        work: impl FnOnce(&Core, &ShaderHandle, Environment<'_>),
    ) {
        self.codes.run(core, program, stage, inputs, outputs, work);
    }

    /// Runs a program of the vertex stage for records of `inputs`.
    pub(super) fn run_vertices(&mut self, core: &mut Core, program: &Program, inputs: &Records) -> Records {
        let set = outputs(&program.loaded);
        let (from, to) = (inputs.set.len(), set.len());
        let count = inputs.words.len().checked_div(from).unwrap_or(0);
        let mut words = vec![0; count * to];
        let serial = program.reach.writes;
        let instructions = program.loaded.instructions;
        self.run(core, program, Stage::Vertex, inputs.set, set, |core, handle, environment| {
            let piece = if serial { count.max(1) } else { PIECE };
            let pieces: Vec<(&[u32], &mut [u32])> =
                inputs.words.chunks(piece * from).zip(words.chunks_mut(piece * to)).collect();
            let each = if handle.is_compiled() { COST.0 } else { COST.1 };
            let cost = Duration::from_nanos(count as u64 * each * instructions);
            core.renderer.scheduler.for_each_item(pieces, cost, |(inputs, outputs)| {
                let count = inputs.len() / from;
                handle.run(&mut ShaderJob { environment, work: Work::Vertices(Vertices { inputs, outputs, count }) });
            });
        });
        Records { words, set }
    }
}

/// What programs read as Y_DIRECTION: -1 where rows count from below.
fn y_direction(registers: &Registers) -> f32 {
    if registers.get(r::set_window_origin::ID) & 1 != 0 { -1.0 } else { 1.0 }
}
