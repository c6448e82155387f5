//! Which channel runs.
//!
//! One channel is current: its state is in the registers of the cache. In exact mode that of the others is in
//! RAMFC, in instance memory. A channel gives way when it has nothing to do, when it yields, and when it waits for a
//! semaphore.

use triglyph_guest::id::ChannelId;
use triglyph_guest::rsx::ramfc::Field;

use super::graph::Graph;
use super::ramin;
use super::{Cache, Channel, Fetch, Method, Puller, Stop, run};
use crate::class_3d::draw_closed;
use crate::core::Core;
use crate::system::host_events::HostEvents;
use triglyph_engine::device::Waiting;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::render::Renderer;

/// Channels of the chip.
pub const CHANNELS: u32 = triglyph_guest::rsx::ramfc::CHANNELS;

/// What is switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Channels are switched (register CACHES).
    pub reassign: bool,
    /// Methods may enter the cache (PUSH0).
    pub push: bool,
    /// The pusher fetches (DMA_PUSH).
    pub dma_push: bool,
    /// Methods leave the cache (PULL0).
    pub pull: bool,
    /// The method that waits is one that no handle was found for (PULL0).
    pub hash_failed: bool,
    /// Bit n: channel n has a push buffer (MODE).
    pub dma_mode: u32,
}

/// PFIFO.
#[derive(Debug)]
pub struct Fifo {
    /// The current channel.
    pub(crate) live: Channel,
    pub(super) current: u32,
    /// Whether a channel was ever chosen: in fast mode there is no other then.
    pub(super) chosen: bool,
    pub(crate) cache: Cache,
    pub(crate) switches: Switches,
    pub(super) graphs: [Option<Box<Graph>>; CHANNELS as usize],
    pub(super) fetch: Fetch,
}

impl Default for Fifo {
    fn default() -> Self {
        Fifo {
            live: Channel::default(),
            current: 0,
            chosen: false,
            cache: Cache::default(),
            switches: Switches {
                reassign: true,
                push: true,
                dma_push: true,
                pull: true,
                hash_failed: false,
                dma_mode: u32::MAX,
            },
            graphs: Default::default(),
            fetch: Fetch::default(),
        }
    }
}

impl Fifo {
    /// The number of the current channel.
    pub fn current(&self) -> u32 {
        self.current
    }

    /// The state of the current channel.
    pub fn live(&self) -> &Channel {
        &self.live
    }

    /// The engine objects of a channel, once it has run.
    pub fn graph(&self, channel: u32) -> Option<&Graph> {
        self.graphs.get(channel as usize)?.as_deref()
    }

    pub(crate) fn graph_mut(&mut self, channel: u32) -> Option<&mut Graph> {
        Some(self.graphs.get_mut(channel as usize)?.get_or_insert_default())
    }

    pub(crate) fn drop_graph(&mut self, channel: u32) {
        if let Some(graph) = self.graphs.get_mut(channel as usize) {
            *graph = None;
        }
    }

    /// Makes a channel current. False for channels that there are not, in fast mode for all but one.
    pub(crate) fn select(&mut self, core: &Core, channel: u32) -> bool {
        if channel >= CHANNELS {
            return false;
        }
        match core.ramin() {
            None if self.chosen && channel != self.current => return false,
            Some(ramin) if channel != self.current => {
                let (old, new) = (ramin.ramfc.channel(self.current), ramin.ramfc.channel(channel));
                for field in Field::ALL {
                    ramin.write(&core.memory, old + field.offset(), self.live.field(field));
                }
                for field in Field::ALL {
                    self.live.set_field(field, ramin.read(&core.memory, new + field.offset()));
                }
            }
            _ => {}
        }
        self.current = channel;
        self.chosen = true;
        true
    }

    /// A field of any channel's state.
    pub(crate) fn field(&self, core: &Core, channel: u32, field: Field) -> u32 {
        match core.ramin() {
            _ if channel == self.current => self.live.field(field),
            Some(ramin) if channel < CHANNELS => {
                ramin.read(&core.memory, ramin.ramfc.channel(channel) + field.offset())
            }
            _ => 0,
        }
    }

    /// Sets a field of any channel's state.
    pub(crate) fn set_field(&mut self, core: &Core, channel: u32, field: Field, word: u32) {
        match core.ramin() {
            _ if channel == self.current => self.live.set_field(field, word),
            Some(ramin) if channel < CHANNELS => {
                ramin.write(&core.memory, ramin.ramfc.channel(channel) + field.offset(), word);
            }
            _ => {}
        }
    }

    /// The state of any channel, to look at.
    pub(crate) fn state_of(&self, core: &Core, channel: u32) -> Channel {
        let mut state = self.live.clone();
        if channel != self.current {
            for field in Field::ALL {
                state.set_field(field, self.field(core, channel, field));
            }
        }
        state
    }

    /// What a channel waits for that has stopped, if it waits.
    pub(crate) fn waiting(&self, core: &Core, channel: u32, stop: Stop) -> Option<Waiting> {
        let state = self.state_of(core, channel);
        let channel = ChannelId::new(channel);
        match stop {
            Stop::Idle | Stop::OutOfFuel | Stop::SliceOver | Stop::Yielded => None,
            Stop::Parked => Some(Waiting::PushBuffer { channel, offset: state.get }),
            Stop::Error | Stop::Stalled => Some(Waiting::Processor { channel }),
            Stop::Blocked => {
                let object = core.resolve(state.semaphore);
                let offset = u64::from(state.semaphore_offset.unwrap_or(0));
                let place = object.and_then(|object| object.range(offset, 4)).unwrap_or(GuestAddr::new(0, offset));
                Some(Waiting::Semaphore { channel, place, value: state.acquire.unwrap_or(0) })
            }
        }
    }

    /// Whether a channel has words to execute, or waits for a semaphore.
    pub(crate) fn has_work(&self, core: &Core, channel: u32) -> bool {
        if channel == self.current {
            return self.live.has_work() || !self.cache.is_empty();
        }
        let Some(ramin) = core.ramin() else { return false };
        let mut other = Channel::default();
        for field in [Field::DmaPut, Field::DmaGet, Field::DmaState, Field::Pull1] {
            other.set_field(field, ramin.read(&core.memory, ramin.ramfc.channel(channel) + field.offset()));
        }
        other.has_work()
    }

    /// Runs all channels for which `wanted` is set until none can go on, and says why each has stopped that was run.
    pub(crate) fn run_all(
        &mut self,
        core: &mut Core,
        host_events: &mut HostEvents,
        wanted: u32,
    ) -> [Option<Stop>; CHANNELS as usize] {
        let mut stops = [None; CHANNELS as usize];
        let mut next = self.current;
        while let Some(channel) = self.next(core, wanted, next, &stops) {
            if !self.select(core, channel) {
                break;
            }
            let before = core.budget.now();
            let stop = self.run_current(core, host_events);
            if core.budget.now() != before {
                // What it did may be what others wait for.
                for other in stops.iter_mut().filter(|stop| **stop == Some(Stop::Blocked)) {
                    *other = None;
                }
            }
            // Who yields is asked again once all others had their turn.
            if stop == Stop::Yielded {
                let others = stops.iter_mut().filter(|stop| **stop == Some(Stop::Yielded));
                others.for_each(|stop| *stop = None);
            }
            stops[channel as usize] = Some(stop);
            if matches!(stop, Stop::OutOfFuel | Stop::SliceOver) {
                break;
            }
            if stop == Stop::Yielded && self.next(core, wanted, channel + 1, &stops).is_none() {
                stops[channel as usize] = None;
            }
            next = channel + 1;
        }
        stops
    }

    /// The next channel to run, from `first` on, among those that have not stopped.
    fn next(&self, core: &Core, wanted: u32, first: u32, stops: &[Option<Stop>]) -> Option<u32> {
        let runs = |channel: &u32| {
            // Methods that wait in the cache are the current channel's.
            let others = self.switches.reassign && self.cache.is_empty();
            let bit = wanted >> channel & 1 != 0 && (others || *channel == self.current);
            bit && stops[*channel as usize].is_none() && self.has_work(core, *channel)
        };
        (0..CHANNELS).map(|step| (first + step) % CHANNELS).find(runs)
    }

    /// What the current channel has drawn counts for it: a bounded run may have left it in the middle of its work.
    pub(crate) fn settle(&mut self, core: &mut Core) {
        if let Some(graph) = &mut self.graphs[self.current as usize] {
            graph.finish(core);
        }
    }

    /// Runs the current channel until it stops. Memory shows everything it did.
    fn run_current(&mut self, core: &mut Core, host_events: &mut HostEvents) -> Stop {
        let (channel, id) = (&mut self.live, self.current);
        let graph = self.graphs[id as usize].get_or_insert_default();
        core.big_endian = channel.big_endian;
        // What an interrupted run has left.
        if !draw_closed(core) {
            return Stop::SliceOver;
        }
        let mut puller = Puller { core, graph, host_events, id };
        let (cache, fetch, switches) = (&mut self.cache, &mut self.fetch, self.switches);
        let fetches = switches.push && switches.dma_push && switches.dma_mode >> id & 1 != 0;
        let memory = puller.core.memory.share();
        let run = |puller: &mut Puller<'_>| {
            puller.core.renderer.set_background_reads(ramin::RANGE);
            let stop = pull(channel, cache, switches, puller);
            stop.or_else(|| Some(if fetches { run(channel, fetch, puller) } else { Stop::Idle }))
        };
        let stop = Renderer::with_background(&mut puller, |puller| &mut puller.core.renderer, &memory, run);
        drop(memory);
        if let Some((call, hash_failed)) = host_events.stalled.take() {
            self.cache.push(call.subchannel, call.method, call.data);
            (self.switches.pull, self.switches.hash_failed) = (false, hash_failed);
        }
        // Between two commands of a channel that goes on soon nothing has to be seen.
        if stop == Some(Stop::SliceOver) || !core.draw_all() {
            return Stop::SliceOver;
        }
        graph.finish(core);
        stop.unwrap_or(Stop::Idle)
    }
}

/// What waits from before: a semaphore, then methods in the cache.
fn pull(channel: &mut Channel, cache: &mut Cache, switches: Switches, puller: &mut Puller<'_>) -> Option<Stop> {
    if !switches.pull {
        return Some(Stop::Stalled);
    }
    if let Some(value) = channel.acquire
        && let Some(stop) = puller.acquire(channel, value)
    {
        return Some(stop);
    }
    while let Some([method, data]) = cache.first() {
        if !puller.core.draw_all() {
            return Some(Stop::SliceOver);
        }
        cache.drop_first();
        if !puller.core.budget.spend_words(1, 1) {
            return Some(Stop::OutOfFuel);
        }
        let to = Method { subchannel: method >> 13 & 7, method: method & 0x1FFC, increasing: true };
        if let (_, Some(stop)) = puller.methods(channel, to, &[data]) {
            return Some(stop);
        }
        if puller.core.budget.is_over() {
            return Some(Stop::SliceOver);
        }
    }
    None
}
