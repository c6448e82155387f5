//! Submissions that take long are divided: replayed in bounded runs, with checkpoints between them.

use std::ops::Range;
use std::time::{Duration, Instant};

use triglyph::capture::Checks;
use triglyph::{Error, FaultKind, RunEnd, RunLimit};

use crate::checkpoints::{Checkpoint, Pace, STATE, thin};
use crate::options::SessionOptions;
use crate::replay::Session;

impl Session<'_> {
    /// Keeps the device as it is before a record. Returns how long that took.
    pub(crate) fn checkpoint(&mut self, record: usize) -> Result<Duration, Error> {
        let start = Instant::now();
        let state = self.device.snapshot(STATE)?;
        let order = self.watch.lock().order;
        self.checkpoints.push(Checkpoint { record, is_inside: false, order, state });
        Ok(start.elapsed())
    }

    /// Drops checkpoints until they take at most so many bytes; the first one stays.
    pub(crate) fn bound(&mut self, bytes: usize) {
        thin(&mut self.checkpoints, bytes);
    }

    /// Divides submissions, each with the numbers of its commands, in their order. That takes about as long as the
    /// first replay: the device goes on from one to the next, and once more has been replayed than there, the rest stay
    /// whole.
    pub(crate) fn divide_all(&mut self, long: Vec<(usize, Range<u64>)>, options: &SessionOptions) -> Result<(), Error> {
        let most = 2 * self.replayed;
        let mut next = None;
        for (record, orders) in long {
            if self.replayed > most {
                break;
            }
            self.bring_to(record, orders.start, next)?;
            next = self.divide(record, orders, options)?.then_some(record + 1);
            self.bound(options.checkpoint_bytes);
        }
        Ok(())
    }

    /// Brings the device to a record whose first command is known, from where it is, if that is known, or from a
    /// checkpoint that is nearer.
    fn bring_to(&mut self, record: usize, order: u64, next: Option<usize>) -> Result<(), Error> {
        let checkpoint = self.checkpoints[self.checkpoint_before(order)].order;
        let here = self.watch.lock().order;
        let Some(next) = next.filter(|_| checkpoint <= here) else { return self.go_back(order, record) };
        self.play(next..record, Checks::NONE)?;
        self.replayed += self.watch.lock().order - here;
        Ok(())
    }

    /// Replays a submission in bounded runs, and keeps checkpoints between them. Should that execute other commands
    /// than before, none are kept, and the device is not at the record after it: the answer is whether it is. One that
    /// has run out of fuel is not divided: commands of bounded runs have more.
    fn divide(&mut self, record: usize, orders: Range<u64>, options: &SessionOptions) -> Result<bool, Error> {
        self.device.set_deferred(true);
        self.play(record..record + 1, Checks::NONE)?;
        let (mut made, mut last, mut pace) = (Vec::new(), orders.start, Pace::new(options, Duration::ZERO));
        loop {
            let start = Instant::now();
            let end = self.device.run_for(RunLimit::of_words(options.run_words));
            pace.replayed(start.elapsed());
            let order = self.watch.lock().order;
            if end != RunEnd::BudgetUsed || order > orders.end {
                break;
            }
            if pace.is_due(options.longest_run, order - last) {
                let start = Instant::now();
                let state = self.device.snapshot(STATE)?;
                made.push(Checkpoint { record, is_inside: true, order, state });
                thin(&mut made, options.checkpoint_bytes);
                pace.made(start.elapsed());
                last = order;
            }
        }
        if self.watch.lock().order <= orders.end {
            self.device.finish();
        }
        self.device.set_deferred(false);
        let order = self.watch.lock().order;
        self.replayed += order - orders.start;
        if order == orders.end {
            let at = self.checkpoints.partition_point(|kept| kept.order <= orders.start);
            self.checkpoints.splice(at..at, made);
            self.divided.push(record);
        }
        Ok(order == orders.end)
    }

    /// How often a submission has run out of fuel so far.
    pub(crate) fn out_of_fuel(&self) -> u64 {
        self.device.faults().count(FaultKind::OutOfFuel)
    }
}
