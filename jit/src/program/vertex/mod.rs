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

use super::texture_args::TextureArgs;
use crate::code::{Code, Compiler};
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
    constants: Vec<(Constant, u8)>,
    /// Number of constants that a job must have.
    needed_constants: usize,
    textures: Vec<(usize, TextureKey)>,
    /// For each array that is read: bytes that fetching touches, and the element that a vertex reads.
    arrays: [Option<(usize, Step)>; 16],
    /// The most instructions that a vertex can take; `None` when the code counts.
    max_instructions: Option<u32>,
}

/// The vertex kernel of `key`.
pub fn vertex(compiler: &Compiler, key: &VertexKey) -> Result<Arc<dyn VertexKernel>, Unsupported> {
    let VertexCode::Rsx(code) = &key.code;
    let source = Source::new(key, code)?;
    let mut needs = Needs::default();
    let machine = compiler.compile(source.size(), |e| source.build(e, &mut needs))?;
    let read = source.inputs();
    let arrays = std::array::from_fn(|n| match key.inputs[n] {
        Input::Array { component, count, step } if read >> n & 1 != 0 => {
            Some((fetch::footprint(component, count), step))
        }
        _ => None,
    });
    Ok(Arc::new(Kernel {
        code: machine,
        stride: key.stride(),
        constants: needs.constants,
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

/// State common to the calls of a job.
struct Call<'k> {
    frame: Frame,
    /// For each array the largest complete element, and the divisor of vertex numbers.
    arrays: [(usize, u32); 16],
    kernel: &'k Kernel,
}

impl Kernel {
    /// `None` when an array is shorter than an element.
    fn call(&self, job: &VertexJob<'_>, table: &[[f32; 4]], textures: &[TextureArgs]) -> Option<Call<'_>> {
        let mut arrays = [(usize::MAX, 1); 16];
        let mut streams = [StreamArgs { base: std::ptr::null(), stride: 0, elements: std::ptr::null() }; 16];
        for n in 0..16 {
            let Some((bytes, _)) = self.arrays[n] else { continue };
            let stream = &job.streams[n];
            let room = stream.window.len().checked_sub(bytes)?;
            let reach = room.checked_div(stream.stride as usize).unwrap_or(usize::MAX);
            arrays[n] = (reach, stream.divisor.max(1));
            streams[n].base = stream.window.as_ptr().cast_const();
            streams[n].stride = stream.stride.into();
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
        Some(Call { frame: Frame { args, scratch: MaybeUninit::uninit() }, arrays, kernel: self })
    }

    fn table(&self, job: &VertexJob<'_>) -> Vec<[f32; 4]> {
        let value = |&(constant, component): &(Constant, u8)| {
            let vector = match constant {
                Constant::Program(n) => &job.constants[usize::from(n)],
                Constant::Fixed(n) => &job.fixed[usize::from(n & 15)],
            };
            [vector[usize::from(component & 3)]; 4]
        };
        self.constants.iter().map(value).collect()
    }
}

impl Call<'_> {
    /// Whether all attributes of these vertices are in bounds. Conservative: may reject in-bounds vertices.
    fn within(&self, vertices: &[u32]) -> bool {
        let largest = vertices.iter().fold(0, |max, &v| max.max(v));
        self.kernel.arrays.iter().zip(&self.arrays).all(|(array, &(reach, divisor))| match array {
            None => true,
            Some((_, Step::Vertex)) => largest as usize <= reach,
            Some((_, Step::Divide)) => (largest / divisor) as usize <= reach,
            Some((_, Step::Modulo)) => largest.min(divisor - 1) as usize <= reach,
        })
    }

    /// Runs the code on whole groups of vertices, whose attributes are in bounds. Returns the number of groups done,
    /// and the reason for stopping.
    fn run(&mut self, vertices: &[u32], records: &mut [f32]) -> (usize, u64) {
        let groups = vertices.len() / GROUP;
        assert!(groups > 0 && groups <= 1 << 24 && records.len() >= groups * GROUP * self.kernel.stride);
        // The elements of arrays that are not read one by one.
        let mut elements: [Vec<u32>; 16] = [const { Vec::new() }; 16];
        for (n, elements) in elements.iter_mut().enumerate() {
            let divisor = self.arrays[n].1;
            match self.kernel.arrays[n] {
                Some((_, Step::Divide)) => *elements = vertices.iter().map(|v| v / divisor).collect(),
                Some((_, Step::Modulo)) => *elements = vertices.iter().map(|v| v % divisor).collect(),
                _ => {}
            }
            let own = if elements.is_empty() { vertices } else { elements };
            self.frame.args.streams[n].elements = own.as_ptr();
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
        let Some(mut call) = self.call(job, &table, &textures) else { return first };
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
            } else if rest.len() >= GROUP || !call.within(rest) {
                return at;
            } else {
                DIVERGED
            };
            let group = &job.vertices[at..total.min(at + GROUP)];
            match reason {
                0 => {}
                // An incomplete group is not worth the call.
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
