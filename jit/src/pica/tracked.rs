//! A component of a register in four lanes, with what the emitter knows of it.

use crate::lane::F32x4;

/// A component of a register in four lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedValue {
    pub value: F32x4,
    /// It cannot hold a NaN that the guest would not have: no product went into it. In 24-bit floats: it cannot be a
    /// zero of the wrong sign.
    pub clean: bool,
    /// It is no subnormal 24-bit float and not -0.
    pub normal: bool,
    pub trust: Trust,
}

/// What plain code in 24-bit floats knows of a number, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// It is as large as uniforms have to be.
    Uniform,
    /// It is ordinary, or the group is done again.
    Ordinary,
    /// It is what the guest has, but maybe not ordinary: arithmetic cannot take it yet.
    Right,
    /// It is right if it is ordinary.
    Doubtful,
}

pub(super) const fn clean(value: F32x4) -> TrackedValue {
    TrackedValue { value, clean: true, normal: false, trust: Trust::Ordinary }
}

pub(super) const fn uniform(value: F32x4) -> TrackedValue {
    TrackedValue { trust: Trust::Uniform, ..clean(value) }
}

/// A result of 24-bit arithmetic.
pub(super) const fn normal(value: F32x4) -> TrackedValue {
    TrackedValue { normal: true, ..clean(value) }
}
