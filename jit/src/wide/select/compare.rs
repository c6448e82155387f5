//! Conditions: comparisons of integers, and questions about all lanes of a vector.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstructionData, Opcode, Value};

use super::*;
use crate::wide::machine::Condition;

/// A question about all lanes of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether any bit is set.
    Any,
    /// Whether each lane has a bit that is set.
    All,
    /// Whether the highest bit of each lane of 32 bits is set.
    Signs,
}

impl Selector<'_> {
    /// Sets the flags by a value; the condition returned holds if it is not zero. Nothing but moves may come between
    /// this and what asks for the condition.
    pub(super) fn condition(&mut self, value: Value) -> Option<Condition> {
        if let Some(condition) = self.question(value) {
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
                self.emit(opcode::MOVZX_16, false, extended, None, Right::Register(register), Immediate::None);
                self.emit_read(opcode::TEST, false, extended, Right::Register(extended), Immediate::None);
                return Some(Condition::NotEqual);
            }
            _ => opcode::TEST.with_w(is_64(ty)),
        };
        self.emit_read(test, false, register, Right::Register(register), Immediate::None);
        Some(Condition::NotEqual)
    }

    /// As [`Self::condition`], of what asks about vectors.
    fn question(&mut self, value: Value) -> Option<Condition> {
        if let Some((question, vector)) = self.asked(value) {
            let vector_register = self.register(vector);
            return Some(self.ask(question, self.ty(vector), false, vector_register));
        }
        // Of all iterations.
        let (_, opcode) = self.definition(value)?;
        let asked = self.all_asked(value, opcode)?;
        let (question, vector) = *asked.first()?;
        let ty = self.ty(vector);
        let answers_all = match question {
            Question::Any => opcode == Opcode::Bor,
            Question::All | Question::Signs => opcode == Opcode::Band,
        };
        let is_same = asked.iter().all(|&(other, vector)| other == question && self.ty(vector) == ty);
        // Lanes of which each has some bit need not have the same one.
        let is_joined = asked.len() == 2 || question != Question::All;
        if !is_same || !answers_all || asked.len() % 2 != 0 || !is_joined {
            return None;
        }
        let pairs: Vec<VReg> = asked.chunks_exact(2).map(|pair| self.both(pair[0].1, pair[1].1)).collect();
        let join = if question == Question::Any { opcode::POR } else { opcode::PAND };
        let joined = pairs.into_iter().reduce(|a, b| {
            let joined = self.new_vector();
            self.emit(join, true, joined, Some(a), Right::Register(b), Immediate::None);
            joined
        })?;
        Some(self.ask(question, ty, true, joined))
    }

    /// What is asked by the values that `opcode` joins to one.
    fn all_asked(&self, value: Value, opcode: Opcode) -> Option<Vec<(Question, Value)>> {
        if let Some(asked) = self.asked(value) {
            return Some(vec![asked]);
        }
        let (inst, found) = self.definition(value)?;
        if found != opcode || !matches!(opcode, Opcode::Bor | Opcode::Band) {
            return None;
        }
        let arguments = self.function.dfg.inst_args(inst);
        let mut all = self.all_asked(arguments[0], opcode)?;
        all.extend(self.all_asked(arguments[1], opcode)?);
        Some(all)
    }

    /// What a value asks about which vector, maybe by a comparison with zero.
    fn asked(&self, value: Value) -> Option<(Question, Value)> {
        let (inst, opcode) = self.definition(value)?;
        let arguments = self.function.dfg.inst_args(inst);
        match opcode {
            Opcode::VanyTrue => Some((Question::Any, arguments[0])),
            Opcode::VallTrue => Some((Question::All, arguments[0])),
            Opcode::Icmp => {
                let InstructionData::IntCompare { cond, args: [a, b], .. } = *self.data(inst) else { return None };
                match (cond, self.integer(b)?) {
                    (IntCC::NotEqual, 0) => self.asked(a),
                    (IntCC::Equal, 0b1111) => {
                        let (inst, _) = self.definition(a).filter(|&(_, opcode)| opcode == Opcode::VhighBits)?;
                        let vector = self.function.dfg.inst_args(inst)[0];
                        (self.ty(vector).lane_bits() == 32).then_some((Question::Signs, vector))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn ask(&mut self, question: Question, ty: Type, wide: bool, vector: VReg) -> Condition {
        if question == Question::Signs {
            let signs = self.new_general();
            self.emit(opcode::MOVMSKPS, wide, signs, None, Right::Register(vector), Immediate::None);
            self.compare_with(signs, if wide { 0xFF } else { 0b1111 });
            return Condition::Equal;
        }
        let (tested, condition) = match question {
            Question::Any | Question::Signs => (vector, Condition::NotEqual),
            Question::All => {
                let [zero, cleared] = [self.new_vector(), self.new_vector()];
                self.zero(zero);
                let equal = opcode::PCMPEQ[lane_index(ty)];
                self.emit(equal, wide, cleared, Some(vector), Right::Register(zero), Immediate::None);
                (cleared, Condition::Equal)
            }
        };
        self.emit_read(opcode::PTEST, wide, tested, Right::Register(tested), Immediate::None);
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
                self.emit_read(opcode::TEST.with_w(is_64(ty)), false, a, Right::Register(a), Immediate::None);
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
        self.emit_read(opcode::CMP.with_w(is_64(ty)), false, a, Right::Register(b), Immediate::None);
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
        self.push(Kind::Encoded(inst), &[Operand::reg_use(register)]);
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
        self.emit(opcode, false, to, None, Right::Register(from), Immediate::None);
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
