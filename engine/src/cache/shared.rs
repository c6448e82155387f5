//! State that tables, slots and compile jobs share.

use std::sync::Arc;

use super::counters::Counters;
use super::key_log::KeyLog;
use super::tiers::{TierMode, Tiers};
use super::watch::Watch;
use crate::log::Log;
use crate::sched::Worker;
use crate::sync::atomic::{AtomicBool, AtomicU64};

/// State that tables, slots and compile jobs share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) tiers: Tiers,
    pub(super) mode: TierMode,
    /// Bytes of machine code the tables may hold.
    pub(super) budget: usize,
    pub(super) worker: Worker,
    pub(super) counters: Counters,
    /// Set when new code exceeds the budget: the next look-up evicts.
    pub(super) overfull: AtomicBool,
    /// Counts uses, for the age of slots. Starts at 1.
    pub(super) clock: AtomicU64,
    /// The key file.
    pub(super) log: Option<KeyLog>,
    /// Lines for the host's log.
    pub(super) lines: Arc<Log>,
    /// The watcher of kernels.
    pub(super) watch: Watch,
}

impl Shared {
    pub(super) fn new(tiers: Tiers, mode: TierMode, budget: usize, log: Option<KeyLog>, lines: Arc<Log>) -> Self {
        let (worker, counters, clock) = (Worker::default(), Counters::default(), AtomicU64::new(1));
        let (overfull, watch) = (AtomicBool::new(false), Watch::default());
        Shared { tiers, mode, budget, worker, counters, overfull, clock, log, lines, watch }
    }

    pub(super) fn is_over_budget(&self) -> bool {
        self.counters.code_bytes() > self.budget as u64
    }
}
