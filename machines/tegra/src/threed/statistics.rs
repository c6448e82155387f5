//! Counters that reports report.

use triglyph_guest::tegra::methods::threed::{ReportKind as K, Topology, regs as r};

use super::indices::Order;
use super::{ThreeD, assembly};
use crate::core::Core;
use crate::registers::Registers;
use crate::report::{Counters, STREAMS};
use triglyph_engine::device::FaultKind;
use triglyph_engine::draw::program::RESTART;

use r::set_statistics_counter as enables;

fn on(registers: &Registers, enable: fn(u32) -> bool) -> bool {
    enable(registers.get(enables::ID))
}

impl ThreeD {
    /// Brings counters up to date: samples that have passed, all drawing done, and where transform feedback is.
    pub fn settle(&mut self, core: &mut Core, counters: &mut Counters) {
        let samples = core.renderer.take_samples(&core.memory);
        counters.add(K::ZPassCount64, 0, samples);
        counters.add(K::PsInvocations, 0, core.renderer.take_pixels());
        for (buffer, &pointer) in self.feedback.pointers.iter().enumerate() {
            counters.set(K::StreamingByteCount, buffer, pointer.into());
        }
        self.settle_troubles(core);
    }

    /// Counts what went wrong in programs.
    pub(super) fn settle_troubles(&mut self, core: &mut Core) {
        let troubles = core.renderer.take_troubles();
        let ((reads, read), (writes, write)) = (troubles.misses.reads, troubles.misses.writes);
        if reads != 0 {
            core.fault(FaultKind::UnmappedRead, read, format_args!("programs: {reads} reads outside memory"));
        }
        if writes != 0 {
            core.fault(FaultKind::UnmappedWrite, write, format_args!("programs: {writes} writes outside memory"));
        }
        if troubles.exhausted != 0 {
            let what = format_args!("{} programs without end", troubles.exhausted);
            core.fault(FaultKind::OutOfFuel, 0, what);
        }
    }

    pub(super) fn count_input(
        &self,
        registers: &Registers,
        counters: &mut Counters,
        topology: Topology,
        order: &Order,
    ) {
        if on(registers, enables::da_vertices_generated_enable) {
            let vertices = order.numbers.iter().filter(|&&number| number != RESTART).count();
            counters.add(K::DaVerticesGenerated, 0, vertices as u64);
        }
        if on(registers, enables::da_primitives_generated_enable) {
            let mut primitives = 0;
            let patch = r::set_patch::size(registers.get(r::set_patch::ID));
            assembly::groups(topology, patch, &order.numbers, |_| primitives += 1);
            counters.add(K::DaPrimitivesGenerated, 0, primitives);
        }
    }

    pub(super) fn count_vertices(&self, registers: &Registers, counters: &mut Counters, vertices: u64) {
        if on(registers, enables::vs_invocations_enable) {
            counters.add(K::VsInvocations, 0, vertices);
        }
    }

    pub(super) fn count_control(&self, registers: &Registers, counters: &mut Counters, invocations: u64) {
        if on(registers, enables::ti_invocations_enable) {
            counters.add(K::TiInvocations, 0, invocations);
        }
    }

    pub(super) fn count_evaluation(
        &self,
        registers: &Registers,
        counters: &mut Counters,
        vertices: u64,
        primitives: u64,
    ) {
        if on(registers, enables::ts_invocations_enable) {
            counters.add(K::TsInvocations, 0, vertices);
        }
        if on(registers, enables::ts_primitives_generated_enable) {
            counters.add(K::TsPrimitivesGenerated, 0, primitives);
        }
    }

    pub(super) fn count_geometry(&self, registers: &Registers, counters: &mut Counters, invocations: u64) {
        if on(registers, enables::gs_invocations_enable) {
            counters.add(K::GsInvocations, 0, invocations);
        }
    }

    /// Primitives of all streams that leave the stages before the rasteriser, and the stream that is rasterised. The
    /// primitives that come out are counted by stream: Mesa's driver asks so for what OpenGL calls primitives
    /// generated.
    pub(super) fn count_output(
        &self,
        registers: &Registers,
        counters: &mut Counters,
        streams: [u64; STREAMS],
        rasterised: usize,
    ) {
        let primitives = streams[rasterised % STREAMS];
        let geometry = Self::is_on(registers, super::stage::GEOMETRY);
        if geometry && on(registers, enables::gs_primitives_generated_enable) {
            counters.add(K::GsPrimitivesGenerated, 0, primitives);
        }
        if on(registers, enables::vtg_primitives_out_enable) {
            for (stream, primitives) in streams.into_iter().enumerate() {
                counters.add(K::VtgPrimitivesOut, stream, primitives);
            }
        }
        if on(registers, enables::clipper_invocations_enable) {
            counters.add(K::ClipperInvocations, 0, primitives);
        }
    }

    /// Primitives that were binned.
    pub(super) fn count_clipped(&self, registers: &Registers, counters: &mut Counters, primitives: u64) {
        if on(registers, enables::clipper_primitives_generated_enable) {
            counters.add(K::ClipperPrimitivesGenerated, 0, primitives);
        }
    }

    pub(super) fn count_needed(&self, registers: &Registers, counters: &mut Counters, stream: usize, primitives: u64) {
        if on(registers, enables::streaming_primitives_needed_enable) {
            counters.add(K::StreamingPrimitivesNeeded, stream, primitives);
        }
    }

    pub(super) fn count_succeeded(
        &self,
        registers: &Registers,
        counters: &mut Counters,
        stream: usize,
        primitives: u64,
    ) {
        if on(registers, enables::streaming_primitives_succeeded_enable) {
            counters.add(K::StreamingPrimitivesSucceeded, stream, primitives);
        }
    }
}
