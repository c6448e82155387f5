//! The Tegra X1 in a snapshot.

use std::collections::BTreeMap;

use super::channel::{Channel, SavedChannel};
use super::core::{ADDRESS_MASK, SPACE, SavedCore};
use super::device::{CHANNELS, TegraX1};
use crate::device::Machine;
use crate::error::Error;
use crate::snapshot::{
    MAPS, MemoryImage, PAGES, SectionKind, Sections, SnapshotOptions, Writer, broken, save_memory, state,
};

const BOARD: SectionKind = SectionKind { number: 1, version: 1, name: "BOARD" };
/// One for each channel, in the order of their numbers.
const CHANNEL: SectionKind = SectionKind { number: 2, version: 1, name: "CHANNEL" };

state! {
    struct NumberedChannel { number: u32, channel: SavedChannel }
}

impl TegraX1 {
    /// The state of the whole machine between two calls, and guest memory if `options` say so. Taking it changes nothing.
    pub fn snapshot(&mut self, options: SnapshotOptions) -> Vec<u8> {
        self.core.flush();
        let mut writer = Writer::new(Machine::TegraX1, options.compression);
        writer.section(BOARD, &self.core.save());
        for (&number, channel) in &self.channels {
            writer.section(CHANNEL, &NumberedChannel { number, channel: channel.save() });
        }
        if options.memory {
            save_memory(&self.core.memory, &mut writer);
        }
        writer.finish()
    }

    /// Takes the state of a snapshot over. Kernels, counters and faults stay.
    ///
    /// # Errors
    /// As [`Device::restore`](crate::Device::restore).
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        sections.check(Machine::TegraX1, &[BOARD, CHANNEL, MAPS, PAGES])?;
        let impossible = |kind: SectionKind| broken(format!("{}: an impossible state", kind.name));
        let board = Some(sections.get::<SavedCore>(BOARD)?).filter(SavedCore::is_sound);
        let board = board.ok_or_else(|| impossible(BOARD))?;
        let mut channels = BTreeMap::new();
        for saved in sections.each::<NumberedChannel>(CHANNEL) {
            let NumberedChannel { number, channel } = saved?;
            let channel = Channel::restore(channel).filter(|_| number < CHANNELS).ok_or_else(|| impossible(CHANNEL))?;
            if channels.insert(number, channel).is_some() {
                return Err(impossible(CHANNEL));
            }
        }
        let memory = MemoryImage::check(&sections)?;
        let outside = |end: u64, space: u32| space != SPACE || end > ADDRESS_MASK + 1;
        if memory.iter().flat_map(MemoryImage::mappings).any(|map| outside(map.end(), map.space)) {
            return Err(broken("memory that a Tegra X1 does not have"));
        }
        self.core.flush();
        // The last that can fail: from here on everything is taken over.
        if let Some(memory) = memory {
            memory.restore(&mut self.core.memory)?;
        }
        self.core.restore(board);
        self.channels = channels;
        Ok(())
    }
}
