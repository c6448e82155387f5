//! Visitors of all lists and operands of a function.

use super::program::{Operand, Program, Step};

impl Program {
    /// Visits each list of steps, before those within it.
    pub fn each_list(&mut self, visit: &mut dyn FnMut(&mut Vec<Step>)) {
        each_list(&mut self.before, visit);
        self.loops.iter_mut().for_each(|body| each_list(&mut body.body, visit));
        each_list(&mut self.after, visit);
    }

    /// Visits each operand.
    pub fn each_operand(&mut self, visit: &mut dyn FnMut(&mut Operand)) {
        visit(&mut self.status);
        self.each_list(&mut |steps| steps.iter_mut().flat_map(operands).for_each(&mut *visit));
    }

    /// Does something with one of the lists, by its number in the order of [`Self::each_list`].
    pub fn with_list<R>(&mut self, number: usize, change: impl FnOnce(&mut Vec<Step>) -> R) -> Option<R> {
        let (mut next, mut change, mut result) = (0, Some(change), None);
        self.each_list(&mut |steps| {
            if next == number {
                result = change.take().map(|change| change(steps));
            }
            next += 1;
        });
        result
    }

    /// The same with one of the operands.
    pub fn with_operand<R>(&mut self, number: usize, change: impl FnOnce(&mut Operand) -> R) -> Option<R> {
        let (mut next, mut change, mut result) = (0, Some(change), None);
        self.each_operand(&mut |operand| {
            if next == number {
                result = change.take().map(|change| change(operand));
            }
            next += 1;
        });
        result
    }
}

fn each_list(steps: &mut Vec<Step>, visit: &mut dyn FnMut(&mut Vec<Step>)) {
    visit(steps);
    for step in steps {
        match step {
            Step::If(branch) => {
                each_list(&mut branch.then, visit);
                each_list(&mut branch.otherwise, visit);
            }
            Step::Repeat(repeat) => each_list(&mut repeat.body, visit),
            Step::Table { arms, .. } => arms.iter_mut().for_each(|arm| each_list(arm, visit)),
            _ => {}
        }
    }
}

/// The operands of a step, without those of steps within it.
fn operands(step: &mut Step) -> Vec<&mut Operand> {
    match step {
        Step::Row { args, .. } | Step::Idiom { args, .. } | Step::Call { args, .. } => args.iter_mut().collect(),
        Step::Load { place, .. } => place.index.iter_mut().map(|(operand, ..)| operand).collect(),
        Step::Store { value, place, .. } | Step::StoreHigh { value, place } => {
            place.index.iter_mut().map(|(operand, ..)| operand).chain([value]).collect()
        }
        Step::Count { value, .. } => vec![value],
        Step::If(branch) => {
            let merged = branch.results.iter_mut().flat_map(|merge| [&mut merge.then, &mut merge.otherwise]);
            branch.condition.iter_mut().chain(merged).collect()
        }
        Step::Repeat(repeat) => {
            let carried = repeat.carried.iter_mut().flat_map(|value| [&mut value.start, &mut value.next]);
            carried.chain([&mut repeat.count]).collect()
        }
        Step::Table { number, results, .. } => {
            results.iter_mut().flat_map(|(.., operands)| operands).chain([number]).collect()
        }
    }
}
