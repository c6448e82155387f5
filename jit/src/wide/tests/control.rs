//! Branches, values that live in memory, unsupported functions.

use cranelift_codegen::ir::JumpTableData;

use super::*;

/// Whether any, or each, lane of a mask is set.
fn question(e: &mut Emit<'_>, inputs: [Value; INPUTS], all: bool) -> Value {
    let [a, b] = [inputs[0], inputs[1]].map(|value| cast(e, value, F32X4));
    let mask = e.b.ins().fcmp(FloatCC::LessThan, a, b);
    if all { e.b.ins().vall_true(mask) } else { e.b.ins().vany_true(mask) }
}

/// Goes one of two ways, both of which are right; values meet again.
fn ways(e: &mut Emit<'_>, inputs: [Value; INPUTS], all: bool) -> Value {
    let condition = question(e, inputs, all);
    let (yes, no, meeting) = (e.block(&[]), e.block(&[I8X16]), e.block(&[I8X16, I8X16]));
    if all {
        e.branch_if_all(condition, (yes, &[]), (no, &[inputs[2]]));
    } else {
        e.branch_if_any(condition, (yes, &[]), (no, &[inputs[2]]));
    }
    e.switch_to(yes);
    let masked = e.b.ins().iadd(inputs[0], inputs[2]);
    let masked = e.b.ins().isub(masked, inputs[0]);
    e.jump(no, &[masked]);
    e.switch_to(no);
    let same = e.parameter(no, 0);
    let twice = e.b.ins().iadd(same, same);
    e.jump(meeting, &[twice, same]);
    e.switch_to(meeting);
    let [twice, same] = [0, 1].map(|index| e.parameter(meeting, index));
    e.b.ins().isub(twice, same)
}

#[test]
fn ways_that_both_iterations_go() {
    check("any", &|e, inputs, _| ways(e, inputs, false));
    check("all", &|e, inputs, _| ways(e, inputs, true));
}

/// Goes different ways by a scalar condition.
fn parted(e: &mut Emit<'_>, condition: Value, inputs: [Value; INPUTS]) -> Value {
    let (yes, no, meeting) = (e.block(&[]), e.block(&[]), e.block(&[I8X16]));
    e.branch(condition, (yes, &[]), (no, &[]));
    e.switch_to(yes);
    let sum = e.b.ins().iadd(inputs[0], inputs[1]);
    e.jump(meeting, &[sum]);
    e.switch_to(no);
    let difference = e.b.ins().isub(inputs[0], inputs[2]);
    e.jump(meeting, &[difference]);
    e.switch_to(meeting);
    let met = e.parameter(meeting, 0);
    e.b.ins().bxor(met, inputs[2])
}

#[test]
fn ways_that_part() {
    for condition in IntCC::all() {
        for (vector, lane) in [(I32X4, 3), (I64X2, 0), (I16X8, 2), (I8X16, 9)] {
            check("parted", &|e, inputs, _| {
                let [a, b] = [inputs[0], inputs[1]].map(|value| {
                    let value = cast(e, value, vector);
                    e.b.ins().extractlane(value, lane)
                });
                let condition = e.b.ins().icmp(*condition, a, b);
                parted(e, condition, inputs)
            });
        }
    }
    check("by bits", &|e, inputs, number| {
        let odd = e.b.ins().band_imm_u(number, 1);
        parted(e, odd, inputs)
    });
    check("by a constant", &|e, inputs, number| {
        let few = e.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, number, 5);
        let both = e.b.ins().icmp_imm_u(IntCC::NotEqual, few, 0);
        parted(e, both, inputs)
    });
    check("by signs", &|e, inputs, _| {
        let all = question(e, inputs, true);
        let any = question(e, inputs, false);
        let both = e.b.ins().bxor(all, any);
        parted(e, both, inputs)
    });
    for count in [2, 5, 100] {
        check("by a table outside of the loop", &|e, inputs, number| by_table(e, inputs, number, count));
    }
    check("chosen", &|e, inputs, number| {
        let [a, b] = [inputs[0], inputs[1]].map(|value| {
            let value = cast(e, value, I64X2);
            e.b.ins().extractlane(value, 1)
        });
        let odd = e.b.ins().band_imm_u(number, 1);
        let chosen = e.b.ins().select(odd, a, b);
        let result = e.b.ins().splat(I64X2, chosen);
        cast(e, result, I8X16)
    });
}

/// Goes one of so many ways, by a number that may be beyond them, or negative.
fn by_table(e: &mut Emit<'_>, inputs: [Value; INPUTS], number: Value, count: usize) -> Value {
    // What rarely happens is done by the code for one iteration, whose blocks the copies do not contain.
    let (rare, usual, meeting) = (e.cold_block(&[]), e.block(&[]), e.block(&[I8X16]));
    let last = e.b.ins().icmp_imm_u(IntCC::Equal, number, 7);
    e.branch_if_rare(last, rare, (usual, &[]));
    e.switch_to(usual);
    e.jump(meeting, &[inputs[0]]);
    e.switch_to(rare);
    let words = cast(e, inputs[0], I32X4);
    let word = e.b.ins().extractlane(words, 0);
    let word = e.b.ins().band_imm_u(word, 0x8000_007F);
    let ways: Vec<_> = (0..count).map(|_| e.block(&[])).collect();
    let calls: Vec<_> = ways.iter().map(|&way| e.b.func.dfg.block_call(way, &[])).collect();
    let table = JumpTableData::new(calls[0], &calls[1..]);
    let table = e.b.create_jump_table(table);
    e.b.ins().br_table(word, table);
    for (n, way) in ways.into_iter().enumerate() {
        e.switch_to(way);
        let [start, factor] = [inputs[2], inputs[1]].map(|value| cast(e, value, I32X4));
        let scaled = (0..7).filter(|bit| n >> bit & 1 != 0).fold(start, |sum, bit| {
            let part = e.b.ins().ishl_imm_u(factor, bit);
            e.b.ins().iadd(sum, part)
        });
        let scaled = cast(e, scaled, I8X16);
        e.jump(meeting, &[scaled]);
    }
    e.switch_to(meeting);
    let met = e.parameter(meeting, 0);
    e.b.ins().bxor(met, inputs[1])
}

/// A vector that is made lane by lane, for each iteration apart: a bit of an input.
fn bit(e: &mut Emit<'_>, input: Value, lane: u8) -> Value {
    let words = cast(e, input, I32X4);
    let word = e.b.ins().extractlane(words, lane);
    let bit = e.b.ins().band_imm_u(word, 1);
    let zero = e.ints([0; 4]);
    e.b.ins().insertlane(zero.0, bit, lane)
}

#[test]
fn vectors_of_lanes_that_are_asked_about() {
    // Twice about the same one, which operations on both iterations use as well.
    check("one", &|e, inputs, _| {
        let bits = bit(e, inputs[0], 1);
        let [any, again] = [e.b.ins().vany_true(bits), e.b.ins().vany_true(bits)];
        let either = e.b.ins().bor(any, again);
        let met = parted(e, either, inputs);
        let met = cast(e, met, I32X4);
        let sum = e.b.ins().iadd(bits, met);
        cast(e, sum, I8X16)
    });
    // About two, of which one is used so.
    check("two", &|e, inputs, _| {
        let [a, b] = [bit(e, inputs[0], 1), bit(e, inputs[1], 2)];
        let [any, other] = [e.b.ins().vany_true(a), e.b.ins().vany_true(b)];
        let either = e.b.ins().bor(any, other);
        let (some, meeting) = (e.block(&[]), e.block(&[I32X4]));
        let rest = cast(e, inputs[2], I32X4);
        e.branch_if_any(either, (some, &[]), (meeting, &[rest]));
        e.switch_to(some);
        let sum = e.b.ins().iadd(a, rest);
        let sum = e.b.ins().iadd(b, sum);
        e.jump(meeting, &[sum]);
        e.switch_to(meeting);
        let met = e.parameter(meeting, 0);
        let result = e.b.ins().isub(met, b);
        cast(e, result, I8X16)
    });
}

/// Many values that all live to the end.
fn many(count: usize) -> impl Fn(&mut Emit<'_>, [Value; INPUTS], Value) -> Value {
    move |e, [a, b, _], number| {
        let mut values = vec![a, b];
        let mut scalars = vec![number];
        for n in 0..count {
            let next = e.b.ins().iadd(values[n], values[n + 1]);
            values.push(next);
            let scalar = e.b.ins().imul_imm_u(scalars[n], 3);
            scalars.push(scalar);
        }
        let scalar = scalars.into_iter().rev().reduce(|sum, value| e.b.ins().bxor(sum, value)).unwrap();
        let sum = values.into_iter().rev().reduce(|sum, value| e.b.ins().bxor(sum, value)).unwrap();
        let scalars = e.b.ins().splat(I64X2, scalar);
        let scalars = cast(e, scalars, I8X16);
        e.b.ins().bxor(sum, scalars)
    }
}

#[test]
fn values_that_have_no_register() {
    check("some", &many(40));
    // A frame of more than a page.
    check("many", &many(150));
}

#[test]
fn what_is_not_known_is_left_to_cranelift() {
    let compiler = Compiler::new(Effort::Optimized).unwrap();
    let dump = |operation: Operation<'_>| compiler.dump(1, |e| emit(e, 2, operation));
    // Vectors that a scalar condition chooses.
    let text = dump(&|e, [a, b, _], number| {
        let odd = e.b.ins().band_imm_u(number, 1);
        e.b.ins().select(odd, a, b)
    });
    assert!(!text.contains("vectors of 256 bits"));
    // More stack than code may use.
    assert!(!dump(&many(2500)).contains("vectors of 256 bits"));
}

#[test]
fn hosts_without_wide_vectors_are_recognised() {
    let host = || cranelift_native::builder().unwrap();
    let flags = || cranelift_codegen::settings::Flags::new(cranelift_codegen::settings::builder());
    let isa = host().finish(flags()).unwrap();
    let has_features = isa.isa_flags().iter().any(|flag| flag.name == "has_avx2" && flag.as_bool() == Some(true));
    assert!(!is_supported(&*isa) || has_features);
    if is_supported(&*isa) {
        let mut less = host();
        cranelift_codegen::settings::Configurable::set(&mut less, "has_avx2", "false").unwrap();
        assert!(!is_supported(&*less.finish(flags()).unwrap()));
    }
}
