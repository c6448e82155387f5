//! Kernels of shader pipelines, one vertex and one quad at a time.
//!
//! ```text
//! vertex     fetch -> rsx_vertex::Machine -> record
//! fragment   quads of blocks -> rsx_fragment::Quad -> output of each sample
//!              or maxwell::stage::pixel
//!   interpolate  planes -> inputs (RSX)
//!   sampler      coordinates, level, filter -> texel
//!   output       alpha, bounds, stencil, depth -> blend or logic -> surfaces
//! ```
//!
//! The formulas are in `guest::kernel::program`.

pub mod fragment;
pub mod interpolate;
pub mod output;
pub mod sampler;
pub mod vertex;

/// Four components.
pub type Vector = [f32; 4];

/// `v` between `low` and `high`; NaN becomes `low`.
pub(crate) fn limit(v: f32, low: f32, high: f32) -> f32 {
    // Said for itself: on AArch64 LLVM makes the comparisons below an instruction each, whose result is NaN for a
    // signalling one, and then `high`.
    if v.is_nan() {
        return low;
    }
    let v = if low < v { v } else { low };
    if v < high { v } else { high }
}
