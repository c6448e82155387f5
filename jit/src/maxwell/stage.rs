//! Vertex and tessellation evaluation programs: every lane is a warp of its own, four at a time.
//!
//! A program that stores to memory runs one vertex at a time, so that stores happen in the order of the vertices. So
//! does one that brings in the other lanes of its quad: its vertex is in the first lane then.

#![allow(unsafe_code)]

use std::mem::{offset_of, size_of};
use std::sync::Arc;

use cranelift_codegen::ir::types::{F32X4, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::maxwell::Code as Program;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{ShaderJob, ShaderKernel, ShaderKey, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{MachineCode, Unsupported};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::table::{Fields, Shape, flags};
use triglyph_guest::tegra::shader::isa::{AttributeAccess, Op, TextureLevel, TextureSample, decode, form};
use triglyph_guest::tegra::shader::special::SpecialRegister;

use super::file::Loc;
use super::graph::Sharing;
use super::{Context, Graph, Host, Lanes, Lower, Needs, Prepared, ResourceKeys};
use crate::code::{Code, Compiler};
use crate::groups::{AtOnce, Groups};
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// Lanes of a group.
const GROUP: usize = 4;

/// Words of the records of a group that need no allocation.
const ROOM: usize = 256;

/// Word of the position's w, which is initialised to 1.
pub(super) const POSITION_W: u8 = 0x1F;
/// Word of the primitive's number.
pub(super) const PRIMITIVE: u8 = 0x18;
/// Words of the tessellation coordinates.
const COORDINATES: [u8; 2] = [0xBC, 0xBD];

/// The arguments.
#[repr(C, align(64))]
struct StageArgs {
    context: Context,
    /// Records of this group's vertices and the following ones, or of the patch.
    inputs: *const u32,
    /// Output records of this group and the following ones.
    outputs: *mut u32,
    /// Words of the patch.
    patch: *const u32,
    /// u and v of each invocation.
    coordinates: *const [f32; 2],
    /// Number of groups, not 0.
    groups: u32,
    /// Index of the last vertex of the patch.
    last_vertex: u32,
    primitive: u32,
    /// Number of vertices of a patch, encoded as in the special register.
    info: u32,
    prim_type: u32,
    /// Lanes that exist.
    lanes: [i32; 4],
    /// Scratch memory for lane indices.
    indices: [[u32; 4]; 4],
}

macro_rules! at {
    ($field:ident) => {
        offset_of!(StageArgs, $field) as i32
    };
}

/// Whether a program writes memory that others can read.
pub(super) fn stores(program: &Program) -> bool {
    program
        .words
        .iter()
        .any(|&word| form(word).is_some_and(|form| form.has(flags::STORES) && !matches!(form.name, "stl" | "sts")))
}

/// Whether a program depends on other lanes of its quad, which it may bring in.
pub(super) fn knows_quads(program: &Program) -> bool {
    program.words.iter().any(|&word| {
        let fields = || form(word).map(|form| Fields::new(word, &form.pattern));
        match decode(word) {
            Some(Op::sam) => true,
            Some(Op::tex) => fields().is_some_and(|fields| TextureSample::decode(fields).ndv),
            Some(Op::tmml) => fields().is_some_and(|fields| TextureLevel::decode(fields).ndv),
            _ => false,
        }
    })
}

/// Whether a program reads memory where there may be none, which is counted.
fn loads(program: &Program) -> bool {
    let is_load = |&word: &u64| matches!(decode(word), Some(Op::ld | Op::ldg | Op::ldg_p | Op::suld_p | Op::suld_d));
    program.words.iter().any(is_load)
}

/// The host of a group of lanes.
struct Group<'g, 'a> {
    e: &'g mut Emit<'a>,
    key: &'g ShaderKey,
    /// Address of the input record of lane 0, or of the patch's first vertex.
    inputs: Value,
    /// Address of lane 0's coordinates.
    coordinates: Value,
    /// Inputs that have been loaded in this block.
    known: Vec<(usize, I32x4)>,
}

impl Group<'_, '_> {
    /// A word of the records of four consecutive vertices; loads its neighbours too where that is cheap.
    fn own_input(&mut self, index: usize) -> I32x4 {
        if let Some(&(_, value)) = self.known.iter().find(|(known, _)| *known == index) {
            return value;
        }
        let stride = self.key.inputs.len();
        let rows = std::array::from_fn(|lane| 4 * (lane * stride) as i32);
        let first = index & !3;
        let e = &mut *self.e;
        let base = e.local(self.inputs);
        if first + 4 > stride {
            let value = gather(e, base, rows.map(|row: i32| row + 4 * index as i32));
            self.known.push((index, value));
            return value;
        }
        let rows = rows.map(|row: i32| e.load_floats(base, row + 4 * first as i32));
        let columns = e.transpose(rows);
        for (n, column) in columns.into_iter().enumerate() {
            let value = e.bits(column);
            self.known.push((first + n, value));
        }
        let column = columns[index - first];
        self.e.bits(column)
    }

    /// A word of vertices of the patch by their numbers.
    fn vertex_input(&mut self, index: usize, vertex: I32x4) -> I32x4 {
        let stride = self.key.inputs.len();
        let e = &mut *self.e;
        let args = e.args;
        let last = e.load_splat_i32(args, at!(last_vertex));
        let there = e.umin(vertex, last);
        let exists = e.ieq(there, vertex);
        let place = {
            let stride = e.i(stride as i32);
            e.imul(there, stride)
        };
        let first = e.i(index as i32);
        let place = e.iadd(place, first);
        let base = e.local(self.inputs);
        let value = e.gather32_unclamped(base, place);
        let zero = e.i(0);
        e.iselect(exists, value, zero)
    }
}

/// Four words at offsets from an address.
fn gather(e: &mut Emit<'_>, base: Value, offsets: [i32; 4]) -> I32x4 {
    let [first, rest @ ..] = offsets;
    let word = e.load_f32(base, first);
    let mut vector = e.b.ins().scalar_to_vector(F32X4, word);
    for (lane, offset) in (1u8..).zip(rest) {
        let word = e.load_f32(base, offset);
        vector = e.b.ins().insertlane(vector, word, lane);
    }
    e.bits(F32x4(vector))
}

impl<'a> Host<'a> for Group<'_, 'a> {
    fn e(&mut self) -> &mut Emit<'a> {
        self.e
    }

    fn begin(&mut self) {
        self.known.clear();
    }

    fn scratch(&self) -> i32 {
        at!(indices)
    }

    fn special(&mut self, which: SpecialRegister) -> Option<I32x4> {
        let field = match which {
            SpecialRegister::InvocationInfo => at!(info),
            SpecialRegister::PrimType => at!(prim_type),
            _ => return None,
        };
        let args = self.e.args;
        Some(self.e.load_splat_i32(args, field))
    }

    fn attribute(&mut self, i: &AttributeAccess, word: u8, vertex: Option<I32x4>) -> Result<I32x4, Unsupported> {
        let tessellated = self.key.stage == Stage::TessEvaluation;
        let args = self.e.args;
        if i.patch {
            let there = tessellated && usize::from(word) < PATCH_WORDS;
            if !there {
                return Ok(self.e.i(0));
            }
            let patch = self.e.load_i64(args, at!(patch));
            return Ok(self.e.load_splat_i32(patch, 4 * i32::from(word)));
        }
        if tessellated && word == PRIMITIVE {
            return Ok(self.e.load_splat_i32(args, at!(primitive)));
        }
        if tessellated && let Some(axis) = COORDINATES.iter().position(|&known| known == word) {
            let base = self.e.local(self.coordinates);
            return Ok(gather(self.e, base, [0, 8, 16, 24].map(|lane| lane + 4 * axis as i32)));
        }
        let Some(index) = self.key.inputs.index(word) else { return Ok(self.e.i(0)) };
        match (tessellated, vertex) {
            (false, None) => Ok(self.own_input(index)),
            (false, Some(vertex)) => {
                let value = self.own_input(index);
                let zero = self.e.i(0);
                let own = self.e.ieq(vertex, zero);
                Ok(self.e.iselect(own, value, zero))
            }
            (true, vertex) => {
                let vertex = vertex.unwrap_or_else(|| self.e.i(0));
                Ok(self.vertex_input(index, vertex))
            }
        }
    }

    fn reads(&self, _: &AttributeAccess, word: u8) -> bool {
        let tessellated = self.key.stage == Stage::TessEvaluation;
        self.key.inputs.contains(word) || tessellated && (word == PRIMITIVE || COORDINATES.contains(&word))
    }

    fn patch_word(&mut self, word: I32x4) -> I32x4 {
        if self.key.stage != Stage::TessEvaluation {
            return self.e.i(0);
        }
        let args = self.e.args;
        let patch = self.e.load_i64(args, at!(patch));
        self.e.gather32_unclamped(patch, word)
    }

    fn output(&self, word: u8) -> Option<u16> {
        self.key.outputs.index(word).map(|index| index as u16)
    }

    fn is_coordinate(&self, word: u8) -> bool {
        self.key.stage == Stage::TessEvaluation && COORDINATES.contains(&word)
    }
}

/// The inputs of code generation.
struct Plan<'k> {
    key: &'k ShaderKey,
    graph: Graph,
    lanes: Lanes,
    /// Whether invocations run one by one.
    one_by_one: bool,
    /// Whether it makes a difference that a lane of a group does not exist, apart from its outputs.
    masked: bool,
}

impl<'k> Plan<'k> {
    fn new(key: &'k ShaderKey) -> Result<Plan<'k>, Unsupported> {
        let lanes = if knows_quads(&key.code) { Lanes::AloneInQuad } else { Lanes::Alone };
        let graph = Graph::new(&key.code, |_| Sharing::default())?.reporting(lanes);
        let one_by_one = stores(&key.code) || lanes == Lanes::AloneInQuad;
        let masked = one_by_one || loads(&key.code) || !graph.is_straight();
        Ok(Plan { key, graph, lanes, one_by_one, masked })
    }

    fn size(&self) -> u32 {
        self.graph.size as u32 + 8
    }

    /// Emits the function: a loop over groups.
    fn build(&self, e: &mut Emit<'_>, needs: &mut Needs) -> Result<(), Unsupported> {
        let groups = Groups::begin(e, at!(groups), AtOnce::Two);
        let args = e.args;
        let group = e.b.ins().uextend(I64, groups.group);
        let inputs = e.load_i64(args, at!(inputs));
        let inputs = match self.key.stage {
            Stage::Vertex => self.record(e, inputs, group, &self.key.inputs),
            _ => inputs,
        };
        let coordinates = e.load_i64(args, at!(coordinates));
        let place = e.b.ins().ishl_imm_u(group, (GROUP * size_of::<[f32; 2]>()).trailing_zeros() as i64);
        let coordinates = e.b.ins().iadd(coordinates, place);
        let mut host = Group { e, key: self.key, inputs, coordinates, known: Vec::new() };
        let resources = ResourceKeys::of(self.key);
        let mut lower = Lower::new(&mut host, (&self.key.code, &self.graph), resources, self.lanes, needs);
        let lanes = Mask(lower.e().load_ints(args, at!(lanes)).0);
        if let Some(w) = self.key.outputs.index(POSITION_W) {
            let one = lower.e().i(1f32.to_bits() as i32);
            lower.initials.insert(Loc::Output(w as u16), one);
        }
        let words: Vec<Loc> = (0..self.key.outputs.len()).map(|word| Loc::Output(word as u16)).collect();
        lower.run(&words, Some(lanes).filter(|_| self.masked))?;
        self.store_outputs(&mut lower, group, &words);
        let e = lower.e();
        groups.next(e);
        groups.end(e);
        e.succeed();
        Ok(())
    }

    /// The first record of a group.
    fn record(&self, e: &mut Emit<'_>, base: Value, group: Value, words: &WordSet) -> Value {
        let offset = e.b.ins().imul_imm_u(group, (4 * GROUP * words.len()) as i64);
        e.b.ins().iadd(base, offset)
    }

    fn store_outputs(&self, lower: &mut Lower<'_, '_>, group: Value, words: &[Loc]) {
        let values: Vec<I32x4> = words.iter().map(|&word| lower.int(word)).collect();
        let e = lower.e();
        let args = e.args;
        let base = e.load_i64(args, at!(outputs));
        let base = self.record(e, base, group, &self.key.outputs);
        let row = 4 * words.len() as i32;
        for (n, columns) in values.chunks(4).enumerate() {
            let at = 16 * n as i32;
            if let &[a, b, c, d] = columns {
                let columns = [a, b, c, d].map(|column| e.float_of_bits(column));
                for (lane, record) in (0..).zip(e.transpose(columns)) {
                    e.store(record.0, base, lane * row + at);
                }
                continue;
            }
            for (word, column) in (0..).zip(columns) {
                for lane in 0..4u8 {
                    let scalar = e.lane(*column, lane);
                    e.store(scalar, base, i32::from(lane) * row + at + 4 * word);
                }
            }
        }
    }
}

/// A compiled kernel.
struct CompiledStage {
    key: ShaderKey,
    needs: Needs,
    code: Code<StageArgs>,
    one_by_one: bool,
    /// Words of an input record and of an output record.
    words: [usize; 2],
}

/// The kernel of `key`, a vertex or tessellation evaluation program.
pub fn vertex(compiler: &Compiler, key: &ShaderKey) -> Result<Arc<dyn ShaderKernel>, Unsupported> {
    let plan = Plan::new(key)?;
    let mut needs = Needs::default();
    let code = compiler.compile(plan.size(), |e| plan.build(e, &mut needs))?;
    let words = [key.inputs.len(), key.outputs.len()];
    Ok(Arc::new(CompiledStage { key: key.clone(), needs, code, one_by_one: plan.one_by_one, words }))
}

/// The CLIF and the host instructions of [`vertex`]'s result.
pub fn dump(compiler: &Compiler, key: &ShaderKey) -> String {
    match Plan::new(key) {
        Ok(plan) => compiler.dump(plan.size(), |e| plan.build(e, &mut Needs::default())),
        Err(unsupported) => unsupported.to_string(),
    }
}

/// The invocations of a call.
struct Batch<'b> {
    /// Records of these invocations, or of the patch.
    inputs: &'b [u32],
    coordinates: &'b [[f32; 2]],
    outputs: &'b mut [u32],
    count: usize,
}

/// State that does not change during a job.
struct Call<'c> {
    kernel: &'c CompiledStage,
    args: StageArgs,
    /// Words of each invocation's input record, 0 if all read the same record.
    stride: usize,
}

impl Call<'_> {
    /// Runs whole groups.
    fn groups(&mut self, batch: &mut Batch<'_>, lanes: usize) {
        let groups = batch.count / GROUP;
        let words = self.kernel.words[1];
        assert!((1..=u32::MAX as usize).contains(&groups) && batch.outputs.len() >= groups * GROUP * words);
        assert!(self.stride == 0 || batch.inputs.len() >= groups * GROUP * self.stride);
        assert!(batch.coordinates.is_empty() || batch.coordinates.len() >= groups * GROUP);
        let args = &mut self.args;
        (args.inputs, args.outputs) = (batch.inputs.as_ptr(), batch.outputs.as_mut_ptr());
        args.coordinates = batch.coordinates.as_ptr();
        args.groups = groups as u32;
        args.lanes = std::array::from_fn(|lane| if lane < lanes { -1 } else { 0 });
        // SAFETY: the code reads records, coordinates and patch words of as many invocations as there are, which the
        // asserts and `CompiledStage::run` have compared, writes that many output records, works in the storage of
        // `Prepared`, and calls functions that touch the context and the job's environment, which is borrowed while the
        // code runs.
        unsafe { self.kernel.code.call(&raw mut self.args) };
    }

    /// Runs at most four invocations, of which the first ones exist.
    fn some(&mut self, batch: &mut Batch<'_>) {
        let (count, words) = (batch.count, self.kernel.words[1]);
        let size = GROUP * (self.stride + words);
        let (mut room, mut large_room) = ([0; ROOM], Vec::new());
        let room = match room.get_mut(..size) {
            Some(room) => room,
            None => {
                large_room.resize(size, 0);
                &mut large_room[..]
            }
        };
        let (inputs, outputs) = room.split_at_mut(GROUP * self.stride);
        let mut coordinates = [[0.0; 2]; GROUP];
        for lane in 0..GROUP {
            let own = lane.min(count - 1);
            inputs[lane * self.stride..][..self.stride]
                .copy_from_slice(&batch.inputs[own * self.stride..][..self.stride]);
            coordinates[lane] = batch.coordinates.get(own).copied().unwrap_or_default();
        }
        let inputs = if self.stride == 0 { batch.inputs } else { inputs };
        let mut group = Batch { inputs, coordinates: &coordinates, outputs, count: GROUP };
        self.groups(&mut group, count);
        batch.outputs[..count * words].copy_from_slice(&group.outputs[..count * words]);
    }

    /// Runs all invocations.
    fn all(&mut self, batch: Batch<'_>) {
        let words = self.kernel.words[1];
        let Batch { inputs, coordinates, outputs, count } = batch;
        let whole = if self.kernel.one_by_one { 0 } else { count / GROUP * GROUP };
        if whole > 0 {
            self.groups(&mut Batch { inputs, coordinates, outputs, count: whole }, GROUP);
        }
        let mut at = whole;
        while at < count {
            let some = if self.kernel.one_by_one { 1 } else { count - at };
            let coordinates = coordinates.get(at..).unwrap_or(&[]);
            let inputs = &inputs[at * self.stride..];
            self.some(&mut Batch { inputs, coordinates, outputs: &mut outputs[at * words..], count: some });
            at += some;
        }
    }
}

impl CompiledStage {
    fn call(&self, prepared: &mut Prepared, environment: &Environment<'_>) -> Call<'_> {
        let args = StageArgs {
            context: prepared.context(self.key.code.local_bytes, environment),
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            patch: std::ptr::null(),
            coordinates: std::ptr::null(),
            groups: 0,
            last_vertex: 0,
            primitive: 0,
            info: 0,
            prim_type: 0,
            lanes: [-1; 4],
            indices: [[0; 4]; 4],
        };
        Call { kernel: self, args, stride: 0 }
    }
}

impl ShaderKernel for CompiledStage {
    fn run(&self, job: &mut ShaderJob<'_>) -> Result<(), Unsupported> {
        let environment = job.environment;
        let local_bytes = self.key.code.local_bytes;
        let mut prepared = Prepared::new(&self.needs, ResourceKeys::of(&self.key), local_bytes, &environment)?;
        let mut call = self.call(&mut prepared, &environment);
        let [inputs, outputs] = self.words;
        match (&mut job.work, self.key.stage) {
            (Work::Vertices(work), Stage::Vertex) => {
                if work.inputs.len() < work.count * inputs || work.outputs.len() < work.count * outputs {
                    return Err(Unsupported("records that are not there"));
                }
                call.stride = inputs;
                call.all(Batch { inputs: work.inputs, coordinates: &[], outputs: work.outputs, count: work.count });
            }
            (Work::Evaluations(work), Stage::TessEvaluation) => {
                let count = work.coordinates.len();
                let there = work.inputs.len() >= work.vertices as usize * inputs;
                if !there
                    || work.vertices == 0
                    || work.outputs.len() < count * outputs
                    || work.patch.len() < PATCH_WORDS
                {
                    return Err(Unsupported("records that are not there"));
                }
                call.args.patch = work.patch.as_ptr();
                call.args.last_vertex = work.vertices - 1;
                call.args.primitive = work.primitive;
                (call.args.info, call.args.prim_type) = (work.vertices << 16, work.vertices << 8);
                call.all(Batch { inputs: work.inputs, coordinates: work.coordinates, outputs: work.outputs, count });
            }
            _ => return Err(Unsupported("work of another stage")),
        }
        let context = call.args.context;
        prepared.finish(&context, &environment);
        Ok(())
    }

    fn code(&self) -> MachineCode {
        self.code.made()
    }
}
