//! The RSX as a [`Device`], and running its channels.

use triglyph_guest::rsx::lv1::attribute::DisplayBuffer;
use triglyph_guest::rsx::lv1::calls::call;
use triglyph_guest::rsx::objects::class;

use crate::core::Core;
use crate::front_end::dma::space;
use crate::front_end::ramin;
use crate::front_end::segments::{Segment, Segments};
use crate::front_end::{CHANNELS, Fifo, PushBuffer, Stop};
use crate::system::host_events::{HostEvents, SoftwareHandler};
use crate::system::lv1::{DEFAULT_OBJECTS, XDR, initialise};
use crate::system::mmio_words::Mmio;
use crate::validate::RULES;
use triglyph_engine::device::calls::{RecordedAs, RecordsCalls};
use triglyph_engine::device::{
    Access, CallLog, Device, Event, FaultKind, Machine, ObjectEntry, RecordedCall, Replay, RunEnd, RunLimit, Waiting,
    sealed,
};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::SliceEnd;
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::trace;
use triglyph_engine::transfer::{HostRows, Presentation, Presented, ScanLayout, ScanOut, format};
use triglyph_options::Options;

/// A PlayStation 3's GPU, and the hypervisor's calls in front of it.
#[derive(Debug)]
pub struct Rsx {
    pub(super) core: Core,
    pub(super) fifo: Fifo,
    pub(super) host_events: HostEvents,
    pub(super) mmio: Mmio,
    /// What captures have submitted and channels have not started.
    pub(super) segments: Segments,
    /// The byte order of channels that captures use.
    pub(super) big_endian: bool,
    /// Whether a capture has entered objects of its own, or was given GCM's.
    pub(super) has_objects: bool,
    /// Whether submissions wait for a bounded run.
    deferred: bool,
    /// Recorder of the host's calls.
    pub(super) calls: CallLog,
}

impl Rsx {
    /// A machine with nothing mapped (in exact mode instance memory alone) and no objects.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads or no memory.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let core = Core::new(options.accuracy.into(), options.renderer(&RULES)?, options.fuel)?;
        let mut host_events = HostEvents::default();
        host_events.events.count_on(&core.renderer.timeline);
        Ok(Rsx {
            core,
            fifo: Fifo::default(),
            host_events,
            mmio: Mmio::default(),
            segments: Segments::default(),
            big_endian: false,
            has_objects: false,
            deferred: false,
            calls: CallLog::default(),
        })
    }

    /// Memory, renderer, objects, time.
    #[doc(hidden)]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// Channels, and the engine objects of each.
    #[doc(hidden)]
    pub fn fifo(&self) -> &Fifo {
        &self.fifo
    }

    /// Guest memory.
    pub fn memory(&self) -> &Memory {
        &self.core.memory
    }

    /// Maps memory, of the library or of the host. Spaces are 0 local memory, 1 main memory by IO offsets,
    /// [`PAGES`](crate::lv1::PAGES) and [`XDR`](crate::lv1::XDR). What instance memory holds stays, also when local
    /// memory is mapped over it.
    pub fn with_memory<T>(&mut self, f: impl FnOnce(&mut Memory) -> T) -> T {
        self.core.flush();
        let mut kept = Vec::new();
        if self.core.ramin().is_some() {
            kept.resize(ramin::BYTES as usize, 0);
            self.core.memory.read_pieces(GuestAddr::new(space::LOCAL, ramin::START), &mut kept);
        }
        let result = f(&mut self.core.memory);
        // Where the host has unmapped instance memory there is none.
        let _ = self.core.memory.write(GuestAddr::new(space::LOCAL, ramin::START), &kept);
        result
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

    /// Who executes software methods of channels that are none of LV1's; without a handler they are events.
    pub fn set_software_handler(&mut self, handler: Option<SoftwareHandler>) {
        self.host_events.handler = handler;
    }

    /// Runs the channels of all contexts.
    pub(super) fn run_contexts(&mut self) {
        let _span = trace::submit();
        self.core.renderer.timeline.submit();
        self.look_at_control();
        self.run_channels(self.host_events.lv1.running());
        self.show_controls();
        self.core.renderer.timeline.complete();
        self.core.memory.tell_written();
    }

    /// Runs channels, a bit each.
    pub(super) fn run_channels(&mut self, wanted: u32) -> [Option<Stop>; CHANNELS as usize] {
        self.core.budget.refuel();
        self.core.memory.note_host_writes();
        self.fifo.run_all(&mut self.core, &mut self.host_events, wanted)
    }

    /// What a head (0 or 1) shows, for [`Device::present`]: the display buffer that was flipped last, X8R8G8B8 with its
    /// bytes in the order of the processor. `None` when that is no buffer of a context.
    pub fn scan_out(&self, head: u32) -> Option<ScanOut> {
        let DisplayBuffer { width, height, pitch, offset } = self.host_events.lv1.shown_buffer(head as usize)?;
        let (at, layout) = (GuestAddr::new(space::LOCAL, offset.into()), ScanLayout::Rows { pitch });
        Some(ScanOut { at, width, height, format: format::X8R8G8B8.big_endian(), layout })
    }

    /// Stores what a head (0 or 1) shows in rows of the host's: see [`Device::present`]. A head that shows no buffer of
    /// a context has [`Shown::Nothing`](triglyph_engine::transfer::Shown::Nothing).
    ///
    /// # Errors
    /// As there.
    pub fn present_head(
        &mut self,
        head: u32,
        rows: &mut HostRows<'_>,
        presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        match self.scan_out(head) {
            Some(scan) => self.present(&scan, rows, presented),
            None => rows.fill(0, 0, [0; 4], presented),
        }
    }

    /// Runs the segments of all channels until none can go on. False when a bounded run is over before.
    fn run_segments(&mut self) -> bool {
        while let Some(channel) = self.segments.turn(self.core.budget.now()) {
            let waits = match self.segments.has(channel) {
                true => self.run_channel_segments(channel),
                false => Some(false),
            };
            let Some(waits) = waits else { return false };
            self.segments.took_turn(waits);
        }
        true
    }

    /// Does everything that was submitted. A channel that waits for a semaphore then is a fault.
    fn run_all_segments(&mut self) {
        self.core.budget.refuel();
        self.core.memory.note_host_writes();
        self.run_segments();
        for channel in self.segments.waiting() {
            if self.segments.first_report(channel) {
                let what = format_args!("channel {channel} waits for a semaphore that nobody has released");
                self.core.fault(FaultKind::OutOfFuel, channel.into(), what);
            }
        }
    }

    /// A bounded run: segments of captures, then the other channels. Returns what is waited for.
    fn run_slice(&mut self) -> Option<Waiting> {
        if !self.run_segments() {
            return None;
        }
        let blocked = self.segments.waiting().next();
        let blocked = blocked.and_then(|channel| self.fifo.waiting(&self.core, channel, Stop::Blocked));
        let others = self.host_events.lv1.running() & !self.segments.channels();
        let stops = self.fifo.run_all(&mut self.core, &mut self.host_events, others);
        let waiting = |(stop, channel): (&Option<Stop>, u32)| self.fifo.waiting(&self.core, channel, (*stop)?);
        blocked.or_else(|| stops.iter().zip(0..).find_map(waiting))
    }

    /// Runs the segments of a channel. Returns whether it waits for a semaphore; `None` when a bounded run is over.
    fn run_channel_segments(&mut self, channel: u32) -> Option<bool> {
        loop {
            if self.core.budget.is_over() {
                return None;
            }
            if !self.fifo.has_work(&self.core, channel) {
                let Some(Segment { space, start, length }) = self.segments.pop(channel) else { return Some(false) };
                if !self.fifo.select(&self.core, channel) {
                    return Some(false);
                }
                let live = &mut self.fifo.live;
                live.buffer = self.core.whole_space(space).map_or(PushBuffer::Space(space), PushBuffer::Object);
                live.big_endian = self.big_endian;
                (live.get, live.put) = (start, start + length);
                // What is left of a packet is in the next segment; an error ends one only.
                live.error = None;
            }
            let stops = self.fifo.run_all(&mut self.core, &mut self.host_events, 1 << channel);
            match stops[channel as usize] {
                Some(Stop::Blocked | Stop::Stalled | Stop::Yielded) | None => return Some(true),
                Some(Stop::OutOfFuel) => {
                    self.give_up(channel);
                    return Some(false);
                }
                Some(Stop::SliceOver) => return None,
                // Nothing that could lead on from here can come: a capture's memory does not change meanwhile.
                Some(Stop::Parked) => self.end_segment(channel),
                // PFIFO is switched off.
                Some(Stop::Idle) if self.fifo.has_work(&self.core, channel) => return Some(true),
                Some(Stop::Idle | Stop::Error) => {}
            }
            self.segments.goes_on(channel);
        }
    }

    /// Whether a channel has anything to do.
    fn has_more(&self) -> bool {
        let running = self.host_events.lv1.running();
        self.segments.channels() != 0
            || (0..CHANNELS).any(|channel| running >> channel & 1 != 0 && self.fifo.has_work(&self.core, channel))
    }

    /// The rest of a segment is not executed.
    fn end_segment(&mut self, channel: u32) {
        if self.fifo.select(&self.core, channel) {
            self.fifo.live.get = self.fifo.live.put;
        }
    }

    /// What a channel has still to do is not done.
    fn give_up(&mut self, channel: u32) {
        self.segments.clear(channel);
        if self.fifo.select(&self.core, channel) {
            let put = self.fifo.live.put;
            self.fifo.live.set_up(put, put);
        }
    }

    /// Objects as GCM makes them, for captures that bring none.
    fn default_objects(&mut self, channel: u32) -> Result<(), Error> {
        if !std::mem::replace(&mut self.has_objects, true) {
            DEFAULT_OBJECTS.make(&mut self.core, 0..CHANNELS)?;
            initialise(&self.core, &mut self.fifo, channel);
        }
        Ok(())
    }
}

fn word(payload: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*payload.get(at..)?.first_chunk()?))
}

fn long(payload: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.get(at..)?.first_chunk()?))
}

impl sealed::Sealed for Rsx {}

impl Device for Rsx {
    triglyph_engine::device_of_core!(core of Machine::Ps3);

    triglyph_engine::device_of_core!(recorded call);

    /// Spaces are 0 to 3. Pages of [`PAGES`](crate::lv1::PAGES) and of local memory that a context uses have to be
    /// mapped before the call that allocates it: from then on they hold what the guest sees. Main memory that is shown
    /// in an IO space may not be replaced before it is unmapped there.
    fn check_mapping(&self, range: GuestRange) -> Result<(), Error> {
        if range.start.space > XDR || range.start.address.checked_add(range.size).is_none() {
            let GuestRange { start: GuestAddr { space, address }, size } = range;
            return Err(Error::InvalidArgument(format!("{size:#x} bytes at {address:#x} in space {space} of a PS3")));
        }
        self.host_events.lv1.check_unused(range)?;
        self.core.memory.check_unshown(range)
    }

    fn map(&mut self, range: GuestRange, access: Access) -> Result<(), Error> {
        if range.start.space >= Machine::Ps3.host_spaces() {
            return Err(Error::InvalidArgument(format!("space {} of a PS3", range.start.space)));
        }
        self.with_memory(|memory| memory.map(range, access))?;
        self.core.renderer.note_mapping(&self.core.memory, range.start);
        Ok(())
    }

    /// IO addresses that were not mapped come last.
    fn take_events(&mut self) -> Vec<Event> {
        for address in self.core.take_unmapped_io() {
            self.host_events.events.push(Event::UnmappedIo { address });
        }
        self.host_events.events.take()
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        if self.calls.is_recording() {
            self.calls.begin(&self.core.memory, true);
            let submitted = self.submit(payload);
            self.calls.end(&self.core.memory, true, submitted.is_ok().then_some(RecordedCall::Submit(payload)));
            return submitted;
        }
        let bad = || Error::InvalidArgument(format!("a submission of {} bytes", payload.len()));
        let (channel, space) = (word(payload, 0).ok_or_else(bad)?, word(payload, 4).ok_or_else(bad)?);
        if space >= Machine::Ps3.spaces() || !(payload.len() - 8).is_multiple_of(16) || channel >= CHANNELS {
            return Err(bad());
        }
        if !self.fifo.select(&self.core, channel) {
            return Err(Error::Unsupported(format!("channel {channel} beside another one: that needs exact mode")));
        }
        self.default_objects(channel)?;
        let _span = trace::submit();
        self.core.renderer.timeline.submit();
        for at in (8..payload.len()).step_by(16) {
            let (start, length) = (long(payload, at).ok_or_else(bad)?, long(payload, at + 8).ok_or_else(bad)?);
            let room = match (u32::try_from(start), u32::try_from(length)) {
                (Ok(start), Ok(length)) if start.checked_add(length).is_some() => {
                    let segment = Segment { space, start: start & !3, length: length & !3 };
                    self.segments.push(channel, segment)
                }
                _ => false,
            };
            if !room {
                let what = format_args!("a segment of {length:#x} bytes at {start:#x}");
                self.core.fault(FaultKind::BadCommand, start, what);
            }
        }
        if !self.deferred {
            self.run_all_segments();
            self.core.renderer.timeline.complete();
            self.core.memory.tell_written();
        }
        Ok(())
    }

    /// Nothing to wait for unless submissions are deferred: otherwise everything is in memory when [`Self::submit`]
    /// returns. Channels of the hypervisor's contexts go on as in [`Rsx::run`].
    fn finish(&mut self) {
        const KIND: RecordedAs = RecordedAs::of(call("finish"));
        if self.deferred && self.record(KIND, &[], Device::finish).is_none() {
            self.run_all_segments();
            self.run();
        }
    }

    /// PUT of every context is looked at first, and the control pages show GET and REF after each run.
    fn run_for(&mut self, limit: RunLimit) -> RunEnd {
        const KIND: RecordedAs = RecordedAs::of(call("run_for"));
        if let Some(end) = self.record_run(KIND, limit, Device::run_for) {
            return end;
        }
        let _span = trace::submit();
        self.core.begin_slice(limit);
        self.core.memory.note_host_writes();
        if self.cut_before_control() {
            self.core.end_slice();
            return RunEnd::Interrupted;
        }
        self.look_at_control();
        let waiting = self.run_slice();
        let has_more = waiting.is_none() && self.has_more();
        if !has_more && self.core.draw_all() {
            // An interrupt may have ended the run after the last word.
            self.fifo.settle(&mut self.core);
        }
        self.show_controls();
        self.core.memory.tell_written();
        match (self.core.end_slice(), waiting) {
            (SliceEnd::Interrupted, _) => RunEnd::Interrupted,
            (SliceEnd::Used, None) if has_more => RunEnd::BudgetUsed,
            (_, Some(waiting)) => RunEnd::Waiting(waiting),
            (_, None) => {
                self.core.renderer.timeline.complete();
                RunEnd::Done
            }
        }
    }
}

impl Replay for Rsx {
    triglyph_engine::device_of_core!(replay calls);

    fn set_big_endian(&mut self, big_endian: bool) -> Result<(), Error> {
        self.big_endian = big_endian;
        Ok(())
    }

    fn object(&mut self, object: ObjectEntry) -> Result<(), Error> {
        if class::is_dma(object.class) && object.space >= Machine::Ps3.spaces() {
            return Err(Error::InvalidArgument(format!("an object in space {} of a PS3", object.space)));
        }
        self.has_objects = true;
        // A capture has one table for all channels.
        self.core.enter(object, 0..CHANNELS)
    }
}
