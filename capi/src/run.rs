//! Bounded work: deferring submissions, running for a while, interrupting from another thread.

use std::time::Duration;

use triglyph::{GuestAddr, Interrupter, RunEnd, RunLimit, Waiting};

use super::error::{guard, triglyph_status};
use super::handle::{destroy, triglyph_device, with_device};
use super::pointer::{Out, SizedStruct, give, put, put_sized, required};

/// How much one bounded run may do: what is used up first ends it, between two commands.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct triglyph_run_limit {
    /// Nanoseconds of the machine's time, which are estimates of what the work takes the console; UINT64_MAX for any.
    pub nanoseconds: u64,
    /// Words of push buffers and command lists; UINT64_MAX for any.
    pub words: u64,
}

/// Why a bounded run returned.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_run_end {
    /// A reason that this version cannot describe.
    Unknown = 0,
    /// Everything that was submitted is done, and its results are in guest memory.
    Done = 1,
    /// Nothing can go on before the host, or the guest's processor, has acted: `waiting` says what is waited for.
    Waiting = 2,
    /// The limit is reached, and there is more to do.
    BudgetUsed = 3,
    /// `triglyph_interrupter_interrupt` was called; there may be more to do. What was drawn last may not be in guest
    /// memory yet.
    Interrupted = 4,
}

/// The condition that is waited for.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_waiting_kind {
    /// Nothing, or what this version cannot describe.
    None = 0,
    /// The word at `address` in `space` is to have a value: `value` is what it is compared with.
    Semaphore = 1,
    /// `counter`, on the Tegra X1 a syncpoint, is to reach `value`, modulo 2^32.
    Counter = 2,
    /// A push buffer jumps to itself, at offset `address`, until its owner overwrites the jump.
    PushBuffer = 3,
    /// The channel is stopped by an error, or until the guest's own interrupt handler acts. On the 3DS commands are in
    /// the queue of client `channel`, which was halted or has not the rendering right.
    Processor = 4,
}

/// The condition that a device waits for. Fields that a kind does not name are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_waiting {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_waiting)`.
    pub size: u32,
    /// A `triglyph_waiting_kind`.
    pub kind: u32,
    /// The channel; if several wait, the first of them.
    pub channel: u32,
    /// The address space.
    pub space: u32,
    /// The counter.
    pub counter: u32,
    /// The value that is waited for.
    pub value: u32,
    /// The address or offset.
    pub address: u64,
}

// SAFETY: numbers and pointers without padding, the size first.
unsafe impl SizedStruct for triglyph_waiting {}

impl From<Waiting> for triglyph_waiting {
    fn from(waiting: Waiting) -> Self {
        use triglyph_waiting_kind as kind;
        let none = triglyph_waiting::default();
        match waiting {
            Waiting::Semaphore { channel, place: GuestAddr { space, address }, value } => {
                let channel = channel.get();
                triglyph_waiting { kind: kind::Semaphore as u32, channel, space, address, value, ..none }
            }
            Waiting::Counter { channel, counter, value } => {
                let (channel, counter) = (channel.get(), counter.get());
                triglyph_waiting { kind: kind::Counter as u32, channel, counter, value, ..none }
            }
            Waiting::PushBuffer { channel, offset } => {
                let channel = channel.get();
                triglyph_waiting { kind: kind::PushBuffer as u32, channel, address: offset.into(), ..none }
            }
            Waiting::Processor { channel } => {
                triglyph_waiting { kind: kind::Processor as u32, channel: channel.get(), ..none }
            }
            _ => none,
        }
    }
}

impl From<&triglyph_run_limit> for RunLimit {
    fn from(limit: &triglyph_run_limit) -> Self {
        RunLimit::of_time(Duration::from_nanos(limit.nanoseconds)).with_words(limit.words)
    }
}

/// Why a run ended, and what is waited for.
pub(crate) fn described(end: RunEnd) -> (triglyph_run_end, triglyph_waiting) {
    let kind = match end {
        RunEnd::Done => triglyph_run_end::Done,
        RunEnd::Waiting(what) => return (triglyph_run_end::Waiting, what.into()),
        RunEnd::BudgetUsed => triglyph_run_end::BudgetUsed,
        RunEnd::Interrupted => triglyph_run_end::Interrupted,
        _ => triglyph_run_end::Unknown,
    };
    (kind, triglyph_waiting::default())
}

/// Says whether submissions only queue work, for `triglyph_run_for` and `triglyph_finish` to do. Otherwise, as at
/// first, they do it before they return. What was queued stays queued.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_set_deferred(device: Option<&triglyph_device>, deferred: bool) -> triglyph_status {
    with_device(device, |state| state.gpu.device().set_deferred(deferred))
}

/// Goes on with what was submitted, and with channels that wait, until nothing can go on, `limit` is reached or another
/// thread interrupts it. `end` is a `triglyph_run_end`; `waiting`, whose `size` is set before, may be null. The next
/// run goes on at exactly the next command: memory, events and faults do not depend on how work is cut. A push buffer
/// that loops only uses up its budget. Between two runs the host may do anything: write memory, deliver VBlanks, take
/// snapshots. On the PS3 PUT is taken from the control pages first. A null `limit` is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_run_for(
    device: Option<&triglyph_device>,
    limit: Option<&triglyph_run_limit>,
    end: Out<'_, u32>,
    waiting: *mut triglyph_waiting,
) -> triglyph_status {
    with_device(device, |state| {
        let (kind, what) = described(state.gpu.device().run_for(limit.map_or(RunLimit::NONE, RunLimit::from)));
        put(end, kind as u32);
        // SAFETY: the header asks callers for a structure that begins with its size.
        unsafe { put_sized(waiting, &what, "waiting") }
    })
}

/// Interrupts the bounded runs of a device. All threads may use it at any time, also while calls on the device are
/// under way and after it is gone.
pub struct triglyph_interrupter {
    interrupter: Interrupter,
}

/// The interrupter of a device. It belongs to the caller, who destroys it with `triglyph_interrupter_destroy`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_get_interrupter(
    device: Option<&triglyph_device>,
    interrupter: Out<'_, *mut triglyph_interrupter>,
) -> triglyph_status {
    with_device(device, |state| {
        let made = triglyph_interrupter { interrupter: state.gpu.device_ref().interrupter() };
        give(made, required(interrupter, "interrupter")?);
        Ok(())
    })
}

/// Ends the bounded run in progress before its next command, or in the middle of drawing, or else the next one before
/// its first command. What is not drawn then is drawn by the next run, or by the first call that reads memory. Runs
/// without bounds go on. Does not wait.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_interrupter_interrupt(interrupter: Option<&triglyph_interrupter>) -> triglyph_status {
    guard(|| {
        required(interrupter, "interrupter")?.interrupter.interrupt();
        Ok(())
    })
}

/// Destroys an interrupter that no thread uses any more. Null is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_interrupter_destroy(interrupter: *mut triglyph_interrupter) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(interrupter, |_| Ok(())) }
}
