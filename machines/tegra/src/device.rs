//! The Tegra X1's GPU as a [`Device`].

use crate::core::{ADDRESS_MASK, Core, SPACE};
use crate::front_end::channel::{Channel, Work};
use crate::system::driver::{Driver, Fence, PROCESS, PROCESS_MASK};
use crate::validate::RULES;
use std::collections::BTreeMap;
use std::time::Duration;
use triglyph_engine::device::calls::{RecordedAs, RecordsCalls};
use triglyph_engine::device::{
    CallLog, Device, Event, FaultKind, Machine, RecordedCall, Replay, RunEnd, RunLimit, Waiting, sealed,
};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::SliceEnd;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::snapshot::state;
use triglyph_engine::trace;
use triglyph_guest::id::ChannelId;
use triglyph_guest::tegra::driver::calls::call;
use triglyph_options::Options;

/// Channels at most: a bound for what a host can make by mistake.
pub(super) const CHANNELS: u32 = 512;

/// A Tegra X1's GPU.
#[derive(Debug)]
pub struct TegraX1 {
    pub(super) core: Core,
    pub(super) channels: BTreeMap<u32, Channel>,
    pub(super) driver: Driver,
    /// Whether submissions wait for a bounded run.
    pub(super) deferred: bool,
    /// Recorder of the host's calls.
    pub(super) calls: CallLog,
    pub(super) round: Round,
}

state! {
    /// Channels have their turn by number until a round has done nothing: whose turn is next, and whether any has done
    /// something in this round.
    #[derive(Copy, Default)]
    pub(super) struct Round { next: u32, worked: bool }
}

impl TegraX1 {
    /// A machine with nothing mapped and no channels.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &Options) -> Result<Self, Error> {
        crate::front_end::registers::prepare();
        Ok(TegraX1 {
            core: Core::new(options.renderer(&RULES)?, options.fuel),
            channels: BTreeMap::new(),
            driver: Driver::default(),
            deferred: false,
            calls: CallLog::default(),
            round: Round::default(),
        })
    }

    /// Memory, renderer, syncpoints.
    #[doc(hidden)]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// A channel that was submitted to.
    #[doc(hidden)]
    pub fn channel(&self, number: u32) -> Option<&Channel> {
        self.channels.get(&number)
    }

    /// Guest memory.
    pub fn memory(&self) -> &Memory {
        &self.core.memory
    }

    /// Maps memory, of the library or of the host. Spaces are 0 for captures and [`PROCESS`](crate::driver::PROCESS);
    /// in those of the driver's clients the driver maps.
    pub fn with_memory<T>(&mut self, f: impl FnOnce(&mut Memory) -> T) -> T {
        self.core.flush();
        f(&mut self.core.memory)
    }

    /// Turns the caches of derived state on (as they are at first) or off, for tests: they may make no difference.
    #[doc(hidden)]
    pub fn set_state_cache_enabled(&mut self, enabled: bool) {
        self.core.renderer.set_state_cache_enabled(enabled);
    }

    /// Splits draws of more vertices than this, for tests: that may make no difference.
    #[doc(hidden)]
    pub fn set_max_segment(&mut self, vertices: usize) {
        self.core.renderer.set_max_segment(vertices);
    }

    /// Draws patches, and what geometry programs emit, whenever they have so many words, for tests: that may make no
    /// difference.
    #[doc(hidden)]
    pub fn set_max_part(&mut self, words: usize) {
        self.core.max_part = words;
    }

    /// Appends GPFIFO entries to a channel and works until everything is done or waits.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a channel beyond those there can be.
    pub fn submit_entries(&mut self, channel: ChannelId, entries: impl IntoIterator<Item = u64>) -> Result<(), Error> {
        let number = channel.get();
        if number >= CHANNELS {
            return Err(Error::InvalidArgument(format!("channel {number} of a Tegra X1")));
        }
        if self.calls.is_recording() {
            let entries: Vec<u64> = entries.into_iter().collect();
            let payload = [&[u64::from(number)][..], &entries].concat();
            let payload: Vec<u8> = payload.into_iter().flat_map(u64::to_le_bytes).collect();
            self.calls.begin(&self.core.memory, true);
            let submitted = self.submit_entries(channel, entries);
            self.calls.end(&self.core.memory, true, Some(RecordedCall::Submit(&payload)));
            return submitted;
        }
        self.channels.entry(number).or_default().submit(entries.into_iter().map(Work::Entry));
        self.submitted();
        Ok(())
    }

    /// Drops a channel that submissions have made, with what it has still to do; the next submission makes it anew. A
    /// capture does not say so.
    #[doc(hidden)]
    pub fn drop_channel(&mut self, channel: u32) {
        self.core.flush();
        self.channels.remove(&channel);
    }

    /// Does what was submitted, unless that is deferred.
    pub(super) fn submitted(&mut self) {
        if self.deferred {
            self.core.renderer.timeline.submit();
        } else {
            self.run();
        }
    }

    /// Runs channels until a round has done nothing, as a channel may release what another one waits for. False when a
    /// bounded run is over before.
    pub(super) fn run_rounds(&mut self) -> bool {
        // Since a round was left, there may be something new for channels that had their turn.
        self.round.worked |= self.round.next != 0;
        loop {
            while let Some((&number, channel)) = self.channels.range_mut(self.round.next..).next() {
                self.round.worked |= channel.run(&mut self.core);
                if self.core.budget.is_over() {
                    // Goes on with the same channel.
                    self.round.next = number;
                    return false;
                }
                self.round.next = number + 1;
            }
            let Round { worked, .. } = std::mem::take(&mut self.round);
            if !worked {
                return true;
            }
        }
    }

    /// Draws everything, and each channel has counted what it has drawn: a bounded run may have left one in the middle.
    pub(super) fn settle(&mut self) {
        for channel in self.channels.values_mut() {
            channel.settle_left(&mut self.core);
        }
        self.core.flush();
    }

    /// Everything submitted is in memory, unless a channel waits.
    pub(super) fn complete(&mut self) {
        self.settle();
        if self.channels.values().all(|channel| channel.blocked().is_none()) {
            self.core.renderer.timeline.complete();
        }
        self.core.memory.tell_written();
    }

    /// What the first channel waits for that waits.
    fn waiting(&self) -> Option<Waiting> {
        self.channels
            .iter()
            .find_map(|(&number, channel)| Some(channel.blocked()?.waiting(number.into(), channel.space())))
    }
}

/// Whether memory may be mapped there: in the address space of captures, or in the process's.
pub(super) fn is_address(range: GuestRange) -> bool {
    let mask = match range.start.space {
        SPACE => ADDRESS_MASK,
        PROCESS => PROCESS_MASK,
        _ => return false,
    };
    range.start.address.checked_add(range.size).is_some_and(|end| end <= mask + 1)
}

impl sealed::Sealed for TegraX1 {}

impl Device for TegraX1 {
    triglyph_engine::device_of_core!(core of Machine::TegraX1);

    triglyph_engine::device_of_core!(recorded call);

    /// Spaces are that of captures and [`PROCESS`]. Memory of the process that an address space shows may not be
    /// replaced before it is unmapped there.
    fn check_mapping(&self, range: GuestRange) -> Result<(), Error> {
        if !is_address(range) {
            let GuestRange { start: GuestAddr { space, address }, size } = range;
            let what = format!("{size:#x} bytes at {address:#x} in space {space} of a Tegra X1");
            return Err(Error::InvalidArgument(what));
        }
        self.core.memory.check_unshown(range)
    }

    triglyph_engine::device_of_core!(checked map);

    /// Interrupts that methods asked for (notifiers, reports, copies, inline transfers, the host's NON_STALL_INTERRUPT)
    /// come as one event, before the fences.
    fn take_events(&mut self) -> Vec<Event> {
        let count = self.core.take_interrupts();
        let interrupt = (count != 0).then_some(Event::Interrupt { source: 0, count, delay: Duration::ZERO });
        let fences = self.take_signalled();
        let fence = |(slot, Fence { syncpoint, value })| Event::Fence { slot, counter: syncpoint, value };
        interrupt.into_iter().chain(fences.into_iter().map(fence)).collect()
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        let Some((head, entries)) = payload.split_first_chunk::<8>().filter(|(_, rest)| rest.len() % 8 == 0) else {
            return Err(Error::InvalidArgument(format!("a submission of {} bytes", payload.len())));
        };
        let channel = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
        let entry = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        self.submit_entries(channel.into(), entries.chunks_exact(8).map(entry))
    }

    /// A channel that still waits is a fault: nothing can end the wait any more.
    fn finish(&mut self) {
        self.run();
        for (number, channel) in &self.channels {
            if let Some(blocked) = channel.blocked() {
                let what = format_args!("channel {number} waits for {blocked:?}");
                self.core.fault(FaultKind::OutOfFuel, 0, what);
            }
        }
    }

    fn run_for(&mut self, limit: RunLimit) -> RunEnd {
        const KIND: RecordedAs = RecordedAs::of(call("run_for"));
        if let Some(end) = self.record_run(KIND, limit, Device::run_for) {
            return end;
        }
        let _span = trace::submit();
        self.core.begin_slice(limit);
        self.core.memory.note_host_writes();
        let is_over = !self.run_rounds();
        // In a round that is not over one channel may have released what another one waits for.
        let goes_on = |channel: &Channel| if channel.blocked().is_some() { is_over } else { channel.has_work() };
        let has_more = self.channels.values().any(goes_on);
        if !has_more {
            // An interrupt says the rest.
            self.core.draw_all();
            self.round = Round::default();
        }
        match self.core.end_slice() {
            SliceEnd::Interrupted => {
                self.core.memory.tell_written();
                return RunEnd::Interrupted;
            }
            SliceEnd::Used if has_more => {
                self.core.memory.tell_written();
                return RunEnd::BudgetUsed;
            }
            _ => {}
        }
        self.complete();
        self.waiting().map_or(RunEnd::Done, RunEnd::Waiting)
    }
}

impl Replay for TegraX1 {
    triglyph_engine::device_of_core!(replay calls);
}
