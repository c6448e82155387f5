//! A capture on a device, which can be brought to any event.
//!
//! The first replay lists the events and keeps snapshots of the device between submissions: as often as replaying since
//! the last one has taken a multiple of what a snapshot takes, so that they cost a small part of opening a capture.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use triglyph::capture::{Checks, Finished, Player, Prepared, Reader, Record};
use triglyph::{Error, Faults, Machine, Options, ReplayDevice, SnapshotOptions, new_device};

use crate::events::Event;
use crate::tour::{Ask, Moment, Seen, Tour, Watch};

/// How a session is set up.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// How the device is set up.
    pub device: Options,
    /// A checkpoint is kept when replaying since the last one has taken so many times as long as making one takes.
    pub checkpoint_worth: u32,
    /// Bytes of checkpoints at most; beyond, every second one is dropped.
    pub checkpoint_bytes: usize,
}

impl Default for SessionOptions {
    /// Checkpoints of at most 256 MiB.
    fn default() -> Self {
        SessionOptions { device: Options::default(), checkpoint_worth: 4, checkpoint_bytes: 256 << 20 }
    }
}

/// The device before a record.
struct Checkpoint {
    record: usize,
    /// Commands before it.
    order: u64,
    state: Vec<u8>,
}

/// A capture that can be looked into.
pub struct Session<'a> {
    capture: Prepared<'a>,
    device: Box<dyn ReplayDevice>,
    watch: Watch,
    events: Vec<Event>,
    pictures: Vec<Finished>,
    checkpoints: Vec<Checkpoint>,
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
            watch: Watch::default(),
            events: Vec::new(),
            pictures: Vec::new(),
            checkpoints: Vec::new(),
            faults: Faults::default(),
        };
        session.device.set_observer(Some(Box::new(session.watch.clone())));
        session.watch.lock().events = Some(Vec::new());
        session.list(options)?;
        session.events = session.watch.lock().events.take().unwrap_or_default();
        session.faults = session.device.faults().clone();
        Ok(session)
    }

    /// The first replay.
    fn list(&mut self, options: &SessionOptions) -> Result<(), Error> {
        let setup = self.capture.setup_len();
        self.play(0..setup, Checks::NONE)?;
        let mut cost = self.checkpoint(setup)?;
        let mut since = Duration::ZERO;
        for record in setup..self.capture.entries().len() {
            if since > cost * options.checkpoint_worth && self.begins_work(record) {
                cost = self.checkpoint(record)?;
                since = Duration::ZERO;
                self.bound(options.checkpoint_bytes);
            }
            let start = Instant::now();
            self.play(record..record + 1, Checks::PICTURES)?;
            since += start.elapsed();
        }
        if !self.device.is_deferred() {
            self.device.finish();
        }
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
        self.checkpoints.push(Checkpoint { record, order, state });
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

    /// Looks at commands from event `first` to event `last`, both included, in one replay. The tour is asked about
    /// some commands outside of these, too. Events are numbered as in [`events`](Self::events).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for events that there are not; what the device says against its own snapshots.
    pub fn tour(&mut self, first: usize, last: usize, tour: Box<dyn Tour>) -> Result<(), Error> {
        let none = || Error::InvalidArgument(format!("events {first} to {last} of {}", self.events.len()));
        let (from, to) = (self.events.get(first).ok_or_else(none)?, self.events.get(last).ok_or_else(none)?);
        let end = to.record + 1;
        let at = self.checkpoints.partition_point(|kept| kept.record <= from.record).saturating_sub(1);
        let Checkpoint { record, order, state } = &self.checkpoints[at];
        let start = *record;
        self.watch.lock().order = *order;
        self.device.restore(state)?;
        self.watch.lock().tour = Some(tour);
        let played = self.play(start..end, Checks::NONE);
        self.watch.lock().tour = None;
        played
    }

    /// Looks at one event.
    ///
    /// # Errors
    /// As [`tour`](Self::tour).
    pub fn show(&mut self, event: usize, moment: Moment, ask: Ask) -> Result<Seen, Error> {
        let none = || Error::InvalidArgument(format!("event {event} of {}", self.events.len()));
        let order = self.events.get(event).ok_or_else(none)?.order;
        let found = Arc::new(Mutex::new(None));
        self.tour(event, event, Box::new(One { order, moment, ask: Some(ask), found: found.clone() }))?;
        let seen = found.lock().unwrap_or_else(PoisonError::into_inner).take();
        seen.ok_or_else(|| Error::InvalidArgument(format!("event {event} does not come again")))
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
