//! Options of a machine: tiers of this build, threads, limits, accuracy.

#![forbid(unsafe_code)]

use std::sync::Arc;

use triglyph_engine::cache::{Removal, TierMode as Tier, Tiers};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget;
use triglyph_engine::frontend::packet_trace;
use triglyph_engine::render::{KeyFile, Pipeline, RenderOptions, Renderer};
use triglyph_engine::sched::Executor;
use triglyph_engine::validate::Rules;

use triglyph_guest::kernel::{self, Unsupported};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

/// How near to the console numbers and mechanisms are. Both tiers leave the same bytes under either; what differs
/// between the two is on the machine's page of the reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Accuracy {
    /// The results that the hardware's documentation and tests give, as far as they go.
    Exact,
    /// Results that look the same in pictures, at a fraction of the cost.
    #[default]
    Fast,
}

impl From<Accuracy> for kernel::Accuracy {
    fn from(accuracy: Accuracy) -> Self {
        match accuracy {
            Accuracy::Exact => kernel::Accuracy::Exact,
            Accuracy::Fast => kernel::Accuracy::Fast,
        }
    }
}

/// How a machine is set up.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Tiers to use instead of those of this build, for tools that watch or replace kernels.
    #[doc(hidden)]
    pub tiers: Option<Tiers>,
    /// Which tier serves kernel calls.
    pub tier: Tier,
    /// Threads, the caller's included, at most 1024; 0 takes one for each core.
    pub threads: usize,
    /// A job system of the host's, used instead of threads of our own; its threads work beside the caller's, and
    /// `threads` counts nothing then. With the feature `rayon` a pool of rayon's is one.
    pub executor: Option<Arc<dyn Executor>>,
    /// Machine code the kernel cache may hold, in bytes.
    pub code_budget: usize,
    /// A file that remembers which kernels were needed: the next start compiles them in the background before they are
    /// used.
    pub key_file: Option<KeyFile>,
    /// How near to the console: whether programs compute as the console's units do (24-bit floats on the 3DS, halves on
    /// the PS3, flushed denormals and the function unit's tables on the Tegra X1), and on the PS3 how much of the
    /// chip's plumbing there is (`RsxMode`).
    pub accuracy: Accuracy,
    /// How often packets of a push buffer or command list have to come with the same headers before they are compiled
    /// as one packet trace: 1 for at once, 0 for never; by default [`packet_trace::THRESHOLD`].
    /// [`Tier::InterpreterOnly`] has none.
    pub packet_traces: u32,
    /// When fragments that later ones hide are not shaded. No byte depends on it.
    pub hidden_surface_removal: Removal,
    /// Maximum cost of one submission before the guest counts as running away, in units of fuel; [`budget::FUEL`] by
    /// default. Work that does not fit is not done, and counted as a fault. Bounded runs do all of it, however much
    /// that is: there it bounds a single command. A unit is about a nanosecond of a core that runs compiled code.
    pub fuel: u64,
    /// Whether draws are checked for what makes them invisible or suspicious: see
    /// [`Device::take_findings`](triglyph_engine::Device::take_findings). The scene is drawn before and after each
    /// draw, and its fragments are judged one by one, so frames take many times as long. No byte depends on it. Off, it
    /// costs nothing.
    pub validate: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            tiers: None,
            tier: Tier::Auto,
            threads: 0,
            executor: None,
            code_budget: 64 << 20,
            key_file: None,
            accuracy: Accuracy::default(),
            packet_traces: packet_trace::THRESHOLD,
            hidden_surface_removal: Removal::default(),
            fuel: budget::FUEL,
            validate: false,
        }
    }
}

impl Options {
    /// The defaults with another tier and number of threads.
    pub fn new(tier: Tier, threads: usize) -> Self {
        Options { tier, threads, ..Options::default() }
    }

    /// A renderer with these options, for a machine to drive; with [`validate`](Self::validate) its draws are checked
    /// by `rules`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when [`Tier::JitOnly`] is asked for and the host has no code generator, and when the host
    /// gives no threads.
    #[doc(hidden)]
    pub fn renderer<P: Pipeline>(&self, rules: &'static Rules) -> Result<Renderer<P>, Error> {
        let mut renderer = Renderer::new(&RenderOptions {
            tiers: self.tiers.clone().map_or_else(|| tiers(self.tier), Ok)?,
            mode: self.tier,
            threads: self.threads,
            executor: self.executor.clone(),
            code_budget: self.code_budget,
            key_file: self.key_file.clone(),
            accuracy: self.accuracy.into(),
            // A command of a compiled packet is none of its own.
            packet_traces: if self.validate { 0 } else { self.packet_traces },
            removal: self.hidden_surface_removal,
        })?;
        if self.validate {
            renderer.set_rules(rules);
        }
        Ok(renderer)
    }
}

/// The tiers of this build for a mode. A host without a code generator has the interpreter alone.
///
/// # Errors
/// [`Error::Unsupported`] when [`Tier::JitOnly`] is asked for and the host has no code generator.
pub fn tiers(mode: Tier) -> Result<Tiers, Error> {
    tiers_from(mode, Jit::new)
}

/// As [`tiers`], with compilers that verify their code and panic at errors: for fuzzing.
///
/// # Errors
/// As [`tiers`].
#[doc(hidden)]
pub fn checked_tiers(mode: Tier) -> Result<Tiers, Error> {
    tiers_from(mode, Jit::checked)
}

fn tiers_from(mode: Tier, compiler: impl Fn() -> Result<Jit, Unsupported>) -> Result<Tiers, Error> {
    let mut tiers = Tiers::interpreter_only(Arc::new(Interpreter));
    if mode == Tier::InterpreterOnly {
        return Ok(tiers);
    }
    match compiler() {
        Ok(jit) => {
            let [baseline, optimized, hot] = jit.tiers(mode == Tier::JitOnly);
            tiers.baseline = Some(Arc::new(baseline));
            tiers.optimized = Some(Arc::new(optimized));
            tiers.hot = Some(Arc::new(hot));
            Ok(tiers)
        }
        Err(no) if mode == Tier::JitOnly => Err(Error::Unsupported(no.0.to_owned())),
        Err(_) => Ok(tiers),
    }
}
