//! PFIFO in a snapshot.

use triglyph_guest::rsx::ramfc::CHANNELS;

use super::cache::{Cache, SavedCache};
use super::graph::{Graph, SavedGraph};
use super::{Channel, Fetch, Fifo, SavedChannel, Switches};
use triglyph_engine::snapshot::state;

state! {
    /// The current channel, what waits, and the engine objects of all channels.
    pub(in crate) struct SavedFifo {
        live: SavedChannel,
        current: u32,
        chosen: bool,
        cache: SavedCache,
        switches: SavedSwitches,
        graphs: Vec<Option<SavedGraph>>,
    }
    pub(in crate) struct SavedSwitches {
        reassign: bool,
        push: bool,
        dma_push: bool,
        pull: bool,
        hash_failed: bool,
        dma_mode: u32,
    }
}

impl Fifo {
    pub(crate) fn save(&self) -> SavedFifo {
        let Fifo { live, current, chosen, cache, switches, graphs, fetch: _ } = self;
        let Switches { reassign, push, dma_push, pull, hash_failed, dma_mode } = *switches;
        SavedFifo {
            live: live.save(),
            current: *current,
            chosen: *chosen,
            cache: cache.save(),
            switches: SavedSwitches { reassign, push, dma_push, pull, hash_failed, dma_mode },
            graphs: graphs.iter().map(|graph| graph.as_deref().map(Graph::save)).collect(),
        }
    }

    /// The PFIFO that was saved; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedFifo) -> Option<Self> {
        if saved.current >= CHANNELS || saved.graphs.len() != CHANNELS as usize {
            return None;
        }
        let mut graphs: [Option<Box<Graph>>; CHANNELS as usize] = Default::default();
        for (graph, saved) in graphs.iter_mut().zip(saved.graphs) {
            *graph = match saved {
                Some(saved) => Some(Box::new(Graph::restore(saved)?)),
                None => None,
            };
        }
        let SavedSwitches { reassign, push, dma_push, pull, hash_failed, dma_mode } = saved.switches;
        Some(Fifo {
            live: Channel::restore(saved.live),
            current: saved.current,
            chosen: saved.chosen,
            cache: Cache::restore(saved.cache)?,
            switches: Switches { reassign, push, dma_push, pull, hash_failed, dma_mode },
            graphs,
            fetch: Fetch::default(),
        })
    }
}
