//! The tiers of an engine, and which of them it uses.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;

/// Which tier serves kernel calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TierMode {
    /// The interpreter at once, compiled code as soon as there is some.
    #[default]
    Auto,
    /// The interpreter only.
    InterpreterOnly,
    /// Compiled code from the first call on: callers wait for the compiler. The interpreter still serves what the
    /// compiler does not support.
    JitOnly,
}

/// The tiers an engine works with.
#[derive(Clone)]
pub struct Tiers {
    /// Defines the results; supports every key and every call.
    pub interpreter: Arc<dyn Tier>,
    /// The baseline tier, which compiles fast: new keys get its code first.
    pub baseline: Option<Arc<dyn Tier>>,
    /// Compiles to faster code, and takes longer: for kernels that are called often.
    pub optimized: Option<Arc<dyn Tier>>,
    /// The slowest compiler, for kernels that have run for seconds; does not support keys that `optimized` compiles as
    /// well.
    pub hot: Option<Arc<dyn Tier>>,
}

impl Tiers {
    /// The interpreter and no compiler.
    pub fn interpreter_only(interpreter: Arc<dyn Tier>) -> Self {
        Tiers { interpreter, baseline: None, optimized: None, hot: None }
    }
}

impl std::fmt::Debug for Tiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |tier: &Option<Arc<dyn Tier>>| tier.as_ref().map(|t| t.name());
        f.debug_struct("Tiers")
            .field("interpreter", &self.interpreter.name())
            .field("baseline", &name(&self.baseline))
            .field("optimized", &name(&self.optimized))
            .field("hot", &name(&self.hot))
            .finish()
    }
}
