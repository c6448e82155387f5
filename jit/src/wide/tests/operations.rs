//! Operations on vectors, lanes and scalars.

use super::*;

/// An operation with vectors as operands, by its name.
type Two = (&'static str, Type, fn(&mut Emit<'_>, Value, Value) -> Value);

/// Entries of a table of operations with two operands: instructions by name.
macro_rules! two {
    ($($ty:ident: $($name:ident)+;)+) => {
        &[$($((concat!(stringify!($name), " ", stringify!($ty)), $ty, |e, a, b| e.b.ins().$name(a, b)),)+)+]
    };
}

/// The same with one operand.
macro_rules! one {
    ($($ty:ident: $($name:ident)+;)+) => {
        &[$($((concat!(stringify!($name), " ", stringify!($ty)), $ty, |e, a, _| e.b.ins().$name(a)),)+)+]
    };
}

const TWO: &[Two] = two! {
    F32X4: fadd fsub fmul fdiv;
    F64X2: fadd fsub fmul fdiv;
    I8X16: iadd isub smin umin smax umax uadd_sat usub_sat sadd_sat ssub_sat avg_round band bor bxor;
    I16X8: iadd isub imul avg_round smin umin smax umax uadd_sat usub_sat sadd_sat ssub_sat;
    I16X8: snarrow unarrow iadd_pairwise;
    I32X4: iadd isub imul smin umin smax umax band bor bxor snarrow unarrow iadd_pairwise;
    I64X2: iadd isub;
};

const ONE: &[Two] = one! {
    F32X4: sqrt floor ceil trunc nearest fneg fabs fvpromote_low;
    F64X2: sqrt floor ceil trunc nearest fneg fabs fvdemote;
    I8X16: iabs bnot swiden_low swiden_high uwiden_low uwiden_high;
    I16X8: iabs swiden_low swiden_high uwiden_low uwiden_high;
    I32X4: iabs uwiden_low uwiden_high;
};

fn check_all(operations: &[Two]) {
    for &(name, ty, operation) in operations {
        check(name, &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, ty));
            let result = operation(e, a, b);
            cast(e, result, I8X16)
        });
    }
}

#[test]
fn vectors() {
    check_all(TWO);
    check_all(ONE);
}

#[test]
fn doubles() {
    check("from floats and back", &|e, inputs, _| {
        let a = crate::lane::F32x4(cast(e, inputs[0], F32X4));
        let wide = e.widen(a);
        let twice = e.pairwise(wide, wide, |e, a, b| e.b.ins().fadd(a, b));
        let narrow = e.narrow(twice);
        cast(e, narrow.0, I8X16)
    });
    check("from another order of floats", &|e, inputs, _| {
        let a = cast(e, inputs[0], F32X4);
        let order = [8, 9, 10, 11, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        let other = e.shuffle(a, a, order);
        let [a, b] = [a, other].map(|value| e.b.ins().fvpromote_low(value));
        let sum = e.b.ins().fadd(a, b);
        cast(e, sum, I8X16)
    });
    check("from integers", &|e, inputs, _| {
        let a = cast(e, inputs[0], I32X4);
        let high = e.shuffle(a, a, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
        let [low, high] = [a, high].map(|half| {
            let long = e.b.ins().swiden_low(half);
            e.b.ins().fcvt_from_sint(F64X2, long)
        });
        let difference = e.b.ins().fsub(low, high);
        cast(e, difference, I8X16)
    });
    check("fma", &|e, inputs, _| {
        let [a, b, c] = inputs.map(|value| cast(e, value, F64X2));
        let result = e.b.ins().fma(a, b, c);
        cast(e, result, I8X16)
    });
}

#[test]
fn conversions_and_fused_products() {
    check("from integers", &|e, inputs, _| {
        let a = cast(e, inputs[0], I32X4);
        let result = e.b.ins().fcvt_from_sint(F32X4, a);
        cast(e, result, I8X16)
    });
    check("fma", &|e, inputs, _| {
        let [a, b, c] = inputs.map(|value| cast(e, value, F32X4));
        let result = e.b.ins().fma(a, b, c);
        let result = e.b.ins().fma(result, result, a);
        cast(e, result, I8X16)
    });
    check("complement", &|e, inputs, _| {
        let [first, second] = [e.b.ins().bnot(inputs[1]), e.b.ins().bnot(inputs[2])];
        let with = e.b.ins().band(inputs[0], first);
        let also = e.b.ins().band(second, inputs[0]);
        e.b.ins().bxor(with, also)
    });
    check("quotients by 255", &|e, inputs, _| {
        let a = I16x8(cast(e, inputs[0], I16X8));
        let result = e.div255(a);
        cast(e, result.0, I8X16)
    });
    check("averages of what is shifted otherwise", &|e, inputs, _| {
        let [a, b] = [inputs[0], inputs[1]].map(|value| I16x8(cast(e, value, I16X8)));
        let (high, other) = (e.shr16(a, 8), e.shr16(a, 7));
        let sums = [(b, high, 7), (a, other, 7), (a, high, 6)].map(|(a, b, by)| {
            let average = I16x8(e.b.ins().avg_round(a.0, b.0));
            e.shr16(average, by)
        });
        let sum = e.xor16(sums[0], sums[1]);
        let sum = e.add16(sum, sums[2]);
        cast(e, sum.0, I8X16)
    });
    check("to integers", &|e, inputs, _| {
        let a = cast(e, inputs[0], F32X4);
        let result = e.b.ins().x86_cvtt2dq(I32X4, a);
        cast(e, result, I8X16)
    });
}

#[test]
fn products_of_widened_lanes() {
    for signed in [false, true] {
        check("products of 64 bits", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| crate::lane::I32x4(cast(e, value, I32X4)));
            let result = e.imul_high(a, b, signed);
            cast(e, result.0, I8X16)
        });
    }
    check("sums of products", &|e, inputs, _| {
        let [a, b] = [inputs[0], inputs[1]].map(|value| crate::lane::I16x8(cast(e, value, I16X8)));
        let result = e.madd16(a, b);
        cast(e, result.0, I8X16)
    });
}

#[test]
fn shifts() {
    for ty in [I16X8, I32X4, I64X2] {
        for count in [0, 1, 7, 15, 31, 63, 65] {
            check("shift", &|e, inputs, _| {
                let a = cast(e, inputs[0], ty);
                let left = e.b.ins().ishl_imm_u(a, count);
                let right = e.b.ins().ushr_imm_u(a, count);
                let mut result = e.b.ins().bxor(left, right);
                if ty != I64X2 {
                    let signed = e.b.ins().sshr_imm_u(a, count);
                    result = e.b.ins().iadd(result, signed);
                }
                cast(e, result, I8X16)
            });
        }
        check("shift by a register", &|e, inputs, _| {
            let (a, args) = (cast(e, inputs[0], ty), e.args);
            // The first bytes are the same for all items.
            let count = e.b.ins().load(I32, flags(), args, FROM);
            let left = e.b.ins().ishl(a, count);
            let right = e.b.ins().ushr(a, count);
            let result = e.b.ins().bxor(left, right);
            cast(e, result, I8X16)
        });
    }
}

#[test]
fn comparisons_and_selections() {
    use FloatCC::{
        Equal, GreaterThan, GreaterThanOrEqual, LessThan, LessThanOrEqual, NotEqual, Ordered, Unordered,
        UnorderedOrGreaterThan, UnorderedOrGreaterThanOrEqual, UnorderedOrLessThan, UnorderedOrLessThanOrEqual,
    };
    let floats = [
        Equal,
        NotEqual,
        LessThan,
        LessThanOrEqual,
        GreaterThan,
        GreaterThanOrEqual,
        Ordered,
        Unordered,
        UnorderedOrLessThan,
        UnorderedOrLessThanOrEqual,
        UnorderedOrGreaterThan,
        UnorderedOrGreaterThanOrEqual,
    ];
    for condition in floats {
        check("fcmp", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F32X4));
            let mask = e.b.ins().fcmp(condition, a, b);
            let mask = cast(e, mask, F32X4);
            let result = e.b.ins().bitselect(mask, a, b);
            cast(e, result, I8X16)
        });
        check("fcmp of doubles", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F64X2));
            let mask = e.b.ins().fcmp(condition, a, b);
            let mask = cast(e, mask, F64X2);
            let result = e.b.ins().bitselect(mask, a, b);
            cast(e, result, I8X16)
        });
    }
    for condition in IntCC::all() {
        for ty in [I8X16, I16X8, I32X4] {
            check("icmp", &|e, inputs, _| {
                let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, ty));
                let mask = e.b.ins().icmp(*condition, a, b);
                let result = e.b.ins().bitselect(mask, a, b);
                let result = cast(e, result, I8X16);
                let other = cast(e, mask, I8X16);
                e.b.ins().iadd(result, other)
            });
        }
    }
    check("any bits select", &|e, [a, b, c], _| e.b.ins().bitselect(a, b, c));
}

#[test]
fn shuffles() {
    let orders: [[u8; 16]; 12] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
        [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31],
        [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23],
        [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31],
        [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31],
        [20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15, 0, 1, 2, 3],
        [12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3],
        [0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31],
        [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23],
        [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31],
        [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
        [31, 0, 30, 1, 29, 2, 28, 3, 27, 4, 26, 5, 25, 6, 24, 7],
    ];
    for order in orders {
        check("shuffle", &|e, [a, b, _], _| e.shuffle(a, b, order));
        check("shuffle of one", &|e, [a, ..], _| e.shuffle(a, a, order.map(|byte| byte & 15)));
    }
    check("bytes by a vector", &|e, [a, b, _], _| e.b.ins().x86_pshufb(a, b));
}

#[test]
fn lanes() {
    for lane in 0..2 {
        check("doubles", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F64X2));
            let scalar = e.b.ins().extractlane(a, lane);
            let both = e.b.ins().insertlane(b, scalar, 1 - lane);
            let split = e.b.ins().splat(F64X2, scalar);
            let [both, split] = [both, split].map(|value| cast(e, value, I8X16));
            e.b.ins().bxor(both, split)
        });
    }
    for lane in 0..4 {
        check("singles", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F32X4));
            let scalar = e.b.ins().extractlane(a, lane);
            let both = e.b.ins().insertlane(b, scalar, 3 - lane);
            let split = e.b.ins().splat(F32X4, scalar);
            let alone = e.b.ins().scalar_to_vector(F32X4, scalar);
            let result = e.b.ins().bxor(both, split);
            let result = e.b.ins().bxor(result, alone);
            cast(e, result, I8X16)
        });
        check("integers", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, I32X4));
            let scalar = e.b.ins().extractlane(a, lane);
            let both = e.b.ins().insertlane(b, scalar, 3 - lane);
            let split = e.b.ins().splat(I32X4, scalar);
            let result = e.b.ins().bxor(both, split);
            cast(e, result, I8X16)
        });
    }
    for (ty, to) in [(I8X16, 5), (I16X8, 3), (I64X2, 1)] {
        check("other lanes", &|e, inputs, _| {
            let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, ty));
            let scalar = e.b.ins().extractlane(a, 1);
            let both = e.b.ins().insertlane(b, scalar, to);
            let split = e.b.ins().splat(ty, scalar);
            let result = e.b.ins().bxor(both, split);
            cast(e, result, I8X16)
        });
    }
    check("lanes from memory", &|e, inputs, number| {
        let vector = cast(e, inputs[0], F32X4);
        let place = inputs_of(e, number);
        let scalars = [0, 4, 8].map(|offset| e.b.ins().load(F32, flags(), place, FROM + offset));
        let both = e.b.ins().insertlane(vector, scalars[1], 2);
        let split = e.b.ins().splat(F32X4, scalars[2]);
        let alone = e.b.ins().scalar_to_vector(F32X4, scalars[0]);
        let result = e.b.ins().bxor(both, split);
        let result = e.b.ins().bxor(result, alone);
        cast(e, result, I8X16)
    });
    check("doubles from memory", &|e, inputs, number| {
        let vector = cast(e, inputs[0], F64X2);
        let place = inputs_of(e, number);
        let scalars = [8, 24].map(|offset| e.b.ins().load(F64, flags(), place, FROM + offset));
        let first = e.b.ins().insertlane(vector, scalars[0], 0);
        let second = e.b.ins().insertlane(vector, scalars[1], 1);
        let [first, second] = [first, second].map(|value| cast(e, value, I8X16));
        e.b.ins().bxor(first, second)
    });
    check("highest bits", &|e, inputs, _| {
        let mut sum = e.i32(0);
        for (n, ty) in [I8X16, I32X4, F32X4, I64X2].into_iter().enumerate() {
            let vector = cast(e, inputs[n % INPUTS], ty);
            let bits = e.b.ins().vhigh_bits(I32, vector);
            let more = e.b.ins().imul_imm_u(sum, 1 << 5);
            sum = e.b.ins().bxor(more, bits);
        }
        let result = e.b.ins().splat(I32X4, sum);
        cast(e, result, I8X16)
    });
}

/// Makes an integer from two of the same type.
type Scalar = (&'static str, fn(&mut Emit<'_>, Value, Value) -> Value);

const SCALARS: &[Scalar] = &[
    ("iadd", |e, a, b| e.b.ins().iadd(a, b)),
    ("iadd constant", |e, a, _| e.b.ins().iadd_imm_s(a, -5)),
    ("isub", |e, a, b| e.b.ins().isub(a, b)),
    ("band", |e, a, b| e.b.ins().band(a, b)),
    ("band constant", |e, a, _| e.b.ins().band_imm_u(a, 0x1234_5678)),
    ("band complement", |e, a, b| e.b.ins().band_not(a, b)),
    ("bor", |e, a, b| e.b.ins().bor(a, b)),
    ("bxor", |e, a, b| e.b.ins().bxor(a, b)),
    ("bnot", |e, a, _| e.b.ins().bnot(a)),
    ("ineg", |e, a, _| e.b.ins().ineg(a)),
    ("imul", |e, a, b| e.b.ins().imul(a, b)),
    ("imul constant", |e, a, _| e.b.ins().imul_imm_s(a, -77)),
    ("ishl", |e, a, b| e.b.ins().ishl(a, b)),
    ("ushr", |e, a, b| e.b.ins().ushr(a, b)),
    ("sshr", |e, a, b| e.b.ins().sshr(a, b)),
    ("shifts by constants", |e, a, _| {
        let [left, right] = [e.b.ins().ishl_imm_u(a, 5), e.b.ins().ushr_imm_u(a, 9)];
        let signed = e.b.ins().sshr_imm_u(a, 3);
        let both = e.b.ins().bxor(left, right);
        e.b.ins().bxor(both, signed)
    }),
    ("counts", |e, a, _| {
        let [low, high] = [e.b.ins().ctz(a), e.b.ins().clz(a)];
        let ones = e.b.ins().popcnt(a);
        let [low, high] = [(low, 8), (high, 16)].map(|(count, by)| e.b.ins().ishl_imm_u(count, by));
        let both = e.b.ins().bxor(low, high);
        e.b.ins().bxor(both, ones)
    }),
    ("smin", |e, a, b| e.b.ins().smin(a, b)),
    ("smax", |e, a, b| e.b.ins().smax(a, b)),
    ("umin", |e, a, b| e.b.ins().umin(a, b)),
    ("umax", |e, a, b| e.b.ins().umax(a, b)),
];

#[test]
fn scalars() {
    for (name, operation) in SCALARS {
        for (ty, vector) in [(I32, I32X4), (I64, I64X2)] {
            check(name, &|e, inputs, _| {
                let [a, b] = [inputs[0], inputs[1]].map(|value| {
                    let value = cast(e, value, vector);
                    e.b.ins().extractlane(value, 1)
                });
                let result = operation(e, a, b);
                assert_eq!(e.b.func.dfg.value_type(result), ty);
                let result = e.b.ins().splat(vector, result);
                cast(e, result, I8X16)
            });
        }
    }
}

#[test]
fn scalars_of_other_sizes() {
    check("memory", &|e, _, number| {
        let place = inputs_of(e, number);
        let mut sum = e.i64(0);
        let (f, o) = (flags(), FROM + 3);
        let loaded = [
            e.b.ins().uload8(I64, f, place, o),
            e.b.ins().sload8(I64, f, place, o),
            e.b.ins().uload16(I64, f, place, o),
            e.b.ins().sload16(I64, f, place, o),
            e.b.ins().uload32(f, place, o),
            e.b.ins().sload32(f, place, o),
        ];
        for value in loaded {
            let more = e.b.ins().imul_imm_u(sum, 131);
            sum = e.b.ins().iadd(more, value);
        }
        let result = e.b.ins().splat(I64X2, sum);
        cast(e, result, I8X16)
    });
    check("casts", &|e, inputs, _| {
        let (words, longs) = (cast(e, inputs[0], I32X4), cast(e, inputs[1], I64X2));
        let word = e.b.ins().extractlane(words, 2);
        let long = e.b.ins().extractlane(longs, 1);
        let less = e.b.ins().ireduce(I32, long);
        let [unsigned, signed] = [e.b.ins().uextend(I64, less), e.b.ins().sextend(I64, word)];
        let single = e.b.ins().bitcast(F32, cranelift_codegen::ir::MemFlagsData::new(), word);
        let (singles, sum) = (e.b.ins().splat(F32X4, single), e.b.ins().iadd(unsigned, signed));
        let [a, b] = [cast(e, singles, I64X2), e.b.ins().splat(I64X2, sum)];
        let result = e.b.ins().bxor(a, b);
        cast(e, result, I8X16)
    });
    check("small stores", &|e, inputs, number| {
        let (args, words) = (e.args, cast(e, inputs[0], I32X4));
        let offset = e.b.ins().ishl_imm_u(number, 4);
        let place = e.b.ins().iadd(args, offset);
        for lane in 0..4 {
            let word = e.b.ins().extractlane(words, lane);
            e.b.ins().istore8(flags(), word, place, TO + i32::from(lane));
            e.b.ins().istore16(flags(), word, place, TO + 4 + 2 * i32::from(lane));
        }
        e.b.ins().load(I8X16, flags(), place, TO)
    });
}

#[test]
fn lesser_and_greater_floats() {
    for (name, condition) in [("less", FloatCC::LessThan), ("greater", FloatCC::GreaterThan)] {
        for (order, swapped) in [("as compared", false), ("exchanged", true)] {
            check(&format!("{name}, {order}"), &|e, inputs, _| {
                let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F32X4));
                let mask = e.b.ins().fcmp(condition, a, b);
                let mask = cast(e, mask, F32X4);
                let [yes, no] = if swapped { [b, a] } else { [a, b] };
                let result = e.b.ins().bitselect(mask, yes, no);
                cast(e, result, I8X16)
            });
        }
    }
}

#[test]
fn vectors_of_lanes_that_are_needed_twice() {
    // Made lane by lane for each item, then used by two operations on both.
    check("lanes", &|e, inputs, _| {
        let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, I32X4));
        let lane = e.b.ins().extractlane(b, 2);
        let mixed = e.b.ins().insertlane(a, lane, 1);
        let sum = e.b.ins().iadd(mixed, b);
        let difference = e.b.ins().isub(mixed, a);
        let result = e.b.ins().bxor(sum, difference);
        cast(e, result, I8X16)
    });
    // Loaded as a whole, and only used by what is done for each item alone.
    check("loads", &|e, _, number| {
        let place = inputs_of(e, number);
        let loaded = e.b.ins().load(I32X4, flags(), place, FROM);
        let other = e.b.ins().load(I32, flags(), place, FROM + 20);
        let result = e.b.ins().insertlane(loaded, other, 3);
        cast(e, result, I8X16)
    });
}
