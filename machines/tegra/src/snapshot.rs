//! The Tegra X1 in a snapshot.

use std::collections::BTreeMap;

use crate::core::{SPACE, SavedCore};
use crate::device::{CHANNELS, Round, TegraX1, is_address};
use crate::front_end::channel::{Channel, SavedChannel};
use crate::system::driver::{Driver, NO_SPACE, SavedDriver};
use triglyph_engine::device::Machine;
use triglyph_engine::error::Error;
use triglyph_engine::snapshot::{MAPS, MemoryImage, PAGES, SectionKind, Sections, SnapshotOptions, Writer, state};

const BOARD: SectionKind = SectionKind { number: 1, version: 2, name: "BOARD" };
/// One for each channel, in the order of their numbers.
const CHANNEL: SectionKind = SectionKind { number: 2, version: 3, name: "CHANNEL" };
const DRIVER: SectionKind = SectionKind { number: 3, version: 1, name: "DRIVER" };

state! {
    struct SavedBoard { core: SavedCore, round: Round }
    struct NumberedChannel { number: u32, channel: SavedChannel }
}

impl TegraX1 {
    /// The state of the whole machine between two calls, and guest memory if `options` say so. Taking it changes
    /// nothing.
    pub(crate) fn take_snapshot(&mut self, options: SnapshotOptions) -> Vec<u8> {
        self.settle();
        let mut writer = Writer::new(Machine::TegraX1, options.compressed);
        writer.section(BOARD, &SavedBoard { core: self.core.save(), round: self.round });
        writer.section(DRIVER, &self.driver.save(&self.core.memory));
        for (&number, channel) in &self.channels {
            writer.section(CHANNEL, &NumberedChannel { number, channel: channel.save() });
        }
        writer.finish_with(&self.core.memory, options)
    }

    /// Takes the state of a snapshot over. Kernels, counters and faults stay.
    ///
    /// # Errors
    /// As [`Device::restore`](triglyph_engine::Device::restore).
    pub(crate) fn restore_snapshot(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        sections.check(Machine::TegraX1, &[BOARD, CHANNEL, DRIVER, MAPS, PAGES])?;
        let board = Some(sections.get::<SavedBoard>(BOARD)?).filter(|board| board.core.is_sound());
        let board = board.ok_or_else(|| BOARD.impossible())?;
        let (driver, views) =
            Driver::restore(sections.get::<SavedDriver>(DRIVER)?).ok_or_else(|| DRIVER.impossible())?;
        let has_space = |space: u32| [SPACE, NO_SPACE].contains(&space) || driver.has_space(space);
        let mut channels = BTreeMap::new();
        for saved in sections.each::<NumberedChannel>(CHANNEL) {
            let NumberedChannel { number, channel } = saved?;
            let sound = |channel: &Channel| number < CHANNELS && has_space(channel.space());
            let channel = Channel::restore(channel).filter(sound).ok_or_else(|| CHANNEL.impossible())?;
            if channels.insert(number, channel).is_some() {
                return Err(CHANNEL.impossible());
            }
        }
        if !driver.has_channels(&channels) {
            return Err(DRIVER.impossible());
        }
        let memory = MemoryImage::check(&sections, "Tegra X1", is_address)?;
        self.settle();
        // The last that can fail: from here on everything is taken over.
        if let Some(memory) = memory {
            memory.restore(&mut self.core.memory)?;
        }
        self.driver.hide_all(&mut self.core.memory);
        views.show(&mut self.core.memory);
        self.driver = driver;
        self.core.restore(board.core);
        self.round = board.round;
        self.channels = channels;
        Ok(())
    }
}
