//! Calling kernels of machines whose stages are all programs.

use std::sync::{Arc, OnceLock};

use triglyph_guest::kernel::maxwell::ShaderJob;
use triglyph_guest::kernel::program::fragment::FragmentJob;
use triglyph_guest::kernel::program::vertex::VertexJob;
use triglyph_guest::kernel::program::{FragmentKernel, VertexKernel};
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP};

use super::slot::Slot;
use super::{Counters, FragmentKind, ProgramVertexKind, ShaderKind};

/// The kernel of a vertex program.
#[derive(Clone, Debug)]
pub struct ProgramVertexHandle(pub(super) Arc<Slot<ProgramVertexKind>>);

/// The kernel of a fragment program.
#[derive(Clone, Debug)]
pub struct FragmentHandle(pub(super) Arc<Slot<FragmentKind>>);

/// The kernel of a program of another stage than the fragments'.
#[derive(Clone, Debug)]
pub struct ShaderHandle(pub(super) Arc<Slot<ShaderKind>>);

impl ShaderHandle {
    /// Whether there is compiled code by now.
    pub fn is_compiled(&self) -> bool {
        self.0.compiled().is_some()
    }

    /// Does the whole job.
    pub fn run(&self, job: &mut ShaderJob<'_>) {
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

impl ProgramVertexHandle {
    /// Whether there is compiled code by now.
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
        vertices: &job.vertices[first..end],
        records: &mut job.records[first * stride..end * stride],
        ..*job
    };
    kernel.shade(&mut part, 0);
    job.exhausted = part.exhausted;
}

impl FragmentHandle {
    /// The kernel to use for a scene: compiled when there is one.
    pub fn choose(&self) -> FragmentChoice {
        FragmentChoice { handle: self.clone(), compiled: self.0.compiled().map(OnceLock::from).unwrap_or_default() }
    }
}

/// What serves a fragment key during one scene: the reference, until there is a compiled kernel. It may come in the middle of
/// the scene, as both sample the same images; a picture can take the reference seconds.
pub struct FragmentChoice {
    handle: FragmentHandle,
    compiled: OnceLock<Arc<dyn FragmentKernel>>,
}

impl FragmentChoice {
    /// Whether compiled code serves most calls.
    pub fn is_compiled(&self) -> bool {
        self.compiled().is_some()
    }

    fn compiled(&self) -> Option<&Arc<dyn FragmentKernel>> {
        if let known @ Some(_) = self.compiled.get() {
            return known;
        }
        let compiled = self.handle.0.compiled()?;
        Some(self.compiled.get_or_init(|| compiled))
    }

    /// Shades all blocks of `job` and returns how many samples passed all tests.
    pub fn shade(&self, job: &FragmentJob<'_>) -> u64 {
        let slot = &self.handle.0;
        slot.note_call();
        if let Some(compiled) = self.compiled()
            && let Ok(passed) = compiled.shade(job)
        {
            Counters::add(&slot.counters().compiled_calls, 1);
            return passed;
        }
        Counters::add(&slot.counters().reference_calls, 1);
        // The reference refuses nothing.
        slot.reference().shade(job).unwrap_or(0)
    }
}
