//! GSP in a snapshot.

use super::rights::RenderingRight;
use super::shared::WORDS;
use super::{CLIENTS, Client, Completion, FramebufferInfo, Gsp, Interrupt, Session};
use triglyph_engine::snapshot::state;

state! {
    /// See the module's documentation.
    pub(in crate) struct SavedGsp {
        page: Box<[u32; WORDS]>,
        clients: [Option<SavedClient>; CLIENTS],
        holder: Option<u32>,
        waiting: Vec<u32>,
        granted: Vec<u32>,
        initialized: bool,
        shown: [Option<[u32; 7]>; 2],
        completions: Vec<SavedCompletion>,
        shared_memory_handle: u32,
    }
    /// A client.
    pub(in crate) struct SavedClient { session: u32, event: u32, allows_vram_save: bool }
    /// An interrupt that is still to be delivered.
    pub(in crate) struct SavedCompletion { client: Option<u8>, interrupt: u8, ticks: u64 }
}

/// A state of GSP that is known to be possible.
#[derive(Debug)]
pub(crate) struct GspState {
    saved: SavedGsp,
    completions: Vec<Completion>,
}

impl GspState {
    /// `None` when there is no such state.
    pub(crate) fn check(saved: SavedGsp) -> Option<Self> {
        let completion = |saved: &SavedCompletion| {
            let client = saved.client.map(usize::from);
            let interrupt = Interrupt::from_number(saved.interrupt)?;
            client.is_none_or(|client| client < CLIENTS).then_some(Completion { client, interrupt, ticks: saved.ticks })
        };
        let completions = saved.completions.iter().map(completion).collect::<Option<_>>()?;
        Some(GspState { saved, completions })
    }
}

impl Gsp {
    /// The state; how bad addresses are treated and whether buffers are exchanged unasked is the host's choice.
    pub(crate) fn save(&self) -> SavedGsp {
        let Gsp {
            page,
            clients,
            right,
            granted,
            initialized,
            shown,
            completions,
            events: _,
            // In a section of its own.
            work: _,
            auto_toggle: _,
            bad_address: _,
            shared_memory_handle,
        } = self;
        let client =
            |Client { session, event, allows_vram_save }| SavedClient { session: session.0, event, allows_vram_save };
        let completion = |&Completion { client, interrupt, ticks }: &Completion| SavedCompletion {
            client: client.map(|client| client as u8),
            interrupt: interrupt as u8,
            ticks,
        };
        SavedGsp {
            page: Box::new(std::array::from_fn(|word| page.load(word * 4))),
            clients: clients.map(|registered| registered.map(client)),
            holder: right.holder().map(|session| session.0),
            waiting: right.waiting().map(|session| session.0).collect(),
            granted: granted.iter().map(|session| session.0).collect(),
            initialized: *initialized,
            shown: shown.map(|info| info.map(FramebufferInfo::words)),
            completions: completions.iter().map(completion).collect(),
            shared_memory_handle: *shared_memory_handle,
        }
    }

    /// Puts a state back; the words of the shared page go into the page that is in use.
    pub(crate) fn restore(&mut self, GspState { saved, completions }: GspState) {
        for (word, &value) in saved.page.iter().enumerate() {
            self.page.store(word * 4, value);
        }
        let client = |SavedClient { session, event, allows_vram_save }| Client {
            session: Session(session),
            event,
            allows_vram_save,
        };
        self.clients = saved.clients.map(|registered| registered.map(client));
        self.right = RenderingRight::restore(saved.holder.map(Session), saved.waiting.into_iter().map(Session));
        self.granted = saved.granted.into_iter().map(Session).collect();
        self.initialized = saved.initialized;
        self.shown = saved.shown.map(|info| info.map(FramebufferInfo::from_words));
        self.completions = completions;
        self.shared_memory_handle = saved.shared_memory_handle;
    }
}
