//! Vertices.

use triglyph_guest::kernel::program::stage::Vertices;
use triglyph_guest::kernel::trace::{Item, Tracing};

use super::{Record, VERTEX};
use crate::maxwell::Stages;
use crate::maxwell::context::{Attribute, Surroundings};
use crate::maxwell::lane::Lane;
use crate::maxwell::warp::Warp;

/// A vertex.
struct Vertex<'a> {
    inputs: &'a Record,
    outputs: &'a Record,
    input: &'a [u32],
    output: &'a mut [u32],
}

impl Surroundings for Vertex<'_> {
    fn load(&self, _: &Lane, attribute: &Attribute, word: u8) -> u32 {
        match (attribute.patch, attribute.output, attribute.vertex.unwrap_or(0)) {
            (true, _, _) => 0,
            (false, true, _) => self.outputs.read(self.output, 0, word),
            (false, false, 0) => self.inputs.read(self.input, 0, word),
            (false, false, _) => 0,
        }
    }

    fn store(&mut self, _: &Lane, attribute: &Attribute, word: u8, value: u32) {
        if !attribute.patch {
            self.outputs.write(self.output, 0, word, value);
        }
    }
}

/// Runs a program for vertices.
pub fn run(stages: &Stages<'_>, work: &mut Vertices<'_>, tracing: Option<Tracing<'_>>) {
    let (inputs, outputs) = (stages.inputs, stages.outputs);
    let mut warp = Warp::default();
    outputs.clear(work.outputs);
    for number in 0..work.count {
        let input = work.inputs.get(number * inputs.len..).unwrap_or(&[]);
        let output = work.outputs.get_mut(number * outputs.len..).unwrap_or(&mut []);
        let mut vertex = Vertex { inputs, outputs, input, output };
        let index = inputs.read(work.inputs, number, VERTEX);
        let wanted = tracing.filter(|tracing| tracing.wants_vertex(index, number == 0));
        let traced = wanted.as_ref().map(|tracing| (tracing, Item::Vertex(index)));
        let recorder = stages.run(&mut warp, 1, &mut vertex, traced);
        stages.keep(wanted, recorder, vertex.output);
    }
}
