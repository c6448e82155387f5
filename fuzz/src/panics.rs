//! Counts panics, also those that are caught: the compiler's are, and each of them is a finding.

use std::sync::{Mutex, Once, PoisonError};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// Notes panics from now on, of all threads, instead of printing them.
pub fn watch() {
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(panic.to_string());
        }));
    });
}

/// The panics since the last call.
pub fn take() -> Vec<String> {
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}
