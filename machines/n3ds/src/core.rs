//! What the 3DS's external registers drive: the PICA200, guest memory, the renderer.

use std::time::Instant;

use triglyph_guest::pica::regs;

use super::external::{CommandProcessor, ListEnd};
use super::pica::{self, Host, Pica};
use triglyph_engine::device::{FaultKind, FaultLog};
use triglyph_engine::mem::Memory;
use triglyph_engine::render::Renderer;
use triglyph_engine::transfer::{Outcome, Request};

/// The PICA200 and what it works on.
#[derive(Debug)]
pub struct Core {
    /// Guest memory.
    pub memory: Memory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer,
    /// The command processor.
    pub pica: Pica,
    /// FaultLog of the guest.
    pub faults: FaultLog,
}

impl Core {
    fn with_pica<T>(&mut self, f: impl FnOnce(&mut Pica, &mut Host<'_>) -> T) -> T {
        let mut host = Host { memory: &self.memory, renderer: &mut self.renderer, faults: &mut self.faults };
        f(&mut self.pica, &mut host)
    }
}

impl CommandProcessor for Core {
    fn run_list(&mut self, address: u32, size: u32) -> ListEnd {
        let (start, before) = (Instant::now(), *self.renderer.stages());
        let triangles = self.renderer.stats().triangles;
        let end = self.with_pica(|pica, host| pica.run_list(host, address, size));
        let after = *self.renderer.stages();
        // What is not spent in a later stage is the front end's; stages that run on several threads count once too
        // often, so this errs on the low side.
        let inside = (after.vertex + after.setup + after.raster + after.texture)
            .saturating_sub(before.vertex + before.setup + before.raster + before.texture);
        self.renderer.add_front_end(start.elapsed().saturating_sub(inside));
        ListEnd {
            interrupt: end == pica::ListEnd::Interrupt,
            words: u64::from(size) / 4,
            triangles: self.renderer.stats().triangles - triangles,
        }
    }

    fn write_register(&mut self, id: u32, value: u32, byte_mask: u32) -> bool {
        let mask = triglyph_guest::pica::command::Header((byte_mask & 15) << 16).bit_mask();
        self.with_pica(|pica, host| pica.write_from_cpu(host, id as usize, value, mask))
    }

    fn read_register(&mut self, id: u32) -> u32 {
        if id as usize == regs::gas_accmax_feedback::ID {
            // It tells of what is drawn.
            self.with_pica(|pica, host| pica.finish(host));
        }
        self.pica.register(id as usize)
    }

    fn transfer(&mut self, request: &Request) -> Outcome {
        self.with_pica(|pica, host| pica.finish(host));
        self.renderer.transfer(&self.memory, |transfers| transfers.run(request))
    }

    fn fault(&mut self, kind: FaultKind, what: String, address: u64) {
        self.faults.record(kind, address, 0, what);
    }
}
