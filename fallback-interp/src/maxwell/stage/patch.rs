//! Tessellation: patches, and the vertices into which the tessellator divides them.

use triglyph_guest::kernel::maxwell::LANES;
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Evaluations, Patches};
use triglyph_guest::kernel::trace::{Item, Tracing};
use triglyph_guest::tegra::shader::isa::SpecialRegister;

use super::{COORDINATES, PRIMITIVE, Record};
use crate::maxwell::Stages;
use crate::maxwell::context::{Attribute, Surroundings};
use crate::maxwell::lane::Lane;
use crate::maxwell::warp::Warp;

/// Vertices of a patch or primitive, as two special registers have them.
pub(super) fn vertices(count: u32, register: SpecialRegister) -> u32 {
    match register {
        SpecialRegister::InvocationInfo => (count & 0xFF) << 16,
        SpecialRegister::PrimType => (count & 0xFF) << 8,
        _ => 0,
    }
}

/// A patch whose vertices and levels are made.
struct Control<'a> {
    inputs: &'a Record,
    outputs: &'a Record,
    input: &'a [u32],
    output: &'a mut [u32],
    patch: &'a mut [u32],
    vertices: u32,
    threads: u32,
    primitive: u32,
}

impl Surroundings for Control<'_> {
    fn special(&self, lane: &Lane, register: SpecialRegister) -> u32 {
        if register == SpecialRegister::InvocationId { lane.id } else { vertices(self.vertices, register) }
    }

    fn load(&self, lane: &Lane, attribute: &Attribute, word: u8) -> u32 {
        if attribute.patch {
            return self.patch.get(usize::from(word)).copied().unwrap_or(0);
        }
        // A lane's number is that of its vertex.
        let vertex = attribute.vertex.unwrap_or(lane.id);
        match attribute.output {
            true if vertex < self.threads => self.outputs.read(self.output, vertex as usize, word),
            false if word == PRIMITIVE => self.primitive,
            false if vertex < self.vertices => self.inputs.read(self.input, vertex as usize, word),
            _ => 0,
        }
    }

    fn store(&mut self, lane: &Lane, attribute: &Attribute, word: u8, value: u32) {
        if !attribute.patch {
            self.outputs.write(self.output, lane.id as usize, word, value);
        } else if let Some(place) = self.patch.get_mut(usize::from(word)) {
            *place = value;
        }
    }
}

/// Runs a control program.
pub fn control(stages: &Stages<'_>, work: &mut Patches<'_>, tracing: Option<Tracing<'_>>) {
    let (inputs, outputs) = (stages.inputs, stages.outputs);
    let threads = work.threads.clamp(1, LANES as u32);
    let (read, made) = (work.vertices as usize * inputs.len, threads as usize * outputs.len);
    let mut warp = Warp::default();
    outputs.clear(work.outputs);
    for (number, &primitive) in work.primitives.iter().enumerate() {
        let mut control = Control {
            inputs,
            outputs,
            input: work.inputs.get(number * read..).unwrap_or(&[]),
            output: work.outputs.get_mut(number * made..).unwrap_or(&mut []),
            patch: work.patches.get_mut(number * PATCH_WORDS..(number + 1) * PATCH_WORDS).unwrap_or(&mut []),
            vertices: work.vertices,
            threads,
            primitive,
        };
        let wanted = tracing.filter(|tracing| tracing.wants_primitive(primitive));
        let traced = wanted.as_ref().map(|tracing| (tracing, Item::Primitive(primitive, 0)));
        let recorder = stages.run(&mut warp, threads as usize, &mut control, traced);
        stages.keep(wanted, recorder, control.output);
    }
}

/// A vertex that the tessellator made.
struct Evaluation<'a> {
    inputs: &'a Record,
    outputs: &'a Record,
    input: &'a [u32],
    patch: &'a [u32],
    output: &'a mut [u32],
    coordinates: [f32; 2],
    vertices: u32,
    primitive: u32,
}

impl Surroundings for Evaluation<'_> {
    fn special(&self, _: &Lane, register: SpecialRegister) -> u32 {
        vertices(self.vertices, register)
    }

    fn load(&self, _: &Lane, attribute: &Attribute, word: u8) -> u32 {
        if attribute.patch {
            return self.patch.get(usize::from(word)).copied().unwrap_or(0);
        }
        if let Some(axis) = COORDINATES.iter().position(|&coordinate| coordinate == word) {
            return self.coordinates[axis].to_bits();
        }
        let vertex = attribute.vertex.unwrap_or(0);
        match attribute.output {
            true => self.outputs.read(self.output, 0, word),
            false if word == PRIMITIVE => self.primitive,
            false if vertex < self.vertices => self.inputs.read(self.input, vertex as usize, word),
            false => 0,
        }
    }

    fn store(&mut self, _: &Lane, attribute: &Attribute, word: u8, value: u32) {
        if !attribute.patch {
            self.outputs.write(self.output, 0, word, value);
        }
    }
}

/// Runs an evaluation program.
pub fn evaluation(stages: &Stages<'_>, work: &mut Evaluations<'_>, tracing: Option<Tracing<'_>>) {
    let (inputs, outputs) = (stages.inputs, stages.outputs);
    let mut warp = Warp::default();
    outputs.clear(work.outputs);
    for (number, &coordinates) in work.coordinates.iter().enumerate() {
        let mut evaluation = Evaluation {
            inputs,
            outputs,
            input: work.inputs,
            patch: work.patch,
            output: work.outputs.get_mut(number * outputs.len..).unwrap_or(&mut []),
            coordinates,
            vertices: work.vertices,
            primitive: work.primitive,
        };
        let wanted = tracing.filter(|tracing| tracing.wants_primitive(work.primitive));
        let traced = wanted.as_ref().map(|tracing| (tracing, Item::Primitive(work.primitive, number as u32)));
        let recorder = stages.run(&mut warp, 1, &mut evaluation, traced);
        stages.keep(wanted, recorder, evaluation.output);
    }
}
