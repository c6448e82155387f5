//! Whole shader programs of the Tegra X1: documented ones, control flow, listings, random programs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use triglyph_guest::table::{Fields, Shape};
use triglyph_guest::tegra::shader::isa::{Guard, IntAdd, IntSetPred, Mov, Op, Operand, decode, form};
use triglyph_guest::tegra::shader::program::{
    self, Destination, Flow, NEUTRAL_CONTROL, Program, Scheduling, Step, Token, UnknownWord, is_control,
    length_by_marker,
};
use triglyph_guest::tegra::shader::random::{self, Options};
use triglyph_guest::tegra::shader::{assemble_program, disassemble_program};
use triglyph_testkit::data::json;
use triglyph_testkit::random::words;

/// The documented programs: name, words.
fn programs() -> Vec<(String, Vec<u64>)> {
    let json = json("tegra/vectors/programs.json");
    let program = |program: &Value| {
        let word = |line: &Value| {
            let digits = line["word"].as_str().and_then(|text| text.strip_prefix("0x")).expect("a word");
            u64::from_str_radix(digits, 16).expect("a number")
        };
        let code = program["code"].as_array().expect("a list").iter().map(word).collect();
        (program["name"].as_str().expect("a name").to_owned(), code)
    };
    json["programs"].as_array().expect("a list").iter().map(program).collect()
}

fn assert_round_trip(code: &[u64]) {
    let listing = disassemble_program(code);
    let again = assemble_program(&listing).unwrap_or_else(|error| panic!("{error}\n{listing}"));
    assert_eq!(again, code, "{listing}");
}

#[test]
fn documented_programs_are_known_and_round_trip() {
    let programs = programs();
    assert_eq!(programs.len(), 12);
    for (name, code) in programs {
        let instructions = (0..).map(|index| index * 8).zip(&code).filter(|(address, _)| !is_control(*address));
        assert!(instructions.clone().all(|(_, &word)| decode(word).is_some()), "{name}");
        assert_round_trip(&code);
        let reached = Program::reach(&code, &[]);
        assert!(reached.unknown.is_empty() && reached.computed.is_empty(), "{name}");
        // Everything up to the last exit is reached; what follows is padding.
        let last = reached.instructions.last().expect("there are some");
        assert_eq!(last.op, Op::exit, "{name}");
        let before = instructions.filter(|(address, _)| *address <= last.address).count();
        assert_eq!(reached.instructions.len(), before, "{name}");
    }
}

#[test]
fn documented_programs_branch_where_they_say() {
    let all: BTreeMap<_, _> = programs().into_iter().collect();
    let looping = Program::reach(&all["loop_sum"], &[]);
    assert_eq!(looping.targets(), [0x28, 0x58]);
    let flow = |address| looping.at(address).expect("it is reached").step;
    let to = Destination::Address;
    assert_eq!(flow(0x18), Step { flow: Flow::Push(Token::Break, to(0x58)), condition: false });
    assert_eq!(flow(0x30), Step { flow: Flow::Pop(Token::Break), condition: true });
    assert_eq!(flow(0x50), Step { flow: Flow::Branch(to(0x28)), condition: false });
    assert_eq!(flow(0x58), Step { flow: Flow::Exit, condition: false });
    let joining = Program::reach(&all["if_else_ssy"], &[]);
    assert_eq!(joining.targets(), [0x48, 0x58]);
    assert_eq!(joining.at(0x28).map(|i| i.step), Some(Step { flow: Flow::Branch(to(0x48)), condition: true }));
}

#[test]
fn targets_that_are_control_words_mean_the_next_instruction() {
    assert_eq!((program::next(0x08), program::next(0x18), program::next(0)), (0x10, 0x28, 8));
    assert_eq!((program::target(0x08, -0x10), program::target(0x10, 0x8)), (0x08, 0x28));
    // The two markers at the end of vendor programs branch to themselves.
    for (address, word) in [(0x10, program::END_MARKERS[0]), (0x08, program::END_MARKERS[1])] {
        let expected = Step { flow: Flow::Branch(Destination::Address(address)), condition: false };
        assert_eq!(program::step(address, word), Some(expected));
    }
}

#[test]
fn control_words_say_what_the_scheduler_does() {
    // The neutral word waits for nothing and lets other warps run.
    let neutral = Scheduling { stall: 0, may_yield: true, write_barrier: None, read_barrier: None, wait: 0, reuse: 0 };
    for slot in 0..3 {
        assert_eq!(Scheduling::of(NEUTRAL_CONTROL, slot), neutral);
    }
    let conservative = Scheduling::of(0x001F_BC00_FDE0_07EF, 2);
    assert_eq!((conservative.stall, conservative.write_barrier), (15, None));
    let waiting = Scheduling::of(0x003F_BC01_FDE0_070F, 0);
    assert_eq!((waiting.stall, waiting.write_barrier, waiting.read_barrier, waiting.wait), (15, Some(0), None, 0));
    assert_eq!(Scheduling::of(0x003F_BC01_FDE0_070F, 1).wait, 1);
}

#[test]
fn unknown_words_are_told_with_their_address() {
    let mut code = assemble_program("mov r0, 0x1, 0xf\nnop 0x0\nexit\nmov r1, 0x1, 0xf").expect("it assembles");
    code[2] = 0;
    let program = Program::reach(&code, &[]);
    let unknown = UnknownWord { address: 0x10, word: 0 };
    assert_eq!(program.unknown, [unknown]);
    assert_eq!(unknown.to_string(), "no shader instruction at 0x10: 0x0000000000000000");
    assert_eq!(program.instructions.iter().map(|i| i.address).collect::<Vec<_>>(), [0x08, 0x18]);
    assert_eq!((program.words(), program.leaving.len()), (4, 0));
}

#[test]
fn code_that_is_left_is_noticed() {
    let code = assemble_program("@p0 bra +0x100\nnop 0x0").expect("it assembles");
    assert_eq!(Program::reach(&code, &[]).leaving, [0x08, 0x10]);
    assert_eq!(Program::reach(&[], &[]), Program::default());
    let code = assemble_program("brx r0, +0x0\nnop 0x0\nexit\nmov r0, rz, 0xf\nexit").expect("it assembles");
    let program = Program::reach(&code, &[]);
    assert_eq!((program.computed.clone(), program.instructions.len()), (vec![0x08], 1));
    assert_eq!(Program::reach(&code, &[0x28]).instructions.len(), 3);
}

#[test]
fn labels_reach_both_ways_and_control_words_stay() {
    let text = "start: ssy join\n@!p1 bra back\nback: mov r0, c[1][0x4], 0xf\n\
                .sched 0x001fbc00fde007ef\nbra start ; comment\njoin: sync\nbra join.bundle\nexit\nend:";
    let code = assemble_program(text).expect("it assembles");
    assert_eq!((code.len(), code[0], code[4]), (10, NEUTRAL_CONTROL, 0x001F_BC00_FDE0_07EF));
    assert_eq!(program::step(0x08, code[1]).map(|s| s.flow), Some(Flow::Push(Token::Sync, Destination::Address(0x30))));
    assert_eq!(program::step(0x28, code[5]).map(|s| s.flow), Some(Flow::Branch(Destination::Address(0x08))));
    assert_round_trip(&code);
    let fails = |text: &str| assemble_program(text).expect_err("this does not assemble").to_string();
    assert_eq!(fails("nop 0x0\n.sched 1"), "line 2, column 1: no bundle begins here");
    assert_eq!(fails("a: a: nop 0x0"), "line 1, column 7: label `a` is defined twice");
    assert_eq!(fails("\nfadd r0, r1"), "line 2, column 12: expected ,, found ``");
}

#[test]
fn vendor_programs_end_with_a_marker() {
    let mut code = vec![0; 12];
    assert_eq!(length_by_marker(&code), None);
    code[4] = program::END_MARKERS[0];
    assert_eq!(length_by_marker(&code), None);
    code[7] = program::END_MARKERS[0];
    assert_eq!(length_by_marker(&code), Some(8));
}

#[test]
fn random_programs_round_trip_and_contain_every_operation() {
    let mut rng = words(4);
    let mut seen = BTreeSet::new();
    for round in 0..150 {
        let options =
            Options { length: 1 + round * 3, ragged: round % 4 == 0, flow: round % 5 != 0, ..Options::default() };
        let code = random::program(&mut rng, options);
        assert_round_trip(&code);
        let program = Program::reach(&code, &[]);
        if !options.ragged {
            assert!(program.unknown.is_empty() && program.leaving.is_empty() && program.computed.is_empty());
            seen.extend(program.instructions.iter().map(|instruction| instruction.op as u16));
        }
    }
    let placed = [Op::bra, Op::ssy, Op::sync, Op::pbk, Op::brk, Op::cal, Op::ret, Op::exit];
    let wanted = Op::all().filter(|op| op.info().family != "ControlVisitor" || placed.contains(op));
    let missing: Vec<_> = wanted.filter(|op| !seen.contains(&(*op as u16))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// One lane's control flow: random guards, but counters counted.
struct Lane {
    counters: BTreeMap<u8, u32>,
    predicates: [Option<bool>; 7],
    stack: Vec<(Token, u32)>,
}

impl Lane {
    fn run(&mut self, program: &Program, first_counter: u8, rng: &mut impl FnMut() -> u32) {
        let mut address = 8;
        for _ in 0..200_000 {
            let instruction = program.at(address).unwrap_or_else(|| panic!("control is at {address:#x}"));
            let fields = Fields::new(instruction.word, &form(instruction.word).expect("a row").pattern);
            let taken = !instruction.step.condition || self.guard(fields, rng);
            self.count(instruction.op, fields, first_counter);
            let next = program::next(address);
            address = match (instruction.step.flow, taken) {
                (Flow::Push(token, Destination::Address(to)), _) => {
                    self.stack.push((token, to));
                    next
                }
                (Flow::Next, _) | (_, false) => next,
                (Flow::Branch(Destination::Address(to)), true) => to,
                (Flow::Call(Destination::Address(to)), true) => {
                    self.stack.push((Token::Return, next));
                    to
                }
                (Flow::Pop(token), true) => loop {
                    let (top, to) = self.stack.pop().expect("the entry is there");
                    if top == token {
                        break to;
                    }
                    assert_ne!(top, Token::Return, "only RET leaves a procedure");
                },
                (Flow::Exit, true) => return,
                other => panic!("{other:?} at {address:#x}"),
            };
            assert!(self.stack.len() < 32);
        }
        panic!("the program does not end");
    }

    /// Follows what loops do to their counters; nothing else may write these.
    fn count(&mut self, op: Op, fields: Fields<'_>, first_counter: u8) {
        let dst = if fields.width(b'd') == 8 { fields.byte(b'd') } else { 255 };
        match op {
            Op::mov if dst != 255 && dst >= first_counter => {
                let Operand::Immediate(value) = Mov::decode(fields).b else { panic!("a counter begins with a number") };
                self.counters.insert(dst, value);
            }
            Op::iadd if dst != 255 && dst >= first_counter => {
                assert_eq!(IntAdd::decode(fields).b.value, Operand::Immediate(u32::MAX));
                *self.counters.get_mut(&dst).expect("it has begun") -= 1;
            }
            _ => assert!(dst == 255 || dst < first_counter, "{op:?} writes r{dst}"),
        }
        self.predicates = [None; 7];
        if op == Op::isetp {
            let compare = IntSetPred::decode(fields);
            if let (Some(&counter), true) = (self.counters.get(&compare.a.0), compare.dst.0 < 7) {
                self.predicates[usize::from(compare.dst.0)] = Some(counter != 0);
            }
        }
    }

    fn guard(&self, fields: Fields<'_>, rng: &mut impl FnMut() -> u32) -> bool {
        let bits = fields.byte(b'g');
        let known = self.predicates.get(usize::from(bits & 7)).copied().flatten();
        known.map_or_else(|| rng() & 1 != 0, |value| value != (bits & 8 != 0))
    }
}

#[test]
fn structured_programs_end() {
    let mut rng = words(5);
    for round in 0..400 {
        let registers = 8 + (round % 60) as u8 * 4;
        let options = Options { length: 1 + round % 300, registers, ..Options::default() };
        let code = random::program(&mut rng, options);
        assert!(code.len() < 4 * options.length + 400, "{} words of {}", code.len(), options.length);
        let program = Program::reach(&code, &[]);
        let first_counter = registers.min(240);
        for _ in 0..4 {
            let mut lane = Lane { counters: BTreeMap::new(), predicates: [None; 7], stack: Vec::new() };
            // The predicate that a loop computes is read by the very next instruction.
            lane.run(&program, first_counter, &mut rng);
        }
    }
}

#[test]
fn operations_can_be_chosen() {
    let mut rng = words(6);
    let only = |op: Op| op.info().family == "FloatVisitor";
    let code = random::program(&mut rng, Options { allowed: &only, flow: false, length: 100, ..Options::default() });
    let program = Program::reach(&code, &[]);
    assert!(program.instructions.iter().all(|i| only(i.op) || i.op == Op::exit));
    let none = random::program(&mut rng, Options { allowed: &|_| false, flow: false, ..Options::default() });
    let program = Program::reach(&none, &[]);
    assert!(program.instructions.iter().all(|i| i.op == Op::nop || i.op == Op::exit));
    assert!(!program::never(Guard::ALWAYS));
}
