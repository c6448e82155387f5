//! What the 3DS's external registers drive: the PICA200, guest memory, the renderer.

use std::time::Instant;

use triglyph_guest::pica::{external, regs};

use crate::class_3d;
use crate::class_3d::{Host, Pica};
use crate::system::external::{CommandProcessor, ListEnd};
use triglyph_engine::device::{CallLog, FaultKind, FaultLog};
use triglyph_engine::frontend::budget::{Budget, cost};
use triglyph_engine::mem::{GuestRange, Memory};
use triglyph_engine::probe::Command;
use triglyph_engine::render::Renderer;
use triglyph_engine::scene::Fixed;
use triglyph_engine::transfer::{Outcome, Request};

/// The PICA200 and what it works on.
#[derive(Debug)]
pub struct Core {
    /// Guest memory.
    pub memory: Memory,
    /// Kernels, threads, the scene.
    pub renderer: Renderer<Fixed>,
    /// The command processor.
    pub pica: Pica,
    /// Faults of the guest.
    pub faults: FaultLog,
    /// What bounds a run, and time.
    pub budget: Budget,
    /// Result of a list that a bounded run suspended, until the queue consumes it.
    pub(super) ended: Option<ListEnd>,
    /// Recorder of the host's calls.
    pub(super) calls: CallLog,
}

impl Core {
    triglyph_engine::core_of_machine!(runs);

    fn with_pica<T>(&mut self, f: impl FnOnce(&mut Pica, &mut Host<'_>) -> T) -> T {
        let Core { memory, renderer, faults, budget, pica, ended: _, calls: _ } = self;
        f(pica, &mut Host { memory, renderer, faults, budget })
    }

    /// Goes on with the list that was begun. `None` when a bounded run is over before its end.
    fn continue_list(&mut self) -> Option<ListEnd> {
        let (start, before) = (Instant::now(), *self.renderer.stages());
        let Core { memory, renderer, faults, budget, pica, .. } = self;
        let end = Renderer::with_background(
            renderer,
            |renderer| renderer,
            memory,
            |renderer| pica.run_list(&mut Host { memory, renderer, faults, budget }),
        );
        let after = *self.renderer.stages();
        // What is not spent in a later stage is the front end's; stages that run on several threads count once too
        // often, so this errs on the low side.
        let inside = (after.vertex + after.setup + after.raster + after.texture)
            .saturating_sub(before.vertex + before.setup + before.raster + before.texture);
        self.renderer.add_front_end(start.elapsed().saturating_sub(inside));
        let class_3d::ListEnd { interrupt, words, triangles } = end?;
        Some(ListEnd { interrupt, words, triangles })
    }

    /// Finishes the list that a bounded run has left, before anything else drives the hardware.
    fn settle(&mut self) {
        if self.pica.is_running() {
            self.ended = self.continue_list();
        }
    }
}

impl CommandProcessor for Core {
    fn run_list(&mut self, address: u32, size: u32) -> ListEnd {
        self.settle();
        if !self.budget.is_bounded() {
            self.budget.refuel();
        }
        self.pica.start_list(address, size);
        self.continue_list().unwrap_or_default()
    }

    fn is_suspended(&self) -> bool {
        self.pica.is_running() || self.ended.is_some()
    }

    fn go_on(&mut self) -> Option<ListEnd> {
        self.ended.take().or_else(|| self.continue_list())
    }

    fn draw_closed(&mut self) -> bool {
        self.renderer.draw_closed(&self.memory)
    }

    fn budget(&mut self) -> Option<&mut Budget> {
        Some(&mut self.budget)
    }

    fn calls(&mut self) -> Option<(&mut CallLog, &Memory)> {
        Some((&mut self.calls, &self.memory))
    }

    fn write_register(&mut self, id: u32, value: u32, byte_mask: u32) -> bool {
        self.settle();
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
        self.settle();
        if !self.budget.charge(cost::COMMAND + request.fuel()) {
            let what = "the transfer exceeds the budget";
            self.faults.record(FaultKind::OutOfFuel, request.target().address, 0, what);
            return Outcome::default();
        }
        // Between two transfers of a command nothing is drawn.
        if !self.renderer.has_closed() {
            self.with_pica(|pica, host| pica.finish(host));
        }
        if !self.renderer.is_observed() {
            return self.renderer.transfer(&self.memory, request);
        }
        let command = transfer_command(request);
        self.renderer.begin_command(&self.memory, &command, &[], self.faults.mark());
        let outcome = self.renderer.transfer(&self.memory, request);
        self.renderer.end_command(&self.memory, &command, &[], &self.faults);
        outcome
    }

    fn is_mapped(&self, range: GuestRange) -> bool {
        self.memory.check_mapped(range).is_ok()
    }

    fn fault(&mut self, kind: FaultKind, what: String, address: u64) {
        self.budget.charge(cost::FAULT);
        self.faults.record(kind, address, 0, what);
    }
}

/// The register write that starts a transfer, for observers. Copies of GSP's DMA count as the transfer engine's.
fn transfer_command(request: &Request) -> Command {
    let method = match request {
        Request::Fill(_) => external::psc_control::IDS[0],
        _ => external::ppf_control::ID,
    };
    Command { class: 1, method: method as u32, value: 1, position: 0 }
}
