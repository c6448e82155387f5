//! Counters of a device's work, and time by stage.

use std::time::Duration;

/// Time spent, by stage. On several threads the times of all of them are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageTimes {
    /// Command words, registers, state.
    pub front_end: Duration,
    /// Fetching and shading vertices.
    pub vertex: Duration,
    /// Clipping, viewport, edge equations, binning.
    pub setup: Duration,
    /// Coverage and pixel kernels.
    pub raster: Duration,
    /// Fills, copies, conversions.
    pub transfer: Duration,
    /// Decoding textures.
    pub texture: Duration,
}

impl StageTimes {
    /// The stages by name, in pipeline order.
    pub fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("front-end", self.front_end),
            ("vertex", self.vertex),
            ("setup", self.setup),
            ("raster", self.raster),
            ("transfer", self.transfer),
            ("texture", self.texture),
        ]
    }
}

/// Primitives that were not drawn, by reason. Those that clipping divides count by their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedPrimitives {
    /// All of it is outside of the view volume, of a user's plane or of a cull distance.
    pub outside: u64,
    /// It shows the side that is culled.
    pub culled: u64,
    /// It is without area, after its corners were rounded to the grid of positions.
    pub degenerate: u64,
    /// Its bounding box holds no pixel's centre inside of the target and, on the PS3 and the Tegra X1, the scissor.
    pub uncovered: u64,
}

impl DroppedPrimitives {
    /// All of them.
    pub const fn total(&self) -> u64 {
        self.outside + self.culled + self.degenerate + self.uncovered
    }

    /// Adds others.
    pub fn add(&mut self, more: &DroppedPrimitives) {
        self.combine(more, u64::saturating_add);
    }

    /// The counts by name, in the order of the pipeline.
    pub const fn named(&self) -> [(&'static str, u64); 4] {
        [
            ("outside the view", self.outside),
            ("culled", self.culled),
            ("without area", self.degenerate),
            ("covering no pixel", self.uncovered),
        ]
    }

    fn combine(&mut self, other: &DroppedPrimitives, count: fn(u64, u64) -> u64) {
        let DroppedPrimitives { outside, culled, degenerate, uncovered } = other;
        let mine = [&mut self.outside, &mut self.culled, &mut self.degenerate, &mut self.uncovered];
        for (mine, theirs) in mine.into_iter().zip([outside, culled, degenerate, uncovered]) {
            *mine = count(*mine, *theirs);
        }
    }
}

/// Counters of a device's work, which only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Draw calls.
    pub draws: u64,
    /// Vertices shaded.
    pub vertices: u64,
    /// Triangles set up, after clipping.
    pub triangles: u64,
    /// Primitives that were not set up, by reason.
    pub dropped: DroppedPrimitives,
    /// Draws without any pixel that may be drawn to: without a surface, or with an empty clip rectangle. Their
    /// vertices are not shaded.
    pub draws_without_target: u64,
    /// 8x8 blocks of pixels handed to pixel kernels.
    pub pixels_blocks: u64,
    /// Pixels that passed their tests and were not shaded, because later ones of the same scene hide them.
    pub pixels_hidden: u64,
    /// Times that the kernel of a state was looked up; machines do that when state changes, not for each draw.
    pub kernel_lookups: u64,
    /// Look-ups that found the kernel ready. The others were served by the interpreter until it was, or waited for it,
    /// as the tier requires.
    pub kernel_hits: u64,
    /// Kernels of keys that were in the key file at the start.
    pub kernels_recalled: u64,
    /// Kernels compiled; one that tiered up counts twice.
    pub kernels_compiled: u64,
    /// Of those, kernels with vectors of 256 bits: two quads of pixels or two groups of vertices at a time.
    pub kernels_wide: u64,
    /// Of those, kernels with loops that do one iteration at a time or have vectors of 128 bits, on a host with 256.
    /// Each is logged with the reason.
    pub kernels_not_widened: u64,
    /// Kernels compiled again by the optimizing tier, because they are called often.
    pub kernels_tiered_up: u64,
    /// Keys that the compiler does not support: the interpreter serves them.
    pub kernels_unsupported: u64,
    /// Kernels removed from the cache to make room for others.
    pub kernels_evicted: u64,
    /// Times that the key file could not be written.
    pub key_file_errors: u64,
    /// Jobs of the compiler's thread that panicked, which is a bug of this library: their kernels are not compiled, or
    /// not again.
    pub compiler_panics: u64,
    /// Time spent compiling, on whichever thread.
    pub compile_time: Duration,
    /// Kernels in the cache now.
    pub kernels_cached: u64,
    /// Machine code held now, in bytes.
    pub code_bytes: u64,
    /// Kernel calls that the interpreter served.
    pub interpreter_calls: u64,
    /// Kernel calls that compiled code served.
    pub compiled_calls: u64,
    /// Runs of compiled packet traces.
    pub packet_trace_runs: u64,
    /// Words of push buffers in them.
    pub packet_trace_words: u64,
    /// Time by stage.
    pub stages: StageTimes,
}

impl Stats {
    /// Adds another device's, thread's or stretch's counters.
    pub fn merge(&mut self, other: &Stats) {
        self.combine(other, u64::saturating_add, Duration::saturating_add);
    }

    /// The differences from `earlier`, a copy of these counters taken before; `kernels_cached` and `code_bytes` stay
    /// absolute.
    pub fn since(&self, earlier: &Stats) -> Stats {
        let mut difference = *self;
        difference.combine(earlier, u64::saturating_sub, Duration::saturating_sub);
        (difference.kernels_cached, difference.code_bytes) = (self.kernels_cached, self.code_bytes);
        difference
    }

    fn combine(&mut self, other: &Stats, count: fn(u64, u64) -> u64, time: fn(Duration, Duration) -> Duration) {
        let counts = [
            (&mut self.draws, other.draws),
            (&mut self.vertices, other.vertices),
            (&mut self.triangles, other.triangles),
            (&mut self.draws_without_target, other.draws_without_target),
            (&mut self.pixels_blocks, other.pixels_blocks),
            (&mut self.pixels_hidden, other.pixels_hidden),
            (&mut self.kernel_lookups, other.kernel_lookups),
            (&mut self.kernel_hits, other.kernel_hits),
            (&mut self.kernels_recalled, other.kernels_recalled),
            (&mut self.kernels_compiled, other.kernels_compiled),
            (&mut self.kernels_wide, other.kernels_wide),
            (&mut self.kernels_not_widened, other.kernels_not_widened),
            (&mut self.kernels_tiered_up, other.kernels_tiered_up),
            (&mut self.kernels_unsupported, other.kernels_unsupported),
            (&mut self.kernels_evicted, other.kernels_evicted),
            (&mut self.key_file_errors, other.key_file_errors),
            (&mut self.compiler_panics, other.compiler_panics),
            (&mut self.kernels_cached, other.kernels_cached),
            (&mut self.code_bytes, other.code_bytes),
            (&mut self.interpreter_calls, other.interpreter_calls),
            (&mut self.compiled_calls, other.compiled_calls),
            (&mut self.packet_trace_runs, other.packet_trace_runs),
            (&mut self.packet_trace_words, other.packet_trace_words),
        ];
        for (mine, theirs) in counts {
            *mine = count(*mine, theirs);
        }
        self.dropped.combine(&other.dropped, count);
        let times = [
            (&mut self.compile_time, other.compile_time),
            (&mut self.stages.front_end, other.stages.front_end),
            (&mut self.stages.vertex, other.stages.vertex),
            (&mut self.stages.setup, other.stages.setup),
            (&mut self.stages.raster, other.stages.raster),
            (&mut self.stages.transfer, other.stages.transfer),
            (&mut self.stages.texture, other.stages.texture),
        ];
        for (mine, theirs) in times {
            *mine = time(*mine, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stats_merge_and_subtract() {
        let dropped = DroppedPrimitives { culled: 4, ..DroppedPrimitives::default() };
        let one = Stats { draws: 3, dropped, compile_time: Duration::from_millis(5), ..Stats::default() };
        let mut two = one;
        two.merge(&one);
        assert_eq!((two.draws, two.dropped.culled, two.dropped.total()), (6, 8, 8));
        assert_eq!(two.since(&one), one);
    }
}
