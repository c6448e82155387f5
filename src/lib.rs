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
//! // GX command 2: fill 64 bytes of VRAM with a 32-bit pattern, as GSP shared memory would hold it.
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

pub mod guest;
#[cfg(feature = "capture")]
mod trim;

pub use triglyph_engine::cache::store::{Damage, StoreError};
pub use triglyph_engine::cache::{Removal as HiddenSurfaceRemoval, TierMode as Tier, WarmStart};
pub use triglyph_engine::device::{
    Access, Device, DroppedPrimitives, Event, Fault, FaultHandler, FaultKind, Faults, Machine, ObjectEntry, Replay,
    RunEnd, RunLimit, SoftwareMethod, StageTimes, Stats, Waiting,
};
pub use triglyph_engine::error::Error;
pub use triglyph_engine::log::{LogHandler, LogLevel};
pub use triglyph_engine::mem::{GuestAddr, GuestRange, Mapping, Memory, WrittenHandler};
pub use triglyph_engine::render::KeyFile;
pub use triglyph_engine::sched::{
    BoundedWork, DeviceWorker, Executor, Interrupter, Ticket, Timeline, WorkerError, WorkerOptions,
};
pub use triglyph_engine::snapshot::SnapshotOptions;
pub use triglyph_engine::transfer::{
    Fit, Gamma, HostFormat, HostRows, Presentation, Presented, ScanLayout, ScanOut, Shown, format as scan_format,
};
pub use triglyph_engine::validate::{
    CheckedDraw, DrawHandler, Finding, FindingKind, FragmentResults, MAX_FINDINGS, MAX_JUDGED, RegisterValue, Severity,
    WrittenRanges,
};
pub use triglyph_guest::id::{ChannelId, ContextHandle, EventSlot, MemoryHandle, NvmapHandle, SpaceId, SyncpointId};
pub use triglyph_guest::kernel::transfer::{BitField, PixelFields};
#[cfg(feature = "n3ds")]
pub use triglyph_n3ds::N3ds;
pub use triglyph_options::{Accuracy, Options};
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
    pub use triglyph_capture::meta::Meta;
    pub use triglyph_capture::picture::{Format, Layout, Picture};
    pub use triglyph_capture::player::{Checks, Event, Finished, Hashed, Player, Prepared, hash_memory};
    pub use triglyph_capture::reader::{Entry, Limits, RawRecord, RawRecords, Reader, Records};
    pub use triglyph_capture::recorder::Recorder;
    pub use triglyph_capture::recording_device::{Expectation, RecordingDevice};
    pub use triglyph_capture::writer::{Compression, Writer};

    pub use crate::trim::{TrimUnit, trim};
}

/// Functions that only the 3DS has: GSP's shared page, queues, rights and calls; external registers; LCD controllers.
#[cfg(feature = "n3ds")]
pub mod n3ds {
    pub use triglyph_guest::format::PixelFormat;
    pub use triglyph_n3ds::Forecast;
    pub use triglyph_n3ds::external::timing::{TICKS_PER_SECOND, time_of_ticks};
    pub use triglyph_n3ds::external::{Event, External, FreezePolicy, PHYSICAL, PROCESS};
    pub use triglyph_n3ds::gx::{BadAddress, Executed, HostCopy, Outcome};
    pub use triglyph_n3ds::lcd::{Eye, Lcd, Picture, Screen};

    /// GSP, the system process in front of the GPU.
    pub mod gsp {
        pub use triglyph_n3ds::gsp::address::{end_to_physical, to_physical, to_virtual};
        pub use triglyph_n3ds::gsp::command::{Command, FillUnit, Header};
        pub use triglyph_n3ds::gsp::interrupt::{Interrupt, RelayHeader, RelayQueue};
        pub use triglyph_n3ds::gsp::ipc::{ProcessMemory, Reply, Request, granted};
        pub use triglyph_n3ds::gsp::queue::{CommandQueue, Next, QueueFull, QueueHeader};
        pub use triglyph_n3ds::gsp::rights::{Acquire, Client, ClientSet, Session};
        pub use triglyph_n3ds::gsp::shared::{CLIENTS, SharedPage, WORDS};
        pub use triglyph_n3ds::gsp::{
            CaptureInfo, Completion, FramebufferInfo, FramebufferSlot, Gsp, Hardware, Registration, ResultCode,
        };
    }
}

/// Functions that only the PS3 has: the hypervisor's calls, and the numbers of its address spaces.
///
/// A host forwards the hypervisor's calls of its guest; their statuses are errors here and r3 there. Main memory is
/// space [`XDR`](rsx::XDR), by the addresses that guests pass to the hypervisor.
///
/// ```
/// use triglyph::rsx::{MAIN, XDR, flags};
/// use triglyph::{Access, Device, Event, GuestAddr, GuestRange, Options, Rsx};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut gpu = Rsx::new(&Options::default())?;
/// gpu.with_memory(|memory| memory.map(GuestRange::new(XDR, 0x1000_0000, 1 << 20), Access::READ_WRITE))?;
///
/// // lv1_gpu_memory_allocate, lv1_gpu_context_allocate, lv1_gpu_context_iomap: main memory is at IO offset 0.
/// let memory = gpu.memory_allocate(16 << 20, [8, 0x30_0000, 15, 8])?;
/// let context = gpu.context_allocate(memory.handle, flags::MAIN_REPORTS)?;
/// gpu.context_iomap(context.handle, 0, 0x1000_0000, 1 << 20, 3 << 62)?; // for reading and writing
///
/// // A push buffer: SET_REFERENCE to 7. PUT is in the context's control page, which the guest has mapped.
/// for (offset, word) in [(0, 1 << 18 | 0x50_u32), (4, 7)] {
///     gpu.write(GuestAddr::new(XDR, 0x1000_0000 + offset), &word.to_be_bytes())?;
/// }
/// let control = gpu.lpar(context.control).ok_or("a control page")?;
/// gpu.write(GuestAddr::new(control.space, control.address + 0x40), &8_u32.to_be_bytes())?;
/// gpu.run();
///
/// // GET has followed, and the reference counter beside it says how far the program is.
/// let mut registers = [0; 8];
/// gpu.read(GuestAddr::new(control.space, control.address + 0x44), &mut registers)?;
/// assert_eq!(registers, [0, 0, 0, 8, 0, 0, 0, 7]);
///
/// // Mistakes of the guest's are statuses, and not the library's errors.
/// let status = gpu.context_iomap(context.handle, 0, 0x1000_0001, 1 << 20, 0).unwrap_err();
/// println!("r3 = {}: {status}", status.code());
/// assert_eq!(gpu.faults().total(), 0);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "rsx")]
pub mod rsx {
    pub use triglyph_guest::rsx::lv1::{Status, flags};
    pub use triglyph_rsx::dma::space::{LOCAL, MAIN};
    pub use triglyph_rsx::lv1::{Answer, ContextAllocation, MemoryAllocation, PAGES, XDR};
    pub use triglyph_rsx::{SoftwareHandler, lv1_bit, lv2_bit};
}

/// Functions that only the Tegra X1 has: the calls of the Switch's driver.
///
/// A host forwards what its guest asks of nvdrv's devices: the bytes of ioctls by
/// [`nvdrv_ioctl`](TegraX1::nvdrv_ioctl), or typed calls, of which ioctls are made. Statuses are errors here. The
/// process's memory is space [`PROCESS`](tegra::PROCESS), by its own addresses.
///
/// ```
/// use triglyph::tegra::{Fence, Layout, MapBuffer, MapMemory, PROCESS, Wait, submit_flags};
/// use triglyph::{Access, Device, GuestAddr, GuestRange, Options, TegraX1};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut gpu = TegraX1::new(&Options::default())?;
/// let address = 0x70_0000_0000;
/// gpu.with_memory(|memory| memory.map(GuestRange::new(PROCESS, address, 0x1_0000), Access::READ_WRITE))?;
///
/// // /dev/nvmap, /dev/nvhost-as-gpu, /dev/nvhost-gpu: a handle, an address space that shows it, a channel in that.
/// let handle = gpu.nvmap_create(0x1_0000)?;
/// gpu.nvmap_alloc(handle, MapMemory { address, align: 0x1000, heap: 0, flags: 1, kind: 0xFE })?;
/// let space = gpu.space_open()?;
/// gpu.space_initialize(space, Layout::default())?;
/// let buffer = gpu.space_map_buffer(space, MapBuffer { handle, ..MapBuffer::default() })?;
/// let channel = gpu.channel_open()?;
/// gpu.channel_bind(channel, space)?;
///
/// // Five words of the host's methods: a semaphore at offset 0x8000 is released with 77.
/// let target = buffer.offset + 0x8000;
/// let words = [1 << 29 | 4 << 16 | 4, (target >> 32) as u32, target as u32, 77, 2 | 1 << 24];
/// let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
/// gpu.write(GuestAddr::new(PROCESS, address), &bytes)?;
/// let entry = buffer.offset | (words.len() as u64) << 42;
/// let fence = gpu.channel_submit(channel, &[entry], submit_flags::FENCE_GET, Fence::default())?;
///
/// // /dev/nvhost-ctrl
/// assert_eq!(gpu.event_wait(fence, None, None)?, Wait::Reached(fence.value));
/// let mut semaphore = [0; 4];
/// gpu.read(GuestAddr::new(PROCESS, address + 0x8000), &mut semaphore)?;
/// assert_eq!(u32::from_le_bytes(semaphore), 77);
///
/// // Mistakes of the guest's are statuses, and not the library's errors.
/// println!("{}", gpu.nvmap_create(0).unwrap_err());
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "tegra")]
pub mod tegra {
    pub use triglyph_guest::tegra::driver::{
        Characteristics, DeviceFile, Status, map_flags, map_param, space_flags, submit_flags,
    };
    pub use triglyph_tegra::driver::{
        Buffer, Fence, Freed, Layout, MapBuffer, MapMemory, PROCESS, PROCESS_MASK, Region, Remap, Transfer, Wait,
    };
}

/// Observers for inspectors: commands and their effects, memory before and after them.
pub mod probe {
    #[doc(hidden)]
    pub use triglyph_engine::cache::{image::DecodedImage, texture::TextureSource};
    pub use triglyph_engine::draw::program::Topology;
    #[doc(hidden)]
    pub use triglyph_engine::probe::{
        Array, Attribute, BoundTexture, ConstantKind, Constants, Counting, Fetch, FragmentCounts, Input, Judged,
        JudgedPrimitive, MAX_VERTICES, Mesh, TextureForm, Vertices,
    };
    pub use triglyph_engine::probe::{
        Change, Command, CommandFaults, Draw, Edit, Effect, Fragment, Item, KernelKey, Layout, Observer, Register,
        Role, Step, Stored, Surface, Trace, Transfer, TransferKind, Verdict, View, Wanted, Watch, Watched, WordForm,
    };
    #[doc(hidden)]
    pub use triglyph_engine::scene::program::TextureBinding;
    pub use triglyph_guest::format::{DepthFormat as PicaDepthFormat, PixelFormat};
    pub use triglyph_guest::kernel::ContentHash;
    pub use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat, DepthFormat};
    pub use triglyph_guest::layout::{Block, LayoutKind, SurfaceLayout};
}

/// The README's example is a test, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A new machine.
///
/// # Errors
/// [`Error::Unsupported`] for machines and tiers that this build or this host does not have.
pub fn new_device(machine: Machine, options: &Options) -> Result<Box<dyn Device>, Error> {
    match machine {
        #[cfg(feature = "n3ds")]
        Machine::N3ds => Ok(Box::new(N3ds::new(options)?)),
        #[cfg(feature = "rsx")]
        Machine::Ps3 => Ok(Box::new(Rsx::new(options)?)),
        #[cfg(feature = "tegra")]
        Machine::TegraX1 => Ok(Box::new(TegraX1::new(options)?)),
        other => Err(Error::Unsupported(format!("this build is without the {other}"))),
    }
}
