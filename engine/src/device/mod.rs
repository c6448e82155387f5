//! The one interface between a machine and whoever drives it: a host, a capture, a test.
//!
//! ```text
//! map / write / object ──► Device ──► guest memory
//! submit ────────────────►        ──► faults, stats, written ranges
//! ```

mod fault;
mod stats;

pub use fault::{Fault, FaultKind, Faults};
pub use stats::{StageTimes, Stats};
pub use triglyph_guest::machine::Machine;

use crate::address::GuestRange;
use crate::cache::WarmStart;
use crate::error::Error;
use crate::snapshot::SnapshotOptions;

/// What the GPU may do with a mapped range. The host may always read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The GPU may read.
    pub read: bool,
    /// The GPU may write.
    pub write: bool,
}

impl Access {
    /// Readable and writable.
    pub const READ_WRITE: Access = Access { read: true, write: true };
    /// Readable only.
    pub const READ: Access = Access { read: true, write: false };

    /// From a MAP record's flags: bit 0 readable, bit 1 writable, others ignored.
    pub const fn from_bits(bits: u32) -> Self {
        Access { read: bits & 1 != 0, write: bits & 2 != 0 }
    }

    /// The inverse of [`Self::from_bits`].
    pub const fn bits(self) -> u32 {
        self.read as u32 | (self.write as u32) << 1
    }
}

/// An entry of an RSX channel's object table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectEntry {
    /// The name by which methods bind it.
    pub handle: u32,
    /// Class number; class 0x30 with handle 0 is the null object.
    pub class: u32,
    /// Address space of `base`.
    pub space: u32,
    /// First byte, an address in `space`; 0 for an engine object.
    pub base: u64,
    /// Offset of the last byte from `base`; 0 for an engine object.
    pub limit: u64,
}

/// What a capture, a test or a host drives: one instance of a machine's GPU.
///
/// Calls take effect in the order in which they are made. [`submit`](Self::submit) may return before the work is
/// done; [`write`](Self::write), [`read`](Self::read), [`map`](Self::map) and [`object`](Self::object) act as if
/// everything submitted before had finished. What the guest gets wrong is a fault, never an `Err`.
pub trait Device: Send {
    /// Which machine this is.
    fn machine(&self) -> Machine;

    /// Declares `size` zero-filled bytes at `address`; what was mapped there before is replaced.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for size 0, a range past the end of the space or an unknown space;
    /// [`Error::Unsupported`] for more memory than the host can give.
    fn map(&mut self, space: u32, address: u64, size: u64, access: Access) -> Result<(), Error>;

    /// Stores `bytes`, whatever the range's access for the GPU is.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the range is not mapped; nothing is stored then.
    fn write(&mut self, space: u32, address: u64, bytes: &[u8]) -> Result<(), Error>;

    /// Fills `out` from guest memory.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when a byte of the range is not mapped; `out` is unspecified then.
    fn read(&mut self, space: u32, address: u64, out: &mut [u8]) -> Result<(), Error>;

    /// Says whether the words in guest memory are big-endian: command words, vertices, textures, surfaces. Called
    /// at most once, before anything is submitted. Little-endian until then.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the machine knows only the other order.
    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        match big_endian {
            false => Ok(()),
            true => Err(Error::Unsupported(format!("big-endian memory on the {}", self.machine()))),
        }
    }

    /// Enters an object into the RSX channel's table.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on machines without objects.
    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        let _ = object;
        Err(Error::Unsupported(format!("objects on the {}", self.machine())))
    }

    /// Gives the GPU work: the payload of a SUBMIT record of this machine.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the payload does not have the machine's form.
    fn submit(&mut self, payload: &[u8]) -> Result<(), Error>;

    /// Waits until everything submitted is done and its results are in guest memory.
    fn finish(&mut self);

    /// What the guest did wrong so far.
    fn faults(&self) -> &Faults;

    /// The guest memory that the GPU wrote since the last call: merged, sorted by space and address. It may name
    /// more bytes than were written, never fewer.
    fn take_written(&mut self) -> Vec<GuestRange>;

    /// What has been done so far, since the device was made.
    fn stats(&self) -> Stats {
        Stats::default()
    }

    /// What the file of kernel keys gave when the device was made, if it was given one.
    fn warm_start(&self) -> Option<&WarmStart> {
        None
    }

    /// Waits until no kernel is being compiled or waits for it: those of remembered keys, and what was drawn with so far.
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

impl<D: Device + ?Sized> Device for Box<D> {
    fn machine(&self) -> Machine {
        (**self).machine()
    }
    fn map(&mut self, space: u32, address: u64, size: u64, access: Access) -> Result<(), Error> {
        (**self).map(space, address, size, access)
    }
    fn write(&mut self, space: u32, address: u64, bytes: &[u8]) -> Result<(), Error> {
        (**self).write(space, address, bytes)
    }
    fn read(&mut self, space: u32, address: u64, out: &mut [u8]) -> Result<(), Error> {
        (**self).read(space, address, out)
    }
    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        (**self).set_big_endian(big_endian)
    }
    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        (**self).object(object)
    }
    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        (**self).submit(payload)
    }
    fn finish(&mut self) {
        (**self).finish()
    }
    fn faults(&self) -> &Faults {
        (**self).faults()
    }
    fn take_written(&mut self) -> Vec<GuestRange> {
        (**self).take_written()
    }
    fn stats(&self) -> Stats {
        (**self).stats()
    }
    fn warm_start(&self) -> Option<&WarmStart> {
        (**self).warm_start()
    }
    fn wait_for_compiler(&self) {
        (**self).wait_for_compiler()
    }
    fn snapshot(&mut self, options: SnapshotOptions) -> Result<Vec<u8>, Error> {
        (**self).snapshot(options)
    }
    fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        (**self).restore(snapshot)
    }
}
