//! Flow control of one lane: structures that it opens and closes.

use std::cmp::Ordering;

use triglyph_guest::rsx::fragment::{CALL_DEPTH, Flow, FlowVisitor, Step};

use super::lane::Lane;
use super::structure::Structure;

impl Lane {
    /// The order in which lanes run: by the calls they are in, then by place, then by open structures. At a place the
    /// ends of passes come first, those of inner loops, which begin later, before those of outer ones.
    pub(super) fn order(&self, other: &Lane) -> Ordering {
        let place = self.calls().chain([self.at]);
        let others = other.calls().chain([other.at]);
        let by_place = place.cmp(others).then(other.waiting().cmp(&self.waiting()));
        by_place.then(self.structures.len().cmp(&other.structures.len()))
    }

    /// Whether the lane waits for the end of a pass.
    pub(super) fn waits(&self) -> bool {
        self.waiting().is_some()
    }

    /// Where the loop begins for the end of whose pass the lane waits.
    fn waiting(&self) -> Option<usize> {
        match self.structures.last() {
            Some(Structure::Loop { body, end, .. }) if self.at == *end => Some(*body),
            _ => None,
        }
    }

    /// The CALs of open calls, oldest first.
    fn calls(&self) -> impl Iterator<Item = usize> {
        self.structures.iter().filter_map(|structure| match structure {
            Structure::Call { from } => Some(*from),
            _ => None,
        })
    }

    /// The index register.
    pub(super) fn index(&self) -> i32 {
        let innermost = self.structures.iter().rev().find_map(|structure| match structure {
            Structure::Loop { index: Some((index, _)), .. } => Some(*index),
            _ => None,
        });
        innermost.unwrap_or(0)
    }

    /// Executes an instruction of flow control.
    pub(super) fn flow(&mut self, flow: &Flow, step: &Step) {
        let [holds, ..] = self.holds(flow.condition, flow.condition_register);
        let from = self.at;
        self.at = from + 1;
        FlowStep { lane: self, flow, step, from, holds }.visit(flow.op, [(); 3]);
    }

    /// Closes the innermost loop of the routine, with all within.
    fn leave_loop(&mut self) {
        let open = self.structures.iter().rposition(|structure| !matches!(structure, Structure::If { .. }));
        if let Some(open) = open
            && let Structure::Loop { end, .. } = self.structures[open]
        {
            self.structures.truncate(open);
            self.at = end;
        }
    }

    /// Closes the last call, with all within; without one the lane ends.
    fn leave_call(&mut self) {
        while let Some(structure) = self.structures.pop() {
            if let Structure::Call { from } = structure {
                self.at = from + 1;
                return;
            }
        }
        self.ended = true;
    }

    /// Ends the pass for whose end the lane waits.
    pub(super) fn end_pass(&mut self) {
        let Some(Structure::Loop { body, passes, index, .. }) = self.structures.last_mut() else { return };
        *passes -= 1;
        if *passes == 0 {
            self.structures.pop();
            return;
        }
        self.at = *body;
        if let Some((index, increment)) = index {
            *index += *increment;
        }
    }

    /// Closes innermost structures that the lane has left, until nothing changes.
    pub(super) fn settle(&mut self) {
        loop {
            match self.structures.last() {
                Some(Structure::If { otherwise, end, .. }) if self.at == *otherwise => self.at = *end,
                Some(Structure::If { body, otherwise: end, .. } | Structure::Loop { body, end, .. })
                    if self.at < *body || self.at > *end => {}
                _ => return,
            }
            self.structures.pop();
        }
    }
}

/// An instruction of flow control in a lane whose place is already the next instruction.
struct FlowStep<'a> {
    lane: &'a mut Lane,
    flow: &'a Flow,
    step: &'a Step,
    /// Index of the instruction.
    from: usize,
    /// Whether its condition holds.
    holds: bool,
}

impl FlowVisitor for FlowStep<'_> {
    type Source = ();
    type Output = ();

    fn brk(&mut self) {
        if self.holds {
            self.lane.leave_loop();
        }
    }
    fn cal(&mut self) {
        if self.holds && self.lane.calls().count() < CALL_DEPTH {
            self.lane.structures.push(Structure::Call { from: self.from });
            self.lane.at = self.step.target.into();
        }
    }
    fn ife(&mut self) {
        let (otherwise, end) = (self.step.target.into(), self.step.end.into());
        if self.holds {
            self.lane.structures.push(Structure::If { body: self.from + 1, otherwise, end });
        } else {
            self.lane.at = otherwise;
        }
    }
    fn loop_(&mut self) {
        self.repeat(Some((self.flow.init.into(), self.flow.increment.into())));
    }
    fn rep(&mut self) {
        self.repeat(None);
    }
    fn ret(&mut self) {
        if self.holds {
            self.lane.leave_call();
        }
    }
}

impl FlowStep<'_> {
    /// LOOP, with its index and what a pass adds to it, and REP.
    fn repeat(&mut self, index: Option<(i32, i32)>) {
        let (body, end) = (self.from + 1, usize::from(self.step.end));
        if end <= body {
            return;
        }
        if self.holds && self.flow.count != 0 {
            self.lane.structures.push(Structure::Loop { body, end, passes: self.flow.count, index });
        } else {
            self.lane.at = end;
        }
    }
}
