//! Calling kernels: compiled code where it is there and willing, the reference otherwise.

use std::sync::Arc;

use triglyph_guest::kernel::geometry::GeometryJob;
use triglyph_guest::kernel::mme::{MmeEnd, MmeJob, MmeKernel, MmeStop};
use triglyph_guest::kernel::packet_trace::PacketTraceKernel;
use triglyph_guest::kernel::pixel::PixelJob;
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::kernel::transfer::TransferJob;
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP, VertexJob};
use triglyph_guest::kernel::{PixelKernel, VertexKernel};

use super::slot::Slot;
use super::{Counters, GeometryKind, MmeKind, PixelKind, SequenceKind, TransferKind, VertexKind};

/// A vertex kernel.
#[derive(Clone, Debug)]
pub struct VertexHandle(pub(super) Arc<Slot<VertexKind>>);

/// A geometry kernel.
#[derive(Clone, Debug)]
pub struct GeometryHandle(pub(super) Arc<Slot<GeometryKind>>);

/// A pixel kernel.
#[derive(Clone, Debug)]
pub struct PixelHandle(pub(super) Arc<Slot<PixelKind>>);

/// A transfer kernel.
#[derive(Clone, Debug)]
pub struct TransferHandle(pub(super) Arc<Slot<TransferKind>>);

/// The kernel of a macro, for one caller at a time. Macros are short and called often, so it keeps what it calls and looks
/// for something better only when there is.
pub struct MmeHandle {
    slot: Arc<Slot<MmeKind>>,
    /// What [`Slot::version`] was when `compiled` was taken.
    version: u32,
    compiled: Option<Arc<dyn MmeKernel>>,
}

/// The kernel of a sequence.
#[derive(Clone, Debug)]
pub struct SequenceHandle(pub(super) Arc<Slot<SequenceKind>>);

impl SequenceHandle {
    /// Compiled code, once it is there. There is no use for anything else: the engine's own way through a push buffer is
    /// faster than the reference.
    pub fn compiled(&self) -> Option<Arc<dyn PacketTraceKernel>> {
        self.0.compiled()
    }

    /// Whether there never will be any.
    pub fn is_refused(&self) -> bool {
        self.0.is_settled() && self.0.compiled().is_none()
    }
}

impl std::fmt::Debug for MmeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MmeHandle").field("slot", &self.slot).finish_non_exhaustive()
    }
}

impl MmeHandle {
    pub(super) fn new(slot: Arc<Slot<MmeKind>>) -> Self {
        MmeHandle { slot, version: 0, compiled: None }
    }

    /// Does the call.
    #[inline]
    pub fn run(&mut self, job: &mut MmeJob<'_>) -> MmeEnd {
        self.slot.note_call_alone();
        let version = self.slot.version();
        if self.version != version {
            // One that comes in between is called by an older version's name, and taken once more next time.
            (self.version, self.compiled) = (version, self.slot.compiled());
        }
        let counters = self.slot.counters();
        if let Some(compiled) = &self.compiled
            && let Ok(end) = compiled.run(job)
        {
            Counters::add_alone(&counters.compiled_calls);
            return end;
        }
        Counters::add_alone(&counters.reference_calls);
        // The reference refuses nothing; a call that nobody takes would have done nothing.
        let nothing = MmeEnd { stop: MmeStop::Exit, missing: 0, unused: job.parameters.len() as u32 };
        self.slot.reference().run(job).unwrap_or(nothing)
    }
}

impl VertexHandle {
    /// Whether compiled code serves most calls by now.
    pub fn is_compiled(&self) -> bool {
        self.0.compiled().is_some()
    }

    /// Shades every vertex of `job`.
    pub fn shade(&self, job: &mut VertexJob<'_>) {
        self.0.note_call();
        let counters = self.0.counters();
        let Some(compiled) = self.0.compiled() else {
            Counters::add(&counters.reference_calls, 1);
            self.0.reference().shade(job, 0);
            return;
        };
        Counters::add(&counters.compiled_calls, 1);
        let total = job.vertices.len();
        let mut done = compiled.shade(job, 0);
        while done < total {
            // A program that runs away again and again: the reference alone knows what becomes of the rest.
            let given_up = job.exhausted >= EXHAUSTED_LIMIT;
            let end = if given_up { total } else { (done + GROUP).min(total) };
            Counters::add(&counters.reference_calls, 1);
            shade_part(&**self.0.reference(), job, done, end);
            done = if end < total { compiled.shade(job, end) } else { end };
        }
    }
}

/// Has the reference shade vertices `first..end` of a job.
fn shade_part(kernel: &dyn VertexKernel, job: &mut VertexJob<'_>, first: usize, end: usize) {
    let stride = job.records.len() / job.vertices.len();
    let mut part = VertexJob {
        streams: job.streams,
        fixed: job.fixed,
        uniforms: job.uniforms,
        constants: job.constants,
        vertices: &job.vertices[first..end],
        last_vertex: job.last_vertex,
        records: &mut job.records[first * stride..end * stride],
        clip: &mut job.clip[first..end],
        exhausted: job.exhausted,
    };
    kernel.shade(&mut part, 0);
    job.exhausted = part.exhausted;
}

impl GeometryHandle {
    /// Runs every primitive of `job`.
    pub fn run(&self, job: &mut GeometryJob<'_>) {
        self.0.note_call();
        let counters = self.0.counters();
        let Some(compiled) = self.0.compiled() else {
            Counters::add(&counters.reference_calls, 1);
            self.0.reference().run(job, 0);
            return;
        };
        Counters::add(&counters.compiled_calls, 1);
        let total = job.primitives.len();
        let mut done = compiled.run(job, 0);
        while done < total {
            // As with vertices.
            let given_up = job.exhausted >= EXHAUSTED_LIMIT;
            let end = if given_up { total } else { (done + GROUP).min(total) };
            Counters::add(&counters.reference_calls, 1);
            let mut part = job.until(end);
            self.0.reference().run(&mut part, done);
            job.exhausted = part.exhausted;
            done = if end < total { compiled.run(job, end) } else { end };
        }
    }
}

impl PixelHandle {
    /// The kernel to use for a scene: compiled when there is one.
    pub fn choose(&self) -> PixelChoice {
        PixelChoice { handle: self.clone(), compiled: self.0.compiled() }
    }

    /// The reference kernel, whatever there is.
    pub fn reference(&self) -> PixelChoice {
        PixelChoice { handle: self.clone(), compiled: None }
    }
}

/// What serves a pixel key during one scene.
pub struct PixelChoice {
    handle: PixelHandle,
    compiled: Option<Arc<dyn PixelKernel>>,
}

impl PixelChoice {
    /// Whether compiled code serves most calls.
    pub fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }

    /// Who decodes textures for the kernel; `None` when it samples guest memory in place.
    pub fn texture_decoder(&self) -> Option<&dyn TextureDecoder> {
        self.compiled.as_ref()?.texture_decoder()
    }

    /// Shades all blocks of `job`.
    pub fn shade(&self, job: &PixelJob<'_>) {
        let slot = &self.handle.0;
        slot.note_call();
        if let Some(compiled) = &self.compiled
            && compiled.shade(job).is_ok()
        {
            Counters::add(&slot.counters().compiled_calls, 1);
            return;
        }
        Counters::add(&slot.counters().reference_calls, 1);
        // The reference refuses nothing.
        let _ = slot.reference().shade(job);
    }
}

impl TransferHandle {
    /// Whether compiled code serves most calls by now.
    pub fn is_compiled(&self) -> bool {
        self.0.compiled().is_some()
    }

    /// Does the job.
    pub fn run(&self, job: &TransferJob<'_>) {
        self.0.note_call();
        let counters = self.0.counters();
        if let Some(compiled) = self.0.compiled()
            && compiled.run(job).is_ok()
        {
            Counters::add(&counters.compiled_calls, 1);
            return;
        }
        Counters::add(&counters.reference_calls, 1);
        // The reference refuses nothing.
        let _ = self.0.reference().run(job);
    }
}
