//! Counters of kernels, as `bench` and `replay --stats` show them.

use std::time::Duration;

use serde::Serialize;
use triglyph::Stats;

/// What a device has done with kernels since it was made. What each number counts is written at [`Stats`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct KernelCounters {
    pub kernel_lookups: u64,
    pub kernel_hits: u64,
    pub kernels_cached: u64,
    pub kernels_recalled: u64,
    pub kernels_compiled: u64,
    pub kernels_wide: u64,
    pub kernels_not_widened: u64,
    pub kernels_tiered_up: u64,
    pub kernels_unsupported: u64,
    pub kernels_evicted: u64,
    pub key_file_errors: u64,
    pub compiler_panics: u64,
    pub compile_ms: f64,
    pub code_bytes: u64,
}

impl KernelCounters {
    /// Those of `stats`.
    pub fn of(stats: &Stats) -> Self {
        KernelCounters {
            kernel_lookups: stats.kernel_lookups,
            kernel_hits: stats.kernel_hits,
            kernels_cached: stats.kernels_cached,
            kernels_recalled: stats.kernels_recalled,
            kernels_compiled: stats.kernels_compiled,
            kernels_wide: stats.kernels_wide,
            kernels_not_widened: stats.kernels_not_widened,
            kernels_tiered_up: stats.kernels_tiered_up,
            kernels_unsupported: stats.kernels_unsupported,
            kernels_evicted: stats.kernels_evicted,
            key_file_errors: stats.key_file_errors,
            compiler_panics: stats.compiler_panics,
            compile_ms: milliseconds(stats.compile_time),
            code_bytes: stats.code_bytes,
        }
    }

    /// Lines for people.
    pub fn lines(&self) -> [String; 4] {
        let KernelCounters { kernel_lookups, kernel_hits, kernels_cached, kernels_recalled, .. } = self;
        let KernelCounters { kernels_compiled, kernels_tiered_up, kernels_unsupported, kernels_evicted, .. } = self;
        let KernelCounters { compile_ms, code_bytes, kernels_wide, kernels_not_widened, .. } = self;
        [
            format!("kernels: {kernels_cached} held, {kernels_recalled} of them recalled; {code_bytes} bytes of code"),
            format!("look-ups: {kernel_lookups}, {kernel_hits} found a kernel ready"),
            format!(
                "compiled: {kernels_compiled} in {compile_ms:.1} ms, {kernels_tiered_up} of them to tier up; \
                 {kernels_unsupported} unsupported by the compiler, {kernels_evicted} evicted"
            ),
            format!(
                "with vectors of 256 bits: {kernels_wide}; with loops that could not have them: {kernels_not_widened}"
            ),
        ]
    }
}

/// A time in milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
