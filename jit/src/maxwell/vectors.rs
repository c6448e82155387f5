//! Vectors through which compiled code passes arguments and results of calls.

/// Slices of a warp.
pub const SLICES: usize = 8;

/// Vectors for the arguments and results of a libcall.
pub const VECTORS: usize = 24;

/// Vectors of a call.
pub type Vectors = [[u32; 4]; VECTORS];
