//! Counters, and what the key file gave.

use std::ffi::c_char;

use triglyph::{StageTimes, Stats};
use triglyph_guest::num::nanoseconds;

use super::error::{c_string, triglyph_status};
use super::handle::{triglyph_device, with_device};
use super::pointer::{SizedStruct, write_sized};

/// Counters since the device was made: counters that only grow, times in nanoseconds, added up over all threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_stats {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_stats)`.
    pub size: u32,
    /// 0.
    pub reserved: u32,
    /// Draw calls.
    pub draws: u64,
    /// Vertices shaded.
    pub vertices: u64,
    /// Triangles set up, after clipping.
    pub triangles: u64,
    /// 8x8 blocks of pixels handed to pixel kernels.
    pub pixel_blocks: u64,
    /// Times that the kernel of a state was looked up.
    pub kernel_lookups: u64,
    /// Look-ups that found the kernel ready.
    pub kernel_hits: u64,
    /// Kernels of keys that were in the key file at the start.
    pub kernels_recalled: u64,
    /// Kernels compiled; one that tiered up counts twice.
    pub kernels_compiled: u64,
    /// Kernels compiled again by the optimizing tier.
    pub kernels_tiered_up: u64,
    /// Keys that the compiler does not support: the interpreter serves them.
    pub kernels_unsupported: u64,
    /// Kernels removed to make room for others.
    pub kernels_evicted: u64,
    /// Kernels in the cache now.
    pub kernels_cached: u64,
    /// Machine code held now, in bytes.
    pub code_bytes: u64,
    /// Times that the key file could not be written.
    pub key_file_errors: u64,
    /// Kernel calls that the interpreter served.
    pub interpreter_calls: u64,
    /// Kernel calls that compiled code served.
    pub compiled_calls: u64,
    /// Runs of compiled packet traces.
    pub packet_trace_runs: u64,
    /// Words of push buffers in them.
    pub packet_trace_words: u64,
    /// Time spent compiling.
    pub compile_time: u64,
    /// Time spent on command words, registers, state.
    pub front_end_time: u64,
    /// Time spent fetching and shading vertices.
    pub vertex_time: u64,
    /// Time spent on clipping, viewport, edge equations, binning.
    pub setup_time: u64,
    /// Time spent on coverage and pixel kernels.
    pub raster_time: u64,
    /// Time spent on fills, copies, conversions.
    pub transfer_time: u64,
    /// Time spent decoding textures.
    pub texture_time: u64,
    /// Jobs of the compiler's thread that panicked, which is a bug of this library: their kernels are not compiled, or
    /// not again.
    pub compiler_panics: u64,
    /// Of the kernels compiled, those with vectors of 256 bits.
    pub kernels_wide: u64,
    /// Of the kernels compiled, those with loops that do one iteration at a time or have vectors of 128 bits, on a host
    /// with 256. Each is logged with the reason.
    pub kernels_not_widened: u64,
    /// Primitives outside of the view volume, a user's plane or a cull distance.
    pub dropped_outside: u64,
    /// Primitives that show the side that is culled.
    pub dropped_culled: u64,
    /// Primitives without area.
    pub dropped_degenerate: u64,
    /// Primitives that cover no pixel inside of the target and, on the PS3 and the Tegra X1, the scissor.
    pub dropped_uncovered: u64,
    /// Draws without any pixel that may be drawn to.
    pub draws_without_target: u64,
}

// SAFETY: two words, then eight bytes each: no padding, only numbers, the size first.
unsafe impl SizedStruct for triglyph_stats {
    const FIRST: usize = 208;
}

const _: () = assert!(size_of::<triglyph_stats>() == triglyph_stats::FIRST + 64);

impl From<Stats> for triglyph_stats {
    fn from(stats: Stats) -> Self {
        let StageTimes { front_end, vertex, setup, raster, transfer, texture, .. } = stats.stages;
        triglyph_stats {
            size: size_of::<Self>() as u32,
            reserved: 0,
            draws: stats.draws,
            vertices: stats.vertices,
            triangles: stats.triangles,
            pixel_blocks: stats.pixels_blocks,
            kernel_lookups: stats.kernel_lookups,
            kernel_hits: stats.kernel_hits,
            kernels_recalled: stats.kernels_recalled,
            kernels_compiled: stats.kernels_compiled,
            kernels_tiered_up: stats.kernels_tiered_up,
            kernels_unsupported: stats.kernels_unsupported,
            kernels_evicted: stats.kernels_evicted,
            kernels_cached: stats.kernels_cached,
            code_bytes: stats.code_bytes,
            key_file_errors: stats.key_file_errors,
            interpreter_calls: stats.interpreter_calls,
            compiled_calls: stats.compiled_calls,
            packet_trace_runs: stats.packet_trace_runs,
            packet_trace_words: stats.packet_trace_words,
            compile_time: nanoseconds(stats.compile_time),
            front_end_time: nanoseconds(front_end),
            vertex_time: nanoseconds(vertex),
            setup_time: nanoseconds(setup),
            raster_time: nanoseconds(raster),
            transfer_time: nanoseconds(transfer),
            texture_time: nanoseconds(texture),
            compiler_panics: stats.compiler_panics,
            kernels_wide: stats.kernels_wide,
            kernels_not_widened: stats.kernels_not_widened,
            dropped_outside: stats.dropped.outside,
            dropped_culled: stats.dropped.culled,
            dropped_degenerate: stats.dropped.degenerate,
            dropped_uncovered: stats.dropped.uncovered,
            draws_without_target: stats.draws_without_target,
        }
    }
}

/// Fills `stats`, whose `size` the caller has set.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_get_stats(
    device: Option<&triglyph_device>,
    stats: *mut triglyph_stats,
) -> triglyph_status {
    with_device(device, |state| {
        // SAFETY: the header asks callers for a structure that begins with its size.
        unsafe { write_sized(stats, &state.gpu.device_ref().stats().into(), "stats") }
    })
}

/// The result of reading the key file when the device was made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_warm_start {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_warm_start)`.
    pub size: u32,
    /// 0.
    pub reserved: u32,
    /// Keys whose kernels are compiled in the background.
    pub keys: u64,
    /// Records that were damaged or of another version and were skipped.
    pub damaged: u64,
    /// Whole records that are not keys of this version.
    pub undecodable: u64,
    /// Why the file cannot be read or written, in which case it is not used; null if it can. Valid until the next call
    /// of this function, or the device is destroyed.
    pub error: *const c_char,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_warm_start {}

/// Fills `warm_start`, whose `size` the caller has set, with the result of reading the key file when the device was
/// made; all 0 without one.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_get_warm_start(
    device: Option<&triglyph_device>,
    warm_start: *mut triglyph_warm_start,
) -> triglyph_status {
    with_device(device, |state| {
        let size = size_of::<triglyph_warm_start>() as u32;
        let error = std::ptr::null();
        let mut found = triglyph_warm_start { size, reserved: 0, keys: 0, damaged: 0, undecodable: 0, error };
        if let Some(start) = state.gpu.device_ref().warm_start() {
            (found.keys, found.undecodable) = (start.keys as u64, start.undecodable as u64);
            found.damaged = start.damage.len() as u64;
            if let Some(error) = &start.error {
                state.key_file_error = c_string(&error.to_string());
                found.error = state.key_file_error.as_ptr();
            }
        }
        // SAFETY: the header asks callers for a structure that begins with its size.
        unsafe { write_sized(warm_start, &found, "warm_start") }
    })
}
