//! Random instructions and programs for differential tests.
//!
//! Structured programs are what compilers make: blocks between SSY and SYNC, loops between PBK and BRK, calls that
//! return, early exits. Every lane ends by itself whatever its predicates are: loops count a register down that nothing
//! else writes. Ragged ones branch to anywhere and need a limit of steps.

use super::isa::{Op, canonical, decode, form, random_word};
use super::modifiers::{CcTest, IntCompare};
use super::operand::{Guard, Neg, Operand, Pred, PredSource, Reg};
use super::program::{BUNDLE, END_MARKERS, NEUTRAL_CONTROL};
use super::shape::{Branch, IntAdd, IntSetPred, Leave, Mov, PushTarget, Target};
use crate::dice::Dice;
use crate::table::{Encoder, Shape};

/// Options of random programs.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Number of instructions to aim at, 1 to 4000.
    pub length: usize,
    /// Registers that instructions name, 8 to 240; those after them count loops.
    pub registers: u8,
    /// Constant buffers that instructions name, 1 to 32.
    pub constant_buffers: u8,
    /// Bytes of them that instructions name, 4 to 0x10000.
    pub constant_bytes: u32,
    /// Which operations there are besides control flow.
    pub allowed: &'a dyn Fn(Op) -> bool,
    /// Blocks, loops, calls, early exits.
    pub flow: bool,
    /// Break the rules of structure: branches to anywhere, pops without pushes, random words. Such a program may run
    /// for ever.
    pub ragged: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            length: 60,
            registers: 16,
            constant_buffers: 2,
            constant_bytes: 256,
            allowed: &|_| true,
            flow: true,
            ragged: false,
        }
    }
}

/// A random program, control words among its words. It begins at the first word; `rng` gives 32 random bits a call.
pub fn program(rng: &mut impl FnMut() -> u32, options: Options<'_>) -> Vec<u64> {
    let plain: Vec<Op> = Op::all().filter(|op| !is_control_flow(*op) && (options.allowed)(*op)).collect();
    let mut builder = Builder { rng, options, plain, items: Vec::new(), labels: Vec::new(), procedures: Vec::new() };
    builder.main();
    builder.finish()
}

/// A random instruction of `op` with operands as the options have them. Bits that mean nothing are zero, so that
/// listings stay readable.
pub fn instruction(op: Op, rng: &mut impl FnMut() -> u32, options: &Options<'_>) -> u64 {
    let random = random_word(op, rng);
    tame(canonical(random).unwrap_or(random), rng, options)
}

/// Whether programs place the operation themselves.
fn is_control_flow(op: Op) -> bool {
    op.info().family == "ControlVisitor"
}

/// Whether operands may take more than one register.
fn is_wide(family: &str, name: &str) -> bool {
    match family {
        "ConvertVisitor" | "AttributeVisitor" | "MemoryVisitor" | "TextureVisitor" | "SurfaceVisitor" => true,
        "FloatVisitor" => name.starts_with('d'),
        _ => false,
    }
}

/// Register fields: destination and second destination, sources.
const REGISTERS: &[u8] = b"dabce";

/// Changes a word so that it names only registers and constants that the options have and mostly always runs.
fn tame(mut word: u64, rng: &mut impl FnMut() -> u32, options: &Options<'_>) -> u64 {
    let Some(form) = form(word) else { return word };
    let pattern = form.pattern;
    let mut set = |letter: u8, value: u64| {
        let mask = pattern.field(letter);
        word = word & !mask | value << mask.trailing_zeros() & mask;
    };
    // Operands of up to four registers stay inside when they begin at a multiple of four.
    let (registers, wide) = (u32::from(options.registers.clamp(8, 240)), is_wide(form.family, form.name));
    for &letter in REGISTERS {
        if pattern.field_width(letter) == 8 {
            let any = match rng() % 16 {
                0 => 255,
                _ if wide => rng() % (registers / 4) * 4,
                _ => rng() % registers,
            };
            set(letter, any.into());
        }
    }
    let buffers = u32::from(options.constant_buffers.clamp(1, 32));
    let words = options.constant_bytes.clamp(4, 0x1_0000) / 4;
    for (slot, word) in [(b's', b'w'), (b't', b'u')] {
        if pattern.field_width(word) == 14 {
            set(slot, (rng() % buffers).into());
            set(word, (rng() % words).into());
        }
    }
    // Registers rarely hold what is an address in a buffer.
    if form.name == "ldc" && rng() & 3 != 0 {
        set(b's', (rng() % buffers).into());
        set(b'w', (rng() % (4 * words)).wrapping_sub(rng() & 7).into());
        if rng() & 1 == 0 {
            set(b'a', 255);
        }
    }
    if rng() & 3 != 0 {
        set(b'g', 7);
    }
    word
}

/// Deepest nesting of blocks and loops in the main program, and in a procedure.
const DEPTH: [usize; 2] = [4, 2];
/// Procedures call later ones only.
const PROCEDURES: usize = 3;

/// A place in the code that branches may name; its item number once it is known.
#[derive(Clone, Copy)]
struct Label(usize);

/// A word, and the label that its distance is to lead to.
struct Item {
    word: u64,
    target: Option<Label>,
}

struct Builder<'r, 'a, R> {
    rng: &'r mut R,
    options: Options<'a>,
    plain: Vec<Op>,
    items: Vec<Item>,
    labels: Vec<usize>,
    procedures: Vec<Label>,
}

/// A point of a program at which instructions are generated.
#[derive(Clone, Copy)]
struct GenerationPoint {
    /// Nesting that is left.
    depth: usize,
    /// Loops around this place, each with its own counter.
    loops: u8,
    /// In the body of a loop of this procedure.
    in_loop: bool,
    /// The first procedure that may be called.
    callees: usize,
}

impl<R: FnMut() -> u32> Builder<'_, '_, R> {
    fn label(&mut self) -> Label {
        self.labels.push(0);
        Label(self.labels.len() - 1)
    }

    fn place(&mut self, label: Label) {
        self.labels[label.0] = self.items.len();
    }

    fn main(&mut self) {
        let procedures = if self.options.flow { self.rng.below(PROCEDURES + 1) } else { 0 };
        self.procedures = (0..procedures).map(|_| self.label()).collect();
        let share = self.options.length.clamp(1, 4000) / (procedures + 1);
        self.block(share, GenerationPoint { depth: DEPTH[0], loops: 0, in_loop: false, callees: 0 });
        self.leave(Op::exit, Guard::ALWAYS);
        for procedure in 0..procedures {
            self.place(self.procedures[procedure]);
            // Counters of callers are live: those of a procedure are others.
            let loops = (DEPTH[0] + procedure * DEPTH[1]) as u8;
            self.block(
                share.clamp(1, 60),
                GenerationPoint { depth: DEPTH[1], loops, in_loop: false, callees: procedure + 1 },
            );
            self.leave(Op::ret, Guard::ALWAYS);
        }
    }

    fn block(&mut self, length: usize, place: GenerationPoint) {
        let end = self.items.len() + length.max(1);
        while self.items.len() < end {
            let left = end - self.items.len();
            match self.options.flow && left > 4 && self.rng.chance(5) {
                true => self.flow(left.min(40), place),
                false => self.plain(),
            }
        }
    }

    fn flow(&mut self, left: usize, place: GenerationPoint) {
        match self.rng.below(if self.options.ragged { 9 } else { 8 }) {
            0 | 1 if place.depth > 0 => self.if_else(left, place),
            2 | 3 if place.depth > 0 => self.counted_loop(left, place),
            4 if place.callees < self.procedures.len() => self.call(place),
            5 => self.skip(),
            6 if place.in_loop => {
                let guard = self.guard();
                self.leave(Op::brk, guard);
            }
            7 if self.rng.chance(3) => {
                let guard = self.guard();
                self.leave(Op::exit, guard);
            }
            8 => self.ragged_flow(),
            _ => self.plain(),
        }
    }

    /// Two sides that meet again.
    fn if_else(&mut self, left: usize, place: GenerationPoint) {
        let (join, other) = (self.label(), self.label());
        let inner = GenerationPoint { depth: place.depth - 1, ..place };
        self.push(Op::ssy, join);
        let guard = self.guard();
        self.branch(guard, other);
        self.block(left / 3, inner);
        self.leave(Op::sync, Guard::ALWAYS);
        self.place(other);
        if self.rng.chance(2) {
            self.block(left / 3, inner);
        }
        self.leave(Op::sync, Guard::ALWAYS);
        self.place(join);
    }

    /// A loop of at most four rounds, which lanes may leave earlier.
    fn counted_loop(&mut self, left: usize, place: GenerationPoint) {
        let counter = Reg(self.options.registers.clamp(8, 240) + place.loops);
        let (top, end) = (self.label(), self.label());
        let rounds = 1 + self.rng.below(4) as u32;
        self.put(Op::mov, &Mov { guard: Guard::ALWAYS, dst: counter, b: Operand::Immediate(rounds), quad_mask: 15 });
        self.push(Op::pbk, end);
        self.place(top);
        self.block(
            left / 3,
            GenerationPoint { depth: place.depth - 1, loops: place.loops + 1, in_loop: true, ..place },
        );
        self.count_down(counter);
        let pred = Pred((self.rng)() as u8 % 7);
        let compare = IntSetPred {
            guard: Guard::ALWAYS,
            x: false,
            signed: false,
            compare: IntCompare::NotEqual,
            bop: super::modifiers::BoolOp::And,
            dst: pred,
            dst_not: Pred::PT,
            a: counter,
            b: Operand::Reg(Reg::RZ),
            pred: PredSource { pred: Pred::PT, not: false },
        };
        self.put(Op::isetp, &compare);
        self.branch(Guard(PredSource { pred, not: false }), top);
        self.leave(Op::brk, Guard::ALWAYS);
        self.place(end);
    }

    fn count_down(&mut self, counter: Reg) {
        let minus_one = Neg { value: Operand::Immediate(u32::MAX), neg: false };
        let a = Neg { value: counter, neg: false };
        self.put(
            Op::iadd,
            &IntAdd { guard: Guard::ALWAYS, x: false, sat: false, cc: false, dst: counter, a, b: minus_one },
        );
    }

    fn call(&mut self, place: GenerationPoint) {
        let procedure = place.callees + self.rng.below(self.procedures.len() - place.callees);
        self.push(Op::cal, self.procedures[procedure]);
    }

    /// A branch over some instructions.
    fn skip(&mut self) {
        let end = self.label();
        let guard = self.guard();
        self.branch(guard, end);
        for _ in 0..1 + self.rng.below(4) {
            self.plain();
        }
        self.place(end);
    }

    fn ragged_flow(&mut self) {
        let leaving = [Op::sync, Op::brk, Op::cont, Op::ret, Op::exit, Op::kil];
        let pushing = [Op::ssy, Op::pbk, Op::pcnt, Op::pret, Op::cal];
        let guard = self.guard();
        let somewhere = self.label();
        self.labels[somewhere.0] = self.rng.below(self.options.length);
        match self.rng.below(4) {
            0 => {
                let op = leaving[self.rng.below(leaving.len())];
                self.leave(op, guard);
            }
            1 => {
                let op = pushing[self.rng.below(pushing.len())];
                self.push(op, somewhere);
            }
            2 => {
                let word = u64::from((self.rng)()) << 32 | u64::from((self.rng)());
                self.items.push(Item { word, target: None });
            }
            _ => self.branch(guard, somewhere),
        }
    }

    /// One instruction without control flow.
    fn plain(&mut self) {
        if self.plain.is_empty() {
            return self.items.push(Item { word: Op::nop.info().pattern.value | 7 << 16 | 15 << 8, target: None });
        }
        let index = self.rng.below(self.plain.len());
        let op = self.plain[index];
        let word = instruction(op, self.rng, &self.options);
        self.items.push(Item { word, target: None });
    }

    /// A guard that holds for some lanes.
    fn guard(&mut self) -> Guard {
        let bits = (self.rng)();
        Guard(PredSource { pred: Pred((bits % 7) as u8), not: bits & 0x100 != 0 })
    }

    fn leave(&mut self, op: Op, guard: Guard) {
        self.put(op, &Leave { guard, keep_refs: false, test: CcTest::True });
    }

    fn branch(&mut self, guard: Guard, target: Label) {
        let operands = Branch { guard, limit: false, uniform: false, test: CcTest::True, target: Target::Relative(0) };
        self.put(Op::bra, &operands);
        self.aim(target);
    }

    fn push(&mut self, op: Op, target: Label) {
        let inc = op == Op::cal;
        self.put(op, &PushTarget { guard: Guard::ALWAYS, inc, target: Target::Relative(0) });
        self.aim(target);
    }

    /// Lets the last instruction lead to a label.
    fn aim(&mut self, target: Label) {
        if let Some(item) = self.items.last_mut() {
            item.target = Some(target);
        }
    }

    /// Appends an instruction in the first form that holds its operands; they fit by construction.
    fn put(&mut self, op: Op, operands: &impl Shape) {
        let word = op.forms().iter().find_map(|form| {
            let mut encoder = Encoder::new(&form.pattern);
            operands.encode(&mut encoder);
            encoder.finish().ok()
        });
        debug_assert!(word.and_then(decode) == Some(op));
        self.items.push(Item { word: word.unwrap_or(op.info().pattern.value), target: None });
    }

    /// The words, with distances and control words, and the branch to itself at the end.
    fn finish(self) -> Vec<u64> {
        let address = |number: usize| (number / 3) as u32 * BUNDLE + 8 + (number % 3) as u32 * 8;
        let mut code = Vec::with_capacity(self.items.len() * 4 / 3 + 4);
        for (number, item) in self.items.iter().enumerate() {
            if number % 3 == 0 {
                code.push(NEUTRAL_CONTROL);
            }
            let distance = item.target.map(|label| {
                let to = address(self.labels[label.0]);
                u64::from(to.wrapping_sub(address(number)).wrapping_sub(8) & 0xFF_FFFF)
            });
            code.push(distance.map_or(item.word, |distance| item.word & !(0xFF_FFFF << 20) | distance << 20));
        }
        match self.items.len() % 3 {
            0 => code.extend([NEUTRAL_CONTROL, END_MARKERS[1]]),
            _ => code.push(END_MARKERS[0]),
        }
        code
    }
}
