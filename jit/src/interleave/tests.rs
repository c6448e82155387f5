//! Loops whose bodies are made twice, against bodies that are made once and scalar Rust.

#![allow(unsafe_code)]

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::num::ops::Ops;

use super::Body;
use crate::code::Compiler;
use crate::effort::Effort;
use crate::lane::{Emit, I32x4, Pairs};

/// What a body works on. The items of a loop are those whose bits are set.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    items: u64,
    last: u32,
    /// How many items were counted.
    count: [[i32; 4]; 2],
    /// What an item writes before it reads it.
    scratch: [[i32; 4]; 2],
    from: [[i32; 4]; ITEMS],
    to: [[i32; 4]; ITEMS],
}

const ITEMS: usize = 8;

/// Offset of a field.
macro_rules! at {
    ($field:ident) => {
        std::mem::offset_of!(Memory, $field) as i32
    };
}

/// An item while its body is emitted.
struct Item<'e, 'a> {
    e: &'e mut Emit<'a>,
    number: Value,
    /// Address of what it writes before it reads it.
    scratch: Value,
    exit: Block,
}

impl Item<'_, '_> {
    fn load(&mut self) -> I32x4 {
        let place = self.place();
        self.e.load_ints(place, at!(from))
    }

    fn store(&mut self, value: I32x4) {
        let place = self.place();
        self.e.store(value.0, place, at!(to));
    }

    fn place(&mut self) -> Value {
        let args = self.e.args;
        self.e.address(args, self.number, 4)
    }

    /// Counts the item.
    fn count(&mut self) {
        let args = self.e.args;
        let (count, one) = (self.e.load_ints(args, at!(count)), self.e.i(1));
        let count = self.e.iadd(count, one);
        self.e.store(count.0, args, at!(count));
    }

    /// The value, 10 more if a lane is above 15, in a block that two items cannot run at once: both would store what
    /// they share.
    fn more_if_rare(&mut self, value: I32x4) -> I32x4 {
        let (_, any) = self.any_above(value, 15);
        let (rare, usual, done) = (self.e.cold_block(&[]), self.e.block(&[]), self.e.block(&[I32X4]));
        self.e.branch_if_rare(any, rare, (usual, &[]));
        self.e.switch_to(rare);
        let args = self.e.args;
        self.e.store(self.number, args, at!(last));
        let ten = self.e.i(10);
        let more = self.e.iadd(value, ten);
        self.e.jump(done, &[more.0]);
        self.e.switch_to(usual);
        self.e.jump(done, &[value.0]);
        self.e.switch_to(done);
        I32x4(self.e.parameter(done, 0))
    }

    fn done(&mut self) {
        self.e.jump(self.exit, &[]);
    }

    /// Whether a lane of `value` is above a limit.
    fn any_above(&mut self, value: I32x4, limit: i32) -> (crate::lane::Mask, Value) {
        let limit = self.e.i(limit);
        let above = self.e.ilt(limit, value);
        (above, self.e.any(above))
    }
}

/// Emits a loop over the items.
fn emit(e: &mut Emit<'_>, body: &dyn Fn(&mut Item<'_, '_>)) -> Result<(), Unsupported> {
    let (head, some, end) = (e.block(&[I64]), e.block(&[]), e.block(&[]));
    let (one, exit) = (e.block(&[]), e.block(&[]));
    let args = e.args;
    let items = e.load_i64(args, at!(items));
    let scratch = [0, 16].map(|at| e.b.ins().iadd_imm_u(args, i64::from(at!(scratch)) + at));
    e.jump(head, &[items]);
    e.switch_to(head);
    let items = e.parameter(head, 0);
    e.branch(items, (some, &[]), (end, &[]));
    let take = |e: &mut Emit<'_>, items: Value| {
        let less = e.b.ins().iadd_imm_s(items, -1);
        let number = e.b.ins().ctz(items);
        [e.b.ins().ireduce(I32, number), e.b.ins().band(items, less)]
    };
    e.switch_to(some);
    let [number, rest] = take(e, items);
    if e.caps.pairs == Pairs::Never {
        e.jump(one, &[]);
    } else {
        let (two, done) = (e.block(&[]), e.block(&[]));
        e.branch(rest, (two, &[]), (one, &[]));
        e.switch_to(two);
        let [second, rest] = take(e, rest);
        e.jump(done, &[]);
        e.switch_to(done);
        e.jump(head, &[rest]);
        let own = vec![(at!(count)..at!(count) + 16, 16)];
        e.bodies.push(Body {
            entry: one,
            exit,
            others: vec![(number, vec![second]), (scratch[0], vec![scratch[1]])],
            before: two,
            own,
            counters: at!(count)..at!(count) + 16,
            storage: Some(scratch[0]),
            is_repeatable: false,
        });
    }
    e.switch_to(one);
    body(&mut Item { e, number, scratch: scratch[0], exit });
    e.switch_to(exit);
    e.jump(head, &[rest]);
    e.switch_to(end);
    e.succeed();
    Ok(())
}

/// Runs `body` for several sets of items, one and two at once, and compares with `expected`. Says whether two are made
/// at once.
fn check(body: impl Fn(&mut Item<'_, '_>), expected: impl Fn(&mut Memory, usize)) -> bool {
    let compilers = [Effort::Baseline, Effort::Optimized].map(|effort| Compiler::new(effort).unwrap());
    let code = compilers.each_ref().map(|compiler| compiler.compile(1, |e| emit(e, &body)).unwrap());
    let from = std::array::from_fn(|n| [0, 1, 2, 3].map(|lane| (7 * n as i32 + 3 * lane) % 23 - 4));
    for items in [0, 1, 0b1000_0000, 0b11, 0b1010_0101, 0b0111_0000, 0xFF] {
        let (count, scratch) = ([[0; 4]; 2], [[-2; 4]; 2]);
        let start = Memory { items, last: 0, count, scratch, from, to: [[-1; 4]; ITEMS] };
        let mut wanted = start;
        (0..ITEMS).filter(|n| items >> n & 1 != 0).for_each(|n| expected(&mut wanted, n));
        for code in &code {
            let mut memory = start;
            // SAFETY: the code reads and writes the fields of `memory`.
            unsafe { code.call(&raw mut memory) };
            memory.count = [std::array::from_fn(|lane| memory.count[0][lane] + memory.count[1][lane]), [0; 4]];
            memory.scratch = start.scratch;
            assert_eq!(memory, wanted, "items {items:#b}");
        }
    }
    let stores = |compiler: &Compiler| {
        let text = compiler.dump(1, |e| emit(e, &body));
        text.lines().filter(|line| !line.starts_with(';') && line.contains("store")).count()
    };
    stores(&compilers[1]) > stores(&compilers[0])
}

#[test]
fn straight_code_and_counters() {
    let twice = check(
        |item| {
            let value = item.load();
            let args = item.e.args;
            let (count, one) = (item.e.load_ints(args, at!(count)), item.e.i(1));
            let count = item.e.iadd(count, one);
            item.e.store(count.0, args, at!(count));
            let three = item.e.i(3);
            let product = item.e.imul(value, three);
            item.store(product);
            item.done();
        },
        |memory, n| {
            memory.to[n] = memory.from[n].map(|value| 3 * value);
            memory.count[0] = memory.count[0].map(|count| count + 1);
        },
    );
    assert!(twice);
}

#[test]
fn a_loop_whose_iterations_agree() {
    let twice = check(
        |item| {
            let value = item.load();
            let (again, done) = (item.e.block(&[I32X4, I32]), item.e.block(&[]));
            let three = item.e.i32(3);
            item.e.jump(again, &[value.0, three]);
            item.e.switch_to(again);
            let (sum, left) = (I32x4(item.e.parameter(again, 0)), item.e.parameter(again, 1));
            let twice = item.e.iadd(sum, sum);
            let less = item.e.b.ins().iadd_imm_s(left, -1);
            item.e.branch_together(less, (again, &[twice.0, less]), (done, &[]));
            item.e.switch_to(done);
            item.store(twice);
            item.done();
        },
        |memory, n| memory.to[n] = memory.from[n].map(|value| 8 * value),
    );
    assert!(twice);
}

#[test]
fn addresses_of_what_each_iteration_has_for_itself() {
    // The second iteration's are further on, but only where an instruction's offset says what it accesses.
    let twice = check(
        |item| {
            let value = item.load();
            let args = item.e.args;
            let place = item.e.b.ins().iadd_imm_u(args, i64::from(at!(count)));
            let (count, one) = (item.e.load_ints(place, 0), item.e.i(1));
            let count = item.e.iadd(count, one);
            item.e.store(count.0, place, 0);
            item.store(value);
            item.done();
        },
        |memory, n| {
            memory.to[n] = memory.from[n];
            memory.count[0] = memory.count[0].map(|count| count + 1);
        },
    );
    assert!(!twice);
}

#[test]
fn ways_that_meet_again() {
    let twice = check(
        |item| {
            let value = item.load();
            let first = item.e.lane(value, 0);
            let odd = item.e.b.ins().band_imm_u(first, 1);
            let (yes, no, meeting) = (item.e.block(&[]), item.e.block(&[]), item.e.block(&[I32X4]));
            item.e.branch(odd, (yes, &[]), (no, &[]));
            for (block, shift) in [(yes, 1), (no, 4)] {
                item.e.switch_to(block);
                let shifted = item.e.ishl(value, shift);
                item.e.jump(meeting, &[shifted.0]);
            }
            item.e.switch_to(meeting);
            let shifted = I32x4(item.e.parameter(meeting, 0));
            let sum = item.e.iadd(shifted, value);
            item.store(sum);
            item.done();
        },
        |memory, n| {
            let shift = if memory.from[n][0] & 1 != 0 { 1 } else { 4 };
            memory.to[n] = memory.from[n].map(|value| (value << shift) + value);
        },
    );
    assert!(twice);
}

#[test]
fn ways_that_are_right_for_both() {
    let twice = check(
        |item| {
            let value = item.load();
            let (above, any) = item.any_above(value, 10);
            let (alive, meeting) = (item.e.block(&[]), item.e.block(&[I32X4]));
            item.e.branch_if_any(any, (alive, &[]), (meeting, &[value.0]));
            item.e.switch_to(alive);
            let ten = item.e.i(10);
            let less = item.e.isub(value, ten);
            let less = item.e.iselect(above, less, value);
            item.e.jump(meeting, &[less.0]);
            item.e.switch_to(meeting);
            let value = I32x4(item.e.parameter(meeting, 0));
            // Both ways are right, and say so by the same result.
            let (below, any) = item.any_above(value, 0);
            let (fast, slow, end) = (item.e.block(&[]), item.e.block(&[]), item.e.block(&[I32X4]));
            let none = item.e.b.ins().icmp_imm_u(IntCC::Equal, any, 0);
            item.e.branch_if_all(none, (fast, &[]), (slow, &[]));
            item.e.switch_to(fast);
            item.e.jump(end, &[value.0]);
            item.e.switch_to(slow);
            let one = item.e.i(1);
            let more = item.e.iadd(value, one);
            let more = item.e.iselect(below, more, value);
            item.e.jump(end, &[more.0]);
            item.e.switch_to(end);
            let value = I32x4(item.e.parameter(end, 0));
            item.store(value);
            item.done();
        },
        |memory, n| {
            memory.to[n] = memory.from[n].map(|value| {
                let value = if value > 10 { value - 10 } else { value };
                if value > 0 { value + 1 } else { value }
            });
        },
    );
    assert!(twice);
}

#[test]
fn items_that_disagree_restart_one_at_a_time() {
    let twice = check(
        |item| {
            let value = item.load();
            // A branch for each of two lanes: items agree on none, one, or both.
            let mut sum = item.e.i(0);
            for (lane, shift) in [(0, 1), (2, 4)] {
                let number = item.e.lane(value, lane);
                let odd = item.e.b.ins().band_imm_u(number, 1);
                let (yes, no, next) = (item.e.block(&[]), item.e.block(&[]), item.e.block(&[I32X4]));
                item.e.branch_if_agreed(odd, (yes, &[]), (no, &[]));
                for (block, shift) in [(yes, shift), (no, shift + 1)] {
                    item.e.switch_to(block);
                    let shifted = item.e.ishl(value, shift);
                    let sum = item.e.iadd(sum, shifted);
                    item.e.jump(next, &[sum.0]);
                }
                item.e.switch_to(next);
                sum = I32x4(item.e.parameter(next, 0));
            }
            item.store(sum);
            item.done();
        },
        |memory, n| {
            let from = memory.from[n];
            let shift = |lane: usize, shift: u32| shift + u32::from(from[lane] & 1 == 0);
            memory.to[n] = from.map(|value| (value << shift(0, 1)) + (value << shift(2, 4)));
        },
    );
    assert!(twice);
}

#[test]
fn items_leave_together() {
    let twice = check(
        |item| {
            let value = item.load();
            let (above, any) = item.any_above(value, 9);
            let (alive, exit) = (item.e.block(&[]), item.exit);
            item.e.branch_if_any(any, (alive, &[]), (exit, &[]));
            item.e.switch_to(alive);
            let place = item.place();
            let before = item.e.load_ints(place, at!(to));
            let after = item.e.iselect(above, value, before);
            item.store(after);
            item.done();
        },
        |memory, n| {
            for lane in 0..4 {
                if memory.from[n][lane] > 9 {
                    memory.to[n][lane] = memory.from[n][lane];
                }
            }
        },
    );
    assert!(twice);
}

/// Takes 3 from lanes until none is above 0.
fn reduce(item: &mut Item<'_, '_>, together: bool) {
    let value = item.load();
    let (head, end) = (item.e.block(&[I32X4]), item.e.block(&[I32X4]));
    item.e.jump(head, &[value.0]);
    item.e.switch_to(head);
    let value = I32x4(item.e.parameter(head, 0));
    let (above, _) = item.any_above(value, 0);
    let three = item.e.i(3);
    let less = item.e.isub(value, three);
    let less = item.e.iselect(above, less, value);
    let (_, more) = item.any_above(less, 0);
    match together {
        true => item.e.branch_if_any(more, (head, &[less.0]), (end, &[less.0])),
        false => item.e.branch(more, (head, &[less.0]), (end, &[less.0])),
    }
    item.e.switch_to(end);
    let value = I32x4(item.e.parameter(end, 0));
    item.store(value);
    item.done();
}

#[test]
fn loops_that_end_together_and_not() {
    for together in [true, false] {
        let twice = check(
            |item| reduce(item, together),
            |memory, n| {
                memory.to[n] = memory.from[n].map(|mut value| {
                    while value > 0 {
                        value -= 3;
                    }
                    value
                });
            },
        );
        assert_eq!(twice, together);
    }
}

#[test]
fn what_items_share_is_written_in_their_order() {
    let twice = check(
        |item| {
            let (args, number) = (item.e.args, item.number);
            item.e.store(number, args, at!(last));
            let value = item.load();
            let number = item.e.splat_i32(number);
            let sum = item.e.iadd(value, number);
            item.store(sum);
            item.done();
        },
        |memory, n| {
            memory.last = n as u32;
            memory.to[n] = memory.from[n].map(|value| value + n as i32);
        },
    );
    assert!(!twice);
}

/// Doubles an item; 10 more if a lane is above a limit.
fn rarely(item: &mut Item<'_, '_>, counts: bool) {
    let value = item.load();
    if counts {
        item.count();
    }
    let more = item.more_if_rare(value);
    let sum = item.e.iadd(more, value);
    item.store(sum);
    item.done();
}

#[test]
fn what_two_items_cannot_do_restarts_them_one_at_a_time() {
    for counts in [false, true] {
        let twice = check(
            |item| rarely(item, counts),
            |memory, n| {
                let rare = memory.from[n].iter().any(|&value| value > 15);
                memory.to[n] = memory.from[n].map(|value| 2 * value + if rare { 10 } else { 0 });
                if rare {
                    memory.last = n as u32;
                }
                if counts {
                    memory.count[0] = memory.count[0].map(|count| count + 1);
                }
            },
        );
        // What was counted before would be counted again.
        assert_eq!(twice, !counts);
    }
}

/// Counts an item and doubles it; 10 more if a lane is far above a limit. Items below the limit never come to the block
/// that two items cannot run at once, and are done before the others.
fn rarely_in_one_way(item: &mut Item<'_, '_>) {
    let value = item.load();
    let finish = |item: &mut Item<'_, '_>, more: I32x4| {
        item.count();
        let sum = item.e.iadd(more, value);
        item.store(sum);
        item.done();
    };
    let [high, low] = [0; 2].map(|_| item.e.block(&[]));
    let (_, any) = item.any_above(value, 5);
    item.e.branch(any, (high, &[]), (low, &[]));
    item.e.switch_to(low);
    finish(item, value);
    item.e.switch_to(high);
    let more = item.more_if_rare(value);
    finish(item, more);
}

#[test]
fn nothing_restarts_after_an_item_is_done() {
    let twice = check(rarely_in_one_way, |memory, n| {
        let rare = memory.from[n].iter().any(|&value| value > 15);
        memory.to[n] = memory.from[n].map(|value| 2 * value + if rare { 10 } else { 0 });
        memory.count[0] = memory.count[0].map(|count| count + 1);
        if rare {
            memory.last = n as u32;
        }
    });
    assert!(!twice);
}

/// Lanes go from one block to the other, as they themselves say, and a dispatcher lets those of the lowest block go on.
#[test]
fn lanes_of_two_items_take_turns() {
    const END: i32 = 2;
    let twice = check(
        |item| {
            let value = item.load();
            let zero = item.e.i(0);
            let dispatch = item.e.block(&[I32X4, I32X4]);
            let [some, first, second, done] = [0; 4].map(|_| item.e.block(&[]));
            let positive = item.e.ilt(zero, value);
            let end = item.e.i(END);
            let at = item.e.iselect(positive, zero, end);
            item.e.jump(dispatch, &[at.0, value.0]);

            item.e.switch_to(dispatch);
            let [at, left] = [0, 1].map(|n| I32x4(item.e.parameter(dispatch, n)));
            let lanes = [0, 1, 2, 3].map(|lane| item.e.lane(at, lane));
            let [a, b] = [0, 2].map(|n| item.e.b.ins().smin(lanes[n], lanes[n + 1]));
            let least = item.e.b.ins().smin(a, b);
            item.e.use_minimum();
            let here = item.e.splat_i32(least);
            let mask = item.e.ieq(at, here);
            let goes_on = item.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, least, i64::from(END));
            item.e.branch_together(goes_on, (some, &[]), (done, &[]));
            item.e.switch_to(some);
            let is_first = item.e.b.ins().icmp_imm_s(IntCC::SignedLessThan, least, 1);
            item.e.branch_together(is_first, (first, &[]), (second, &[]));
            for (block, less, other) in [(first, 3, 1), (second, 2, 0)] {
                item.e.switch_to(block);
                let [less, other, end, zero] = [less, other, END, 0].map(|n| item.e.i(n));
                let fewer = item.e.isub(left, less);
                let positive = item.e.ilt(zero, fewer);
                let next = item.e.iselect(positive, other, end);
                let (at, left) = (item.e.iselect(mask, next, at), item.e.iselect(mask, fewer, left));
                item.e.jump(dispatch, &[at.0, left.0]);
            }
            item.e.switch_to(done);
            item.store(left);
            item.done();
        },
        |memory, n| {
            memory.to[n] = memory.from[n].map(|mut value| {
                for less in [3, 2].into_iter().cycle() {
                    if value <= 0 {
                        break;
                    }
                    value -= less;
                }
                value
            });
        },
    );
    assert!(twice);
}

#[test]
fn storage_is_written_anew() {
    let twice = check(
        |item| {
            let value = item.load();
            let one = item.e.i(1);
            let more = item.e.iadd(value, one);
            item.e.store(more.0, item.scratch, 0);
            let rare = item.more_if_rare(value);
            let stored = item.e.load_ints(item.scratch, 0);
            let sum = item.e.iadd(rare, stored);
            item.store(sum);
            item.done();
        },
        |memory, n| {
            let rare = memory.from[n].iter().any(|&value| value > 15);
            memory.to[n] = memory.from[n].map(|value| 2 * value + if rare { 11 } else { 1 });
            if rare {
                memory.last = n as u32;
            }
        },
    );
    assert!(twice);
}

#[test]
fn what_is_shared_is_stored_by_one_after_the_other() {
    // Each item makes 3 * last + its number of the last number, where nothing but the order decides about the result.
    let twice = check(
        |item| {
            let value = item.load();
            let value = item.more_if_rare(value);
            let meeting = item.e.block(&[]);
            item.e.serialize_until(meeting);
            let args = item.e.args;
            let last = item.e.load_i32(args, at!(last));
            let more = item.e.b.ins().imul_imm_u(last, 3);
            let more = item.e.b.ins().iadd(more, item.number);
            item.e.store(more, args, at!(last));
            item.e.jump(meeting, &[]);
            item.e.switch_to(meeting);
            let twice = item.e.iadd(value, value);
            item.store(twice);
            item.done();
        },
        |memory, n| {
            let rare = memory.from[n].iter().any(|&value| value > 15);
            let more = if rare { 10 } else { 0 };
            memory.last = if rare { n as u32 } else { memory.last };
            memory.last = memory.last.wrapping_mul(3).wrapping_add(n as u32);
            memory.to[n] = memory.from[n].map(|value| 2 * (value + more));
        },
    );
    assert!(twice);
}

#[test]
fn iterations_do_not_restart_after_they_have_stored_what_is_shared() {
    let body = |again: bool| {
        move |item: &mut Item<'_, '_>| {
            let value = item.load();
            let meeting = item.e.block(&[]);
            item.e.serialize_until(meeting);
            let args = item.e.args;
            item.e.store(item.number, args, at!(last));
            if again {
                item.e.mark_repeatable();
            }
            item.e.jump(meeting, &[]);
            item.e.switch_to(meeting);
            let value = item.more_if_rare(value);
            item.store(value);
            item.done();
        }
    };
    let expected = |memory: &mut Memory, n: usize| {
        let more = if memory.from[n].iter().any(|&value| value > 15) { 10 } else { 0 };
        memory.last = n as u32;
        memory.to[n] = memory.from[n].map(|value| value + more);
    };
    assert!(!check(body(false), expected));
    assert!(check(body(true), expected));
}
