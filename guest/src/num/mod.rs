//! Number rules of the guests: small float formats, and the transcendental functions both tiers share.
//!
//! Semantics are never shared between interpreter and compiler, with this one exception: the functions of [`ops`],
//! [`depth16`], [`fast`], [`half`] and [`mufu`] are written once over an abstract set of operations, so that both tiers
//! are equal to the bit by construction.

pub mod depth16;
pub mod f24;
pub mod fast;
pub mod float;
pub mod half;
pub mod mufu;
pub mod ops;
pub mod repeat;

use std::time::Duration;

pub use float::{F16, F20, F24, F31, SmallFloat};

/// A time in whole nanoseconds, as calls are recorded with it; the largest number for longer ones (584 years).
pub fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
