//! Waiting for completed work from another thread.

use std::mem::MaybeUninit;
use std::time::Duration;

use triglyph::Timeline;

use super::error::{guard, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::pointer::{Out, put, required};

/// Counts the work of a device: submissions are numbered from 1, and each is complete once its results are in guest
/// memory; events, and counters of the guest's, as they change. All threads may use it at any time, also while calls on
/// the device are under way and after it is gone.
pub struct triglyph_timeline {
    timeline: Timeline,
}

impl triglyph_timeline {
    /// Hands a timeline to C.
    pub(crate) fn give(timeline: Timeline, out: &mut MaybeUninit<*mut triglyph_timeline>) {
        out.write(Box::into_raw(Box::new(triglyph_timeline { timeline })));
    }
}

/// The timeline of a device. It belongs to the caller, who destroys it with `triglyph_timeline_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_get_timeline(
    device: Option<&triglyph_device>,
    timeline: Out<'_, *mut triglyph_timeline>,
) -> triglyph_status {
    with_device(device, |state| {
        let timeline_of = state.gpu.device_ref().timeline().clone();
        triglyph_timeline::give(timeline_of, required(timeline, "timeline")?);
        Ok(())
    })
}

/// The number of the last submission, and the number up to which all are complete. Either pointer may be null.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_counts(
    timeline: Option<&triglyph_timeline>,
    submitted: Out<'_, u64>,
    completed: Out<'_, u64>,
) -> triglyph_status {
    guard(|| {
        let timeline = &required(timeline, "timeline")?.timeline;
        // In this order, completed work is never ahead.
        let done = timeline.completed();
        put(submitted, timeline.submitted());
        put(completed, done);
        Ok(())
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
    guard(|| {
        let done = required(timeline, "timeline")?.timeline.wait(number, Duration::from_nanos(timeout));
        put(complete, done);
        Ok(())
    })
}

/// How many events have happened so far: what `triglyph_take_events` returns, counted as it happens.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_events(
    timeline: Option<&triglyph_timeline>,
    events: Out<'_, u64>,
) -> triglyph_status {
    guard(|| {
        let count = required(timeline, "timeline")?.timeline.events();
        required(events, "events")?.write(count);
        Ok(())
    })
}

/// Waits until more than `seen` events have happened, at most for `timeout` nanoseconds; `events` is how many have.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_wait_event(
    timeline: Option<&triglyph_timeline>,
    seen: u64,
    timeout: u64,
    events: Out<'_, u64>,
) -> triglyph_status {
    guard(|| {
        let count = required(timeline, "timeline")?.timeline.wait_for_event(seen, Duration::from_nanos(timeout));
        put(events, count);
        Ok(())
    })
}

/// The value of a counter of the guest's: on the Tegra X1 a syncpoint, on the PS3 the reference value of a channel. 0
/// for one that nothing has counted yet.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_timeline_fence(
    timeline: Option<&triglyph_timeline>,
    number: u32,
    value: Out<'_, u32>,
) -> triglyph_status {
    guard(|| {
        let found = required(timeline, "timeline")?.timeline.fence(number);
        required(value, "value")?.write(found);
        Ok(())
    })
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
    guard(|| {
        let timeline = &required(timeline, "timeline")?.timeline;
        put(reached, timeline.wait_for_fence(number, value, Duration::from_nanos(timeout)));
        Ok(())
    })
}

/// Destroys a timeline that no thread uses any more. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_timeline_destroy(timeline: *mut triglyph_timeline) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(timeline, |_| Ok(())) }
}
