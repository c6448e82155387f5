//! Waiting for completed work from another thread.

use std::time::Duration;

use triglyph::Timeline;

use super::error::{Done, Failure, guard, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::pointer::{Out, give, put, required, store};

/// Counts the work of a device: submissions are numbered from 1, and each is complete once its results are in guest
/// memory; events, and counters of the guest's, as they change. All threads may use it at any time, also while calls on
/// the device are under way and after it is gone.
pub struct triglyph_timeline {
    timeline: Timeline,
}

impl triglyph_timeline {
    /// Hands a timeline to C.
    pub(crate) fn give(timeline: &Timeline, out: Out<'_, *mut triglyph_timeline>) -> Result<(), Failure> {
        give(triglyph_timeline { timeline: timeline.clone() }, required(out, "timeline")?);
        Ok(())
    }
}

/// A call on a timeline.
fn with_timeline<R: Done>(timeline: Option<&triglyph_timeline>, call: impl FnOnce(&Timeline) -> R) -> triglyph_status {
    guard(|| call(&required(timeline, "timeline")?.timeline).done())
}

/// The timeline of a device. It belongs to the caller, who destroys it with `triglyph_timeline_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_get_timeline(
    device: Option<&triglyph_device>,
    timeline: Out<'_, *mut triglyph_timeline>,
) -> triglyph_status {
    with_device(device, |state| triglyph_timeline::give(state.gpu.device_ref().timeline(), timeline))
}

/// The number of the last submission, and the number up to which all are complete. Either pointer may be null.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_counts(
    timeline: Option<&triglyph_timeline>,
    submitted: Out<'_, u64>,
    completed: Out<'_, u64>,
) -> triglyph_status {
    with_timeline(timeline, |timeline| {
        // In this order, completed work is never ahead.
        let done = timeline.completed();
        put(submitted, timeline.submitted());
        put(completed, done);
    })
}

/// Waits until submission `number` is complete, at most for `timeout` nanoseconds; `complete` says whether it is. A
/// number that has not been submitted yet is waited for as well.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_wait(
    timeline: Option<&triglyph_timeline>,
    number: u64,
    timeout: u64,
    complete: Out<'_, bool>,
) -> triglyph_status {
    with_timeline(timeline, |timeline| put(complete, timeline.wait(number, Duration::from_nanos(timeout))))
}

/// How many events have happened so far: what `triglyph_take_events` returns, counted as it happens.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_events(
    timeline: Option<&triglyph_timeline>,
    events: Out<'_, u64>,
) -> triglyph_status {
    with_timeline(timeline, |timeline| store(events, timeline.events(), "events"))
}

/// Waits until more than `seen` events have happened, at most for `timeout` nanoseconds; `events` is how many have.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_wait_event(
    timeline: Option<&triglyph_timeline>,
    seen: u64,
    timeout: u64,
    events: Out<'_, u64>,
) -> triglyph_status {
    with_timeline(timeline, |timeline| put(events, timeline.wait_for_event(seen, Duration::from_nanos(timeout))))
}

/// The value of a counter of the guest's: on the Tegra X1 a syncpoint, on the PS3 the reference value of a channel. 0
/// for one that nothing has counted yet.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_fence(
    timeline: Option<&triglyph_timeline>,
    number: u32,
    value: Out<'_, u32>,
) -> triglyph_status {
    with_timeline(timeline, |timeline| store(value, timeline.fence(number), "value"))
}

/// Waits until such a counter has reached `value`, modulo 2^32, at most for `timeout` nanoseconds; `reached` says
/// whether it has.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_wait_fence(
    timeline: Option<&triglyph_timeline>,
    number: u32,
    value: u32,
    timeout: u64,
    reached: Out<'_, bool>,
) -> triglyph_status {
    let timeout = Duration::from_nanos(timeout);
    with_timeline(timeline, |timeline| put(reached, timeline.wait_for_fence(number, value, timeout)))
}

/// Destroys a timeline that no thread uses any more. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_timeline_destroy(timeline: *mut triglyph_timeline) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(timeline, |_| Ok(())) }
}
