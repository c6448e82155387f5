//! Walks through graphs and compares the instructions passed with the traces of the reference data.

use serde_json::Value;
use triglyph_guest::kernel::vertex::PicaProgram;
use triglyph_guest::pica::asm::Program;
use triglyph_guest::pica::isa::ConditionOp;

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

fn items(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

#[test]
fn control_flow_traces() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/3ds/vectors/shader_control_flow.json");
    let text = std::fs::read_to_string(path).expect("the traces");
    let all: Value = serde_json::from_str(&text).expect("JSON");
    for case in items(&all["cases"]) {
        let mut ints = [[0; 4]; 4];
        let mut loops = 0;
        let mut text = String::new();
        for line in items(&case["program"]) {
            let words: Vec<_> = line.as_str().expect("an instruction").split(' ').collect();
            let n: Vec<u16> = words[1..].iter().map(|word| word.parse().expect("a number")).collect();
            text += &match words[0] {
                "NOP" => "nop".to_owned(),
                "END" => "end".to_owned(),
                "BREAK" => "break".to_owned(),
                "JMP" => format!("jmpu b1, {}", n[0]),
                "CALL" => format!("call {}..{}", n[0], n[0] + n[1]),
                "IF" => format!("ifu b{}, {}..{}", n[0], n[1], n[1] + n[2]),
                "LOOP" => {
                    ints[loops] = [n[1] as u8, n[2] as u8, n[3] as u8, 0];
                    loops += 1;
                    format!("loop i{}, {}", loops - 1, n[0])
                }
                other => panic!("{other}"),
            };
            text.push('\n');
        }
        let mut walk = Walk { ints, ..Walk::new(&text, 2) };
        let (addresses, counters) = walk.trace(|| false);
        let want = |name: &str| items(&case[name]).iter().filter_map(Value::as_i64).collect::<Vec<_>>();
        assert_eq!(addresses, want("trace"), "{}", case["name"]);
        assert_eq!(counters, want("aL_before_each"), "{}", case["name"]);
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
