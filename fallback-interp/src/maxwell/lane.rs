//! A lane: registers, predicates, condition code, local memory, stack.

use triglyph_guest::kernel::maxwell::STACK;
use triglyph_guest::tegra::shader::isa::{Pred, PredSource, Reg};
use triglyph_guest::tegra::shader::modifiers::CcTest;
use triglyph_guest::tegra::shader::program::Token;

/// The condition code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Zero.
    pub zero: bool,
    /// Sign.
    pub sign: bool,
    /// Carry.
    pub carry: bool,
    /// Overflow.
    pub overflow: bool,
}

impl Condition {
    /// That of a result which has neither carry nor overflow.
    pub fn of(result: u32) -> Condition {
        Condition { zero: result == 0, sign: (result as i32) < 0, ..Condition::default() }
    }

    /// That of a floating-point result: NaN is zero and negative at once.
    pub fn of_float(v: f64) -> Condition {
        let nan = v.is_nan();
        Condition { zero: v == 0.0 || nan, sign: v < 0.0 || nan, ..Condition::default() }
    }

    /// Z, S, C, O from bit 0 on.
    pub fn bits(self) -> u32 {
        let Condition { zero, sign, carry, overflow } = self;
        u32::from(zero) | u32::from(sign) << 1 | u32::from(carry) << 2 | u32::from(overflow) << 3
    }

    /// By its bits.
    pub fn from_bits(bits: u32) -> Condition {
        let bit = |i: u32| bits >> i & 1 != 0;
        Condition { zero: bit(0), sign: bit(1), carry: bit(2), overflow: bit(3) }
    }

    /// Whether a test holds.
    pub fn holds(self, test: CcTest) -> bool {
        let Condition { zero: z, sign: s, carry: c, overflow: o } = self;
        match test {
            CcTest::False => false,
            CcTest::Less => (s && !z) ^ o,
            CcTest::Equal => !s && z,
            CcTest::LessOrEqual => s ^ (z || o),
            CcTest::Greater => (!s ^ o) && !z,
            CcTest::NotEqual => !z,
            CcTest::GreaterOrEqual => !(s ^ o),
            CcTest::Num => !s || !z,
            CcTest::Nan => s && z,
            CcTest::LessU => s ^ o,
            CcTest::EqualU => z,
            CcTest::LessOrEqualU => (s ^ o) || z,
            CcTest::GreaterU => !s ^ (z || o),
            CcTest::NotEqualU => s || !z,
            CcTest::GreaterOrEqualU => (!s || z) ^ o,
            CcTest::True => true,
            CcTest::NoOverflow => !o,
            CcTest::Lower => !c,
            CcTest::NoSign => !s,
            CcTest::LowerOrSame => z || !c,
            CcTest::Higher => c && !z,
            CcTest::Sign => s,
            CcTest::HigherOrSame => c,
            CcTest::Overflow => o,
            CcTest::Rle => s || z,
            CcTest::Rgt => !s && !z,
            // About coverage; not known.
            CcTest::CsmTa | CcTest::CsmTr | CcTest::CsmMx | CcTest::FcsmTa | CcTest::FcsmTr | CcTest::FcsmMx => false,
            CcTest::Unknown(_) => false,
        }
    }
}

/// Whether a lane runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It does.
    #[default]
    Running,
    /// It waits at a barrier.
    Waiting,
    /// It has ended.
    Ended,
}

/// The reduction of BAR.RED over the lanes that wait.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wait {
    /// The barrier.
    pub number: u32,
    /// The lane's predicate.
    pub pred: bool,
    /// Whether there is a result, and how it is computed.
    pub reduction: Option<Reduction>,
}

/// How the predicates at a barrier are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their number.
    Count,
    /// All of them.
    All,
    /// Any of them.
    Any,
}

/// The state of a lane apart from its values: its position, and its invocation.
#[derive(Clone, Debug)]
struct Course {
    at: u32,
    state: State,
    helper: bool,
    stack: Vec<(Token, u32)>,
}

/// A lane.
#[derive(Clone, Debug)]
pub struct Lane {
    registers: [u32; 256],
    /// Bit i: predicate i; PT is set.
    predicates: u8,
    /// The condition code.
    pub condition: Condition,
    /// Number in the warp.
    pub id: u32,
    /// Number of the instruction that is next.
    pub at: u32,
    /// Whether it runs.
    pub state: State,
    /// The condition that it waits for.
    pub wait: Wait,
    /// The result of the last reduction.
    pub reduced: u32,
    /// Whether its stores are without effect.
    pub helper: bool,
    /// Local memory.
    pub local: Vec<u8>,
    stack: Vec<(Token, u32)>,
    /// What it will be again, while another lane of its quad has it with it.
    own_course: Option<Box<Course>>,
}

impl Default for Lane {
    fn default() -> Self {
        Lane {
            registers: [0; 256],
            predicates: 0x80,
            condition: Condition::default(),
            id: 0,
            at: 0,
            state: State::Running,
            wait: Wait::default(),
            reduced: 0,
            helper: false,
            local: Vec::new(),
            stack: Vec::with_capacity(STACK),
            own_course: None,
        }
    }
}

impl Lane {
    /// The state in which lane `id` starts.
    pub fn reset(&mut self, id: u32, local_bytes: usize) {
        self.registers.fill(0);
        self.predicates = 0x80;
        self.condition = Condition::default();
        self.id = id;
        self.at = 0;
        self.state = State::Running;
        self.wait = Wait::default();
        self.reduced = 0;
        self.helper = false;
        self.local.clear();
        self.local.resize(local_bytes, 0);
        self.stack.clear();
        self.own_course = None;
    }

    /// Joins another lane as a helper, until [`Self::leave`].
    pub fn join(&mut self, other: &Lane) {
        if self.own_course.is_none() {
            let Lane { at, state, helper, .. } = *self;
            let stack = std::mem::take(&mut self.stack);
            self.own_course = Some(Box::new(Course { at, state, helper, stack }));
        }
        (self.at, self.state, self.helper) = (other.at, State::Running, true);
        self.stack.clone_from(&other.stack);
    }

    /// Goes back to where it was before it joined another one, if it did.
    pub fn leave(&mut self) {
        if let Some(own) = self.own_course.take() {
            let Course { at, state, helper, stack } = *own;
            (self.at, self.state, self.helper, self.stack) = (at, state, helper, stack);
        }
    }

    /// Whether it does the same next as another one.
    pub fn is_with(&self, other: &Lane) -> bool {
        self.state == State::Running && self.at == other.at && self.depth() == other.depth()
    }

    /// Entries of the stack.
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// Adds an entry to the stack; one too many ends the lane.
    pub fn push(&mut self, token: Token, target: u32) {
        if self.stack.len() == STACK {
            self.state = State::Ended;
        } else {
            self.stack.push((token, target));
        }
    }

    /// Removes the innermost entry of a kind and gives its target. What is above it goes, too, but for SYNC.
    pub fn pop(&mut self, token: Token) -> Option<u32> {
        let place = self.stack.iter().rposition(|entry| entry.0 == token)?;
        let target = self.stack[place].1;
        match token {
            Token::Sync => {
                self.stack.remove(place);
            }
            _ => self.stack.truncate(place),
        }
        Some(target)
    }

    /// A register.
    #[inline]
    pub fn read(&self, reg: Reg) -> u32 {
        self.registers[usize::from(reg.0)]
    }

    /// The register `offset` after another one; 0 after RZ and beyond R254.
    #[inline]
    pub fn read_at(&self, reg: Reg, offset: u8) -> u32 {
        reg.0.checked_add(offset).map_or(0, |number| self.read(Reg(number)))
    }

    /// Sets a register.
    #[inline]
    pub fn write(&mut self, reg: Reg, value: u32) {
        if !reg.is_zero() {
            self.registers[usize::from(reg.0)] = value;
        }
    }

    /// Sets the register `offset` after another one, if it exists.
    pub fn write_at(&mut self, reg: Reg, offset: u8, value: u32) {
        if let Some(number) = reg.0.checked_add(offset) {
            self.write(Reg(number), value);
        }
    }

    /// Two registers, lower word first.
    pub fn read_pair(&self, reg: Reg) -> u64 {
        u64::from(self.read(reg)) | u64::from(self.read_at(reg, 1)) << 32
    }

    /// Sets two registers.
    pub fn write_pair(&mut self, reg: Reg, value: u64) {
        self.write(reg, value as u32);
        self.write_at(reg, 1, (value >> 32) as u32);
    }

    /// P0 to P6 from bit 0 on.
    pub fn predicates(&self) -> u32 {
        u32::from(self.predicates & 0x7F)
    }

    /// The value of a predicate as a source.
    #[inline]
    pub fn pred(&self, source: PredSource) -> bool {
        (self.predicates >> source.pred.0 & 1 != 0) != source.not
    }

    /// Sets a predicate.
    #[inline]
    pub fn set_pred(&mut self, pred: Pred, value: bool) {
        let bit = 1 << pred.0;
        self.predicates = (if value { self.predicates | bit } else { self.predicates & !bit }) | 0x80;
    }

    /// Sets the condition code, if `wanted`.
    #[inline]
    pub fn set_condition(&mut self, wanted: bool, condition: Condition) {
        if wanted {
            self.condition = condition;
        }
    }

    /// Sets a register, and the condition code by it if `wanted`.
    pub fn result(&mut self, dst: Reg, value: u32, cc: bool) {
        self.write(dst, value);
        self.set_condition(cc, Condition::of(value));
    }
}
