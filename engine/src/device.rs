//! The one interface between a machine and whoever drives it: a host, a capture, a test.
//!
//! ```text
//! map / write / object ──► Device ──► guest memory
//! submit ────────────────►        ──► faults, stats, written ranges
//! ```

use std::time::Duration;

pub use triglyph_guest::machine::Machine;

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

/// A range of guest memory that the GPU wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WrittenRange {
    /// Address space.
    pub space: u32,
    /// First byte.
    pub address: u64,
    /// Bytes, at least 1.
    pub size: u64,
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
    fn take_written(&mut self) -> Vec<WrittenRange>;

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
    fn take_written(&mut self) -> Vec<WrittenRange> {
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

/// The kinds of trouble a guest can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FaultKind {
    /// A read from memory that is not mapped or not readable; it yields zeros.
    UnmappedRead,
    /// A write to memory that is not mapped or not writable; it is dropped.
    UnmappedWrite,
    /// A command word, header or submission that makes no sense.
    BadCommand,
    /// A register or method that does not exist, or a value that it does not take.
    BadMethod,
    /// A shader instruction that does not exist, or a program that cannot be entered.
    BadShader,
    /// A program, list or macro that ran longer than it may.
    OutOfFuel,
    /// Something real that is not emulated yet.
    Unimplemented,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 7] = [
        FaultKind::UnmappedRead,
        FaultKind::UnmappedWrite,
        FaultKind::BadCommand,
        FaultKind::BadMethod,
        FaultKind::BadShader,
        FaultKind::OutOfFuel,
        FaultKind::Unimplemented,
    ];

    /// A short name: `unmapped-read`.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::UnmappedRead => "unmapped-read",
            FaultKind::UnmappedWrite => "unmapped-write",
            FaultKind::BadCommand => "bad-command",
            FaultKind::BadMethod => "bad-method",
            FaultKind::BadShader => "bad-shader",
            FaultKind::OutOfFuel => "out-of-fuel",
            FaultKind::Unimplemented => "unimplemented",
        }
    }
}

/// One thing that the guest got wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened, for people.
    pub what: String,
    /// The guest address, register or method concerned.
    pub address: u64,
    /// Where in the command stream: the byte offset in its list, or the address of the command word.
    pub command: u64,
}

/// Faults counted by kind, and the first few in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    counts: [u64; FaultKind::ALL.len()],
    first: Vec<Fault>,
}

impl Faults {
    /// How many faults are kept in full.
    pub const KEPT: usize = 64;

    /// Counts a fault and keeps it if it is among the first.
    pub fn report(&mut self, fault: Fault) {
        self.count_only(fault.kind, 1);
        if self.first.len() < Self::KEPT {
            self.first.push(fault);
        }
    }

    /// Counts `times` faults of a kind without keeping any.
    pub fn count_only(&mut self, kind: FaultKind, times: u64) {
        let count = &mut self.counts[kind as usize];
        *count = count.saturating_add(times);
    }

    /// How many of a kind there were.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many there were in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The first ones, at most [`Self::KEPT`], oldest first.
    pub fn first(&self) -> &[Fault] {
        &self.first
    }

    /// Adds the faults of another, which came later.
    pub fn merge(&mut self, later: &Faults) {
        for (count, more) in self.counts.iter_mut().zip(later.counts) {
            *count = count.saturating_add(more);
        }
        let room = Self::KEPT.saturating_sub(self.first.len());
        self.first.extend(later.first.iter().take(room).cloned());
    }
}

/// Time spent, by stage. On several threads the times of all of them are added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Command words, registers, state.
    pub front_end: Duration,
    /// Fetching and shading vertices.
    pub vertex: Duration,
    /// Clipping, viewport, edge equations, binning.
    pub setup: Duration,
    /// Coverage and pixel kernels.
    pub raster: Duration,
    /// Fills, copies, conversions.
    pub transfer: Duration,
    /// Decoding textures.
    pub texture: Duration,
}

impl StageTimes {
    /// The stages by name, in pipeline order.
    pub fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("front-end", self.front_end),
            ("vertex", self.vertex),
            ("setup", self.setup),
            ("raster", self.raster),
            ("transfer", self.transfer),
            ("texture", self.texture),
        ]
    }
}

/// What a device has done: counters that only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Draw calls.
    pub draws: u64,
    /// Vertices shaded.
    pub vertices: u64,
    /// Triangles set up, after clipping.
    pub triangles: u64,
    /// 8x8 blocks of pixels handed to pixel kernels.
    pub pixels_blocks: u64,
    /// Times that the kernel of a state was looked up; machines do that when state changes, not for each draw.
    pub kernel_lookups: u64,
    /// Look-ups that found the kernel ready. The others were served by the interpreter until it was, or waited for it,
    /// as the tier wants it.
    pub kernel_hits: u64,
    /// Kernels of keys that were in the key file at the start.
    pub kernels_recalled: u64,
    /// Kernels compiled; one that tiered up counts twice.
    pub kernels_compiled: u64,
    /// Kernels compiled again by the optimizing tier, because they are called often.
    pub kernels_tiered_up: u64,
    /// Keys that the compiler does not support: the interpreter serves them.
    pub kernels_unsupported: u64,
    /// Kernels removed from the cache to make room for others.
    pub kernels_evicted: u64,
    /// Time spent compiling, on whichever thread.
    pub compile_time: Duration,
    /// Kernels in the cache now.
    pub kernels_cached: u64,
    /// Machine code held now, in bytes.
    pub code_bytes: u64,
    /// Kernel calls that the interpreter served.
    pub interpreter_calls: u64,
    /// Kernel calls that compiled code served.
    pub compiled_calls: u64,
    /// Runs of compiled sequences of packets.
    pub sequence_runs: u64,
    /// Words of push buffers in them.
    pub sequence_words: u64,
    /// Time by stage.
    pub stages: StageTimes,
}

impl Stats {
    /// Adds another device's, thread's or stretch's counters.
    pub fn merge(&mut self, other: &Stats) {
        self.combine(other, u64::saturating_add, Duration::saturating_add);
    }

    /// What was done since `earlier`, a copy of these counters taken before; `kernels_cached` and `code_bytes` stay
    /// absolute.
    pub fn since(&self, earlier: &Stats) -> Stats {
        let mut difference = *self;
        difference.combine(earlier, u64::saturating_sub, Duration::saturating_sub);
        (difference.kernels_cached, difference.code_bytes) = (self.kernels_cached, self.code_bytes);
        difference
    }

    fn combine(&mut self, other: &Stats, count: fn(u64, u64) -> u64, time: fn(Duration, Duration) -> Duration) {
        let counts = [
            (&mut self.draws, other.draws),
            (&mut self.vertices, other.vertices),
            (&mut self.triangles, other.triangles),
            (&mut self.pixels_blocks, other.pixels_blocks),
            (&mut self.kernel_lookups, other.kernel_lookups),
            (&mut self.kernel_hits, other.kernel_hits),
            (&mut self.kernels_recalled, other.kernels_recalled),
            (&mut self.kernels_compiled, other.kernels_compiled),
            (&mut self.kernels_tiered_up, other.kernels_tiered_up),
            (&mut self.kernels_unsupported, other.kernels_unsupported),
            (&mut self.kernels_evicted, other.kernels_evicted),
            (&mut self.kernels_cached, other.kernels_cached),
            (&mut self.code_bytes, other.code_bytes),
            (&mut self.interpreter_calls, other.interpreter_calls),
            (&mut self.compiled_calls, other.compiled_calls),
            (&mut self.sequence_runs, other.sequence_runs),
            (&mut self.sequence_words, other.sequence_words),
        ];
        for (mine, theirs) in counts {
            *mine = count(*mine, theirs);
        }
        let times = [
            (&mut self.compile_time, other.compile_time),
            (&mut self.stages.front_end, other.stages.front_end),
            (&mut self.stages.vertex, other.stages.vertex),
            (&mut self.stages.setup, other.stages.setup),
            (&mut self.stages.raster, other.stages.raster),
            (&mut self.stages.transfer, other.stages.transfer),
            (&mut self.stages.texture, other.stages.texture),
        ];
        for (mine, theirs) in times {
            *mine = time(*mine, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_keep_the_first_and_count_all() {
        let mut faults = Faults::default();
        for command in 0..100 {
            let what = "bad".to_owned();
            faults.report(Fault { kind: FaultKind::BadMethod, what, address: 1, command });
        }
        assert_eq!(faults.total(), 100);
        assert_eq!(faults.count(FaultKind::BadMethod), 100);
        assert_eq!(faults.first().len(), Faults::KEPT);
        let mut sum = Faults::default();
        sum.merge(&faults);
        sum.merge(&faults);
        assert_eq!(sum.total(), 200);
        assert_eq!(sum.first().len(), Faults::KEPT);
    }

    #[test]
    fn stats_merge_and_subtract() {
        let one = Stats { draws: 3, compile_time: Duration::from_millis(5), ..Stats::default() };
        let mut two = one;
        two.merge(&one);
        assert_eq!(two.draws, 6);
        assert_eq!(two.since(&one), one);
    }
}
