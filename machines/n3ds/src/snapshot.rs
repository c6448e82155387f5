//! The 3DS in a snapshot.

use crate::N3ds;
use crate::class_3d::{Pica, SavedList, SavedPica};
use crate::system::external::{ListEnd, SavedExternal};
use crate::system::gsp::{GspState, SavedGsp, SavedWork};
use crate::system::spaces::PROCESS;
use triglyph_engine::device::Machine;
use triglyph_engine::error::Error;
use triglyph_engine::mem::GuestRange;
use triglyph_engine::snapshot::{MAPS, MemoryImage, PAGES, SectionKind, Sections, SnapshotOptions, Writer, state};

const PICA: SectionKind = SectionKind { number: 1, version: 2, name: "PICA" };
const EXTERNAL: SectionKind = SectionKind { number: 2, version: 1, name: "EXTERNAL" };
const GSP: SectionKind = SectionKind { number: 3, version: 1, name: "GSP" };
const WORK: SectionKind = SectionKind { number: 4, version: 2, name: "WORK" };

state! {
    /// What a bounded run has left: a list, how a list has ended of which the queue has not heard, commands.
    struct SavedRun { list: Option<SavedList>, ended: Option<SavedEnd>, work: SavedWork }
    struct SavedEnd { interrupt: bool, words: u64, triangles: u64 }
}

impl SavedRun {
    /// Whether there is such a state: a command waits for a list that is under way.
    fn is_sound(&self) -> bool {
        let suspended = self.list.is_some() || self.ended.is_some();
        self.work.is_sound() && self.work.is_suspended() == suspended && !(self.list.is_some() && self.ended.is_some())
    }
}

impl N3ds {
    /// The state of the whole machine between two calls: PICA200, external registers, LCD controllers, GSP with its
    /// shared page, and guest memory if `options` say so. Taking it changes nothing.
    pub(crate) fn take_snapshot(&mut self, options: SnapshotOptions) -> Vec<u8> {
        // Draws that are binned count as done; vertices that still wait for others of their kind are state.
        self.core.renderer.flush(&self.core.memory);
        self.core.pica.show_densest();
        let mut writer = Writer::new(Machine::N3ds, options.compressed);
        writer.section(PICA, &self.core.pica.save());
        writer.section(EXTERNAL, &self.external.save());
        writer.section(GSP, &self.gsp.save());
        let end = |ListEnd { interrupt, words, triangles }| SavedEnd { interrupt, words, triangles };
        let (list, ended) = (self.core.pica.save_list(), self.core.ended.map(end));
        writer.section(WORK, &SavedRun { list, ended, work: self.gsp.save_work() });
        writer.finish_with(&self.core.memory, options)
    }

    /// Takes the state of a snapshot over. Kernels stay; counters, faults and what the host has chosen do as well:
    /// accuracy, limits, policies, a shared page of the host's, into which the words are stored.
    ///
    /// # Errors
    /// As [`Device::restore`](triglyph_engine::Device::restore).
    pub(crate) fn restore_snapshot(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        sections.check(Machine::N3ds, &[PICA, EXTERNAL, GSP, WORK, MAPS, PAGES])?;
        let pica = Pica::restore(sections.get::<SavedPica>(PICA)?, self.core.pica.limits());
        let mut pica = pica.ok_or_else(|| PICA.impossible())?;
        pica.set_numbers(self.core.pica.numbers());
        let external = sections.get::<SavedExternal>(EXTERNAL)?;
        let gsp = GspState::check(sections.get::<SavedGsp>(GSP)?).ok_or_else(|| GSP.impossible())?;
        let run = Some(sections.get::<SavedRun>(WORK)?).filter(SavedRun::is_sound).ok_or_else(|| WORK.impossible())?;
        let may_map = |range: GuestRange| range.start.space <= PROCESS && range.end() <= 1 << 32;
        let memory = MemoryImage::check(&sections, "3DS", may_map)?;
        self.core.renderer.flush(&self.core.memory);
        // The last that can fail: from here on everything is taken over.
        if let Some(memory) = memory {
            memory.restore(&mut self.core.memory)?;
        }
        pica.restore_list(run.list);
        let end = |SavedEnd { interrupt, words, triangles }| ListEnd { interrupt, words, triangles };
        self.core.ended = run.ended.map(end);
        self.gsp.restore_work(run.work);
        self.core.pica = pica;
        self.external.restore(external);
        self.gsp.restore(gsp);
        Ok(())
    }
}
