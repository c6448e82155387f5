//! Capabilities of the host and of the code generator.

/// What decides between instruction sequences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caps {
    /// An x86-64 with SSE4.1 and SSSE3: the `x86_*` operations exist.
    pub x86: bool,
    /// Registers are allocated in a single pass, for which blocks copy addresses.
    pub copies: bool,
    pub pairs: Pairs,
    /// Vectors of 256 bits where two iterations are one ([`wide`](crate::wide)).
    pub wide: bool,
    /// Whether that code generator also makes functions in which no iterations are one; for tests.
    pub wide_alone: bool,
}

/// Whether loops do two iterations at once ([`interleave`](crate::interleave)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairs {
    #[default]
    Never,
    WherePossible,
    /// Functions in which no loop can are unsupported.
    Required,
}
