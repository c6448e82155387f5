//! Alpha, stencil and depth tests.

use triglyph_guest::format::DepthFormat;
use triglyph_guest::kernel::pixel::{Compare, StencilKey};
use triglyph_guest::num::ops::Ops;

use crate::lane::{I32x4, Mask, Pair, StencilTest};
use crate::pixel::args::pica::at;
use crate::pixel::quad::pica::Quad;

impl Quad<'_, '_> {
    /// The alpha test of the combiners' result.
    pub fn alpha_test(&mut self, color: Pair) {
        let alpha = self.e.even_ints(color.ag);
        let args = self.e.args;
        let reference = self.e.load_ints(args, at!(alpha_reference));
        if let Some(passes) = self.e.compare_ints(self.key.alpha_test, alpha, reference) {
            self.keep(passes);
            self.skip_unless_alive();
        }
    }

    /// The stored words: depth, and stencil on top of 24 bits of it.
    pub fn stored(&mut self) -> I32x4 {
        let at = self.depth_at();
        match self.key.depth_format {
            Some(DepthFormat::D16) => self.e.load_4x16(at),
            Some(DepthFormat::D24) => self.e.load_4x24(at),
            _ => self.e.load_ints(at, 0),
        }
    }

    fn store(&mut self, words: I32x4) {
        let at = self.depth_at();
        match self.key.depth_format {
            Some(DepthFormat::D16) => self.e.store_4x16(words, at),
            Some(DepthFormat::D24) => self.e.store_4x24(words, at),
            _ => self.e.store(words.0, at, 0),
        }
    }

    pub fn stored_depth(&mut self, words: I32x4) -> I32x4 {
        if self.key.depth_format == Some(DepthFormat::D24S8) {
            let low = self.e.i(0xFF_FFFF);
            self.e.iand(words, low)
        } else {
            words
        }
    }

    /// New depth as the integer that is compared and stored.
    pub fn depth_int(&mut self) -> I32x4 {
        if let Some(value) = self.known.depth_int {
            return value;
        }
        let depth = self.depth();
        let max = self.key.depth_format.map_or(0, |f| f.max());
        let max = self.e.f(max as f32);
        let scaled = self.e.mul(depth, max);
        let value = self.e.truncate_to_int(scaled);
        self.known.depth_int = Some(value);
        value
    }

    /// Pixels that pass the depth test; `None` for all.
    fn depth_passes(&mut self, words: I32x4) -> Option<Mask> {
        if !self.plan.depth_test {
            return None;
        }
        if self.key.depth_test == Compare::Never {
            return Some(Mask(self.e.i(0).0));
        }
        let stored = self.stored_depth(words);
        let new = self.depth_int();
        self.e.compare_ints(self.key.depth_test, new, stored)
    }

    /// The depth test alone, without side effects.
    pub fn depth_test(&mut self) {
        let words = self.stored();
        if let Some(passes) = self.depth_passes(words) {
            self.keep(passes);
        }
    }

    /// Stores the depth of the pixels that are alive.
    pub fn depth_write(&mut self) {
        let new = self.depth_int();
        let words = self.stored();
        self.store_depth(words, new);
    }

    /// Writes `new` into the live pixels of `words`, and stores them.
    fn store_depth(&mut self, words: I32x4, new: I32x4) {
        let old = self.stored_depth(words);
        let mut change = self.e.ixor(old, new);
        let mask = self.e.mask_ints(self.mask);
        change = self.e.iand(change, mask);
        let words = self.e.ixor(words, change);
        self.store(words);
    }

    /// Stencil and depth test with their writes; pixels that fail die.
    pub fn stencil_and_depth(&mut self) {
        if self.plan.stencil {
            return self.stencil_test();
        }
        if self.plan.depth_test {
            let words = self.stored();
            if let Some(passes) = self.depth_passes(words) {
                self.keep(passes);
                self.skip_unless_alive();
            }
            if self.plan.depth_write {
                let new = self.depth_int();
                self.store_depth(words, new);
            }
        } else if self.plan.depth_write {
            self.depth_write();
        }
    }

    fn stencil_test(&mut self) {
        let Some(stencil) = self.key.stencil else { return };
        let args = self.e.args;
        let words = self.stored();
        let old = self.e.ushr(words, 24);
        let input = self.e.load_ints(args, at!(stencil_input_mask));
        let reference = self.e.load_ints(args, at!(stencil_reference));
        let depth_passes = self.depth_passes(words);
        let StencilKey { compare, fail, depth_fail, pass, .. } = stencil;
        let test = StencilTest { compare, fail, depth_fail, pass };
        let (stencil_passes, new) = self.e.stencil_test(test, old, [reference, input], depth_passes);
        let alive = self.mask;

        let mut result = words;
        if stencil.write {
            let mut change = self.e.ixor(old, new);
            let write = self.e.load_ints(args, at!(stencil_write_mask));
            change = self.e.iand(change, write);
            let alive = self.e.mask_ints(alive);
            change = self.e.iand(change, alive);
            let change = self.e.ishl(change, 24);
            result = self.e.ixor(words, change);
        }
        for passes in [stencil_passes, depth_passes].into_iter().flatten() {
            self.keep(passes);
        }
        if self.plan.depth_write {
            let new = self.depth_int();
            self.store_depth(result, new);
        } else if stencil.write {
            self.store(result);
        }
        self.skip_unless_alive();
    }
}
