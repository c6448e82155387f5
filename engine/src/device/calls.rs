//! Recording of calls that only one machine has (GSP, LV1, nvdrv), in the order in which the host makes them.

use std::fmt;

use super::{RunEnd, RunLimit};
use crate::frontend::budget::Budget;
use crate::mem::Memory;
use triglyph_guest::table::calls::{CallInfo, encode};

/// Receives the calls that a host makes, as they are made.
pub trait CallRecorder: Send {
    /// Begins a call; if it does `work`, the memory that it reads has its content now.
    fn begin(&mut self, memory: &Memory, work: bool);

    /// Begins a bounded run. True if its front ends are to ask for what they read
    /// ([`Memory::is_unrecorded`]), and [`end_run`](Self::end_run) ends it; otherwise all that the host has written is
    /// recorded, and [`end`](Self::end) does.
    fn begin_run(&mut self, memory: &Memory) -> bool;

    /// Ends a bounded run whose front ends have asked, after its call: what was drawn is in memory.
    fn end_run(&mut self, memory: &Memory);

    /// Receives the call in the machine's encoding: see [`encode`].
    fn call(&mut self, call: &[u8]);

    /// Receives work in the form of a capture's SUBMIT.
    fn submit(&mut self, payload: &[u8]);

    /// Ends work: changes of memory since it began are not the host's.
    fn end(&mut self, memory: &Memory);
}

/// The recorder of a machine, if it has one. Calls that a machine makes itself are not recorded.
#[derive(Default)]
pub struct CallLog {
    recorder: Option<Box<dyn CallRecorder>>,
    /// Calls in progress.
    depth: u32,
    /// Memory has not been recorded yet.
    is_due: bool,
}

impl fmt::Debug for CallLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallLog").field("recording", &self.recorder.is_some()).field("depth", &self.depth).finish()
    }
}

impl CallLog {
    /// Sets or removes the recorder.
    pub fn set_recorder(&mut self, recorder: Option<Box<dyn CallRecorder>>) {
        self.recorder = recorder;
    }

    /// Whether a call that is made now is the host's own, and recorded.
    #[inline]
    pub fn is_recording(&self) -> bool {
        self.recorder.is_some() && self.depth == 0
    }

    /// The host is about to make calls: memory has the content that the first of them reads.
    pub fn observe(&mut self) {
        self.is_due = self.is_recording();
    }

    /// The host has made its calls.
    pub fn observed(&mut self, memory: &Memory) {
        if self.is_recording()
            && !std::mem::take(&mut self.is_due)
            && let Some(recorder) = &mut self.recorder
        {
            recorder.end(memory);
        }
    }

    /// A call of the host's begins.
    pub fn begin(&mut self, memory: &Memory, work: bool) {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.depth == 0) {
            recorder.begin(memory, std::mem::take(&mut self.is_due) || work);
        }
        self.depth += 1;
    }

    /// A bounded run of the host's begins. Whether its front ends ask for what they read.
    fn begin_run(&mut self, memory: &Memory) -> bool {
        self.depth += 1;
        self.is_due = false;
        self.recorder.as_mut().is_some_and(|recorder| recorder.begin_run(memory))
    }

    /// Ends such a run and records it, before `look` with all that the host has written since: the run goes on then.
    fn end_run(&mut self, memory: &Memory, call: Option<RecordedCall<'_>>, look: bool) {
        let Some(recorder) = &mut self.recorder else { return };
        if let Some(recorded) = call {
            recorded.send(&mut **recorder);
        }
        recorder.end_run(memory);
        match look {
            true => recorder.begin(memory, true),
            false => self.depth = self.depth.saturating_sub(1),
        }
    }

    /// Records a call that work in progress has taken out of a queue which recordings do not contain.
    pub fn note(&mut self, recorded: RecordedCall<'_>) {
        if let Some(recorder) = &mut self.recorder {
            recorded.send(&mut **recorder);
        }
    }

    /// Ends a call and records it; nothing is recorded for `None`.
    pub fn end(&mut self, memory: &Memory, work: bool, call: Option<RecordedCall<'_>>) {
        self.depth = self.depth.saturating_sub(1);
        let Some(recorder) = self.recorder.as_mut().filter(|_| self.depth == 0) else { return };
        if let Some(recorded) = call {
            recorded.send(&mut **recorder);
        }
        if work {
            recorder.end(memory);
        }
    }
}

/// A call of the host's, as it is recorded.
#[derive(Clone, Copy, Debug)]
pub enum RecordedCall<'c> {
    /// A call in the machine's encoding.
    Call(&'c [u8]),
    /// Work in the form of a SUBMIT.
    Submit(&'c [u8]),
}

impl RecordedCall<'_> {
    fn send(self, recorder: &mut dyn CallRecorder) {
        match self {
            RecordedCall::Call(call) => recorder.call(call),
            RecordedCall::Submit(payload) => recorder.submit(payload),
        }
    }
}

/// How a call is recorded in a machine's encoding.
#[derive(Clone, Copy, Debug)]
pub struct RecordedAs {
    /// Its number.
    pub number: u64,
    /// Whether such calls do work: read memory and change it.
    pub work: bool,
}

impl RecordedAs {
    /// From its row of a table of calls, which has a number.
    pub const fn of(call: &CallInfo) -> Self {
        match call.number {
            Some(number) => RecordedAs { number, work: call.kind.is_work() },
            None => panic!("a call that is not recorded"),
        }
    }
}

/// A machine whose calls can be recorded.
pub trait RecordsCalls: Sized {
    /// Its log, the memory that calls read, and the counter of a run's words.
    fn recording(&mut self) -> (&mut CallLog, &Memory, &Budget);

    /// Draws everything that is not drawn yet.
    fn draw_everything(&mut self);

    /// While a recording is in progress and the call is the host's own: makes it by `make` and records it. Otherwise
    /// `None`: the caller makes it.
    #[inline]
    fn record<T>(&mut self, call: RecordedAs, arguments: &[u64], make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.recording().0.is_recording().then(|| record_call(self, call, arguments, make))
    }

    /// As [`Self::record`], for a bounded run, made by `run`. Recorded are the words that it did, all ones if nothing
    /// could go on, and no run that did nothing. A run that is cut is recorded as two.
    #[inline]
    fn record_run(
        &mut self,
        call: RecordedAs,
        limit: RunLimit,
        run: impl FnMut(&mut Self, RunLimit) -> RunEnd,
    ) -> Option<RunEnd> {
        self.recording().0.is_recording().then(|| make_recorded_run(self, call.number, limit, run))
    }
}

/// Makes a call of the host's by `make` and records it: for callers that know that a recording is in progress.
#[cold]
pub fn record_call<M: RecordsCalls, T>(
    machine: &mut M,
    RecordedAs { number, work }: RecordedAs,
    arguments: &[u64],
    make: impl FnOnce(&mut M) -> T,
) -> T {
    let (log, memory, _) = machine.recording();
    log.begin(memory, work);
    let answer = make(machine);
    let (log, memory, _) = machine.recording();
    log.end(memory, work, Some(RecordedCall::Call(&encode(number, arguments))));
    answer
}

#[cold]
fn make_recorded_run<M: RecordsCalls>(
    machine: &mut M,
    number: u64,
    mut limit: RunLimit,
    mut run: impl FnMut(&mut M, RunLimit) -> RunEnd,
) -> RunEnd {
    let (log, memory, budget) = machine.recording();
    let (start, was_interrupted) = (budget.now(), budget.interrupter().is_set());
    if log.begin_run(memory) {
        let end = run(machine, limit);
        // Memory that is recorded from here on has everything that a replay stores before it.
        machine.draw_everything();
        let (log, memory, budget) = machine.recording();
        let was_cut = budget.was_cut();
        let call = recorded_run(number, end, budget);
        log.end_run(memory, call.as_deref().map(RecordedCall::Call), was_cut);
        if !was_cut {
            return end;
        }
        // The host has paused: what was recorded now is what the rest of the run finds.
        let Some(rest) = limit.after(budget.words_done(), budget.now().saturating_sub(start)) else {
            log.end(memory, true, None);
            return RunEnd::BudgetUsed;
        };
        limit = rest;
    }
    let (.., budget) = machine.recording();
    // Comparing takes long: hosts that interrupt more often than that would get no further.
    let is_interrupted = !was_interrupted && budget.interrupter().is_set() && budget.interrupter().take();
    if is_interrupted {
        limit = limit.with_words(1);
    }
    let end = match run(machine, limit) {
        RunEnd::BudgetUsed if is_interrupted => RunEnd::Interrupted,
        end => end,
    };
    let (log, memory, budget) = machine.recording();
    let call = recorded_run(number, end, budget);
    log.end(memory, true, call.as_deref().map(RecordedCall::Call));
    end
}

/// The call of a run that has ended; `None` if it has done nothing.
fn recorded_run(number: u64, end: RunEnd, budget: &Budget) -> Option<Vec<u8>> {
    let words = match end {
        RunEnd::Done | RunEnd::Waiting(_) => u64::MAX,
        RunEnd::BudgetUsed | RunEnd::Interrupted => budget.words_done(),
    };
    (words != 0).then(|| encode(number, &[words]))
}
