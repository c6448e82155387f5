//! Tests of derived state for all machines: the state cache changes no result.

use std::fmt::LowerHex;

use crate::random::Random;

/// A machine with the state cache, and one that derives all state again for each draw. Both get the same commands.
pub trait Pair: Sized {
    /// Where random numbers come from.
    fn random(&mut self) -> &mut Random;

    /// Restores what registers held at first, and perhaps switches some features on.
    fn restore(&mut self);

    /// A draw that shows as much of the state as possible.
    fn cover(&mut self);

    /// Does what has been asked for, and asserts that both machines hold the same.
    fn compare(&mut self, what: &str);
}

/// A step of a test on a pair, and its weight.
pub type Action<P> = (u32, fn(&mut P));

/// Does one of some actions.
fn act<P: Pair>(pair: &mut P, actions: &[Action<P>]) {
    let all: u32 = actions.iter().map(|(weight, _)| weight).sum();
    let mut at = pair.random().below(all);
    for (weight, action) in actions {
        if at < *weight {
            return action(pair);
        }
        at -= weight;
    }
}

/// Draws twice, so that something is remembered, does one or two of some changes, and draws again.
pub fn draw_around<P: Pair>(pair: &mut P, changes: &[Action<P>]) {
    pair.cover();
    pair.cover();
    for _ in 0..1 + pair.random().below(2) {
        act(pair, changes);
    }
    pair.cover();
}

/// Random actions, and a comparison after each eight.
pub fn random_actions<P: Pair>(pair: &mut P, seed: u64, count: u32, actions: &[Action<P>]) {
    for step in 0..count {
        act(pair, actions);
        if step % 8 == 7 {
            pair.compare(&format!("seed {seed}, step {step}"));
        }
    }
}

/// Changes each of some registers by itself by `poke`: the draw after its change is drawn with it.
pub fn each_register<P: Pair, R: Copy + LowerHex>(pair: &mut P, seed: u64, registers: &[R], poke: impl Fn(&mut P, R)) {
    for &register in registers {
        pair.restore();
        pair.cover();
        poke(pair, register);
        pair.cover();
        pair.compare(&format!("seed {seed}, register {register:#x}"));
    }
}
