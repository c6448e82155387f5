//! Panics of Rust functions that compiled code calls.
//!
//! Compiled code has no tables for unwinding, and a function that it calls ends the process if a panic leaves it. So a
//! panic of the machine, of guest memory or of a library below them is kept until the compiled code has returned; the
//! one place that calls compiled code resumes it ([`Code::call`](crate::code::Code::call)).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// Whether a panic is kept: all that a call of compiled code has to check.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Box<dyn Any + Send>>> = const { RefCell::new(None) };
}

/// Runs a function for compiled code. If it panics, and from then on until the code has returned, the result is
/// `otherwise` and the function is not run.
#[inline]
pub fn guarded<R>(otherwise: R, run: impl FnOnce() -> R) -> R {
    if IS_CAUGHT.get() {
        return otherwise;
    }
    // Unwind safe: the panic is raised again, so that owners of half-changed state are unwound as well.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result,
        Err(panic) => {
            keep(panic);
            otherwise
        }
    }
}

#[cold]
fn keep(panic: Box<dyn Any + Send>) {
    CAUGHT.set(Some(panic));
    IS_CAUGHT.set(true);
}

/// Goes on with a panic that waits, if there is one: compiled code has returned.
#[inline]
pub fn go_on() {
    if IS_CAUGHT.get() {
        unwind();
    }
}

#[cold]
fn unwind() {
    IS_CAUGHT.set(false);
    if let Some(panic) = CAUGHT.take() {
        resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_waits_until_code_has_returned() {
        let mut runs = 0;
        assert_eq!(guarded(7, || panic!("what the machine says")), 7);
        assert_eq!(guarded(7, || std::mem::replace(&mut runs, 1)), 7);
        let panic = catch_unwind(go_on).expect_err("the panic");
        assert_eq!(panic.downcast_ref(), Some(&"what the machine says"));
        go_on();
        assert_eq!((guarded(7, || 8), runs), (8, 0));
    }
}
