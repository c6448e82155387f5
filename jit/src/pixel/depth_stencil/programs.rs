//! Depth bounds, stencil and depth tests, and what they write.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::pixel::{Compare, StencilOp};
use triglyph_guest::kernel::program::output::{DepthFormat, DepthKey, StencilKey};
use triglyph_guest::num::ops::Ops;

use crate::lane::{F32x4, HalfRange, I32x4, Mask, StencilTest};
use crate::pixel::args::programs::at;
use crate::pixel::plan::programs::DEPTH;
use crate::pixel::quad::programs::Quad;

/// The stored words of four pixels, in the host's byte order, and their fields.
#[derive(Clone)]
struct Stored {
    words: Vec<I32x4>,
}

/// A depth as it is compared.
#[derive(Clone, Copy)]
enum Value {
    Int(I32x4),
    Float(F32x4),
}

impl Quad<'_, '_> {
    /// All tests with their writes; pixels that fail die.
    pub fn depth_stage(&mut self, depth: Option<F32x4>) {
        let (Some(key), Some(depth)) = (self.plan.depth, depth) else { return };
        let mut stored = self.stored(&key);
        self.bounds_test(&key, &stored);
        let before = self.mask;
        let new = key.format.has_depth().then(|| self.encode(&key, depth));
        let passes = new.and_then(|new| self.depth_passes(&key, new, &stored));
        let mut changed = false;
        if let Some(sides) = key.stencil {
            changed = self.stencil(&key, sides, passes, &mut stored);
        }
        if let Some(passes) = passes {
            self.keep(passes);
        }
        let writes = new.filter(|_| key.write && key.test.is_some());
        if let Some(new) = writes {
            let bits = self.depth_bits(new);
            let mask = if key.stencil.is_some() { Some(self.mask) } else { None };
            self.insert_depth(&key, bits, mask, &mut stored);
        }
        if changed {
            self.store_depth(&key, &stored, before);
        } else if writes.is_some() {
            self.skip_unless_alive();
            let mask = self.mask;
            self.store_depth(&key, &stored, mask);
        }
        self.skip_unless_alive();
    }

    /// The tests alone, where they only discard pixels.
    pub fn depth_test_only(&mut self) {
        let Some(key) = self.plan.depth else { return };
        let stored = self.stored(&key);
        self.bounds_test(&key, &stored);
        if key.test.is_some_and(|test| test != Compare::Always) {
            let depth = self.depth();
            let new = self.encode(&key, depth);
            if let Some(passes) = self.depth_passes(&key, new, &stored) {
                self.keep(passes);
            }
        }
        self.skip_unless_alive();
    }

    /// The writes that follow [`Self::depth_test_only`].
    pub fn depth_write_only(&mut self) {
        let Some(key) = self.plan.depth.filter(|key| key.write && key.test.is_some()) else { return };
        let mut stored = self.stored(&key);
        let depth = self.depth();
        let new = self.encode(&key, depth);
        let bits = self.depth_bits(new);
        self.insert_depth(&key, bits, None, &mut stored);
        let mask = self.mask;
        self.store_depth(&key, &stored, mask);
    }

    fn stored(&mut self, key: &DepthKey) -> Stored {
        let Some(place) = self.quad_address(DEPTH) else { return Stored { words: Vec::new() } };
        let words = place.load(self.e);
        let unit = swap_unit(key);
        Stored { words: words.into_iter().map(|word| self.e.swap_bytes(word, unit)).collect() }
    }

    fn store_depth(&mut self, key: &DepthKey, stored: &Stored, live: Mask) {
        let Some(place) = self.quad_address(DEPTH) else { return };
        let unit = swap_unit(key);
        let words: Vec<I32x4> = stored.words.iter().map(|&word| self.e.swap_bytes(word, unit)).collect();
        place.store(self.e, &words, live, self.cover, true);
    }

    /// The bits of the stored depth, lowest at 0.
    fn stored_bits(&mut self, key: &DepthKey, stored: &Stored) -> I32x4 {
        let word = stored.words[0];
        match key.format {
            DepthFormat::Z24S8 | DepthFormat::F24S8 => self.e.ushr(word, 8),
            DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => {
                let low = self.e.i(0xFF_FFFF);
                self.e.iand(word, low)
            }
            _ => word,
        }
    }

    /// The stored depth as it is compared.
    fn stored_value(&mut self, key: &DepthKey, stored: &Stored) -> Value {
        let bits = self.stored_bits(key, stored);
        match key.format {
            DepthFormat::F16 => Value::Float(self.e.float_of_half(bits)),
            DepthFormat::F32 | DepthFormat::F32S8 => Value::Float(self.e.float_of_bits(bits)),
            _ => Value::Int(bits),
        }
    }

    /// A depth of 0 to 1 as it is compared.
    fn encode(&mut self, key: &DepthKey, depth: F32x4) -> Value {
        let max = match key.format {
            DepthFormat::Z16 => 65535.0,
            DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => 16_777_215.0,
            DepthFormat::F24S8 => {
                let bits = self.e.bits(depth);
                return Value::Int(self.e.ushr(bits, 7));
            }
            DepthFormat::F16 => return Value::Float(self.e.round_to_half(depth, HalfRange::Finite)),
            DepthFormat::F32 | DepthFormat::F32S8 => return Value::Float(depth),
            DepthFormat::S8 => return Value::Int(self.e.i(0)),
        };
        let max = self.e.f(max);
        let scaled = self.e.mul(depth, max);
        let whole = self.e.nearest(scaled);
        Value::Int(self.e.truncate_to_int(whole))
    }

    /// The bits to store, lowest at 0.
    fn depth_bits(&mut self, new: Value) -> I32x4 {
        let half = self.plan.depth.is_some_and(|key| key.format == DepthFormat::F16);
        match new {
            Value::Int(bits) => bits,
            Value::Float(value) if half => self.e.half_of(value),
            Value::Float(value) => self.e.bits(value),
        }
    }

    /// Puts the bits of a depth in place of the stored ones, in `mask` only if there is one.
    fn insert_depth(&mut self, key: &DepthKey, bits: I32x4, mask: Option<Mask>, stored: &mut Stored) {
        let word = stored.words[0];
        let (bits, other) = match key.format {
            DepthFormat::Z24S8 | DepthFormat::F24S8 => (self.e.ishl(bits, 8), 0xFF),
            DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => (bits, 0xFF00_0000u32),
            _ => (bits, 0),
        };
        let mut new = bits;
        if other != 0 {
            let other = self.e.i(other as i32);
            let other = self.e.iand(word, other);
            new = self.e.ior(other, bits);
        }
        if let Some(mask) = mask {
            new = self.e.iselect(mask, new, word);
        }
        stored.words[0] = new;
    }

    fn bounds_test(&mut self, key: &DepthKey, stored: &Stored) {
        if !key.bounds {
            return;
        }
        let bits = self.stored_bits(key, stored);
        let e = &mut *self.e;
        let depth = match key.format {
            DepthFormat::Z16 | DepthFormat::Z24S8 | DepthFormat::S8Z24 | DepthFormat::Z24X8S8 => {
                let max = if key.format == DepthFormat::Z16 { 65535.0 } else { 16_777_215.0 };
                let scale = e.f(1.0 / max);
                let value = e.to_float(bits);
                e.mul(value, scale)
            }
            DepthFormat::F24S8 => {
                let bits = e.ishl(bits, 7);
                e.float_of_bits(bits)
            }
            DepthFormat::F16 => e.float_of_half(bits),
            DepthFormat::F32 | DepthFormat::F32S8 => e.float_of_bits(bits),
            DepthFormat::S8 => return,
        };
        let args = e.args;
        let low = e.load_floats(args, at!(depth_bounds));
        let high = e.load_floats(args, at!(depth_bounds) + 16);
        let (above, below) = (e.le(low, depth), e.le(depth, high));
        let inside = e.and(above, below);
        self.keep(inside);
    }

    /// Pixels that pass the depth test; `None` for all.
    fn depth_passes(&mut self, key: &DepthKey, new: Value, stored: &Stored) -> Option<Mask> {
        let test = key.test.filter(|test| *test != Compare::Always)?;
        match (new, self.stored_value(key, stored)) {
            (Value::Int(a), Value::Int(b)) => self.e.compare_ints(test, a, b),
            (Value::Float(a), Value::Float(b)) => self.e.compare_floats(test, a, b),
            _ => None,
        }
    }

    /// The stencil test: writes new stencils into `stored` and removes the pixels that fail. Returns whether anything
    /// is stored.
    fn stencil(
        &mut self,
        key: &DepthKey,
        sides: [StencilKey; 2],
        depth_passes: Option<Mask>,
        stored: &mut Stored,
    ) -> bool {
        let (index, shift) = match key.format {
            DepthFormat::S8Z24 => (0, 24),
            DepthFormat::F32S8 | DepthFormat::Z24X8S8 => (1, 0),
            _ => (0, 0),
        };
        let word = stored.words[index];
        let low = self.e.i(0xFF);
        let old = match shift {
            0 => self.e.iand(word, low),
            _ => self.e.ushr(word, shift),
        };
        // The constants of the visible side.
        let back = self.back();
        let values = self.e.b.ins().imul_imm_u(back, 48);
        let values = self.e.b.ins().uextend(cranelift_codegen::ir::types::I64, values);
        let args = self.e.args;
        let values = self.e.b.ins().iadd(args, values);
        let [reference, mask, write] = [0, 16, 32].map(|offset| self.e.load_ints(values, at!(stencil) + offset));

        let [front, back_key] = sides;
        let (mut passes, mut new) = self.e.stencil_test(test_of(front), old, [reference, mask], depth_passes);
        if front != back_key {
            let (other_passes, other) = self.e.stencil_test(test_of(back_key), old, [reference, mask], depth_passes);
            let back = self.e.splat_i32(back);
            let zero = self.e.i(0);
            let shows_front = self.e.ieq(back, zero);
            new = self.e.iselect(shows_front, new, other);
            let all = Mask(self.e.i(-1).0);
            let [a, b] = [passes, other_passes].map(|mask| mask.unwrap_or(all));
            passes = Some(Mask(self.e.iselect(shows_front, I32x4(a.0), I32x4(b.0)).0));
        }
        let stores =
            sides.iter().any(|side| [side.fail, side.depth_fail, side.pass].iter().any(|&op| op != StencilOp::Keep));
        if stores {
            let change = self.e.ixor(old, new);
            let change = self.e.iand(change, write);
            let alive = self.e.mask_ints(self.mask);
            let change = self.e.iand(change, alive);
            let change = if shift == 0 { change } else { self.e.ishl(change, shift) };
            stored.words[index] = self.e.ixor(word, change);
        }
        if let Some(passes) = passes {
            self.keep(passes);
        }
        stores
    }
}

fn test_of(key: StencilKey) -> StencilTest {
    let StencilKey { compare, fail, depth_fail, pass } = key;
    StencilTest { compare, fail, depth_fail, pass }
}

/// Bytes whose order is reversed in memory.
fn swap_unit(key: &DepthKey) -> u8 {
    match (key.big_endian, key.format) {
        (false, _) | (true, DepthFormat::S8) => 1,
        (true, DepthFormat::Z16 | DepthFormat::F16) => 2,
        (true, _) => 4,
    }
}
