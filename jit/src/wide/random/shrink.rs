//! Reduction of failing functions: as few steps as possible, then as simple operands as possible.

use super::program::{AtOnce, Idiom, Operand, Program, Step, Storage};

/// How often a smaller function is tried at most.
const TRIES: usize = 4000;

/// A function that still fails, as `fails` says.
pub(super) fn shrink(program: Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut shrinker = Shrinker { program, tries: TRIES, fails };
    while shrinker.pass() {}
    shrinker.program
}

struct Shrinker<'f> {
    program: Program,
    tries: usize,
    fails: &'f mut dyn FnMut(&Program) -> bool,
}

impl Shrinker<'_> {
    /// Tries all that there is to try once. Returns whether anything became smaller.
    fn pass(&mut self) -> bool {
        let before = self.tries;
        let mut progress = self.loops();
        let mut list = 0;
        while self.program.with_list(list, |_| ()).is_some() {
            progress |= self.list(list);
            progress |= self.unwrapped(list);
            progress |= self.fewer_values(list);
            list += 1;
        }
        let mut operand = 0;
        while self.program.with_operand(operand, |_| ()).is_some() {
            progress |= self.simpler(operand);
            operand += 1;
        }
        progress && self.tries > 0 && self.tries < before
    }

    /// Takes what a change makes of the function if that still fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Program)) -> bool {
        if self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let mut smaller = self.program.clone();
        change(&mut smaller);
        let still = (self.fails)(&smaller);
        if still {
            self.program = smaller;
        }
        still
    }

    /// Loops: fewer of them, with less.
    fn loops(&mut self) -> bool {
        let mut progress = false;
        for index in (0..self.program.loops.len()).rev() {
            if self.attempt(|program| drop(program.loops.remove(index))) {
                progress = true;
                continue;
            }
            let body = &self.program.loops[index];
            let [four, storage, given] =
                [body.at_once != AtOnce::Two, body.storage != Storage::None, !body.given.is_empty()];
            let address = body.has_address;
            progress |= four && self.attempt(|program| program.loops[index].at_once = AtOnce::Two);
            progress |= storage && self.attempt(|program| program.loops[index].storage = Storage::None);
            progress |= given && self.attempt(|program| program.loops[index].given.clear());
            progress |= address && self.attempt(|program| program.loops[index].has_address = false);
        }
        progress
    }

    /// Leaves ever smaller parts of a list out.
    fn list(&mut self, index: usize) -> bool {
        let mut progress = false;
        let mut part = self.length(index).div_ceil(2);
        while part > 0 {
            let mut at = 0;
            while at < self.length(index) {
                let end = (at + part).min(self.length(index));
                let fewer = self.attempt(|program| {
                    program.with_list(index, |steps| drop(steps.drain(at..end)));
                });
                progress |= fewer;
                at = if fewer { at } else { end };
            }
            part /= 2;
        }
        progress
    }

    fn length(&mut self, index: usize) -> usize {
        self.program.with_list(index, |steps| steps.len()).unwrap_or(0)
    }

    /// Puts what is within branches and loops of a list in their place.
    fn unwrapped(&mut self, index: usize) -> bool {
        let mut progress = false;
        let mut at = 0;
        while at < self.length(index) {
            let inner = self.program.with_list(index, |steps| within(&steps[at])).unwrap_or_default();
            let has_more = !inner.is_empty();
            progress |= has_more
                && self.attempt(|program| {
                    program.with_list(index, |steps| drop(steps.splice(at..=at, inner)));
                });
            at += 1;
        }
        progress
    }

    /// Leaves values out that steps of a list sum up, give each other, or make in several ways.
    fn fewer_values(&mut self, index: usize) -> bool {
        let mut progress = false;
        for at in 0..self.length(index) {
            while let Some(Some(fewer)) = self.program.with_list(index, |steps| steps.get(at).and_then(fewer))
                && self.attempt(|program| {
                    program.with_list(index, |steps| steps[at] = fewer);
                })
            {
                progress = true;
            }
        }
        progress
    }

    /// Makes a constant of an operand.
    fn simpler(&mut self, index: usize) -> bool {
        let is_simple = self.program.with_operand(index, |operand| *operand == Operand::default());
        is_simple == Some(false)
            && self.attempt(|program| {
                program.with_operand(index, |operand| *operand = Operand::default());
            })
    }
}

/// The steps within a branch or a loop.
fn within(step: &Step) -> Vec<Step> {
    match step {
        Step::If(branch) => [branch.then.clone(), branch.otherwise.clone()].concat(),
        Step::Repeat(repeat) => repeat.body.clone(),
        Step::Table { arms, .. } => arms.concat(),
        _ => Vec::new(),
    }
}

/// A step with one value less; `None` if there is none.
fn fewer(step: &Step) -> Option<Step> {
    let mut fewer = step.clone();
    let has_less = match &mut fewer {
        Step::Idiom { idiom: Idiom::Sum(types), args, .. } if types.len() > 1 => {
            args.truncate(types.len() - 1);
            types.pop().is_some()
        }
        Step::If(branch) => branch.results.pop().is_some(),
        Step::Repeat(repeat) => repeat.carried.pop().is_some(),
        Step::Table { results, .. } => results.pop().is_some(),
        _ => false,
    };
    has_less.then_some(fewer)
}
