//! The GPUs of three consoles as a library: guest memory and command words in; finished pictures, interrupts and fences
//! out, for the Nintendo 3DS (GSP and PICA200), the PlayStation 3 (RSX and its hypervisor's calls) and the Tegra X1
//! (the Switch: GPFIFO, macros, Maxwell).
//!
//! The one claim: *same capture, same bytes*, whichever tier executes it and on however many threads.
//!
//! ```
//! use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, new_device};
//!
//! # fn main() -> Result<(), triglyph::Error> {
//! let mut gpu = new_device(Machine::N3ds, &Options::default())?;
//! gpu.map(GuestRange::new(0, 0x1800_0000, 0x60_0000), Access::READ_WRITE)?; // VRAM
//!
//! // GX command 2: fill 64 bytes of VRAM with a 32-bit pattern, as it would stand in GSP shared memory.
//! let command: [u32; 8] = [2, 0x1F00_0000, 0x1122_3344, 0x1F00_0040, 0, 0, 0, 0x0201];
//! let bytes: Vec<u8> = command.iter().flat_map(|word| word.to_le_bytes()).collect();
//! gpu.submit(&bytes)?;
//!
//! let mut back = [0; 4];
//! gpu.read(GuestAddr::new(0, 0x1800_0000), &mut back)?;
//! assert_eq!(back, [0x44, 0x33, 0x22, 0x11]);
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

pub use triglyph_engine::cache::store::{Damage, StoreError};
pub use triglyph_engine::cache::{TierMode as Tier, WarmStart};
pub use triglyph_engine::device::{
    Access, Device, Event, Fault, FaultHandler, FaultKind, Faults, Machine, ObjectEntry, ReplayDevice, RunEnd,
    RunLimit, SoftwareMethod, StageTimes, Stats, Waiting,
};
pub use triglyph_engine::error::Error;
pub use triglyph_engine::mem::{GuestAddr, GuestRange, Mapping, Memory, WrittenHandler};
pub use triglyph_engine::render::{Accuracy, KeyFile};
pub use triglyph_engine::sched::{DeviceWorker, Interrupter, Timeline, WorkerError, WorkerOptions};
pub use triglyph_engine::snapshot::SnapshotOptions;
pub use triglyph_engine::transfer::{
    Gamma, HostFormat, HostRows, Presented, ScanLayout, ScanOut, format as scan_format,
};
pub use triglyph_guest::kernel::transfer::{BitField, PixelFields};
#[cfg(feature = "n3ds")]
pub use triglyph_n3ds::N3ds;
pub use triglyph_options::Options;
#[cfg(feature = "rsx")]
pub use triglyph_rsx::{Rsx, RsxMode};
#[cfg(feature = "tegra")]
pub use triglyph_tegra::TegraX1;

/// Captures: a GPU's input in a file. Reading, playing, recording and writing them.
#[cfg(feature = "capture")]
pub mod capture {
    pub use triglyph_capture::expect::{Comparison, Differing, Expected, decode_png};
    pub use triglyph_capture::file::CaptureFile;
    pub use triglyph_capture::format::{Bytes, Expect, HEADER_SIZE, Hash, Header, Kind, Map, Mem, Present, Record};
    pub use triglyph_capture::picture::{Format, Layout, Picture};
    pub use triglyph_capture::player::{Checks, Event, Finished, Hashed, Player, Prepared, hash_memory};
    pub use triglyph_capture::reader::{Entry, Limits, RawRecord, RawRecords, Reader, Records};
    pub use triglyph_capture::recorder::{Expectation, Meta, Recorder, RecordingDevice};
    pub use triglyph_capture::writer::{Compression, Writer};
}

/// What only the 3DS has: GSP's shared page, queues, rights and calls; external registers; LCD controllers.
#[cfg(feature = "n3ds")]
pub mod n3ds {
    pub use triglyph_guest::format::PixelFormat;
    pub use triglyph_n3ds::external::timing::{TICKS_PER_SECOND, nanoseconds};
    pub use triglyph_n3ds::external::{Event, External, FreezePolicy};
    pub use triglyph_n3ds::gx::{BadAddress, Executed};
    pub use triglyph_n3ds::lcd::{Eye, Lcd, Picture, Screen};

    /// GSP, the system process in front of the GPU.
    pub mod gsp {
        pub use triglyph_n3ds::gsp::address::{end_to_physical, to_physical, to_virtual};
        pub use triglyph_n3ds::gsp::command::{Command, FillUnit, Header};
        pub use triglyph_n3ds::gsp::interrupt::{Interrupt, RelayHeader, RelayQueue};
        pub use triglyph_n3ds::gsp::ipc::{CALLS, ProcessMemory, Reply, granted};
        pub use triglyph_n3ds::gsp::queue::{CommandQueue, Next, QueueFull, QueueHeader};
        pub use triglyph_n3ds::gsp::rights::{Acquire, Client, ClientSet, Session};
        pub use triglyph_n3ds::gsp::shared::{CLIENTS, SharedPage, WORDS};
        pub use triglyph_n3ds::gsp::{
            CaptureInfo, Completion, FramebufferInfo, FramebufferSlot, Gsp, Hardware, Registration, ResultCode,
        };
    }
}

/// What only the PS3 has: the hypervisor's calls, and the numbers of its address spaces.
#[cfg(feature = "rsx")]
pub mod rsx {
    pub use triglyph_guest::rsx::lv1::{Status, flags};
    pub use triglyph_rsx::dma::space::{LOCAL, MAIN};
    pub use triglyph_rsx::lv1::{Answer, ContextAllocation, MemoryAllocation, PAGES, XDR};
    pub use triglyph_rsx::{SoftwareHandler, lv1_bit, lv2_bit};
}

/// What only the Tegra X1 has: the calls of the Switch's driver.
#[cfg(feature = "tegra")]
pub mod tegra {
    pub use triglyph_guest::tegra::driver::{Characteristics, Status, map_flags, map_param, space_flags, submit_flags};
    pub use triglyph_tegra::driver::{
        Buffer, Fence, Freed, Layout, MapBuffer, MapMemory, PROCESS, PROCESS_MASK, Region, Remap, Wait,
    };
}

/// The README's example is a test, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A new machine.
///
/// # Errors
/// [`Error::Unsupported`] for machines and tiers that this build or this host does not have.
pub fn new_device(machine: Machine, options: &Options) -> Result<Box<dyn ReplayDevice>, Error> {
    match machine {
        #[cfg(feature = "n3ds")]
        Machine::N3ds => Ok(Box::new(N3ds::new(options)?)),
        #[cfg(feature = "rsx")]
        Machine::Ps3 => Ok(Box::new(Rsx::new(options)?)),
        #[cfg(feature = "tegra")]
        Machine::TegraX1 => Ok(Box::new(TegraX1::new(options)?)),
        #[allow(unreachable_patterns, reason = "with all machines there is nothing else")]
        other => Err(Error::Unsupported(format!("this build is without the {other}"))),
    }
}
