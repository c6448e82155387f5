//! Random vertex keys and batches for differential tests.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::random_texture::{self, RandomTexture};
use super::vertex::{
    Component, Input, ROOM, RSX_CONSTANTS, RsxVertexCode, Step, Stream, VertexCode, VertexJob, VertexKey,
};
use crate::kernel::random::Random;
use crate::kernel::vertex::FUEL;
use crate::kernel::window::{Window, buffer};
use crate::rsx::vertex::random::{self, Options};

/// Options of random batches.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Options of the programs.
    pub program: Options,
    /// Vertices of a batch, at most.
    pub vertices: u32,
    /// Whether some arrays are too short for the batch or not there at all.
    pub holes: bool,
    /// Whether some batches have too little fuel for their programs.
    pub short_of_fuel: bool,
}

impl Default for Mix {
    fn default() -> Self {
        let program = Options { textures: true, ..Options::default() };
        Mix { program, vertices: 23, holes: true, short_of_fuel: true }
    }
}

/// The inputs of a [`VertexJob`], owned.
#[derive(Debug)]
pub struct Batch {
    streams: Vec<RandomStream>,
    /// Values of registers without array.
    pub fixed: [[f32; 4]; 16],
    /// Constants.
    pub constants: Vec<[f32; 4]>,
    textures: [Option<RandomTexture>; 4],
    /// Element indices.
    pub vertices: Vec<u32>,
    /// Instructions of an invocation.
    pub fuel: u32,
    /// Instructions that do not count as excess.
    pub free: u32,
}

/// The results of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// The records.
    pub values: Vec<f32>,
    /// Invocations that ran out of fuel.
    pub exhausted: u32,
    /// Instructions beyond those that are free.
    pub excess: u64,
}

/// The content of records before a kernel runs; programs compute no such number.
pub const UNWRITTEN: f32 = -77.062_5e11;

#[derive(Debug)]
struct RandomStream {
    bytes: Vec<AtomicU8>,
    stride: u32,
    divisor: u32,
}

/// A random key and a batch for it. `word` gives 32 random bits a call.
pub fn case(word: &mut impl FnMut() -> u32, mix: Mix) -> (VertexKey, Batch) {
    let generated = random::program(word, mix.program);
    let r = &mut Random { word };
    let mut textures: [Option<RandomTexture>; 4] = Default::default();
    let mut keys = [None; 4];
    if mix.program.textures {
        for unit in 0..4 {
            if !r.one_in(4) {
                let (key, texture) = random_texture::unit(r);
                (keys[unit], textures[unit]) = (Some(key), Some(texture));
            }
        }
    }
    let code = RsxVertexCode { code: generated.code, start: generated.start as u16, branch_bits: r.word() };
    let outputs = 1 | r.word() & 0xFFFF & if r.one_in(2) { r.word() } else { u32::MAX };
    let key = VertexKey {
        code: VertexCode::Rsx(Arc::new(code)),
        inputs: [(); 16].map(|()| input(r)),
        big_endian: !r.one_in(3),
        outputs,
        clamped: outputs & if r.one_in(2) { r.word() } else { 0 },
        textures: keys,
    };
    let batch = batch(r, mix, &key, textures);
    (key, batch)
}

/// A random batch for a key.
pub fn batch_of(word: &mut impl FnMut() -> u32, mix: Mix, key: &VertexKey) -> Batch {
    let r = &mut Random { word };
    let textures = key.textures.each_ref().map(|key| key.map(|key| random_texture::texture(r, &key)));
    batch(r, mix, key, textures)
}

const COMPONENTS: [Component; 8] = [
    Component::Unorm8,
    Component::Uint8,
    Component::CenteredSnorm16,
    Component::Sint16,
    Component::F16,
    Component::F32,
    Component::Packed11,
    Component::Bgra8,
];

fn input<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Input {
    if r.one_in(4) {
        return Input::Fixed;
    }
    let component = if r.one_in(3) { Component::F32 } else { r.pick(&COMPONENTS) };
    let step = r.pick(&[Step::Vertex, Step::Vertex, Step::Vertex, Step::Divide, Step::Modulo]);
    Input::Array { component, count: 1 + r.below(4) as u8, step }
}

/// A number with which programs compute something: mostly a small one.
fn number<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> f32 {
    match r.below(4) {
        0 => r.below(256) as f32 - 128.0,
        _ => r.float(-4.0, 4.0),
    }
}

fn batch<R: FnMut() -> u32>(
    r: &mut Random<'_, R>,
    mix: Mix,
    key: &VertexKey,
    textures: [Option<RandomTexture>; 4],
) -> Batch {
    let range = 1 + r.below(40);
    let count = 1 + r.below(mix.vertices.max(1));
    let vertices = (0..count).map(|_| r.below(range)).collect();
    let streams = key.inputs.iter().map(|input| stream(r, mix, key, *input, range)).collect();
    let vector = |r: &mut Random<'_, R>| [(); 4].map(|()| number(r));
    let fuel = if mix.short_of_fuel && r.one_in(8) { 1 + r.below(100) } else { FUEL };
    let VertexCode::Rsx(code) = &key.code;
    let free = code.code.len() as u32;
    Batch {
        streams,
        fixed: [(); 16].map(|()| vector(r)),
        constants: (0..RSX_CONSTANTS).map(|_| vector(r)).collect(),
        textures,
        vertices,
        fuel,
        free,
    }
}

/// Memory for the elements of `input` below `range`.
fn stream<R: FnMut() -> u32>(
    r: &mut Random<'_, R>,
    mix: Mix,
    key: &VertexKey,
    input: Input,
    range: u32,
) -> RandomStream {
    let Input::Array { component, count, .. } = input else {
        return RandomStream { bytes: Vec::new(), stride: 0, divisor: 1 };
    };
    let element = component.element_bytes(count);
    let stride = match r.below(6) {
        0 => 0,
        1 => r.below(40),
        _ => element + r.pick(&[0, 0, 4, 8]),
    };
    // Arrays rarely end at the very end of memory, where compiled code cannot load whole words.
    let padding = if mix.holes && r.one_in(8) { 0 } else { 16 };
    let mut size = (range * stride + element + padding) as usize;
    if mix.holes && r.one_in(12) {
        size = r.below(size as u32 + 1) as usize;
    }
    let mut bytes = Vec::with_capacity(size + 4);
    while bytes.len() < size {
        let word = if component == Component::F32 { number(r).to_bits() } else { r.word() };
        bytes.extend(if key.big_endian { word.to_be_bytes() } else { word.to_le_bytes() });
    }
    bytes.truncate(size);
    RandomStream { bytes: buffer(&bytes), stride, divisor: 1 + r.below(5) }
}

impl Batch {
    /// Runs `shade` on the job, with records that hold [`UNWRITTEN`] before. Returns them with `shade`'s result.
    pub fn run<T>(&self, key: &VertexKey, shade: impl FnOnce(&mut VertexJob<'_>) -> T) -> (Records, T) {
        let streams: [Stream<'_>; 16] = std::array::from_fn(|i| {
            let RandomStream { bytes, stride, divisor } = &self.streams[i];
            Stream { window: Window::new(bytes), stride: *stride, divisor: *divisor }
        });
        // Some have room for whole groups, others end with the last record.
        let count = self.vertices.len();
        let room = if count.is_multiple_of(2) { count.next_multiple_of(ROOM) } else { count };
        let mut records = vec![UNWRITTEN; key.stride() * room];
        let mut job = VertexJob {
            streams: &streams,
            fixed: &self.fixed,
            constants: &self.constants,
            textures: &random_texture::textures(&self.textures),
            vertices: &self.vertices,
            last_vertex: self.vertices.iter().copied().max().unwrap_or(0),
            fuel: self.fuel,
            free: self.free,
            records: &mut records,
            exhausted: 0,
            excess: 0,
        };
        let result = shade(&mut job);
        let (exhausted, excess) = (job.exhausted, job.excess);
        records.truncate(key.stride() * count);
        (Records { values: records, exhausted, excess }, result)
    }
}

impl Records {
    /// Whether two kernels have left the same: to the bit, but any NaN is as good as another.
    pub fn same(&self, other: &Records) -> bool {
        let bits = |v: &f32| if v.is_nan() { f32::NAN.to_bits() } else { v.to_bits() };
        let counted = (self.exhausted, self.excess) == (other.exhausted, other.excess);
        counted && self.values.iter().map(bits).eq(other.values.iter().map(bits))
    }
}
