//! Walks through graphs and compares the instructions passed with the traces of the reference data.

use triglyph_guest::kernel::vertex::PicaProgram;
use triglyph_guest::pica::asm::Program;
use triglyph_guest::pica::isa::ConditionOp;
use triglyph_testkit::pica::flow::flows;

use super::*;
use crate::pica::decode::{Code, Unit};

/// A graph with what walking through it needs.
struct Walk {
    graph: Graph,
    ints: [[u8; 4]; 4],
    counter: i64,
    left: [u8; LOOPS],
    saved: [i64; LOOPS],
}

impl Walk {
    fn new(text: &str, bools: u16) -> Walk {
        let program = Program::assemble(text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        let program = PicaProgram { code: program.code, descriptors: program.descriptors, ..Default::default() };
        let code = Code::new(&program, Unit::Vertex, bools);
        let graph = graph(0, |pc| code.flow(pc)).expect("a short program");
        Walk { graph, ints: [[0; 4]; 4], counter: 0, left: [0; LOOPS], saved: [0; LOOPS] }
    }

    /// Addresses of the instructions passed and aL before each, conditions on flags taken from `flags`.
    fn trace(&mut self, mut flags: impl FnMut() -> bool) -> (Vec<i64>, Vec<i64>) {
        let (mut addresses, mut counters) = (Vec::new(), Vec::new());
        let mut at = 0;
        loop {
            for i in 0..self.graph.blocks[at].steps.len() {
                let Step { pc, enter } = self.graph.blocks[at].steps[i];
                addresses.push(i64::from(pc));
                counters.push(self.counter);
                assert!(addresses.len() < 1000, "runs away");
                if let Some(Enter { slot, integer }) = enter {
                    let [left, start, ..] = self.ints[usize::from(integer)];
                    self.saved[usize::from(slot)] = std::mem::replace(&mut self.counter, start.into());
                    self.left[usize::from(slot)] = left;
                }
            }
            at = match self.graph.blocks[at].exit {
                Exit::End => return (addresses, counters),
                Exit::Go(edge) => self.follow(edge),
                Exit::Flags { yes, no, .. } => self.follow(if flags() { yes } else { no }),
            };
        }
    }

    fn follow(&mut self, edge: Edge) -> usize {
        let (inner, again, out) = match edge {
            Edge::To(to) => return to,
            Edge::Leave { inner, to } => (inner, None, to),
            Edge::Repeat { inner, again, out } => (inner, Some(again), out),
        };
        let slot = usize::from(inner.slot);
        self.counter += i64::from(self.ints[usize::from(inner.integer)][2]);
        if let Some(again) = again.filter(|_| self.left[slot] > 0) {
            self.left[slot] -= 1;
            return again;
        }
        if inner.nested {
            self.counter = self.saved[slot];
        }
        out
    }
}

#[test]
fn control_flow_traces() {
    for flow in flows() {
        let (program, ints) = flow.plain();
        let mut walk = Walk { ints, ..Walk::new(&program, 2) };
        let (addresses, counters) = walk.trace(|| false);
        assert_eq!((addresses, counters), (flow.trace, flow.counters), "{}", flow.name);
    }
}

#[test]
fn straight_programs_are_one_block() {
    let walk = Walk::new("call 3..5\nnop\nend\nnop\nnop", 0);
    assert_eq!(walk.graph.blocks.len(), 1);
    assert_eq!(walk.graph.blocks[0].steps.iter().map(|step| step.pc).collect::<Vec<_>>(), [0, 3, 4, 1, 2]);
    assert!(!walk.graph.cyclic);
}

#[test]
fn branches_meet_again() {
    let mut walk = Walk::new("ifc cmp.x, 3..4\nnop\nnop\nnop\nnop\nend", 0);
    assert_eq!(walk.graph.blocks.len(), 4);
    assert_eq!(walk.graph.blocks[3].entries, 2);
    assert_eq!(walk.trace(|| true).0, [0, 1, 2, 4, 5]);
    assert_eq!(walk.trace(|| false).0, [0, 3, 4, 5]);
}

#[test]
fn endless_programs_are_graphs_as_well() {
    let walk = Walk::new("nop\njmpu !b0, 0", 0);
    assert!(walk.graph.cyclic);
    assert!(walk.graph.blocks.iter().all(|block| block.exit != Exit::End));
}

#[test]
fn states_of_the_stacks_are_limited() {
    // Each condition that holds leaves an entry that is never taken.
    let condition = Condition { op: ConditionOp::X, ref_x: true, ref_y: true };
    let test = Test::Flags(condition);
    let program = |length| move |pc| (pc < length).then_some(Flow::Call { test, target: pc + 1, end: 700 });
    assert!(graph(0, program(6)).is_ok());
    assert!(graph(0, program(40)).is_err());
}
