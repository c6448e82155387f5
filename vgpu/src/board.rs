//! A machine of Triglyph's on a thread of its own, as the kernel sees a channel: commands are executed in order and
//! have numbers to wait for.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use triglyph::capture::{Compression, Expectation, Meta, Picture, Present, RecordingDevice};
use triglyph::{
    Access, Device, DeviceWorker, Error, Faults, GuestRange, Memory, ObjectEntry, Options, Replay, Rsx, Stats, TegraX1,
    Ticket, WorkerOptions,
};

use crate::chip::Chip;
use crate::drm::argument::{Answer, Errno};

/// A machine that a driver of Mesa's can drive.
trait Gpu: Device + 'static {
    /// Has its memory changed.
    fn with_memory<T>(&mut self, change: impl FnOnce(&mut Memory) -> T) -> T;

    /// Sets the clock of time stamps: to `nanoseconds`, which is `elapsed` after the last setting.
    fn set_time(&mut self, nanoseconds: u64, elapsed: u64);

    /// Does what was submitted while submissions were deferred, which they are no longer.
    fn run_deferred(&mut self);

    /// Drops a channel's state.
    fn drop_channel(&mut self, channel: u32);
}

impl Gpu for Rsx {
    fn with_memory<T>(&mut self, change: impl FnOnce(&mut Memory) -> T) -> T {
        Rsx::with_memory(self, change)
    }

    fn set_time(&mut self, nanoseconds: u64, _: u64) {
        self.set_clock(Duration::from_nanos(nanoseconds));
    }

    fn run_deferred(&mut self) {
        self.finish();
        self.set_deferred(false);
    }

    /// The board ends with its only channel.
    fn drop_channel(&mut self, _: u32) {}
}

impl Gpu for TegraX1 {
    fn with_memory<T>(&mut self, change: impl FnOnce(&mut Memory) -> T) -> T {
        TegraX1::with_memory(self, change)
    }

    fn set_time(&mut self, _: u64, elapsed: u64) {
        self.advance_time(Duration::from_nanos(elapsed));
    }

    /// Not [`Device::finish`]: a channel that waits is no fault, as another process may end the wait.
    fn run_deferred(&mut self) {
        self.set_deferred(false);
        self.run();
    }

    fn drop_channel(&mut self, channel: u32) {
        TegraX1::drop_channel(self, channel);
    }
}

/// Bytes of the GPU's memory.
#[derive(Clone, Copy, Debug)]
pub struct HostBytes(*mut u8);

// SAFETY: the address lies in the GPU's memory, which stays mapped as long as the process lives.
unsafe impl Send for HostBytes {}

impl HostBytes {
    /// The bytes from an address on, which lies in the GPU's memory.
    pub const fn new(first: *mut u8) -> Self {
        HostBytes(first)
    }

    const fn first(self) -> *mut u8 {
        self.0
    }
}

/// What a machine has done until the program ends.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub stats: Stats,
    pub faults: Faults,
}

/// A machine on a thread of its own.
///
/// Commands return their numbers, counted from 1 and the same as those that [`Self::wait`] takes. What goes wrong in
/// them is said once on standard error; the kernel would say it in its log. They fail with `ENODEV` once the thread has
/// ended.
pub trait Board: Send + Sync {
    /// Maps bytes of the GPU's memory.
    fn map(&self, range: GuestRange, bytes: HostBytes) -> Answer<u64>;

    /// Lets a range be without memory: reads find zeros, writes are dropped.
    fn map_sparse(&self, range: GuestRange) -> Answer<u64>;

    /// Unmaps a range; what was submitted before still sees it.
    fn unmap(&self, range: GuestRange) -> Answer<u64>;

    /// Enters an object.
    fn object(&self, entry: ObjectEntry) -> Answer<u64>;

    /// Submits the payload of a capture's SUBMIT record at a time of the program's clock, in nanoseconds, after others
    /// than this board may have written some ranges.
    fn submit(&self, payload: Vec<u8>, time: u64, written: Vec<GuestRange>) -> Answer<u64>;

    /// Ends a channel: later submissions to its number are those of a new one.
    fn drop_channel(&self, channel: u32) -> Answer<u64>;

    /// Takes a finished picture into the capture, if there is one, and into a file, if one is named.
    fn present(&self, picture: Present, file: Option<PathBuf>) -> Answer<u64>;

    /// Has something dropped when everything that was submitted before is done.
    fn drop_after(&self, what: Box<dyn Send>) -> Answer<u64>;

    /// Waits until a command was executed, at most for `timeout`. Returns whether it was.
    fn wait(&self, number: u64, timeout: Duration) -> bool;

    /// Waits until all commands were executed.
    fn finish(&self);

    /// Executes all commands and ends the capture. `None` if the thread has ended before.
    fn end(&self) -> Option<Report>;
}

/// The board of a chip, which writes a capture if a file is named.
///
/// # Errors
/// What the machine and the file say.
pub fn board(chip: Chip, options: &Options, capture: Option<&Path>) -> Result<Arc<dyn Board>, Error> {
    let meta = || {
        let driver = match chip {
            Chip::Nv47 => "nv30",
            Chip::Gm20b => "nvc0",
        };
        let program = std::env::current_exe().ok().and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let source = format!("Mesa, {driver}, chip set {:#x}", chip.number());
        Meta::new().with("name", program.unwrap_or_default()).with("source", source)
    };
    match chip {
        Chip::Nv47 => Ok(Arc::new(Worker::new(nv47(options)?, capture, meta)?)),
        Chip::Gm20b => Ok(Arc::new(Worker::new(TegraX1::new(options)?, capture, meta)?)),
    }
}

/// The RSX's relative. Little-endian words say that the chip is the PC's: they differ in some ways.
fn nv47(options: &Options) -> Result<Rsx, Error> {
    let mut gpu = Rsx::new(options)?;
    gpu.set_big_endian(false)?;
    Ok(gpu)
}

type Recorded<G> = RecordingDevice<G, BufWriter<File>>;

/// A submission that waits for the machine's thread.
struct Submission {
    payload: Vec<u8>,
    time: u64,
    elapsed: u64,
    written: Vec<GuestRange>,
}

/// Submissions between which there is no other command. A driver may submit each draw by itself; what waits when the
/// thread is ready for the first of them is executed in one run, so that draws share a scene.
type Batch = Arc<Mutex<Vec<Submission>>>;

/// Submissions of one run, at most.
const BATCH: usize = 32;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A machine on its thread.
struct Worker<G: Gpu> {
    thread: DeviceWorker<Recorded<G>>,
    /// The time that was set last.
    time: AtomicU64,
    /// Submissions since the last other command. Locked while a command is sent, as the order matters.
    open: Mutex<Batch>,
    /// Submissions that are executed at once, at most.
    at_once: usize,
}

impl<G: Gpu> Worker<G> {
    fn new(gpu: G, capture: Option<&Path>, meta: impl FnOnce() -> Meta) -> Result<Self, Error> {
        let mut recorded = RecordingDevice::new(gpu);
        if let Some(path) = capture {
            let file = File::create(path).map_err(|error| Error::io(path, error))?;
            recorded.start(BufWriter::new(file), Compression::default(), meta())?;
        }
        let thread = DeviceWorker::new(recorded, WorkerOptions::default())?;
        // A command is done when its work is done.
        let _ = thread.send(|device| {
            device.set_deferred(false);
            // What the program may have written is known at each submission.
            device.device_mut().with_memory(|memory| memory.set_host_writes_announced(true));
        });
        // A capture has one record for each submission, with the memory of that moment.
        let at_once = if capture.is_some() { 1 } else { BATCH };
        Ok(Worker { thread, time: AtomicU64::new(0), open: Mutex::default(), at_once })
    }

    /// Sends a command that submissions may not pass.
    fn command(&self, what: impl FnOnce(&mut Recorded<G>) -> Result<(), Error> + Send + 'static) -> Answer<u64> {
        let mut open = lock(&self.open);
        *open = Batch::default();
        self.send(what)
    }

    fn send(&self, what: impl FnOnce(&mut Recorded<G>) -> Result<(), Error> + Send + 'static) -> Answer<u64> {
        static ONCE: Once = Once::new();
        let number = self.thread.send(move |device| {
            if let Err(error) = what(device) {
                ONCE.call_once(|| eprintln!("triglyph-vgpu: {error}"));
            }
        });
        number.map(Ticket::get).map_err(|_| Errno(libc::ENODEV))
    }
}

/// Executes submissions as one.
fn execute<G: Gpu>(recorded: &mut Recorded<G>, batch: Vec<Submission>) -> Result<(), Error> {
    let written = batch.iter().flat_map(|submission| &submission.written);
    recorded.device_mut().with_memory(|memory| written.for_each(|&range| memory.mark_changed(range)));
    let several = batch.len() > 1;
    if several {
        recorded.device_mut().set_deferred(true);
    }
    let mut done = Ok(());
    for submission in &batch {
        recorded.device_mut().set_time(submission.time, submission.elapsed);
        done = done.and(recorded.submit(&submission.payload));
    }
    // Also if one was refused.
    if several {
        recorded.device_mut().run_deferred();
    }
    // The list of written ranges has no reader here, and would grow.
    recorded.take_written();
    done
}

impl<G: Gpu> Board for Worker<G> {
    fn map(&self, range: GuestRange, bytes: HostBytes) -> Answer<u64> {
        self.command(move |recorded| {
            // SAFETY: the bytes stay mapped as long as the process lives, and a mapping of another buffer at the same
            // file offset begins when this one has ended.
            let map = |memory: &mut Memory| unsafe { memory.map_host(range, bytes.first(), Access::READ_WRITE) };
            let mapped = recorded.device_mut().with_memory(map);
            mapped.map(|()| recorded.note_host_memory(range, Some(Access::READ_WRITE)))
        })
    }

    fn map_sparse(&self, range: GuestRange) -> Answer<u64> {
        // A capture has no such ranges: in a replay they are not mapped.
        self.command(move |recorded| recorded.device_mut().with_memory(|memory| memory.map_sparse(range)))
    }

    fn unmap(&self, range: GuestRange) -> Answer<u64> {
        self.command(move |recorded| {
            recorded.device_mut().with_memory(|memory| memory.unmap(range));
            recorded.note_host_memory(range, None);
            Ok(())
        })
    }

    fn object(&self, entry: ObjectEntry) -> Answer<u64> {
        self.command(move |recorded| recorded.object(entry))
    }

    fn submit(&self, payload: Vec<u8>, time: u64, written: Vec<GuestRange>) -> Answer<u64> {
        let before = self.time.fetch_max(time, Relaxed);
        let (time, elapsed) = (time.max(before), time.saturating_sub(before));
        let mut open = lock(&self.open);
        // The machine runs what waits channel by channel, but drivers count on the order of submissions.
        let is_full = |batch: &Vec<Submission>| {
            let of_another = |last: &Submission| last.payload.get(..4) != payload.get(..4);
            batch.len() >= self.at_once || batch.last().is_some_and(of_another)
        };
        if is_full(&lock(&open)) {
            *open = Batch::default();
        }
        let batch = open.clone();
        lock(&batch).push(Submission { payload, time, elapsed, written });
        // The first command of a batch executes all of its submissions, those of later commands early; the others find
        // nothing left. So each submission is done when its command is.
        self.send(move |recorded| {
            // Not locked any more while they are executed: the driver makes the next ones meanwhile.
            let submissions = std::mem::take(&mut *lock(&batch));
            execute(recorded, submissions)
        })
    }

    fn drop_channel(&self, channel: u32) -> Answer<u64> {
        self.command(move |recorded| {
            recorded.device_mut().drop_channel(channel);
            Ok(())
        })
    }

    fn present(&self, picture: Present, file: Option<PathBuf>) -> Answer<u64> {
        self.command(move |recorded| {
            recorded.present(&picture, Expectation::None)?;
            let Some(path) = file else { return Ok(()) };
            let png = Picture::read(recorded, &picture, false)?.to_png(false)?;
            std::fs::write(&path, png).map_err(|error| Error::io(path, error))
        })
    }

    fn drop_after(&self, what: Box<dyn Send>) -> Answer<u64> {
        self.send(move |_| {
            drop(what);
            Ok(())
        })
    }

    fn wait(&self, number: u64, timeout: Duration) -> bool {
        self.thread.wait(number.into(), timeout)
    }

    fn finish(&self) {
        // A thread that has ended executes no more.
        let _ = self.thread.call(|_| ());
    }

    fn end(&self) -> Option<Report> {
        let end = |recorded: &mut Recorded<G>| {
            recorded.finish();
            if let Err(error) = recorded.stop() {
                eprintln!("triglyph-vgpu: {error}");
            }
            Report { stats: recorded.stats(), faults: recorded.faults().clone() }
        };
        self.thread.call(end).ok()
    }
}
