//! Several samples a pixel: what comes after the program, for one sample of each of the quad's pixels after the other.

use std::mem::{offset_of, size_of};

use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::pixel::PixelBlock;
use triglyph_guest::num::ops::Ops;

use super::args::{BlockArgs, at};
use super::plan::PlaneOf;
use super::quad::{Quad, Results, mask_of};
use crate::lane::{F32x4, I32x4, Mask};

impl Quad<'_, '_> {
    /// Tests and writes every sample of the pixels that are alive; ends in a jump to the next quad.
    pub fn several_samples(&mut self, results: &Results) {
        let kept = self.kept_by_alpha(results);
        // None of what a sample computes dominates what comes for the next one.
        let (alive, known, next_quad) = (self.mask, self.known.clone(), self.next);
        for sample in 0..self.plan.samples.count() {
            let next = self.e.block(&[]);
            (self.sample, self.next) = (sample, next);
            self.cover = self.covered(sample);
            let covered = mask_of(self.e, self.cover);
            self.mask = self.e.and(alive, covered);
            if let Some(kept) = kept {
                let stays = self.stays(kept, sample);
                self.keep(stays);
            }
            self.skip_unless_alive();
            let depth = self.plan.depth.map(|_| match results.depth {
                Some(depth) => self.clamp_depth(depth),
                None => self.sample_depth(),
            });
            self.depth_stage(depth);
            self.count();
            self.colors(results);
            self.e.jump(next, &[]);
            self.e.switch_to(next);
            self.known = known.clone();
        }
        self.e.jump(next_quad, &[]);
    }

    /// The quad's four bits of a sample's coverage.
    fn covered(&mut self, sample: usize) -> Value {
        let (e, block) = (&mut *self.e, self.block);
        let samples = e.load_i64(block, offset_of!(BlockArgs, samples) as i32);
        let at = sample * size_of::<PixelBlock>() + offset_of!(PixelBlock, coverage);
        let coverage = e.load_i64(samples, at as i32);
        let first = e.b.ins().ishl_imm_u(self.number, 2);
        let bits = e.b.ins().ushr(coverage, first);
        let bits = e.b.ins().band_imm_u(bits, 15);
        e.b.ins().ireduce(cranelift_codegen::ir::types::I32, bits)
    }

    /// How many samples alpha leaves to each pixel.
    fn kept_by_alpha(&mut self, results: &Results) -> Option<I32x4> {
        if !self.key.output.alpha_to_coverage {
            return None;
        }
        let alpha = self.alpha(results);
        let e = &mut *self.e;
        let alpha = e.clamp(alpha, 0.0, 1.0);
        let (count, half) = (e.f(self.plan.samples.count() as f32), e.f(0.5));
        let kept = e.mul(alpha, count);
        let kept = e.add(kept, half);
        Some(e.truncate_to_int(kept))
    }

    /// Pixels whose sample is among the first `kept`.
    fn stays(&mut self, kept: I32x4, sample: usize) -> Mask {
        let sample = self.e.i(sample as i32);
        self.e.ilt(sample, kept)
    }

    /// The interpolated depth at the sample, clamped.
    fn sample_depth(&mut self) -> F32x4 {
        let args = self.e.args;
        let at = at!(sample_offsets) + 32 * self.sample as i32;
        let offset = [0, 16].map(|axis| self.e.load_floats(args, at + axis));
        let depth = self.plane_beside(PlaneOf::Depth, offset);
        self.clamp_depth(depth)
    }
}
