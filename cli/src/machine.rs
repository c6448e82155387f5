//! Devices with the options of the command line.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use triglyph::{Accuracy, Device, Error, HiddenSurfaceRemoval, KeyFile, Machine, Options, Tier};

/// The tier that executes kernels. Its names and their explanations are those of every command with such an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TierChoice {
    /// The interpreter at once, compiled code when it is ready.
    Auto,
    /// The reference interpreter only.
    #[value(alias = "interpreter")]
    Interp,
    /// Compiled code only.
    Jit,
}

/// The tiers that a command compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiers(pub &'static [TierChoice]);

/// A parser of the names of some tiers.
pub fn parse_tier(accepted: &'static [TierChoice]) -> impl TypedValueParser<Value = TierChoice> {
    let names = accepted.iter().filter_map(ValueEnum::to_possible_value);
    // Only names of the list come so far.
    PossibleValuesParser::new(names).try_map(|name| <TierChoice as ValueEnum>::from_str(&name, false))
}

/// A parser of one tier's name, or `both`.
pub fn parse_tiers() -> impl TypedValueParser<Value = Tiers> {
    const BOTH: &str = "both";
    let both = PossibleValue::new(BOTH).help("interp and jit, which are compared");
    let names = TierChoice::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    PossibleValuesParser::new(std::iter::once(both).chain(names)).try_map(|name| {
        if name == BOTH {
            return Ok(Tiers(&[TierChoice::Interp, TierChoice::Jit]));
        }
        Ok::<_, String>(Tiers(match <TierChoice as ValueEnum>::from_str(&name, false)? {
            TierChoice::Auto => &[TierChoice::Auto],
            TierChoice::Interp => &[TierChoice::Interp],
            TierChoice::Jit => &[TierChoice::Jit],
        }))
    })
}

/// Accuracy of the arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AccuracyChoice {
    /// Everything that is known of the hardware.
    Exact,
    /// Faster, without visible differences.
    #[default]
    Fast,
}

/// When packets that recur are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PacketTraceChoice {
    /// After some thousand executions.
    #[default]
    Often,
    /// Before they are executed for the first time.
    Forced,
    /// Never.
    Never,
}

/// When fragments that later ones hide are not shaded. No byte depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum HiddenSurfaceChoice {
    /// All are shaded.
    Never,
    /// Where it takes less time.
    #[default]
    WhenFaster,
    /// Wherever it is possible.
    Always,
}

/// Arguments of commands that run captures in one way.
#[derive(Clone, Copy, Debug, Args)]
pub struct SetupArguments {
    /// The tier that executes kernels.
    #[arg(long, value_name = "TIER", value_parser = parse_tier(TierChoice::value_variants()), default_value = "auto")]
    pub tier: TierChoice,
    /// Number of threads.
    #[arg(long, value_parser = parse_threads)]
    pub threads: Option<usize>,
    /// Accuracy of the arithmetic.
    #[arg(long, value_enum, default_value = "fast")]
    pub accuracy: AccuracyChoice,
}

impl SetupArguments {
    /// The setup of these arguments.
    pub fn setup(self) -> Setup {
        let SetupArguments { tier, threads, accuracy } = self;
        Setup { tier, threads, accuracy, packet_traces: Default::default(), hidden_surfaces: Default::default() }
    }
}

/// One way to run a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The tier that executes kernels.
    pub tier: TierChoice,
    /// Threads; `None` leaves the choice to the library.
    pub threads: Option<usize>,
    /// Accuracy of the arithmetic.
    pub accuracy: AccuracyChoice,
    /// When packets are compiled.
    pub packet_traces: PacketTraceChoice,
    /// When hidden fragments are not shaded.
    pub hidden_surfaces: HiddenSurfaceChoice,
}

impl TierChoice {
    /// The name that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            TierChoice::Auto => "auto",
            TierChoice::Interp => "interp",
            TierChoice::Jit => "jit",
        }
    }
}

impl AccuracyChoice {
    /// The name that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            AccuracyChoice::Exact => "exact",
            AccuracyChoice::Fast => "fast",
        }
    }
}

impl Setup {
    /// A fresh device with a key file.
    pub fn device_with_keys(self, machine: Machine, keys: Option<&Path>) -> Result<Box<dyn Device>, Error> {
        let mut options = self.options();
        options.key_file = keys.map(KeyFile::new);
        triglyph::new_device(machine, &options)
    }

    /// A fresh device that checks its draws.
    pub fn device_with_checks(self, machine: Machine) -> Result<Box<dyn Device>, Error> {
        let mut options = self.options();
        options.validate = true;
        triglyph::new_device(machine, &options)
    }

    /// A fresh device whose kernels are compiled by the optimizing tier at once.
    pub fn device_with_steady_code(self, machine: Machine) -> Result<Box<dyn Device>, Error> {
        let mut options = self.options();
        if self.tier != TierChoice::Interp {
            options.tiers = Some(triglyph_options::tiers(Tier::Auto)?);
        }
        triglyph::new_device(machine, &options)
    }

    fn options(self) -> Options {
        let tier = match self.tier {
            TierChoice::Auto => Tier::Auto,
            TierChoice::Interp => Tier::InterpreterOnly,
            TierChoice::Jit => Tier::JitOnly,
        };
        // No threads: the library chooses.
        let mut options = Options::new(tier, self.threads.unwrap_or(0));
        options.accuracy = match self.accuracy {
            AccuracyChoice::Exact => Accuracy::Exact,
            AccuracyChoice::Fast => Accuracy::Fast,
        };
        match self.packet_traces {
            PacketTraceChoice::Often => options.packet_traces = triglyph_engine::frontend::packet_trace::THRESHOLD,
            PacketTraceChoice::Forced => options.packet_traces = 1,
            PacketTraceChoice::Never => options.packet_traces = 0,
        }
        options.hidden_surface_removal = match self.hidden_surfaces {
            HiddenSurfaceChoice::Never => HiddenSurfaceRemoval::Never,
            HiddenSurfaceChoice::WhenFaster => HiddenSurfaceRemoval::WhenFaster,
            HiddenSurfaceChoice::Always => HiddenSurfaceRemoval::Always,
        };
        options
    }
}

impl std::fmt::Display for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.threads {
            Some(threads) => write!(f, "{}/{threads}", self.tier.name()),
            None => f.write_str(self.tier.name()),
        }
    }
}

/// Threads, at least one.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number from 1 to 1024 is needed".to_owned()),
    }
}
