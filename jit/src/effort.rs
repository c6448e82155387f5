//! How much time compiling takes: the efforts, and which one a tier gives to a function of some size.

use crate::lane::Pairs;

/// How much time compiling a function may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Single-pass register allocation: code 1.15 times slower, made 3 to 10 times sooner.
    Baseline,
    /// Backtracking register allocation, whose time grows faster than the function; loops may do several iterations at
    /// once.
    Optimized,
}

/// Size in guest instructions above which backtracking costs more than it gains, but for kernels that run for seconds:
/// about two milliseconds.
pub(crate) const OPTIMIZED_LIMIT: u32 = 250;

/// Size in guest instructions above which backtracking would take more than a tenth of a second or so.
const HOT_LIMIT: u32 = 2000;

/// The effort of functions by their size.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Size in guest instructions up to which functions are optimized, if any are.
    optimized: Option<u32>,
    /// Whether optimized loops may do several iterations at once.
    pairs: bool,
}

impl Limits {
    const AUTO: Limits = Limits { optimized: Some(OPTIMIZED_LIMIT), pairs: true };
    /// For callers that wait: without what makes code twice as long for kernels that run for long.
    const IMMEDIATE: Limits = Limits { optimized: Some(OPTIMIZED_LIMIT), pairs: false };
    const HOT: Limits = Limits { optimized: Some(HOT_LIMIT), pairs: true };

    /// The effort, and whether loops may do several iterations at once.
    const fn of_size(self, size: u32) -> (Effort, bool) {
        match self.optimized {
            Some(largest) if size <= largest => (Effort::Optimized, self.pairs),
            // Single-pass allocation has most values in memory: longer code would gain nothing.
            _ => (Effort::Baseline, false),
        }
    }
}

/// How a compiler treats functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Policy {
    limits: Limits,
    /// Those of the tier before: what they make as well is not compiled again.
    previous: Option<Limits>,
}

/// How a function is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub effort: Effort,
    pub pairs: Pairs,
}

impl From<Effort> for Policy {
    /// The same effort for functions of any size.
    fn from(effort: Effort) -> Policy {
        let optimized = (effort == Effort::Optimized).then_some(u32::MAX);
        Policy { limits: Limits { optimized, pairs: true }, previous: None }
    }
}

impl Policy {
    /// Optimizes functions for which that takes two milliseconds or so.
    pub const AUTO: Policy = Policy { limits: Limits::AUTO, previous: None };

    /// The same without loops that do several iterations at once.
    #[cfg(any(test, feature = "random"))]
    pub fn without_pairs(self) -> Policy {
        Policy { limits: Limits { pairs: false, ..self.limits }, ..self }
    }

    /// Those of an engine's baseline, optimizing and hot tiers. `callers_wait`: the optimizing one is compiled by its
    /// callers.
    pub fn of_tiers(callers_wait: bool) -> [Policy; 3] {
        let optimizing = if callers_wait { Limits::IMMEDIATE } else { Limits::AUTO };
        [
            Effort::Baseline.into(),
            Policy { limits: optimizing, previous: None },
            Policy { limits: Limits::HOT, previous: Some(optimizing) },
        ]
    }

    /// How a function of `size` guest instructions is compiled; `None` if the tier before makes the same code.
    pub fn plan(self, size: u32) -> Option<Plan> {
        let (effort, pairs) = self.limits.of_size(size);
        let pairs = match self.previous.map(|previous| previous.of_size(size)) {
            Some(made) if made == (effort, pairs) => return None,
            // Only pairs make a difference.
            Some((made, _)) if made == effort => Pairs::Required,
            _ if pairs => Pairs::WherePossible,
            _ => Pairs::Never,
        };
        Some(Plan { effort, pairs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plans of functions of 0, 250, 251, 2,000 and 2,001 guest instructions.
    fn plans(policy: Policy) -> [Option<Plan>; 5] {
        [0, 250, 251, 2000, 2001].map(|size| policy.plan(size))
    }

    const BASELINE: Option<Plan> = Some(Plan { effort: Effort::Baseline, pairs: Pairs::Never });

    const fn optimized(pairs: Pairs) -> Option<Plan> {
        Some(Plan { effort: Effort::Optimized, pairs })
    }

    #[test]
    fn hot_tier_compiles_what_the_optimizing_one_makes_no_better() {
        let both = optimized(Pairs::WherePossible);
        let [baseline, optimizing, hot] = Policy::of_tiers(false);
        assert_eq!(plans(baseline), [BASELINE; 5]);
        assert_eq!(plans(optimizing), [both, both, BASELINE, BASELINE, BASELINE]);
        assert_eq!(plans(hot), [None, None, both, both, None]);
    }

    #[test]
    fn tiers_of_callers_that_wait_leave_pairs_to_the_hot_one() {
        let both = optimized(Pairs::WherePossible);
        let (single, required) = (optimized(Pairs::Never), optimized(Pairs::Required));
        let [_, optimizing, hot] = Policy::of_tiers(true);
        assert_eq!(plans(optimizing), [single, single, BASELINE, BASELINE, BASELINE]);
        assert_eq!(plans(hot), [required, required, both, both, None]);
    }
}
