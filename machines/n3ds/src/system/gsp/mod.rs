//! GSP, the system process that owns the GPU: shared memory, GX commands, interrupts, the service's calls.
//!
//! ```text
//! client ──► shared page: command queue ──► trigger ──► gx::execute ──► Hardware
//!        │                                                 └─► Completion ──► host ──► deliver
//!        │                framebuffer info ◄── VBlank, PPF ─────────────────────────────┘  │
//!        │                relay queue ◄────────────────────────────────────────────────────┘
//!        └──► service.rs (calls), ipc.rs (the same as words)
//! ```
//! A command is executed at once, but its interrupt is not delivered before the host says so: titles go to sleep only
//! after the call that triggered it has returned. Sources: 3dbrew GSP Shared Memory, GSP Services.

pub mod address;
pub mod command;
pub mod errors;
pub mod framebuffer;
pub mod hardware;
pub mod interrupt;
pub mod ipc;
pub mod queue;
mod raw;
pub mod rights;
mod saved;
mod service;
pub mod shared;
mod work;

pub use command::Command;
pub use errors::ResultCode;
pub use framebuffer::{FramebufferInfo, FramebufferSlot};
pub use hardware::{Bus, Hardware};
pub use interrupt::{Interrupt, RelayQueue};
pub use queue::CommandQueue;
pub use rights::{Acquire, Client, ClientSet, Session};
pub(crate) use saved::{GspState, SavedGsp};
pub use service::{CaptureInfo, Registration};
pub use shared::{CLIENTS, SharedPage};
pub(crate) use work::SavedWork;
use work::Work;
pub(crate) use work::report;

use super::external::{Event, timing};
use super::gx::{self, BadAddress, Executed};
use super::lcd::{Screen, offset};
use address::to_physical;
use hardware::GPU;
use queue::Next;
use rights::RenderingRight;
use shared::WORDS;
use triglyph_engine::device::{Event as HostEvent, EventQueue, FaultKind};
use triglyph_engine::sched::Timeline;
use triglyph_guest::id::ContextHandle;

/// Commands that one trigger executes at most; a guest that keeps refilling its queue has to trigger again.
const COMMANDS: usize = 4096;

/// An interrupt that the host is to deliver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The client that held the rendering right when the work was done. Who gets the interrupt is decided when it is
    /// delivered.
    pub client: Option<usize>,
    /// What is raised.
    pub interrupt: Interrupt,
    /// After how many ticks of the main processor (268 MHz) from the call that caused it; an estimate. 0 in a bounded
    /// run, which itself is the time.
    pub ticks: u64,
}

/// GSP.
#[derive(Debug, Default)]
pub struct Gsp {
    page: SharedPage,
    clients: [Option<Client>; CLIENTS],
    right: RenderingRight,
    /// Sessions that waited for the right and got it.
    granted: Vec<Session>,
    /// Whether any client has ever registered.
    initialized: bool,
    /// What the screens were last told to show.
    shown: [Option<FramebufferInfo>; 2],
    completions: Vec<Completion>,
    /// What the host has not taken yet.
    events: EventQueue,
    work: Work,
    auto_toggle: bool,
    bad_address: BadAddress,
    shared_memory_handle: u32,
}

impl Gsp {
    /// With a page of its own or the host's.
    pub fn new(page: SharedPage) -> Self {
        Gsp { page, ..Gsp::default() }
    }

    /// Goes on with another page, which gets the contents of the one before.
    pub(crate) fn move_to(&mut self, page: SharedPage) {
        let words: Vec<u32> = (0..WORDS).map(|word| self.page.load(4 * word)).collect();
        // Only what differs: the page may be the same one, which guest processors use.
        for (word, &value) in words.iter().enumerate().filter(|&(word, &value)| page.load(4 * word) != value) {
            page.store(4 * word, value);
        }
        self.page = page;
    }

    /// Begins anew on the same page.
    pub(crate) fn reset(&mut self) {
        let before = std::mem::take(self);
        (0..WORDS).for_each(|word| before.page.store(4 * word, 0));
        self.keep_choices(&before);
        self.page = before.page;
    }

    /// Makes PPF exchange the shown buffers when a client has set nothing new. Off at first: only the wiki says that
    /// GSP does this (unverified).
    pub fn set_auto_toggle(&mut self, on: bool) {
        self.auto_toggle = on;
    }

    /// Sets what GX commands that check no addresses do with bad ones.
    pub fn set_bad_address(&mut self, behaviour: BadAddress) {
        self.bad_address = behaviour;
    }

    /// What they do with them.
    pub fn bad_address(&self) -> BadAddress {
        self.bad_address
    }

    /// The handle that registrations are answered with.
    pub fn set_shared_memory_handle(&mut self, handle: u32) {
        self.shared_memory_handle = handle;
    }

    /// The shared page.
    pub fn page(&self) -> &SharedPage {
        &self.page
    }

    /// Who is registered at an index of the shared page.
    pub fn client(&self, index: usize) -> Option<Client> {
        self.clients.get(index).copied().flatten()
    }

    /// The index at which a session is registered.
    pub fn client_of(&self, session: Session) -> Option<usize> {
        self.clients.iter().position(|client| client.is_some_and(|client| client.session == session))
    }

    /// Who has the rendering right.
    pub fn holder(&self) -> Option<Session> {
        self.right.holder()
    }

    /// The index of the client with the rendering right, if it is registered.
    pub fn holding_client(&self) -> Option<usize> {
        self.client_of(self.right.holder()?)
    }

    /// The command queue of a client.
    pub fn command_queue(&self, client: usize) -> CommandQueue<'_> {
        CommandQueue::new(&self.page, client)
    }

    /// The relay queue of a client.
    pub fn relay_queue(&self, client: usize) -> RelayQueue<'_> {
        RelayQueue::new(&self.page, client)
    }

    /// The framebuffer information of a client.
    pub fn framebuffer_slot(&self, client: usize, screen: Screen) -> FramebufferSlot<'_> {
        FramebufferSlot::new(&self.page, client, screen)
    }

    /// Executes what waits in the queue of the client with the rendering right.
    fn execute_queue(&mut self, hardware: &mut dyn Hardware) {
        if self.work.deferred {
            return;
        }
        self.finish_deferred(hardware);
        let Some(client) = self.holding_client() else { return };
        let mut ticks = timing::ROUND_TRIP;
        for _ in 0..COMMANDS {
            let Next::Command(words) = CommandQueue::new(&self.page, client).next() else { return };
            let executed = self.execute_alone(hardware, &words);
            if let Some(event) = self.end_queued(client, words[0], executed) {
                ticks = ticks.saturating_add(event.ticks);
                self.complete(Event { ticks, ..event });
            }
        }
        hardware.fault(FaultKind::OutOfFuel, "the GX command queue does not become empty within its budget".into(), 0);
    }

    /// A command of a client's queue has ended: the queue says so. Returns what is raised.
    fn end_queued(&mut self, client: usize, header: u32, executed: Executed) -> Option<Event> {
        let queue = CommandQueue::new(&self.page, client);
        if executed.result.is_error() {
            queue.fail(executed.result);
        }
        if command::Header::from_word(header).stop {
            queue.halt();
        }
        executed.event
    }

    /// Executes one command for the holder of the rendering right, without a queue; the host delivers what it raises.
    /// Its queue fields are not touched. What waits for a bounded run is not waited for. DMA of memory that is not
    /// mapped is left to the host: [`Outcome::HostCopy`](gx::Outcome::HostCopy).
    pub fn execute(&mut self, hardware: &mut dyn Hardware, words: &[u32; 8]) -> Executed {
        hardware.begin_command();
        let executed = gx::execute_words(hardware, words, self.bad_address);
        match executed.host_copy {
            None => hardware.end_command(words, self.work.deferred),
            Some(_) => hardware.leave_command(),
        }
        executed
    }

    /// Executes a command that waited in a queue, where later ones rely on it: DMA copies what is mapped.
    pub(crate) fn execute_alone(&mut self, hardware: &mut dyn Hardware, words: &[u32; 8]) -> Executed {
        hardware.begin_command();
        let mut executed = gx::execute_words(hardware, words, self.bad_address);
        if let Some(copy) = executed.host_copy {
            executed = gx::copy_mapped(hardware, copy);
        }
        hardware.end_command(words, self.work.deferred);
        executed
    }

    /// As [`Self::execute`], for a session that may not have the right.
    pub fn execute_for(&mut self, hardware: &mut dyn Hardware, session: Session, words: &[u32; 8]) -> Executed {
        match Command::from_words(words) {
            Some(command) if self.holder() != Some(session) => gx::refuse(&command),
            _ => self.execute(hardware, words),
        }
    }

    /// Notes an interrupt for the host to deliver.
    fn complete(&mut self, event: Event) {
        let client = self.holding_client();
        self.completions.push(Completion { client, interrupt: event.interrupt, ticks: event.ticks });
        self.note_interrupt(event);
    }

    /// Has events counted on the device's timeline.
    pub(crate) fn count_events_on(&mut self, timeline: &Timeline) {
        self.events.count_on(timeline);
    }

    /// Tells the host of an interrupt.
    pub(crate) fn note_interrupt(&mut self, event: Event) {
        let delay = timing::time_of_ticks(event.ticks);
        self.events.push(HostEvent::Interrupt { source: event.interrupt as u32, count: 1, delay });
    }

    /// Interrupts, VBlanks and flips since the last call, oldest first. An interrupt is in [`Self::take_completions`]
    /// as well, which says whose it is.
    pub fn take_events(&mut self) -> Vec<HostEvent> {
        self.events.take()
    }

    /// What the host is to deliver, oldest first; each is returned once.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.completions)
    }

    /// Sessions that waited in AcquireRight and hold the right now; each is returned once.
    pub fn take_granted(&mut self) -> Vec<Session> {
        std::mem::take(&mut self.granted)
    }

    /// Delivers an interrupt and returns whose events the host is to signal. VBlanks go to every client, the others to
    /// the one with the rendering right, if there is one.
    pub fn deliver(&mut self, hardware: &mut dyn Hardware, interrupt: Interrupt) -> ClientSet {
        match interrupt {
            Interrupt::Pdc0 => self.update_screen(hardware, Screen::Top, false),
            Interrupt::Pdc1 => self.update_screen(hardware, Screen::Bottom, false),
            Interrupt::Ppf => Screen::ALL.into_iter().for_each(|screen| self.update_screen(hardware, screen, true)),
            _ => (),
        }
        let holder = self.holding_client();
        let mut signalled = ClientSet::default();
        for (client, registered) in self.clients.iter().enumerate() {
            let wanted = registered.is_some() && (interrupt.is_vblank() || holder == Some(client));
            if wanted && RelayQueue::new(&self.page, client).push(interrupt) {
                signalled.insert(client);
            }
        }
        // The end of a command is also when GSP looks for the next.
        if !interrupt.is_vblank() {
            self.trigger(hardware);
        }
        signalled
    }

    /// A screen has shown a frame: moves its controller on and delivers PDC0 or PDC1.
    pub fn vblank(&mut self, hardware: &mut dyn Hardware, screen: Screen) -> ClientSet {
        hardware.vblank(screen);
        self.events.push(HostEvent::Vblank { context: ContextHandle::default(), head: screen as u32 });
        let interrupt = match screen {
            Screen::Top => Interrupt::Pdc0,
            Screen::Bottom => Interrupt::Pdc1,
        };
        self.deliver(hardware, interrupt)
    }

    /// Delivers everything that has completed, at once and in order: for hosts without a clock.
    pub fn auto_deliver(&mut self, hardware: &mut dyn Hardware) -> ClientSet {
        let mut signalled = ClientSet::default();
        for _ in 0..COMMANDS {
            let completions = self.take_completions();
            if completions.is_empty() {
                break;
            }
            for completion in completions {
                self.deliver(hardware, completion.interrupt).iter().for_each(|client| signalled.insert(client));
            }
        }
        signalled
    }

    /// Looks whether the client with the rendering right has something new for a screen.
    fn update_screen(&mut self, hardware: &mut dyn Hardware, screen: Screen, toggle: bool) {
        let Some(client) = self.holding_client() else { return };
        let new = FramebufferSlot::new(&self.page, client, screen).take();
        if let Some(info) = new {
            self.show(hardware, screen, &info);
        } else if toggle && self.auto_toggle {
            let select = GPU + screen.base() + offset::SELECT;
            let shown = hardware.read_register(select);
            hardware.write_register(select, (shown ^ 1) & 1);
        }
    }

    /// Puts framebuffer information into a screen's controller.
    fn show(&mut self, hardware: &mut dyn Hardware, screen: Screen, info: &FramebufferInfo) {
        self.shown[screen as usize] = Some(*info);
        let (buffer, offset) = (info.active & 1, to_physical(info.left).unwrap_or(0));
        self.events.push(HostEvent::Flip { context: ContextHandle::default(), head: screen as u32, buffer, offset });
        for (offset, value) in info.registers(screen) {
            hardware.write_register(GPU + offset, value);
        }
    }
}
