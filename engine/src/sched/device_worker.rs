//! A device on a thread of its own.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::own_thread::OwnThread;
use super::{Interrupter, Timeline};
use crate::address::GuestRange;
use crate::device::{Device, RunEnd, RunLimit};
use crate::error::Error;
use crate::sync::{Condvar, Mutex, MutexGuard};

/// How a device's thread works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkerOptions {
    /// Commands that may wait in the queue, at least 1: senders wait for room beyond them.
    pub capacity: usize,
    /// How much is done before the queue is checked again. A new command interrupts the run, so this adds no latency.
    pub slice: RunLimit,
}

impl Default for WorkerOptions {
    fn default() -> Self {
        WorkerOptions { capacity: 256, slice: RunLimit::of_time(Duration::from_millis(1)) }
    }
}

impl WorkerOptions {
    /// The same with room for so many commands in the queue.
    pub const fn with_capacity(self, capacity: usize) -> Self {
        WorkerOptions { capacity, ..self }
    }

    /// The same with another limit of what is done before the queue is checked again.
    pub const fn with_slice(self, slice: RunLimit) -> Self {
        WorkerOptions { slice, ..self }
    }
}

/// The number of a command that was sent to a [`DeviceWorker`], counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(u64);

impl Ticket {
    /// Of a number that [`Self::get`] has given.
    pub const fn new(number: u64) -> Self {
        Ticket(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl From<u64> for Ticket {
    fn from(number: u64) -> Self {
        Ticket(number)
    }
}

impl From<Ticket> for u64 {
    fn from(ticket: Ticket) -> Self {
        ticket.0
    }
}

/// Why a command was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkerError {
    /// The queue is full.
    Full,
    /// The thread has ended: a command panicked.
    Ended,
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WorkerError::Full => "the queue of the device's thread is full",
            WorkerError::Ended => "the device's thread has ended",
        })
    }
}

impl std::error::Error for WorkerError {}

/// The functions that a [`DeviceWorker`] calls on its device. Every [`Device`] has it; hosts implement it for what
/// contains one.
pub trait BoundedWork: Send {
    /// As [`Device::set_deferred`].
    fn set_deferred(&mut self, deferred: bool);

    /// As [`Device::run_for`].
    fn run_for(&mut self, limit: RunLimit) -> RunEnd;

    /// As [`Device::interrupter`].
    fn interrupter(&self) -> Interrupter;

    /// As [`Device::timeline`].
    fn timeline(&self) -> &Timeline;
}

impl<D: Device> BoundedWork for D {
    fn set_deferred(&mut self, deferred: bool) {
        Device::set_deferred(self, deferred);
    }
    fn run_for(&mut self, limit: RunLimit) -> RunEnd {
        Device::run_for(self, limit)
    }
    fn interrupter(&self) -> Interrupter {
        Device::interrupter(self)
    }
    fn timeline(&self) -> &Timeline {
        Device::timeline(self)
    }
}

/// A command that a thread of the host's sends to the device.
type Command<D> = Box<dyn FnOnce(&mut D) + Send>;

/// A device on a thread of its own: `Send` and `Sync`, so that any thread of the host's may give it commands.
///
/// Commands are functions that get the device, executed in the order in which they were sent. Submissions only queue
/// work (see [`Device::set_deferred`]), and the thread does it in slices between commands; a command that comes while a
/// slice is executed interrupts it. Results are waited for with [`Self::call`], [`Self::wait`] or the
/// [`Timeline`].
#[derive(Debug)]
pub struct DeviceWorker<D> {
    shared: Arc<Shared<D>>,
    thread: Option<OwnThread<D>>,
    interrupter: Interrupter,
    timeline: Timeline,
    capacity: usize,
}

struct Shared<D> {
    queue: Mutex<Queue<D>>,
    /// Notifies the device's thread of work.
    work: Condvar,
    /// Notifies the other threads that a command is done, there is room in the queue, or no work is left.
    done: Condvar,
}

impl<D> fmt::Debug for Shared<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.lock();
        f.debug_struct("Shared").field("waiting", &queue.commands.len()).field("done", &queue.done).finish()
    }
}

struct Queue<D> {
    commands: VecDeque<Command<D>>,
    /// The memory that the commands after `done` touch, oldest first: the one in progress, and those in the queue.
    touched: VecDeque<Touched>,
    /// Whether work with unknown ranges may be in progress: that of commands which defer work.
    works_anywhere: bool,
    sent: u64,
    done: u64,
    /// Whether the device may have something to do.
    busy: bool,
    /// Whether it is at work: how that ends is not known yet.
    running: bool,
    /// How its last run ended.
    end: RunEnd,
    stopping: bool,
    ended: bool,
}

impl<D> Queue<D> {
    /// Whether nothing that was sent so far can still touch a range.
    fn is_free(&self, range: GuestRange) -> bool {
        !self.works_anywhere && !self.touched.iter().any(|touched| touched.overlaps(range))
    }
}

/// The memory that a command touches.
enum Touched {
    /// Any, also after it: it may defer work.
    Anywhere,
    /// No other than this, and only until it returns.
    Ranges(Vec<GuestRange>),
}

impl Touched {
    fn overlaps(&self, range: GuestRange) -> bool {
        match self {
            Touched::Anywhere => true,
            Touched::Ranges(ranges) => ranges.iter().any(|touched| touched.overlaps(range)),
        }
    }
}

/// The next action of the thread.
enum Next<D> {
    Command(Command<D>),
    Run,
    Stop,
}

impl<D> Shared<D> {
    fn lock(&self) -> MutexGuard<'_, Queue<D>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Next<D> {
        let nothing = |queue: &mut Queue<D>| queue.commands.is_empty() && !queue.busy && !queue.stopping;
        let mut queue = self.work.wait_while(self.lock(), nothing).unwrap_or_else(PoisonError::into_inner);
        match queue.commands.pop_front() {
            Some(command) => Next::Command(command),
            None if queue.stopping => Next::Stop,
            None => Next::Run,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Queue<D>)) {
        change(&mut self.lock());
        self.done.notify_all();
    }
}

/// Tells everybody that the thread has ended, also when it panics.
struct Ending<'s, D>(&'s Shared<D>);

impl<D> Drop for Ending<'_, D> {
    fn drop(&mut self) {
        self.0.change(|queue| queue.ended = true);
    }
}

fn work<D: BoundedWork>(mut device: D, shared: &Shared<D>, slice: RunLimit) -> D {
    let _ending = Ending(shared);
    loop {
        match shared.next() {
            Next::Command(command) => {
                command(&mut device);
                shared.change(|queue| {
                    queue.done += 1;
                    queue.works_anywhere |= matches!(queue.touched.pop_front(), Some(Touched::Anywhere));
                    queue.busy = true;
                });
            }
            Next::Run => {
                {
                    let mut queue = shared.lock();
                    // A wake from here on requests another run.
                    (queue.busy, queue.running) = (false, true);
                }
                let end = device.run_for(slice);
                shared.change(|queue| {
                    queue.running = false;
                    queue.busy |= matches!(end, RunEnd::BudgetUsed | RunEnd::Interrupted);
                    // A channel that waits goes on only after a command or a call of `wake`.
                    queue.works_anywhere &= queue.busy;
                    queue.end = end;
                });
            }
            Next::Stop => {
                // Interrupts were for this thread's runs, not for the next owner's first.
                device.interrupter().take();
                return device;
            }
        }
    }
}

impl<D: BoundedWork + 'static> DeviceWorker<D> {
    /// Moves a device to a thread of its own. Its submissions are deferred from here on.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a queue without room; [`Error::Unsupported`] when the host gives no thread.
    pub fn new(mut device: D, options: WorkerOptions) -> Result<Self, Error> {
        let WorkerOptions { capacity, slice } = options;
        if capacity == 0 {
            return Err(Error::InvalidArgument("a queue of no commands".into()));
        }
        device.set_deferred(true);
        let (interrupter, timeline) = (device.interrupter(), device.timeline().clone());
        let queue = Queue {
            commands: VecDeque::new(),
            touched: VecDeque::new(),
            // Work that was deferred before.
            works_anywhere: true,
            sent: 0,
            done: 0,
            busy: true,
            running: false,
            end: RunEnd::Done,
            stopping: false,
            ended: false,
        };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), work: Condvar::new(), done: Condvar::new() });
        let theirs = shared.clone();
        let thread = OwnThread::start("triglyph-device".into(), move || work(device, &theirs, slice));
        let thread = thread.map_err(|error| Error::Unsupported(format!("a thread for a device: {error}")))?;
        Ok(DeviceWorker { shared, thread: Some(thread), interrupter, timeline, capacity })
    }

    /// Sends a command and returns its ticket, for [`Self::wait`]. Waits while the queue is full, so that a guest that
    /// is faster than its GPU is held back.
    ///
    /// # Errors
    /// [`WorkerError::Ended`].
    pub fn send(&self, command: impl FnOnce(&mut D) + Send + 'static) -> Result<Ticket, WorkerError> {
        self.push(self.wait_for_room(), Box::new(command), Touched::Anywhere)
    }

    /// As [`Self::send`], for a command that touches no other memory than `ranges`, and is done with it when it
    /// returns: it defers no work. [`Self::wait_range`] need not wait for it elsewhere.
    ///
    /// # Errors
    /// [`WorkerError::Ended`].
    pub fn send_touching(
        &self,
        ranges: &[GuestRange],
        command: impl FnOnce(&mut D) + Send + 'static,
    ) -> Result<Ticket, WorkerError> {
        self.push(self.wait_for_room(), Box::new(command), Touched::Ranges(ranges.to_vec()))
    }

    fn wait_for_room(&self) -> MutexGuard<'_, Queue<D>> {
        let full = |queue: &mut Queue<D>| queue.commands.len() >= self.capacity && !queue.ended;
        self.shared.done.wait_while(self.shared.lock(), full).unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Self::send`], but never waits.
    ///
    /// # Errors
    /// [`WorkerError::Full`]; [`WorkerError::Ended`].
    pub fn try_send(&self, command: impl FnOnce(&mut D) + Send + 'static) -> Result<Ticket, WorkerError> {
        let queue = self.shared.lock();
        match queue.commands.len() < self.capacity || queue.ended {
            true => self.push(queue, Box::new(command), Touched::Anywhere),
            false => Err(WorkerError::Full),
        }
    }

    /// Executes `command` on the device's thread, and waits for what it returns. Not to be called by a command.
    ///
    /// # Errors
    /// [`WorkerError::Ended`], also when the command panics.
    pub fn call<T: Send + 'static>(
        &self,
        command: impl FnOnce(&mut D) -> T + Send + 'static,
    ) -> Result<T, WorkerError> {
        let result = Arc::new(Mutex::new(None));
        let theirs = result.clone();
        let Ticket(number) = self.send(move |device| {
            let value = command(device);
            *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
        })?;
        let wait = |queue: &mut Queue<D>| queue.done < number && !queue.ended;
        drop(self.shared.done.wait_while(self.shared.lock(), wait).unwrap_or_else(PoisonError::into_inner));
        let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or(WorkerError::Ended)
    }

    fn push(
        &self,
        mut queue: MutexGuard<'_, Queue<D>>,
        command: Command<D>,
        touched: Touched,
    ) -> Result<Ticket, WorkerError> {
        if queue.ended {
            return Err(WorkerError::Ended);
        }
        queue.commands.push_back(command);
        queue.touched.push_back(touched);
        queue.sent += 1;
        let number = queue.sent;
        drop(queue);
        self.interrupter.interrupt();
        self.shared.work.notify_one();
        Ok(Ticket(number))
    }

    /// Lets waiting channels check their conditions again, after the host has written memory that they may wait for.
    pub fn wake(&self) {
        let mut queue = self.shared.lock();
        (queue.busy, queue.works_anywhere) = (true, true);
        drop(queue);
        self.shared.work.notify_one();
    }

    /// Waits until the command of a ticket was executed, at most for `timeout`. Returns whether it was. Work that it
    /// has submitted may still be under way.
    pub fn wait(&self, Ticket(number): Ticket, timeout: Duration) -> bool {
        self.wait_until(timeout, |queue| queue.done >= number).done >= number
    }

    /// Waits until nothing that was sent so far can still touch a range, at most for `timeout`: every command was
    /// executed that may, and the work that commands have deferred is done, unless channels wait. Returns whether that
    /// is so. Ranges are compared by their addresses: memory that is mapped several times is waited for at each place.
    pub fn wait_range(&self, range: GuestRange, timeout: Duration) -> bool {
        // Commands that are sent later do not count.
        let sent = self.shared.lock().sent;
        let over = |queue: &Queue<D>| queue.is_free(range) || queue.done >= sent && !queue.works_anywhere;
        over(&self.wait_until(timeout, over))
    }

    /// Waits until all commands were executed and nothing of the device can go on, at most for `timeout`. Returns how
    /// its work ended, [`RunEnd::Done`] or [`RunEnd::Waiting`]; `None` if it goes on.
    pub fn wait_idle(&self, timeout: Duration) -> Option<RunEnd> {
        let idle = |queue: &Queue<D>| {
            let over = matches!(queue.end, RunEnd::Done | RunEnd::Waiting(_));
            queue.done == queue.sent && !queue.busy && !queue.running && over
        };
        let queue = self.wait_until(timeout, idle);
        idle(&queue).then_some(queue.end)
    }

    fn wait_until(&self, timeout: Duration, over: impl Fn(&Queue<D>) -> bool) -> MutexGuard<'_, Queue<D>> {
        let wait = |queue: &mut Queue<D>| !over(queue) && !queue.ended;
        let waited = self.shared.done.wait_timeout_while(self.shared.lock(), timeout, wait);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// The timeline of the device, to wait on: submissions, events, fences.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Executes the commands that were sent, interrupts what the device is doing, and gives it back. Its work goes on
    /// with its next bounded run, or when it is told to [`finish`](Device::finish); submissions are still deferred.
    ///
    /// # Errors
    /// [`WorkerError::Ended`] when a command panicked: there is no device any more.
    pub fn stop(mut self) -> Result<D, WorkerError> {
        self.end().unwrap_or(Err(WorkerError::Ended))
    }
}

impl<D> DeviceWorker<D> {
    fn end(&mut self) -> Option<Result<D, WorkerError>> {
        let thread = self.thread.take()?;
        if thread.is_here() {
            let mut queue = self.shared.lock();
            queue.stopping = true;
            self.interrupter.interrupt();
            drop(queue);
            self.shared.work.notify_one();
        }
        Some(thread.join().ok_or(WorkerError::Ended))
    }
}

impl<D> Drop for DeviceWorker<D> {
    /// As [`DeviceWorker::stop`]; the device is dropped.
    fn drop(&mut self) {
        // No caller is left to report a panic to.
        let _ = self.end();
    }
}
