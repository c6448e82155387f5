//! Memory for lists that are only needed while a scene is drawn. Each thread keeps some, so that steady frames allocate
//! none.

use std::cell::Cell;

use bumpalo::Bump;

thread_local! {
    static KEPT: Cell<Option<Bump>> = const { Cell::new(None) };
}

/// Bytes that a thread keeps.
const MAX_KEPT: usize = 4 << 20;

/// Calls `run` with memory that is free again afterwards: what has a destructor must not be left in it.
pub(super) fn with<R>(run: impl FnOnce(&Bump) -> R) -> R {
    let mut arena = KEPT.take().unwrap_or_default();
    let result = run(&arena);
    if arena.allocated_bytes() <= MAX_KEPT {
        arena.reset();
        KEPT.set(Some(arena));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let place = || with(|arena| arena.alloc_slice_fill_copy(1000, 7u32).as_ptr().addr());
        // The first lists may not have fit into one piece.
        place();
        assert_eq!(place(), place());
    }

    #[test]
    fn memory_in_use_is_not_used_again() {
        with(|outer| {
            let value = outer.alloc(1);
            with(|inner| *inner.alloc(2));
            assert_eq!(*value, 1);
        });
    }
}
