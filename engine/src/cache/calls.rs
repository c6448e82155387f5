//! How the kernels of each kind are called.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use triglyph_guest::kernel::geometry::GeometryJob;
use triglyph_guest::kernel::mme::{MmeEnd, MmeJob, MmeKernel, MmeStop};
use triglyph_guest::kernel::pixel::PixelJob;
use triglyph_guest::kernel::program::stage::{ShaderJob, Work};
use triglyph_guest::kernel::program::{self, FragmentKernel, fragment::FragmentJob};
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::trace::Wanted;
use triglyph_guest::kernel::transfer::TransferJob;
use triglyph_guest::kernel::vertex::VertexJob;
use triglyph_guest::kernel::{GeometryKernel, PixelKernel, VertexKernel};

use super::counters::Counters;
use super::handle::{Batch, Handle};
use super::hidden_surfaces::HiddenSurfaces;
use super::kinds::{Fragment, Geometry, Macro, Pixel, ProgramVertex, Shader, Transfer, Vertex};
use super::pixel_cost::PixelCost;
use super::watch::{blocks, runs};

/// Whether vertices are wanted.
fn vertices(wanted: Wanted) -> Option<()> {
    matches!(wanted, Wanted::Vertex(_)).then_some(())
}

/// Whether primitives are.
fn primitives(wanted: Wanted) -> Option<()> {
    matches!(wanted, Wanted::Primitive(_)).then_some(())
}

/// Batches of items: `Kind: Kernel, Job<'_>; items wanted, method call call_traced`, and how a part of them is done.
macro_rules! batches {
    ($(
        $(#[doc = $doc:literal])+
        $Kind:ident: $Kernel:ty, $Job:ty; $items:ident $wanted:ident, $call:ident $call_traced:ident;
        |$job:ident, $kernel:ident, $range:pat_param| $part:block
    )+) => { $(
        impl Handle<$Kind> {
            $(#[doc = $doc])+
            pub fn $call(&self, job: &mut $Job) {
                if self.traced($wanted, |kernel, tracing, ()| kernel.$call_traced(job, tracing)).is_none() {
                    self.run_batch(job);
                }
            }
        }

        impl Batch<$Kernel> for $Job {
            fn len(&self) -> usize {
                self.$items.len()
            }

            fn exhausted(&self) -> u32 {
                self.exhausted
            }

            fn run(&mut self, kernel: &$Kernel, first: usize) -> usize {
                kernel.$call(self, first)
            }

            fn run_range(&mut self, $kernel: &$Kernel, $range: Range<usize>) {
                let $job = self;
                $part
            }
        }
    )+ };
}

batches! {
    /// Shades every vertex of `job`.
    Vertex: dyn VertexKernel, VertexJob<'_>; vertices vertices, shade shade_traced;
    |job, kernel, Range { start, end }| {
        let stride = job.records.len() / job.vertices.len();
        let mut part = VertexJob {
            vertices: &job.vertices[start..end],
            records: &mut job.records[start * stride..end * stride],
            clip: &mut job.clip[start..end],
            ..*job
        };
        kernel.shade(&mut part, 0);
        job.exhausted = part.exhausted;
    }

    /// Shades every vertex of `job`.
    ProgramVertex: dyn program::VertexKernel, program::vertex::VertexJob<'_>; vertices vertices, shade shade_traced;
    |job, kernel, Range { start, end }| {
        let mut part = program::vertex::VertexJob { vertices: &job.vertices[..end], records: &mut *job.records, ..*job };
        kernel.shade(&mut part, start);
        (job.exhausted, job.excess) = (part.exhausted, part.excess);
    }

    /// Runs every primitive of `job`.
    Geometry: dyn GeometryKernel, GeometryJob<'_>; primitives primitives, run run_traced;
    |job, kernel, Range { start, end }| {
        let mut part = job.until(end);
        kernel.run(&mut part, start);
        job.exhausted = part.exhausted;
    }
}

impl Handle<Transfer> {
    /// Does the job.
    pub fn run(&self, job: &TransferJob<'_>) {
        self.call(self.compiled().as_deref(), |kernel| kernel.run(job));
    }
}

impl Handle<Shader> {
    /// Does the whole job.
    pub fn run(&self, job: &mut ShaderJob<'_>) {
        if self.traced(runs(&job.work), |kernel, tracing, ()| kernel.run_traced(job, tracing)).is_none() {
            // A block of a grid is a call.
            let count = if let Work::Blocks(blocks) = &job.work { blocks.places.len() } else { 1 };
            self.call_for(count as u32, self.compiled().as_deref(), |kernel| kernel.run(job));
        }
    }
}

/// The kernel that draws pixels of a state during one scene.
pub trait SceneKernel {
    /// Whether it is compiled by now.
    fn is_compiled(&self) -> bool;

    /// The estimated cost of its pixels.
    fn pixel_cost(&self) -> &PixelCost;

    /// The estimated cost and gain of leaving out its hidden pixels.
    fn hidden_surfaces(&self) -> &HiddenSurfaces;

    /// Notes that compiled code has run for so many nanoseconds.
    fn note_time(&self, nanoseconds: u64);
}

/// What is the same for the kernels of scenes, which have a field `handle` and a method `compiled`.
macro_rules! scene_kernel {
    ($Selected:ident) => {
        impl std::fmt::Debug for $Selected {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($Selected)).field("handle", &self.handle).finish_non_exhaustive()
            }
        }

        impl SceneKernel for $Selected {
            fn is_compiled(&self) -> bool {
                self.compiled().is_some()
            }

            fn pixel_cost(&self) -> &PixelCost {
                &self.handle.slot().pixel_cost
            }

            fn hidden_surfaces(&self) -> &HiddenSurfaces {
                &self.handle.slot().hidden_surfaces
            }

            fn note_time(&self, nanoseconds: u64) {
                self.handle.slot().note_time(nanoseconds);
            }
        }
    };
}

impl Handle<Pixel> {
    /// The kernel for a scene: the compiled one if there is one now.
    pub fn select(&self) -> SelectedPixel {
        self.slot().note_use();
        self.slot().start_if_deferred();
        SelectedPixel { handle: self.clone(), compiled: self.compiled() }
    }

    /// The interpreter's kernel for a scene.
    pub fn select_interpreter(&self) -> SelectedPixel {
        SelectedPixel { handle: self.clone(), compiled: None }
    }
}

/// The kernel that serves a pixel key during one scene. It stays the same: compiled code and the interpreter sample
/// different copies of textures.
pub struct SelectedPixel {
    handle: Handle<Pixel>,
    compiled: Option<Arc<dyn PixelKernel>>,
}

scene_kernel!(SelectedPixel);

impl SelectedPixel {
    fn compiled(&self) -> Option<&Arc<dyn PixelKernel>> {
        self.compiled.as_ref()
    }

    /// What decodes textures for the kernel; `None` when it samples guest memory in place.
    pub fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        self.compiled()?.texture_decoder()
    }

    /// Shades all blocks of `job`.
    pub fn shade(&self, job: &PixelJob<'_>) {
        let shade = |job: &PixelJob<'_>| self.handle.call(self.compiled.as_deref(), |kernel| kernel.shade(job));
        let part = |blocks: Range<usize>| PixelJob { blocks: &job.blocks[blocks], ..*job };
        let wants = |wanted| blocks(job.blocks, wanted);
        let traced = self.handle.traced(wants, |kernel, tracing, wanted| {
            shade(&part(0..wanted.start));
            let done = kernel.shade_traced(&part(wanted.clone()), tracing);
            shade(&part(wanted.end..job.blocks.len()));
            done
        });
        if traced.is_none() {
            shade(job);
        }
    }
}

impl Handle<Fragment> {
    /// The kernel for a scene.
    pub fn select(&self) -> SelectedFragment {
        self.slot().note_use();
        SelectedFragment { handle: self.clone(), compiled: self.compiled().map(OnceLock::from).unwrap_or_default() }
    }
}

/// The kernel that serves a fragment key during one scene: the interpreter's until there is a compiled one, which may
/// come in the middle of the scene, as both sample the same images. The interpreter can take seconds for a scene.
pub struct SelectedFragment {
    handle: Handle<Fragment>,
    compiled: OnceLock<Arc<dyn FragmentKernel>>,
}

scene_kernel!(SelectedFragment);

impl SelectedFragment {
    fn compiled(&self) -> Option<&Arc<dyn FragmentKernel>> {
        if let known @ Some(_) = self.compiled.get() {
            return known;
        }
        let compiled = self.handle.compiled()?;
        Some(self.compiled.get_or_init(|| compiled))
    }

    /// Shades all blocks of `job` and returns how many samples passed all tests.
    pub fn shade(&self, job: &FragmentJob<'_>) -> u64 {
        let shade = |job: &FragmentJob<'_>| {
            self.handle.call(self.compiled().map(|compiled| &**compiled), |kernel| kernel.shade(job))
        };
        let part = |blocks: Range<usize>| FragmentJob { blocks: &job.blocks[blocks], ..*job };
        let wants = |wanted| blocks(job.blocks, wanted);
        let traced = self.handle.traced(wants, |kernel, tracing, wanted| {
            let before = shade(&part(0..wanted.start));
            let passed = kernel.shade_traced(&part(wanted.clone()), tracing).unwrap_or_default();
            before + passed + shade(&part(wanted.end..job.blocks.len()))
        });
        traced.unwrap_or_else(|| shade(job))
    }
}

/// Calls the kernel of a macro, from one thread at a time. Macros are short and called often, so this keeps the
/// compiled kernel and looks for a better one only when there is one.
pub struct MacroCaller {
    handle: Handle<Macro>,
    /// The version of the slot when `compiled` was taken from it.
    version: u32,
    compiled: Option<Arc<dyn MmeKernel>>,
}

impl std::fmt::Debug for MacroCaller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MacroCaller").field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl From<Handle<Macro>> for MacroCaller {
    fn from(handle: Handle<Macro>) -> Self {
        MacroCaller { handle, version: 0, compiled: None }
    }
}

impl MacroCaller {
    /// Does the call.
    #[inline]
    pub fn run(&mut self, job: &mut MmeJob<'_>) -> MmeEnd {
        let slot = self.handle.slot();
        slot.note_call_alone();
        let version = slot.version();
        if self.version != version {
            // A kernel that comes between these two look-ups is looked up once more at the next call.
            (self.version, self.compiled) = (version, slot.compiled());
        }
        let counters = slot.counters();
        if let Some(compiled) = &self.compiled {
            match compiled.run(job) {
                Ok(end) => {
                    Counters::increment_alone(&counters.compiled_calls);
                    return end;
                }
                Err(why) => slot.note_refusal(why),
            }
        }
        Counters::increment_alone(&counters.interpreter_calls);
        // The interpreter supports every call.
        let nothing = MmeEnd { stop: MmeStop::Exit, missing: 0, unused: job.parameters.len() as u32 };
        slot.interpreter().run(job).unwrap_or(nothing)
    }
}
