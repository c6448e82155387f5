//! The common interface of all machines, for hosts, captures and tests.
//!
//! ```text
//! map / write ──► Device ──► guest memory
//! submit ───────►        ──► events, faults, stats, written ranges
//! ```

mod call_rows;
pub mod calls;
mod event;
pub(crate) mod fault;
mod replay;
pub(crate) mod run;
#[doc(hidden)]
pub mod sealed;
mod stats;
mod wrapped;

pub use calls::{CallLog, CallRecorder, RecordedCall};
pub use event::{Event, EventQueue, SoftwareMethod};
pub use fault::{Fault, FaultHandler, FaultKind, FaultLog, FaultMark, Faults};
pub use replay::{ObjectEntry, Replay};
pub use run::{RunEnd, RunLimit, Waiting};
pub use stats::{DroppedPrimitives, StageTimes, Stats};
pub use triglyph_guest::machine::Machine;

use std::sync::Arc;

use triglyph_guest::kernel::access::AccessListener;

use crate::address::{GuestAddr, GuestRange};
use crate::cache::WarmStart;
use crate::error::Error;
use crate::log::LogHandler;
pub use crate::mem::Access;
use crate::mem::{Mapping, Memory, WrittenHandler};
use crate::probe::Observer;
use crate::sched::{Interrupter, Timeline};
use crate::snapshot::SnapshotOptions;
use crate::transfer::{HostRows, Presentation, Presented, ScanOut};
use crate::validate::{DrawHandler, Finding};

/// One instance of a machine's GPU, for hosts, captures and tests.
///
/// Calls take effect in the order in which they are made. [`submit`](Self::submit) may return before the work is done;
/// [`write`](Self::write), [`read`](Self::read) and [`map`](Self::map) act as if everything submitted before had
/// finished, or everything that was done so far if work is [deferred](Self::set_deferred). What the guest does wrong is
/// a fault, never an `Err`.
///
/// The machines of this library implement it, and what wraps one: boxes and recorders. Other crates cannot, so that it
/// may get new methods.
pub trait Device: sealed::Sealed + Send {
    /// Which machine this is.
    fn machine(&self) -> Machine;

    /// Maps a range of zero-filled memory; what was mapped there before is replaced.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0, a range past the end of the space or an unknown space;
    /// [`Error::Unsupported`] for more memory than the host can give.
    fn map(&mut self, range: GuestRange, access: Access) -> Result<(), Error>;

    /// Stores `bytes` from an address on, whatever the range's access for the GPU is.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the range is not mapped; nothing is stored then.
    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> Result<(), Error>;

    /// Fills `out` from guest memory, from an address on.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the range is not mapped; `out` is unspecified then.
    fn read(&mut self, at: GuestAddr, out: &mut [u8]) -> Result<(), Error>;

    /// Gives the GPU work: the payload of a SUBMIT record of this machine.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the payload does not have the machine's form.
    fn submit(&mut self, payload: &[u8]) -> Result<(), Error>;

    /// Waits until everything submitted is done and its results are in guest memory.
    fn finish(&mut self);

    /// Says whether submissions only queue work, for [`run_for`](Self::run_for) and [`finish`](Self::finish) to do.
    /// Otherwise, which is the default, they do it before they return. What was queued stays queued.
    fn set_deferred(&mut self, deferred: bool);

    /// Whether submissions wait for bounded runs: see [`set_deferred`](Self::set_deferred).
    fn is_deferred(&self) -> bool {
        false
    }

    /// The calls that captures make and hosts do not.
    fn as_replay(&mut self) -> &mut dyn Replay;

    /// Goes on with what was submitted, and with channels that wait, until nothing can go on, `limit` is reached or
    /// another thread [interrupts](Self::interrupter) it. The next run goes on at exactly the next command: memory,
    /// events and faults do not depend on how work is cut. A push buffer that loops only uses up its budget, which is
    /// no fault. Between two runs the host may do anything: write memory, deliver VBlanks, take snapshots.
    fn run_for(&mut self, limit: RunLimit) -> RunEnd;

    /// Stores a picture in guest memory, after everything done so far, in rows of the host's: compiled, and on the
    /// device's threads. Nothing that a guest chooses is an error: a picture of another size than the rows is cut or
    /// scaled, as the rows say, what of it is not in memory is 0, and one that there cannot be is
    /// [`Shown::Nothing`](crate::transfer::Shown::Nothing). If its pages show that the picture does not differ from the
    /// one that was presented with `presented` last, nothing is stored.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for rows without room for a pixel, or for the size that the host gives them.
    fn present(
        &mut self,
        scan: &ScanOut,
        rows: &mut HostRows<'_>,
        presented: &mut Presented,
    ) -> Result<Presentation, Error>;

    /// A handle by which other threads end a bounded run at once.
    fn interrupter(&self) -> Interrupter;

    /// Counts the submissions and says which are complete, for other threads to wait on. Work that a machine's own
    /// calls start counts as well.
    fn timeline(&self) -> &Timeline;

    /// The events since the last call, oldest first: interrupts, fences, flips, VBlanks.
    fn take_events(&mut self) -> Vec<Event>;

    /// The faults of the guest so far.
    fn faults(&self) -> &Faults;

    /// Calls `handler` with each fault whose place in the command stream is known, on the thread that submits. It must
    /// not block for long.
    fn set_fault_handler(&mut self, handler: Option<FaultHandler>);

    /// Calls `handler` with each line for the host's log: what was wrong with the key file when the device was made, at
    /// once; kernels that the interpreter serves from now on, and why; writes of the key file that fail. They come one
    /// at a time, from the thread that makes a call or the compiler's. It must not block for long, not panic and not
    /// call the device. When this returns, the handler before is called no more.
    fn set_log_handler(&mut self, handler: Option<LogHandler>);

    /// The guest memory that the GPU wrote since the last call: merged, sorted by space and address. It may name
    /// more bytes than were written, never fewer.
    fn take_written(&mut self) -> Vec<GuestRange>;

    /// Calls `handler` with what the GPU has written, in whole pages of 4 KiB, each once, before a call that has done
    /// work returns; [`take_written`](Self::take_written) has nothing then. It costs nothing without a handler.
    fn set_written_handler(&mut self, handler: Option<WrittenHandler>);

    /// Calls `observer` for each command that does something, on the thread that makes the call which executes it.
    /// `None` removes the observer, after which commands cost nothing more. See [`probe`](crate::probe).
    fn set_observer(&mut self, observer: Option<Box<dyn Observer>>);

    /// The findings of draws since the last call, oldest first, with those about what has not been done up to now: a
    /// draw without end, no draw at all. Up to [`MAX_FINDINGS`](crate::validate::MAX_FINDINGS) are kept. There are none
    /// without `Options::validate`.
    fn take_findings(&mut self) -> Vec<Finding>;

    /// Calls `handler` with each draw that `Options::validate` checks, with what was found, on the thread that makes
    /// the call which executes it. The log gets a line for each finding as well. It must not call the device. `None`
    /// removes the handler.
    fn set_draw_handler(&mut self, handler: Option<DrawHandler>);

    /// Says that the host has written a range of memory of its own.
    fn host_wrote(&mut self, range: GuestRange);

    /// Says whether [`host_wrote`](Self::host_wrote) is called for all that the host writes, before the work that is to
    /// see it: then only announced ranges are checked. Otherwise, which is the default, values derived from memory of
    /// the host's are compared with it whenever work is submitted.
    fn set_host_writes_announced(&mut self, announced: bool);

    /// Whether the host may map memory of its own there now; what it maps by [`Memory`] itself is not
    /// checked.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a range or space that the machine does not have, for memory that the guest has
    /// mapped elsewhere, and for pages that the guest uses already: see the machine.
    fn check_mapping(&self, range: GuestRange) -> Result<(), Error>;

    /// Calls `recorder` for all calls of the machine's own that change anything; `None` removes the recorder.
    #[doc(hidden)]
    fn set_call_recorder(&mut self, recorder: Option<Box<dyn CallRecorder>>);

    /// The mapped ranges without aliases, and which of them are memory of the host's.
    #[doc(hidden)]
    fn mappings(&self) -> (Vec<Mapping>, Vec<GuestRange>);

    /// Guest memory, for the recorder of the machine's calls; only of machines that record submissions themselves.
    #[doc(hidden)]
    fn recorded_memory(&self) -> Option<&Memory> {
        None
    }

    /// Notifies a tool of each access to guest memory, of machines with [`recorded_memory`](Self::recorded_memory).
    #[doc(hidden)]
    fn set_access_listener(&mut self, listener: Arc<dyn AccessListener>) {
        let _ = listener;
    }

    /// The counters since the device was made.
    fn stats(&self) -> Stats;

    /// The result of reading the key file when the device was made, if it has one.
    fn warm_start(&self) -> Option<&WarmStart> {
        None
    }

    /// Waits until no kernel is being compiled or waits for it: those of remembered keys, and what was drawn with so
    /// far.
    fn wait_for_compiler(&self) {}

    /// The whole state, as if everything submitted had finished: a device that [`restore`](Self::restore)s it goes on
    /// exactly as this one does.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on machines without snapshots.
    fn snapshot(&mut self, options: SnapshotOptions) -> Result<Vec<u8>, Error> {
        let _ = options;
        Err(Error::Unsupported(format!("snapshots of the {}", self.machine())))
    }

    /// Takes the state of a snapshot over. Guest memory is as the snapshot has it, and nothing else is mapped; without
    /// memory in the snapshot it stays as it is. What the host has chosen, the counters and the faults stay as well.
    ///
    /// # Errors
    /// [`Error::Snapshot`] for one that is broken, of another version or of another machine; [`Error::Unsupported`] on
    /// machines without snapshots, and when guest memory cannot be mapped as the snapshot has it. Nothing has changed
    /// then.
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let _ = snapshot;
        Err(Error::Unsupported(format!("snapshots of the {}", self.machine())))
    }
}

impl<D: Device + ?Sized> sealed::Sealed for Box<D> {}

impl<D: Device + ?Sized> Device for Box<D> {
    crate::passes_on_calls!(self => (**self));

    fn map(&mut self, range: GuestRange, access: Access) -> Result<(), Error> {
        (**self).map(range, access)
    }
    fn write(&mut self, at: GuestAddr, bytes: &[u8]) -> Result<(), Error> {
        (**self).write(at, bytes)
    }
    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        (**self).submit(payload)
    }
    fn as_replay(&mut self) -> &mut dyn Replay {
        (**self).as_replay()
    }
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        (**self).restore(snapshot)
    }
}
