//! Multisampling: the stages before and after the program, sample by sample; and sample shading.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::kernel::program::fragment::{MAX_SAMPLES, Samples};
use triglyph_guest::kernel::program::output::DITHER;
use triglyph_guest::num::ops::Ops;

use crate::lane::{F32x4, I32x4, Mask};
use crate::pixel::args::programs::{BlockArgs, at, quad_scratch_at};
use crate::pixel::contract::Contract;
use crate::pixel::plan::programs::PlaneOf;
use crate::pixel::quad::programs::{Programs, Quad, Results};

impl Quad<'_, '_> {
    /// Emits all stages of a multisampled quad; ends in a jump to the next one.
    pub fn whole_of_samples(mut self) -> Result<(), Unsupported> {
        if self.plan.counts_early {
            self.test_samples();
        }
        if self.plan.per_sample {
            return self.each_sample();
        }
        let results = self.program()?;
        self.kill(&results);
        self.alpha_test(&results);
        let kept = self.kept_by_alpha(&results);
        self.samples(|this, sample, alive| {
            this.mask = this.e.and(alive, this.mask);
            this.finish_sample(&results, kept, sample);
            Ok(())
        })
    }

    /// Emits the program for each covered sample, and the stages after it.
    fn each_sample(mut self) -> Result<(), Unsupported> {
        self.samples(|this, sample, _| {
            this.skip_unless_alive();
            let results = this.program()?;
            this.kill(&results);
            this.alpha_test(&results);
            let kept = this.kept_by_alpha(&results);
            this.finish_sample(&results, kept, sample);
            Ok(())
        })
    }

    /// Emits `body` for each sample with its live pixels, and a jump to the next quad. `body` also gets the pixels that
    /// were alive before.
    fn samples(
        &mut self,
        mut each: impl FnMut(&mut Self, usize, Mask) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        // Values that a sample computes do not dominate the code of the next one.
        let (alive, next_quad) = (self.mask, self.next);
        let (known, buffers) = (self.known.clone(), self.buffers.clone());
        for sample in 0..self.plan.samples.count() {
            let next = self.e.block(&[]);
            (self.place.sample, self.next) = (sample, next);
            self.cover = self.covered(sample);
            self.mask = match self.plan.counts_early {
                true => {
                    let args = self.e.args;
                    Mask(self.e.load_ints(args, passed_at(sample)).0)
                }
                false => Programs::mask(self.e, self.cover),
            };
            each(self, sample, alive)?;
            self.e.jump(next, &[]);
            self.e.switch_to(next);
            (self.known, self.buffers) = (known.clone(), buffers.clone());
        }
        self.e.jump(next_quad, &[]);
        Ok(())
    }

    /// Tests and writes a sample of the pixels that are alive.
    fn finish_sample(&mut self, results: &Results, kept: Option<I32x4>, sample: usize) {
        if let Some(kept) = kept {
            let stays = self.stays(kept, sample);
            self.keep(stays);
        }
        if let Some(mask) = results.samples {
            let e = &mut *self.e;
            let bit = e.i(1 << sample);
            let bits = e.iand(mask, bit);
            let stays = e.ieq(bits, bit);
            self.keep(stays);
        }
        self.skip_unless_alive();
        if !self.plan.counts_early {
            let depth = self.plan.depth.map(|_| match results.depth {
                Some(depth) => self.clamp_depth(depth),
                None => self.sample_depth(),
            });
            self.depth_stage(depth);
            self.count();
        }
        self.colors(results);
    }

    /// Early depth and stencil tests of all samples. Stores which samples pass; pixels without one die.
    fn test_samples(&mut self) {
        let (known, buffers, next_quad) = (self.known.clone(), self.buffers.clone(), self.next);
        let args = self.e.args;
        let none = self.e.i(0);
        for sample in 0..self.plan.samples.count() {
            self.e.store(none.0, args, passed_at(sample));
        }
        for sample in 0..self.plan.samples.count() {
            let next = self.e.block(&[]);
            (self.place.sample, self.next) = (sample, next);
            self.cover = self.covered(sample);
            self.mask = Programs::mask(self.e, self.cover);
            self.skip_unless_alive();
            let depth = self.plan.depth.map(|_| self.sample_depth());
            self.depth_stage(depth);
            self.count();
            let args = self.e.args;
            self.e.store(self.mask.0, args, passed_at(sample));
            self.e.jump(next, &[]);
            self.e.switch_to(next);
            (self.known, self.buffers) = (known.clone(), buffers.clone());
        }
        (self.place.sample, self.next) = (0, next_quad);
        let args = self.e.args;
        let first = Mask(self.e.load_ints(args, passed_at(0)).0);
        self.mask = (1..self.plan.samples.count()).fold(first, |any, sample| {
            let passed = Mask(self.e.load_ints(args, passed_at(sample)).0);
            self.e.or(any, passed)
        });
        self.skip_unless_alive();
    }

    /// The covered samples of each pixel, or with early tests those that passed: bit k for sample k.
    pub fn covered_samples(&mut self) -> I32x4 {
        let mut all = self.e.i(0);
        for sample in 0..self.plan.samples.count() {
            let mask = if self.plan.counts_early && self.plan.samples != Samples::ONE {
                let args = self.e.args;
                Mask(self.e.load_ints(args, passed_at(sample)).0)
            } else if self.plan.counts_early {
                self.mask
            } else {
                let cover = self.covered(sample);
                Programs::mask(self.e, cover)
            };
            let bit = self.e.i(1 << sample);
            let bits = self.e.iand(I32x4(mask.0), bit);
            all = self.e.ior(all, bits);
        }
        all
    }

    /// Position of sample `sample`, relative to the pixel's centre.
    pub fn sample_offset(&mut self, sample: usize) -> [F32x4; 2] {
        let args = self.e.args;
        let at = at!(sample_offsets) + 32 * sample as i32;
        [0, 16].map(|axis| self.e.load_floats(args, at + axis))
    }

    /// As [`Self::sample_offset`], for computed sample numbers; 0 for numbers out of range.
    pub fn sample_offsets(&mut self, sample: I32x4) -> [F32x4; 2] {
        let e = &mut *self.e;
        let last = e.i(MAX_SAMPLES as i32 - 1);
        let there = e.umin(sample, last);
        let exists = e.ieq(there, sample);
        let first = e.ishl(there, 3);
        let args = e.args;
        let base = e.b.ins().iadd_imm_u(args, i64::from(at!(sample_offsets)));
        [0, 4].map(|axis| {
            let axis = e.i(axis);
            let place = e.iadd(first, axis);
            let bits = e.gather32_unclamped(base, place);
            let bits = e.iand(bits, I32x4(exists.0));
            e.float_of_bits(bits)
        })
    }

    /// The quad's four bits of a sample's coverage.
    fn covered(&mut self, sample: usize) -> Value {
        let (e, block) = (&mut *self.e, self.block.address);
        let samples = e.load_i64(block, offset_of!(BlockArgs, samples) as i32);
        let at = sample * size_of::<PixelBlock>() + offset_of!(PixelBlock, coverage);
        let coverage = e.load_i64(samples, at as i32);
        let bits = e.b.ins().ushr(coverage, self.pixels);
        e.b.ins().band_imm_u(bits, 15)
    }

    /// Number of samples of each pixel that alpha to coverage keeps.
    fn kept_by_alpha(&mut self, results: &Results) -> Option<I32x4> {
        if !self.key.output.alpha_to_coverage {
            return None;
        }
        let alpha = self.alpha(results);
        let e = &mut *self.e;
        let alpha = e.clamp(alpha, 0.0, 1.0);
        let count = e.f(self.plan.samples.count() as f32);
        // The lanes are the pixels of the 2x2 dither pattern in its order.
        let more = if self.key.output.coverage_dither { e.floats(DITHER) } else { e.f(0.5) };
        let kept = e.mul(alpha, count);
        let kept = e.add(kept, more);
        Some(e.truncate_to_int(kept))
    }

    /// Pixels whose sample is among the first `kept`.
    fn stays(&mut self, kept: I32x4, sample: usize) -> Mask {
        let sample = self.e.i(sample as i32);
        self.e.ilt(sample, kept)
    }

    /// The interpolated depth of the sample, clamped.
    fn sample_depth(&mut self) -> F32x4 {
        if self.key.output.depth_at_center {
            return self.depth();
        }
        let offset = self.sample_offset(self.place.sample);
        let depth = self.plane_beside(PlaneOf::Depth, offset);
        self.clamp_depth(depth)
    }
}

/// Offset of the mask of pixels whose sample passed.
fn passed_at(sample: usize) -> i32 {
    quad_scratch_at!(passed) + 16 * sample as i32
}
