//! What a write to a register does besides being stored.

/// The effect of a row in a register table. The value is stored in any case, so that macros and debuggers can read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect<T> {
    /// Nothing: the register is read when its value is needed.
    None,
    /// Nothing at all: a known register without visible effect in this implementation.
    Ignored,
    /// Makes groups of state dirty: bits of the class's `dirty` module.
    Dirty(u32),
    /// Something happens at once.
    Trigger(T),
}

impl<T> Effect<T> {
    /// Whether something happens at once.
    pub const fn is_trigger(&self) -> bool {
        matches!(self, Effect::Trigger(_))
    }
}
