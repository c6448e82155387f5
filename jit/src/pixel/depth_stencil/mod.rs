//! Stencil and depth tests, and their writes, over a description of the buffer. `pica` and `programs` derive it from a
//! key; the 3DS truncates depths where the others round them, and has one side of stencil.

mod pica;
pub(crate) mod plan;
mod programs;

use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::num::depth16;
use triglyph_guest::num::ops::Ops;

use super::contract::{Contract, Quad};
use crate::lane::{Emit, F32x4, I32x4, Mask};
use plan::{Coding, Depth, DepthPlan, StencilPlan};

impl<C: Contract> Quad<'_, '_, C> {
    /// All tests with their writes; pixels that fail die. `depth` is that of the pixels, `None` if it is interpolated.
    pub fn depth_stage(&mut self, depth: Option<F32x4>) {
        let Some(plan) = C::depth_plan(self.plan).filter(DepthPlan::is_used) else { return };
        let mut words = self.stored_depths(&plan);
        let mut tested = self.bounds_test(&plan, &words);
        let before = self.mask;
        let passes = self.depth_passes(&plan, &words, depth);
        let mut changed = false;
        if let Some(stencil) = plan.stencil {
            changed = stencil.write;
            let stencil_passes = self.stencil_test(&stencil, passes, &mut words);
            tested |= self.keep_some(stencil_passes);
        }
        tested |= self.keep_some(passes);
        if tested && !changed {
            self.skip_unless_alive();
        }
        if plan.write {
            self.insert_depth(&plan, &mut words, depth);
        }
        if changed {
            self.store_depths(&plan, &words, before);
        } else if plan.write {
            self.store_depths(&plan, &words, self.mask);
        }
        if tested && changed {
            self.skip_unless_alive();
        }
    }

    /// The tests alone, where they only discard pixels.
    pub fn depth_test(&mut self) {
        let Some(plan) = C::depth_plan(self.plan).filter(|plan| plan.test.is_some() || plan.bounds) else { return };
        let words = self.stored_depths(&plan);
        self.bounds_test(&plan, &words);
        let passes = self.depth_passes(&plan, &words, None);
        self.keep_some(passes);
        self.skip_unless_alive();
    }

    /// The writes that follow [`Self::depth_test`].
    pub fn depth_write(&mut self) {
        let Some(plan) = C::depth_plan(self.plan).filter(|plan| plan.write) else { return };
        let mut words = self.stored_depths(&plan);
        self.insert_depth(&plan, &mut words, None);
        self.store_depths(&plan, &words, self.mask);
    }

    /// Removes the pixels that are not in `passes`, if it is there. Returns whether it is.
    fn keep_some(&mut self, passes: Option<Mask>) -> bool {
        if let Some(passes) = passes {
            self.keep(passes);
        }
        passes.is_some()
    }

    /// The stored words of the pixels, in the host's byte order.
    pub fn stored_depths(&mut self, plan: &DepthPlan) -> Vec<I32x4> {
        let Some(place) = self.address(C::DEPTH) else { return Vec::new() };
        let words = place.load(self.e);
        words.into_iter().map(|word| self.e.swap_bytes(word, plan.swap)).collect()
    }

    /// Stores words that differ from the stored ones in pixels of `live` only.
    fn store_depths(&mut self, plan: &DepthPlan, words: &[I32x4], live: Mask) {
        let Some(place) = self.address(C::DEPTH) else { return };
        let words: Vec<I32x4> = words.iter().map(|&word| self.e.swap_bytes(word, plan.swap)).collect();
        place.store_over(self.e, &words, live, self.cover);
    }

    /// The depth of the pixels as it is compared with stored ones.
    pub fn new_depth(&mut self, coding: Coding, depth: Option<F32x4>) -> Depth {
        if let (None, Some(known)) = (depth, self.buffers.depth) {
            return known;
        }
        let value = depth.unwrap_or_else(|| C::depth(self));
        let new = encode(self.e, coding, value);
        if depth.is_none() {
            self.buffers.depth = Some(new);
        }
        new
    }

    /// Puts the depth of the living pixels in place of the stored one.
    fn insert_depth(&mut self, plan: &DepthPlan, words: &mut [I32x4], depth: Option<F32x4>) {
        let Some(coding) = plan.coding else { return };
        let new = match self.new_depth(coding, depth) {
            Depth::Int(bits) => bits,
            Depth::Float(value) => self.e.bits(value),
        };
        if plan.other == 0 {
            words[0] = self.e.iselect(self.mask, new, words[0]);
            return;
        }
        // The stored bits are there already when there is a test.
        let old = stored_bits(self.e, plan, words[0]);
        let change = self.e.ixor(old, new);
        let alive = self.e.mask_ints(self.mask);
        let change = self.e.iand(change, alive);
        let change = if plan.shift == 0 { change } else { self.e.ishl(change, plan.shift) };
        words[0] = self.e.ixor(words[0], change);
    }

    /// Pixels that pass the depth test; `None` for all.
    fn depth_passes(&mut self, plan: &DepthPlan, words: &[I32x4], depth: Option<F32x4>) -> Option<Mask> {
        let (test, coding) = (plan.test?, plan.coding?);
        if test == Compare::Never {
            return Some(Mask(self.e.i(0).0));
        }
        let new = self.new_depth(coding, depth);
        match (new, stored_depth(self.e, plan, words[0])) {
            (Depth::Int(a), Depth::Int(b)) => self.e.compare_ints(test, a, b),
            (Depth::Float(a), Depth::Float(b)) => self.e.compare_floats(test, a, b),
            _ => None,
        }
    }

    /// Removes the pixels whose stored depth is out of bounds. Returns whether there are bounds.
    fn bounds_test(&mut self, plan: &DepthPlan, words: &[I32x4]) -> bool {
        let Some(coding) = plan.coding.filter(|_| plan.bounds) else { return false };
        let e = &mut *self.e;
        let depth = match (coding, stored_depth(e, plan, words[0])) {
            (Coding::Truncated(max) | Coding::Rounded(max), Depth::Int(bits)) => {
                let scale = e.f(1.0 / max);
                let value = e.to_float(bits);
                e.mul(value, scale)
            }
            (Coding::F16, Depth::Int(bits)) => depth16::value(e, bits),
            (_, Depth::Int(bits)) => {
                let bits = e.ishl(bits, 7);
                e.float_of_bits(bits)
            }
            (_, Depth::Float(value)) => value,
        };
        let [low, high] = C::depth_bounds(self);
        let (above, below) = (self.e.le(low, depth), self.e.le(depth, high));
        let inside = self.e.and(above, below);
        self.keep(inside);
        true
    }

    /// The stencil test: which pixels pass, `None` for all. Puts new stencils in place of the stored ones.
    fn stencil_test(&mut self, stencil: &StencilPlan, depth_passes: Option<Mask>, words: &mut [I32x4]) -> Option<Mask> {
        let word = words[stencil.word];
        let old = match stencil.shift {
            0 => {
                let low = self.e.i(0xFF);
                self.e.iand(word, low)
            }
            shift => self.e.ushr(word, shift),
        };
        let [reference, mask, write] = C::stencil_values(self);
        let [front, back] = stencil.sides;
        let (mut passes, mut new) = self.e.stencil_test(front, old, [reference, mask], depth_passes);
        if front != back {
            let (other_passes, other) = self.e.stencil_test(back, old, [reference, mask], depth_passes);
            let front = C::shows_front(self);
            new = self.e.iselect(front, new, other);
            let all = Mask(self.e.i(-1).0);
            let [a, b] = [passes, other_passes].map(|mask| mask.unwrap_or(all));
            passes = Some(Mask(self.e.iselect(front, I32x4(a.0), I32x4(b.0)).0));
        }
        if stencil.write {
            let change = self.e.ixor(old, new);
            let change = self.e.iand(change, write);
            let alive = self.e.mask_ints(self.mask);
            let change = self.e.iand(change, alive);
            let change = if stencil.shift == 0 { change } else { self.e.ishl(change, stencil.shift) };
            words[stencil.word] = self.e.ixor(word, change);
        }
        passes
    }
}

/// A depth of 0 to 1 as it is compared.
fn encode(e: &mut Emit<'_>, coding: Coding, depth: F32x4) -> Depth {
    match coding {
        Coding::Truncated(max) => {
            let max = e.f(max);
            let scaled = e.mul(depth, max);
            Depth::Int(e.truncate_to_int(scaled))
        }
        Coding::Rounded(max) => {
            let max = e.f(max);
            let scaled = e.mul(depth, max);
            let whole = e.nearest(scaled);
            Depth::Int(e.truncate_to_int(whole))
        }
        Coding::F24 => {
            let bits = e.bits(depth);
            Depth::Int(e.ushr(bits, 7))
        }
        Coding::F16 => Depth::Int(depth16::bits(e, depth)),
        Coding::F32 => Depth::Float(depth),
    }
}

/// The bits of the stored depth, lowest at 0.
fn stored_bits(e: &mut Emit<'_>, plan: &DepthPlan, word: I32x4) -> I32x4 {
    match (plan.shift, plan.other) {
        (0, 0) => word,
        (0, other) => {
            let mask = e.i(!other as i32);
            e.iand(word, mask)
        }
        (shift, _) => e.ushr(word, shift),
    }
}

/// The stored depth as it is compared.
pub(crate) fn stored_depth(e: &mut Emit<'_>, plan: &DepthPlan, word: I32x4) -> Depth {
    let bits = stored_bits(e, plan, word);
    match plan.coding {
        Some(Coding::F32) => Depth::Float(e.float_of_bits(bits)),
        _ => Depth::Int(bits),
    }
}
