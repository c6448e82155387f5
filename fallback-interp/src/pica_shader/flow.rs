//! Control flow (3dbrew: Shader Instruction Set, "Control flow", from tests on hardware).
//!
//! The unit does not know blocks. After every instruction it compares the address that follows with the tops of three
//! stacks, and what they say goes before a jump of the instruction itself.

use triglyph_guest::pica::isa::Condition;

use super::{Constants, Machine, NestedLoop};

/// A condition of a control instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    Always,
    /// On cmp.x and cmp.y.
    Flags(Condition),
    /// On a boolean uniform.
    Bool {
        number: u8,
        is: bool,
    },
}

/// A control instruction. `end` is the address after a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    Break { test: Test },
    Call { test: Test, target: u16, end: u16 },
    If { test: Test, else_at: u16, end: u16 },
    Loop { integer: u8, last: u16 },
    Jump { test: Test, target: u16 },
}

/// Where an instruction leads, before the stacks have their say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    pub(super) pc: u16,
    /// A BREAK was executed.
    pub(super) leave_loop: bool,
}

/// At `end` the program goes on at `back`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CallEntry {
    end: u16,
    back: u16,
}

/// At `else_at` the program goes on at `end`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IfEntry {
    else_at: u16,
    end: u16,
}

/// At `end` the program goes on at `first`, as long as `left` is not 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoopEntry {
    first: u16,
    end: u16,
    left: u8,
    step: u8,
    /// The value of aL when the loop has ended within another.
    saved: i32,
}

/// A stack of `N` entries that forgets the oldest when a new one does not fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring<T, const N: usize> {
    entries: [T; N],
    /// Where the next one goes.
    next: usize,
    depth: usize,
}

impl<T: Copy + Default, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        Ring { entries: [T::default(); N], next: 0, depth: 0 }
    }
}

impl<T: Copy, const N: usize> Ring<T, N> {
    fn push(&mut self, entry: T) {
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % N;
        self.depth = (self.depth + 1).min(N);
    }

    fn pop(&mut self) {
        self.next = (self.next + N - 1) % N;
        self.depth = self.depth.saturating_sub(1);
    }

    fn top(&mut self) -> Option<&mut T> {
        (self.depth > 0).then(|| &mut self.entries[(self.next + N - 1) % N])
    }
}

impl Machine {
    /// Forgets every call, condition and loop, as at the start of a run.
    pub(super) fn clear_stacks(&mut self) {
        (self.calls, self.ifs, self.loops) = (Ring::default(), Ring::default(), Ring::default());
    }

    /// Executes a control instruction. `None`: the program ends, BREAK having no loop to leave (hardware hangs).
    pub(super) fn flow(&mut self, flow: Flow, constants: &Constants<'_>, pc: u16) -> Option<Next> {
        let mut next = Next { pc: pc + 1, leave_loop: false };
        match flow {
            Flow::Jump { test, target } => {
                if self.holds(test, constants) {
                    next.pc = target;
                }
            }
            Flow::Call { test, target, end } => {
                if self.holds(test, constants) {
                    self.calls.push(CallEntry { end, back: pc + 1 });
                    next.pc = target;
                }
            }
            Flow::If { test, else_at, end } => {
                if self.holds(test, constants) {
                    self.ifs.push(IfEntry { else_at, end });
                } else {
                    next.pc = else_at;
                }
            }
            Flow::Loop { integer, last } => {
                let [iterations, start, step, _] = constants.uniforms.ints[usize::from(integer & 3)];
                let before = self.loop_counter;
                self.loop_counter = i32::from(start);
                let saved = match self.nested_loop {
                    NestedLoop::Intended => before,
                    NestedLoop::InnerStart => self.loop_counter,
                };
                self.loops.push(LoopEntry { first: pc + 1, end: last + 1, left: iterations, step, saved });
            }
            Flow::Break { test } => {
                if self.holds(test, constants) {
                    self.loops.top()?;
                    next.leave_loop = true;
                }
            }
        }
        Some(next)
    }

    fn holds(&self, test: Test, constants: &Constants<'_>) -> bool {
        match test {
            Test::Always => true,
            Test::Flags(condition) => condition.holds(self.flags[0], self.flags[1]),
            Test::Bool { number, is } => (constants.bools >> (number & 15) & 1 != 0) == is,
        }
    }

    /// The address after the instruction at `pc`: the stacks are checked in order, CALL first and LOOP last, and the
    /// last one that gives an address decides.
    pub(super) fn after(&mut self, pc: u16, next: Next) -> u16 {
        // What follows in memory, not where the instruction jumps to: a jump at the end of a block is lost.
        let following = pc + 1;
        let mut result = next.pc;
        self.return_from_calls(following, &mut result);
        if let Some(&mut IfEntry { else_at, end }) = self.ifs.top()
            && else_at == following
        {
            result = end;
            self.ifs.pop();
        }
        self.repeat_loop(following, next.leave_loop, &mut result);
        result
    }

    /// Ends every call whose end is reached; a return may lead to the next one's end. The fourth in a row is forgotten
    /// without being followed, a fault of the hardware.
    fn return_from_calls(&mut self, following: u16, result: &mut u16) {
        let mut reached = following;
        for ended in 0..4 {
            let Some(&mut CallEntry { end, back }) = self.calls.top() else { return };
            if end != reached {
                return;
            }
            if ended < 3 {
                *result = back;
                reached = back;
            }
            self.calls.pop();
        }
    }

    /// Repeats or ends the innermost loop when its end is reached or a BREAK was executed.
    fn repeat_loop(&mut self, following: u16, leave: bool, result: &mut u16) {
        let nested = self.loops.depth > 1;
        let Some(innermost) = self.loops.top() else { return };
        if innermost.end != following && !leave {
            return;
        }
        self.loop_counter = self.loop_counter.wrapping_add(i32::from(innermost.step));
        if !leave && innermost.left != 0 {
            innermost.left -= 1;
            *result = innermost.first;
        } else {
            *result = innermost.end;
            if nested {
                self.loop_counter = innermost.saved;
            }
            self.loops.pop();
        }
    }
}
