//! Programs, decoded.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::maxwell::{Code, FUEL_UNIT, Unit};
use triglyph_guest::table::flags;
use triglyph_guest::tegra::shader::isa::{self, Constant, Guard, Reg, decode, form, visit};
use triglyph_guest::tegra::shader::modifiers::CcTest;
use triglyph_guest::tegra::shader::program::{BUNDLE, Token, is_control, settle};

use super::context::Context;
use super::lane::{Lane, Wait};

/// Where nothing is.
pub const NOWHERE: u32 = u32::MAX;

/// The operation of one lane.
pub type LaneAction = Box<dyn Fn(&mut Lane, &mut Context<'_>) + Send + Sync>;

/// The operation of the lanes of a set together: bit i is lane i.
pub type WarpAction = Box<dyn Fn(&mut [Lane], u32, &mut Context<'_>) + Send + Sync>;

/// The condition that a lane waits for, by its registers.
pub type WaitAction = Box<dyn Fn(&Lane) -> Option<Wait> + Send + Sync>;

/// The operation of an instruction.
pub enum Action {
    /// Nothing.
    Nothing,
    /// An operation of each lane by itself.
    Lane(LaneAction),
    /// An operation between lanes.
    Warp(WarpAction),
    /// Control goes elsewhere for lanes where the test holds.
    Flow(CcTest, Flow),
}

/// Where control goes. Targets are numbers of instructions.
pub enum Flow {
    /// There.
    Branch(Target),
    /// Jumps there; the address after this instruction is pushed.
    Call(Target),
    /// To the next one; the target is pushed.
    Push(Token, Target),
    /// To the innermost target of a kind.
    Pop(Token),
    /// Out of the program.
    Exit,
    /// Nowhere: the lane becomes a helper.
    Kill,
    /// Nowhere: the lane waits, if it is told so.
    Wait(WaitAction),
    /// Nowhere: the other lanes of the quad are brought in.
    BringQuad,
    /// Nowhere: lanes that were brought in go back.
    LeaveQuad,
}

/// Where a target is.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Here.
    Fixed(u32),
    /// At the sum of these bytes.
    Computed {
        /// Added to the others.
        base: u32,
        /// A register's value, and
        register: Option<Reg>,
        /// a constant's.
        constant: Option<Constant>,
    },
}

/// An instruction.
pub struct Op {
    /// When it does anything.
    pub guard: Guard,
    /// The operation.
    pub action: Action,
}

impl Op {
    /// Whether it may lead back to itself, as instruction number `own`.
    fn repeats(&self, own: u32) -> bool {
        match &self.action {
            Action::Flow(_, Flow::Branch(target) | Flow::Push(_, target)) => match *target {
                Target::Fixed(number) => number <= own,
                Target::Computed { .. } => true,
            },
            Action::Flow(_, Flow::Call(_)) => true,
            _ => false,
        }
    }
}

/// The context in which instructions are built.
pub struct Decoder<'a> {
    /// The instruction's address.
    pub address: u32,
    /// The program.
    pub code: &'a Code,
}

impl Decoder<'_> {
    /// An instruction that lanes do by themselves.
    pub fn lane(&self, guard: Guard, act: impl Fn(&mut Lane, &mut Context<'_>) + Send + Sync + 'static) -> Op {
        Op { guard, action: Action::Lane(Box::new(act)) }
    }

    /// An instruction that lanes do together.
    pub fn warp(&self, guard: Guard, act: impl Fn(&mut [Lane], u32, &mut Context<'_>) + Send + Sync + 'static) -> Op {
        Op { guard, action: Action::Warp(Box::new(act)) }
    }

    /// An instruction without effect.
    pub fn nothing(&self) -> Op {
        Op { guard: Guard::ALWAYS, action: Action::Nothing }
    }

    /// An instruction of control flow.
    pub fn flow(&self, guard: Guard, test: CcTest, flow: Flow) -> Op {
        Op { guard, action: Action::Flow(test, flow) }
    }

    /// Whether f32 denormals are 0 for an instruction that asks for it.
    pub fn flushes(&self, asked: bool) -> bool {
        asked && self.code.accuracy == Accuracy::Exact
    }

    /// The texture or image that the instruction uses; [`Unit::Dynamic`] if it is not known statically.
    pub fn unit(&self) -> Option<Unit> {
        self.code.unit(self.address)
    }

    /// The number of the instruction at an address.
    pub fn number(&self, address: u32) -> u32 {
        number(address, self.code.words.len())
    }
}

/// The number of the instruction at an address; `NOWHERE` outside of the code.
fn number(address: u32, words: usize) -> u32 {
    let address = settle(address);
    let inside = address.is_multiple_of(8) && (address as usize / 8) < words;
    if inside { address / BUNDLE * 3 + address % BUNDLE / 8 - 1 } else { NOWHERE }
}

/// The address of an instruction by its number.
pub fn address(number: u32) -> u32 {
    number / 3 * BUNDLE + (number % 3 + 1) * 8
}

/// A program.
pub struct Program {
    /// Its instructions.
    pub ops: Vec<Op>,
    /// Bytes of local memory of a lane.
    pub local_bytes: usize,
    /// Whether it changes anything but its results.
    pub stores: bool,
    /// Whether it may execute many more instructions than it has.
    pub repeats: bool,
    /// Whether it may bring in the lanes of whole quads.
    pub brings_quads: bool,
    /// Words of its code, control words included.
    pub words: usize,
    /// Addresses that computed branches may go to, ascending.
    targets: Vec<u32>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("ops", &self.ops.len()).finish_non_exhaustive()
    }
}

/// Most bytes of local memory that a lane can have.
const MAX_LOCAL: u32 = 512 << 10;

impl Program {
    /// Decodes a program. Words that are no instructions do nothing.
    pub fn new(code: &Code) -> Program {
        let mut ops = Vec::with_capacity(code.words.len());
        let (mut stores, mut brings_quads) = (false, false);
        for (index, &word) in code.words.iter().enumerate() {
            let address = index as u32 * 8;
            if is_control(address) {
                continue;
            }
            let mut decoder = Decoder { address, code };
            ops.push(visit(word, &mut decoder).unwrap_or_else(|| decoder.nothing()));
            stores |= form(word).is_some_and(|form| form.has(flags::STORES));
            brings_quads |= decode(word) == Some(isa::Op::sam);
        }
        let mut targets: Vec<u32> = code.targets.iter().map(|&target| settle(target)).collect();
        targets.sort_unstable();
        let repeats =
            ops.len() * 4 > FUEL_UNIT as usize || ops.iter().enumerate().any(|(at, op)| op.repeats(at as u32));
        let (local_bytes, words) = (code.local_bytes.min(MAX_LOCAL) as usize, code.words.len());
        Program { ops, local_bytes, stores, repeats, brings_quads, words, targets }
    }

    /// The number of the instruction that a computed branch goes to; `NOWHERE` if it must not.
    pub fn computed(&self, address: u32) -> u32 {
        let known = self.targets.binary_search(&settle(address)).is_ok();
        if known { number(address, self.words) } else { NOWHERE }
    }
}
