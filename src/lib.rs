//! The GPUs of three consoles as a library: guest memory and command words in; finished pictures, interrupts and
//! fences out, for the Nintendo 3DS (GSP and PICA200), the PlayStation 3 (RSX and its hypervisor's calls) and the Tegra X1
//! (the Switch: GPFIFO, macros, Maxwell).
//!
//! The one claim: *same capture, same bytes*, whichever tier executes it and on however many threads.
//!
//! ```
//! use triglyph::{Access, Device, Machine, Options, new_device};
//!
//! # fn main() -> Result<(), triglyph::Error> {
//! let mut gpu = new_device(Machine::N3ds, &Options::default())?;
//! gpu.map(0, 0x1800_0000, 0x60_0000, Access::READ_WRITE)?; // VRAM
//!
//! // GX command 2: fill 64 bytes of VRAM with a 32-bit pattern, as it would stand in GSP shared memory.
//! let command: [u32; 8] = [2, 0x1F00_0000, 0x1122_3344, 0x1F00_0040, 0, 0, 0, 0x0201];
//! let bytes: Vec<u8> = command.iter().flat_map(|word| word.to_le_bytes()).collect();
//! gpu.submit(&bytes)?;
//!
//! let mut back = [0; 4];
//! gpu.read(0, 0x1800_0000, &mut back)?;
//! assert_eq!(back, [0x44, 0x33, 0x22, 0x11]);
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

pub use triglyph_engine::cache::TierMode as Tier;
pub use triglyph_engine::{capture, device, error, mem, n3ds, render, rsx, sequence, snapshot, tegra};
pub use triglyph_guest as guest;

pub use triglyph_engine::cache::{Tiers, WarmStart, store};
pub use triglyph_engine::device::{
    Access, Device, Fault, FaultKind, Faults, Machine, ObjectEntry, StageTimes, Stats, WrittenRange,
};
pub use triglyph_engine::error::Error;
pub use triglyph_engine::n3ds::N3ds;
pub use triglyph_engine::render::{Accuracy, KeyFile};
pub use triglyph_engine::rsx::{Rsx, RsxMode};
pub use triglyph_engine::snapshot::SnapshotOptions;
pub use triglyph_engine::tegra::TegraX1;

use triglyph_engine::render::RenderOptions;
use triglyph_interp::Interpreter;
use triglyph_jit::{Effort, Jit};

/// How an engine is set up.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Which tier serves kernel calls.
    pub tier: Tier,
    /// Threads, the caller's included; 0 takes one for each core.
    pub threads: usize,
    /// A thread pool of the host's, used instead of one of our own; its threads work beside the caller's.
    pub pool: Option<Arc<rayon::ThreadPool>>,
    /// Machine code the kernel cache may hold, in bytes.
    pub code_budget: usize,
    /// A file that remembers which kernels were needed: the next start compiles them in the background before anybody asks.
    pub key_file: Option<KeyFile>,
    /// How near to the console: on the 3DS whether programs compute in its 24-bit floats, on the PS3 how much of the
    /// chip's plumbing there is ([`RsxMode`]).
    pub accuracy: Accuracy,
    /// How often packets of a push buffer or command list have to come with the same headers before they are compiled as one
    /// sequence: 1 for at once, 0 for never; as a rule [`sequence::THRESHOLD`]. [`Tier::InterpreterOnly`] has none.
    pub sequences: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tier: Tier::Auto,
            threads: 0,
            pool: None,
            code_budget: 64 << 20,
            key_file: None,
            accuracy: Accuracy::default(),
            sequences: sequence::THRESHOLD,
        }
    }
}

impl Options {
    /// The defaults with another tier and number of threads.
    pub fn new(tier: Tier, threads: usize) -> Self {
        Options { tier, threads, ..Options::default() }
    }

    /// What a machine's own constructor takes, for hosts that use one directly.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when [`Tier::JitOnly`] is asked for and the host has no code generator.
    pub fn render_options(&self) -> Result<RenderOptions, Error> {
        Ok(RenderOptions {
            tiers: tiers(self.tier)?,
            mode: self.tier,
            threads: self.threads,
            pool: self.pool.clone(),
            code_budget: self.code_budget,
            key_file: self.key_file.clone(),
            accuracy: self.accuracy,
            sequences: self.sequences,
        })
    }
}

/// A new machine.
///
/// # Errors
/// [`Error::Unsupported`] for machines and tiers that this build or this host does not have.
pub fn new_device(machine: Machine, options: &Options) -> Result<Box<dyn Device>, Error> {
    match machine {
        Machine::N3ds => Ok(Box::new(N3ds::new(&options.render_options()?)?)),
        Machine::Ps3 => Ok(Box::new(Rsx::new(&options.render_options()?, options.accuracy.into())?)),
        Machine::TegraX1 => Ok(Box::new(TegraX1::new(&options.render_options()?)?)),
    }
}

/// The tiers of this build. A host without a code generator has the reference alone.
fn tiers(mode: Tier) -> Result<Tiers, Error> {
    let mut tiers = Tiers { reference: Arc::new(Interpreter), quick: None, hot: None };
    if mode == Tier::InterpreterOnly {
        return Ok(tiers);
    }
    match (Jit::with_effort(Effort::Baseline), Jit::with_effort(Effort::Auto)) {
        (Ok(quick), Ok(hot)) => {
            tiers.quick = Some(Arc::new(quick));
            tiers.hot = Some(Arc::new(hot));
            Ok(tiers)
        }
        (Err(refused), _) | (_, Err(refused)) if mode == Tier::JitOnly => Err(Error::Unsupported(refused.to_string())),
        _ => Ok(tiers),
    }
}
