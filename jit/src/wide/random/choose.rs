//! Random choices of steps.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::instructions::InstructionFormat;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8, I8X16, I16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{Opcode, Type};

use super::choices::Choices;
use super::emit::SIGNATURES;
use super::program::{
    Area, AtOnce, BranchKind, Carried, Comparison, Id, Idiom, If, LOOPS, LaneTest, Loop, MaskTest, MemoryOperand,
    Merge, Operand, Program, Repeat, RepeatKind, Step, Storage, Test,
};
use super::rows::{Row, rows};

const VECTORS: [Type; 6] = [I8X16, I16X8, I32X4, I64X2, F32X4, F64X2];
const TYPES: [Type; 12] = [I8, I16, I32, I64, F32, F64, I8X16, I16X8, I32X4, I64X2, F32X4, F64X2];
const INTEGERS: [Type; 4] = [I8, I16, I32, I64];

/// Steps of a list within another one at most.
const INNER: usize = 6;

/// Where steps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// Before or after loops.
    Outside,
    /// In a body.
    Body,
    /// In a body, where it is done by one iteration alone.
    Cold,
}

/// A value that may be used.
#[derive(Clone, Copy)]
struct UsableValue {
    id: Id,
    ty: Type,
    /// Whether it was made outside of loops.
    outside: bool,
}

struct Chooser<'c, 'w> {
    choices: &'c mut Choices<'w>,
    next: Id,
    made: Vec<UsableValue>,
    place: Where,
    /// Branches and loops around the current list.
    depth: usize,
    /// Steps that are left.
    left: usize,
    /// Whether operands are mostly what was made last.
    near: bool,
    /// Whether to choose branches that restart a group of iterations, one at a time.
    restarts: bool,
    has_storage: bool,
    opcodes: Vec<Opcode>,
}

impl Program {
    /// The function that choices say.
    pub fn choose(choices: &mut Choices<'_>) -> Program {
        let mut chooser = Chooser {
            choices,
            next: 0,
            made: Vec::new(),
            place: Where::Outside,
            depth: 0,
            left: 0,
            near: false,
            restarts: false,
            has_storage: false,
            opcodes: Vec::new(),
        };
        chooser.program()
    }
}

impl Chooser<'_, '_> {
    fn program(&mut self) -> Program {
        let data = u64::from(self.choices.word());
        self.opcodes = self.some_opcodes();
        self.near = self.choices.one_in(2);
        let before = self.some_steps(&[2, 4, 8, 20]);
        let count = if self.choices.one_in(6) { LOOPS } else { 1 };
        let loops = (0..count).map(|_| self.body()).collect();
        let after = self.some_steps(&[1, 2, 4, 12]);
        let status = self.operand(I64);
        let has_gaps = self.choices.one_in(3);
        Program { data, has_gaps, before, loops, after, status }
    }

    /// All opcodes, or a few, which then meet more often.
    fn some_opcodes(&mut self) -> Vec<Opcode> {
        let mut all: Vec<Opcode> = rows().iter().filter(|row| is_value(row)).map(|row| row.opcode).collect();
        all.dedup();
        if self.choices.one_in(2) { (0..12).map(|_| self.choices.pick(&all)).collect() } else { all }
    }

    /// A list of steps, of which one of these numbers is the most.
    fn some_steps(&mut self, sizes: &[usize; 4]) -> Vec<Step> {
        let most = sizes[[0, 0, 0, 0, 1, 1, 1, 2, 2, 3][self.choices.below(10)]];
        let count = 1 + self.choices.below(most);
        self.left = 2 * count;
        self.list(count)
    }

    fn body(&mut self) -> Loop {
        let at_once = self.choices.pick(&[AtOnce::Two, AtOnce::Two, AtOnce::Four, AtOnce::FourOrTwo]);
        let is_repeatable = self.choices.one_in(2);
        let distance = self.choices.pick(&[0, 0, 1, 4]);
        let storage = match self.choices.below(4) {
            0 | 1 => Storage::None,
            2 => Storage::Memory { distance },
            _ => Storage::Slots { distance },
        };
        let outer = self.made.len();
        self.place = Where::Body;
        self.has_storage = storage != Storage::None;
        self.restarts = is_repeatable || self.choices.one_in(4);
        let given = (0..self.choices.below(3)).map(|_| self.given()).collect();
        let mut body = self.some_steps(&[8, 20, 40, 140]);
        // Not within branches: iterations have to call in their order.
        if !is_repeatable && self.choices.one_in(3) {
            let call = self.call();
            body.insert(self.choices.below(body.len() + 1), call);
        }
        body.extend(self.last_stores());
        self.made.truncate(outer);
        self.place = Where::Outside;
        Loop { at_once, is_repeatable, storage, has_address: self.choices.one_in(2), given, body }
    }

    fn given(&mut self) -> (Id, Type, u8) {
        let ty = self.choices.pick(&TYPES);
        (self.make(ty), ty, self.choices.word() as u8)
    }

    /// Stores at the end of a body: of some values, or of all together, which then live that long.
    fn last_stores(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        let vectors: Vec<UsableValue> = self.made.iter().copied().filter(|made| made.ty.is_vector()).collect();
        let sum = self.choices.below(3);
        if sum > 0 && !vectors.is_empty() {
            let summed: Vec<UsableValue> = vectors.into_iter().rev().take(if sum == 1 { 12 } else { 60 }).collect();
            let idiom = Idiom::Sum(summed.iter().map(|made| made.ty).collect());
            let args = summed.iter().map(|made| Operand::Value(made.id)).collect();
            let id = self.make(I8X16);
            steps.push(Step::Idiom { id, idiom, args });
            steps.extend(self.store_of(I8X16, Some(id)));
        }
        for _ in 0..1 + self.choices.below(3) {
            steps.push(self.store());
        }
        steps
    }

    fn list(&mut self, count: usize) -> Vec<Step> {
        (0..count)
            .map_while(|_| {
                self.left.checked_sub(1).map(|left| {
                    self.left = left;
                    self.step()
                })
            })
            .collect()
    }

    /// A list of steps within another one, whose values end with it.
    fn inner(&mut self) -> Vec<Step> {
        self.depth += 1;
        let count = self.choices.below(INNER);
        let steps = self.list(count);
        self.depth -= 1;
        steps
    }

    fn step(&mut self) -> Step {
        let kind = self.choices.below(32);
        let nests = self.depth < 3;
        match kind {
            0..=15 => self.value(),
            16..=18 => self.idiom(),
            19..=21 => self.load(),
            22..=24 => self.store(),
            25 if self.choices.one_in(3) => {
                Step::Count { counter: self.choices.word() as u8, value: self.operand(I32X4) }
            }
            26..=28 if nests => self.branch(),
            29 if nests => self.repeat(),
            30 if nests && self.place != Where::Body => self.table(),
            31 if self.place != Where::Body => self.call(),
            _ => self.value(),
        }
    }

    fn make(&mut self, ty: Type) -> Id {
        self.next += 1;
        self.made.push(UsableValue { id: self.next, ty, outside: self.place == Where::Outside });
        self.next
    }

    /// An instruction that makes a value.
    fn value(&mut self) -> Step {
        let opcode = self.choices.pick(&self.opcodes);
        let fits = |row: &&(usize, &Row)| is_value(row.1) && row.1.opcode == opcode;
        let all: Vec<(usize, &Row)> = rows().iter().enumerate().collect();
        let fitting: Vec<(usize, &Row)> = all.iter().filter(fits).copied().collect();
        let Some((row, kind)) = (!fitting.is_empty()).then(|| self.choices.pick(&fitting)) else { return self.load() };
        let args = kind.args.iter().map(|&ty| self.operand(ty)).collect();
        let bytes = self.choices.bytes();
        let bytes = if opcode == Opcode::Shuffle { self.order() } else { bytes };
        let id = kind.result.map_or(0, |ty| self.make(ty));
        Step::Row { id, row, args, bytes }
    }

    /// An order of bytes: often one of whole lanes.
    fn order(&mut self) -> [u8; 16] {
        let lane = self.choices.pick(&[1usize, 2, 4, 4, 8]);
        let mut order = [0; 16];
        let first = self.choices.below(17) as u8;
        let is_consecutive = self.choices.one_in(8);
        let blends = self.choices.one_in(8);
        for at in 0..16 / lane {
            let from = self.choices.below(32 / lane);
            let from = if blends { at + (from & 1) * 16 / lane } else { from };
            for byte in 0..lane {
                order[at * lane + byte] = (from * lane + byte) as u8;
            }
        }
        if is_consecutive { std::array::from_fn(|n| first + n as u8) } else { order }
    }

    fn operand(&mut self, ty: Type) -> Operand {
        match self.choices.below(16) {
            0 => return Operand::Constant(self.choices.bytes()),
            1 => return self.loaded(),
            _ => {}
        }
        let mut fitting: Vec<Id> = self.made.iter().filter(|made| made.ty == ty).map(|made| made.id).collect();
        if self.near {
            fitting = fitting.split_off(fitting.len().saturating_sub(3));
        }
        match fitting.is_empty() {
            false => Operand::Value(self.choices.pick(&fitting)),
            true if self.choices.one_in(3) => Operand::Constant(self.choices.bytes()),
            true => self.loaded(),
        }
    }

    /// An operand that is the same for all iterations.
    fn shared(&mut self, ty: Type) -> Operand {
        let fitting: Vec<Id> =
            self.made.iter().filter(|made| made.ty == ty && made.outside).map(|made| made.id).collect();
        match self.choices.below(3) {
            0 => Operand::Constant(self.choices.bytes()),
            1 if !fitting.is_empty() => Operand::Value(self.choices.pick(&fitting)),
            _ => Operand::Load(Area::Shared, self.choices.word() as u8),
        }
    }

    fn loaded(&mut self) -> Operand {
        let area = self.area();
        Operand::Load(area, self.choices.word() as u8)
    }

    fn area(&mut self) -> Area {
        let areas: &[Area] = match (self.place, self.has_storage) {
            (Where::Outside, _) => &[Area::Shared, Area::Outside],
            (_, false) => &[Area::From, Area::From, Area::Shared, Area::To],
            (_, true) => &[Area::From, Area::Shared, Area::To, Area::Scratch],
        };
        self.choices.pick(areas)
    }

    fn place(&mut self) -> MemoryOperand {
        let area = self.area();
        let offset = self.choices.word() as u8;
        let index = self.choices.one_in(3).then(|| {
            let form = self.choices.word() as u8;
            let ty = if form & 1 == 0 { I64 } else { I32 };
            (self.operand(ty), self.choices.below(5) as u8, form)
        });
        MemoryOperand { area, offset, index }
    }

    fn load(&mut self) -> Step {
        let loads = |row: &(usize, &'static Row)| row.1.opcode.format() == InstructionFormat::Load;
        let fitting: Vec<(usize, &Row)> = rows().iter().enumerate().filter(loads).collect();
        let (row, kind) = self.choices.pick(&fitting);
        let place = self.place();
        // Slots are vectors.
        let is_slot = place.area == Area::Scratch;
        let vectors = |row: &&(usize, &'static Row)| row.1.opcode == Opcode::Load && row.1.ctrl.bytes() == 16;
        let whole: Vec<(usize, &Row)> = fitting.iter().filter(vectors).copied().collect();
        let (row, kind) = if is_slot && !whole.is_empty() { self.choices.pick(&whole) } else { (row, kind) };
        let id = kind.result.map_or(0, |ty| self.make(ty));
        Step::Load { id, row, place }
    }

    fn store(&mut self) -> Step {
        if self.choices.one_in(12) {
            return Step::StoreHigh { value: self.operand(F64X2), place: self.place() };
        }
        let stores = |row: &(usize, &'static Row)| row.1.opcode.format() == InstructionFormat::Store;
        let fitting: Vec<(usize, &Row)> = rows().iter().enumerate().filter(stores).collect();
        let (row, kind) = self.choices.pick(&fitting);
        let vector = self.choices.pick(&VECTORS);
        let ty = kind.args.first().copied().unwrap_or(vector);
        if ty.is_vector() || self.choices.one_in(2) {
            return Step::Store { row, value: self.operand(ty), place: self.place() };
        }
        self.store_of(vector, None).unwrap_or(Step::Store { row, value: self.operand(ty), place: self.place() })
    }

    /// The store of a vector.
    fn store_of(&mut self, ty: Type, id: Option<Id>) -> Option<Step> {
        let row = rows().iter().position(|row| row.opcode == Opcode::Store && row.ctrl == ty)?;
        let value = id.map_or_else(|| self.operand(ty), Operand::Value);
        Some(Step::Store { row, value, place: self.place() })
    }

    fn idiom(&mut self) -> Step {
        let flags = self.choices.word();
        let [first, second] = [flags & 1 != 0, flags & 2 != 0];
        let few = (flags >> 8) as u8;
        let vector = self.choices.pick(&[I8X16, I16X8, I32X4, I64X2]);
        let idiom = match self.choices.below(13) {
            0 => Idiom::Product { signed: first, high: second },
            1 => Idiom::Products,
            2 => Idiom::QuotientBy255,
            3 | 4 => Idiom::Extremum { greater: first, swapped: second },
            5 => Idiom::Complement { ty: self.choices.pick(&[I8X16, I32, I64, F32X4]), first },
            6 => Idiom::Selection { join: few, ty: vector },
            7 => Idiom::Least,
            12 => Idiom::Doubles { high: first },
            11 => {
                let [from, to] = [[I32, I64], [I8, I16]].map(|types| self.choices.pick(&types));
                Idiom::Narrow { from, to, shifted: first }
            }
            8 => Idiom::Joined { test: self.lane_test(), and: first, vectors: 1 + few % 4 },
            9 => {
                let ty = self.choices.pick(&[F32, F64, I32, I64]);
                Idiom::Late { ty, offset: self.choices.word() as u8, how: few }
            }
            _ => Idiom::Sum((0..2 + few % 3).map(|_| self.choices.pick(&VECTORS)).collect()),
        };
        let args = idiom.args().into_iter().map(|ty| self.operand(ty)).collect();
        let id = self.make(idiom.result());
        Step::Idiom { id, idiom, args }
    }

    fn lane_test(&mut self) -> LaneTest {
        let vector = self.choices.pick(&[I8X16, I16X8, I32X4, I64X2]);
        self.choices.pick(&[LaneTest::Any(vector), LaneTest::All(vector), LaneTest::Signs])
    }

    fn test(&mut self) -> Test {
        let ty = self.choices.pick(&INTEGERS);
        match self.choices.below(8) {
            0..=1 => Test::Value(ty),
            2..=4 => Test::Compare(self.choices.pick(IntCC::all()), ty),
            5 => Test::Bits(ty),
            _ => {
                let (test, and) = (self.lane_test(), self.choices.one_in(2));
                Test::Lanes { test, and, vectors: self.choices.pick(&[1, 1, 2, 4]) }
            }
        }
    }

    fn branch(&mut self) -> Step {
        let kind = self.kind();
        let condition = match kind {
            BranchKind::Plain(test) | BranchKind::SplitOnDivergence(test) => {
                test.args().into_iter().map(|ty| self.operand(ty)).collect()
            }
            BranchKind::Uniform(test) => test.args().into_iter().map(|ty| self.shared(ty)).collect(),
            BranchKind::Rare(_) => vec![self.operand(I32)],
            BranchKind::Masked { how: Comparison::Floats(_), .. } => vec![self.operand(F32X4), self.operand(F32X4)],
            BranchKind::Masked { how: Comparison::Ints(_), .. } => vec![self.operand(I32X4), self.operand(I32X4)],
        };
        let is_masked = matches!(kind, BranchKind::Masked { .. });
        let types: Vec<Type> = (0..self.choices.below(4))
            .map(|_| if is_masked { self.choices.pick(&VECTORS) } else { self.choices.pick(&TYPES) })
            .collect();
        let known = self.made.len();
        let place = self.place;
        if matches!(kind, BranchKind::Rare(_)) {
            self.place = Where::Cold;
        }
        let then = self.inner();
        let of_then: Vec<Operand> = types.iter().map(|&ty| self.operand(ty)).collect();
        self.made.truncate(known);
        self.place = place;
        let otherwise = if is_masked { Vec::new() } else { self.inner() };
        let of_other: Vec<Operand> = types.iter().map(|&ty| self.operand(ty)).collect();
        self.made.truncate(known);
        let merge = |((ty, then), otherwise)| Merge { id: self.make(ty), ty, then, otherwise };
        let results = types.into_iter().zip(of_then).zip(of_other).map(merge).collect();
        Step::If(If { kind, condition, then, otherwise, results })
    }

    fn kind(&mut self) -> BranchKind {
        let test = self.test();
        if self.place != Where::Body {
            return BranchKind::Plain(test);
        }
        match self.choices.below(10) {
            0 | 1 => BranchKind::Plain(test),
            2 | 3 => BranchKind::Uniform(test),
            4 if self.restarts => BranchKind::SplitOnDivergence(test),
            5 | 6 if self.restarts => BranchKind::Rare(self.choices.word() as u8),
            _ => {
                let ints = self.choices.pick(IntCC::all());
                let how = self.choices.pick(&[Comparison::Ints(ints), Comparison::Floats(FloatCC::LessThan)]);
                let tests = [MaskTest::Any, MaskTest::AnySign, MaskTest::NoneByLanes, MaskTest::NoneBySigns];
                BranchKind::Masked { how, test: self.choices.pick(&tests) }
            }
        }
    }

    fn repeat(&mut self) -> Step {
        let kind = match self.choices.below(4) {
            _ if self.place != Where::Body => RepeatKind::Plain,
            0 => RepeatKind::Plain,
            1 if self.restarts => RepeatKind::SplitOnDivergence,
            _ => RepeatKind::Uniform,
        };
        let count = if kind == RepeatKind::Uniform { self.shared(I32) } else { self.operand(I32) };
        let types: Vec<Type> = (0..1 + self.choices.below(3)).map(|_| self.choices.pick(&TYPES)).collect();
        let starts: Vec<Operand> = types.iter().map(|&ty| self.operand(ty)).collect();
        let known = self.made.len();
        let ids: Vec<Id> = types.iter().map(|&ty| self.make(ty)).collect();
        let body = self.inner();
        let nexts: Vec<Operand> = types.iter().map(|&ty| self.operand(ty)).collect();
        self.made.truncate(known);
        let carried = (0..types.len()).map(|n| {
            let (ty, last) = (types[n], self.make(types[n]));
            Carried { id: ids[n], ty, start: starts[n].clone(), next: nexts[n].clone(), last }
        });
        let carried = carried.collect();
        Step::Repeat(Repeat { kind, count, carried, body })
    }

    fn table(&mut self) -> Step {
        let number = self.operand(I32);
        let types: Vec<Type> = (0..self.choices.below(3)).map(|_| self.choices.pick(&TYPES)).collect();
        let known = self.made.len();
        let mut arms = Vec::new();
        let mut results: Vec<(Id, Type, Vec<Operand>)> = types.iter().map(|&ty| (0, ty, Vec::new())).collect();
        for _ in 0..2 + self.choices.below(5) {
            arms.push(self.inner());
            results.iter_mut().for_each(|(_, ty, operands)| operands.push(self.operand(*ty)));
            self.made.truncate(known);
        }
        results.iter_mut().for_each(|(id, ty, _)| *id = self.make(*ty));
        Step::Table { number, arms, results }
    }

    fn call(&mut self) -> Step {
        let number = self.choices.below(SIGNATURES.len());
        let (types, result) = SIGNATURES[number];
        let args = types.iter().map(|&ty| self.operand(ty)).collect();
        let id = result.map_or(0, |ty| self.make(ty));
        Step::Call { id, function: number as u8, args }
    }
}

/// Whether a row is an instruction that makes a value of values.
fn is_value(row: &Row) -> bool {
    !matches!(row.opcode.format(), InstructionFormat::Load | InstructionFormat::Store)
}
