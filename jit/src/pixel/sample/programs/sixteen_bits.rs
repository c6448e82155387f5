//! Linear filters in 16-bit arithmetic, for halves and 16-bit numbers: lanes are the channels of a pixel.

use triglyph_guest::kernel::program::sampler::Reduction;
use triglyph_guest::num::ops::Ops;

use super::mix::mix;
use crate::lane::{Emit, F32x4, I32x4};

/// What is filtered.
#[derive(Clone, Copy)]
pub(super) enum SixteenBits {
    Halves,
    Words,
}

/// A factor that makes texels whole numbers, and what makes them texels again.
struct Scale {
    up: F32x4,
    down: F32x4,
}

impl SixteenBits {
    pub fn of(reduction: Reduction) -> Option<SixteenBits> {
        match reduction {
            Reduction::Halves => Some(SixteenBits::Halves),
            Reduction::Words => Some(SixteenBits::Words),
            _ => None,
        }
    }

    /// Two texels along x, or four along x and y, x first.
    pub fn filter(self, e: &mut Emit<'_>, texels: &[F32x4], weights: &[F32x4]) -> F32x4 {
        let largest = largest(e, texels);
        let scale = self.scale(e, largest);
        let whole: Vec<F32x4> = texels.iter().map(|texel| self.whole(e, *texel, scale.up)).collect();
        let result = along_axes(e, &whole, weights, |e, v| {
            let half = e.f(0.5);
            let v = e.add(v, half);
            e.floor(v)
        });
        let result = e.mul(result, scale.down);
        let result = self.rounded(e, result);
        let plain = along_axes(e, texels, weights, |_, v| v);
        let infinity = e.i(0x7F80_0000);
        let is_finite = e.ilt(largest, infinity);
        e.select(is_finite, result, plain)
    }

    fn scale(self, e: &mut Emit<'_>, largest: I32x4) -> Scale {
        match self {
            SixteenBits::Words => Scale { up: e.f(65535.0), down: e.f(1.0 / 65535.0) },
            SixteenBits::Halves => {
                let (exponent, least) = (e.i(0x7F80_0000), e.i(113 << 23));
                let exponent = e.iand(largest, exponent);
                let exponent = e.imax(exponent, least);
                let (both, below) = (e.i(((127u32 + 127 + 14) << 23) as i32), e.i(14 << 23));
                let (up, down) = (e.isub(both, exponent), e.isub(exponent, below));
                Scale { up: e.float_of_bits(up), down: e.float_of_bits(down) }
            }
        }
    }

    fn whole(self, e: &mut Emit<'_>, texel: F32x4, up: F32x4) -> F32x4 {
        let scaled = e.mul(texel, up);
        match self {
            SixteenBits::Words => {
                let half = e.f(0.5);
                let scaled = e.add(scaled, half);
                e.floor(scaled)
            }
            SixteenBits::Halves => {
                let whole = e.truncate_to_int(scaled);
                e.to_float(whole)
            }
        }
    }

    /// A result of 11 significant bits.
    fn rounded(self, e: &mut Emit<'_>, result: F32x4) -> F32x4 {
        match self {
            SixteenBits::Words => result,
            SixteenBits::Halves => {
                let (half, kept) = (e.i(0x1000), e.i(!0x1FFF));
                let bits = e.bits(result);
                let bits = e.iadd(bits, half);
                let bits = e.iand(bits, kept);
                e.float_of_bits(bits)
            }
        }
    }
}

/// The bits of the largest magnitude.
fn largest(e: &mut Emit<'_>, texels: &[F32x4]) -> I32x4 {
    let mut largest = e.i(0);
    for texel in texels {
        let (bits, magnitude) = (e.bits(*texel), e.i(i32::MAX));
        let bits = e.iand(bits, magnitude);
        largest = e.imax(largest, bits);
    }
    largest
}

fn along_axes(
    e: &mut Emit<'_>,
    texels: &[F32x4],
    weights: &[F32x4],
    step: impl Fn(&mut Emit<'_>, F32x4) -> F32x4,
) -> F32x4 {
    let mut values = texels.to_vec();
    for weight in &weights[..texels.len().ilog2() as usize] {
        values = values
            .chunks(2)
            .map(|pair| {
                let mixed = mix(e, pair[0], pair[1], *weight);
                step(e, mixed)
            })
            .collect();
    }
    values[0]
}
