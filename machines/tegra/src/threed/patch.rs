//! Patches: control program, tessellator, evaluation program.

use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Evaluations, Patches, ShaderJob, Stage, Work};
use triglyph_guest::tegra::methods::threed::{
    ReportKind, TessellationDomain, TessellationOutput, TessellationSpacing, Topology, regs as r,
};

use super::geometry::{Assembled, Ids, completed};
use super::stage::{Linkage, Records, TESS_CONTROL, TESS_EVALUATION, affordable, is_endless, outputs, run_patches};
use super::{ThreeD, statistics};
use crate::core::Core;
use crate::registers::Registers;
use crate::report::Counters;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::RESTART;
use triglyph_engine::draw::tessellate::{Domain, Levels, Output, Spacing, Tessellator};
use triglyph_engine::frontend::budget::cost;

/// Vertices of a patch at most.
const MOST_VERTICES: u32 = 32;
/// What dividing a patch costs, in nanoseconds of the clock.
const PATCH: u64 = 200;

/// Patches with their own words, patch after patch.
struct Controlled {
    records: Records,
    /// Vertices of a patch.
    vertices: u32,
    words: Vec<u32>,
    /// Numbers of the patches.
    ids: Vec<u32>,
}

impl ThreeD {
    /// Divides patches and runs the evaluation program. `None` when nothing can come of it.
    pub(super) fn tessellate(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: Records,
        order: &[u32],
    ) -> Option<(Records, Assembled)> {
        // Without an evaluation program nothing is drawn.
        if !Self::is_on(registers, TESS_EVALUATION) {
            return None;
        }
        let size = r::set_patch::size(registers.get(r::set_patch::ID));
        if !(1..=MOST_VERTICES).contains(&size) {
            let what = format_args!("patches of {size} vertices");
            core.fault(FaultKind::BadMethod, r::set_patch::ID as u64, what);
            return None;
        }
        let controlled = self.control(core, registers, counters, &records, order, size)?;
        self.evaluate(core, registers, counters, &controlled)
    }

    fn control(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: &Records,
        order: &[u32],
        size: u32,
    ) -> Option<Controlled> {
        let stride = records.set.len();
        let mut inputs = Records { words: Vec::new(), set: records.set };
        let mut count = 0;
        if !affordable(core, order.len(), stride) {
            return None;
        }
        for run in order.split(|&vertex| vertex == RESTART) {
            for patch in run.chunks_exact(size as usize) {
                patch.iter().for_each(|&vertex| inputs.words.extend_from_slice(records.get(vertex)));
                count += 1;
            }
        }
        debug_assert_eq!(inputs.words.len(), count * size as usize * stride);
        let first = self.primitive;
        self.primitive = first.wrapping_add(count as u32);
        let ids: Vec<u32> = (0..count as u32).map(|i| first.wrapping_add(i)).collect();
        if !core.budget.spend(count as u64 * PATCH) || !affordable(core, count, PATCH_WORDS) {
            return None;
        }
        let mut words = vec![0; count * PATCH_WORDS];
        if !Self::is_on(registers, TESS_CONTROL) {
            let levels = r::set_tessellation_lod::IDS.map(|id| registers.get(id));
            words.chunks_exact_mut(PATCH_WORDS).for_each(|patch| patch[..6].copy_from_slice(&levels));
            return Some(Controlled { records: inputs, vertices: size, words, ids });
        }
        let program = self.program(core, registers, TESS_CONTROL)?;
        let inputs = completed(&inputs, &program.loaded).into_owned();
        let threads = program.loaded.header.threads_per_primitive().min(MOST_VERTICES);
        let set = outputs(&program.loaded);
        statistics::count(registers, counters, ReportKind::TiInvocations, 0, count as u64 * u64::from(threads));
        let work = count as u64 * u64::from(threads) * program.loaded.instructions;
        if !core.budget.spend(work / 4) || !core.budget.charge(work * cost::INSTRUCTION) {
            return None;
        }
        if !affordable(core, count * threads as usize, set.len()) {
            return None;
        }
        let mut out = Records { words: vec![0; count * threads as usize * set.len()], set };
        let linkage = Linkage { stage: Stage::TessControl, inputs: inputs.set, outputs: set };
        self.codes.run(core, &program, linkage, |_, handle, environment| {
            let patches = Patches {
                vertices: size,
                threads,
                inputs: &inputs.words,
                outputs: &mut out.words,
                patches: &mut words,
                primitives: &ids,
            };
            run_patches(handle, environment, patches);
        });
        Some(Controlled { records: out, vertices: threads, words, ids })
    }

    fn evaluate(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        patches: &Controlled,
    ) -> Option<(Records, Assembled)> {
        let program = self.program(core, registers, TESS_EVALUATION)?;
        let records = &*completed(&patches.records, &program.loaded);
        let tessellator = tessellator(registers);
        let (topology, corners) = match tessellator.output {
            Output::Points => (Topology::Points, 1),
            Output::Lines => (Topology::Lines, 2),
            Output::Clockwise | Output::CounterClockwise => (Topology::Triangles, 3),
        };
        let (topology, corners) = match tessellator.domain {
            Domain::Isolines if tessellator.output != Output::Points => (Topology::Lines, 2),
            _ => (topology, corners),
        };
        let set = outputs(&program.loaded);
        let (mut divided, mut vertices) = (Vec::new(), 0);
        for words in patches.words.as_chunks::<PATCH_WORDS>().0 {
            let level = |i: usize| f32::from_bits(words[i]);
            let outer = [level(0), level(1), level(2), level(3)];
            let patch = tessellator.divide(&Levels { outer, inner: [level(4), level(5)] });
            vertices += patch.coordinates.len();
            let divided_into = cost::VERTEX * patch.coordinates.len() as u64;
            if !affordable(core, vertices, set.len()) || !core.budget.charge(cost::PRIMITIVE + divided_into) {
                return None;
            }
            divided.push(patch);
        }
        let work = vertices as u64 * (8 + program.loaded.instructions / 4);
        let fuel = cost::INSTRUCTION * vertices as u64 * program.loaded.instructions;
        if !core.budget.spend(work) || !core.budget.charge(fuel) {
            return None;
        }
        let mut out = Records { words: vec![0; vertices * set.len()], set };
        let from = records.set;
        let linkage = Linkage { stage: Stage::TessEvaluation, inputs: from, outputs: set };
        self.codes.run(core, &program, linkage, |_, handle, environment| {
            let mut rest = &mut out.words[..];
            let inputs = records.words.chunks_exact((patches.vertices as usize * from.len()).max(1));
            let words = patches.words.as_chunks::<PATCH_WORDS>().0;
            for (((patch, inputs), words), &primitive) in divided.iter().zip(inputs).zip(words).zip(&patches.ids) {
                let (outputs, after) = rest.split_at_mut(patch.coordinates.len() * set.len());
                rest = after;
                if outputs.is_empty() || is_endless(&environment) {
                    continue;
                }
                let evaluations = Evaluations {
                    vertices: patches.vertices,
                    inputs,
                    patch: words,
                    primitive,
                    coordinates: &patch.coordinates,
                    outputs,
                };
                handle.run(&mut ShaderJob { environment, work: Work::Evaluations(evaluations) });
            }
        });
        let mut assembled = Assembled { topology, order: Vec::new(), ids: Ids::Each(Vec::new()) };
        let mut ids = Vec::new();
        let mut first = 0;
        for (patch, &id) in divided.iter().zip(&patches.ids) {
            assembled.order.extend(patch.indices.iter().map(|index| first + index));
            ids.resize(ids.len() + patch.indices.len() / corners, id);
            first += patch.coordinates.len() as u32;
        }
        statistics::count(registers, counters, ReportKind::TsInvocations, 0, vertices as u64);
        statistics::count(registers, counters, ReportKind::TsPrimitivesGenerated, 0, ids.len() as u64);
        assembled.ids = Ids::Each(ids);
        Some((out, assembled))
    }
}

fn tessellator(registers: &Registers) -> Tessellator {
    let word = registers.get(r::set_tessellation_parameters::ID);
    Tessellator {
        domain: match r::set_tessellation_parameters::domain_type(word) {
            Some(TessellationDomain::Isoline) => Domain::Isolines,
            Some(TessellationDomain::Triangle) => Domain::Triangle,
            Some(TessellationDomain::Quad) | None => Domain::Quad,
        },
        spacing: match r::set_tessellation_parameters::spacing(word) {
            Some(TessellationSpacing::FractionalOdd) => Spacing::FractionalOdd,
            Some(TessellationSpacing::FractionalEven) => Spacing::FractionalEven,
            Some(TessellationSpacing::Integer) | None => Spacing::Integer,
        },
        output: match r::set_tessellation_parameters::output_primitives(word) {
            Some(TessellationOutput::Points) => Output::Points,
            Some(TessellationOutput::Lines) => Output::Lines,
            // The names count v downwards: Mesa's driver asks for "clockwise" when OpenGL's order is counter-clockwise.
            Some(TessellationOutput::TrianglesCw) => Output::CounterClockwise,
            Some(TessellationOutput::TrianglesCcw) | None => Output::Clockwise,
        },
    }
}
