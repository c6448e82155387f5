//! A device on a thread of its own.
//!
//! ```text
//! host's threads: send, call ─► queue ─► command(user_data) ─► calls on the device, on the worker's thread
//!                 wait, timeline ◄────── bounded runs between commands
//! ```
//! The thread and its queue are the façade's `DeviceWorker`. What it works with is the state that the device's handle
//! has, too, so that commands make the same calls as without a worker.

use std::ffi::c_void;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use triglyph::{
    BoundedWork, DeviceWorker, GuestRange, Interrupter, RunEnd, RunLimit, Timeline, WorkerError, WorkerOptions,
};
use triglyph_guest::num::nanoseconds;

use super::callback::UserData;
use super::error::{Done, Failure, guard, triglyph_status};
use super::handle::{Shared, destroy, lock, triglyph_device};
use super::memory;
use super::pointer::{self, Out, SizedStruct, give, put, required};
use super::range::triglyph_range;
use super::run::{described, triglyph_run_limit, triglyph_waiting};
use super::timeline::triglyph_timeline;

/// How a worker works. Fill it with `triglyph_worker_options_init` first.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct triglyph_worker_options {
    /// Bytes of this structure as the caller knows it: `sizeof(triglyph_worker_options)`.
    pub size: u32,
    /// Commands that may wait in the queue, at least 1: senders wait for room beyond them.
    pub capacity: u32,
    /// How much is done before the queue is checked again. A command that is sent interrupts the run, so this delays no
    /// command; it delays the event callback.
    pub slice: triglyph_run_limit,
}

// SAFETY: two words, then eight bytes each: no padding, only numbers, the size first.
unsafe impl SizedStruct for triglyph_worker_options {
    const FIRST: usize = 24;
}

const _: () = assert!(size_of::<triglyph_worker_options>() == triglyph_worker_options::FIRST);

impl triglyph_worker_options {
    fn defaults() -> Self {
        let WorkerOptions { capacity, slice: RunLimit { time, words, .. }, .. } = WorkerOptions::default();
        let nanoseconds = nanoseconds(time);
        let size = size_of::<Self>() as u32;
        triglyph_worker_options { size, capacity: capacity as u32, slice: triglyph_run_limit { nanoseconds, words } }
    }
}

/// A device as its thread has it.
struct Lent {
    device: Arc<Shared>,
    interrupter: Interrupter,
    timeline: Timeline,
}

impl Lent {
    /// Gives a device away that no call and no other worker uses.
    fn new(device: &triglyph_device) -> Result<Self, Failure> {
        let shared = device.shared();
        let state = lock(&shared.state)?;
        shared.lend()?;
        let device = state.gpu.device_ref();
        Ok(Lent { device: shared.clone(), interrupter: device.interrupter(), timeline: device.timeline().clone() })
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.device.give_back();
    }
}

impl BoundedWork for Lent {
    fn set_deferred(&mut self, deferred: bool) {
        // After a panic there is nothing to defer.
        if let Ok(mut state) = self.device.state.lock() {
            state.gpu.device().set_deferred(deferred);
        }
    }

    fn run_for(&mut self, limit: RunLimit) -> RunEnd {
        self.device.take_over();
        match self.device.state.lock() {
            Ok(mut state) => {
                let end = state.gpu.device().run_for(limit);
                state.tell_events();
                end
            }
            // The hook has reported it: a call of a command has returned TRIGLYPH_STATUS_PANIC.
            Err(_) => resume_unwind(Box::new("a call on the device panicked")),
        }
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }
}

/// A device on a thread of its own. Any number of threads may use a worker at the same time.
///
/// The host gives it commands: functions that the thread calls one after the other, in the order in which they were
/// sent. They make whatever calls on the device are wanted; on other threads these are `TRIGLYPH_STATUS_BUSY` while the
/// worker has the device. Submissions are deferred (`triglyph_set_deferred`): the thread does their work in bounded
/// runs between commands, and a command that is sent interrupts the run. Results are waited for with
/// `triglyph_worker_call`, `triglyph_worker_wait` and `triglyph_worker_wait_idle`, or on the timeline.
pub struct triglyph_worker {
    worker: DeviceWorker<Lent>,
    device: Arc<Shared>,
}

impl triglyph_worker {
    /// Its thread would wait for itself.
    fn check_thread(&self) -> Result<(), Failure> {
        match self.device.is_this_threads() {
            true => Err(Failure::new(triglyph_status::Busy, "a command of a worker's cannot wait for the worker")),
            false => Ok(()),
        }
    }
}

/// A call of a thread that is not the worker's, which may wait for it.
fn from_outside<R: Done>(
    worker: Option<&triglyph_worker>,
    call: impl FnOnce(&DeviceWorker<Lent>) -> R,
) -> triglyph_status {
    guard(|| {
        let worker = required(worker, "worker")?;
        worker.check_thread()?;
        call(&worker.worker).done()
    })
}

impl From<WorkerError> for Failure {
    fn from(error: WorkerError) -> Self {
        Failure::new(triglyph_status::Poisoned, format!("{error}: a call of one of its commands panicked"))
    }
}

/// A command for a worker's thread. It makes calls on the worker's device, and must not throw or jump out; nor must it
/// wait for the worker.
pub type triglyph_worker_command = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A command for the queue.
fn command(
    command: triglyph_worker_command,
    user_data: *mut c_void,
) -> Result<impl FnOnce(&mut Lent) + Send + 'static, Failure> {
    let (command, user_data) = (required(command, "command")?, UserData(user_data));
    Ok(move |lent: &mut Lent| {
        lent.device.take_over();
        // SAFETY: the host promises a function of this type that takes its own pointer.
        unsafe { command(user_data.get()) }
    })
}

/// Fills options with the defaults. `options->size` is to be set to `sizeof(triglyph_worker_options)` before.
///
/// Errors: `TRIGLYPH_STATUS_BAD_SIZE`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_options_init(options: *mut triglyph_worker_options) -> triglyph_status {
    // SAFETY: the header asks callers for a structure that begins with its size.
    guard(|| unsafe { pointer::write_sized(options, &triglyph_worker_options::defaults(), "options") })
}

/// Moves a device to a thread of its own; null `options` are the defaults. The worker belongs to the caller, who
/// destroys it with `triglyph_worker_destroy`, before the device.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while a call uses the device or another worker has it;
/// `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a queue without room; `TRIGLYPH_STATUS_UNSUPPORTED` when the host gives no
/// thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_create(
    device: Option<&triglyph_device>,
    options: *const triglyph_worker_options,
    worker: Out<'_, *mut triglyph_worker>,
) -> triglyph_status {
    guard(|| {
        let (device, out) = (required(device, "device")?, required(worker, "worker")?);
        let mut given = triglyph_worker_options::defaults();
        if !options.is_null() {
            // SAFETY: the header asks callers for a structure that begins with its size.
            given = unsafe { pointer::read_sized(options, given, "options") }?;
        }
        let options = WorkerOptions::default().with_capacity(given.capacity as usize);
        let options = options.with_slice(RunLimit::from(&given.slice));
        let worker = DeviceWorker::new(Lent::new(device)?, options)?;
        give(triglyph_worker { worker, device: device.shared().clone() }, out);
        Ok(())
    })
}

/// Sends a command; waits while the queue is full, so that a guest that is faster than its GPU is held back. `number`
/// is the command's, counted from 1; it may be null. A command that was taken is executed, unless a call on the device
/// panics before.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own: it may use `triglyph_worker_try_send`;
/// `TRIGLYPH_STATUS_POISONED` when a call on the device panicked, which has ended the thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_send(
    worker: Option<&triglyph_worker>,
    command: triglyph_worker_command,
    user_data: *mut c_void,
    number: Out<'_, u64>,
) -> triglyph_status {
    from_outside(worker, |worker| {
        put(number, worker.send(self::command(command, user_data)?)?.get());
        Ok(())
    })
}

/// As `triglyph_worker_send`, for a command that touches no other memory than `count` ranges, and is done with it when
/// it returns: it defers no work, as `triglyph_n3ds_execute` with the ranges of `triglyph_n3ds_get_forecast`.
/// `triglyph_worker_wait_range` need not wait for it elsewhere.
///
/// Errors: as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_send_touching(
    worker: Option<&triglyph_worker>,
    command: triglyph_worker_command,
    user_data: *mut c_void,
    ranges: *const triglyph_range,
    count: usize,
    number: Out<'_, u64>,
) -> triglyph_status {
    from_outside(worker, |worker| {
        // SAFETY: the header asks callers for that many ranges.
        let ranges = unsafe { pointer::slice(ranges, count, "ranges") }?;
        let ranges: Vec<GuestRange> = ranges.iter().map(range_of).collect::<Result<_, _>>()?;
        put(number, worker.send_touching(&ranges, self::command(command, user_data)?)?.get());
        Ok(())
    })
}

fn range_of(range: &triglyph_range) -> Result<GuestRange, Failure> {
    memory::range(range.space, range.address, range.size)
}

/// Waits until nothing that was sent so far can still touch a range of guest memory, at most for `timeout` nanoseconds:
/// commands that may were executed, and the work that they have deferred is done, unless channels wait. `free` says
/// whether that is so. Ranges are compared by their addresses: memory that is mapped several times is waited for at
/// each place.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_worker_wait_range(
    worker: Option<&triglyph_worker>,
    range: Option<&triglyph_range>,
    timeout: u64,
    free: Out<'_, bool>,
) -> triglyph_status {
    from_outside(worker, |worker| {
        put(free, worker.wait_range(range_of(required(range, "range")?)?, Duration::from_nanos(timeout)));
        Ok(())
    })
}

/// As `triglyph_worker_send`, but never waits: `taken` is false when the queue is full. Commands and callbacks of the
/// worker's own may use it.
///
/// Errors: `TRIGLYPH_STATUS_POISONED` as there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_try_send(
    worker: Option<&triglyph_worker>,
    command: triglyph_worker_command,
    user_data: *mut c_void,
    number: Out<'_, u64>,
    taken: Out<'_, bool>,
) -> triglyph_status {
    guard(|| {
        let (worker, taken) = (required(worker, "worker")?, required(taken, "taken")?);
        match worker.worker.try_send(self::command(command, user_data)?) {
            Ok(sent) => {
                put(number, sent.get());
                taken.write(true);
            }
            Err(WorkerError::Full) => drop(taken.write(false)),
            Err(ended) => return Err(ended.into()),
        }
        Ok(())
    })
}

/// Sends a command and returns once it was executed. Work that it has submitted may still be under way.
///
/// Errors: as `triglyph_worker_send`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_call(
    worker: Option<&triglyph_worker>,
    command: triglyph_worker_command,
    user_data: *mut c_void,
) -> triglyph_status {
    from_outside(worker, |worker| Ok(worker.call(self::command(command, user_data)?)?))
}

/// Lets waiting channels check their conditions again, after the host has written memory that they may wait for. Does
/// not wait.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_worker_wake(worker: Option<&triglyph_worker>) -> triglyph_status {
    guard(|| {
        required(worker, "worker")?.worker.wake();
        Ok(())
    })
}

/// Waits until command `number` was executed, at most for `timeout` nanoseconds; `executed` says whether it was.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_worker_wait(
    worker: Option<&triglyph_worker>,
    number: u64,
    timeout: u64,
    executed: Out<'_, bool>,
) -> triglyph_status {
    from_outside(worker, |worker| put(executed, worker.wait(number.into(), Duration::from_nanos(timeout))))
}

/// Waits until all commands were executed and nothing of the device can go on, at most for `timeout` nanoseconds;
/// `idle` says whether that is so. If it is, `end` is `TRIGLYPH_RUN_END_DONE` or `TRIGLYPH_RUN_END_WAITING`, and
/// `waiting`, whose `size` is set before, what is waited for; otherwise they are 0. All three may be null.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_wait_idle(
    worker: Option<&triglyph_worker>,
    timeout: u64,
    idle: Out<'_, bool>,
    end: Out<'_, u32>,
    waiting: *mut triglyph_waiting,
) -> triglyph_status {
    from_outside(worker, |worker| {
        let found = worker.wait_idle(Duration::from_nanos(timeout));
        put(idle, found.is_some());
        let (kind, what) = found.map_or((0, triglyph_waiting::default()), |end| {
            let (kind, what) = described(end);
            (kind as u32, what)
        });
        put(end, kind);
        // SAFETY: the header asks callers for a structure that begins with its size.
        unsafe { pointer::put_sized(waiting, &what, "waiting") }
    })
}

/// The timeline of the worker's device, as `triglyph_get_timeline`. It belongs to the caller.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_worker_get_timeline(
    worker: Option<&triglyph_worker>,
    timeline: Out<'_, *mut triglyph_timeline>,
) -> triglyph_status {
    guard(|| triglyph_timeline::give(required(worker, "worker")?.worker.timeline(), timeline))
}

/// Executes the commands that were sent, interrupts what the device is doing, ends the thread and destroys the worker,
/// which no other thread may use any more. Then any thread may use the device again; what it has not done it does with
/// the next run, submissions are still deferred. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` for a command of the worker's own; the worker stays as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_worker_destroy(worker: *mut triglyph_worker) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy(worker, triglyph_worker::check_thread) }
}
