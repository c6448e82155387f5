//! The seal of [`Device`](super::Device): the crates of this library implement it, others cannot name it.

/// A type that may be a [`Device`](super::Device).
pub trait Sealed {}
