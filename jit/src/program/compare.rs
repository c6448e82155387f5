//! Comparisons of tests and samplers.

use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I32x4, Mask};

/// A comparison of floats; `None` is always true. With NaN only [`Compare::NotEqual`] and `Always` hold.
pub fn compare_floats(e: &mut Emit<'_>, how: Compare, a: F32x4, b: F32x4) -> Option<Mask> {
    Some(match how {
        Compare::Always => return None,
        Compare::Never => Mask(e.i(0).0),
        Compare::Equal => e.feq(a, b),
        Compare::NotEqual => {
            let equal = e.feq(a, b);
            e.not(equal)
        }
        Compare::Less => e.lt(a, b),
        Compare::LessEqual => e.le(a, b),
        Compare::Greater => e.lt(b, a),
        Compare::GreaterEqual => e.le(b, a),
    })
}

/// A comparison of integers from 0 to 2^31 - 1; `None` is always true.
pub fn compare_ints(e: &mut Emit<'_>, how: Compare, a: I32x4, b: I32x4) -> Option<Mask> {
    Some(match how {
        Compare::Always => return None,
        Compare::Never => Mask(e.i(0).0),
        Compare::Equal => e.ieq(a, b),
        Compare::NotEqual => {
            let equal = e.ieq(a, b);
            e.not(equal)
        }
        Compare::Less => e.ilt(a, b),
        Compare::LessEqual => {
            let greater = e.ilt(b, a);
            e.not(greater)
        }
        Compare::Greater => e.ilt(b, a),
        Compare::GreaterEqual => {
            let less = e.ilt(a, b);
            e.not(less)
        }
    })
}
