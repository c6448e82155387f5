//! Worst-case number of instructions of a program, from its code and integer uniforms: the cost of a run.

use triglyph_guest::kernel::vertex::FUEL;
use triglyph_guest::pica::isa::{Op, decode};

/// Instructions that one run of the program at `entry` executes at most; [`FUEL`] if there is no bound. Both sides of a
/// condition count, so it is up to twice what there are.
pub(crate) fn worst_case_steps(code: &[u32], ints: &[[u8; 4]; 4], entry: u16) -> u32 {
    let mut walk = Walk { code, ints, steps: 0 };
    walk.cost(entry.into(), code.len(), 0).unwrap_or(FUEL.into()).min(FUEL.into()) as u32
}

/// Calls and loops within each other, at most; the hardware's stacks forget the oldest beyond four.
const MAX_DEPTH: u32 = 8;

struct Walk<'a> {
    code: &'a [u32],
    ints: &'a [[u8; 4]; 4],
    /// Instructions looked at.
    steps: u32,
}

impl Walk<'_> {
    /// Instructions from `at` up to `end`; `None` for what may go round in circles, or is too long to find out.
    fn cost(&mut self, mut at: usize, end: usize, depth: u32) -> Option<u64> {
        let mut count = 0u64;
        // Instructions after an END are reached by jumps and conditions only.
        let mut reached = 0;
        while at < end {
            self.steps += 1;
            if depth > MAX_DEPTH || self.steps > FUEL {
                return None;
            }
            count += 1;
            let word = self.code.get(at).copied().unwrap_or(0);
            let (target, length) = ((word >> 10 & 0xFFF) as usize, (word & 0xFF) as usize);
            match decode(word) {
                Some(Op::end) if at >= reached => break,
                Some(Op::call | Op::callc | Op::callu) => {
                    count = count.saturating_add(self.cost(target, target + length, depth + 1)?);
                }
                Some(Op::ifu | Op::ifc) => reached = reached.max(target + length),
                Some(Op::loop_) => {
                    let rounds = u64::from(self.ints[(word >> 22 & 3) as usize][0]) + 1;
                    let body = self.cost(at + 1, target + 1, depth + 1)?;
                    count = count.saturating_add(body.saturating_mul(rounds));
                    at = at.max(target);
                }
                Some(Op::jmpc | Op::jmpu) if target <= at => return None,
                // What lies between counts as well.
                Some(Op::jmpc | Op::jmpu) if target <= end => reached = reached.max(target),
                Some(Op::jmpc | Op::jmpu) => {
                    count = count.saturating_add(self.cost(target, self.code.len(), depth + 1)?);
                }
                _ => {}
            }
            at += 1;
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: u32 = 0x21 << 26;
    const END: u32 = 0x22 << 26;

    fn at(op: u32, target: u32, count: u32) -> u32 {
        op << 26 | target << 10 | count
    }

    fn of(code: &[u32], rounds: u8) -> u32 {
        worst_case_steps(code, &[[rounds, 0, 1, 0]; 4], 0)
    }

    #[test]
    fn repetitions_count_as_often_as_they_go_round() {
        let (call, if_, repeat, jump) = (0x24, 0x27, 0x29, 0x2C);
        assert_eq!(of(&[NOP, NOP, END, NOP], 0), 3);
        assert_eq!(of(&[at(repeat, 2, 0), NOP, NOP, END], 9), 1 + 10 * 2 + 1);
        // Loops in loops, around a call.
        assert_eq!(
            of(&[at(repeat, 3, 0), at(repeat, 3, 0), at(call, 5, 1), NOP, END, NOP], 3),
            1 + 4 * (1 + 4 * 3) + 1
        );
        // After an END that a condition skips.
        assert_eq!(of(&[at(if_, 3, 0), NOP, END, NOP, END], 0), 5);
        assert_eq!(of(&[at(jump, 3, 0), NOP, END, NOP, END], 0), 5);
        assert_eq!(of(&[NOP, at(jump, 0, 0), END], 0), FUEL);
        // A program that calls itself.
        assert_eq!(of(&[at(call, 0, 2), END], 0), FUEL);
        assert_eq!(of(&[at(repeat, 0xFFF, 0)], 255), FUEL);
    }
}
