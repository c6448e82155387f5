//! Flow control of one lane: structures that it opens and closes.

use std::cmp::Ordering;

use triglyph_guest::rsx::fragment::{CALL_DEPTH, Flow, FlowOp, Step};

use super::lane::Lane;

/// Something that a lane is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    /// The first part of an IFE.
    If {
        /// First instruction of that part.
        body: usize,
        /// Where the other part begins.
        otherwise: usize,
        /// Behind both.
        end: usize,
    },
    /// LOOP or REP.
    Loop {
        /// First instruction.
        body: usize,
        /// Behind the last one.
        end: usize,
        /// Passes left, this one included.
        passes: u8,
        /// The index register and what a pass adds to it; `None`: a REP.
        index: Option<(i32, i32)>,
    },
    /// A routine.
    Call {
        /// The CAL.
        from: usize,
    },
}

impl Lane {
    /// The order in which lanes run: by the calls they are in, then by place, then by open structures. At a place the ends of
    /// passes come first, those of inner loops, which begin later, before those of outer ones.
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
        let from = self.at;
        let (next, target, end) = (from + 1, usize::from(step.target), usize::from(step.end));
        let [holds, ..] = self.holds(flow.condition, flow.condition_register);
        self.at = next;
        match flow.op {
            FlowOp::Ife => {
                if holds {
                    self.structures.push(Structure::If { body: next, otherwise: target, end });
                } else {
                    self.at = target;
                }
            }
            FlowOp::Loop | FlowOp::Rep if end <= next => {}
            FlowOp::Loop | FlowOp::Rep => {
                if holds && flow.count != 0 {
                    let index = (i32::from(flow.init), i32::from(flow.increment));
                    let index = (flow.op == FlowOp::Loop).then_some(index);
                    self.structures.push(Structure::Loop { body: next, end, passes: flow.count, index });
                } else {
                    self.at = end;
                }
            }
            FlowOp::Brk if holds => self.leave_loop(),
            FlowOp::Cal if holds && self.calls().count() < CALL_DEPTH => {
                self.structures.push(Structure::Call { from });
                self.at = target;
            }
            FlowOp::Ret if holds => self.leave_call(),
            FlowOp::Brk | FlowOp::Cal | FlowOp::Ret => {}
        }
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

    /// Looks at the innermost structure until nothing changes.
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
