//! Linear filters of halves and of 16-bit numbers, as a unit of 16 bits makes them.

use triglyph_guest::kernel::program::sampler::Reduction;

/// The values that are filtered.
#[derive(Clone, Copy)]
pub(super) enum SixteenBits {
    Halves,
    Words,
}

impl SixteenBits {
    pub(super) fn of(reduction: Reduction) -> Option<SixteenBits> {
        match reduction {
            Reduction::Halves => Some(SixteenBits::Halves),
            Reduction::Words => Some(SixteenBits::Words),
            _ => None,
        }
    }

    /// One channel of two texels along x, or of four along x and y, x first.
    pub(super) fn filter(self, texels: &[f32], weights: [f32; 3]) -> f32 {
        if texels.iter().any(|texel| !texel.is_finite()) {
            return along_axes(texels, weights, |v| v);
        }
        let (unit, largest) = match self {
            SixteenBits::Words => (1.0 / 65535.0, 0.0),
            SixteenBits::Halves => {
                let largest = texels.iter().fold(f32::from_bits(113 << 23), |most, texel| most.max(texel.abs()));
                let exponent = largest.to_bits() >> 23;
                (f32::from_bits((exponent - 14) << 23), f32::from_bits((127 + 127 + 14 - exponent) << 23))
            }
        };
        let mut whole = [0.0; 4];
        for (whole, &texel) in whole.iter_mut().zip(texels) {
            *whole = match self {
                SixteenBits::Words => (texel * 65535.0 + 0.5).floor(),
                SixteenBits::Halves => (texel * largest).trunc(),
            };
        }
        let result = along_axes(&whole[..texels.len()], weights, |v| (v + 0.5).floor()) * unit;
        match self {
            SixteenBits::Words => result,
            SixteenBits::Halves => f32::from_bits((result.to_bits() + 0x1000) & !0x1FFF),
        }
    }
}

fn along_axes(texels: &[f32], weights: [f32; 3], step: fn(f32) -> f32) -> f32 {
    let mix = |a: f32, b: f32, weight: f32| step(a + (b - a) * weight);
    match texels {
        [a, b, c, d, ..] => mix(mix(*a, *b, weights[0]), mix(*c, *d, weights[0]), weights[1]),
        [a, b, ..] => mix(*a, *b, weights[0]),
        _ => 0.0,
    }
}
