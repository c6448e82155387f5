//! Geometry programs that let vertices pass: once for each primitive they say layer, viewport and the like.
//!
//! Such a program reads its primitive's vertices and emits nothing; what it has stored when it ends is one record for
//! the primitive. That is a control program of one thread for patches of the primitive's vertices, and is run as one.
//! Source: Ryujinx, and the OpenGL extension NV_geometry_shader_passthrough.

use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Patches, Stage};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{ReportKind, Topology, regs as r};

use super::codes::{Linkage, Program};
use super::stage::{Records, outputs, run_patches};
use super::stage_numbers::GEOMETRY;
use crate::class_3d::ThreeD;
use crate::class_3d::draw::assembly;
use crate::class_3d::draw::geometry::{Assembled, Ids, completed};
use crate::class_3d::draw::statistics;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;
use triglyph_engine::draw::program::{RESTART, Split};
use triglyph_engine::frontend::budget::cost;

/// System values that are the primitive's even where its vertices have them.
const OF_PRIMITIVES: [u32; 4] =
    [attribute::PRIMITIVE_ID, attribute::LAYER, attribute::VIEWPORT, attribute::VIEWPORT_MASK];

impl ThreeD {
    /// The primitives with vertices of their own, to which the program has added.
    pub(crate) fn pass_through(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        program: &Program,
        records: &Records,
        assembled: &Assembled,
    ) -> Option<(Records, Assembled)> {
        let patch = r::set_patch::size(registers.get(r::set_patch::ID));
        let vertices = assembly::vertices(assembled.topology, patch).clamp(1, 32);
        let read = completed(records, &program.loaded);
        let (mut inputs, mut order, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        assembly::groups(assembled.topology, assembled.split, patch, &assembled.order, |group| {
            ids.push(assembled.ids.get(ids.len(), group.last().copied().unwrap_or(0)));
            group.iter().take(32).for_each(|&vertex| inputs.extend_from_slice(read.get(vertex)));
            order.extend(own(group));
        });
        if let Ids::From(first) = assembled.ids {
            self.primitive = first.wrapping_add(ids.len() as u32);
        }
        let work = ids.len() as u64 * program.loaded.instructions;
        let time = self.progress.time_of(GEOMETRY, work);
        if ids.is_empty() || !core.budget.spend(time) || !core.budget.charge(work * cost::INSTRUCTION) {
            return None;
        }
        let set = outputs(&program.loaded);
        let mut stored = vec![0; ids.len() * set.len()];
        let mut patches = vec![0; ids.len() * PATCH_WORDS];
        let linkage = Linkage { stage: Stage::TessControl, inputs: read.set, outputs: set };
        self.run_stage(core, (GEOMETRY, 1), (program, linkage), |_, handle, meter| {
            let work = Patches {
                vertices,
                threads: 1,
                inputs: &inputs,
                outputs: &mut stored,
                patches: &mut patches,
                primitives: &ids,
            };
            run_patches(handle, meter, work);
        });
        statistics::count(registers, counters, ReportKind::GsInvocations, 0, ids.len() as u64);
        let stored = Records { words: stored, set };
        Some(join(records, &stored, &program.loaded.outputs, &order, assembled.topology, ids))
    }
}

/// The vertices of a primitive without those next to it.
fn own(group: &[u32]) -> Vec<u32> {
    match *group {
        [_, a, b, _] => vec![a, b],
        [a, _, b, _, c, _] => vec![a, b, c],
        _ => group.to_vec(),
    }
}

/// Each vertex of each primitive: its own words, and of `stored` those that it does not have or that are the
/// primitive's.
fn join(
    records: &Records,
    stored: &Records,
    written: &WordSet,
    order: &[u32],
    topology: Topology,
    ids: Vec<u32>,
) -> (Records, Assembled) {
    let set = records.set.union(written);
    let each = order.len().checked_div(ids.len()).unwrap_or(0).max(1);
    let of_primitive = |word: u8| OF_PRIMITIVES.contains(&(4 * u32::from(word)));
    let mut words = Vec::with_capacity(order.len() * set.len());
    for (i, &vertex) in order.iter().enumerate() {
        let (own, added) = (records.get(vertex), stored.get((i / each) as u32));
        words.extend(set.iter().map(|word| {
            let mine = records.set.index(word).filter(|_| !(of_primitive(word) && written.contains(word)));
            match mine {
                Some(at) => own[at],
                None => stored.set.index(word).map_or(0, |at| added[at]),
            }
        }));
    }
    let mut vertices = Vec::with_capacity(order.len() + ids.len());
    for (i, _) in order.iter().enumerate() {
        vertices.push(i as u32);
        if i % each + 1 == each {
            vertices.push(RESTART);
        }
    }
    let topology = match (topology, each) {
        (_, 1) => Topology::Points,
        (_, 2) => Topology::Lines,
        _ => Topology::Triangles,
    };
    (Records { words, set }, Assembled { topology, split: Split::NONE, order: vertices, ids: Ids::Each(ids) })
}
