use super::*;

/// The unit as its description states it: integers.
mod integers {
    use super::super::table;

    fn sq(t: u64) -> i64 {
        ((0..17).filter(|bit| t >> bit & 1 != 0).map(|bit| t >> (18 - bit)).sum::<u64>() >> 1) as i64
    }

    fn sum(row: [i32; 3], shift: u32, t: u64, square: i64) -> i64 {
        (i64::from(row[0]) << shift) + i64::from(row[1]) * t as i64 + i64::from(row[2]) * square
    }

    fn fields(x: u32) -> (u32, i32, u64) {
        (x & 0x8000_0000, (x >> 23 & 0xFF) as i32, u64::from(x & 0x7F_FFFF))
    }

    /// A mantissa of 24 bits, or exactly 2^24, at an exponent.
    fn pack(sign: u32, exponent: i32, mantissa: i64) -> u32 {
        let (exponent, mantissa) = if mantissa == 1 << 24 { (exponent + 1, 1 << 23) } else { (exponent, mantissa) };
        match exponent {
            ..=0 => sign,
            255.. => sign | 0x7F80_0000,
            _ => sign | (exponent as u32) << 23 | mantissa as u32 & 0x7F_FFFF,
        }
    }

    /// A positive integer in units of 2^-unit, truncated.
    fn normalise(sign: u32, value: i64, unit: i32) -> u32 {
        if value == 0 {
            return sign;
        }
        let top = 63 - value.leading_zeros() as i32;
        let mantissa = if top > 23 { value >> (top - 23) } else { value << (23 - top) };
        pack(sign, top - unit + 127, mantissa)
    }

    pub fn rcp(x: u32) -> u32 {
        let (sign, e, f) = fields(x);
        let t = f & 0xFFFF;
        let m = (sum(table::RCP[(f >> 16) as usize], 13, t, sq(2 * t)) + 0x47E7) >> 15;
        pack(sign, 253 - e, m)
    }

    pub fn rsq(x: u32) -> u32 {
        let (_, e, f) = fields(x);
        let power = e - 127;
        let (u, k) = (f | u64::from(power & 1 != 0) << 23, power >> 1);
        let t = u & 0x1_FFFF;
        let [a, b, c] = table::RSQ[(u >> 17) as usize];
        let r = (i64::from(a) << 14) + i64::from(b) * t as i64 + ((i64::from(c) * sq(t)) << 2) + 0x7FFF;
        if u == 0 { pack(0, 127 - k, 1 << 23) } else { pack(0, 126 - k, r >> 16) }
    }

    pub fn lg2(x: u32) -> u32 {
        let (_, e, f) = fields(x);
        let t = f & 0x1_FFFF;
        let [a, b, c] = table::LG2[(f >> 17) as usize];
        let r = (i64::from(a) << 12) + i64::from(b) * t as i64 + ((i64::from(c) * sq(t)) << 1) + 0x3345;
        let r = (r >> 2) + (i64::from(e - 127) << 36);
        if r < 0 { normalise(0x8000_0000, !r, 36) } else { normalise(0, r, 36) }
    }

    /// RRO.EX2, then MUFU.EX2.
    pub fn ex2(x: u32) -> u32 {
        let (sign, e, f) = fields(x);
        let e = e - 127;
        let f = f | 1 << 23;
        if e >= 7 {
            return if sign != 0 { 0 } else { 0x7F80_0000 };
        }
        let v = if e >= 0 { f << e } else { f.checked_shr(-e as u32).unwrap_or(0) };
        let (q, fr) = ((v >> 23) as i32, v & 0x7F_FFFF);
        let (q, fr) = match (sign != 0, fr) {
            (false, _) => (q, fr),
            (true, 0) => (-q, 0),
            (true, _) => (-q - 1, !fr & 0x7F_FFFF),
        };
        let t = fr & 0x1_FFFF;
        let m = (sum(table::EX2[(fr >> 17) as usize], 13, t, sq(t)) + 0x77E2) >> 15;
        pack(0, q + 127, m)
    }

    /// RRO.SINCOS, then MUFU.SIN or COS.
    pub fn sin(x: u32, cosine: bool) -> u32 {
        let (sign, e, f) = fields(x);
        let m = ((f | 1 << 23) * 0xA2_F983) >> 16;
        let shift = e - 127 - 8;
        let v = match shift {
            32.. => 0,
            0..=31 => m << shift,
            _ => m.checked_shr(-shift as u32).unwrap_or(0),
        } & 0x1FF_FFFF;
        let q = (v >> 23) as u32 + u32::from(cosine);
        let fr = if q & 1 != 0 { !v & 0x7F_FFFF } else { v & 0x7F_FFFF };
        let sign = if cosine { 0 } else { sign } ^ (q >> 1 & 1) << 31;
        let t = fr & 0x1_FFFF;
        normalise(sign, sum(table::SINCOS[(fr >> 17) as usize], 11, t, sq(t)), 37)
    }
}

/// A function of a number, which RRO prepares where the function wants that.
fn of(function: MufuOp, x: u32) -> u32 {
    match function {
        MufuOp::Ex2 => scalar(function, scalar_rro(RroMode::Ex2, x)),
        MufuOp::Sin | MufuOp::Cos => scalar(function, scalar_rro(RroMode::SinCos, x)),
        _ => scalar(function, x),
    }
}

/// Normal numbers: every exponent, mantissas at the borders of pieces and many others.
fn numbers() -> impl Iterator<Item = u32> {
    let mut state = 0x1234_5678u32;
    (1..=254u32).flat_map(move |exponent| {
        let mut mantissas: Vec<u32> = (0..128).flat_map(|piece| [piece << 16, (piece << 16) + 0xFFFF]).collect();
        for _ in 0..300 {
            state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
            mantissas.push(state >> 9);
        }
        mantissas.into_iter().map(move |mantissa| exponent << 23 | mantissa)
    })
}

#[test]
fn the_lists_are_the_integers_of_the_description() {
    for x in numbers() {
        let minus = x | 0x8000_0000;
        for (function, x, want) in [
            (MufuOp::Rcp, x, integers::rcp(x)),
            (MufuOp::Rcp, minus, integers::rcp(minus)),
            (MufuOp::Rsq, x, integers::rsq(x)),
            (MufuOp::Ex2, x, integers::ex2(x)),
            (MufuOp::Ex2, minus, integers::ex2(minus)),
            (MufuOp::Sin, x, integers::sin(x, false)),
            (MufuOp::Sin, minus, integers::sin(minus, false)),
            (MufuOp::Cos, minus, integers::sin(minus, true)),
        ] {
            let got = of(function, x);
            assert_eq!(got, want, "{function:?} of {x:#x}: {got:#x}, the description has {want:#x}");
        }
        if x != 0x3F80_0000 {
            let got = scalar(MufuOp::Lg2, x);
            assert_eq!(got, integers::lg2(x), "logarithm of {x:#x}");
        }
    }
}

#[test]
fn results_are_as_close_as_the_instruction_set_promises() {
    for bits in numbers() {
        let x = f64::from(f32::from_bits(bits));
        let value = |function| f64::from(f32::from_bits(of(function, bits)));
        let relative = |function, exact: f64, bits: i32| {
            let error = (value(function) - exact).abs();
            let normal = exact >= f32::MIN_POSITIVE.into() && exact <= f32::MAX.into();
            assert!(
                !normal || error <= exact * 2f64.powi(bits),
                "{function:?} of {x}: {} for {exact}",
                value(function)
            );
        };
        relative(MufuOp::Rcp, 1.0 / x, -23);
        relative(MufuOp::Rsq, 1.0 / x.sqrt(), -22);
        relative(MufuOp::Sqrt, x.sqrt(), -24);
        let error = (value(MufuOp::Lg2) - x.log2()).abs();
        assert!(error <= 2f64.powi(-22).max(x.log2().abs() * 2f64.powi(-22)), "logarithm of {x}");
        if x < 1.0 {
            relative(MufuOp::Ex2, x.exp2(), -22);
        }
        if x < 3.2 {
            assert!((value(MufuOp::Sin) - x.sin()).abs() < 2f64.powi(-20), "sine of {x}");
            assert!((value(MufuOp::Cos) - x.cos()).abs() < 2f64.powi(-20), "cosine of {x}");
        }
    }
}

#[test]
fn special_results() {
    use MufuOp::{Cos, Ex2, Lg2, Rcp, Rcp64h, Rsq, Rsq64h, Sin, Sqrt};
    const INF: u32 = 0x7F80_0000;
    const SIGN: u32 = 0x8000_0000;
    const NONE: u32 = NAN as u32;
    let one = 1f32.to_bits();
    for (function, x, want) in [
        (Rcp, 0, INF),
        (Rcp, SIGN | 1, SIGN | INF),
        (Rcp, SIGN | INF, SIGN),
        (Rcp, one, one),
        (Rcp, 0x7F00_0000, 0), // 2^127: the result is denormal
        (Rcp, 0x7E80_0000, 0x0080_0000),
        (Rcp, 0x7E80_0001, 0),
        (Rsq, 0, INF),
        (Rsq, SIGN, SIGN | INF),
        (Rsq, SIGN | one, NONE),
        (Rsq, SIGN | 0x0080_0000, NONE),
        (Rsq, SIGN | INF, NONE),
        (Rsq, INF, 0),
        (Rsq, 4f32.to_bits(), 0.5f32.to_bits()),
        (Sqrt, SIGN, SIGN),
        (Sqrt, 0x7F_FFFF, 0),
        (Sqrt, SIGN | 0x0080_0000, NONE),
        (Sqrt, INF, INF),
        (Sqrt, 9f32.to_bits(), 3f32.to_bits()),
        (Lg2, 0, SIGN | INF),
        (Lg2, SIGN | 0x7F_FFFF, SIGN | INF),
        (Lg2, SIGN | one, NONE),
        (Lg2, SIGN | INF, NONE),
        (Lg2, INF, INF),
        (Lg2, one, 0),
        (Ex2, SIGN | INF, 0),
        (Ex2, INF, INF),
        (Ex2, 0, one),
        (Ex2, SIGN | 1, one),
        (Ex2, 128f32.to_bits(), INF),
        (Ex2, (-126f32).to_bits(), 0x0080_0000),
        (Ex2, (-126.1f32).to_bits(), 0),
        (Sin, INF, NONE),
        (Cos, SIGN | INF, NONE),
        (Sin, 0, 0),
        (Sin, SIGN, SIGN),
        (Sin, SIGN | 5, SIGN),
        (Cos, SIGN, one),
        (Rcp64h, 0, 0x7FF0_0000),
        (Rcp64h, SIGN | 5, SIGN | 0x7FF0_0000),
        (Rcp64h, SIGN | 0x7FF0_0000, SIGN),
        (Rcp64h, 0x4000_0000, 0x3FE0_0000),
        (Rcp64h, 0xC008_0000, 0xBFD5_5555), // -1/3 = BFD55555 55555555
        (Rcp64h, 0x4014_0000, 0x3FC9_999A), // 1/5 = 3FC99999 9999999A
        (Rcp64h, 0x7FE8_0000, 0),
        (Rcp64h, 0x7FF0_0001, NONE),
        (Rsq64h, 0x4010_0000, 0x3FE0_0000),
        (Rsq64h, 0xC010_0000, NONE),
        (Rsq64h, SIGN, SIGN | 0x7FF0_0000),
        (Rsq64h, 0x7FF0_0000, 0),
        (Rsq64h, SIGN | 0x7FF0_0000, NONE),
    ] {
        assert_eq!(of(function, x), want, "{function:?} of {x:#x}");
    }
    for function in [Rcp, Rsq, Sqrt, Lg2, Ex2, Sin, Cos] {
        assert_eq!([of(function, 0x7F80_0001), of(function, 0xFFC0_0000)], [NONE; 2], "{function:?}");
    }
    assert_eq!(scalar(MufuOp::Unknown(9), one), NONE);
}

#[test]
fn numbers_are_prepared() {
    use RroMode::{Ex2, SinCos};
    const SIGN: u32 = 0x8000_0000;
    for (mode, x, want) in [
        (Ex2, 0, 0),
        (Ex2, SIGN | 1, SIGN),
        (Ex2, 1f32.to_bits(), 0x0080_0000),
        (Ex2, (-1.5f32).to_bits(), SIGN | 0x00C0_0000),
        (Ex2, 0.1f32.to_bits(), 0x000C_CCCC),
        (Ex2, 127.75f32.to_bits(), 0x3FE0_0000),
        (Ex2, (2f32.powi(-23)).to_bits(), 1),
        (Ex2, (2f32.powi(-23) * 0.99).to_bits(), 0),
        (Ex2, 128f32.to_bits(), 0x4080_0000),
        (Ex2, (-3e38f32).to_bits(), SIGN | 0x4080_0000),
        (Ex2, f32::INFINITY.to_bits(), 0x4080_0000),
        (Ex2, 0x7F80_0001, 0x4000_0000),
        (Ex2, 0xFFC0_0000, SIGN | 0x4000_0000),
        (SinCos, SIGN, SIGN),
        (SinCos, 1f32.to_bits(), 0x0051_7CC1),
        (SinCos, (-4f32).to_bits(), SIGN | 0x0145_F306),
        (SinCos, 2f32.powi(40).to_bits(), 0),
        (SinCos, f32::NEG_INFINITY.to_bits(), SIGN | 0x4080_0000),
        (SinCos, 0x7FFF_FFFF, 0x4000_0000),
    ] {
        assert_eq!(scalar_rro(mode, x), want, "{mode:?} of {x:#x}");
    }
    // What RRO never makes has a meaning all the same.
    for (function, x, want) in [
        (MufuOp::Ex2, 0x4000_0000, NAN as u32),
        (MufuOp::Ex2, 0x4180_0000, f32::INFINITY.to_bits()),
        (MufuOp::Ex2, 0xC180_0000, 0),
        (MufuOp::Ex2, 1f32.to_bits(), 2f32.powi(127).to_bits()),
        (MufuOp::Sin, 0x4180_0000, NAN as u32),
        (MufuOp::Cos, 0x0200_0000, 1f32.to_bits()),
    ] {
        assert_eq!(scalar(function, x), want, "{function:?} of {x:#x}");
    }
}

#[test]
fn functions_are_those_of_the_console() {
    use MufuOp::{Cos, Ex2, Sin, Sqrt};
    let value = |function, x: f32| f32::from_bits(of(function, x.to_bits()));
    for whole in 0..4 {
        assert_eq!(value(Ex2, whole as f32), f32::from_bits((127 + whole) << 23));
    }
    assert_eq!([value(Cos, std::f32::consts::FRAC_PI_2), value(Sin, 0.0)], [0.0; 2]);
    assert_eq!(value(Sqrt, 2.0), std::f32::consts::SQRT_2);
}

#[test]
fn squares_are_sums_of_partial_products() {
    for t in 0..1i32 << 17 {
        let sum: i32 = (0..17).filter(|bit| t >> bit & 1 != 0).map(|bit| t >> (18 - bit)).sum();
        assert_eq!(square(&mut Scalar, t), sum >> 1, "{t:#x}");
    }
}
