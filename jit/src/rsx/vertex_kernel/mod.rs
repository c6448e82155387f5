//! Compiled vertex kernels: fetch and program of a batch of vertices, four at a time.
//!
//! Vertices never communicate, so a branch needs no masks: while the four lanes agree it is a host branch, and when
//! they diverge the kernel leaves the group and its caller runs it again one vertex at a time, with the same vertex in
//! all four lanes.

#![allow(unsafe_code)]

pub(crate) mod args;
pub(crate) mod fetch;
pub(crate) mod needs;

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::kernel::program::VertexKernel;
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::vertex::{Input, ROOM, Step, Stream, VertexCode, VertexJob, VertexKey};
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, FUEL, GROUP};
use triglyph_guest::kernel::{MachineCode, Unsupported};

use crate::code::{Code, Compiler};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::rsx::vertex::Source;
use args::{Frame, StreamArgs, VertexArgs};
use needs::{Constant, DIVERGED, Needs, RETRY};

/// Floats of the largest record.
const MAX_RECORD_FLOATS: usize = 4 * 32;

/// A compiled vertex kernel.
struct CompiledVertex {
    code: Code<Frame>,
    /// Floats of a record.
    stride: usize,
    /// The table's constants.
    constants: Vec<ConstantRun>,
    /// How many there are.
    table: usize,
    /// Number of constants that a job must have.
    needed_constants: usize,
    textures: Vec<(usize, TextureKey)>,
    /// The arrays that are read.
    arrays: Vec<Array>,
    /// Whether vertices share elements of some of them.
    has_divisors: bool,
    /// The most instructions that a vertex can take; `None` where there are loops.
    max_instructions: Option<u32>,
    /// Whether the code counts instructions.
    counts: bool,
}

/// Components that follow each other in a job and in the table.
#[derive(Debug, PartialEq, Eq)]
struct ConstantRun {
    /// Whether they are of registers without array, or of the program's constants.
    is_fixed: bool,
    /// The components, counted through all vectors.
    components: Range<usize>,
}

/// Components of constants in runs.
fn runs(constants: impl IntoIterator<Item = (Constant, u8)>) -> Vec<ConstantRun> {
    let mut runs: Vec<ConstantRun> = Vec::new();
    for (constant, component) in constants {
        let (is_fixed, number) = match constant {
            Constant::Program(number) => (false, usize::from(number)),
            Constant::Fixed(number) => (true, usize::from(number & 15)),
        };
        let at = 4 * number + usize::from(component & 3);
        match runs.last_mut() {
            Some(run) if run.is_fixed == is_fixed && run.components.end == at => run.components.end += 1,
            _ => runs.push(ConstantRun { is_fixed, components: at..at + 1 }),
        }
    }
    runs
}

/// A vertex array that a kernel reads.
struct Array {
    number: usize,
    /// Bytes that fetching an element touches.
    footprint: usize,
    /// The element that a vertex reads.
    step: Step,
}

/// The vertex kernel of `key`.
pub fn vertex(compiler: &Compiler, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
    let VertexCode::Rsx(code) = &key.code;
    let source = Source::new(key, code)?;
    let mut needs = Needs::default();
    let machine = compiler.compile(source.size(), |e| source.build(e, &mut needs))?;
    let read = source.inputs();
    let array = |number: usize| match key.inputs[number] {
        Input::Array { component, count, step } if read >> number & 1 != 0 => {
            Some(Array { number, footprint: fetch::footprint(component, count), step })
        }
        _ => None,
    };
    let arrays: Vec<Array> = (0..16).filter_map(array).collect();
    Ok(Arc::new(CompiledVertex {
        code: machine,
        stride: key.stride(),
        table: needs.constants.len(),
        constants: runs(needs.constants),
        needed_constants: source.constants(),
        textures: source.textures().to_vec(),
        has_divisors: arrays.iter().any(|array| array.step != Step::Vertex),
        arrays,
        max_instructions: source.longest(),
        counts: source.counts(),
    }))
}

/// What [`vertex`] compiles: the intermediate form and the host's instructions.
pub fn dump(compiler: &Compiler, key: &VertexKey) -> String {
    let VertexCode::Rsx(code) = &key.code;
    match Source::new(key, code) {
        Ok(source) => compiler.dump(source.size(), |e| source.build(e, &mut Needs::default())),
        Err(unsupported) => unsupported.to_string(),
    }
}

/// What bounds an array that is read: the largest offset of an element that is complete, and the divisor of vertex
/// numbers.
#[derive(Clone, Copy, Default)]
struct ArrayBound {
    room: u64,
    divisor: u32,
}

/// State common to the calls of a job.
struct Call<'k> {
    frame: Frame,
    /// In the order of [`CompiledVertex::arrays`].
    bounds: [ArrayBound; 16],
    kernel: &'k CompiledVertex,
    /// Where the code says what groups have left of their fuel.
    left: Vec<i32>,
    /// What is counted of each vertex: instructions beyond so many. All together so far.
    free: u32,
    excess: u64,
}

thread_local! {
    /// Scratch space for the table of constants, kept between calls. A kernel uses its first entries only.
    static TABLE: Cell<Vec<[f32; 4]>> = const { Cell::new(Vec::new()) };
}

impl CompiledVertex {
    /// Each constant four times, at the beginning of `table`. `None` when the job has too few.
    fn fill(&self, table: &mut Vec<[f32; 4]>, job: &VertexJob<'_>) -> Option<()> {
        let (program, fixed) = (job.constants.as_flattened(), job.fixed.as_flattened());
        if table.len() < self.table {
            table.resize(self.table, [0.0; 4]);
        }
        let mut rest = &mut table[..];
        for run in &self.constants {
            let values = if run.is_fixed { fixed } else { program }.get(run.components.clone())?;
            let (entries, following) = rest.split_at_mut_checked(values.len())?;
            entries.iter_mut().zip(values).for_each(|(entry, &value)| *entry = [value; 4]);
            rest = following;
        }
        Some(())
    }

    /// Shades vertices from `first` on. Returns the number of the first that is not shaded.
    fn shade_with(&self, table: &[[f32; 4]], textures: &[TextureArgs], job: &mut VertexJob<'_>, first: usize) -> usize {
        let args = VertexArgs {
            records: std::ptr::null_mut(),
            table: table.as_ptr(),
            constants: job.constants.as_ptr(),
            textures: textures.as_ptr(),
            groups: 0,
            fuel: job.fuel.min(FUEL),
            left: std::ptr::null_mut(),
            streams: [StreamArgs::NONE; 16],
        };
        // Made in place: moving it would copy kilobytes of scratch memory.
        let frame = Frame { args, scratch: MaybeUninit::uninit() };
        let (bounds, left) = ([ArrayBound::default(); 16], Vec::new());
        let mut call = Call { frame, bounds, kernel: self, left, free: job.free, excess: 0 };
        if call.bind(job.streams).is_none() {
            return first;
        }
        let done = call.shade(job, first);
        job.excess += call.excess;
        done
    }
}

impl Call<'_> {
    /// `None` when an array is shorter than an element.
    fn bind(&mut self, streams: &[Stream<'_>; 16]) -> Option<()> {
        for (array, bound) in self.kernel.arrays.iter().zip(&mut self.bounds) {
            let stream = &streams[array.number];
            bound.room = stream.window.len().checked_sub(array.footprint)? as u64;
            bound.divisor = stream.divisor.max(1);
            let args = &mut self.frame.args.streams[array.number];
            (args.base, args.stride) = (stream.window.as_ptr().cast_const(), stream.stride.into());
        }
        Some(())
    }

    /// Shades the vertices of `job` from `first` on. Returns the number of the first that is not shaded.
    fn shade(&mut self, job: &mut VertexJob<'_>, first: usize) -> usize {
        let (total, stride) = (job.vertices.len(), self.kernel.stride);
        let all_within = self.are_within(&job.vertices[first.min(total)..]);
        let mut at = first;
        while at < total {
            let (rest, records) = (&job.vertices[at..], &mut job.records[at * stride..]);
            // Two at once for as long as there are two.
            let mut groups = ((rest.len() / GROUP) & !1).min(1 << 24);
            if !all_within {
                groups = rest.chunks_exact(GROUP).take(1 << 24).take_while(|group| self.are_within(group)).count();
            }
            let (done, reason) = if all_within && rest.len() <= ROOM {
                self.padded(rest, records)
            } else if groups > 0 {
                self.run(&rest[..groups * GROUP], records, GROUP)
            } else if rest.len() < GROUP && self.are_within(rest) {
                self.padded(rest, records)
            } else {
                return at;
            };
            at = total.min(at + GROUP * done);
            let group = &job.vertices[at..total.min(at + GROUP)];
            match reason {
                0 => {}
                DIVERGED => {
                    let done = self.one_by_one(group, &mut job.records[at * stride..]);
                    at += done;
                    if done < group.len() {
                        return at;
                    }
                }
                _ => return at,
            }
        }
        at
    }

    /// Whether all attributes of these vertices are in bounds. Conservative: may reject in-bounds vertices.
    fn are_within(&self, vertices: &[u32]) -> bool {
        // No vertex is larger than the bits of all of them, which are found faster than the largest.
        self.is_within(vertices.iter().fold(0, |bits, &v| bits | v))
            || self.is_within(vertices.iter().fold(0, |max, &v| max.max(v)))
    }

    /// The same of all vertices up to the largest one.
    fn is_within(&self, largest: u32) -> bool {
        self.kernel.arrays.iter().zip(&self.bounds).all(|(array, &ArrayBound { room, divisor })| {
            let element = match array.step {
                Step::Vertex => largest,
                Step::Divide => largest / divisor,
                Step::Modulo => largest.min(divisor - 1),
            };
            u64::from(element).saturating_mul(self.frame.args.streams[array.number].stride) <= room
        })
    }

    /// Runs the code on whole groups of vertices, whose attributes are in bounds. Returns the number of groups done,
    /// and the reason for stopping.
    /// `last` are the vertices of the last group that are not there twice.
    fn run(&mut self, vertices: &[u32], records: &mut [f32], last: usize) -> (usize, u64) {
        let groups = vertices.len() / GROUP;
        assert!(groups > 0 && groups <= 1 << 24 && records.len() >= groups * GROUP * self.kernel.stride);
        let divided = self.divided(vertices);
        for array in &self.kernel.arrays {
            self.frame.args.streams[array.number].elements = vertices.as_ptr();
        }
        for (n, elements) in &divided {
            self.frame.args.streams[*n].elements = elements.as_ptr();
        }
        if self.kernel.counts {
            self.left.resize(self.left.len().max(groups), 0);
        }
        let args = &mut self.frame.args;
        (args.records, args.groups, args.left) = (records.as_mut_ptr(), groups as u32, self.left.as_mut_ptr());
        // SAFETY: the code reads the table, the constants, the textures, and the elements of `groups` groups, and
        // writes as many records of `stride` floats, and a word of `left` for each group if it counts, all of which
        // the callers or `self` borrow or own while they call; from each
        // array it reads what `within` has compared with the window. Windows are mapped for as long as the job borrows
        // them; what others write there meanwhile is read as it comes.
        let status = unsafe { self.kernel.code.call(&raw mut self.frame) };
        let done = status as u32 as usize;
        if self.kernel.counts {
            for (group, &left) in self.left.iter().take(done).enumerate() {
                let executed = i64::from(self.frame.args.fuel) - i64::from(left);
                let vertices = if group + 1 == groups { last } else { GROUP };
                self.excess += (executed - i64::from(self.free)).max(0) as u64 * vertices as u64;
            }
        }
        (done, status & (RETRY | DIVERGED))
    }

    /// The elements of the arrays that are not read one by one.
    fn divided(&self, vertices: &[u32]) -> Vec<(usize, Vec<u32>)> {
        let mut divided = Vec::new();
        if !self.kernel.has_divisors {
            return divided;
        }
        for (array, &ArrayBound { divisor, .. }) in self.kernel.arrays.iter().zip(&self.bounds) {
            match array.step {
                Step::Vertex => {}
                Step::Divide => divided.push((array.number, vertices.iter().map(|v| v / divisor).collect())),
                Step::Modulo => divided.push((array.number, vertices.iter().map(|v| v % divisor).collect())),
            }
        }
        divided
    }

    /// As [`Self::run`] for up to [`ROOM`] vertices, with the last one in the lanes that are left. Their records are
    /// written where there is room for them.
    fn padded(&mut self, vertices: &[u32], records: &mut [f32]) -> (usize, u64) {
        let (stride, last) = (self.kernel.stride, vertices.len() - 1);
        let padded: [u32; ROOM] = std::array::from_fn(|lane| vertices[lane.min(last)]);
        let padded = &padded[..vertices.len().next_multiple_of(GROUP)];
        let there = last % GROUP + 1;
        if records.len() >= padded.len() * stride {
            return self.run(padded, records, there);
        }
        let mut own = [0.0; ROOM * MAX_RECORD_FLOATS];
        let result = self.run(padded, &mut own, there);
        let done = vertices.len().min(GROUP * result.0) * stride;
        records[..done].copy_from_slice(&own[..done]);
        result
    }

    /// Shades up to four vertices, each in all lanes, so that they cannot diverge. Returns how many were done.
    fn one_by_one(&mut self, vertices: &[u32], records: &mut [f32]) -> usize {
        let stride = self.kernel.stride;
        for (i, &vertex) in vertices.iter().enumerate() {
            let mut own = [0.0; GROUP * MAX_RECORD_FLOATS];
            if self.run(&[vertex; GROUP], &mut own, 1).1 != 0 {
                return i;
            }
            records[i * stride..(i + 1) * stride].copy_from_slice(&own[..stride]);
        }
        vertices.len()
    }
}

impl VertexKernel for CompiledVertex {
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize {
        let fits =
            job.records.len() >= job.vertices.len() * self.stride && job.constants.len() >= self.needed_constants;
        let ends = self.max_instructions.is_none_or(|max_instructions| max_instructions <= job.fuel);
        let counts = self.counts || self.max_instructions.is_some_and(|max_instructions| max_instructions <= job.free);
        if !fits || !ends || !counts || job.exhausted >= EXHAUSTED_LIMIT {
            return first;
        }
        let textures: Result<Vec<TextureArgs>, _> =
            self.textures.iter().map(|&(unit, ref key)| TextureArgs::new(key, &job.textures[unit])).collect();
        let Ok(textures) = textures else { return first };
        let mut table = TABLE.take();
        let done = match self.fill(&mut table, job) {
            Some(()) => self.shade_with(&table, &textures, job, first),
            None => first,
        };
        TABLE.set(table);
        done
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_follow_each_other_are_one_run() {
        let program = |number, component| (Constant::Program(number), component);
        let order =
            [program(3, 2), program(3, 3), program(4, 0), program(4, 2), (Constant::Fixed(4), 3), program(0, 0)];
        let run = |is_fixed, components| ConstantRun { is_fixed, components };
        assert_eq!(runs(order), [run(false, 14..17), run(false, 18..19), run(true, 19..20), run(false, 0..1)]);
    }
}
