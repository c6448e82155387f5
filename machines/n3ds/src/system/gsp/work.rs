//! Commands that wait for a bounded run, and the one that is under way.

use std::collections::VecDeque;

use super::queue::Next;
use super::{CLIENTS, Command, CommandQueue, Gsp, Hardware, Interrupt, gx};
use crate::system::external::Event;
use crate::system::gx::Executed;
use triglyph_engine::device::{FaultKind, Waiting};
use triglyph_engine::snapshot::state;
use triglyph_guest::id::ChannelId;

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// Whether commands wait for a bounded run.
    pub(super) deferred: bool,
    /// Whether a recording is replayed: it has the commands of clients' queues, too.
    replayed: bool,
    /// Commands without a queue, oldest first.
    submitted: VecDeque<[u32; 8]>,
    /// A command whose list a bounded run has left before its end.
    suspended: Option<Started>,
    /// A command that was executed but for what its transfers have left.
    executed: Option<(Started, Executed)>,
}

/// A command that was taken out of its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Started {
    /// Whose queue; `None` without one.
    client: Option<usize>,
    words: [u32; 8],
}

impl Gsp {
    /// Says whether commands wait for bounded runs.
    pub(crate) fn set_deferred(&mut self, deferred: bool) {
        (self.work.deferred, self.work.replayed) = (deferred, false);
    }

    /// The same, out of a recording.
    pub(crate) fn replay_deferred(&mut self, deferred: bool) {
        (self.work.deferred, self.work.replayed) = (deferred, true);
    }

    /// Takes what the host has chosen over from the system process before.
    pub(crate) fn keep_choices(&mut self, before: &Gsp) {
        (self.work.deferred, self.work.replayed) = (before.work.deferred, before.work.replayed);
        (self.auto_toggle, self.bad_address) = (before.auto_toggle, before.bad_address);
        self.shared_memory_handle = before.shared_memory_handle;
    }

    /// Whether commands wait for bounded runs.
    pub(crate) fn is_deferred(&self) -> bool {
        self.work.deferred
    }

    /// A command without a queue, for the next bounded run.
    pub(crate) fn submit(&mut self, words: [u32; 8]) {
        self.work.submitted.push_back(words);
    }

    /// Whether there is something to do.
    pub(crate) fn has_work(&self) -> bool {
        self.has_deferred() || self.queue().is_some_and(|client| self.is_queued(client))
    }

    /// Whether the next command of a client's queue may begin.
    fn is_queued(&self, client: usize) -> bool {
        let header = CommandQueue::new(&self.page, client).header();
        header.count != 0 && header.status & super::queue::STATUS_HALTED == 0
    }

    /// The client whose queue is looked at.
    fn queue(&self) -> Option<usize> {
        self.holding_client().filter(|_| !self.work.replayed)
    }

    /// What is waited for when nothing can go on: the first client with commands in its queue. It was halted, or has
    /// not the rendering right.
    pub(crate) fn waiting(&self) -> Option<Waiting> {
        let waits = |&client: &usize| {
            self.client(client).is_some() && CommandQueue::new(&self.page, client).header().count != 0
        };
        let client = (0..CLIENTS).filter(|_| !self.work.replayed).find(waits)?;
        Some(Waiting::Processor { channel: ChannelId::new(client as u32) })
    }

    /// Executes commands until there are none or a bounded run is over: what was submitted first, then the queue of the
    /// client with the rendering right.
    pub(crate) fn work(&mut self, hardware: &mut dyn Hardware) {
        self.work_on(hardware, true);
    }

    /// The same, with that queue or without.
    fn work_on(&mut self, hardware: &mut dyn Hardware, with_queue: bool) {
        while let Some((started, executed)) = self.next_executed(hardware, with_queue) {
            if !hardware.draw_closed() {
                self.work.executed = Some((started, executed));
                return;
            }
            self.end(hardware, started, executed);
        }
    }

    /// Executes the next command, or what is left of the one under way. `None` when there is none, or when a bounded
    /// run is over before its end.
    fn next_executed(&mut self, hardware: &mut dyn Hardware, with_queue: bool) -> Option<(Started, Executed)> {
        if let Some(executed) = self.work.executed.take() {
            return Some(executed);
        }
        if let Some(started) = self.work.suspended.take() {
            return self.go_on(hardware, started);
        }
        if hardware.is_over() {
            return None;
        }
        let queue = self.queue().filter(|_| with_queue);
        let started = self.next_command(hardware, queue)?;
        let executed = self.execute_alone(hardware, &started.words);
        if hardware.is_suspended() {
            return self.go_on(hardware, started);
        }
        hardware.spend(executed.event.map_or(0, |event| event.ticks));
        Some((started, executed))
    }

    /// Goes on with the list of a command.
    fn go_on(&mut self, hardware: &mut dyn Hardware, started: Started) -> Option<(Started, Executed)> {
        let Some(event) = hardware.go_on() else {
            self.work.suspended = Some(started);
            return None;
        };
        let update_gas = match Command::from_words(&started.words) {
            Some(Command::ProcessCommandList { update_gas, .. }) => update_gas,
            _ => false,
        };
        Some((started, Executed::with(gx::list_ended(hardware, event, update_gas))))
    }

    /// Whether commands without a queue wait, or one was begun.
    pub(crate) fn has_deferred(&self) -> bool {
        self.work.suspended.is_some() || self.work.executed.is_some() || !self.work.submitted.is_empty()
    }

    /// Executes the commands that wait, however long that takes.
    pub(crate) fn finish_deferred(&mut self, hardware: &mut dyn Hardware) {
        if self.has_deferred() {
            hardware.begin_command();
            self.work_on(hardware, false);
            hardware.end_deferred();
        }
    }

    fn next_command(&mut self, hardware: &mut dyn Hardware, queue: Option<usize>) -> Option<Started> {
        let has_next = !self.work.submitted.is_empty() || queue.is_some_and(|client| self.is_queued(client));
        if has_next && hardware.cut_to_compare() {
            return None;
        }
        if let Some(words) = self.work.submitted.pop_front() {
            return Some(Started { client: None, words });
        }
        let client = queue?;
        match CommandQueue::new(&self.page, client).next() {
            Next::Command(words) => {
                hardware.take_queued(&words);
                Some(Started { client: Some(client), words })
            }
            _ => None,
        }
    }

    /// A command has ended: its queue and the host are told. The run itself was the time it took.
    fn end(&mut self, hardware: &mut dyn Hardware, started: Started, executed: Executed) {
        let Started { client, words } = started;
        match client {
            Some(client) => {
                if let Some(event) = self.end_queued(client, words[0], executed) {
                    self.complete(Event { ticks: 0, ..event });
                }
            }
            None => {
                if let Some(event) = executed.event {
                    self.note_interrupt(Event { ticks: 0, ..event });
                }
                report(hardware, &words, executed);
            }
        }
    }
}

/// Counts a command without a queue that has failed.
pub(crate) fn report(hardware: &mut dyn Hardware, words: &[u32; 8], executed: Executed) {
    if executed.result.is_error() {
        let what = format!("GX command {:#010x} failed: {:?}", words[0], executed.result);
        hardware.fault(FaultKind::BadCommand, what, words[1].into());
    }
}

state! {
    /// What waits for a bounded run in a snapshot.
    pub(in crate) struct SavedWork {
        submitted: Vec<[u32; 8]>,
        suspended: Option<SavedStarted>,
        executed: Option<SavedExecuted>,
    }
    /// A command that was taken out of its queue.
    pub(in crate) struct SavedStarted { client: Option<u8>, words: [u32; 8] }
    /// A command that is done but has not been reported, and the interrupt that reports it. Its result was success.
    pub(in crate) struct SavedExecuted { started: SavedStarted, event: Option<SavedEvent> }
    /// An interrupt.
    pub(in crate) struct SavedEvent { interrupt: u8, ticks: u64 }
}

impl Gsp {
    pub(crate) fn save_work(&self) -> SavedWork {
        let Work { submitted, suspended, executed, .. } = &self.work;
        let event = |Event { interrupt, ticks }| SavedEvent { interrupt: interrupt as u8, ticks };
        let executed = executed
            .map(|(started, executed)| SavedExecuted { started: started.save(), event: executed.event.map(event) });
        let suspended = suspended.map(Started::save);
        SavedWork { submitted: submitted.iter().copied().collect(), suspended, executed }
    }

    /// Puts back what was saved and has been checked by [`SavedWork::is_sound`].
    pub(crate) fn restore_work(&mut self, saved: SavedWork) {
        let executed = saved.executed.map(|SavedExecuted { started, event }| {
            let event = event.and_then(|event| event.restore());
            (Started::restore(started), Executed::with(event))
        });
        let suspended = saved.suspended.map(Started::restore);
        let Work { deferred, replayed, .. } = self.work;
        self.work = Work { deferred, replayed, submitted: saved.submitted.into(), suspended, executed };
    }
}

impl Started {
    fn save(self) -> SavedStarted {
        SavedStarted { client: self.client.map(|client| client as u8), words: self.words }
    }

    fn restore(saved: SavedStarted) -> Self {
        Started { client: saved.client.map(usize::from), words: saved.words }
    }
}

impl SavedEvent {
    /// `None` when there is no such interrupt.
    fn restore(&self) -> Option<Event> {
        Some(Event { interrupt: Interrupt::from_number(self.interrupt)?, ticks: self.ticks })
    }
}

impl SavedWork {
    /// Whether there is such a state.
    pub(crate) fn is_sound(&self) -> bool {
        let executed = self.executed.as_ref().map(|executed| &executed.started);
        let event = self.executed.as_ref().and_then(|executed| executed.event.as_ref());
        let is_client = |started: &SavedStarted| started.client.is_none_or(|client| usize::from(client) < CLIENTS);
        (self.suspended.is_none() || executed.is_none())
            && self.suspended.iter().chain(executed).all(is_client)
            && event.is_none_or(|event| event.restore().is_some())
    }

    /// Whether the list of a command is under way.
    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended.is_some()
    }
}
