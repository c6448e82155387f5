//! A capture on a device, which can be brought to any event.
//!
//! The first replay lists the events and keeps snapshots of the device between submissions: as often as replaying since
//! the last one has taken a multiple of what a snapshot takes, so that they cost a small part of opening a capture.
//! Submissions that take long or have many commands are replayed once more, in bounded runs with snapshots between
//! them.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use triglyph::capture::{Checks, Finished, Player, Prepared, Reader, Record};
use triglyph::probe::{Watch, Watched};
use triglyph::{Error, Faults, Machine, Options, ReplayDevice, RunEnd, RunLimit, SnapshotOptions, new_device};

use crate::events::Event;
use crate::tour::{Ask, Moment, Seen, Tour, Watch as Watcher};

/// How a session is set up.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How the device is set up.
    pub device: Options,
    /// A checkpoint is kept when replaying since the last one has taken so many times as long as making one takes.
    pub checkpoint_worth: u32,
    /// Bytes of checkpoints at most; beyond, every second one is dropped.
    pub checkpoint_bytes: usize,
    /// Submissions that take longer have checkpoints inside, as far apart.
    pub longest_run: Duration,
    /// Words of push buffers and lists between two of these at least.
    pub run_words: u64,
    /// Commands from one checkpoint to the next, and those of a run: whatever the time that they take.
    pub max_commands: u64,
}

impl Default for SessionOptions {
    /// Checkpoints of at most 256 MiB, and no more than about 50 ms and 2048 commands to replay from one to the next.
    fn default() -> Self {
        SessionOptions {
            device: Options::default(),
            checkpoint_worth: 4,
            checkpoint_bytes: 256 << 20,
            longest_run: Duration::from_millis(50),
            run_words: 4096,
            max_commands: 2048,
        }
    }
}

/// The device before a record, or inside of one.
struct Checkpoint {
    record: usize,
    /// Whether a part of the record is done; the rest waits in the device.
    is_inside: bool,
    /// Commands before it.
    order: u64,
    state: Vec<u8>,
}

/// A capture that can be looked into.
pub struct Session<'a> {
    capture: Prepared<'a>,
    device: Box<dyn ReplayDevice>,
    watch: Watcher,
    events: Vec<Event>,
    pictures: Vec<Finished>,
    /// In the order of their commands.
    checkpoints: Vec<Checkpoint>,
    /// Submissions that may be replayed in bounded runs.
    divided: Vec<usize>,
    run_words: u64,
    /// Commands that the last replay has executed.
    replayed: u64,
    faults: Faults,
}

/// Checkpoints are made by LZ4.
const STATE: SnapshotOptions = SnapshotOptions { memory: true, compressed: true };

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
        let device = new_device(capture.header().machine, &device)?;
        let mut session = Session {
            capture,
            device,
            watch: Watcher::default(),
            events: Vec::new(),
            pictures: Vec::new(),
            checkpoints: Vec::new(),
            divided: Vec::new(),
            run_words: options.run_words,
            replayed: 0,
            faults: Faults::default(),
        };
        session.device.set_observer(Some(Box::new(session.watch.clone())));
        session.watch.lock().events = Some(Vec::new());
        let long = session.list(options)?;
        session.events = session.watch.lock().events.take().unwrap_or_default();
        session.faults = session.device.faults().clone();
        for (record, orders) in long {
            session.divide(record, orders, options)?;
            session.bound(options.checkpoint_bytes);
        }
        Ok(session)
    }

    /// The first replay. Returns the submissions that took long, each with the numbers of its commands.
    fn list(&mut self, options: &SessionOptions) -> Result<Vec<(usize, Range<u64>)>, Error> {
        let mut long = Vec::new();
        let setup = self.capture.setup_len();
        self.play(0..setup, Checks::NONE)?;
        let mut cost = self.checkpoint(setup)?;
        let mut since = Duration::ZERO;
        for record in setup..self.capture.entries().len() {
            let commands = self.watch.lock().order - self.checkpoints.last().map_or(0, |last| last.order);
            let is_far = since > cost * options.checkpoint_worth || commands > options.max_commands;
            if is_far && self.begins_work(record) {
                cost = self.checkpoint(record)?;
                since = Duration::ZERO;
                self.bound(options.checkpoint_bytes);
            }
            let (start, first) = (Instant::now(), self.watch.lock().order);
            self.play(record..record + 1, Checks::PICTURES)?;
            let taken = start.elapsed();
            since += taken;
            let is_submission = matches!(self.capture.entries()[record].record, Record::Submit(_));
            let orders = first..self.watch.lock().order;
            let is_long = taken > options.longest_run || orders.end - orders.start > options.max_commands;
            if is_submission && is_long && !self.device.is_deferred() && !orders.is_empty() {
                long.push((record, orders));
            }
        }
        if !self.device.is_deferred() {
            self.device.finish();
        }
        Ok(long)
    }

    /// Replays a submission in bounded runs, and keeps checkpoints between them. Should that execute other commands
    /// than before, none are kept.
    fn divide(&mut self, record: usize, orders: Range<u64>, options: &SessionOptions) -> Result<(), Error> {
        self.go_back(orders.start, record)?;
        self.device.set_deferred(true);
        self.play(record..record + 1, Checks::NONE)?;
        let (mut made, mut since, mut last) = (Vec::new(), Instant::now(), orders.start);
        while self.device.run_for(RunLimit::of_words(options.run_words)) == RunEnd::BudgetUsed {
            let order = self.watch.lock().order;
            if since.elapsed() > options.longest_run || order - last > options.max_commands {
                let state = self.device.snapshot(STATE)?;
                made.push(Checkpoint { record, is_inside: true, order, state });
                (since, last) = (Instant::now(), order);
            }
        }
        self.device.finish();
        self.device.set_deferred(false);
        if self.watch.lock().order == orders.end {
            let at = self.checkpoints.partition_point(|kept| kept.order <= orders.start);
            self.checkpoints.splice(at..at, made);
            self.divided.push(record);
        }
        Ok(())
    }

    /// Brings the device to a record from the last checkpoint before a command.
    fn go_back(&mut self, order: u64, record: usize) -> Result<(), Error> {
        match self.restore(order)? {
            (next, true) => {
                self.finish_record();
                self.play(next + 1..record, Checks::NONE)
            }
            (next, false) => self.play(next..record, Checks::NONE),
        }
    }

    /// Restores the last checkpoint before a command. Returns the record that is next, and whether a part of it is done
    /// and the rest waits.
    fn restore(&mut self, order: u64) -> Result<(usize, bool), Error> {
        let at = self.checkpoints.partition_point(|kept| kept.order <= order).saturating_sub(1);
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
        self.play(end..end + 1, Checks::NONE)?;
        self.run_up_to(last)
    }

    /// Does what waits of a record up to a command, and leaves the rest.
    fn run_up_to(&mut self, last: u64) -> Result<(), Error> {
        let limit = RunLimit::of_words(self.run_words);
        while self.watch.lock().order <= last && self.device.run_for(limit) == RunEnd::BudgetUsed {}
        self.device.set_deferred(false);
        Ok(())
    }

    fn begins_work(&self, record: usize) -> bool {
        matches!(self.capture.entries()[record].record, Record::Submit(_) | Record::Call(_))
    }

    /// Keeps the device as it is before a record. Returns how long that took.
    fn checkpoint(&mut self, record: usize) -> Result<Duration, Error> {
        let start = Instant::now();
        let state = self.device.snapshot(STATE)?;
        let order = self.watch.lock().order;
        self.checkpoints.push(Checkpoint { record, is_inside: false, order, state });
        Ok(start.elapsed())
    }

    /// Drops checkpoints until they take at most so many bytes; the first one stays.
    fn bound(&mut self, bytes: usize) {
        while self.checkpoints.len() > 1 && self.checkpoints.iter().map(|kept| kept.state.len()).sum::<usize>() > bytes
        {
            let mut number = 0;
            self.checkpoints.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
    }

    /// Plays records on the device.
    fn play(&mut self, records: Range<usize>, checks: Checks) -> Result<(), Error> {
        for record in records {
            self.watch.lock().record = record;
            let mut player = Player::part(&self.capture, record..record + 1, checks).unfinished();
            while let Some(event) = player.next(&mut *self.device)? {
                if let triglyph::capture::Event::Picture(finished) = event
                    && checks.pictures
                {
                    self.pictures.push(finished);
                }
            }
        }
        Ok(())
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

    /// The pictures that the capture presents, by record; counted from 0 in each.
    pub fn pictures(&self) -> &[Finished] {
        &self.pictures
    }

    /// What went wrong in the first replay.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Checkpoints, and the bytes that they take.
    pub fn checkpoints(&self) -> (usize, usize) {
        (self.checkpoints.len(), self.checkpoints.iter().map(|kept| kept.state.len()).sum())
    }

    /// How many commands the last look or tour has executed: they bound the time that it takes.
    pub fn replayed(&self) -> u64 {
        self.replayed
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

    /// Replays with somebody who looks at commands.
    fn guide(&mut self, tour: Box<dyn Tour>, replay: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.watch.lock().tour = Some(tour);
        let played = replay(self);
        self.watch.lock().tour = None;
        played
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

    fn seen(&mut self, seen: Seen) {
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
    }
}
