//! Linear interpolation.

use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4};

/// a + (b - a) * weight
pub(super) fn mix(e: &mut Emit<'_>, a: F32x4, b: F32x4, weight: F32x4) -> F32x4 {
    let difference = e.sub(b, a);
    let product = e.mul(difference, weight);
    e.add(a, product)
}
