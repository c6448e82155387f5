//! Words of a push buffer, fetched some way ahead.

use super::Channel;
use super::dma::DmaObject;
use crate::core::Core;
use triglyph_engine::mem::{GuestAddr, read_words};

/// Words fetched at a time.
const WORDS: usize = 1024;

/// A copy of the words from some offset on. The guest may change memory after PUT at any time, so words are copied
/// before they are looked at; the hardware fetches ahead too.
#[derive(Debug)]
pub struct Fetch {
    words: Box<[u32; WORDS]>,
    /// Offset of the first word.
    start: u32,
    /// How many are valid.
    count: usize,
    /// The memory of the push buffer.
    buffer: Option<DmaObject>,
}

/// Why there are no words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfetched {
    /// No object is there to read, or GET is beyond it.
    NoObject,
    /// Nothing is mapped where the object says that they are.
    NotMapped(GuestAddr),
    /// A recording has to look at memory before.
    Unrecorded,
}

impl Default for Fetch {
    fn default() -> Self {
        Fetch { words: Box::new([0; WORDS]), start: 0, count: 0, buffer: None }
    }
}

impl Fetch {
    /// Forgets what was fetched, and looks where a channel has its words.
    pub(super) fn begin(&mut self, core: &Core, channel: &Channel) {
        self.count = 0;
        self.buffer = channel.memory(core).filter(|memory| memory.read);
    }

    /// The words from GET on that can be executed, at least one.
    #[inline]
    pub(super) fn words(&mut self, core: &mut Core, channel: &Channel) -> Result<&[u32], Unfetched> {
        let skipped = (channel.get.wrapping_sub(self.start) / 4) as usize;
        if skipped < self.count {
            return Ok(&self.words[skipped..self.count]);
        }
        self.fill(core, channel)
    }

    #[cold]
    fn fill(&mut self, core: &mut Core, channel: &Channel) -> Result<&[u32], Unfetched> {
        self.count = 0;
        let buffer = self.buffer.ok_or(Unfetched::NoObject)?;
        // Titles have the GPU wait in front of a jump to itself, and overwrite it when all else is written.
        core.memory.note_host_writes();
        // With PUT ahead, what stands behind it is not valid yet. With PUT behind, a jump has to come.
        let wanted = match channel.put.checked_sub(channel.get) {
            Some(bytes) => bytes as usize / 4,
            None => WORDS,
        };
        let most = buffer.limit.saturating_add(1).saturating_sub(channel.get.into()) / 4;
        let wanted = wanted.min(WORDS).min(usize::try_from(most).unwrap_or(WORDS));
        let place = buffer.range(channel.get.into(), 4 * wanted as u64).filter(|_| wanted > 0);
        let place = place.ok_or(Unfetched::NoObject)?;
        if core.memory.is_unrecorded(place.range(4 * wanted as u64)) {
            core.budget.cut();
            return Err(Unfetched::Unrecorded);
        }
        core.renderer.flush_overlapping(&core.memory, place.range(4 * wanted as u64));
        let window = core.memory.readable(place);
        self.count = read_words(window, &mut self.words[..wanted], channel.big_endian);
        self.start = channel.get;
        if self.count > 0 { Ok(&self.words[..self.count]) } else { Err(Unfetched::NotMapped(place)) }
    }
}
