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

#[cfg(feature = "capture")]
pub use triglyph_capture as capture;
pub use triglyph_engine::frontend::packet_trace;
pub use triglyph_engine::{device, error, mem, render, snapshot};
pub use triglyph_guest as guest;
#[cfg(feature = "n3ds")]
pub use triglyph_n3ds as n3ds;
#[cfg(feature = "rsx")]
pub use triglyph_rsx as rsx;
#[cfg(feature = "tegra")]
pub use triglyph_tegra as tegra;

pub use triglyph_engine::cache::TierMode as Tier;
pub use triglyph_engine::cache::{Tiers, WarmStart, store};
pub use triglyph_engine::device::{
    Access, Device, Event, Fault, FaultHandler, FaultKind, Faults, Machine, ObjectEntry, ReplayDevice, SoftwareMethod,
    StageTimes, Stats,
};
pub use triglyph_engine::error::Error;
pub use triglyph_engine::mem::{GuestAddr, GuestRange};
pub use triglyph_engine::render::{Accuracy, KeyFile};
pub use triglyph_engine::sched::Timeline;
pub use triglyph_engine::snapshot::SnapshotOptions;
#[cfg(feature = "n3ds")]
pub use triglyph_n3ds::N3ds;
pub use triglyph_options::{Options, tiers};
#[cfg(feature = "rsx")]
pub use triglyph_rsx::{Rsx, RsxMode};
#[cfg(feature = "tegra")]
pub use triglyph_tegra::TegraX1;

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
