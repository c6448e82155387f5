//! The error of a tier that does not support a key.

/// The compiler does not support a key, or a compiled kernel does not support a call: the
/// interpreter does. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported: {0}")]
pub struct Unsupported(
    /// Why, for counters and logs.
    pub &'static str,
);
