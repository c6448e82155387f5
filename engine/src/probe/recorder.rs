//! The observer of a device, and what is collected for it until a command has ended.

use std::time::Instant;

use super::{Counting, Effect, FragmentCounts, Input, Observer, Surface};
use crate::device::FaultMark;
use crate::mem::{GuestAddr, Memory};
use crate::validate::Validator;

/// The observer, and the effects of the command in progress so far.
#[derive(Default)]
pub struct Probe {
    pub(crate) observer: Option<Box<dyn Observer>>,
    /// Checks draws, if the host asks for that.
    pub(crate) validator: Option<Box<Validator>>,
    pub(crate) effects: Vec<Effect>,
    /// Number of further effects that are not kept.
    pub(crate) left_out: u64,
    /// Whether a command is in progress.
    pub(crate) in_command: bool,
    /// Faults before it.
    pub(crate) faults: FaultMark,
    /// Words that the machine is to store before it.
    pub(crate) edits: Vec<(u32, u32)>,
    /// The pixel whose fragments its draws report.
    pub(crate) pixel: Option<GuestAddr>,
    /// Whether its kernels are watched.
    pub(crate) watches: bool,
    /// Whether its draws are reported with their inputs.
    pub(crate) wants_inputs: bool,
    /// Whether the observer asks for them.
    pub(crate) is_observer_asking: bool,
    /// Primitives of the largest draw whose fragments get results.
    pub(crate) max_judged: usize,
    /// The requested details of their fragments.
    pub(crate) counting: Counting,
    /// When they need not tell of fragments any more.
    pub(crate) deadline: Option<Instant>,
    /// The position of the pixel in the surface that was searched last.
    pub(crate) found: Option<(GuestAddr, Surface, Option<[u32; 2]>)>,
}

/// A pixel of one of the surfaces of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedPixel {
    /// Which surface.
    pub surface: usize,
    /// The stored pixel.
    pub at: [u32; 2],
}

impl Probe {
    /// A probe that checks draws.
    pub(crate) fn of_validator(validator: Validator) -> Self {
        Probe { validator: Some(Box::new(validator)), ..Probe::default() }
    }

    /// What checks draws, if anything does.
    pub(crate) fn validator_mut(&mut self) -> Option<&mut Validator> {
        self.validator.as_deref_mut()
    }

    pub(crate) fn wants_inputs(&self) -> bool {
        self.wants_inputs
    }

    /// Primitives of the largest draw whose fragments get results.
    pub(crate) fn max_judged(&self) -> usize {
        self.max_judged
    }

    /// The requested details of draws' fragments.
    pub(crate) fn counting(&self) -> Counting {
        self.counting
    }

    /// Where a pixel is in a surface. Most draws have that of the draw before, which is not searched again.
    pub(crate) fn place_in(&mut self, surface: &Surface, at: GuestAddr) -> Option<[u32; 2]> {
        match self.found {
            Some((address, known, found)) if address == at && known == *surface => found,
            _ => {
                let found = surface.pixel_at(at);
                self.found = Some((at, *surface, found));
                found
            }
        }
    }

    /// The fragments of a draw.
    pub(crate) fn counts(&mut self, memory: &Memory, counts: &FragmentCounts) {
        if let Some(validator) = self.validator.as_mut().filter(|validator| validator.is_asked()) {
            validator.counts(memory, counts);
        }
        if let Some(observer) = &mut self.observer {
            observer.counts(counts);
        }
    }

    /// An input of a draw.
    pub(crate) fn input(&mut self, input: &Input<'_>) {
        let validator = self.validator.as_mut().filter(|validator| validator.is_asked());
        let is_validated = validator.is_some();
        if let Some(validator) = validator {
            validator.input(input);
        }
        if let Some(observer) = self.observer.as_mut().filter(|_| self.is_observer_asking) {
            observer.input(input);
            if matches!(input, Input::Mesh(_)) {
                self.is_observer_asking = observer.wants_inputs();
            }
        }
        self.wants_inputs = is_validated || self.is_observer_asking;
    }
}

impl std::fmt::Debug for Probe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Probe { observer, effects, .. } = self;
        f.debug_struct("Probe").field("observer", &observer.is_some()).field("effects", effects).finish_non_exhaustive()
    }
}
