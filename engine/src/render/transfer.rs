//! Transfers and presentation of pictures, in order with drawing.

use std::time::Instant;

use super::Renderer;
use super::pipeline::Pipeline;
use crate::error::Error;
use crate::mem::{GuestRange, Memory};
use crate::probe::{Effect, Transfer, TransferKind};
use crate::transfer::{Gamma, HostRows, Outcome, Presentation, Presented, Request, ScanOut, Transfers};

impl<P: Pipeline> Renderer<P> {
    /// Does a transfer. What was drawn before and shares no memory with it may be drawn later: for machines whose
    /// stages are all programs, whose scenes know what they read. In bounded runs a large one is done after the
    /// command.
    pub fn transfer_request(&mut self, memory: &Memory, request: &Request) -> Outcome {
        self.note_request(request);
        let (source, target) = (request.source_range(), request.target_range());
        if self.is_left_closed(memory, request) {
            self.close_before_transfer(memory, source, target);
            self.pending.push_transfer(request);
            return Outcome::default();
        }
        if target.is_none() {
            self.flush(memory);
        }
        self.run_after(memory, source, target, |transfers| transfers.run(request))
    }

    #[inline(always)]
    fn note_request(&mut self, request: &Request) {
        if self.is_observed() {
            self.note_effect(Effect::Transfer(Transfer::of(request)));
        }
    }

    /// Whether a transfer is left for [`Self::draw_closed`], which interrupts divide.
    fn is_left_closed(&self, memory: &Memory, request: &Request) -> bool {
        self.interrupter.is_some() && Transfers::new(memory, &self.kernels, &self.scheduler).is_divisible(request)
    }

    /// Closes the scene if a deferred transfer must not be done before it.
    fn close_before_transfer(&mut self, memory: &Memory, source: Option<GuestRange>, target: Option<GuestRange>) {
        self.finish_setup();
        let is_shown = |target| self.scene_reads(memory, target) || self.scene_touches(memory, target);
        if target.is_none_or(is_shown) || source.is_some_and(|source| self.scene_touches(memory, source)) {
            self.close_scene(memory);
        }
    }

    /// As [`Self::transfer_request`], for requests that read and write no more memory than these ranges.
    pub fn transfer_ranges(
        &mut self,
        memory: &Memory,
        source: Option<GuestRange>,
        target: Option<GuestRange>,
        run: impl FnOnce(&Transfers<'_>) -> Outcome,
    ) -> Outcome {
        if self.is_observed() {
            self.note_effect(Effect::Transfer(Transfer { kind: TransferKind::Image, source, target }));
        }
        self.run_after(memory, source, target, run)
    }

    /// Runs a transfer after what was drawn before and concerns these ranges.
    fn run_after(
        &mut self,
        memory: &Memory,
        source: Option<GuestRange>,
        target: Option<GuestRange>,
        run: impl FnOnce(&Transfers<'_>) -> Outcome,
    ) -> Outcome {
        if let Some(range) = target {
            self.flush_before_write(memory, range);
        }
        if let Some(range) = source {
            self.flush_overlapping(memory, range);
        }
        self.timed_transfer(memory, run)
    }

    /// Does a transfer after everything drawn so far. In bounded runs a large one is left [closed](Self::draw_closed).
    pub fn transfer(&mut self, memory: &Memory, request: &Request) -> Outcome {
        self.note_request(request);
        if self.is_left_closed(memory, request) {
            self.close_scene(memory);
            self.pending.push_transfer(request);
            return Outcome::default();
        }
        self.flush(memory);
        self.timed_transfer(memory, |transfers| transfers.run(request))
    }

    /// Stores the picture of a display in rows of the host's, after everything drawn so far. See
    /// [`Transfers::present`].
    ///
    /// # Errors
    /// As there.
    pub fn present(
        &mut self,
        memory: &Memory,
        scan: &ScanOut,
        gamma: Option<&Gamma>,
        rows: &mut HostRows<'_>,
        presented: &mut Presented,
    ) -> Result<Presentation, Error> {
        self.flush(memory);
        // The guest's processors write pictures, too.
        memory.note_host_writes();
        Transfers::new(memory, &self.kernels, &self.scheduler).present(scan, gamma, rows, presented)
    }

    fn timed_transfer(&mut self, memory: &Memory, run: impl FnOnce(&Transfers<'_>) -> Outcome) -> Outcome {
        let start = Instant::now();
        let outcome = run(&Transfers::new(memory, &self.kernels, &self.scheduler));
        self.stats.stages.transfer += start.elapsed();
        outcome
    }
}
