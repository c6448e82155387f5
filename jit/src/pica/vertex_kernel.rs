//! Calls of compiled vertex kernels.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::Arc;

use triglyph_guest::kernel::vertex::{
    EXHAUSTED_LIMIT, GROUP, Input, Numbers, SCREEN, Stream, Uniforms, VertexConstants, VertexJob, VertexKey,
};
use triglyph_guest::kernel::{MachineCode, Unsupported, VertexKernel};

use super::args::{StreamArgs, VertexArgs};
use super::fetch::footprint;
use super::registers::Constant;
use super::source::Source;
use super::speculative::{Backoff, Speculative};
use super::{Compiled, DIVERGED, DOUBTFUL, REASONS, f24, held, held_uniforms, operand};
use crate::code::{Code, Compiler};

/// Groups in a row done with exact products, at most, before the plain ones are tried again.
const MAX_EXACT: usize = 1024;

/// Floats of the longest record.
const MAX_RECORD: usize = SCREEN + 64;

/// A compiled vertex kernel.
pub(super) struct CompiledVertex {
    compiler: Arc<Compiler>,
    key: VertexKey,
    code: Speculative<VertexArgs>,
    /// Floats of a record.
    stride: usize,
    /// Groups of slots that are written.
    written: Vec<usize>,
    /// Bytes of each stream that fetching touches, 0 when it is not used.
    footprints: [usize; 16],
    numbers: Numbers,
    /// Whether code reads uniforms from the job, not from its table.
    reads_rows: bool,
}

/// A group on its own: its records and clip codes.
struct PaddedGroup {
    records: [f32; GROUP * MAX_RECORD],
    clip: [u8; GROUP],
}

impl CompiledVertex {
    pub fn new(compiler: &Arc<Compiler>, key: &VertexKey) -> Result<CompiledVertex, Unsupported> {
        let source = Source::vertex(key)?;
        let (code, numbers) = (Speculative::new(source.compile(compiler, false)?), source.numbers);
        let reads_rows = source.reads_rows();
        let mut footprints = [0; 16];
        for input in key.inputs {
            if let Input::Array { stream, component, count } = input {
                let of: &mut usize = &mut footprints[usize::from(stream & 15)];
                *of = footprint(component, count).max(*of);
            }
        }
        let written = (0..key.outputs.slots.len() / 4).filter(|&group| key.outputs.group_written(group)).collect();
        let (compiler, key, stride) = (compiler.clone(), key.clone(), key.outputs.stride());
        Ok(CompiledVertex { compiler, key, code, stride, written, footprints, numbers, reads_rows })
    }

    /// The code with exact products, once there have been enough groups that want it.
    fn exact(&self) -> Option<&Compiled<VertexArgs>> {
        self.code.doubt(|| self.compile_exact())
    }

    fn compile_exact(&self) -> Result<Compiled<VertexArgs>, Unsupported> {
        Source::vertex(&self.key)?.compile(&self.compiler, true)
    }

    /// The largest vertex number whose attributes lie in the windows; `None` when there is none.
    fn reach(&self, streams: &[Stream<'_>; 16]) -> Option<usize> {
        let mut reach = usize::MAX;
        for (stream, &bytes) in streams.iter().zip(&self.footprints).filter(|(_, bytes)| **bytes > 0) {
            let room = stream.window.len().checked_sub(bytes)?;
            if stream.stride > 0 {
                reach = reach.min(room / stream.stride as usize);
            }
        }
        Some(reach)
    }

    /// The constants of a job that `of` wants, each four times.
    fn table(&self, of: &Compiled<VertexArgs>, job: &VertexJob<'_>) -> ConstantTable {
        let VertexConstants { half: [x, y], corner: [left, top], clip_plane } = job.constants;
        let viewport = [x, y, left, top];
        let value = |&(constant, component): &(Constant, u8)| {
            let component = usize::from(component & 3);
            let value = match constant {
                Constant::Uniform(n) | Constant::UniformAtLoop(n) => {
                    held(job.uniforms.floats[usize::from(n & 127)], self.numbers)[component]
                }
                Constant::Operand(n) => operand(job.uniforms.floats[usize::from(n & 127)][component]),
                Constant::Fixed(n) => held(job.fixed[usize::from(n & 15)], self.numbers)[component],
                Constant::Viewport => viewport[component],
                Constant::ClipPlane => clip_plane[component],
                Constant::Kept => f24::KEPT,
                Constant::Bias => f24::BIAS,
                // Of geometry programs.
                Constant::Input(_) => 0.0,
            };
            [value; 4]
        };
        let mut table = ConstantTable::take();
        table.0.extend(of.constants.iter().map(value));
        table
    }

    /// Whether the plain form of a program in 24-bit floats can take the constants of a job, which are in its `table`
    /// and, where it reads them by index, in `uniforms`.
    fn has_ordinary_constants(&self, table: &[[f32; 4]], uniforms: &Uniforms) -> bool {
        let are_ordinary =
            self.code.plain.constants.iter().zip(table).all(|(&(constant, _), &[value, ..])| match constant {
                Constant::Uniform(_) | Constant::UniformAtLoop(_) => f24::Range::UNIFORMS.has(value),
                Constant::Fixed(_) => f24::Range::ORDINARY.has(value),
                // No numbers of the program, or not in the plain form.
                Constant::Kept
                | Constant::Bias
                | Constant::Operand(_)
                | Constant::Viewport
                | Constant::ClipPlane
                | Constant::Input(_) => true,
            });
        are_ordinary
            && (!self.reads_rows || uniforms.floats.iter().flatten().all(|&value| f24::Range::UNIFORMS.has(value)))
    }

    fn args(job: &VertexJob<'_>, uniforms: &Uniforms) -> VertexArgs {
        let stream = |of: &Stream<'_>| StreamArgs { base: of.window.as_ptr().cast_const(), stride: of.stride.into() };
        VertexArgs {
            vertices: std::ptr::null(),
            records: std::ptr::null_mut(),
            clip: std::ptr::null_mut(),
            uniforms,
            table: std::ptr::null(),
            groups: 0,
            streams: job.streams.each_ref().map(stream),
        }
    }

    /// Shades whole groups from vertex `at` on, all of whose vertices are within reach. Returns how many groups are
    /// done and why there are not more.
    fn groups(
        &self,
        form: &BoundCode<'_>,
        args: &mut VertexArgs,
        job: &mut VertexJob<'_>,
        at: usize,
        groups: usize,
    ) -> (usize, u64) {
        // Counting groups in 32 bits: what is left over is done by the next call.
        let groups = groups.min(1 << 24);
        let end = at + GROUP * groups;
        args.groups = groups as u32;
        args.vertices = job.vertices[at..end].as_ptr();
        args.records = job.records[at * self.stride..end * self.stride].as_mut_ptr();
        args.clip = job.clip[at..end].as_mut_ptr();
        Self::call(form, args)
    }

    /// Shades four vertices aside.
    fn aside(form: &BoundCode<'_>, args: &mut VertexArgs, vertices: [u32; GROUP]) -> (PaddedGroup, u64) {
        let mut group = PaddedGroup { records: [0.0; GROUP * MAX_RECORD], clip: [0; GROUP] };
        (args.vertices, args.groups) = (vertices.as_ptr(), 1);
        (args.records, args.clip) = (group.records.as_mut_ptr(), group.clip.as_mut_ptr());
        let (_, reason) = Self::call(form, args);
        (group, reason)
    }

    fn call(form: &BoundCode<'_>, args: &mut VertexArgs) -> (usize, u64) {
        args.table = form.table.0.as_ptr();
        // SAFETY: the code reads the uniforms, the table and the vertex numbers of `groups`, and writes as many records
        // of `stride` floats and clip codes, all of which the callers borrow or own while they call; from each stream
        // it reads `footprints` bytes at the vertices' addresses, which `shade` has compared with `reach`. Windows are
        // mapped for as long as the job borrows them; what others write there meanwhile is read as it comes.
        let status = unsafe { form.code.call(args) };
        (status as u32 as usize, status & REASONS)
    }

    /// Copies what a record holds from the first vertex of `group` to vertex `at`, and so on for `count` vertices.
    fn take(&self, job: &mut VertexJob<'_>, at: usize, group: &PaddedGroup, count: usize) {
        let from = group.records.chunks_exact(self.stride);
        let to = job.records[at * self.stride..].chunks_exact_mut(self.stride);
        for (from, to) in from.zip(to).take(count) {
            to[..SCREEN].copy_from_slice(&from[..SCREEN]);
            for slots in self.written.iter().map(|group| SCREEN + 4 * group) {
                to[slots..slots + 4].copy_from_slice(&from[slots..slots + 4]);
            }
        }
        job.clip[at..at + count].copy_from_slice(&group.clip[..count]);
    }

    /// Shades up to four vertices, each with all lanes for itself, so that they agree. Returns how many were done and
    /// why there are not more.
    fn one_by_one(
        &self,
        form: &BoundCode<'_>,
        args: &mut VertexArgs,
        job: &mut VertexJob<'_>,
        at: usize,
        count: usize,
    ) -> (usize, u64) {
        for i in 0..count {
            let (group, reason) = Self::aside(form, args, [job.vertices[at + i]; GROUP]);
            if reason != 0 {
                return (i, reason);
            }
            self.take(job, at + i, &group, 1);
        }
        (count, 0)
    }

    /// Shades whole groups, `most` at most, or what is left when it is less than one, from vertex `at` on. Returns how
    /// many vertices were done and why there are not more; `None` when the next group is out of reach.
    fn some(
        &self,
        form: &BoundCode<'_>,
        args: &mut VertexArgs,
        job: &mut VertexJob<'_>,
        range: (usize, usize),
        reach: VertexReach,
    ) -> Option<(usize, u64)> {
        let (at, most) = range;
        let rest = &job.vertices[at..];
        let groups = reach.groups(rest, most);
        let (done, count, reason) = if groups > 0 {
            let (done, reason) = self.groups(form, args, job, at, groups);
            (GROUP * done, GROUP, reason)
        } else if rest.len() >= GROUP || !reach.has(rest) {
            return None;
        } else {
            let count = rest.len();
            let (group, reason) = Self::aside(form, args, std::array::from_fn(|i| rest[i.min(count - 1)]));
            if reason == 0 {
                self.take(job, at, &group, count);
            }
            (if reason == 0 { count } else { 0 }, count, reason)
        };
        if reason != DIVERGED {
            return Some((done, reason));
        }
        let (more, reason) = self.one_by_one(form, args, job, at + done, count);
        Some((done + more, reason))
    }
}

/// Which vertices have all their attributes in the windows.
#[derive(Clone, Copy)]
struct VertexReach {
    /// The last of them.
    last: usize,
    /// None of the job's lies beyond it.
    all: bool,
}

impl VertexReach {
    fn has(self, vertices: &[u32]) -> bool {
        self.all || vertices.iter().all(|&vertex| vertex as usize <= self.last)
    }

    /// Whole groups at the start of `vertices` that are within reach, `most` at most.
    fn groups(self, vertices: &[u32], most: usize) -> usize {
        match self.all {
            true => (vertices.len() / GROUP).min(most),
            false => vertices.chunks_exact(GROUP).take(most).take_while(|group| self.has(group)).count(),
        }
    }
}

/// A list of constants, each four times; its allocation serves the thread's next job.
struct ConstantTable(Vec<[f32; 4]>);

thread_local! {
    static SPARE: Cell<Vec<[f32; 4]>> = const { Cell::new(Vec::new()) };
}

impl ConstantTable {
    /// An empty one.
    fn take() -> ConstantTable {
        ConstantTable(SPARE.take())
    }
}

impl Drop for ConstantTable {
    fn drop(&mut self) {
        self.0.clear();
        // A thread that ends has no place for it.
        let _ = SPARE.try_with(|spare| spare.set(std::mem::take(&mut self.0)));
    }
}

/// One form of a kernel's code, with its constants of a job.
struct BoundCode<'k> {
    code: &'k Code<VertexArgs>,
    table: ConstantTable,
}

impl<'k> BoundCode<'k> {
    fn new(kernel: &CompiledVertex, of: &'k Compiled<VertexArgs>, job: &VertexJob<'_>) -> BoundCode<'k> {
        BoundCode { code: &of.code, table: kernel.table(of, job) }
    }
}

impl VertexKernel for CompiledVertex {
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize {
        let total = job.vertices.len();
        let rooms = job.records.len() >= total * self.stride && job.clip.len() >= total;
        let (Some(reach), true) = (self.reach(job.streams), rooms && job.exhausted < EXHAUSTED_LIMIT) else {
            return first;
        };
        let reach = VertexReach { last: reach, all: false };
        let reach = VertexReach { all: reach.has(job.vertices.get(first..).unwrap_or(&[])), ..reach };
        let plain = BoundCode::new(self, &self.code.plain, job);
        let mut exact: Option<BoundCode<'_>> = None;
        let mut patience = Backoff::new(1, MAX_EXACT);
        let uniforms = if self.reads_rows { held_uniforms(job.uniforms, self.numbers) } else { None };
        let uniforms = uniforms.as_deref().unwrap_or(job.uniforms);
        let mut args = Self::args(job, uniforms);
        let mut at = first;
        let never_plain = self.numbers == Numbers::F24 && !self.has_ordinary_constants(&plain.table.0, uniforms);
        if never_plain {
            // That is so for all groups, and for other jobs.
            let Some(compiled) = self.code.exact(|| self.compile_exact()) else { return at };
            exact = Some(BoundCode::new(self, compiled, job));
        }
        while at < total {
            let form = exact.as_ref().filter(|_| never_plain || patience.left() > 0);
            let most = if form.is_some() && !never_plain { patience.left() } else { usize::MAX };
            let Some((done, reason)) = self.some(form.unwrap_or(&plain), &mut args, job, (at, most), reach) else {
                return at;
            };
            at += done;
            if form.is_some() {
                patience.done(done.div_ceil(GROUP), at);
            }
            match reason {
                0 => {}
                DOUBTFUL => {
                    let Some(compiled) = self.exact() else { return at };
                    exact.get_or_insert_with(|| BoundCode::new(self, compiled, job));
                    patience.failed(at);
                }
                _ => return at,
            }
        }
        at
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}
