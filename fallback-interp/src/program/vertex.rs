//! Vertex kernels: fetch, program and record of one vertex after the other.

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::VertexKernel;
use triglyph_guest::kernel::program::vertex::{Component, Input, Step, Stream, VertexCode, VertexJob, VertexKey};
use triglyph_guest::kernel::trace::{Item, Tracing};
use triglyph_guest::kernel::vertex::{EXHAUSTED_LIMIT, FUEL};
use triglyph_guest::num::half;
use triglyph_guest::num::ops::Scalar;

use super::Vector;
use crate::rsx_vertex::{Ending, Machine, Program, Resources};
use crate::trace::Recorder;

/// A vertex kernel: its key with the program decoded.
#[derive(Clone, Debug)]
pub struct Kernel {
    key: VertexKey,
    program: Program,
}

impl Kernel {
    /// The kernel of `key`.
    pub fn new(key: &VertexKey) -> Self {
        let VertexCode::Rsx(code) = &key.code;
        Kernel { key: key.clone(), program: Program::new(code) }
    }

    /// The value of input register `number` for the vertex of index `vertex`.
    fn input(&self, job: &VertexJob<'_>, number: usize, vertex: u32) -> Vector {
        match self.key.inputs[number] {
            Input::Fixed => job.fixed[number],
            Input::Array { component, count, step } => {
                attribute(element(&job.streams[number], step, vertex), component, count, self.key.big_endian)
            }
        }
    }
}

crate::trace::traced_batches!(VertexKernel(VertexJob): shade shade_traced = run);

impl Kernel {
    fn run(&self, job: &mut VertexJob<'_>, first: usize, tracing: Option<Tracing<'_>>) -> usize {
        let start = job.vertices.first().copied();
        let stride = self.key.stride().max(1);
        for (i, &vertex) in job.vertices.iter().enumerate().skip(first) {
            let inputs = std::array::from_fn(|number| self.input(job, number, vertex));
            let Some(record) = job.records.get_mut(i * stride..(i + 1) * stride) else { break };
            if job.exhausted >= EXHAUSTED_LIMIT {
                record.fill(0.0);
                continue;
            }
            let mut machine = Machine::new(inputs);
            let resources = Resources { constants: job.constants, keys: &self.key.textures, textures: job.textures };
            let fuel = job.fuel.min(FUEL);
            let (ending, executed) = match tracing.filter(|tracing| tracing.wants_vertex(vertex, start == Some(vertex)))
            {
                None => machine.run(&self.program, &resources, fuel),
                Some(tracing) => {
                    let mut recorder = Recorder::new(&tracing, Item::Vertex(vertex), 0, &machine);
                    let ended = machine.run_watched(&self.program, &resources, fuel, &mut recorder);
                    tracing.add(recorder.finish());
                    ended
                }
            };
            job.exhausted += u32::from(ending == Ending::OutOfFuel);
            job.excess += u64::from(executed.saturating_sub(job.free));
            let recorded = (0..32).filter(|register| self.key.outputs >> register & 1 != 0);
            for (value, register) in record.chunks_exact_mut(4).zip(recorded) {
                let output = machine.outputs.get(register).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
                let is_clamped = self.key.clamped >> register & 1 != 0;
                value.copy_from_slice(&if is_clamped { output.map(clamped) } else { output });
            }
        }
        job.vertices.len()
    }
}

/// A component of [`VertexKey::clamped`].
fn clamped(v: f32) -> f32 {
    // NaN is not above 0.
    let v = if 0.0 < v { v } else { 0.0 };
    if v < 1.0 { v } else { 1.0 }
}

/// The memory of the element that a vertex reads.
fn element<'m>(stream: &Stream<'m>, step: Step, vertex: u32) -> Window<'m> {
    let divisor = stream.divisor.max(1);
    let number = match step {
        Step::Vertex => vertex,
        Step::Divide => vertex / divisor,
        Step::Modulo => vertex % divisor,
    };
    stream.window.from(number as usize * stream.stride as usize)
}

/// The value of an attribute whose element begins where `window` does.
pub fn attribute(window: Window<'_>, component: Component, count: u8, big_endian: bool) -> Vector {
    Element { window, big_endian }.value(component, count)
}

/// An element of a vertex array.
struct Element<'m> {
    window: Window<'m>,
    big_endian: bool,
}

impl Element<'_> {
    fn value(&self, component: Component, count: u8) -> Vector {
        match component {
            Component::Packed11 => self.packed11(),
            Component::Bgra8 => {
                let [b, g, r, a] = self.window.read(0);
                [r, g, b, a].map(unorm8)
            }
            _ => {
                let mut value = [0.0, 0.0, 0.0, 1.0];
                for (i, value) in value.iter_mut().enumerate().take(count.into()) {
                    *value = self.component(component, i * component.bytes() as usize);
                }
                value
            }
        }
    }

    fn component(&self, component: Component, offset: usize) -> f32 {
        match component {
            Component::Unorm8 => unorm8(self.window.read::<1>(offset)[0]),
            Component::Uint8 => f32::from(self.window.read::<1>(offset)[0]),
            Component::CenteredSnorm16 => centered(self.short(offset) as i16),
            Component::Sint16 => f32::from(self.short(offset) as i16),
            Component::F16 => half::value(&mut Scalar, self.short(offset).into()),
            Component::F32 => f32::from_bits(self.word(offset)),
            // Formats that do not consist of single components.
            Component::Packed11 | Component::Bgra8 => 0.0,
        }
    }

    fn packed11(&self) -> Vector {
        let word = self.word(0);
        let scaled = |top: u32| {
            let v = f32::from(top as u16 as i16) * (1.0 / 32767.0);
            if v > -1.0 { v } else { -1.0 }
        };
        [scaled(word << 5 & 0xFFE0), scaled(word >> 11 << 5 & 0xFFE0), scaled(word >> 22 << 6), 1.0]
    }

    fn short(&self, offset: usize) -> u16 {
        let bytes = self.window.read(offset);
        if self.big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    fn word(&self, offset: usize) -> u32 {
        let bytes = self.window.read(offset);
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }
}

/// v / 255 as the hardware has it: a fraction of 24 bits that repeats the byte; 255 is 1.
fn unorm8(v: u8) -> f32 {
    match v {
        255 => 1.0,
        _ => u32::from_be_bytes([0, v, v, v]) as f32 / 16_777_216.0,
    }
}

/// (v + 0.5) / 32767.5 as the hardware has it: a fraction of 32 bits that repeats the magnitude of 2 v + 1, cut to the
/// 24 bits of a float.
fn centered(v: i16) -> f32 {
    match v {
        i16::MAX => 1.0,
        i16::MIN => -1.0,
        _ => {
            let odd = 2 * i64::from(v) + 1;
            let magnitude = odd.unsigned_abs() << 16 | odd.unsigned_abs();
            let excess = (u64::BITS - magnitude.leading_zeros()).saturating_sub(24);
            let cut = (magnitude >> excess << excess) as f32 / 4_294_967_296.0;
            if odd < 0 { -cut } else { cut }
        }
    }
}
