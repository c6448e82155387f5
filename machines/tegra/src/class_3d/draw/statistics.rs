//! Counters that reports report.

use triglyph_guest::tegra::methods::threed::{ReportKind as K, Topology, regs as r};

use super::assembly;
use super::indices::Numbers;
use crate::class_3d::ThreeD;
use crate::core::Core;
use crate::front_end::registers::Registers;
use crate::front_end::report::{Counters, STREAMS};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::{RESTART, Split};
use triglyph_engine::frontend::budget::cost;

use r::set_statistics_counter as enables;

/// Vertices whose primitives are counted at once.
const SEGMENT: usize = 1 << 12;

/// Adds to a counter, if SET_STATISTICS_COUNTER lets it count.
pub(crate) fn count(registers: &Registers, counters: &mut Counters, kind: K, stream: usize, count: u64) {
    if counts(registers, kind) {
        counters.add(kind, stream, count);
    }
}

/// Whether a counter counts.
pub(crate) fn counts(registers: &Registers, kind: K) -> bool {
    let enabled = match kind {
        K::DaVerticesGenerated => enables::da_vertices_generated_enable,
        K::DaPrimitivesGenerated => enables::da_primitives_generated_enable,
        K::VsInvocations => enables::vs_invocations_enable,
        K::TiInvocations => enables::ti_invocations_enable,
        K::TsInvocations => enables::ts_invocations_enable,
        K::TsPrimitivesGenerated => enables::ts_primitives_generated_enable,
        K::GsInvocations => enables::gs_invocations_enable,
        K::GsPrimitivesGenerated => enables::gs_primitives_generated_enable,
        K::VtgPrimitivesOut => enables::vtg_primitives_out_enable,
        K::ClipperInvocations => enables::clipper_invocations_enable,
        K::ClipperPrimitivesGenerated => enables::clipper_primitives_generated_enable,
        K::StreamingPrimitivesNeeded => enables::streaming_primitives_needed_enable,
        K::StreamingPrimitivesSucceeded => enables::streaming_primitives_succeeded_enable,
        _ => return true,
    };
    enabled(registers.get(enables::ID))
}

/// Primitives of a segment.
fn count_groups(topology: Topology, split: Split, patch: u32, segment: &[u32]) -> u64 {
    let mut primitives = 0;
    assembly::groups(topology, split, patch, segment, |_| primitives += 1);
    primitives
}

impl ThreeD {
    /// Brings counters up to date: samples that have passed, all drawing done, and where transform feedback is.
    pub fn settle(&mut self, core: &mut Core, counters: &mut Counters) {
        let samples = core.renderer.take_samples(&core.memory);
        core.settle_accounts();
        // Counted whether or not registers let it count by now: those of the draw did.
        counters.add(K::ClipperPrimitivesGenerated, 0, std::mem::take(&mut core.late_primitives));
        counters.add(K::ZPassCount64, 0, samples);
        counters.add(K::PsInvocations, 0, core.renderer.take_pixels());
        for (buffer, &pointer) in self.feedback.pointers.iter().enumerate() {
            counters.set(K::StreamingByteCount, buffer, pointer.into());
        }
        self.report_faults(core);
    }

    /// Takes fuel for what programs have taken beyond what was paid before they ran. What went wrong in them counts
    /// later.
    pub(crate) fn pay_programs(&mut self, core: &mut Core) {
        let shader_faults = core.renderer.take_shader_faults();
        core.budget.charge(cost::quads(shader_faults.excess));
        self.shader_faults.add(shader_faults);
    }

    /// Counts what went wrong in programs.
    pub fn report_faults(&mut self, core: &mut Core) {
        self.pay_programs(core);
        let shader_faults = std::mem::take(&mut self.shader_faults);
        let ((reads, read), (writes, write)) = (shader_faults.unmapped.reads, shader_faults.unmapped.writes);
        if reads != 0 {
            core.fault(FaultKind::UnmappedRead, read, format_args!("programs: {reads} reads are not in mapped memory"));
        }
        if writes != 0 {
            core.fault(
                FaultKind::UnmappedWrite,
                write,
                format_args!("programs: {writes} writes are not in mapped memory"),
            );
        }
        if shader_faults.exhausted != 0 {
            let what = format_args!("{} programs without end", shader_faults.exhausted);
            core.fault(FaultKind::OutOfFuel, 0, what);
        }
        if shader_faults.unfinished != 0 {
            let what = format_args!("programs with loops are too long for {} tiles", shader_faults.unfinished);
            core.fault(FaultKind::OutOfFuel, 0, what);
        }
    }

    /// Vertices and primitives of a draw, as indices name them.
    pub(crate) fn count_input(
        &mut self,
        registers: &Registers,
        counters: &mut Counters,
        topology: Topology,
        numbers: &Numbers,
    ) {
        if counts(registers, K::DaVerticesGenerated) {
            let vertices = match numbers {
                Numbers::Sequence { count, .. } => *count as usize,
                Numbers::List(list) => list.iter().filter(|&&number| number != RESTART).count(),
            };
            counters.add(K::DaVerticesGenerated, 0, vertices as u64);
        }
        if counts(registers, K::DaPrimitivesGenerated) {
            let patch = r::set_patch::size(registers.get(r::set_patch::ID));
            let primitives = match numbers {
                Numbers::List(list) => count_groups(topology, Split::NONE, patch, list),
                Numbers::Sequence { .. } => self.count_in_segments(topology, patch, numbers),
            };
            counters.add(K::DaPrimitivesGenerated, 0, primitives);
        }
    }

    /// Primitives of numbers that are not listed.
    fn count_in_segments(&mut self, topology: Topology, patch: u32, numbers: &Numbers) -> u64 {
        let (mut primitives, mut part) = (0, self.vertex_buffers.acquire_segment());
        for segment in numbers.segments(assembly::sharing(topology, patch), SEGMENT) {
            part.clear();
            numbers.copy(&segment, &mut part);
            primitives += count_groups(topology, segment.split, patch, &part);
        }
        self.vertex_buffers.release_segment(part);
        primitives
    }

    /// Primitives of all streams that leave the stages before the rasteriser, and the stream that is rasterised. The
    /// primitives that come out are counted by stream: Mesa's driver asks so for what OpenGL calls primitives
    /// generated.
    pub(crate) fn count_output(
        &self,
        registers: &Registers,
        counters: &mut Counters,
        streams: [u64; STREAMS],
        rasterised: usize,
    ) {
        let primitives = streams[rasterised % STREAMS];
        if Self::is_on(registers, crate::class_3d::programs::stage_numbers::GEOMETRY) {
            count(registers, counters, K::GsPrimitivesGenerated, 0, primitives);
        }
        for (stream, primitives) in streams.into_iter().enumerate() {
            count(registers, counters, K::VtgPrimitivesOut, stream, primitives);
        }
        count(registers, counters, K::ClipperInvocations, 0, primitives);
    }
}
