//! Patches: control program, tessellator, evaluation program.

use std::ops::Range;
use std::sync::Arc;

use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Evaluations, Patches, ShaderJob, Stage, Work};
use triglyph_guest::tegra::methods::threed::{
    ReportKind, TessellationDomain, TessellationOutput, TessellationSpacing, Topology, regs as r,
};

use super::edge_flags::Hidden;
use super::geometry::{Assembled, Ids, completed};
use super::{assembly, statistics};
use crate::class_3d::ThreeD;
use crate::class_3d::programs::codes::{Linkage, Program};
use crate::class_3d::programs::stage::{Records, outputs, run_patches};
use crate::class_3d::programs::stage_numbers::{TESS_CONTROL, TESS_EVALUATION};
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::Counters;
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::{RESTART, Split};
use triglyph_engine::draw::tessellate::{Domain, Levels, Output, Patch, Spacing, Tessellator};
use triglyph_engine::frontend::budget::cost;

/// Vertices of a patch at most.
const MAX_VERTICES: u32 = 32;
/// What dividing a patch costs, in nanoseconds of the clock.
const PATCH: u64 = 200;

/// See [`max_words`]: 8 MiB.
const MAX_WORDS: usize = 1 << 21;

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
    /// Divides patches, runs the evaluation program, and draws the result.
    pub(crate) fn tessellate(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        records: &Records,
        order: &[u32],
    ) -> Option<()> {
        // Without an evaluation program nothing is drawn.
        if !Self::is_on(registers, TESS_EVALUATION) {
            return None;
        }
        let size = r::set_patch::size(registers.get(r::set_patch::ID));
        if !(1..=MAX_VERTICES).contains(&size) {
            let what = format_args!("patches of {size} vertices");
            core.fault(FaultKind::BadMethod, r::set_patch::ID as u64, what);
            return None;
        }
        let runs = order.split(|&vertex| vertex == RESTART);
        let patches: Vec<&[u32]> = runs.flat_map(|run| run.chunks_exact(size as usize)).collect();
        let program = match Self::is_on(registers, TESS_CONTROL) {
            true => Some(self.program(core, registers, TESS_CONTROL)?),
            false => None,
        };
        let controlled = |program: &Arc<Program>| {
            let threads = program.loaded.header.threads_per_primitive().min(MAX_VERTICES);
            threads as usize * outputs(&program.loaded).len()
        };
        let words = (size as usize * records.set.len()).max(program.as_ref().map_or(0, controlled)).max(PATCH_WORDS);
        let mut batches = patches.chunks((max_words(core) / words).max(1)).peekable();
        let is_last = self.progress.is_last;
        while let Some(batch) = batches.next() {
            let controlled = match &program {
                Some(program) => self.control(core, registers, counters, program, records, (batch, size))?,
                None => self.default_levels(core, registers, records, (batch, size))?,
            };
            self.progress.is_last = is_last && batches.peek().is_none();
            // Without a program, or fuel, these are not drawn; the others take their time all the same.
            self.evaluate(core, registers, counters, &controlled);
            if !self.begins_part(core) {
                break;
            }
        }
        Some(())
    }

    /// The vertices of patches, and the patches' numbers. `None` if there is no fuel for them.
    fn gather(&mut self, core: &mut Core, records: &Records, (patches, size): (&[&[u32]], u32)) -> Option<Controlled> {
        let vertices = patches.iter().copied().flatten();
        let words: Vec<u32> = vertices.flat_map(|&vertex| records.get(vertex)).copied().collect();
        let count = patches.len();
        let first = self.primitive;
        self.primitive = first.wrapping_add(count as u32);
        let ids = (0..count as u32).map(|i| first.wrapping_add(i)).collect();
        if !core.budget.spend(count as u64 * PATCH) {
            return None;
        }
        let records = Records { words, set: records.set };
        Some(Controlled { records, vertices: size, words: vec![0; count * PATCH_WORDS], ids })
    }

    /// Patches without control program: registers have their levels.
    fn default_levels(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        records: &Records,
        patches: (&[&[u32]], u32),
    ) -> Option<Controlled> {
        let mut gathered = self.gather(core, records, patches)?;
        let levels = r::set_tessellation_lod::IDS.map(|id| registers.get(id));
        gathered.words.chunks_exact_mut(PATCH_WORDS).for_each(|patch| patch[..6].copy_from_slice(&levels));
        Some(gathered)
    }

    fn control(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        program: &Program,
        records: &Records,
        patches: (&[&[u32]], u32),
    ) -> Option<Controlled> {
        let Controlled { records: inputs, vertices, mut words, ids } = self.gather(core, records, patches)?;
        let inputs = completed(&inputs, &program.loaded);
        let count = ids.len();
        let threads = program.loaded.header.threads_per_primitive().min(MAX_VERTICES);
        let set = outputs(&program.loaded);
        statistics::count(registers, counters, ReportKind::TiInvocations, 0, count as u64 * u64::from(threads));
        let work = count as u64 * u64::from(threads) * program.loaded.instructions;
        let time = self.progress.time_of(TESS_CONTROL, work);
        if !core.budget.spend(time) || !core.budget.charge(work * cost::INSTRUCTION) {
            return None;
        }
        let mut out = Records { words: vec![0; count * threads as usize * set.len()], set };
        let linkage = Linkage { stage: Stage::TessControl, inputs: inputs.set, outputs: set };
        self.run_stage(core, (TESS_CONTROL, threads), (program, linkage), |_, handle, meter| {
            let patches = Patches {
                vertices,
                threads,
                inputs: &inputs.words,
                outputs: &mut out.words,
                patches: &mut words,
                primitives: &ids,
            };
            run_patches(handle, meter, patches);
        });
        Some(Controlled { records: out, vertices: threads, words, ids })
    }

    /// Runs the evaluation program for patches, and draws the result. `None` without fuel.
    fn evaluate(
        &mut self,
        core: &mut Core,
        registers: &Registers,
        counters: &mut Counters,
        patches: &Controlled,
    ) -> Option<()> {
        let program = self.program(core, registers, TESS_EVALUATION)?;
        let records = &*completed(&patches.records, &program.loaded);
        let tessellator = tessellator(registers);
        let topology = topology(&tessellator);
        let set = outputs(&program.loaded);
        let (mut at, is_last) = (0, self.progress.is_last);
        loop {
            let rest = &patches.words[at * PATCH_WORDS..];
            let divided = divide(core, &tessellator, rest.as_chunks().0, set.len())?;
            let range = at..at + divided.len();
            at = range.end;
            self.progress.is_last = is_last && at == patches.ids.len();
            let out = self.evaluate_range(core, &program, (records, patches), range.clone(), &divided)?;
            let vertices = out.words.len() / set.len();
            let (assembled, primitives) = assemble(topology, &divided, &patches.ids[range]);
            statistics::count(registers, counters, ReportKind::TsInvocations, 0, vertices as u64);
            statistics::count(registers, counters, ReportKind::TsPrimitivesGenerated, 0, primitives);
            self.draw_assembled(core, registers, counters, out, assembled, &Hidden::None);
            if at == patches.ids.len() || !self.begins_part(core) {
                return Some(());
            }
        }
    }

    /// The vertices of some patches. `None` if there is no fuel for them.
    fn evaluate_range(
        &mut self,
        core: &mut Core,
        program: &Program,
        (records, patches): (&Records, &Controlled),
        range: Range<usize>,
        divided: &[Patch],
    ) -> Option<Records> {
        let set = outputs(&program.loaded);
        let vertices = divided.iter().map(|patch| patch.coordinates.len()).sum::<usize>();
        let work = vertices as u64 * (8 + program.loaded.instructions / 4);
        let fuel = cost::INSTRUCTION * vertices as u64 * program.loaded.instructions;
        if !core.budget.spend(work) || !core.budget.charge(fuel) {
            return None;
        }
        let mut out = Records { words: vec![0; vertices * set.len()], set };
        let from = records.set;
        let linkage = Linkage { stage: Stage::TessEvaluation, inputs: from, outputs: set };
        self.run_stage(core, (TESS_EVALUATION, 1), (program, linkage), |_, handle, meter| {
            let mut rest = &mut out.words[..];
            let inputs = records.words.chunks_exact((patches.vertices as usize * from.len()).max(1)).skip(range.start);
            let words = &patches.words.as_chunks::<PATCH_WORDS>().0[range.clone()];
            for (((patch, inputs), words), &primitive) in divided.iter().zip(inputs).zip(words).zip(&patches.ids[range])
            {
                let mut left = &patch.coordinates[..];
                while !left.is_empty() {
                    let (coordinates, later) = left.split_at(meter.runs(left.len()));
                    if coordinates.is_empty() {
                        return;
                    }
                    let (outputs, after) = std::mem::take(&mut rest).split_at_mut(coordinates.len() * set.len());
                    (left, rest) = (later, after);
                    let vertices = patches.vertices;
                    let work = Evaluations { vertices, inputs, patch: words, primitive, coordinates, outputs };
                    handle.run(&mut ShaderJob { environment: meter.environment, work: Work::Evaluations(work) });
                }
            }
        });
        Some(out)
    }
}

/// Words that patches may have, or their vertices after evaluation, before they are drawn.
fn max_words(core: &Core) -> usize {
    MAX_WORDS.min(core.max_part)
}

/// How the vertices of divided patches form primitives.
fn topology(tessellator: &Tessellator) -> Topology {
    match (tessellator.output, tessellator.domain) {
        (Output::Points, _) => Topology::Points,
        (Output::Lines, _) | (_, Domain::Isolines) => Topology::Lines,
        (Output::Clockwise | Output::CounterClockwise, _) => Topology::Triangles,
    }
}

/// The primitives of divided patches, which have the numbers `ids`, and how many there are.
fn assemble(topology: Topology, divided: &[Patch], ids: &[u32]) -> (Assembled, u64) {
    let corners = assembly::vertices(topology, 1) as usize;
    let (mut order, mut all, mut first) = (Vec::new(), Vec::new(), 0);
    for (patch, &id) in divided.iter().zip(ids) {
        order.extend(patch.indices.iter().map(|index| first + index));
        all.resize(all.len() + patch.indices.len() / corners, id);
        first += patch.coordinates.len() as u32;
    }
    let primitives = all.len() as u64;
    (Assembled { topology, split: Split::NONE, order, ids: Ids::Each(all) }, primitives)
}

/// Divides the first ones of patches, so many that their vertices have as many words as are drawn at once. `None`
/// without fuel.
fn divide(
    core: &mut Core,
    tessellator: &Tessellator,
    patches: &[[u32; PATCH_WORDS]],
    words: usize,
) -> Option<Vec<Patch>> {
    let (mut divided, mut vertices) = (Vec::new(), 0);
    for patch in patches {
        if vertices * words >= max_words(core) {
            break;
        }
        let level = |i: usize| f32::from_bits(patch[i]);
        let outer = [level(0), level(1), level(2), level(3)];
        let patch = tessellator.divide(&Levels { outer, inner: [level(4), level(5)] });
        vertices += patch.coordinates.len();
        if !core.budget.charge(cost::PRIMITIVE + cost::VERTEX * patch.coordinates.len() as u64) {
            return None;
        }
        divided.push(patch);
    }
    Some(divided)
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
