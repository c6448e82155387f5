//! Events: commands with an effect.

use triglyph::GuestRange;
use triglyph::probe::{Command, Draw, Effect, Surface, TransferKind};

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

/// Events while they are listed.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub events: Vec<Event>,
    /// Commands that have done something and are not listed.
    pub left_out: u64,
    room: usize,
}

impl Listing {
    /// Room for so many events, effects, and what they name.
    pub fn new(room: usize) -> Self {
        Listing { room, ..Listing::default() }
    }

    /// Adds what a command has done, unless one before it was left out already.
    pub fn add(&mut self, record: usize, order: u64, command: &Command, effects: &[Effect]) {
        let named = |effect: &Effect| match effect {
            Effect::Draw(draw) => 1 + draw.surfaces.len() + draw.textures.len() + draw.fragments.len(),
            _ => 1,
        };
        let size = 1 + effects.iter().map(named).sum::<usize>();
        if self.left_out > 0 || size > self.room {
            self.left_out += 1;
            return;
        }
        self.room -= size;
        let number = self.events.len();
        self.events.push(Event { number, record, order, command: *command, effects: effects.to_vec() });
    }
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

    /// Whether it may write any byte of a range. Compute programs, transfers whose target is not known, and effects
    /// that are left out may write anything.
    pub fn may_write(&self, range: GuestRange) -> bool {
        let anywhere = |effect: &Effect| match effect {
            Effect::Compute | Effect::LeftOut(_) => true,
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
        let faults = |effect: &Effect| if let Effect::Faults(faults) = effect { faults.count } else { 0 };
        self.effects.iter().map(faults).sum()
    }
}

/// Whether a kind of transfer clears.
pub fn is_clear(kind: TransferKind) -> bool {
    matches!(kind, TransferKind::Fill | TransferKind::FillRect)
}
