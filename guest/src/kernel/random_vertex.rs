//! Random vertex keys and batches for differential tests.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::vertex::{
    Component, Input, Numbers, OutputComponent, OutputMap, PicaProgram, Program, Stream, Uniforms, VertexConstants,
    VertexJob, VertexKey,
};
use super::window::Window;
use super::window::buffer;
use crate::num::F24;
use crate::pica::random::{self, Options};

/// Options of random batches.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Options of the programs.
    pub program: Options,
    /// One in this many numbers is a special one: zeros, infinities, NaN, very large or very small. 0: none.
    pub special: u32,
    /// Vertices of a batch, at most.
    pub vertices: usize,
    /// Whether some streams are too short for the batch or not there at all.
    pub holes: bool,
    /// The number format of programs' arithmetic. With 24-bit floats and special numbers some lie about the limits of
    /// those.
    pub numbers: Numbers,
}

impl Default for Mix {
    fn default() -> Self {
        Mix { program: Options::default(), special: 16, vertices: 23, holes: true, numbers: Numbers::F32 }
    }
}

/// The inputs of a [`VertexJob`], owned.
#[derive(Debug)]
pub struct Batch {
    /// Bytes of each stream and its stride.
    streams: Vec<(Vec<AtomicU8>, u32)>,
    /// Fixed attributes.
    pub fixed: [[f32; 4]; 16],
    /// Uniforms.
    pub uniforms: Uniforms,
    /// Viewport and clip plane.
    pub constants: VertexConstants,
    /// Array elements.
    pub vertices: Vec<u32>,
}

/// A random key and a batch for it. `rng` gives 32 random bits a call.
pub fn case(rng: &mut impl FnMut() -> u32, mix: Mix) -> (VertexKey, Batch) {
    let key = key(rng, mix);
    let batch = batch(rng, mix, &key);
    (key, batch)
}

/// A random key.
pub fn key(rng: &mut impl FnMut() -> u32, mix: Mix) -> VertexKey {
    let program = random::program(rng, mix.program);
    let entry = if mix.program.ragged && one_in(rng, 4) { (rng() % 16) as u16 } else { 0 };
    let bools = rng() as u16;
    let (code, descriptors, numbers) = (program.code, program.descriptors, mix.numbers);
    let program = PicaProgram { code, descriptors, entry, bools, numbers };
    VertexKey {
        program: Program::Pica(Arc::new(program)),
        inputs: std::array::from_fn(|_| input(rng)),
        outputs: output_map(rng),
        user_clip: rng() & 1 != 0,
    }
}

fn one_in(rng: &mut impl FnMut() -> u32, n: u32) -> bool {
    n != 0 && rng().is_multiple_of(n)
}

fn input(rng: &mut impl FnMut() -> u32) -> Input {
    let bits = rng();
    match bits % 8 {
        0 => Input::Zero,
        1 | 2 => Input::Fixed((bits >> 8) as u8 & 15),
        _ => Input::Array {
            stream: (bits >> 8) as u8 & 15,
            component: [Component::I8, Component::U8, Component::I16, Component::F32, Component::F32]
                [(bits >> 16) as usize % 5],
            count: (bits >> 24) as u8 % 4 + 1,
        },
    }
}

/// Two to six groups of slots, some of them empty, some components saturated.
fn output_map(rng: &mut impl FnMut() -> u32) -> OutputMap {
    let groups = 2 + rng() as usize % 5;
    let mut slots = Vec::new();
    for group in 0..groups {
        let empty = group > 0 && one_in(rng, 5);
        for slot in 0..4u8 {
            let bits = rng();
            let scattered = bits.is_multiple_of(4);
            let register = if scattered { (bits >> 8) as u8 & 15 } else { group as u8 };
            let component = if scattered { (bits >> 16) as u8 & 3 } else { slot };
            let saturate = group > 0 && bits >> 24 & 1 != 0;
            let mapped = !empty && !(bits >> 26).is_multiple_of(8);
            slots.push(mapped.then_some(OutputComponent { register, component, saturate }));
        }
    }
    OutputMap { slots }
}

/// A random number: mostly a small one.
pub fn number(rng: &mut impl FnMut() -> u32, mix: Mix) -> f32 {
    const SPECIAL: [f32; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        1e38,
        -1e38,
        1e-40,
        -1e-40,
        f32::MIN_POSITIVE,
        127.5,
        -128.5,
        3e9,
        0.5,
    ];
    let bits = rng();
    if one_in(rng, mix.special) {
        return SPECIAL[bits as usize % SPECIAL.len()];
    }
    match bits >> 28 {
        // Both signs, all 24 bits of mantissa, 2^-10 to 2^9 or, where there are special numbers, 2^-80 to 2^79.
        0..=2 if mix.numbers == Numbers::F24 => {
            let exponent = if mix.special == 0 { 117 + bits % 20 } else { 47 + bits % 160 };
            f32::from_bits(rng() & 0x807F_FFFF | exponent << 23)
        }
        0 => F24::decode(bits & 0xFF_FFFF | 0x10_0000),
        1..=3 => (bits & 0xFF) as f32 - 128.0,
        _ => (bits & 0xFFFF) as f32 / 8192.0 - 4.0,
    }
}

fn vector(rng: &mut impl FnMut() -> u32, mix: Mix) -> [f32; 4] {
    std::array::from_fn(|_| number(rng, mix))
}

/// A random batch for a key.
pub fn batch(rng: &mut impl FnMut() -> u32, mix: Mix, key: &VertexKey) -> Batch {
    let count = 1 + rng() as usize % mix.vertices.max(1);
    let range = 1 + rng() % 40;
    let vertices: Vec<u32> = (0..count).map(|_| rng() % range).collect();
    let streams = (0..16).map(|number| stream(rng, mix, key, number, range)).collect();
    let mut uniforms = Uniforms::default();
    for value in &mut uniforms.floats[..96] {
        *value = vector(rng, mix);
    }
    for value in &mut uniforms.ints {
        let bits = rng();
        *value = [bits as u8 % 6, (bits >> 8) as u8 % 64, (bits >> 16) as u8 % 5, 0];
        if one_in(rng, 16) {
            *value = rng().to_le_bytes();
        }
    }
    Batch {
        streams,
        fixed: std::array::from_fn(|_| vector(rng, mix)),
        uniforms,
        constants: VertexConstants {
            half: [120.0, (rng() % 512) as f32 / 2.0],
            corner: [(rng() % 64) as f32, 0.0],
            clip_plane: vector(rng, mix),
        },
        vertices,
    }
}

/// Bytes for the elements below `range` of a stream, floats where the key wants floats.
fn stream(
    rng: &mut impl FnMut() -> u32,
    mix: Mix,
    key: &VertexKey,
    number_of_stream: u8,
    range: u32,
) -> (Vec<AtomicU8>, u32) {
    let components: Vec<Component> = key
        .inputs
        .iter()
        .filter_map(|input| match *input {
            Input::Array { stream, component, .. } if stream == number_of_stream => Some(component),
            _ => None,
        })
        .collect();
    let floats = components.contains(&Component::F32);
    let stride = match rng() % 4 {
        0 => 16,
        1 => 4 * (rng() % 12),
        _ if floats => 4 * (1 + rng() % 6),
        _ => rng() % 24,
    };
    if components.is_empty() {
        return (Vec::new(), stride);
    }
    let mut size = (range * stride + 16) as usize;
    if mix.holes && one_in(rng, 12) {
        size = rng() as usize % (size + 1);
    }
    let mut bytes = Vec::with_capacity(size + 4);
    while bytes.len() < size {
        let word = if floats { number(rng, mix).to_bits() } else { rng() };
        bytes.extend(word.to_le_bytes());
    }
    bytes.truncate(size);
    (buffer(&bytes), stride)
}

impl Batch {
    /// Replaces the bytes of a stream.
    pub fn set_stream(&mut self, number: usize, bytes: Vec<u8>, stride: u32) {
        self.streams[number & 15] = (buffer(&bytes), stride);
    }

    /// Runs `shade` on the job, with records and clip codes that hold 77 before. Returns them with `shade`'s result.
    pub fn run<R>(&self, stride: usize, shade: impl FnOnce(&mut VertexJob<'_>) -> R) -> (Vec<f32>, Vec<u8>, R) {
        let streams: [Stream<'_>; 16] = std::array::from_fn(|i| {
            let (bytes, stride) = &self.streams[i];
            Stream { window: Window::new(bytes), stride: *stride }
        });
        let (mut records, mut clip) = (vec![77.0; stride * self.vertices.len()], vec![77; self.vertices.len()]);
        let result = shade(&mut VertexJob {
            exhausted: 0,
            streams: &streams,
            fixed: &self.fixed,
            uniforms: &self.uniforms,
            constants: self.constants,
            vertices: &self.vertices,
            last_vertex: self.vertices.iter().copied().max().unwrap_or(0),
            records: &mut records,
            clip: &mut clip,
        });
        (records, clip, result)
    }
}
