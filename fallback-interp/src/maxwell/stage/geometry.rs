//! Geometry programs: vertices that they emit.

use triglyph_guest::kernel::program::stage::{Emit, Primitives};
use triglyph_guest::kernel::trace::{Item, Tracing};
use triglyph_guest::tegra::shader::isa::{OutKind, SpecialRegister};

use super::{PRIMITIVE, Record, patch};
use crate::maxwell::Stages;
use crate::maxwell::context::{Attribute, Surroundings};
use crate::maxwell::lane::Lane;
use crate::maxwell::warp::Warp;

/// An invocation.
struct Invocation<'a> {
    inputs: &'a Record,
    outputs: &'a Record,
    input: &'a [u32],
    /// The outputs of the next vertex.
    current: &'a mut [u32],
    records: &'a mut Vec<u32>,
    emits: &'a mut Vec<Emit>,
    vertices: u32,
    primitive: u32,
    instance: u32,
    /// Vertices that may still be emitted.
    left: u32,
}

impl Surroundings for Invocation<'_> {
    fn special(&self, _: &Lane, register: SpecialRegister) -> u32 {
        match register {
            SpecialRegister::InvocationId => self.instance,
            _ => patch::vertices(self.vertices, register),
        }
    }

    fn load(&self, _: &Lane, attribute: &Attribute, word: u8) -> u32 {
        let vertex = attribute.vertex.unwrap_or(0);
        match (attribute.patch, attribute.output) {
            (true, _) => 0,
            (false, true) => self.outputs.read(self.current, 0, word),
            (false, false) if word == PRIMITIVE => self.primitive,
            (false, false) if vertex < self.vertices => self.inputs.read(self.input, vertex as usize, word),
            (false, false) => 0,
        }
    }

    fn store(&mut self, _: &Lane, attribute: &Attribute, word: u8, value: u32) {
        if !attribute.patch {
            self.outputs.write(self.current, 0, word, value);
        }
    }

    fn emit(&mut self, kind: OutKind, stream: u8) {
        if matches!(kind, OutKind::Emit | OutKind::EmitThenCut) && self.left != 0 {
            self.left -= 1;
            self.records.extend_from_slice(self.current);
            self.emits.push(Emit::Vertex { stream });
        }
        if matches!(kind, OutKind::Cut | OutKind::EmitThenCut) {
            self.emits.push(Emit::Cut { stream });
        }
    }
}

/// Runs a geometry program.
pub fn run(stages: &Stages<'_>, work: &mut Primitives<'_>, tracing: Option<Tracing<'_>>) {
    let (inputs, outputs) = (stages.inputs, stages.outputs);
    let read = work.vertices as usize * inputs.len;
    let mut warp = Warp::default();
    let mut current = vec![0; outputs.len];
    for (number, &primitive) in work.primitives.iter().enumerate() {
        for instance in 0..work.instances.clamp(1, 32) {
            outputs.clear(&mut current);
            let mut invocation = Invocation {
                inputs,
                outputs,
                input: work.inputs.get(number * read..).unwrap_or(&[]),
                current: &mut current,
                records: &mut *work.records,
                emits: &mut *work.emits,
                vertices: work.vertices,
                primitive,
                instance,
                left: work.most,
            };
            let wanted = tracing.filter(|tracing| tracing.wants_primitive(primitive));
            let traced = wanted.as_ref().map(|tracing| (tracing, Item::Primitive(primitive, instance)));
            let recorder = stages.run(&mut warp, 1, &mut invocation, traced);
            stages.keep(wanted, recorder, invocation.current);
            work.emits.push(Emit::End { primitive: number as u32 });
        }
    }
}
