//! Spans and events for `tracing`. Without the feature of that name they are nothing and cost nothing.
//!
//! | span | field | what it covers |
//! |---|---|---|
//! | `submit` | | one submission to a device |
//! | `draw` | `vertices` | assembly, setup and binning of one draw |
//! | `flush` | | drawing a scene |
//! | `compile` | `kind` | one compilation of a kernel |
//!
//! Each fault with a known place is an event of level `WARN` with its kind, text, address and position, and so is each
//! failed write of the key file.

use std::fmt::Display;

/// Whether this build has spans and events.
pub const ENABLED: bool = cfg!(feature = "tracing");

/// Ends its span when it is dropped.
#[derive(Debug)]
pub struct Span {
    #[cfg(feature = "tracing")]
    _entered: tracing::span::EnteredSpan,
}

macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)?) => {
        Span {
            #[cfg(feature = "tracing")]
            _entered: tracing::debug_span!($name $(, $field = $value)?).entered(),
        }
    };
}

/// A submission begins.
#[inline]
pub fn submit() -> Span {
    span!("submit")
}

/// A draw of so many vertices begins.
#[inline]
pub fn draw(vertices: usize) -> Span {
    let _ = vertices;
    span!("draw", vertices = vertices)
}

/// Drawing of a scene begins.
#[inline]
pub fn flush() -> Span {
    span!("flush")
}

/// Compilation of a kernel begins.
#[inline]
pub fn compile(kind: &'static str) -> Span {
    let _ = kind;
    span!("compile", kind = kind)
}

/// A fault happened.
#[inline]
pub fn fault(kind: &str, address: u64, command: u64, what: &str) {
    #[cfg(feature = "tracing")]
    tracing::warn!(kind, address, command, "{what}");
    let _ = (kind, address, command, what);
}

/// Writing the key file has failed.
#[inline]
pub fn key_file(error: &impl Display) {
    #[cfg(feature = "tracing")]
    tracing::warn!("key file: {error}");
    let _ = error;
}
