//! Compiled vertex kernels: fetch and program of a batch of vertices, four at a time.
//!
//! Vertices never communicate, so a branch needs no masks: while the four lanes agree it is a host branch, and when
//! they diverge the kernel leaves the group and its caller runs it again one vertex at a time, with the same vertex in
//! all four lanes.

#![allow(unsafe_code)]

pub(crate) mod args;
pub(crate) mod fetch;
pub(crate) mod needs;

use std::mem::MaybeUninit;
use std::sync::Arc;

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::VertexKernel;
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::kernel::program::vertex::{Input, Step, VertexCode, VertexJob, VertexKey};
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, GROUP};

use crate::code::{Code, Compiler};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::rsx::vertex::Source;
use args::{Args, Frame, StreamArgs};
use needs::{Constant, DIVERGED, Needs, RETRY};

/// Floats of the largest record.
const MAX_RECORD_FLOATS: usize = 4 * 32;

/// A compiled vertex kernel.
struct Kernel {
    code: Code,
    /// Floats of a record.
    stride: usize,
    /// Floats of the table: of the program's constants, and from [`FIXED`] on of the registers without array.
    constants: Vec<u32>,
    /// Number of constants that a job must have.
    needed_constants: usize,
    textures: Vec<(usize, TextureKey)>,
    /// The arrays that are read.
    arrays: Vec<Array>,
    /// The most instructions that a vertex can take; `None` when the code counts.
    max_instructions: Option<u32>,
}

/// In [`Kernel::constants`]: the first float of registers without array.
const FIXED: u32 = 1 << 31;

/// Where a constant is in a job.
fn place((constant, component): (Constant, u8)) -> u32 {
    let component = u32::from(component & 3);
    match constant {
        Constant::Program(number) => 4 * u32::from(number) + component,
        Constant::Fixed(number) => FIXED + 4 * u32::from(number & 15) + component,
    }
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
    let arrays = (0..16).filter_map(array).collect();
    Ok(Arc::new(Kernel {
        code: machine,
        stride: key.stride(),
        constants: needs.constants.into_iter().map(place).collect(),
        needed_constants: source.constants(),
        textures: source.textures().to_vec(),
        arrays,
        max_instructions: source.longest(),
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

/// For each array the largest offset of an element that is complete, and the divisor of vertex numbers.
type Bounds = [(u64, u32); 16];

/// State common to the calls of a job.
struct Call<'k> {
    frame: Frame,
    bounds: Bounds,
    kernel: &'k Kernel,
}

impl Kernel {
    /// `None` when an array is shorter than an element.
    fn args(&self, job: &VertexJob<'_>, table: &[[f32; 4]], textures: &[TextureArgs]) -> Option<(Args, Bounds)> {
        let mut bounds = [(0, 1); 16];
        let mut streams = [StreamArgs { base: std::ptr::null(), stride: 0, elements: std::ptr::null() }; 16];
        for array in &self.arrays {
            let stream = &job.streams[array.number];
            let room = stream.window.len().checked_sub(array.footprint)?;
            bounds[array.number] = (room as u64, stream.divisor.max(1));
            streams[array.number].base = stream.window.as_ptr().cast_const();
            streams[array.number].stride = stream.stride.into();
        }
        let args = Args {
            records: std::ptr::null_mut(),
            table: table.as_ptr(),
            constants: job.constants.as_ptr(),
            textures: textures.as_ptr(),
            groups: 0,
            fuel: job.fuel.min(i32::MAX as u32),
            streams,
        };
        Some((args, bounds))
    }

    /// Each constant four times. The job has all that are needed.
    fn table(&self, job: &VertexJob<'_>) -> Vec<[f32; 4]> {
        let (program, fixed) = (job.constants.as_flattened(), job.fixed.as_flattened());
        let value = |&at: &u32| {
            let value = if at < FIXED { program.get(at as usize) } else { fixed.get((at - FIXED) as usize) };
            [value.copied().unwrap_or(0.0); 4]
        };
        self.constants.iter().map(value).collect()
    }
}

impl Call<'_> {
    /// Whether all attributes of these vertices are in bounds. Conservative: may reject in-bounds vertices.
    fn within(&self, vertices: &[u32]) -> bool {
        let largest = vertices.iter().fold(0, |max, &v| max.max(v));
        self.kernel.arrays.iter().all(|array| {
            let (room, divisor) = self.bounds[array.number];
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
    fn run(&mut self, vertices: &[u32], records: &mut [f32]) -> (usize, u64) {
        let groups = vertices.len() / GROUP;
        assert!(groups > 0 && groups <= 1 << 24 && records.len() >= groups * GROUP * self.kernel.stride);
        let divided = self.divided(vertices);
        for stream in &mut self.frame.args.streams {
            stream.elements = vertices.as_ptr();
        }
        for (n, elements) in &divided {
            self.frame.args.streams[*n].elements = elements.as_ptr();
        }
        let args = &mut self.frame.args;
        (args.records, args.groups) = (records.as_mut_ptr(), groups as u32);
        // SAFETY: the code reads the table, the constants, the textures, and the elements of `groups` groups, and
        // writes as many records of `stride` floats, all of which the callers borrow or own while they call; from each
        // array it reads what `within` has compared with the window. Windows are mapped for as long as the job borrows
        // them; what others write there meanwhile is read as it comes.
        let status = unsafe { self.kernel.code.call(&raw mut self.frame) };
        (status as u32 as usize, status & (RETRY | DIVERGED))
    }

    /// The elements of the arrays that are not read one by one.
    fn divided(&self, vertices: &[u32]) -> Vec<(usize, Vec<u32>)> {
        let mut divided = Vec::new();
        for array in &self.kernel.arrays {
            let (_, divisor) = self.bounds[array.number];
            match array.step {
                Step::Vertex => {}
                Step::Divide => divided.push((array.number, vertices.iter().map(|v| v / divisor).collect())),
                Step::Modulo => divided.push((array.number, vertices.iter().map(|v| v % divisor).collect())),
            }
        }
        divided
    }

    /// Shades less than a group of vertices, with the last one in the lanes that are left. Returns why it did not.
    fn incomplete(&mut self, vertices: &[u32], records: &mut [f32]) -> u64 {
        let stride = self.kernel.stride;
        let last = vertices.len() - 1;
        let group: [u32; GROUP] = std::array::from_fn(|lane| vertices[lane.min(last)]);
        let mut own = [0.0; GROUP * MAX_RECORD_FLOATS];
        let (_, reason) = self.run(&group, &mut own);
        if reason == 0 {
            let done = vertices.len() * stride;
            records[..done].copy_from_slice(&own[..done]);
        }
        reason
    }

    /// Shades up to four vertices, each in all lanes, so that they cannot diverge. Returns how many were done.
    fn one_by_one(&mut self, vertices: &[u32], records: &mut [f32]) -> usize {
        let stride = self.kernel.stride;
        for (i, &vertex) in vertices.iter().enumerate() {
            let mut own = [0.0; GROUP * MAX_RECORD_FLOATS];
            if self.run(&[vertex; GROUP], &mut own).1 != 0 {
                return i;
            }
            records[i * stride..(i + 1) * stride].copy_from_slice(&own[..stride]);
        }
        vertices.len()
    }
}

impl VertexKernel for Kernel {
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize {
        let (total, stride) = (job.vertices.len(), self.stride);
        let fits = job.records.len() >= total * stride && job.constants.len() >= self.needed_constants;
        let ends = self.max_instructions.is_none_or(|max_instructions| max_instructions <= job.fuel);
        if !fits || !ends || job.exhausted >= EXHAUSTED_LIMIT {
            return first;
        }
        let textures: Result<Vec<TextureArgs>, _> =
            self.textures.iter().map(|&(unit, ref key)| TextureArgs::new(key, &job.textures[unit])).collect();
        let (Ok(textures), table) = (textures, self.table(job)) else { return first };
        let Some((args, bounds)) = self.args(job, &table, &textures) else { return first };
        // Made in place: moving it would copy kilobytes of scratch memory.
        let mut call = Call { frame: Frame { args, scratch: MaybeUninit::uninit() }, bounds, kernel: self };
        let all_within = call.within(job.vertices.get(first..).unwrap_or(&[]));
        let mut at = first;
        while at < total {
            let rest = &job.vertices[at..];
            let mut groups = (rest.len() / GROUP).min(1 << 24);
            if !all_within {
                groups = rest.chunks_exact(GROUP).take(groups).take_while(|group| call.within(group)).count();
            }
            let reason = if groups > 0 {
                let (done, reason) = call.run(&rest[..groups * GROUP], &mut job.records[at * stride..]);
                at += GROUP * done;
                reason
            } else if rest.len() >= GROUP || !all_within && !call.within(rest) {
                return at;
            } else {
                // Where there are enough before them, those are shaded once more with the ones that are left.
                let reason = match total.checked_sub(GROUP) {
                    Some(last) if last >= first && (all_within || call.within(&job.vertices[last..])) => {
                        call.run(&job.vertices[last..], &mut job.records[last * stride..]).1
                    }
                    _ => call.incomplete(rest, &mut job.records[at * stride..]),
                };
                if reason == 0 {
                    return total;
                }
                reason
            };
            let group = &job.vertices[at..total.min(at + GROUP)];
            match reason {
                0 => {}
                DIVERGED => {
                    let done = call.one_by_one(group, &mut job.records[at * stride..]);
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

    fn code_bytes(&self) -> usize {
        self.code.bytes()
    }
}
