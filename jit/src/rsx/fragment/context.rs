//! Emission of one instruction: its sources, and the components of its result.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::{Compute, Source, Step};
#[cfg(doc)]
use triglyph_guest::rsx::fragment::{EffectVisitor, FragmentVisitor, QuadVisitor};

use super::Lower;
use super::registers::Number;
use crate::lane::{Emit, Mask};

/// Components of a result; `None` for those that are not used.
pub type Components = [Option<Number>; 4];

/// Emits what an instruction computes. Operations are methods: see [`FragmentVisitor`], [`QuadVisitor`] and
/// [`EffectVisitor`].
pub struct Alu<'x, 'l, 'q, 'a> {
    pub lower: &'x mut Lower<'l, 'q, 'a>,
    pub step: &'x Step,
    pub compute: &'x Compute,
    /// Components of the result that are used.
    pub wanted: [bool; 4],
    /// Lanes that execute the instruction, if those are not all.
    pub together: Option<Mask>,
}

impl<'a> Alu<'_, '_, '_, 'a> {
    pub fn e(&mut self) -> &mut Emit<'a> {
        self.lower.quad.e
    }

    pub fn accuracy(&self) -> Accuracy {
        self.lower.code.accuracy
    }

    /// Component `c` of a source.
    pub fn read(&mut self, source: &Source, c: usize) -> Number {
        self.lower.source(self.step, self.compute, source, c)
    }

    /// As [`Self::read`], without the negation.
    pub fn magnitude(&mut self, source: &Source, c: usize) -> Number {
        self.lower.magnitude(self.step, self.compute, source, c)
    }

    /// A component of a source as the result of something that is no move.
    pub fn inexact(&mut self, source: &Source, c: usize) -> Number {
        let number = self.read(source, c);
        Number { exact: false, ..number }
    }

    pub fn constant(&mut self, value: f32) -> Number {
        Number::simple(self.e().f(value), value.abs())
    }

    /// The components that are used, each computed alone.
    pub fn each(&mut self, mut component: impl FnMut(&mut Self, usize) -> Number) -> Components {
        let wanted = self.wanted;
        std::array::from_fn(|c| wanted[c].then(|| component(self, c)))
    }

    /// One number in all components.
    pub fn same(&self, number: Number) -> Components {
        self.wanted.map(|wanted| wanted.then_some(number))
    }
}
