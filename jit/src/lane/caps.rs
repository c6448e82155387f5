//! Capabilities of the host.

/// What the host can do that decides between instruction sequences.
#[derive(Clone, Copy, Debug, Default)]
pub struct Caps {
    /// An x86-64 with SSE4.1 and SSSE3: the `x86_*` operations exist.
    pub x86: bool,
    /// Registers are allocated in a single pass, for which blocks copy addresses.
    pub copies: bool,
}
