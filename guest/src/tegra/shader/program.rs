//! Addresses of instructions, control flow, and the instructions that belong to a program.
//!
//! Code is a sequence of bundles of four words: a control word, which only concerns scheduling, and three instructions.
//! Bundles are counted from the start of the code (after the header of a graphics program). A target that is a control
//! word means the instruction after it. The length of a program is stored nowhere; control flow determines it.

use std::collections::BTreeMap;

use super::isa::{AbsoluteTarget, Branch, Jump, JumpCall, Op, PushTarget, Target, decode, form};
use super::modifiers::CcTest;
use super::operand::{Guard, PredSource};
use super::part::Part;
use super::shape::Leave;
use crate::table::{Fields, Shape, flags};

/// Bytes of a bundle.
pub const BUNDLE: u32 = 32;

/// A control word that asks for nothing: no stall, no barriers.
pub const NEUTRAL_CONTROL: u64 = 0x001F_8000_FC00_07E0;

/// The last word of vendor programs: a branch to itself, in the second or third and in the first place of a bundle.
pub const END_MARKERS: [u64; 2] = [0xE240_0FFF_FF87_000F, 0xE240_0FFF_FF07_000F];

/// Maximum number of words that are decoded: more than any program has.
pub const MAX_WORDS: usize = 1 << 17;

/// Whether the word at a byte address is a control word.
pub const fn is_control(address: u32) -> bool {
    address.is_multiple_of(BUNDLE)
}

/// The address of the instruction meant by a target: a control word means the instruction after it.
pub const fn settle(address: u32) -> u32 {
    if is_control(address) { address.wrapping_add(8) } else { address }
}

/// The address of the instruction after the one at `address`.
pub const fn next(address: u32) -> u32 {
    settle(address.wrapping_add(8))
}

/// The address of the instruction that a distance of the one at `address` means.
pub const fn target(address: u32, distance: i32) -> u32 {
    settle(address.wrapping_add(8).wrapping_add(distance as u32))
}

/// The scheduling information of one instruction of a bundle. Execution in order may ignore all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheduling {
    /// Cycles before the next instruction, 0 to 15.
    pub stall: u8,
    /// Whether another warp may run next.
    pub may_yield: bool,
    /// Scoreboard that is signalled when the result is there, 0 to 5.
    pub write_barrier: Option<u8>,
    /// Scoreboard that is signalled when the sources have been read, 0 to 5.
    pub read_barrier: Option<u8>,
    /// Scoreboards that are waited for, one bit each.
    pub wait: u8,
    /// Sources that are kept for the next instruction: bit 0 first, 1 second, 2 third.
    pub reuse: u8,
}

impl Scheduling {
    /// That of instruction `slot`, 0 to 2, of the bundle with this control word.
    pub fn of(control: u64, slot: u32) -> Scheduling {
        let bits = (control >> (21 * slot)) as u32;
        let barrier = |bits: u32| Some((bits & 7) as u8).filter(|&number| number != 7);
        Scheduling {
            stall: (bits & 15) as u8,
            may_yield: bits & 16 == 0,
            write_barrier: barrier(bits >> 5),
            read_barrier: barrier(bits >> 8),
            wait: (bits >> 11 & 0x3F) as u8,
            reuse: (bits >> 17 & 0xF) as u8,
        }
    }
}

/// Kinds of entries on a lane's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// SSY, for SYNC.
    Sync,
    /// PBK, for BRK.
    Break,
    /// PCNT, for CONT.
    Continue,
    /// CAL, JCAL and PRET, for RET.
    Return,
    /// PLONGJMP, for LONGJMP.
    LongJump,
    /// PEXIT, for EXIT.
    Exit,
}

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// To the next one.
    Next,
    /// To a target.
    Branch(Destination),
    /// To a target; the address after the instruction is pushed.
    Call(Destination),
    /// To the next one; a target is pushed.
    Push(Token, Destination),
    /// To the innermost target of this kind, which leaves the stack with everything above it.
    Pop(Token),
    /// Nowhere: the lane ends, or goes to the innermost target of PEXIT if there is one.
    Exit,
}

/// Where a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// The instruction at this byte address of the code.
    Address(u32),
    /// Known only when the program runs: by register or by constant.
    Computed,
}

/// The control flow of an instruction. `condition` is whether it happens for some lanes only; the others go on to the
/// next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Where control goes.
    pub flow: Flow,
    /// Whether that depends on guard or condition code.
    pub condition: bool,
}

/// The control flow of the word at `address`; `None` for an unknown word.
pub fn step(address: u32, word: u64) -> Option<Step> {
    let (op, form) = (decode(word)?, form(word)?);
    let fields = Fields::new(word, &form.pattern);
    let guard = Guard::read(fields, b"g");
    let test = if form.has(flags::BRANCH | flags::ENDS) { Leave::decode(fields).test } else { CcTest::True };
    let place = |target: Target| match target {
        Target::Relative(distance) => Destination::Address(self::target(address, distance)),
        Target::Constant(_) => Destination::Computed,
    };
    // These count from the code's start.
    let absolute = |target: AbsoluteTarget| match target {
        AbsoluteTarget::Address(address) => Destination::Address(settle(address)),
        AbsoluteTarget::Constant(_) => Destination::Computed,
    };
    let push = |token| Flow::Push(token, place(PushTarget::decode(fields).target));
    let flow = match op {
        Op::bra => Flow::Branch(place(Branch::decode(fields).target)),
        Op::brx | Op::jmx => Flow::Branch(Destination::Computed),
        Op::jmp => Flow::Branch(absolute(Jump::decode(fields).target)),
        Op::cal => Flow::Call(place(PushTarget::decode(fields).target)),
        Op::jcal => Flow::Call(absolute(JumpCall::decode(fields).target)),
        Op::ssy => push(Token::Sync),
        Op::pbk => push(Token::Break),
        Op::pcnt => push(Token::Continue),
        Op::pret => push(Token::Return),
        Op::plongjmp => push(Token::LongJump),
        Op::pexit => push(Token::Exit),
        Op::sync => Flow::Pop(Token::Sync),
        Op::brk => Flow::Pop(Token::Break),
        Op::cont => Flow::Pop(Token::Continue),
        Op::ret => Flow::Pop(Token::Return),
        Op::longjmp => Flow::Pop(Token::LongJump),
        Op::exit => Flow::Exit,
        _ => Flow::Next,
    };
    // Calls have neither guard nor test.
    let tested = !matches!(op, Op::cal | Op::jcal) && test != CcTest::True;
    Some(Step { flow, condition: guard != Guard::ALWAYS || tested })
}

/// A word that is no instruction, where control flow gets to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("no shader instruction at {address:#x}: {word:#018x}")]
pub struct UnknownWord {
    /// Byte address in the code.
    pub address: u32,
    /// The word.
    pub word: u64,
}

/// An instruction in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Byte address in the code.
    pub address: u32,
    /// The word.
    pub word: u64,
    /// The operation.
    pub op: Op,
    /// Where control goes.
    pub step: Step,
}

/// The reachable instructions of a piece of code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The instructions by address.
    pub instructions: Vec<Instruction>,
    /// Words that are none; hardware would stop there, they do nothing.
    pub unknown: Vec<UnknownWord>,
    /// Addresses of instructions whose target is known only when they run; what they reach is not among the
    /// instructions unless it was given as an entry.
    pub computed: Vec<u32>,
    /// Addresses of instructions from which control leaves the code. Lanes end there.
    pub leaving: Vec<u32>,
}

impl Program {
    /// Follows control flow in `code` from its start and from `entries`, byte addresses.
    pub fn reach(code: &[u64], entries: &[u32]) -> Program {
        let code = &code[..code.len().min(MAX_WORDS)];
        let mut program = Program::default();
        let mut found: BTreeMap<u32, Option<Instruction>> = BTreeMap::new();
        let mut open: Vec<u32> = entries.iter().copied().chain([0]).map(settle).collect();
        while let Some(address) = open.pop() {
            let Some(&word) = word_at(code, address) else { continue };
            if found.contains_key(&address) {
                continue;
            }
            let instruction = decode(word).zip(step(address, word));
            let instruction = instruction.map(|(op, step)| Instruction { address, word, op, step });
            found.insert(address, instruction);
            match instruction {
                Some(instruction) => program.follow(&instruction, code, &mut open),
                None => {
                    program.unknown.push(UnknownWord { address, word });
                    open.push(next(address));
                }
            }
        }
        program.instructions = found.into_values().flatten().collect();
        program.unknown.sort_by_key(|unknown| unknown.address);
        program.computed.sort_unstable();
        program.leaving.sort_unstable();
        program
    }

    /// Notes where control goes from an instruction.
    fn follow(&mut self, instruction: &Instruction, code: &[u64], open: &mut Vec<u32>) {
        let Step { flow, condition } = instruction.step;
        let after = next(instruction.address);
        let (destination, goes_on) = match flow {
            Flow::Next => (None, true),
            Flow::Branch(destination) => (Some(destination), condition),
            Flow::Call(destination) | Flow::Push(_, destination) => (Some(destination), true),
            Flow::Pop(_) | Flow::Exit => (None, condition),
        };
        let mut leaves = false;
        let mut to = |address: u32| match word_at(code, address) {
            Some(_) => open.push(address),
            None => leaves = true,
        };
        if goes_on {
            to(after);
        }
        match destination {
            Some(Destination::Address(address)) => to(address),
            Some(Destination::Computed) => self.computed.push(instruction.address),
            None => {}
        }
        if leaves {
            self.leaving.push(instruction.address);
        }
    }

    /// The instruction at an address, if control flow reaches one there.
    pub fn at(&self, address: u32) -> Option<&Instruction> {
        let found = self.instructions.binary_search_by_key(&address, |instruction| instruction.address);
        found.ok().map(|index| &self.instructions[index])
    }

    /// Addresses that are the target of something, in order: starts of blocks, apart from those after branches.
    pub fn targets(&self) -> Vec<u32> {
        let target = |instruction: &Instruction| match instruction.step.flow {
            Flow::Branch(Destination::Address(address)) | Flow::Call(Destination::Address(address)) => Some(address),
            Flow::Push(_, Destination::Address(address)) => Some(address),
            _ => None,
        };
        let mut targets: Vec<u32> = self.instructions.iter().filter_map(target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Words of the code up to the last instruction that is reached.
    pub fn words(&self) -> usize {
        self.instructions.last().map_or(0, |last| last.address as usize / 8 + 1)
    }

    /// Words of the code up to the last one that control flow reaches, whether or not it is an instruction. A word that
    /// is none may become one when the guest writes it.
    pub fn reached_words(&self) -> usize {
        self.words().max(self.unknown.last().map_or(0, |last| last.address as usize / 8 + 1))
    }
}

fn word_at(code: &[u64], address: u32) -> Option<&u64> {
    if address.is_multiple_of(8) { code.get(address as usize / 8) } else { None }
}

/// Whether a guard is never true.
pub const fn never(guard: Guard) -> bool {
    let PredSource { pred, not } = guard.0;
    pred.0 == 7 && not
}

/// Words of a program by the branch to itself that vendor programs end with, that included; `None` if there is none.
pub fn length_by_marker(code: &[u64]) -> Option<usize> {
    let marker = |(index, word): (usize, &u64)| !is_control(index as u32 * 8) && END_MARKERS.contains(word);
    code.iter().take(MAX_WORDS).enumerate().position(marker).map(|index| index + 1)
}
