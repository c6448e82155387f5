//! Conditions: comparisons of integers, and tests of all lanes of a vector.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstructionData, Opcode, Value};

use super::*;
use crate::wide::opcode::Condition;

/// A test of all lanes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneTest {
    /// Any bit is set.
    Any,
    /// Each lane has a set bit.
    All,
    /// The highest bit of each 32-bit lane is set.
    Signs,
}

impl Selector<'_> {
    /// Sets the flags by a value; the condition returned holds if it is not zero. Nothing but moves may come between
    /// this and what asks for the condition.
    pub(super) fn condition(&mut self, value: Value) -> Option<Condition> {
        if let Some(condition) = self.lane_test(value) {
            return Some(condition);
        }
        let (ty, root) = (self.ty(value), self.root(value));
        if let Some((inst, Opcode::Icmp)) = self.definition(root) {
            return self.compare(inst);
        }
        if let Some([masked, mask]) = self.made_by(root, Opcode::Band)
            && let Some(mask) = self.immediate(mask, ty)
            && (ty == I32 || ty == I64)
        {
            let masked = self.register(masked);
            self.read_immediate((opcode::UNARY, 0), masked, mask, ty);
            return Some(Condition::NotEqual);
        }
        let register = self.register(root);
        let test = match ty {
            I8 => opcode::TEST_BYTE,
            I16 => {
                let extended = self.new_general();
                self.emit(opcode::MOVZX_16, false, extended, None, RegMem::Register(register), Immediate::None);
                self.emit_read(opcode::TEST, false, extended, RegMem::Register(extended), Immediate::None);
                return Some(Condition::NotEqual);
            }
            _ => opcode::TEST.with_w(is_64(ty)),
        };
        self.emit_read(test, false, register, RegMem::Register(register), Immediate::None);
        Some(Condition::NotEqual)
    }

    /// As [`Self::condition`], for lane tests.
    fn lane_test(&mut self, value: Value) -> Option<Condition> {
        if let Some((test, vector)) = self.test_of(value) {
            let vector_register = self.register(vector);
            return Some(self.emit_test(test, self.ty(vector), false, vector_register));
        }
        // The same test of several iterations.
        let (_, opcode) = self.definition(value)?;
        let tests = self.all_tests(value, opcode)?;
        let (test, vector) = *tests.first()?;
        let ty = self.ty(vector);
        let answers_all = match test {
            LaneTest::Any => opcode == Opcode::Bor,
            LaneTest::All | LaneTest::Signs => opcode == Opcode::Band,
        };
        let is_same = tests.iter().all(|&(other, vector)| other == test && self.ty(vector) == ty);
        // Lanes of which each has some bit need not have the same one.
        let is_joined = tests.len() == 2 || test != LaneTest::All;
        if !is_same || !answers_all || tests.len() % 2 != 0 || !is_joined {
            return None;
        }
        let pairs: Vec<VReg> = tests.chunks_exact(2).map(|pair| self.both(pair[0].1, pair[1].1)).collect();
        let join = if test == LaneTest::Any { opcode::POR } else { opcode::PAND };
        let joined = pairs.into_iter().reduce(|a, b| {
            let joined = self.new_vector();
            self.emit(join, true, joined, Some(a), RegMem::Register(b), Immediate::None);
            joined
        })?;
        Some(self.emit_test(test, ty, true, joined))
    }

    /// The tests whose results `opcode` combines to a value.
    fn all_tests(&self, value: Value, opcode: Opcode) -> Option<Vec<(LaneTest, Value)>> {
        if let Some(tests) = self.test_of(value) {
            return Some(vec![tests]);
        }
        let (inst, found) = self.definition(value)?;
        if found != opcode || !matches!(opcode, Opcode::Bor | Opcode::Band) {
            return None;
        }
        let arguments = self.function.dfg.inst_args(inst);
        let mut all = self.all_tests(arguments[0], opcode)?;
        all.extend(self.all_tests(arguments[1], opcode)?);
        Some(all)
    }

    /// The test that computes a value, maybe by a comparison with zero, and its vector.
    fn test_of(&self, value: Value) -> Option<(LaneTest, Value)> {
        let (inst, opcode) = self.definition(value)?;
        let arguments = self.function.dfg.inst_args(inst);
        match opcode {
            Opcode::VanyTrue => Some((LaneTest::Any, arguments[0])),
            Opcode::VallTrue => Some((LaneTest::All, arguments[0])),
            Opcode::Icmp => {
                let InstructionData::IntCompare { cond, args: [a, b], .. } = *self.data(inst) else { return None };
                match (cond, self.integer(b)?) {
                    (IntCC::NotEqual, 0) => self.test_of(a),
                    (IntCC::Equal, 0b1111) => {
                        let (inst, _) = self.definition(a).filter(|&(_, opcode)| opcode == Opcode::VhighBits)?;
                        let vector = self.function.dfg.inst_args(inst)[0];
                        (self.ty(vector).lane_bits() == 32).then_some((LaneTest::Signs, vector))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Sets the flags by a test.
    fn emit_test(&mut self, test: LaneTest, ty: Type, wide: bool, vector: VReg) -> Condition {
        if test == LaneTest::Signs {
            let signs = self.new_general();
            self.emit(opcode::MOVMSKPS, wide, signs, None, RegMem::Register(vector), Immediate::None);
            self.compare_with(signs, if wide { 0xFF } else { 0b1111 });
            return Condition::Equal;
        }
        let (tested, condition) = match test {
            LaneTest::Any | LaneTest::Signs => (vector, Condition::NotEqual),
            LaneTest::All => {
                let [zero, cleared] = [self.new_vector(), self.new_vector()];
                self.zero(zero);
                let equal = opcode::PCMPEQ[lane_index(ty)];
                self.emit(equal, wide, cleared, Some(vector), RegMem::Register(zero), Immediate::None);
                (cleared, Condition::Equal)
            }
        };
        self.emit_read(opcode::PTEST, wide, tested, RegMem::Register(tested), Immediate::None);
        condition
    }

    /// Sets the flags by a comparison of integers.
    fn compare(&mut self, inst: Inst) -> Option<Condition> {
        let InstructionData::IntCompare { cond, args: [a, b], .. } = *self.data(inst) else { return None };
        let ty = self.ty(a);
        if ty.is_vector() {
            return None;
        }
        let is_zero = self.integer(b) == Some(0);
        if is_zero && ty == I8 && matches!(cond, IntCC::NotEqual | IntCC::Equal) {
            let condition = self.condition(a)?;
            return Some(if cond == IntCC::Equal { condition.inverse() } else { condition });
        }
        let is_signed = cond != cond.unsigned();
        let [a, b] = match ty {
            I8 | I16 => [a, b].map(|value| self.extended(value, ty, is_signed)),
            _ if is_zero && matches!(cond, IntCC::NotEqual | IntCC::Equal) => {
                let a = self.register(a);
                self.emit_read(opcode::TEST.with_w(is_64(ty)), false, a, RegMem::Register(a), Immediate::None);
                return Some(condition_of(cond));
            }
            _ => {
                if let Some(immediate) = self.immediate(b, ty) {
                    let a = self.register(a);
                    let compare = (opcode::ALU_IMMEDIATE, opcode::CMP.immediate_extension());
                    self.read_immediate(compare, a, immediate, ty);
                    return Some(condition_of(cond));
                }
                [a, b].map(|value| self.register(value))
            }
        };
        self.emit_read(opcode::CMP.with_w(is_64(ty)), false, a, RegMem::Register(b), Immediate::None);
        Some(condition_of(cond))
    }

    /// Sets the flags by a comparison of an integer of 32 bits with a constant.
    pub(super) fn compare_with(&mut self, register: VReg, constant: i32) {
        let compare = (opcode::ALU_IMMEDIATE, opcode::CMP.immediate_extension());
        self.read_immediate(compare, register, constant, I32);
    }

    /// Sets the flags by a register and an immediate; the extension of the opcode says how.
    fn read_immediate(&mut self, (opcode, extension): (Machine, u8), register: VReg, immediate: i32, ty: Type) {
        let inst = Encoded {
            opcode: opcode.with_w(is_64(ty)),
            wide: false,
            reg: Reg::Extension(extension),
            second: None,
            rm: Rm::Register(0),
            immediate: Immediate::Word(immediate),
        };
        self.push(InstKind::Encoded(inst), &[Operand::reg_use(register)]);
    }

    /// An integer of 8 or 16 bits as one of 32.
    fn extended(&mut self, value: Value, ty: Type, is_signed: bool) -> VReg {
        let opcode = match (ty == I8, is_signed) {
            (true, true) => opcode::MOVSX_8,
            (true, false) => opcode::MOVZX_8,
            (false, true) => opcode::MOVSX_16,
            (false, false) => opcode::MOVZX_16,
        };
        let (from, to) = (self.register(value), self.new_general());
        self.emit(opcode, false, to, None, RegMem::Register(from), Immediate::None);
        to
    }
}

fn condition_of(condition: IntCC) -> Condition {
    match condition {
        IntCC::Equal => Condition::Equal,
        IntCC::NotEqual => Condition::NotEqual,
        IntCC::SignedLessThan => Condition::Less,
        IntCC::SignedGreaterThanOrEqual => Condition::GreaterOrEqual,
        IntCC::SignedGreaterThan => Condition::Greater,
        IntCC::SignedLessThanOrEqual => Condition::LessOrEqual,
        IntCC::UnsignedLessThan => Condition::Below,
        IntCC::UnsignedGreaterThanOrEqual => Condition::AboveOrEqual,
        IntCC::UnsignedGreaterThan => Condition::Above,
        IntCC::UnsignedLessThanOrEqual => Condition::BelowOrEqual,
    }
}
