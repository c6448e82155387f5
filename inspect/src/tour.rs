//! Observing commands while a capture is replayed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use triglyph::probe::{
    Command, Counting, Edit, Effect, Fragment, FragmentCounts, Input, Observer, View, Watch as Kernels, Watched,
};
use triglyph::{GuestAddr, GuestRange};

use crate::events::Listing;
use crate::limits::MAX_ASKED;

/// When a command is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Moment {
    /// Before it is executed.
    Before,
    /// After it.
    After,
}

/// What is to be seen of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// The registers of its class.
    pub registers: bool,
    /// Ranges of memory.
    pub ranges: Vec<GuestRange>,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The command's [order](crate::Event::order).
    pub order: u64,
    /// When.
    pub moment: Moment,
    /// Registers by the number that the machine's tables give them (on the PS3 a quarter of the method); empty if they
    /// were not asked for or the class has none.
    pub registers: Vec<u32>,
    /// The bytes of the ranges, in their order; zeros where nothing is mapped.
    pub ranges: Vec<Vec<u8>>,
}

/// Who decides at which commands to look.
pub trait Tour: Send {
    /// Whether everything that it wants was seen. Then the replay ends with the record in progress.
    fn is_over(&mut self) -> bool {
        false
    }

    /// What is to be seen of the command of this [order](crate::Event::order).
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask>;

    /// What was asked for.
    fn seen(&mut self, seen: Seen);

    /// The device as it is then, for what need not be kept; before [`seen`](Self::seen).
    fn look(&mut self, order: u64, moment: Moment, view: &View<'_>) {
        let _ = (order, moment, view);
    }

    /// The pixel for whose fragments a command's draws report outcomes, by its first byte in a surface.
    fn pixel(&mut self, order: u64) -> Option<GuestAddr> {
        let _ = order;
        None
    }

    /// Edits of the machine's state that precede the command.
    fn edits(&mut self, order: u64) -> Vec<Edit> {
        let _ = order;
        Vec::new()
    }

    /// The effects of the command, before the look after it.
    fn effects(&mut self, order: u64, effects: &[Effect]) {
        let _ = (order, effects);
    }

    /// What is to be told of the kernels that a command calls.
    fn watch(&mut self, order: u64) -> Option<Kernels> {
        let _ = order;
        None
    }

    /// What they have said; before the look after the command.
    fn watched(&mut self, order: u64, watched: Watched) {
        let _ = (order, watched);
    }

    /// Its fragments, in their order; before the look after the command.
    fn fragments(&mut self, order: u64, fragments: &[Fragment]) {
        let _ = (order, fragments);
    }

    /// What a command's draws are to tell of their fragments.
    fn wants_counts(&mut self, order: u64) -> Counting {
        let _ = order;
        Counting::Nothing
    }

    /// The fragments of a draw of the command, before the look after it.
    fn counts(&mut self, order: u64, counts: &FragmentCounts) {
        let _ = (order, counts);
    }

    /// How long a command has taken, with all that it draws and nothing else; for commands that are looked at before
    /// and after.
    fn time(&mut self, order: u64, time: Duration) {
        let _ = (order, time);
    }

    /// Whether a command's draws are to be told of with what goes into them.
    fn wants_inputs(&mut self, order: u64) -> bool {
        let _ = order;
        false
    }

    /// Something that goes into a draw of the command, between the looks before and after it.
    fn input(&mut self, order: u64, input: &Input<'_>) {
        let _ = (order, input);
    }
}

/// What the observer and the session share.
#[derive(Default)]
pub(crate) struct Shared {
    /// Index of the record that is played.
    pub record: usize,
    /// Commands so far.
    pub order: u64,
    /// Events so far, while they are listed.
    pub listing: Option<Listing>,
    /// When the tour ends, and whether it has ended for that.
    pub deadline: Option<Instant>,
    pub is_cut: bool,
    /// Whether nothing more is to be told of the command in progress: it has begun or ended after that.
    pub is_late: bool,
    /// Bytes that were asked for at once, if they are too many.
    pub too_large: Option<u64>,
    pub tour: Option<Box<dyn Tour>>,
    asked: Option<(Ask, Moment)>,
    /// When the look before the command in progress was over.
    began: Option<Instant>,
}

/// A handle on it.
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<Mutex<Shared>>);

impl Watch {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Whether nothing is to be seen any more.
    pub fn is_over(&mut self) -> bool {
        let Some(tour) = &mut self.tour else { return false };
        if tour.is_over() {
            return true;
        }
        self.is_cut |= self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_cut
    }

    /// Bytes of memory, unless they are too many with those that were read before.
    fn read(&mut self, view: &View<'_>, range: &GuestRange, left: &mut u64) -> Vec<u8> {
        let Some(rest) = left.checked_sub(range.size) else {
            self.too_large = Some(range.size);
            return Vec::new();
        };
        *left = rest;
        let mut bytes = vec![0; usize::try_from(range.size).unwrap_or(0)];
        view.memory.read_pieces(range.start, &mut bytes);
        bytes
    }

    /// Who is to be asked about the command in progress.
    fn guide(&mut self) -> Option<(u64, &mut dyn Tour)> {
        let order = self.order - 1;
        let tour = self.tour.as_mut().filter(|_| !self.is_late)?;
        Some((order, &mut **tour))
    }

    fn ask(&mut self, order: u64, moment: Moment) -> bool {
        self.asked = self.tour.as_mut().and_then(|tour| tour.ask(order, moment)).map(|ask| (ask, moment));
        self.asked.is_some()
    }
}

impl Observer for Watch {
    fn begin(&mut self, _: &Command) -> bool {
        let mut shared = self.lock();
        let order = shared.order;
        (shared.order, shared.began) = (order + 1, None);
        shared.is_late = shared.is_over();
        !shared.is_late && shared.ask(order, Moment::Before)
    }

    fn end(&mut self, command: &Command, effects: &[Effect]) -> bool {
        let mut shared = self.lock();
        let (record, order) = (shared.record, shared.order - 1);
        if let Some(listing) = &mut shared.listing {
            listing.add(record, order, command, effects);
        }
        // What a command that ends after the deadline has told of its fragments may lack some.
        shared.is_late |= shared.is_over();
        if let Some((order, tour)) = shared.guide() {
            tour.effects(order, effects);
        }
        for effect in effects {
            if let (Effect::Draw(draw), Some((order, tour))) = (effect, shared.guide()) {
                tour.fragments(order, &draw.fragments);
            }
        }
        !shared.is_late && shared.ask(order, Moment::After)
    }

    fn pixel(&mut self) -> Option<GuestAddr> {
        self.lock().guide().and_then(|(order, tour)| tour.pixel(order))
    }

    fn wants_inputs(&mut self) -> bool {
        self.lock().guide().is_some_and(|(order, tour)| tour.wants_inputs(order))
    }

    fn wants_counts(&mut self) -> Counting {
        self.lock().guide().map_or(Counting::Nothing, |(order, tour)| tour.wants_counts(order))
    }

    fn deadline(&mut self) -> Option<Instant> {
        self.lock().deadline
    }

    fn counts(&mut self, counts: &FragmentCounts) {
        if let Some((order, tour)) = self.lock().guide() {
            tour.counts(order, counts);
        }
    }

    fn input(&mut self, input: &Input<'_>) {
        if let Some((order, tour)) = self.lock().guide() {
            tour.input(order, input);
        }
    }

    fn edits(&mut self) -> Vec<Edit> {
        self.lock().guide().map_or_else(Vec::new, |(order, tour)| tour.edits(order))
    }

    fn watch(&mut self) -> Option<Kernels> {
        self.lock().guide().and_then(|(order, tour)| tour.watch(order))
    }

    fn watched(&mut self, _: &Command, watched: Watched) {
        if let Some((order, tour)) = self.lock().guide() {
            tour.watched(order, watched);
        }
    }

    fn look(&mut self, view: &View<'_>) {
        let mut shared = self.lock();
        let Some((ask, moment)) = shared.asked.take() else { return };
        let order = shared.order - 1;
        if let (Moment::After, Some(began)) = (moment, shared.began.take()) {
            let time = began.elapsed();
            if let Some(tour) = &mut shared.tour {
                tour.time(order, time);
            }
        }
        if let Some(tour) = &mut shared.tour {
            tour.look(order, moment, view);
        }
        let registers = if ask.registers { view.registers.iter().map(|cell| cell.get()).collect() } else { Vec::new() };
        let mut left = MAX_ASKED;
        let ranges = ask.ranges.iter().map(|range| shared.read(view, range, &mut left)).collect();
        if let Some(tour) = &mut shared.tour {
            tour.seen(Seen { order, moment, registers, ranges });
        }
        if moment == Moment::Before {
            shared.began = Some(Instant::now());
        }
    }
}
