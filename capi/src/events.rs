//! Events of a device: interrupts, fences, flips, VBlanks.

use std::ffi::c_void;

use super::callback::Callback;
use super::error::triglyph_status;
use super::event::triglyph_event;
use super::handle::{State, triglyph_device, with_device};
use super::pointer::{Out, drain_sized, required};

/// Takes the events since they were taken last, oldest first. `count` is how many were stored in `events`; if that is
/// `capacity`, there may be more to take. `events[0].size` is set before. A host that takes none keeps the newest 4096.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_take_events(
    device: Option<&triglyph_device>,
    events: *mut triglyph_event,
    capacity: usize,
    count: Out<'_, usize>,
) -> triglyph_status {
    with_device(device, |state| {
        let count = required(count, "count")?;
        if state.events.len() < capacity {
            let new = state.gpu.device().take_events();
            state.events.extend(new.into_iter().map(triglyph_event::from));
        }
        // SAFETY: the header asks callers for room for that many.
        count.write(unsafe { drain_sized(&mut state.events, events, capacity, "events") }?);
        Ok(())
    })
}

/// Is called for each event, oldest first, on the thread that makes the call in which it has happened, before that
/// returns: on a worker's thread after each of its slices. It must not block for long and not throw or jump out; calls
/// on the same device return `TRIGLYPH_STATUS_BUSY`, but commands may be sent to a worker with
/// `triglyph_worker_try_send`.
pub type triglyph_event_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const triglyph_event)>;

/// Sets the callback for events, or removes it with null; `triglyph_take_events` has nothing while there is one. Events
/// that were not taken are told at once. `user_data` is handed to each call and has to stay valid until the callback is
/// replaced or the device destroyed. Threads that are to go on while a call is still at work, such as those that wait
/// for a fence, wait on the timeline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_set_event_callback(
    device: Option<&triglyph_device>,
    callback: triglyph_event_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_device(device, |state| {
        state.on_event = Callback::new(callback, user_data);
    })
}

impl State {
    /// Tells the host of the events that have happened, if it wants to be told.
    #[inline]
    pub(crate) fn tell_events(&mut self) {
        if self.on_event.is_some() {
            self.tell_all_events();
        }
    }

    #[inline(never)]
    fn tell_all_events(&mut self) {
        let Some(callback) = &self.on_event else { return };
        self.events.drain(..).for_each(|event| callback.call(&event));
        let new = self.gpu.device().take_events();
        new.into_iter().for_each(|event| callback.call(&event.into()));
    }
}
