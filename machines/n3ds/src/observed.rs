//! The PICA200 for observers: commands, draws and what they read.

use triglyph_guest::kernel::vertex::Uniforms;

use crate::class_3d::programs::unit::ShaderUnit;
use crate::class_3d::state::output_map;
use crate::class_3d::state::vertex::Array;
use crate::class_3d::{Host, Pica};
use triglyph_engine::draw::Batch;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::probe::{Command, ConstantKind, Constants, Input};

impl Pica {
    /// Does what a write of `value` to register `id` asks for, for an observer to see if there is one.
    #[inline]
    pub(crate) fn observed(
        &mut self,
        host: &mut Host<'_>,
        id: usize,
        value: u32,
        run: impl FnOnce(&mut Self, &mut Host<'_>),
    ) {
        if !host.renderer.is_observed() {
            return run(self, host);
        }
        let command = Command { class: 0, method: id as u32, value, position: self.position };
        host.renderer.begin_command(host.memory, &command, self.registers.live(), host.faults.total());
        run(self, host);
        host.renderer.end_command(host.memory, &command, self.registers.live(), host.faults.total());
    }

    /// Tells the observer of vertices and uniforms of a draw.
    #[cold]
    pub(crate) fn note_inputs(&self, host: &mut Host<'_>, batch: &Batch<'_>, arrays: &[Option<Array>; 12]) {
        let start = |i: usize| Some(GuestAddr::new(0, arrays.get(i)?.as_ref()?.address.into()));
        host.renderer.note_vertices(batch, &std::array::from_fn(start));
        note_uniforms(host, "vertex", &self.vertex_unit);
        if output_map::geometry_enabled(&self.registers) {
            note_uniforms(host, "geometry", &self.geometry_unit);
        }
    }
}

/// Float uniforms that exist; those that follow are what an index beyond them reads.
const FLOATS: usize = 96;

fn note_uniforms(host: &mut Host<'_>, stage: &str, unit: &ShaderUnit) {
    let Uniforms { floats, ints } = &unit.uniforms;
    let named = |kind: &str| format!("{stage} {kind}");
    let integers = ints.as_flattened().iter().map(|&value| value.into()).collect();
    let booleans = (0..16).map(|bit| u32::from(unit.bools >> bit & 1)).collect();
    for constants in [
        Constants::floats(&named("c"), &floats[..FLOATS]),
        Constants { name: named("i"), kind: ConstantKind::Integers, range: None, words: integers },
        Constants { name: named("b"), kind: ConstantKind::Booleans, range: None, words: booleans },
    ] {
        host.renderer.note_input(&Input::Constants(&constants));
    }
}
