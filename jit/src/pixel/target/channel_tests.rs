//! Bytes of pixels against their definition, in doubles.

use triglyph_guest::kernel::program::output::{Bits, Channel};
use triglyph_guest::num::ops::Ops;

use super::channel::encode_bytes;
use crate::lane::tests::{EDGES, run};

/// The nearest of 255 parts, the lower one of two; the product is an f32.
fn nearest(value: f32) -> u8 {
    let limited = if value > 0.0 { value.min(1.0) } else { 0.0 };
    (f64::from(limited * 255.0) - 0.5).ceil() as u8
}

#[test]
fn bytes_are_the_nearest_and_the_lower_of_two() {
    let channels = [0, 8, 16, 24].map(|shift| Channel::Unorm(Bits { shift, bits: 8 }));
    // The numbers between two bytes, and those before and after them.
    let ties = (0..255_u16).map(|byte| (f32::from(byte) + 0.5) / 255.0);
    let near =
        ties.flat_map(|tie| (-2..=2_i32).map(move |step| f32::from_bits(tie.to_bits().wrapping_add_signed(step))));
    let mut values: Vec<f32> = near.chain(EDGES).collect();
    values.resize(values.len().next_multiple_of(4), 0.0);
    let mut ties = 0;
    for values in values.as_chunks::<4>().0 {
        let got = run(values.map(f32::to_bits), [0; 4], |e, pixels, _| {
            let pixels = e.float_of_bits(pixels);
            let zero = e.f(0.0);
            encode_bytes(e, channels, [pixels, zero, pixels, zero]).0
        });
        for (bits, value) in got.into_iter().zip(values) {
            let byte = nearest(*value);
            ties += u32::from((value * 255.0).fract() == 0.5);
            assert_eq!(bits.to_le_bytes(), [byte, 0, byte, 0], "{value:e}");
        }
    }
    assert!(ties > 100, "{ties} ties");
}
