//! The 3DS as a [`Device`].

use triglyph_guest::gsp::calls::call as row;
use triglyph_guest::kernel::vertex::Numbers;

use crate::core::Core;
use crate::system::call_recorder;
use crate::system::external::External;
use crate::system::gsp::{Bus, Gsp, Hardware, SharedPage, report};
use crate::system::gx::Executed;
use crate::system::lcd::{Eye, Screen};
use crate::system::spaces::{PHYSICAL, PROCESS};
use crate::validate::RULES;
use triglyph_engine::device::calls::{RecordedAs, RecordsCalls};
use triglyph_engine::device::{
    CallLog, CallRecorder, Device, Event, FaultLog, Machine, RecordedCall, Replay, RunEnd, RunLimit, sealed,
};
use triglyph_engine::error::Error;
use triglyph_engine::frontend::budget::{Budget, FUEL, SliceEnd};
use triglyph_engine::mem::{GuestAddr, GuestRange, Memory};
use triglyph_engine::render::{Accuracy, Renderer};
use triglyph_engine::scene::Fixed;
use triglyph_engine::trace;
use triglyph_engine::transfer::{HostRows, Presentation, Presented};
use triglyph_options::Options;

/// A Nintendo 3DS's GPU: PICA200, transfer engine, LCD registers, GSP.
#[derive(Debug)]
pub struct N3ds {
    pub(super) core: Core,
    pub(super) external: External,
    pub(super) gsp: Gsp,
    /// Host options that the active recording has.
    pub(super) recorded_choices: HostChoices,
}

/// Options of the host that recordings have as one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HostChoices {
    /// Submissions are deferred.
    pub deferred: bool,
    /// Bad addresses fail.
    pub fail: bool,
    /// Frozen units hang.
    pub hang: bool,
}

/// Bytes of a GX command.
const COMMAND: usize = 32;

impl N3ds {
    /// A machine with nothing mapped and every register at its reset value.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the host gives no threads.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let renderer = options.renderer(&RULES)?;
        let mut core = Core {
            memory: renderer.guest_memory(),
            renderer,
            pica: Default::default(),
            faults: FaultLog::default(),
            budget: Budget::new(options.fuel),
            ended: None,
            calls: CallLog::default(),
        };
        core.pica.set_numbers(match Accuracy::from(options.accuracy) {
            Accuracy::Exact => Numbers::F24,
            Accuracy::Fast => Numbers::F32,
        });
        let mut gsp = Gsp::default();
        gsp.count_events_on(&core.renderer.timeline);
        Ok(N3ds { core, external: External::default(), gsp, recorded_choices: HostChoices::default() })
    }

    /// Guest memory.
    pub fn memory(&self) -> &Memory {
        &self.core.memory
    }

    /// Maps memory, of the library or of the host. Spaces are 0, physical addresses, and
    /// [`PROCESS`](crate::external::PROCESS). Everything submitted is done by then.
    pub fn with_memory<T>(&mut self, f: impl FnOnce(&mut Memory) -> T) -> T {
        self.core.renderer.flush(&self.core.memory);
        f(&mut self.core.memory)
    }

    /// Turns the caches of derived state on (as they are at first) or off, for tests: they may make no difference.
    #[doc(hidden)]
    pub fn set_state_cache_enabled(&mut self, enabled: bool) {
        self.core.renderer.set_state_cache_enabled(enabled);
    }

    /// Sets what each submission may cost, in units of fuel: see [`Options::fuel`], with which it begins. A recording
    /// has it.
    pub fn set_fuel(&mut self, fuel: u64) {
        self.core.budget.set_tank(fuel);
        self.record_fuel();
    }

    fn record_fuel(&mut self) {
        let fuel = self.core.budget.tank();
        call_recorder::call(&mut self.core, const { row("set_fuel") }, &[fuel as u32, (fuel >> 32) as u32]);
    }

    /// Fuel and time.
    #[doc(hidden)]
    pub fn budget(&self) -> &Budget {
        &self.core.budget
    }

    /// The renderer: kernels and counters.
    #[doc(hidden)]
    pub fn renderer(&self) -> &Renderer<Fixed> {
        &self.core.renderer
    }

    /// The system process in front of the GPU: shared memory, queues, rights, calls. Its methods take the hardware,
    /// so both are handed to `f`:
    ///
    /// ```text
    /// let signalled = machine.with_gsp(|gsp, hardware| { gsp.trigger(hardware); gsp.auto_deliver(hardware) });
    /// ```
    pub fn with_gsp<T>(&mut self, f: impl FnOnce(&mut Gsp, &mut dyn Hardware) -> T) -> T {
        let _span = trace::submit();
        self.record_choices();
        self.core.renderer.timeline.submit();
        self.core.memory.note_host_writes();
        self.core.calls.observe();
        self.core.budget.refuel();
        let answer = self.with_bus(f);
        // A draw that was started by a register call, without any list, shows in memory as well.
        self.core.renderer.flush(&self.core.memory);
        if !(self.gsp.is_deferred() && self.gsp.has_work()) {
            self.core.renderer.timeline.complete();
        }
        self.core.calls.observed(&self.core.memory);
        self.core.memory.tell_written();
        answer
    }

    /// Does everything that waits, also in the queue.
    fn finish_all(&mut self) {
        self.record_choices();
        const KIND: RecordedAs = RecordedAs::of(row("finish"));
        if let Some(()) = self.record(KIND, &[], N3ds::finish_all) {
            return;
        }
        self.with_gsp(|gsp, hardware| gsp.work(hardware));
    }

    fn with_bus<T>(&mut self, f: impl FnOnce(&mut Gsp, &mut dyn Hardware) -> T) -> T {
        let mut bus = Bus { external: &mut self.external, core: &mut self.core };
        f(&mut self.gsp, &mut bus)
    }

    /// The system process, to look at.
    pub fn gsp(&self) -> &Gsp {
        &self.gsp
    }

    /// Moves GSP to another shared page, at any time: kernels map it after clients have registered. Clients, rights and
    /// choices stay, and the contents of the page before are copied to the new one, over what is there. The page may be
    /// in memory that is mapped as well.
    pub fn set_shared_page(&mut self, page: SharedPage) {
        self.gsp.move_to(page);
    }

    /// Resets GSP to its state at power-on: no clients, no holder of the rendering right, the shared
    /// page is zeros. The page, and what the host has chosen of GSP, stay.
    pub fn reset_gsp(&mut self) {
        // A list that is under way is the command processor's.
        self.with_gsp(|gsp, hardware| gsp.finish_deferred(hardware));
        self.gsp.reset();
        self.gsp.count_events_on(&self.core.renderer.timeline);
    }

    /// The external registers: transfer engine and LCD controllers.
    pub fn external(&self) -> &External {
        &self.external
    }

    /// The external registers, to choose what there is a choice of; the guest's writes go through
    /// [`Self::with_gsp`].
    pub fn external_mut(&mut self) -> &mut External {
        &mut self.external
    }

    /// Stores what a screen shows an eye in rows of the host's, upright: the controller's picture through its gamma
    /// table, or the colour that covers it. Its size is that of [`Lcd::picture`](crate::lcd::Lcd::picture), which the
    /// guest chooses: 320, 400 or 800 columns. An eye without a picture sees
    /// [`Shown::Nothing`](triglyph_engine::transfer::Shown::Nothing). See [`Device::present`].
    ///
    /// # Errors
    /// As there.
    pub fn present_screen(
        &mut self,
        screen: Screen,
        eye: Eye,
        rows: &mut HostRows<'_>,
        presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        let lcd = self.external.lcd(screen);
        let Some(picture) = lcd.picture(eye) else { return rows.fill(0, 0, [0; 4], presented) };
        if let Some([r, g, b]) = lcd.fill_color() {
            return rows.fill(picture.width, picture.height, [r, g, b, 255], presented);
        }
        let gamma = lcd.gamma_tables();
        self.core.renderer.present(&self.core.memory, &picture.scan_out(), gamma.as_ref(), rows, presented)
    }

    /// Executes one GX command as it is in a slot of the command queue, complete before this returns. No
    /// interrupt is queued; what the command raises is in the answer. DMA of memory that the host has not mapped is
    /// left to the host: see [`Outcome`](crate::system::gx::Outcome).
    pub fn execute(&mut self, words: &[u32; 8]) -> Executed {
        self.with_gsp(|gsp, hardware| gsp.execute(hardware, words))
    }

    /// The same with the command where it is in guest memory, after everything that was submitted.
    ///
    /// # Errors
    /// [`Error::Unmapped`] when its 32 bytes are not mapped; nothing is done then.
    pub fn execute_at(&mut self, at: GuestAddr) -> Result<Executed, Error> {
        let mut bytes = [0; COMMAND];
        self.read(at, &mut bytes)?;
        Ok(self.execute(&words_of(&bytes)))
    }
}

/// The words of a GX command.
fn words_of(bytes: &[u8]) -> [u32; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}

impl sealed::Sealed for N3ds {}

impl Device for N3ds {
    triglyph_engine::device_of_core!(core of Machine::N3ds);

    fn is_deferred(&self) -> bool {
        self.gsp.is_deferred()
    }

    fn check_mapping(&self, range: GuestRange) -> Result<(), Error> {
        let GuestRange { start: GuestAddr { space, address }, size } = range;
        if ![PHYSICAL, PROCESS].contains(&space) || address.checked_add(size).is_none_or(|end| end > 1 << 32) {
            return Err(Error::InvalidArgument(format!("{size:#x} bytes at {address:#x} in space {space} of a 3DS")));
        }
        self.core.memory.check_unshown(range)
    }

    triglyph_engine::device_of_core!(checked map);

    fn set_call_recorder(&mut self, recorder: Option<Box<dyn CallRecorder>>) {
        self.core.calls.set_recorder(recorder);
        self.recorded_choices = HostChoices::default();
        self.record_choices();
        if self.core.budget.tank() != FUEL {
            self.record_fuel();
        }
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.gsp.take_events()
    }

    fn submit(&mut self, payload: &[u8]) -> Result<(), Error> {
        if payload.len() != COMMAND {
            return Err(Error::InvalidArgument(format!(
                "a GX command of {} bytes instead of {COMMAND}",
                payload.len()
            )));
        }
        let words = words_of(payload);
        if self.gsp.is_deferred() {
            self.record_choices();
            self.core.calls.begin(&self.core.memory, false);
            self.core.renderer.timeline.submit();
            self.gsp.submit(words);
            self.core.calls.end(&self.core.memory, false, Some(RecordedCall::Submit(payload)));
            return Ok(());
        }
        let executed = self.with_gsp(|gsp, hardware| gsp.execute_alone(hardware, &words));
        if let Some(event) = executed.event {
            self.gsp.note_interrupt(event);
        }
        self.with_bus(|_, hardware| report(hardware, &words, executed));
        Ok(())
    }

    /// Nothing to wait for unless commands are deferred: otherwise each is complete when [`Self::submit`] returns.
    fn finish(&mut self) {
        match (self.gsp.is_deferred(), self.gsp.has_work()) {
            (true, true) => self.finish_all(),
            _ if self.gsp.has_deferred() => self.with_gsp(|gsp, hardware| gsp.finish_deferred(hardware)),
            _ => {}
        }
    }

    /// GSP's queue is deferred as well: [`Gsp::trigger`] leaves it to bounded runs.
    fn set_deferred(&mut self, deferred: bool) {
        self.gsp.set_deferred(deferred);
    }

    /// What GSP's queue holds is executed also without a trigger.
    fn run_for(&mut self, limit: RunLimit) -> RunEnd {
        self.record_choices();
        const KIND: RecordedAs = RecordedAs::of(row("run_for"));
        if let Some(end) = self.record_run(KIND, limit, Device::run_for) {
            return end;
        }
        let _span = trace::submit();
        self.core.begin_slice(limit);
        self.core.memory.note_host_writes();
        self.with_bus(|gsp, hardware| gsp.work(hardware));
        if !self.gsp.has_work() {
            // An interrupt says the rest.
            self.core.renderer.draw_all(&self.core.memory);
        }
        let end = match self.core.end_slice() {
            SliceEnd::Interrupted => RunEnd::Interrupted,
            SliceEnd::Used if self.gsp.has_work() => RunEnd::BudgetUsed,
            _ => {
                self.core.renderer.flush(&self.core.memory);
                self.core.renderer.timeline.complete();
                self.gsp.waiting().map_or(RunEnd::Done, RunEnd::Waiting)
            }
        };
        self.core.memory.tell_written();
        end
    }
}

impl Replay for N3ds {
    triglyph_engine::device_of_core!(replay calls);
}
