//! Programs of a draw, their codes and kernels.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{Environment, ImageKey};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::stage::{ShaderKey, Stage};
use triglyph_guest::kernel::program::words::WordSet;

use super::program::Loaded;
use crate::class_3d::state::texture::TextureUnits;
use crate::core::Core;
use triglyph_engine::cache::image::DecodedImage;
use triglyph_engine::cache::{Handle, kinds};
use triglyph_engine::mem::ProgramMemory;
use triglyph_engine::render::program::ShaderFaults;
use triglyph_engine::scene::resources::DeclaredResources;

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
