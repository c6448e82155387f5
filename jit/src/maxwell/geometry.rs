//! Geometry programs: four invocations at a time, each with its own list of emitted vertices. The lists are
//! concatenated in the order of primitives and instances.

#![allow(unsafe_code)]

use std::mem::offset_of;
use std::sync::Arc;

use triglyph_guest::kernel::program::stage::{Emit as Emission, Primitives, ShaderJob, ShaderKernel, ShaderKey, Work};
use triglyph_guest::kernel::{MachineCode, Unsupported};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::AttributeAccess;
use triglyph_guest::tegra::shader::special::SpecialRegister;

use super::emitted::{Emitted, GROUP, MAX_RECORD_WORDS};
use super::file::Loc;
use super::graph::Sharing;
use super::stage::{POSITION_W, PRIMITIVE, knows_quads, stores};
use super::{Context, Graph, Host, Lanes, Lower, Needs, Prepared, ResourceKeys};
use crate::code::{Code, Compiler};
use crate::lane::{Emit, I32x4, Mask};

/// The arguments.
#[repr(C, align(64))]
struct GeometryArgs {
    context: Context,
    inputs: *const u32,
    /// Output words of the lanes.
    current: *mut [u32; GROUP],
    /// Word at which each lane's primitive begins.
    first: [u32; GROUP],
    primitive: [u32; GROUP],
    instance: [u32; GROUP],
    /// Lanes that exist.
    lanes: [i32; GROUP],
    last_vertex: u32,
    info: u32,
    prim_type: u32,
    /// Scratch memory for lane indices.
    indices: [[u32; 4]; 4],
}

macro_rules! at {
    ($field:ident) => {
        offset_of!(GeometryArgs, $field) as i32
    };
}

/// The host of a group of invocations.
struct Invocations<'g, 'a> {
    e: &'g mut Emit<'a>,
    key: &'g ShaderKey,
}

impl<'a> Host<'a> for Invocations<'_, 'a> {
    fn e(&mut self) -> &mut Emit<'a> {
        self.e
    }

    fn scratch(&self) -> i32 {
        at!(indices)
    }

    fn special(&mut self, which: SpecialRegister) -> Option<I32x4> {
        let args = self.e.args;
        match which {
            SpecialRegister::InvocationId => Some(self.e.load_ints(args, at!(instance))),
            SpecialRegister::InvocationInfo => Some(self.e.load_splat_i32(args, at!(info))),
            SpecialRegister::PrimType => Some(self.e.load_splat_i32(args, at!(prim_type))),
            _ => None,
        }
    }

    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Unsupported> {
        let e = &mut *self.e;
        let args = e.args;
        if i.patch {
            return Ok(e.i(0));
        }
        if word == PRIMITIVE {
            return Ok(e.load_ints(args, at!(primitive)));
        }
        let Some(index) = self.key.inputs.index(word) else { return Ok(e.i(0)) };
        let vertex = vertex.unwrap_or_else(|| e.i(0));
        let last = e.load_splat_i32(args, at!(last_vertex));
        let there = e.umin(vertex, last);
        let exists = e.ieq(there, vertex);
        let (stride, first) = (e.i(self.key.inputs.len() as i32), e.i(index as i32));
        let place = e.imul(there, stride);
        let place = e.iadd(place, first);
        let begin = e.load_ints(args, at!(first));
        let place = e.iadd(place, begin);
        let base = e.load_i64(args, at!(inputs));
        let value = e.gather32_unclamped(base, place);
        let zero = e.i(0);
        Ok(e.iselect(exists, value, zero))
    }

    fn reads(&self, _: &AttributeAccess, word: u8) -> bool {
        self.key.inputs.contains(word) || word == PRIMITIVE
    }

    fn output(&self, word: u8) -> Option<u16> {
        self.key.outputs.index(word).map(|index| index as u16)
    }

    fn emits(&self) -> bool {
        true
    }

    fn outputs(&self) -> usize {
        self.key.outputs.len()
    }

    fn keep_output(&mut self, place: u16, value: I32x4) {
        let args = self.e.args;
        let current = self.e.load_i64(args, at!(current));
        self.e.store(value.0, current, 16 * i32::from(place));
    }
}

/// Emits the function: one group.
fn build(e: &mut Emit<'_>, key: &ShaderKey, graph: &Graph, needs: &mut Needs) -> Result<(), Unsupported> {
    let args = e.args;
    let mut host = Invocations { e, key };
    let resources = ResourceKeys::of(key);
    let mut lower = Lower::new(&mut host, (&key.code, graph), resources, Lanes::Alone, needs);
    let lanes = Mask(lower.e().load_ints(args, at!(lanes)).0);
    if let Some(w) = key.outputs.index(POSITION_W) {
        let one = lower.e().i(1f32.to_bits() as i32);
        lower.initials.insert(Loc::Output(w as u16), one);
    }
    lower.run(&[], Some(lanes))?;
    let e = lower.e();
    e.succeed();
    Ok(())
}

/// A compiled kernel.
struct CompiledGeometry {
    key: ShaderKey,
    needs: Needs,
    code: Code<GeometryArgs>,
    stores: bool,
}

fn graph(key: &ShaderKey) -> Result<Graph, Unsupported> {
    Ok(Graph::new(&key.code, |_| Sharing::default())?.reporting(Lanes::Alone))
}

/// The kernel of `key`, a geometry program.
pub fn geometry(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
    let graph = graph(key)?;
    if knows_quads(&key.code) {
        return Err(Unsupported("quads of geometry programs"));
    }
    let mut needs = Needs::default();
    let code = compiler.compile(graph.size as u32, |e| build(e, key, &graph, &mut needs))?;
    Ok(Arc::new(CompiledGeometry { key: key.clone(), needs, code, stores: stores(&key.code) }))
}

/// The CLIF and the host instructions of [`geometry`]'s result.
pub fn dump(compiler: &Compiler, key: &ShaderKey) -> String {
    match graph(key) {
        Ok(graph) => compiler.dump(graph.size as u32, |e| build(e, key, &graph, &mut Needs::default())),
        Err(unsupported) => unsupported.to_string(),
    }
}

impl CompiledGeometry {
    /// Runs up to four invocations, of which each is a primitive and an instance.
    fn group(&self, args: &mut GeometryArgs, emitted: &mut Emitted, work: &mut Primitives<'_>, group: &[(usize, u32)]) {
        let words = work.vertices as usize * self.key.inputs.len();
        for lane in 0..GROUP {
            let (primitive, instance) = group[lane.min(group.len() - 1)];
            args.first[lane] = (primitive * words) as u32;
            args.primitive[lane] = work.primitives[primitive];
            args.instance[lane] = instance;
            args.lanes[lane] = if lane < group.len() { -1 } else { 0 };
        }
        (args.context.emitted, args.current) = (&raw mut *emitted, emitted.current.as_mut_ptr());
        // SAFETY: the code reads words of the primitives' records, which `run` has bounds-checked, writes the words of
        // `emitted`, works in the storage of `Prepared`, and calls functions that touch the context, `emitted` and the
        // job's environment, all alive while it runs.
        unsafe { self.code.call(&raw mut *args) };
        for (list, &(primitive, _)) in emitted.lists.iter_mut().zip(group) {
            work.records.append(&mut list.records);
            work.emits.append(&mut list.emits);
            work.emits.push(Emission::End { primitive: primitive as u32 });
            list.count = 0;
        }
    }
}

impl ShaderKernel for CompiledGeometry {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported> {
        let environment = job.environment;
        let Work::Primitives(work) = &mut job.work else { return Err(Unsupported("work of another stage")) };
        let words = work.primitives.len() * work.vertices as usize * self.key.inputs.len();
        if work.inputs.len() < words || words > i32::MAX as usize || work.vertices == 0 {
            return Err(Unsupported("records that are not there"));
        }
        let mut prepared =
            Prepared::new(&self.needs, ResourceKeys::of(&self.key), self.key.code.local_bytes, &environment)?;
        let mut args = Box::new(GeometryArgs {
            context: prepared.context(self.key.code.local_bytes, &environment),
            inputs: work.inputs.as_ptr(),
            current: std::ptr::null_mut(),
            first: [0; GROUP],
            primitive: [0; GROUP],
            instance: [0; GROUP],
            lanes: [0; GROUP],
            last_vertex: work.vertices - 1,
            info: (work.vertices & 0xFF) << 16,
            prim_type: (work.vertices & 0xFF) << 8,
            indices: [[0; 4]; 4],
        });
        let mut emitted = Box::new(Emitted {
            current: [[0; GROUP]; MAX_RECORD_WORDS],
            words: self.key.outputs.len(),
            max_vertices: work.most,
            lists: Default::default(),
        });
        let instances = work.instances.clamp(1, 32);
        let all: Vec<(usize, u32)> =
            (0..work.primitives.len()).flat_map(|n| (0..instances).map(move |instance| (n, instance))).collect();
        for group in all.chunks(if self.stores { 1 } else { GROUP }) {
            self.group(&mut args, &mut emitted, work, group);
        }
        prepared.finish(&args.context, &environment);
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}
