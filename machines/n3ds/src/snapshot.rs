//! The 3DS in a snapshot.

use super::N3ds;
use super::external::SavedExternal;
use super::gsp::{GspState, SavedGsp};
use super::pica::{Pica, SavedPica};
use triglyph_engine::device::Machine;
use triglyph_engine::error::Error;
use triglyph_engine::snapshot::{
    MAPS, MemoryImage, PAGES, SectionKind, Sections, SnapshotOptions, Writer, broken, save_memory,
};

const PICA: SectionKind = SectionKind { number: 1, version: 2, name: "PICA" };
const EXTERNAL: SectionKind = SectionKind { number: 2, version: 1, name: "EXTERNAL" };
const GSP: SectionKind = SectionKind { number: 3, version: 1, name: "GSP" };

impl N3ds {
    /// The state of the whole machine between two calls: PICA200, external registers, LCD controllers, GSP with its
    /// shared page, and guest memory if `options` say so. Taking it changes nothing.
    pub fn snapshot(&mut self, options: SnapshotOptions) -> Vec<u8> {
        // Draws that are binned count as done; vertices that still wait for others of their kind are state.
        self.core.renderer.flush(&self.core.memory);
        self.core.pica.show_densest();
        let mut writer = Writer::new(Machine::N3ds, options.compressed);
        writer.section(PICA, &self.core.pica.save());
        writer.section(EXTERNAL, &self.external.save());
        writer.section(GSP, &self.gsp.save());
        if options.memory {
            save_memory(&self.core.memory, &mut writer);
        }
        writer.finish()
    }

    /// Takes the state of a snapshot over. Kernels stay; counters, faults and what the host has chosen do as well:
    /// accuracy, limits, policies, a shared page of the host's, into which the words are stored.
    ///
    /// # Errors
    /// As [`Device::restore`](triglyph_engine::Device::restore).
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), Error> {
        let sections = Sections::new(snapshot)?;
        sections.check(Machine::N3ds, &[PICA, EXTERNAL, GSP, MAPS, PAGES])?;
        let impossible = |kind: SectionKind| broken(format!("{}: an impossible state", kind.name));
        let pica = Pica::restore(sections.get::<SavedPica>(PICA)?, self.core.pica.limits());
        let mut pica = pica.ok_or_else(|| impossible(PICA))?;
        pica.set_numbers(self.core.pica.numbers());
        let external = sections.get::<SavedExternal>(EXTERNAL)?;
        let gsp = GspState::check(sections.get::<SavedGsp>(GSP)?).ok_or_else(|| impossible(GSP))?;
        let memory = MemoryImage::check(&sections)?;
        if memory
            .iter()
            .flat_map(MemoryImage::mappings)
            .any(|map| map.range.start.space != 0 || map.range.end() > 1 << 32)
        {
            return Err(broken("memory that a 3DS does not have"));
        }
        self.core.renderer.flush(&self.core.memory);
        // The last that can fail: from here on everything is taken over.
        if let Some(memory) = memory {
            memory.restore(&mut self.core.memory)?;
        }
        self.core.pica = pica;
        self.external.restore(external);
        self.gsp.restore(gsp);
        Ok(())
    }
}
