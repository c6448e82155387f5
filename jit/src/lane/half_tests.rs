//! Halves against their definition, in doubles.

use super::tests::{EDGES, run};
use super::*;

/// The nearest half as f64 arithmetic has it.
fn nearest_half(x: f32) -> f32 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let wide = f64::from(x);
    let exponent = wide.abs().log2().floor().max(-14.0);
    let step = (exponent - 10.0).exp2();
    let rounded = (wide / step).round_ties_even() * step;
    if rounded.abs() > 65504.0 { f32::INFINITY.copysign(x) } else { (rounded as f32).copysign(x) }
}

/// The value of a half, from its fields.
fn value(half: u32) -> f32 {
    let (exponent, mantissa) = (half >> 10 & 31, f64::from(half & 0x3FF));
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent as i32 - 25),
    };
    (magnitude as f32).copysign(if half & 0x8000 == 0 { 1.0 } else { -1.0 })
}

fn samples() -> Vec<[f32; 4]> {
    let mut all: Vec<f32> = EDGES.to_vec();
    for half in (0..0x7C00).step_by(11).chain([0x3FF, 0x400, 0x401, 0x7BFF]) {
        let (a, b) = (value(half), value(half + 1).min(65536.0));
        let middle = (a + b) * 0.5;
        for v in [a, middle, f32::from_bits(middle.to_bits() - 1), f32::from_bits(middle.to_bits() + 1)] {
            all.extend([v, -v]);
        }
    }
    all.extend([65519.996, 65520.0, -65520.0, 65535.0, 1e30, -3.4e38, 2f32.powi(115), 2f32.powi(-25), 2.9e-8, 2.99e-8]);
    all.resize(all.len().next_multiple_of(4), 0.0);
    all.as_chunks().0.to_vec()
}

#[test]
fn bits_of_halves() {
    for x in samples() {
        let got = run(x.map(f32::to_bits), [0; 4], |e, a, _| {
            let a = e.float_of_bits(a);
            e.half_of(a).0
        });
        for (bits, x) in got.into_iter().zip(x) {
            if x.is_nan() {
                assert_eq!(bits, 0x7E00);
            } else {
                assert_eq!(value(bits).to_bits(), nearest_half(x).to_bits(), "{x:e}: {bits:#x}");
            }
        }
    }
}

/// The half next to zero as f64 arithmetic has it.
fn cut_half(x: f32) -> f32 {
    if !x.is_finite() || x == 0.0 {
        return x;
    }
    let wide = f64::from(x);
    let exponent = wide.abs().log2().floor().max(-14.0);
    let step = (exponent - 10.0).exp2();
    let cut = (wide / step).trunc() * step;
    (cut.clamp(-65504.0, 65504.0) as f32).copysign(x)
}

#[test]
fn bits_of_cut_halves() {
    for x in samples() {
        let got = |small: bool| {
            run(x.map(f32::to_bits), [0; 4], |e, a, _| {
                let a = e.float_of_bits(a);
                if small { e.cut_small_float_of(a, 6).0 } else { e.cut_half_of(a).0 }
            })
        };
        for ((bits, small), x) in got(false).into_iter().zip(got(true)).zip(x) {
            if x.is_nan() {
                assert_eq!((bits, small), (x.to_bits() >> 16 & 0x8000 | 0x7FFF, 0x7FF));
            } else {
                assert_eq!(value(bits).to_bits(), cut_half(x).to_bits(), "{x:e}: {bits:#x}");
                assert_eq!(small, if x > 0.0 { bits >> 4 } else { 0 }, "{x:e}");
            }
        }
    }
}

#[test]
fn values_of_halves() {
    for half in (0..0x1_0000u32).step_by(4 * 7) {
        let halves = [0, 1, 2, 3].map(|i| half + i);
        let got = run(halves, [0; 4], |e, a, _| e.float_of_half(a).0);
        for (bits, half) in got.into_iter().zip(halves) {
            let (got, want) = (f32::from_bits(bits), value(half));
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{half:#x}: {got:e}");
        }
    }
}
