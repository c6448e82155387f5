//! The PS3 in a snapshot.

use crate::Rsx;
use crate::core::SavedObjects;
use crate::front_end::dma::space;
use crate::front_end::segments::{SavedSegments, Segments};
use crate::front_end::{Fifo, SavedFifo};
use crate::system::lv1::{Lv1, PAGES, SavedLv1, XDR};
use crate::system::mmio_words::{Mmio, SavedMmio};
use triglyph_engine::device::Machine;
use triglyph_engine::error::Error;
use triglyph_engine::mem::GuestRange;
use triglyph_engine::snapshot::{
    MAPS, MemoryImage, PAGES as BYTES, SectionKind, Sections, SnapshotOptions, Writer, broken, state,
};

const BOARD: SectionKind = SectionKind { number: 1, version: 2, name: "BOARD" };
const FIFO: SectionKind = SectionKind { number: 2, version: 2, name: "FIFO" };
const LV1: SectionKind = SectionKind { number: 3, version: 1, name: "LV1" };

state! {
    /// What is neither PFIFO nor the hypervisor. Events that the host has not taken are no state.
    struct SavedBoard {
        objects: SavedObjects,
        big_endian: bool,
        has_objects: bool,
        clock: u64,
        interrupts: u32,
        enabled: u32,
        mmio: SavedMmio,
        segments: SavedSegments,
    }
}

impl Rsx {
    /// The state of the whole machine between two calls, and guest memory if `options` say so. Taking it changes
    /// nothing. In exact mode instance memory is guest memory: without memory in the snapshot the host keeps it.
    pub(crate) fn take_snapshot(&mut self, options: SnapshotOptions) -> Vec<u8> {
        self.fifo.settle(&mut self.core);
        self.core.flush();
        let mut writer = Writer::new(Machine::Ps3, options.compressed);
        writer.section(
            BOARD,
            &SavedBoard {
                objects: self.core.objects().save(),
                big_endian: self.big_endian,
                has_objects: self.has_objects,
                clock: self.core.budget.now(),
                interrupts: self.host_events.interrupts,
                enabled: self.host_events.enabled,
                mmio: self.mmio.save(),
                segments: self.segments.save(),
            },
        );
        writer.section(FIFO, &self.fifo.save());
        writer.section(LV1, &self.host_events.lv1.save());
        writer.finish_with(&self.core.memory, options)
    }

    /// Takes the state of a snapshot over. Kernels, counters, faults and the host's handler stay.
    ///
    /// # Errors
    /// As [`Device::restore`](triglyph_engine::Device::restore); a snapshot of the other mode is refused.
    pub(crate) fn restore_snapshot(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        sections.check(Machine::Ps3, &[BOARD, FIFO, LV1, MAPS, BYTES])?;
        let board = sections.get::<SavedBoard>(BOARD)?;
        let objects = self.core.objects().restore(board.objects).ok_or_else(|| broken("of another mode"))?;
        let mmio = Mmio::restore(board.mmio).ok_or_else(|| BOARD.impossible())?;
        let segments = Segments::restore(board.segments).ok_or_else(|| BOARD.impossible())?;
        let fifo = Fifo::restore(sections.get::<SavedFifo>(FIFO)?).ok_or_else(|| FIFO.impossible())?;
        let lv1 = Lv1::restore(sections.get::<SavedLv1>(LV1)?).ok_or_else(|| LV1.impossible())?;
        let may_map = |range: GuestRange| [space::LOCAL, space::MAIN, PAGES, XDR].contains(&range.start.space);
        let memory = MemoryImage::check(&sections, "PS3", may_map)?;
        self.core.flush();
        // The last that can fail: from here on everything is taken over.
        if let Some(memory) = memory {
            memory.restore(&mut self.core.memory)?;
        }
        lv1.show_io(&mut self.core.memory);
        *self.core.objects_mut() = objects;
        self.core.budget.set_clock(board.clock);
        (self.host_events.interrupts, self.host_events.enabled) = (board.interrupts, board.enabled);
        (self.host_events.lv1, self.host_events.stalled) = (lv1, None);
        (self.big_endian, self.has_objects) = (board.big_endian, board.has_objects);
        (self.fifo, self.mmio, self.segments) = (fifo, mmio, segments);
        Ok(())
    }
}
