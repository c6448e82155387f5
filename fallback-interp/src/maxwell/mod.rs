//! Shader programs of Tegra X1 (Maxwell, SM 5.3).
//!
//! ```text
//! stage/     vertex, patch, geometry, compute, pixel: what programs are run for
//! Warp       which lanes execute what next, until all have ended
//!   Program    instructions as closures, made once
//!     decode/    a family of the instruction table a file
//!       number, double   f32, f16, f64 in every rounding
//!       atomic           values in memory
//!   Lane       registers, predicates, condition code, stack
//!   Context    memory, constants, textures, the stage
//! ```
//!
//! `guest::tegra::shader::isa` defines instructions, `guest::kernel::maxwell` everything around them.

mod atomic;
pub mod context;
mod decode;
mod double;
pub mod lane;
mod number;
mod operand;
pub mod program;
mod registers;
pub mod stage;
pub mod warp;

use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::stage::{ShaderJob, ShaderKernel, ShaderKey, Stage, Work};

use triglyph_guest::kernel::trace::{Item, Tracing, WordForm};

use crate::trace::Recorder;
use context::{Context, Surroundings};
use program::Program;
use stage::Record;
use warp::Warp;

/// The kernel of a stage.
#[derive(Debug)]
pub struct Kernel {
    stage: Stage,
    program: Program,
    inputs: Record,
    outputs: Record,
    textures: Vec<Option<TextureKey>>,
    images: Vec<Option<ImageKey>>,
}

/// A kernel and what is around its program.
pub struct Stages<'a> {
    /// The program.
    pub program: &'a Program,
    /// Records of input vertices.
    pub inputs: &'a Record,
    /// Records of output vertices.
    pub outputs: &'a Record,
    environment: Environment<'a>,
    textures: &'a [Option<TextureKey>],
    images: &'a [Option<ImageKey>],
}

impl Stages<'_> {
    /// The resources of a warp's instructions.
    pub fn context<'c>(&'c self, stage: &'c mut dyn Surroundings) -> Context<'c> {
        Context { environment: &self.environment, textures: self.textures, images: self.images, stage, executed: 0 }
    }

    /// Runs the program in a warp of its own, from its start to its end. With an item that is traced, its trace comes
    /// back, of the lane that is wanted.
    pub fn run(
        &self,
        warp: &mut Warp,
        lanes: usize,
        stage: &mut dyn Surroundings,
        traced: Option<(&Tracing<'_>, Item)>,
    ) -> Option<Recorder> {
        warp.start(lanes, self.program);
        let mut recorder = traced.map(|(tracing, item)| Recorder::new(tracing, item, 0, &*warp));
        match &mut recorder {
            None => warp.finish(self.program, &mut self.context(stage), &mut ()),
            Some(recorder) => warp.finish(self.program, &mut self.context(stage), recorder),
        }
        self.environment.excess.fetch_add(warp.excess(self.program, 1), Relaxed);
        recorder
    }

    /// Notes the words of an output vertex as results of a trace, and keeps it.
    pub fn keep(&self, tracing: Option<Tracing<'_>>, recorder: Option<Recorder>, output: &[u32]) {
        let (Some(tracing), Some(mut recorder)) = (tracing, recorder) else { return };
        for word in 0..=u8::MAX {
            if self.outputs.has(word) {
                let value = self.outputs.read(output, 0, word);
                recorder.result(format!("a[{:#05x}]", 4 * u32::from(word)), WordForm::Float, &[value]);
            }
        }
        tracing.add(recorder.finish());
    }
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &ShaderKey) -> Self {
        Kernel {
            stage: key.stage,
            program: Program::new(&key.code),
            inputs: Record::new(&key.inputs),
            outputs: Record::new(&key.outputs),
            textures: key.textures.clone(),
            images: key.images.clone(),
        }
    }
}

impl ShaderKernel for Kernel {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported> {
        self.work(job, None)
    }

    fn run_traced(&self, job: &mut ShaderJob<'_>, tracing: Tracing<'_>) -> Result<(), Unsupported> {
        self.work(job, Some(tracing))
    }
}

impl Kernel {
    fn work(&self, job: &mut ShaderJob<'_>, tracing: Option<Tracing<'_>>) -> Result<(), Unsupported> {
        let stages = Stages {
            program: &self.program,
            inputs: &self.inputs,
            outputs: &self.outputs,
            environment: job.environment,
            textures: &self.textures,
            images: &self.images,
        };
        match (self.stage, &mut job.work) {
            (Stage::Vertex, Work::Vertices(work)) => stage::vertex::run(&stages, work, tracing),
            (Stage::TessControl, Work::Patches(work)) => stage::patch::control(&stages, work, tracing),
            (Stage::TessEvaluation, Work::Evaluations(work)) => stage::patch::evaluation(&stages, work, tracing),
            (Stage::Geometry, Work::Primitives(work)) => stage::geometry::run(&stages, work, tracing),
            (Stage::Compute, Work::Blocks(work)) => stage::compute::run(&stages, work, tracing),
            _ => return Err(Unsupported("work of another stage")),
        }
        Ok(())
    }
}
