//! Calls of compiled geometry kernels.
//!
//! A call does four primitives side by side, each lane with the values of its own, or one primitive in all lanes when
//! its unit remembers the one before. What it emits is a list of records a lane and one log for all of them, from which
//! triangles are made here, primitive by primitive.

#![allow(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::kernel::geometry::{GeometryInputs, GeometryJob, GeometryKey, GeometryPrimitive};
use triglyph_guest::kernel::vertex::{GROUP, Numbers, Uniforms};
use triglyph_guest::kernel::{GeometryKernel, MachineCode, Unsupported};
use triglyph_guest::pica::isa::SetEmit;

use super::args::{EmitEntry, GeometryArgs, Wide};
use super::registers::Constant;
use super::source::Source;
use super::speculative::{Backoff, Speculative};
use super::{Compiled, DIVERGED, DOUBTFUL, FULL, REASONS, held, held_uniforms, operand};
use crate::code::{Code, Compiler};

/// Float uniforms that exist.
const UNIFORMS: usize = 96;
/// EMITs of a primitive for which there is room at first, in programs that could have any number of them.
const CAPACITY: usize = 16;

/// Groups in a row done with exact products, at most, before the plain ones are tried again.
const MAX_EXACT: usize = 256;
/// Primitives in a row done one by one, at most, before four are tried together again.
const MAX_APART: usize = 64;

/// The code of a program.
struct Routine {
    code: Speculative<GeometryArgs>,
    /// What the unit had before matters to a run, and what it has afterwards to later ones.
    sequential: bool,
    /// An EMIT may do what an earlier run's SETEMIT said.
    reads_setting: bool,
    /// EMITs of a run, if that is bounded.
    emits: Option<usize>,
}

impl Routine {
    fn new(compiler: &Compiler, source: &Source<'_>) -> Result<Routine, Unsupported> {
        Ok(Routine {
            code: Speculative::new(source.compile(compiler, false)?),
            sequential: source.is_sequential(),
            reads_setting: source.reads_setting(),
            emits: source.emits(),
        })
    }
}

/// A compiled geometry kernel.
pub(super) struct CompiledGeometry {
    compiler: Arc<Compiler>,
    key: GeometryKey,
    /// For the first primitive of a job, when b15 makes it another program.
    first: Option<Routine>,
    rest: Routine,
    stride: usize,
    numbers: Numbers,
}

impl CompiledGeometry {
    pub fn new(compiler: &Arc<Compiler>, key: &GeometryKey) -> Result<CompiledGeometry, Unsupported> {
        let (first, rest) = Source::geometry(key)?;
        Ok(CompiledGeometry {
            first: first.map(|source| Routine::new(compiler, &source)).transpose()?,
            rest: Routine::new(compiler, &rest)?,
            stride: key.outputs.stride(),
            numbers: rest.numbers,
            compiler: compiler.clone(),
            key: key.clone(),
        })
    }

    /// The code that primitive `at` of a job runs.
    fn routine(&self, at: usize) -> &Routine {
        self.first.as_ref().filter(|_| at == 0).unwrap_or(&self.rest)
    }

    /// The code with exact products for primitive `at`, once there have been enough groups that want it.
    fn exact(&self, at: usize) -> Option<&Compiled<GeometryArgs>> {
        self.routine(at).code.doubt(|| {
            let (first, rest) = Source::geometry(&self.key)?;
            first.filter(|_| at == 0).unwrap_or(rest).compile(&self.compiler, true)
        })
    }

    /// How many primitives may be done side by side from `at` on.
    fn together(&self, at: usize) -> usize {
        if self.routine(at).sequential || self.first.is_some() && at == 0 { 1 } else { GROUP }
    }
}

/// What a run over a job works with.
struct JobRun<'k, 'j, 'a> {
    kernel: &'k CompiledGeometry,
    job: &'j mut GeometryJob<'a>,
    /// The job's uniforms as registers hold them, where that is something else.
    held: Option<Box<Uniforms>>,
    /// Float uniforms, each lane with its own, and those that primitives have written so far.
    wide: Box<[Wide; 128]>,
    written: Range<usize>,
    /// Input registers.
    inputs: Box<[Wide; 16]>,
    codes: Vec<[u8; GROUP]>,
    log: Vec<EmitEntry>,
    /// Records for which each lane has room.
    capacity: usize,
}

/// Primitives that are done together.
#[derive(Clone, Copy)]
struct Group {
    at: usize,
    count: usize,
}

impl<'k, 'j, 'a> JobRun<'k, 'j, 'a> {
    fn new(kernel: &'k CompiledGeometry, job: &'j mut GeometryJob<'a>) -> Self {
        let mut wide = Box::new([[[0.0; GROUP]; 4]; 128]);
        let held = held_uniforms(job.uniforms, kernel.numbers);
        if kernel.key.inputs == GeometryInputs::Uniforms {
            *wide =
                held.as_deref().unwrap_or(job.uniforms).floats.map(|value| value.map(|component| [component; GROUP]));
        }
        let emits = [kernel.first.as_ref(), Some(&kernel.rest)].into_iter().flatten().map(|routine| routine.emits);
        let capacity = emits.map(|emits| emits.unwrap_or(CAPACITY)).max().unwrap_or(CAPACITY);
        JobRun {
            kernel,
            job,
            held,
            wide,
            written: 0..0,
            inputs: Box::new([[[0.0; GROUP]; 4]; 16]),
            codes: Vec::new(),
            log: Vec::new(),
            capacity,
        }
    }

    /// Gives lane i the values of primitive `at + i`; lanes beyond the last one those of the last. Returns what the
    /// uniforms follow the group, as far as they are written.
    fn load(&mut self, Group { at, count }: Group) -> Vec<[f32; 4]> {
        if self.kernel.key.inputs == GeometryInputs::Uniforms {
            // Group by group: jobs are run in many goes where single primitives are for the reference.
            for &primitive in &self.job.primitives[at..at + count] {
                self.written = union(self.written.clone(), uniforms_of(primitive));
            }
        }
        let mut uniforms = self.job.uniforms.floats[self.written.clone()].to_vec();
        let numbers = self.kernel.numbers;
        for lane in 0..GROUP {
            let primitive = self.job.primitives[at + lane.min(count - 1)];
            let values = values(self.job.values, primitive);
            match &self.kernel.key.inputs {
                GeometryInputs::Registers(registers) => {
                    for register in registers {
                        let register = &mut self.inputs[usize::from(register & 15)];
                        register.iter_mut().for_each(|component| component[lane] = 0.0);
                    }
                    for (register, value) in registers.iter().zip(values) {
                        set_lane(&mut self.inputs[usize::from(register & 15)], lane, held(*value, numbers));
                    }
                }
                GeometryInputs::Uniforms => {
                    let places =
                        uniforms.iter_mut().skip((primitive.register as usize).saturating_sub(self.written.start));
                    places.zip(values).for_each(|(place, value)| *place = held(*value, numbers));
                    for (register, value) in self.wide[self.written.clone()].iter_mut().zip(&uniforms) {
                        set_lane(register, lane, held(*value, numbers));
                    }
                }
            }
        }
        uniforms
    }

    /// The constants that code wants, each four times.
    fn table(&self, of: &Compiled<GeometryArgs>) -> Vec<[f32; 4]> {
        let constants = self.job.constants;
        let viewport = [constants.half[0], constants.half[1], constants.corner[0], constants.corner[1]];
        let value = |&(constant, component): &(Constant, u8)| {
            let vector = match constant {
                Constant::Uniform(n) | Constant::UniformAtLoop(n) => {
                    held(self.job.uniforms.floats[usize::from(n & 127)], self.kernel.numbers)
                }
                Constant::Operand(n) => self.job.uniforms.floats[usize::from(n & 127)].map(operand),
                Constant::Viewport => viewport,
                Constant::ClipPlane => constants.clip_plane,
                // Those are elsewhere, or of vertex programs.
                Constant::Fixed(_) | Constant::Input(_) | Constant::Kept | Constant::Bias => [0.0; 4],
            };
            [vector[usize::from(component & 3)]; 4]
        };
        of.constants.iter().map(value).collect()
    }

    /// Runs a group. The number of vertices that each primitive has emitted and what SETEMIT said last, or why there is
    /// nothing.
    fn call(&mut self, code: &Code<GeometryArgs>, table: &[[f32; 4]], count: usize) -> Result<(usize, EmitEntry), u64> {
        let (stride, capacity) = (self.kernel.stride, self.capacity);
        self.codes.resize(capacity, [0; GROUP]);
        self.log.resize(capacity, EmitEntry(0));
        let filled = self.job.out.clip.len() * stride;
        let room = filled + count * capacity * stride;
        if self.job.out.records.len() < room {
            // What is not used is cut off in the end.
            self.job.out.records.resize(room, 0.0);
        }
        let mut lanes = [std::ptr::null_mut(); GROUP];
        let records = &mut self.job.out.records[filled..room];
        for (lane, place) in lanes.iter_mut().enumerate() {
            // Lanes beyond the last primitive hold the last one, and write what it writes.
            *place = records[(lane.min(count - 1)) * capacity * stride..].as_mut_ptr();
        }
        let mut args = GeometryArgs {
            uniforms: self.held.as_deref().unwrap_or(self.job.uniforms),
            table: table.as_ptr(),
            wide: &*self.wide,
            inputs: &*self.inputs,
            registers: &mut self.job.state.registers,
            lanes,
            codes: self.codes.as_mut_ptr(),
            log: self.log.as_mut_ptr(),
            capacity: capacity as u32,
            setting: EmitEntry::new(self.job.state.emit).0.into(),
        };
        // SAFETY: the code reads the uniforms, the tables and the registers, all of which are borrowed here, the
        // registers mutably. It writes at most `capacity` records of `stride` floats from each of the lanes' addresses
        // on, and as many codes and entries: code without loops has at most so many EMITs, the other compares with
        // `capacity`.
        let status = unsafe { code.call(&raw mut args) };
        match status & REASONS {
            0 => Ok((status as u32 as usize, EmitEntry(args.setting as u8))),
            reason => Err(reason),
        }
    }

    /// Does a group. Its vertices, triangles, registers and uniforms are kept, or the reason returned why nothing is.
    fn group(&mut self, group: Group, form: &BoundCode<'_>) -> Result<(), u64> {
        let Group { at, count } = group;
        let routine = self.kernel.routine(at);
        let before = routine.sequential.then(|| self.job.state.registers.clone());
        let uniforms = self.load(group);
        let (emitted, setting) = loop {
            match self.call(form.code, &form.table, count) {
                Err(FULL) if self.capacity < self.job.limit as usize => {
                    self.capacity = (2 * self.capacity).min(self.job.limit as usize);
                }
                result => break result?,
            }
        };
        if routine.reads_setting && count > 1 && setting != EmitEntry::new(self.job.state.emit) {
            // The second primitive would have begun with another setting than the first.
            return Err(DIVERGED);
        }
        if !self.keeps_to_limits(emitted, count) || !self.has_vertices(&self.log[..emitted]) {
            if let Some(before) = before {
                self.job.state.registers = before;
            }
            return Err(FULL);
        }
        self.job.uniforms.floats[self.written.clone()].copy_from_slice(&uniforms);
        self.job.state.emit = setting.setting();
        self.take(emitted, count);
        Ok(())
    }

    /// Whether all EMITs count.
    fn keeps_to_limits(&self, emitted: usize, count: usize) -> bool {
        emitted <= self.job.limit as usize && self.job.out.clip.len() + count * emitted <= self.job.room as usize
    }

    /// Whether every triangle of a log finds its vertices.
    fn has_vertices(&self, log: &[EmitEntry]) -> bool {
        let mut stored = self.job.state.slots.map(|slot| slot.is_some());
        log.iter().all(|entry| {
            let SetEmit { vertex, primitive, .. } = entry.setting();
            stored[usize::from(vertex)] = true;
            !primitive || stored[..3] == [true; 3]
        })
    }

    /// Appends what the lanes have emitted, primitive by primitive.
    fn take(&mut self, emitted: usize, count: usize) {
        let (stride, capacity) = (self.kernel.stride, self.capacity);
        let out = &mut *self.job.out;
        let start = out.clip.len();
        for lane in 0..count {
            let first = out.clip.len();
            if emitted < capacity && lane > 0 {
                let from = (start + lane * capacity) * stride;
                out.records.copy_within(from..from + emitted * stride, first * stride);
            }
            out.clip.extend(self.codes[..emitted].iter().map(|codes| codes[lane]));
            for (vertex, entry) in (first as u32..).zip(&self.log[..emitted]) {
                let SetEmit { vertex: slot, primitive, winding } = entry.setting();
                self.job.state.slots[usize::from(slot)] = Some(vertex);
                if let ([Some(a), Some(b), Some(c), _], true) = (self.job.state.slots, primitive) {
                    if winding {
                        out.turned.push(out.triangles.len() as u32);
                    }
                    out.triangles.push([a, b, c]);
                }
            }
        }
    }
}

/// The float uniforms that a primitive writes.
fn uniforms_of(primitive: GeometryPrimitive) -> Range<usize> {
    let first = (primitive.register as usize).min(UNIFORMS);
    first..(first + primitive.count as usize).min(UNIFORMS)
}

/// The smallest range that holds both.
fn union(a: Range<usize>, b: Range<usize>) -> Range<usize> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b,
        (false, true) => a,
        (false, false) => a.start.min(b.start)..a.end.max(b.end),
    }
}

/// The values of a primitive.
fn values(all: &[[f32; 4]], primitive: GeometryPrimitive) -> &[[f32; 4]] {
    let from = all.get(primitive.first as usize..).unwrap_or(&[]);
    &from[..from.len().min(primitive.count as usize)]
}

fn set_lane(register: &mut Wide, lane: usize, value: [f32; 4]) {
    for (component, value) in register.iter_mut().zip(value) {
        component[lane] = value;
    }
}

/// One form of a routine's code, with its constants of a job.
struct BoundCode<'k> {
    code: &'k Code<GeometryArgs>,
    table: Vec<[f32; 4]>,
}

impl JobRun<'_, '_, '_> {
    fn form<'c>(&self, of: &'c Compiled<GeometryArgs>) -> BoundCode<'c> {
        BoundCode { code: &of.code, table: self.table(of) }
    }

    /// Does the primitives from `at` on, until one is for the reference. Returns how many of all are done.
    fn all(&mut self, mut at: usize) -> usize {
        let (kernel, total) = (self.kernel, self.job.primitives.len());
        let mut plain = self.form(&kernel.routine(at).code.plain);
        let mut exact: Option<BoundCode<'_>> = None;
        let (mut with_exact, mut one_by_one) = (Backoff::new(1, MAX_EXACT), Backoff::new(GROUP, MAX_APART));
        while at < total {
            if self.job.is_over() {
                return total;
            }
            let alone = one_by_one.left() > 0;
            let count = if alone { 1 } else { kernel.together(at).min(total - at) };
            let form = exact.as_ref().filter(|_| with_exact.left() > 0);
            match self.group(Group { at, count }, form.unwrap_or(&plain)) {
                Ok(()) => {
                    if at == 0 && kernel.first.is_some() {
                        // From here on it is another program.
                        (plain, exact) = (self.form(&kernel.rest.code.plain), None);
                    }
                    let was_exact = with_exact.left() > 0;
                    at += count;
                    if was_exact {
                        with_exact.done(1, at);
                    }
                    if alone {
                        one_by_one.done(1, at);
                    }
                }
                Err(DIVERGED) if count > 1 => one_by_one.failed(at),
                Err(DOUBTFUL) => {
                    let Some(compiled) = kernel.exact(at) else { return at };
                    exact = Some(self.form(compiled));
                    with_exact.failed(at);
                }
                Err(_) => return at,
            }
        }
        at
    }
}

impl GeometryKernel for CompiledGeometry {
    fn run(&self, job: &mut GeometryJob<'_>, first: usize) -> usize {
        if job.is_over() {
            return job.primitives.len();
        }
        let done = JobRun::new(self, job).all(first);
        job.out.records.truncate(job.out.clip.len() * self.stride);
        done
    }

    fn code(&self) -> MachineCode {
        let mut made = self.rest.code.made();
        made.bytes += self.first.as_ref().map_or(0, |first| first.code.made().bytes);
        made
    }
}
