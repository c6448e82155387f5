//! Calling compiled vertex kernels.

#![allow(unsafe_code)]

use std::mem::offset_of;

use triglyph_guest::kernel::VertexKernel;
use triglyph_guest::kernel::vertex::{
    EXHAUSTED_LIMIT, GROUP, Input, SCREEN, Stream, Uniforms, VertexConstants, VertexJob, VertexKey,
};

use super::Table;
use super::fetch::footprint;
use super::registers::Constant;
use crate::code::Code;

/// Offset of c0 in [`Uniforms`].
pub(super) const FLOATS: i32 = offset_of!(Uniforms, floats) as i32;
/// Offset of i0 in [`Uniforms`].
pub(super) const INTS: i32 = offset_of!(Uniforms, ints) as i32;

/// In a kernel's result, above the number of groups done: the next one is for the reference.
pub(super) const RETRY: u64 = 1 << 32;
/// In a kernel's result: the lanes of the next group want to go different ways.
pub(super) const DIVERGED: u64 = 2 << 32;

/// Floats of the longest record.
const LONGEST: usize = SCREEN + 64;

/// What compiled code gets.
#[repr(C)]
pub(super) struct Args {
    vertices: *const u32,
    records: *mut f32,
    clip: *mut u8,
    uniforms: *const Uniforms,
    /// Constants, each four times, in the order of [`Kernel::constants`].
    table: *const [f32; 4],
    /// Groups to do, not 0.
    groups: u32,
    streams: [StreamArgs; 16],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct StreamArgs {
    base: *const u8,
    stride: u64,
}

impl Args {
    pub const VERTICES: i32 = offset_of!(Args, vertices) as i32;
    pub const RECORDS: i32 = offset_of!(Args, records) as i32;
    pub const CLIP: i32 = offset_of!(Args, clip) as i32;
    pub const UNIFORMS: i32 = offset_of!(Args, uniforms) as i32;
    pub const TABLE: i32 = offset_of!(Args, table) as i32;
    pub const GROUPS: i32 = offset_of!(Args, groups) as i32;

    /// Offset of a stream's address; its stride follows, 8 bytes further on.
    pub const fn stream(number: usize) -> i32 {
        (offset_of!(Args, streams) + number * size_of::<StreamArgs>()) as i32
    }
}

/// A compiled vertex kernel.
pub(super) struct Kernel {
    code: Code,
    /// Floats of a record.
    stride: usize,
    /// Groups of slots that are written.
    written: Vec<usize>,
    /// What stands in the table.
    constants: Vec<(Constant, u8)>,
    /// Bytes of each stream that fetching touches, 0 when it is not used.
    footprints: [usize; 16],
}

/// A group on its own: its records and clip codes.
struct Group {
    records: [f32; GROUP * LONGEST],
    clip: [u8; GROUP],
}

impl Kernel {
    pub fn new(key: &VertexKey, code: Code, table: Table) -> Kernel {
        let mut places: Vec<_> = table.into_iter().collect();
        places.sort_unstable_by_key(|&(_, place)| place);
        let constants = places.into_iter().map(|(constant, _)| constant).collect();
        let mut footprints = [0; 16];
        for input in key.inputs {
            if let Input::Array { stream, component, count } = input {
                let of: &mut usize = &mut footprints[usize::from(stream & 15)];
                *of = footprint(component, count).max(*of);
            }
        }
        let written = (0..key.outputs.slots.len() / 4).filter(|&group| key.outputs.group_written(group)).collect();
        Kernel { code, stride: key.outputs.stride(), written, constants, footprints }
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

    /// The constants of a job, each four times.
    fn table(&self, job: &VertexJob<'_>) -> Vec<[f32; 4]> {
        let VertexConstants { half: [x, y], corner: [left, top], clip_plane } = job.constants;
        let viewport = [x, y, left, top];
        let value = |&(constant, component): &(Constant, u8)| {
            let vector = match constant {
                Constant::Uniform(n) | Constant::UniformAtLoop(n) => &job.uniforms.floats[usize::from(n & 127)],
                Constant::Fixed(n) => &job.fixed[usize::from(n & 15)],
                Constant::Viewport => &viewport,
                Constant::ClipPlane => &clip_plane,
            };
            [vector[usize::from(component & 3)]; 4]
        };
        self.constants.iter().map(value).collect()
    }

    fn args(job: &VertexJob<'_>, table: &[[f32; 4]]) -> Args {
        let stream = |of: &Stream<'_>| StreamArgs { base: of.window.as_ptr().cast_const(), stride: of.stride.into() };
        Args {
            vertices: std::ptr::null(),
            records: std::ptr::null_mut(),
            clip: std::ptr::null_mut(),
            uniforms: job.uniforms,
            table: table.as_ptr(),
            groups: 0,
            streams: job.streams.each_ref().map(stream),
        }
    }

    /// Shades whole groups from vertex `at` on, all of whose vertices are within reach. Returns how many groups are done
    /// and why there are not more.
    fn groups(&self, args: &mut Args, job: &mut VertexJob<'_>, at: usize, groups: usize) -> (usize, u64) {
        // Counting groups in 32 bits: what is left over is done by the next call.
        let groups = groups.min(1 << 24);
        let end = at + GROUP * groups;
        args.groups = groups as u32;
        args.vertices = job.vertices[at..end].as_ptr();
        args.records = job.records[at * self.stride..end * self.stride].as_mut_ptr();
        args.clip = job.clip[at..end].as_mut_ptr();
        self.call(args)
    }

    /// Shades four vertices aside.
    fn aside(&self, args: &mut Args, vertices: [u32; GROUP]) -> (Group, u64) {
        let mut group = Group { records: [0.0; GROUP * LONGEST], clip: [0; GROUP] };
        (args.vertices, args.groups) = (vertices.as_ptr(), 1);
        (args.records, args.clip) = (group.records.as_mut_ptr(), group.clip.as_mut_ptr());
        let (_, reason) = self.call(args);
        (group, reason)
    }

    fn call(&self, args: &Args) -> (usize, u64) {
        // SAFETY: the code reads the uniforms, the table and the vertex numbers of `groups`, and writes as many records of
        // `stride` floats and clip codes, all of which the callers borrow or own while they call; from each stream it
        // reads `footprints` bytes at the vertices' addresses, which `shade` has compared with `reach`. Windows are
        // mapped for as long as the job borrows them; what others write there meanwhile is read as it comes.
        let status = unsafe { self.code.call(args) };
        (status as u32 as usize, status & (RETRY | DIVERGED))
    }

    /// Copies what a record holds from the first vertex of `group` to vertex `at`, and so on for `count` vertices.
    fn take(&self, job: &mut VertexJob<'_>, at: usize, group: &Group, count: usize) {
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

    /// Shades up to four vertices, each with all lanes for itself, so that they agree. Returns how many were done.
    fn one_by_one(&self, args: &mut Args, job: &mut VertexJob<'_>, at: usize, count: usize) -> usize {
        for i in 0..count {
            let (group, reason) = self.aside(args, [job.vertices[at + i]; GROUP]);
            if reason != 0 {
                return i;
            }
            self.take(job, at + i, &group, 1);
        }
        count
    }
}

impl VertexKernel for Kernel {
    fn shade(&self, job: &mut VertexJob<'_>, first: usize) -> usize {
        let total = job.vertices.len();
        let rooms = job.records.len() >= total * self.stride && job.clip.len() >= total;
        let (Some(reach), true) = (self.reach(job.streams), rooms && job.exhausted < EXHAUSTED_LIMIT) else {
            return first;
        };
        let within = |vertices: &[u32]| vertices.iter().fold(0, |max, &vertex| max.max(vertex)) as usize <= reach;
        let all_within = within(job.vertices.get(first..).unwrap_or(&[]));
        let table = self.table(job);
        let mut args = Self::args(job, &table);
        let mut at = first;
        while at < total {
            let rest = &job.vertices[at..];
            let mut groups = rest.len() / GROUP;
            if !all_within {
                groups = rest.chunks_exact(GROUP).take_while(|group| within(group)).count();
            }
            let (count, reason) = if groups > 0 {
                let (done, reason) = self.groups(&mut args, job, at, groups);
                at += GROUP * done;
                (GROUP, reason)
            } else if rest.len() >= GROUP || !within(rest) {
                return at;
            } else {
                let count = rest.len();
                let (group, reason) = self.aside(&mut args, std::array::from_fn(|i| rest[i.min(count - 1)]));
                if reason == 0 {
                    self.take(job, at, &group, count);
                    at += count;
                }
                (count, reason)
            };
            match reason {
                0 => {}
                DIVERGED => {
                    let done = self.one_by_one(&mut args, job, at, count);
                    at += done;
                    if done < count {
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
