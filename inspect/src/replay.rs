//! A capture on a device, which can be brought to any event.
//!
//! The first replay lists the events and keeps snapshots of the device between submissions: as often as replaying since
//! the last one has taken a multiple of what a snapshot takes, so that they cost a small part of opening a capture.
//! Submissions that take long or have many commands are replayed once more, in bounded runs with snapshots between
//! them.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use triglyph::capture::{Checks, Picture, Player, Prepared, Present, Reader, Record};
use triglyph::probe::{Watch, Watched};
use triglyph::{Device, Error, Faults, Machine, Options, RunEnd, RunLimit, new_device};

use crate::checkpoints::{Checkpoint, Pace};
use crate::events::{Event, Listing};
use crate::options::SessionOptions;
use crate::progress::Progress;
use crate::tour::{Ask, Moment, Seen, Tour, Watch as Watcher};

/// A capture that can be looked into.
pub struct Session<'a> {
    capture: Prepared<'a>,
    pub(crate) device: Box<dyn Device>,
    pub(crate) watch: Watcher,
    events: Arc<Vec<Event>>,
    left_out: u64,
    /// Records that present pictures.
    pictures: Vec<usize>,
    /// In the order of their commands.
    pub(crate) checkpoints: Vec<Checkpoint>,
    /// Submissions that may be replayed in bounded runs.
    pub(crate) divided: Vec<usize>,
    run_words: u64,
    /// Commands that the last look has executed, or opening.
    pub(crate) replayed: u64,
    faults: Faults,
    progress: Option<Progress>,
    /// How the device was set up, for others on other tiers.
    pub(crate) options: Options,
}

impl<'a> Session<'a> {
    /// Replays a capture, and lists what happens.
    ///
    /// # Errors
    /// What is wrong with the capture; [`Error::Unsupported`] for a machine that this build does not have.
    pub fn open(bytes: &'a [u8], options: &SessionOptions) -> Result<Self, Error> {
        let capture = Prepared::new(&Reader::new(bytes)?)?;
        // Commands are counted, and each has to be one of its own in every replay.
        let mut device = options.device.clone();
        device.packet_traces = 0;
        let settings = device;
        let device = new_device(capture.header().machine, &settings)?;
        let mut session = Session {
            capture,
            device,
            watch: Watcher::default(),
            events: Arc::default(),
            left_out: 0,
            pictures: Vec::new(),
            checkpoints: Vec::new(),
            divided: Vec::new(),
            run_words: options.run_words,
            replayed: 0,
            faults: Faults::default(),
            progress: options.progress.clone(),
            options: settings,
        };
        session.device.set_observer(Some(Box::new(session.watch.clone())));
        session.watch.lock().listing = Some(Listing::new(options.event_room));
        let long = session.list(options)?;
        let listing = session.watch.lock().listing.take().unwrap_or_default();
        (session.events, session.left_out) = (Arc::new(listing.events), listing.left_out);
        session.faults = session.device.faults().clone();
        session.divide_all(long, options)?;
        session.tell(session.capture.entries().len())?;
        Ok(session)
    }

    /// The first replay. Returns the submissions that took long, each with the numbers of its commands.
    fn list(&mut self, options: &SessionOptions) -> Result<Vec<(usize, Range<u64>)>, Error> {
        let mut long = Vec::new();
        let setup = self.capture.setup_len();
        self.play(0..setup, Checks::NONE)?;
        let mut pace = Pace::new(options, self.checkpoint(setup)?);
        for record in setup..self.capture.entries().len() {
            let commands = self.watch.lock().order - self.checkpoints.last().map_or(0, |last| last.order);
            if pace.is_due(Duration::ZERO, commands) && self.begins_work(record) {
                pace.made(self.checkpoint(record)?);
                self.bound(options.checkpoint_bytes);
            }
            let (start, first, stopped) = (Instant::now(), self.watch.lock().order, self.out_of_fuel());
            self.play(record..record + 1, Checks::NONE)?;
            let taken = start.elapsed();
            pace.replayed(taken);
            if let Record::Present(present) = &self.capture.entries()[record].record {
                Picture::extent(present)?;
                self.pictures.push(record);
            }
            let is_submission = matches!(self.capture.entries()[record].record, Record::Submit(_));
            let orders = first..self.watch.lock().order;
            let is_long = taken > options.longest_run || orders.end - orders.start > options.max_commands;
            let is_whole = self.out_of_fuel() == stopped && !self.device.is_deferred();
            if is_submission && is_long && is_whole && !orders.is_empty() {
                long.push((record, orders));
            }
        }
        if !self.device.is_deferred() {
            self.device.finish();
        }
        self.replayed = self.watch.lock().order;
        Ok(long)
    }

    /// Brings the device to a record, from the last checkpoint before a command.
    pub(crate) fn go_back(&mut self, order: u64, record: usize) -> Result<(), Error> {
        let (mut next, is_inside) = self.restore(order)?;
        let start = self.watch.lock().order;
        if is_inside {
            self.finish_record();
            next += 1;
        }
        self.play(next..record, Checks::NONE)?;
        self.replayed += self.watch.lock().order - start;
        Ok(())
    }

    /// Restores the last checkpoint before a command. Returns the record that is next, and whether a part of it is done
    /// and the rest waits.
    fn restore(&mut self, order: u64) -> Result<(usize, bool), Error> {
        let at = self.checkpoint_before(order);
        let Checkpoint { record, is_inside, order, state } = &self.checkpoints[at];
        {
            let mut shared = self.watch.lock();
            (shared.order, shared.record) = (*order, *record);
        }
        self.device.restore(state)?;
        if *is_inside {
            self.device.set_deferred(true);
        }
        Ok((*record, *is_inside))
    }

    /// Which checkpoint is the last one before a command.
    pub(crate) fn checkpoint_before(&self, order: u64) -> usize {
        self.checkpoints.partition_point(|kept| kept.order <= order).saturating_sub(1)
    }

    /// Does what waits of a record.
    fn finish_record(&mut self) {
        self.device.finish();
        self.device.set_deferred(false);
    }

    /// Replays from the last checkpoint before command `first` up to command `last` of record `end` at least.
    fn go(&mut self, first: u64, end: (u64, usize)) -> Result<(), Error> {
        let next = self.restore(first)?;
        let start = self.watch.lock().order;
        let gone = self.go_on(next, end);
        self.replayed = self.watch.lock().order - start;
        gone
    }

    /// The same from a record on, of which a part may be done.
    fn go_on(&mut self, (mut next, is_inside): (usize, bool), (last, end): (u64, usize)) -> Result<(), Error> {
        let is_bounded = |session: &Self, record: usize| record == end && session.divided.contains(&record);
        if is_inside {
            if is_bounded(self, next) {
                return self.run_up_to(last);
            }
            self.finish_record();
            next += 1;
        }
        if !is_bounded(self, end) || next > end {
            return self.play(next..end + 1, Checks::NONE);
        }
        self.play(next..end, Checks::NONE)?;
        self.device.set_deferred(true);
        let played = self.play(end..end + 1, Checks::NONE);
        if played.is_err() {
            self.device.set_deferred(false);
            return played;
        }
        self.run_up_to(last)
    }

    /// Does what waits of a record up to a command, and leaves the rest.
    fn run_up_to(&mut self, last: u64) -> Result<(), Error> {
        let limit = RunLimit::of_words(self.run_words);
        let is_done = |session: &Self| {
            let mut shared = session.watch.lock();
            shared.order > last || shared.is_over()
        };
        while !is_done(self) && self.device.run_for(limit) == RunEnd::BudgetUsed {}
        self.device.set_deferred(false);
        Ok(())
    }

    fn begins_work(&self, record: usize) -> bool {
        matches!(self.capture.entries()[record].record, Record::Submit(_) | Record::Call(_))
    }

    /// Plays records on the device, until nothing more is to be seen.
    pub(crate) fn play(&mut self, records: Range<usize>, checks: Checks) -> Result<(), Error> {
        for record in records {
            {
                let mut shared = self.watch.lock();
                if shared.is_over() {
                    break;
                }
                shared.record = record;
            }
            self.tell(record)?;
            let mut player = Player::part(&self.capture, record..record + 1, checks).unfinished();
            while player.next(&mut *self.device)?.is_some() {}
        }
        Ok(())
    }

    /// Says which record is replayed next.
    fn tell(&self, record: usize) -> Result<(), Error> {
        self.progress.as_ref().map_or(Ok(()), |progress| progress.tell(record, self.capture.entries().len()))
    }

    /// Sets what is told how far replays are, and may end them, from the next call on; `None` for nothing.
    pub fn set_progress(&mut self, progress: Option<Progress>) {
        self.progress = progress;
    }

    /// The machine.
    pub fn machine(&self) -> Machine {
        self.capture.header().machine
    }

    /// The capture.
    pub fn capture(&self) -> &Prepared<'a> {
        &self.capture
    }

    /// All events, in their order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many commands have done something and are no events, as [`SessionOptions::event_room`] is used up.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The same, for a tour.
    pub(crate) fn shared_events(&self) -> Arc<Vec<Event>> {
        self.events.clone()
    }

    /// The pictures that the capture presents: the record, and where the picture is.
    pub fn pictures(&self) -> impl DoubleEndedIterator<Item = (usize, &Present)> {
        self.pictures.iter().filter_map(|&record| match &self.capture.entries()[record].record {
            Record::Present(present) => Some((record, present)),
            _ => None,
        })
    }

    /// What went wrong in the first replay.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Checkpoints, and the bytes that they take.
    pub fn checkpoints(&self) -> (usize, usize) {
        (self.checkpoints.len(), self.checkpoints.iter().map(|kept| kept.state.len()).sum())
    }

    /// How many commands the last look or tour has executed, or opening: they bound the time that it takes.
    pub fn replayed(&self) -> u64 {
        self.replayed
    }

    /// Sets when looks and tours end, whatever they have seen by then: `None` for never. The time is looked at before
    /// and after commands, and between primitives that are judged; what is replayed is replayed up to the end of its
    /// record, unseen.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        let mut shared = self.watch.lock();
        (shared.deadline, shared.is_cut) = (deadline, false);
    }

    /// Whether a look or tour has come to the deadline since it was set.
    pub fn is_cut(&self) -> bool {
        self.watch.lock().is_cut
    }

    /// Looks at commands from event `first` to event `last`, both included, in one replay. The tour is asked about
    /// some commands outside of these, too. Events are numbered as in [`events`](Self::events).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for events that there are not; what the device says against its own snapshots.
    pub fn tour(&mut self, first: usize, last: usize, tour: Box<dyn Tour>) -> Result<(), Error> {
        let none = || Error::InvalidArgument(format!("events {first} to {last} of {}", self.events.len()));
        let (from, to) = (self.events.get(first).ok_or_else(none)?, self.events.get(last).ok_or_else(none)?);
        let (first, last) = (from.order, (to.order, to.record));
        self.guide(tour, |session| session.go(first, last))
    }

    /// Replays with an observer of commands.
    fn guide(&mut self, tour: Box<dyn Tour>, replay: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        {
            let mut shared = self.watch.lock();
            (shared.tour, shared.is_late, shared.too_large) = (Some(tour), false, None);
        }
        let played = replay(self);
        let mut shared = self.watch.lock();
        shared.tour = None;
        match shared.too_large {
            Some(size) => Err(Error::InvalidArgument(format!("{size} bytes are too many to look at"))),
            None => played,
        }
    }

    /// Looks at one event.
    ///
    /// # Errors
    /// As [`tour`](Self::tour).
    pub fn show(&mut self, event: usize, moment: Moment, ask: Ask) -> Result<Seen, Error> {
        let none = || Error::InvalidArgument(format!("event {event} of {}", self.events.len()));
        let &Event { order, record, .. } = self.events.get(event).ok_or_else(none)?;
        let found = Arc::new(Mutex::new(None));
        let one = Box::new(One { order, moment, ask: Some(ask), found: found.clone() });
        self.guide(one, |session| session.go(order, (order, record)))?;
        let seen = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        seen.ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
    }

    /// What the kernels of one event say.
    ///
    /// # Errors
    /// As [`tour`](Self::tour).
    pub fn watch(&mut self, event: usize, watch: Watch) -> Result<Watched, Error> {
        let none = || Error::InvalidArgument(format!("event {event} of {}", self.events.len()));
        let order = self.events.get(event).ok_or_else(none)?.order;
        let found = Arc::new(Mutex::new(None));
        self.tour(event, event, Box::new(Kernels { order, watch, found: found.clone() }))?;
        let watched = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        watched.ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
    }
}

/// A command whose kernels are watched.
struct Kernels {
    order: u64,
    watch: Watch,
    found: Arc<Mutex<Option<Watched>>>,
}

impl Tour for Kernels {
    fn ask(&mut self, _: u64, _: Moment) -> Option<Ask> {
        None
    }

    fn seen(&mut self, _: Seen) {}

    fn is_over(&mut self) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn watch(&mut self, order: u64) -> Option<Watch> {
        (order == self.order).then_some(self.watch)
    }

    fn watched(&mut self, _: u64, watched: Watched) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(watched);
    }
}

/// A look at one command.
struct One {
    order: u64,
    moment: Moment,
    ask: Option<Ask>,
    found: Arc<Mutex<Option<Seen>>>,
}

impl Tour for One {
    fn ask(&mut self, order: u64, moment: Moment) -> Option<Ask> {
        if (order, moment) == (self.order, self.moment) { self.ask.take() } else { None }
    }

    fn is_over(&mut self) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn seen(&mut self, seen: Seen) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }
}
