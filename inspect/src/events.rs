//! Events: commands that did something.

use triglyph::GuestRange;
use triglyph::probe::{Command, Draw, Effect, Surface};

use crate::passes::is_clear;

/// A command that did something.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Counts the events of the capture from 0.
    pub number: usize,
    /// Index of the record that gave the work.
    pub record: usize,
    /// Counts all commands of the capture from 0, those that did nothing too.
    pub order: u64,
    /// The command.
    pub command: Command,
    /// What it did, at least one thing.
    pub effects: Vec<Effect>,
}

impl Event {
    /// Its draws: more than one where a command draws instances or parts.
    pub fn draws(&self) -> impl Iterator<Item = &Draw> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Draw(draw) => Some(draw),
            _ => None,
        })
    }

    /// The surfaces that it draws to.
    pub fn surfaces(&self) -> impl Iterator<Item = &Surface> {
        self.draws().flat_map(|draw| &draw.surfaces)
    }

    /// Memory that it may write: of surfaces all.
    pub fn written(&self) -> impl Iterator<Item = GuestRange> {
        let others = self.effects.iter().filter_map(|effect| match effect {
            Effect::Transfer(transfer) => transfer.target,
            Effect::Store(range) => Some(*range),
            _ => None,
        });
        self.surfaces().map(Surface::range).chain(others)
    }

    /// Whether it may write any byte of a range. Compute programs, and transfers whose target is not known, may write
    /// anything.
    pub fn may_write(&self, range: GuestRange) -> bool {
        let anywhere = |effect: &Effect| match effect {
            Effect::Compute => true,
            Effect::Transfer(transfer) => transfer.target.is_none(),
            _ => false,
        };
        self.effects.iter().any(anywhere) || self.written().any(|written| written.overlaps(range))
    }

    /// What it is, in a word: that of its most telling effect.
    pub fn kind(&self) -> &'static str {
        let rank = |effect: &Effect| match effect {
            Effect::Draw(_) => (0, "draw"),
            Effect::Compute => (1, "compute"),
            Effect::Transfer(transfer) if is_clear(transfer.kind) => (2, "clear"),
            Effect::Transfer(_) => (3, "transfer"),
            Effect::Macro(_) => (4, "macro"),
            Effect::Signal => (5, "signal"),
            Effect::Store(_) => (6, "store"),
            Effect::Faults(_) => (7, "fault"),
            _ => (8, "other"),
        };
        self.effects.iter().map(rank).min().map_or("other", |(_, kind)| kind)
    }

    /// How many faults it has.
    pub fn faults(&self) -> u64 {
        let faults = |effect: &Effect| if let Effect::Faults(count) = effect { *count } else { 0 };
        self.effects.iter().map(faults).sum()
    }
}
