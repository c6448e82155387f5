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

/// Operations that compare two sources, of vertex and fragment programs of the RSX, by `map2` and `flag` of the file.
macro_rules! comparisons {
    (@ $($name:ident: $function:expr;)+) => {
        $(fn $name(&mut self, a: Vector, b: Vector) -> Self::Output {
            map2(a, b, $function)
        })+
    };
    () => {
        $crate::program::comparisons! {
            @
            min: |a, b| if a < b { a } else { b };
            max: |a, b| if a > b { a } else { b };
            slt: |a, b| flag(a < b);
            sge: |a, b| flag(a >= b);
            sle: |a, b| flag(a <= b);
            sgt: |a, b| flag(a > b);
            sne: |a, b| flag(a != b);
            seq: |a, b| flag(a == b);
        }
    };
}

pub(crate) use comparisons;

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
