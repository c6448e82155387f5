//! The thread that tells programs of synchronisation objects which they watch.

use std::sync::PoisonError;
use std::time::Duration;

use super::Process;
use crate::state::State;
use crate::watches::Until;

/// How long another process's doing may go unnoticed, or that of a command beside others.
pub const STEP: Duration = Duration::from_millis(1);

/// Starts the thread that tells programs of synchronisation objects, if there is something to tell.
pub fn begin(process: &'static Process, state: &mut State) {
    if !state.watches.list.is_empty() && !state.watches.has_thread {
        let thread = std::thread::Builder::new().name("triglyph-vgpu".into());
        state.watches.has_thread = thread.spawn(move || watch(process)).is_ok();
    }
}

fn watch(process: &Process) {
    let mut state = process.state.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        state = match state.tell_watchers() {
            Until::Calls => process.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            Until::Time => process.changed.wait_timeout(state, STEP).unwrap_or_else(PoisonError::into_inner).0,
        };
    }
}
