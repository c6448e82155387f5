//! Effects of a write to a register besides storing it.

/// Groups of state that writes make dirty, as constants with one bit each in the order of the list, and `ALL`.
///
/// ```text
/// groups! {
///     /// Formats and addresses of targets.
///     TARGET,
///     /// Tests and blending.
///     FRAGMENT,
/// }
/// ```
macro_rules! groups {
    ($($(#[doc = $doc:literal])+ $name:ident),+ $(,)?) => {
        $crate::table::effect::groups!(@from 0; $($(#[doc = $doc])+ $name,)+);
    };
    (@from $bit:expr; $(#[doc = $doc:literal])+ $name:ident, $($rest:tt)*) => {
        $(#[doc = $doc])+
        pub const $name: u32 = 1 << ($bit);
        $crate::table::effect::groups!(@from $bit + 1; $($rest)*);
    };
    (@from $bit:expr;) => {
        /// Every group.
        pub const ALL: u32 = (1 << ($bit)) - 1;
    };
}

pub(crate) use groups;

/// The effect of a row in a register table. The value is stored in any case, so that macros and debuggers can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect<T> {
    /// Nothing: the register is read when its value is needed.
    None,
    /// Nothing at all: a known register without visible effect in this implementation.
    Ignored,
    /// Makes groups of state dirty: bits of the class's `dirty` module.
    Dirty(u32),
    /// An immediate effect.
    Trigger(T),
}

impl<T> Effect<T> {
    /// Whether something happens at once.
    pub const fn is_trigger(&self) -> bool {
        matches!(self, Effect::Trigger(_))
    }
}
