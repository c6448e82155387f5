//! Every primitive against scalar Rust on edge values.

use super::*;
use crate::code::Compiler;
use crate::effort::Effort;

/// The function of two vectors at `args` and `args + 16` with its result at `args + 32`.
fn function(
    e: &mut Emit<'_>,
    build: &impl Fn(&mut Emit<'_>, I32x4, I32x4) -> Value,
) -> Result<(), triglyph_guest::kernel::Unsupported> {
    let args = e.args;
    let (a, b) = (e.load_ints(args, 0), e.load_ints(args, 16));
    let result = build(e, a, b);
    e.store(result, args, 32);
    let status = e.i64(7);
    e.finish(status);
    Ok(())
}

/// Compiles `build` as a function of two vectors at `args` and `args + 16`, result at `args + 32`, and runs it.
pub(crate) fn run(a: [u32; 4], b: [u32; 4], build: impl Fn(&mut Emit<'_>, I32x4, I32x4) -> Value) -> [u32; 4] {
    let mut results = Vec::new();
    for effort in [Effort::Baseline, Effort::Optimized] {
        let compiler = Compiler::new(effort).unwrap();
        let code = compiler.compile(1, |e| function(e, &build)).unwrap();
        let mut memory = [a, b, [0; 4]];
        // SAFETY: the code reads and writes the 48 bytes of `memory`.
        #[allow(unsafe_code)]
        let status = unsafe { code.call(memory.as_mut_ptr()) };
        assert_eq!(status, 7);
        results.push(memory[2]);
    }
    #[cfg(feature = "check-aarch64")]
    Compiler::aarch64().compile::<u8>(1, |e| function(e, &build)).unwrap();
    assert_eq!(results[0], results[1], "register allocators disagree");
    results[0]
}

pub(crate) const EDGES: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    255.0,
    255.49998,
    1e-40,
    -1e-40,
    f32::MIN_POSITIVE,
    8388608.0,
    -8388609.0,
    16777216.0,
    0.99999994,
    1.0000001,
    3.4e38,
    -3.4e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    127.99999,
    -126.5,
];

/// Checks a float operation on all pairs of edge values. NaN equals NaN.
fn floats(name: &str, emit: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> F32x4, scalar: impl Fn(f32, f32) -> f32) {
    let compiled = |a: [f32; 4], b: [f32; 4]| {
        run(a.map(f32::to_bits), b.map(f32::to_bits), |e, a, b| {
            let (a, b) = (e.float_of_bits(a), e.float_of_bits(b));
            emit(e, a, b).0
        })
    };
    for chunk in EDGES.chunks(4) {
        let a: [f32; 4] = chunk.try_into().unwrap();
        for &b in &EDGES {
            let got = compiled(a, [b; 4]);
            for lane in 0..4 {
                let (got, want) = (f32::from_bits(got[lane]), scalar(a[lane], b));
                assert!(
                    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(),
                    "{name}({}, {b}) = {got}, not {want}",
                    a[lane]
                );
            }
        }
    }
}

const WORDS: [u32; 16] = [
    0,
    1,
    2,
    127,
    128,
    255,
    256,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFF,
    0x1234_5678,
    0xFEDC_BA98,
];

/// Checks an integer operation on all pairs of edge words.
fn ints(name: &str, emit: impl Fn(&mut Emit<'_>, I32x4, I32x4) -> I32x4, scalar: impl Fn(u32, u32) -> u32) {
    for chunk in WORDS.chunks(4) {
        let a: [u32; 4] = chunk.try_into().unwrap();
        for &b in &WORDS {
            let got = run(a, [b; 4], |e, a, b| emit(e, a, b).0);
            assert_eq!(got, a.map(|a| scalar(a, b)), "{name}({a:x?}, {b:x})");
        }
    }
}

/// Applies a 16-bit operation to both halves of each word.
fn shorts(name: &str, emit: impl Fn(&mut Emit<'_>, I16x8, I16x8) -> I16x8, scalar: impl Fn(u16, u16) -> u16) {
    ints(
        name,
        |e, a, b| {
            let (a, b) = (I16x8(e.cast(a.0, I16X8)), I16x8(e.cast(b.0, I16X8)));
            let result = emit(e, a, b);
            I32x4(e.cast(result.0, I32X4))
        },
        |a, b| u32::from(scalar(a as u16, b as u16)) | u32::from(scalar((a >> 16) as u16, (b >> 16) as u16)) << 16,
    );
}

#[test]
fn float_arithmetic() {
    floats("add", |e, a, b| e.add(a, b), |a, b| a + b);
    floats("sub", |e, a, b| e.sub(a, b), |a, b| a - b);
    floats("mul", |e, a, b| e.mul(a, b), |a, b| a * b);
    floats("div", |e, a, b| e.div(a, b), |a, b| a / b);
    floats("sqrt", |e, a, _| e.sqrt(a), |a, _| a.sqrt());
    floats("abs", |e, a, _| e.abs(a), |a, _| a.abs());
    floats("neg", |e, a, _| e.neg(a), |a, _| -a);
    floats("floor", |e, a, _| e.floor(a), |a, _| a.floor());
    floats("nearest", |e, a, _| e.nearest(a), |a, _| a.round_ties_even());
}

#[test]
fn minimum_maximum_and_clamp() {
    floats("min", |e, a, b| e.min(a, b), |a, b| if a < b { a } else { b });
    floats("max", |e, a, b| e.max(a, b), |a, b| if b < a { a } else { b });
    let clamp = |v: f32| {
        let v = if -1.0 < v { v } else { -1.0 };
        if v < 255.0 { v } else { 255.0 }
    };
    floats("clamp", |e, a, _| e.clamp(a, -1.0, 255.0), |a, _| clamp(a));
}

#[test]
fn comparisons_and_masks() {
    let choose = |m: bool, a: f32, b: f32| if m { a } else { b };
    let test = |name: &str, emit: fn(&mut Emit<'_>, F32x4, F32x4) -> Mask, scalar: fn(f32, f32) -> bool| {
        let select = |e: &mut Emit<'_>, a, b| {
            let m = emit(e, a, b);
            e.select(m, a, b)
        };
        floats(name, select, |a, b| choose(scalar(a, b), a, b));
    };
    test("lt", |e, a, b| e.lt(a, b), |a, b| a < b);
    test("le", |e, a, b| e.le(a, b), |a, b| a <= b);
    test("eq", |e, a, b| e.feq(a, b), |a, b| a == b);
    test("unordered", |e, a, b| e.unordered(a, b), |a, b| a.is_nan() || b.is_nan());
    let bits = |e: &mut Emit<'_>, m: Mask| {
        let bits = e.mask_bits(m);
        e.splat_i32(bits)
    };
    let got = run([1, 5, 3, 9], [4, 4, 4, 4], |e, a, b| {
        let m = e.ilt(a, b);
        bits(e, m).0
    });
    assert_eq!(got, [0b0101; 4]);
}

#[test]
fn integer_arithmetic() {
    ints("iadd", |e, a, b| e.iadd(a, b), u32::wrapping_add);
    ints("isub", |e, a, b| e.isub(a, b), u32::wrapping_sub);
    ints("imul", |e, a, b| e.imul(a, b), u32::wrapping_mul);
    ints("iand", |e, a, b| e.iand(a, b), |a, b| a & b);
    ints("ior", |e, a, b| e.ior(a, b), |a, b| a | b);
    ints("ixor", |e, a, b| e.ixor(a, b), |a, b| a ^ b);
    ints("ishl", |e, a, _| e.ishl(a, 7), |a, _| a << 7);
    ints("ishr", |e, a, _| e.ishr(a, 7), |a, _| (a as i32 >> 7) as u32);
    ints("ushr", |e, a, _| e.ushr(a, 7), |a, _| a >> 7);
    ints("umin", |e, a, b| e.umin(a, b), u32::min);
    ints("imin", |e, a, b| e.imin(a, b), |a, b| (a as i32).min(b as i32) as u32);
    ints("imax", |e, a, b| e.imax(a, b), |a, b| (a as i32).max(b as i32) as u32);
    let high = |a: i64, b: i64| ((a * b) >> 32) as u32;
    ints("imul_high, signed", |e, a, b| e.imul_high(a, b, true), |a, b| high((a as i32).into(), (b as i32).into()));
    let high = |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    ints("imul_high, unsigned", |e, a, b| e.imul_high(a, b, false), high);
    for values in
        [[0, 1, 0x0100_0001, 0x0100_0003], [0x7FFF_FFFF, 0x8000_0080, 0x8000_0081, 0x8000_0180], [u32::MAX; 4]]
    {
        let got = run(values, [0; 4], |e, a, _| e.float_of_unsigned(a).0);
        assert_eq!(got, values.map(|a| (a as f32).to_bits()));
    }
    ints(
        "saturating_int",
        |e, a, _| {
            let a = e.float_of_bits(a);
            let a = e.floor(a);
            e.saturating_int(a)
        },
        |a, _| f32::from_bits(a).floor() as i32 as u32,
    );
    for chunk in EDGES.chunks(4) {
        let a: [f32; 4] = chunk.try_into().unwrap();
        let got = run(a.map(f32::to_bits), [0; 4], |e, a, _| {
            let a = e.float_of_bits(a);
            let a = e.nearest(a);
            e.saturating_int(a).0
        });
        assert_eq!(got, a.map(|a| a.round_ties_even() as i32 as u32));
    }
    let flag = |m: bool| 0u32.wrapping_sub(u32::from(m));
    ints("imax_unsigned", |e, a, b| e.imax_unsigned(a, b), u32::max);
    ints("swap_bytes", |e, a, _| e.swap_bytes(a, 4), |a, _| a.swap_bytes());
    ints("swap_bytes 16", |e, a, _| e.swap_bytes(a, 2), |a, _| a.swap_bytes().rotate_left(16));
    ints("ieq", |e, a, b| I32x4(e.ieq(a, b).0), |a, b| flag(a == b));
    ints("ilt", |e, a, b| I32x4(e.ilt(a, b).0), |a, b| flag((a as i32) < b as i32));
    ints(
        "to_float",
        |e, a, _| {
            let f = e.to_float(a);
            e.bits(f)
        },
        |a, _| (a as i32 as f32).to_bits(),
    );
}

#[test]
fn differences_of_a_quad() {
    let values = [1.0f32, 3.0, 10.0, 30.0].map(f32::to_bits);
    let difference = |emit: fn(&mut Emit<'_>, F32x4) -> F32x4| {
        run(values, [0; 4], |e, a, _| {
            let a = e.float_of_bits(a);
            emit(e, a).0
        })
        .map(f32::from_bits)
    };
    assert_eq!(difference(|e, a| e.difference_x(a)), [2.0, 2.0, 20.0, 20.0]);
    assert_eq!(difference(|e, a| e.difference_y(a)), [9.0, 27.0, 9.0, 27.0]);
}

#[test]
fn sixteen_bit_arithmetic() {
    shorts("add16", |e, a, b| e.add16(a, b), u16::wrapping_add);
    shorts("sub16", |e, a, b| e.sub16(a, b), u16::wrapping_sub);
    shorts("mul16", |e, a, b| e.mul16(a, b), u16::wrapping_mul);
    shorts("add16_saturate", |e, a, b| e.add16_saturate(a, b), u16::saturating_add);
    shorts("sub16_saturate", |e, a, b| e.sub16_saturate(a, b), u16::saturating_sub);
    shorts("min16", |e, a, b| e.min16(a, b), u16::min);
    shorts("max16", |e, a, b| e.max16(a, b), u16::max);
    shorts("shl16", |e, a, _| e.shl16(a, 3), |a, _| a << 3);
    shorts("shr16", |e, a, _| e.shr16(a, 3), |a, _| a >> 3);
    ints(
        "merge16",
        |e, a, b| {
            let (a, b) = (I16x8(e.cast(a.0, I16X8)), I16x8(e.cast(b.0, I16X8)));
            let merged = e.merge16(a, b);
            I32x4(e.cast(merged.0, I32X4))
        },
        |a, b| a & 0xFFFF | b & 0xFFFF_0000,
    );
}

#[test]
fn lanes_that_work_in_pairs() {
    let half = |w: u32, k: u32| (w >> (16 * k)) as u16 as i16;
    ints(
        "madd16",
        |e, a, b| {
            let [a, b] = [a, b].map(|v| I16x8(e.cast(v.0, I16X8)));
            e.madd16(a, b)
        },
        |a, b| {
            let product = |k| i32::from(half(a, k)).wrapping_mul(half(b, k).into());
            product(0).wrapping_add(product(1)) as u32
        },
    );
    ints(
        "imul_small",
        |e, a, b| {
            let low = e.i(0x7FFF);
            let (a, b) = (e.iand(a, low), e.iand(b, low));
            e.imul_small(a, b)
        },
        |a, b| (a & 0x7FFF) * (b & 0x7FFF),
    );
    let saturate = |v: u32| (v as i32).clamp(0, 0xFFFF) as u32;
    ints(
        "join_saturated",
        |e, a, b| {
            let joined = e.join_saturated(a, b);
            I32x4(e.cast(joined.0, I32X4))
        },
        |a, b| saturate(a) | saturate(b) << 16,
    );
    ints(
        "low_bytes_twice",
        |e, a, _| {
            let bytes = e.low_bytes_twice(a);
            I32x4(e.cast(bytes.0, I32X4))
        },
        |a, _| (a & 0xFF) * 0x1_0001,
    );
    let part = |which: usize| {
        run([0x1_0000, 0x3_0002, 0x5_0004, 0x7_0006], [0x9_0008, 0xB_000A, 0xD_000C, 0xF_000E], |e, a, b| {
            let [a, b] = [a, b].map(|v| I16x8(e.cast(v.0, I16X8)));
            e.interleave16(a, b)[which].0
        })
    };
    assert_eq!(part(0), [0x8_0000, 0x9_0001, 0xA_0002, 0xB_0003]);
    assert_eq!(part(1), [0xC_0004, 0xD_0005, 0xE_0006, 0xF_0007]);
}

#[test]
fn division_by_255_is_exact() {
    for p in (0..65535u32).step_by(8) {
        let words = [0, 1, 2, 3].map(|i| (p + 2 * i).min(65534) | (p + 2 * i + 1).min(65534) << 16);
        let want = words.map(|w| ((w & 0xFFFF) / 255) | (((w >> 16) / 255) << 16));
        if p % 1024 == 0 {
            let got = run(words, words, |e, a, _| {
                let a = I16x8(e.cast(a.0, I16X8));
                e.div255(a).0
            });
            assert_eq!(got, want);
        }
        // The formula itself, everywhere.
        for p in words.iter().flat_map(|w| [w & 0xFFFF, w >> 16]) {
            assert_eq!((p + 1 + (p >> 8)) >> 8, p / 255);
            assert!(p + 1 + (p >> 8) < 65536 || p > 65279);
        }
    }
}

#[test]
fn colours_come_apart_and_together() {
    ints(
        "unpack, pack",
        |e, a, _| {
            let pair = e.unpack(a);
            e.pack(pair)
        },
        |a, _| a,
    );
    let part = |pick: fn(&mut Emit<'_>, Pair) -> I32x4| {
        run([0x1122_3344, 0x5566_7788, 0x99AA_BBCC, 0xDDEE_FF00], [0; 4], |e, a, _| {
            let pair = e.unpack(a);
            pick(e, pair).0
        })
    };
    assert_eq!(part(|e, p| e.even_ints(p.ag)), [0x44, 0x88, 0xCC, 0x00]);
    assert_eq!(part(|e, p| e.odd_ints(p.ag)), [0x22, 0x66, 0xAA, 0xEE]);
    assert_eq!(part(|e, p| e.even_ints(p.br)), [0x33, 0x77, 0xBB, 0xFF]);
    assert_eq!(part(|e, p| e.odd_ints(p.br)), [0x11, 0x55, 0x99, 0xDD]);
    let splat = part(|e, p| {
        let a = e.splat_even(p.ag);
        I32x4(e.cast(a.0, I32X4))
    });
    assert_eq!(splat, [0x44_0044, 0x88_0088, 0xCC_00CC, 0]);
}

#[test]
fn memory_of_odd_sizes() {
    let bytes: [u32; 4] = [0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0xFFFF_FFFF];
    let got = run(bytes, [0; 4], |e, _, _| {
        let args = e.args;
        e.load_4x24(args).0
    });
    assert_eq!(got, [0x03_0201, 0x06_0504, 0x09_0807, 0x0C_0B0A]);
    let got = run(bytes, [0; 4], |e, _, _| {
        let args = e.args;
        e.load_4x16(args).0
    });
    assert_eq!(got, [0x0201, 0x0403, 0x0605, 0x0807]);
    let got = run([0xAA11_2233, 0xBB44_5566, 0x77_8899, 0xAA_BBCC], [9; 4], |e, a, _| {
        let args = e.args;
        let target = e.b.ins().iadd_imm_u(args, 16);
        e.store_4x24(a, target);
        e.load_ints(args, 16).0
    });
    assert_eq!(got, [0x6611_2233, 0x8899_4455, 0xAABB_CC77, 9]);
    let got = run([0x1234, 0xFFFF, 0x8000, 1], [9; 4], |e, a, _| {
        let args = e.args;
        let target = e.b.ins().iadd_imm_u(args, 16);
        e.store_4x16(a, target);
        e.load_ints(args, 16).0
    });
    assert_eq!(got, [0xFFFF_1234, 0x1_8000, 9, 9]);
}

#[test]
fn gather_clamps_and_transpose_turns() {
    let got = run([3, 0, 1, 2], [0xFFFF_FFFF, 7, 4, 1], |e, _, index| {
        let (args, last) = (e.args, e.i(7));
        e.gather32(args, index, last).0
    });
    assert_eq!(got, [1, 1, 0xFFFF_FFFF, 0]);
    for row in 0..4 {
        let got = run([0, 1, 2, 3], [16; 4], |e, a, b| {
            let rows = [0, 1, 2, 3].map(|k| {
                let mut v = a;
                for _ in 0..k {
                    v = e.iadd(v, b);
                }
                e.float_of_bits(v)
            });
            e.transpose(rows)[row].0
        });
        assert_eq!(got, [0, 16, 32, 48].map(|v| v + row as u32));
    }
}

#[test]
fn shared_functions_equal_the_reference_to_the_bit() {
    use triglyph_guest::num::ops::{Scalar, exp2, log2};
    floats("exp2", |e, a, _| exp2(e, a), |a, _| exp2(&mut Scalar, a));
    floats("log2", |e, a, _| log2(e, a), |a, _| log2(&mut Scalar, a));
    let mut seed = 1u32;
    for _ in 0..200 {
        let a = [(); 4].map(|()| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from_bits(0x3000_0000 + (seed >> 3))
        });
        let got = run(a.map(f32::to_bits), [0; 4], |e, a, _| {
            let a = e.float_of_bits(a);
            log2(e, a).0
        });
        assert_eq!(got, a.map(|a| log2(&mut Scalar, a).to_bits()));
    }
}
