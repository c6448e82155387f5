//! Operations on all lanes of vectors.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I16X8, I32X4, I64X2};
use cranelift_codegen::ir::{InstructionData, Opcode, Value};
use regalloc2::VReg;

use super::*;

/// How `vroundps` rounds; 8 keeps it from reporting that it did.
const FLOOR: u8 = 9;
const CEIL: u8 = 10;
const TRUNC: u8 = 11;
const NEAREST: u8 = 8;

impl Selector<'_> {
    /// Makes a vector from vectors, or from a vector and an integer.
    pub(super) fn vector(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let ty = self.ty(self.result(operation.first));
        if ty.bits() != 128 {
            return None;
        }
        let (lanes, is_double) = (lane_index(ty), ty == F64X2);
        let round = if is_double { opcode::ROUNDPD } else { opcode::ROUNDPS };
        match self.data(operation.first).opcode() {
            Opcode::Vconst => self.constant_vector(operation, to),
            Opcode::Fadd => self.two(operation, to, opcode::packed(opcode::ADDP, is_double)),
            Opcode::Fsub => self.two(operation, to, opcode::packed(opcode::SUBP, is_double)),
            Opcode::Fmul => self.two(operation, to, opcode::packed(opcode::MULP, is_double)),
            Opcode::Fdiv => self.two(operation, to, opcode::packed(opcode::DIVP, is_double)),
            Opcode::Iadd => self.two(operation, to, opcode::PADD[lanes]),
            Opcode::Isub => self.two(operation, to, opcode::PSUB[lanes]),
            Opcode::Smin => self.two(operation, to, *opcode::PMINS.get(lanes)?),
            Opcode::Umin => self.two(operation, to, *opcode::PMINU.get(lanes)?),
            Opcode::Smax => self.two(operation, to, *opcode::PMAXS.get(lanes)?),
            Opcode::Umax => self.two(operation, to, *opcode::PMAXU.get(lanes)?),
            Opcode::UaddSat => self.two(operation, to, *opcode::PADDUS.get(lanes)?),
            Opcode::UsubSat => self.two(operation, to, *opcode::PSUBUS.get(lanes)?),
            Opcode::SaddSat => self.two(operation, to, *opcode::PADDS.get(lanes)?),
            Opcode::SsubSat => self.two(operation, to, *opcode::PSUBS.get(lanes)?),
            Opcode::AvgRound => self.two(operation, to, *opcode::PAVG.get(lanes)?),
            Opcode::Imul if ty == I16X8 => self.two(operation, to, opcode::PMULLW),
            Opcode::Imul if ty == I32X4 => self.two(operation, to, opcode::PMULLD),
            Opcode::Imul if ty == I64X2 => self.long_product(operation, to),
            Opcode::Band => self.and(operation, to),
            Opcode::Bor => self.two(operation, to, opcode::POR),
            Opcode::Bxor => self.two(operation, to, opcode::PXOR),
            Opcode::X86Pshufb => self.two(operation, to, opcode::PSHUFB),
            Opcode::Snarrow if self.argument_type(operation) == I16X8 => self.two(operation, to, opcode::PACKSSWB),
            Opcode::Snarrow if self.argument_type(operation) == I32X4 => self.two(operation, to, opcode::PACKSSDW),
            Opcode::Unarrow if self.argument_type(operation) == I16X8 => self.two(operation, to, opcode::PACKUSWB),
            Opcode::Unarrow if self.argument_type(operation) == I32X4 => self.two(operation, to, opcode::PACKUSDW),
            Opcode::Sqrt => self.one(operation, to, opcode::packed(opcode::SQRTP, is_double), Immediate::None),
            Opcode::Iabs => self.one(operation, to, *opcode::PABS.get(lanes)?, Immediate::None),
            Opcode::FcvtFromSint if ty == F32X4 && self.argument_type(operation) == I32X4 => {
                self.one(operation, to, opcode::CVTDQ2PS, Immediate::None)
            }
            Opcode::X86Cvtt2dq if ty == I32X4 && self.argument_type(operation) == F32X4 => {
                self.one(operation, to, opcode::CVTTPS2DQ, Immediate::None)
            }
            Opcode::Floor => self.one(operation, to, round, Immediate::Byte(FLOOR)),
            Opcode::Ceil => self.one(operation, to, round, Immediate::Byte(CEIL)),
            Opcode::Trunc => self.one(operation, to, round, Immediate::Byte(TRUNC)),
            Opcode::Nearest => self.one(operation, to, round, Immediate::Byte(NEAREST)),
            Opcode::Fma => self.fma(operation, to, is_double),
            Opcode::FvpromoteLow => self.promote(operation, to),
            Opcode::Fvdemote => self.demote(operation, to),
            Opcode::FcvtFromSint if ty == F64X2 => self.doubles_of_integers(operation, to),
            Opcode::Bnot => self.not(operation, to),
            Opcode::Fneg => self.sign(operation, to, opcode::XORP, 1 << 63),
            Opcode::Fabs => self.sign(operation, to, opcode::ANDP, !0 >> 1),
            Opcode::Ushr if self.dividend_by_255(operation.first).is_some() => self.divide_by_255(operation, to),
            Opcode::Ishl | Opcode::Ushr | Opcode::Sshr => self.shift(operation, to),
            Opcode::Fcmp => self.compare_floats(operation, to),
            Opcode::Icmp => self.compare_integers(operation, to),
            Opcode::Bitselect => self.bitselect(operation, to),
            Opcode::SwidenLow | Opcode::SwidenHigh | Opcode::UwidenLow | Opcode::UwidenHigh => {
                self.widen(operation, to)
            }
            Opcode::IaddPairwise => self.pairwise(operation, to),
            _ => None,
        }
    }

    fn argument_type(&self, operation: Operation) -> Type {
        self.ty(self.argument(operation, 0)[0])
    }

    /// The second operand of an operation, which may be in memory: a constant that would have to be loaded anyway is
    /// there, and so is what no register is left for.
    fn right_operand(&mut self, operation: Operation, index: usize) -> RegMem {
        let [first, second] = self.argument(operation, index).map(|value| self.root(value));
        match self.vector_constant(first) {
            Some(bytes) if first == second && self.cheap_constant(first).is_none() => {
                RegMem::Constant(self.constant(bytes))
            }
            _ => RegMem::Anywhere(self.operand(operation, index)),
        }
    }

    fn two(&mut self, operation: Operation, to: VReg, opcode: Machine) -> Option<()> {
        let a = self.operand(operation, 0);
        let b = self.right_operand(operation, 1);
        self.emit(opcode, operation.is_wide(), to, Some(a), b, Immediate::None);
        Some(())
    }

    fn one(&mut self, operation: Operation, to: VReg, opcode: Machine, immediate: Immediate) -> Option<()> {
        let a = self.right_operand(operation, 0);
        self.emit(opcode, operation.is_wide(), to, None, a, immediate);
        Some(())
    }

    fn fma(&mut self, operation: Operation, to: VReg, is_double: bool) -> Option<()> {
        let [a, b] = [0, 1].map(|index| self.operand(operation, index));
        let c = self.right_operand(operation, 2);
        self.change(opcode::FMADD213.with_w(is_double), operation.is_wide(), (to, a), Some(b), c);
        Some(())
    }

    /// An intersection, with the complement of an operand if it is made by a `bnot`.
    fn and(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let complements = [0, 1].map(|index| {
            let [first, second] = self.argument(operation, index).map(|value| self.made_by::<1>(value, Opcode::Bnot));
            Some([first?[0], second?[0]])
        });
        let (index, [first, second]) = match complements {
            [_, Some(complement)] => (0, complement),
            [Some(complement), None] => (1, complement),
            [None, None] => return self.two(operation, to, opcode::PAND),
        };
        let inverted = if operation.is_wide() { self.both(first, second) } else { self.register(first) };
        let other = self.right_operand(operation, index);
        self.emit(opcode::PANDN, operation.is_wide(), to, Some(inverted), other, Immediate::None);
        Some(())
    }

    fn not(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let a = self.operand(operation, 0);
        self.invert(operation.is_wide(), to, a);
        Some(())
    }

    /// All bits of a vector inverted.
    fn invert(&mut self, wide: bool, to: VReg, from: VReg) {
        let ones = self.new_vector();
        self.ones(ones);
        self.emit(opcode::PXOR, wide, to, Some(from), RegMem::Register(ones), Immediate::None);
    }

    /// An operation on the signs of floats. `mask` is for 64 bits, of which its upper half is for 32.
    fn sign(&mut self, operation: Operation, to: VReg, byte: u8, mask: u64) -> Option<()> {
        let (lane, is_double) = match self.ty(self.result(operation.first)) {
            F32X4 => ((mask >> 32) << 32 | mask >> 32, false),
            F64X2 => (mask, true),
            _ => return None,
        };
        let a = self.operand(operation, 0);
        let mut bytes = [0; 16];
        bytes.chunks_exact_mut(8).for_each(|half| half.copy_from_slice(&lane.to_le_bytes()));
        let mask = RegMem::Constant(self.constant(bytes));
        self.emit(opcode::packed(byte, is_double), operation.is_wide(), to, Some(a), mask, Immediate::None);
        Some(())
    }

    fn shift(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let ty = self.ty(self.result(operation.first));
        let lanes = lane_index(ty).checked_sub(1)?;
        let opcode = self.data(operation.first).opcode();
        let a = self.operand(operation, 0);
        let [count, other] = self.argument(operation, 1);
        if let Some(constant) = self.integer(count).filter(|_| self.integer(other) == self.integer(count)) {
            let count = constant as u8 & (ty.lane_bits() - 1) as u8;
            let extension = match opcode {
                Opcode::Ishl => 6,
                Opcode::Ushr => 2,
                _ if ty == I64X2 => return None,
                _ => 4,
            };
            self.shift_by(operation.is_wide(), (opcode::SHIFT_IMMEDIATE[lanes], extension), (to, a), count);
            return Some(());
        }
        let by = match opcode {
            Opcode::Ishl => opcode::PSLL[lanes],
            Opcode::Ushr => opcode::PSRL[lanes],
            _ => *opcode::PSRA.get(lanes)?,
        };
        if count != other {
            return None;
        }
        let (count, masked, moved) = (self.register(count), self.new_general(), self.new_vector());
        let mask = Immediate::Word(ty.lane_bits() as i32 - 1);
        self.change_by((opcode::ALU_IMMEDIATE, opcode::AND.immediate_extension()), (masked, count), mask);
        self.emit(opcode::MOVD_FROM, false, moved, None, RegMem::Register(masked), Immediate::None);
        self.emit(by, operation.is_wide(), to, Some(a), RegMem::Register(moved), Immediate::None);
        Some(())
    }

    /// p, if an instruction makes (p + (p >> 8) + 1) >> 8 of it, by an average: the quotient by 255 of 16-bit lanes.
    fn dividend_by_255(&self, shift: Inst) -> Option<Value> {
        let shifted = |inst: Inst, count: i64| {
            let arguments = self.function.dfg.inst_args(inst);
            let is_it = self.ty(self.result(inst)) == I16X8 && self.integer(arguments[1]) == Some(count);
            is_it.then(|| self.root(arguments[0]))
        };
        let [dividend, high] = self.made_by::<2>(shifted(shift, 7)?, Opcode::AvgRound)?;
        let (inst, opcode) = self.definition(high)?;
        (opcode == Opcode::Ushr && shifted(inst, 8) == Some(dividend)).then_some(dividend)
    }

    /// See [`Self::dividend_by_255`]: the upper half of min(p + 1, 65535) * 257, which is the same for all lanes.
    fn divide_by_255(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let first = self.dividend_by_255(operation.first)?;
        let (wide, dividend) = match operation.second {
            Some(second) => {
                let second = self.dividend_by_255(second)?;
                (true, self.both(first, second))
            }
            None => (false, self.register(first)),
        };
        let next = self.new_vector();
        let [one, factor] = [1, 257].map(|lane: u32| RegMem::Constant(self.words_constant(lane << 16 | lane)));
        self.emit(opcode::PADDUS[1], wide, next, Some(dividend), one, Immediate::None);
        self.emit(opcode::PMULHUW, wide, to, Some(next), factor, Immediate::None);
        Some(())
    }

    /// A shift of lanes by a constant, whose direction the extension of the opcode says.
    fn shift_by(&mut self, wide: bool, (opcode, extension): (Machine, u8), (to, from): (VReg, VReg), count: u8) {
        let operands = [Operand::reg_def(to), Operand::reg_use(from)];
        let inst = Encoded {
            opcode,
            wide,
            reg: Reg::Extension(extension),
            second: Some(0),
            rm: Rm::Register(1),
            immediate: Immediate::Byte(count),
        };
        self.push(InstKind::Encoded(inst), &operands);
    }

    fn compare_floats(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let InstructionData::FloatCompare { cond, .. } = *self.data(operation.first) else { return None };
        let is_double = match self.argument_type(operation) {
            F32X4 => false,
            F64X2 => true,
            _ => return None,
        };
        let predicate = match cond {
            FloatCC::Equal => 0,
            FloatCC::LessThan => 1,
            FloatCC::LessThanOrEqual => 2,
            FloatCC::Unordered => 3,
            FloatCC::NotEqual => 4,
            FloatCC::UnorderedOrGreaterThanOrEqual => 5,
            FloatCC::UnorderedOrGreaterThan => 6,
            FloatCC::Ordered => 7,
            FloatCC::UnorderedOrLessThan => 9,
            FloatCC::UnorderedOrLessThanOrEqual => 10,
            FloatCC::GreaterThanOrEqual => 13,
            FloatCC::GreaterThan => 14,
            // Cranelift has no code for these.
            FloatCC::UnorderedOrEqual | FloatCC::OrderedNotEqual => return None,
        };
        let a = self.operand(operation, 0);
        let b = self.right_operand(operation, 1);
        let compare = opcode::packed(opcode::CMPP, is_double);
        self.emit(compare, operation.is_wide(), to, Some(a), b, Immediate::Byte(predicate));
        Some(())
    }

    fn compare_integers(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let InstructionData::IntCompare { cond, .. } = *self.data(operation.first) else { return None };
        let (wide, lanes) = (operation.is_wide(), lane_index(self.argument_type(operation)));
        let [a, b] = [0, 1].map(|index| self.operand(operation, index));
        let (equal, greater) = (opcode::PCMPEQ[lanes], opcode::PCMPGT[lanes]);
        let two = |selector: &mut Self, opcode, to, a, b| {
            selector.emit(opcode, wide, to, Some(a), RegMem::Anywhere(b), Immediate::None);
        };
        // What is not there is the inverse of another one, or the equality of an operand with the lesser or greater.
        let between = self.new_vector();
        match cond {
            IntCC::Equal => two(self, equal, to, a, b),
            IntCC::SignedGreaterThan => two(self, greater, to, a, b),
            IntCC::SignedLessThan => two(self, greater, to, b, a),
            IntCC::NotEqual => two(self, equal, between, a, b),
            IntCC::SignedGreaterThanOrEqual => two(self, greater, between, b, a),
            IntCC::SignedLessThanOrEqual => two(self, greater, between, a, b),
            IntCC::UnsignedGreaterThanOrEqual | IntCC::UnsignedLessThan => {
                two(self, *opcode::PMAXU.get(lanes)?, between, a, b);
            }
            IntCC::UnsignedLessThanOrEqual | IntCC::UnsignedGreaterThan => {
                two(self, *opcode::PMINU.get(lanes)?, between, a, b);
            }
        }
        match cond {
            IntCC::Equal | IntCC::SignedGreaterThan | IntCC::SignedLessThan => {}
            IntCC::NotEqual | IntCC::SignedGreaterThanOrEqual | IntCC::SignedLessThanOrEqual => {
                self.invert(wide, to, between);
            }
            IntCC::UnsignedGreaterThanOrEqual | IntCC::UnsignedLessThanOrEqual => two(self, equal, to, between, a),
            IntCC::UnsignedLessThan | IntCC::UnsignedGreaterThan => {
                let inverse = self.new_vector();
                two(self, equal, inverse, between, a);
                self.invert(wide, to, inverse);
            }
        }
        Some(())
    }

    fn bitselect(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let wide = operation.is_wide();
        if let Some((opcode, indices)) = self.float_extremum(operation.first)
            && operation.second.is_none_or(|second| self.float_extremum(second) == Some((opcode, indices)))
        {
            let a = self.operand(operation, indices[0]);
            let b = self.right_operand(operation, indices[1]);
            self.emit(opcode, wide, to, Some(a), b, Immediate::None);
            return Some(());
        }
        let [mask, yes, no] = [0, 1, 2].map(|index| self.operand(operation, index));
        let masks = self.argument(operation, 0);
        if masks.into_iter().all(|mask| self.is_mask(mask, MASK_DEPTH)) {
            let [to, no, mask] = [Operand::reg_def(to), Operand::reg_use(no), Operand::reg_use(mask)];
            let operands = [to, no, Operand::any_use(yes), mask];
            let inst = Encoded {
                opcode: opcode::BLENDVPS,
                wide,
                reg: Reg::Operand(0),
                second: Some(1),
                rm: Rm::Anywhere(2),
                immediate: Immediate::Register(3),
            };
            self.push(InstKind::Encoded(inst), &operands);
            return Some(());
        }
        let (with, without) = (self.new_vector(), self.new_vector());
        self.emit(opcode::PAND, wide, with, Some(mask), RegMem::Anywhere(yes), Immediate::None);
        self.emit(opcode::PANDN, wide, without, Some(mask), RegMem::Anywhere(no), Immediate::None);
        self.emit(opcode::POR, wide, to, Some(with), RegMem::Register(without), Immediate::None);
        Some(())
    }

    /// A selection of the lesser or greater float, as an instruction and which arguments it takes: `MINPS a, b` is
    /// a < b ? a : b, with NaNs and zeros of either sign, too.
    fn float_extremum(&self, select: Inst) -> Option<(Machine, [usize; 2])> {
        let arguments = self.function.dfg.inst_args(select);
        let [mask, yes, no] = [0, 1, 2].map(|index| self.root(arguments[index]));
        let (compare, _) = self.definition(mask)?;
        let InstructionData::FloatCompare { cond, args, .. } = *self.data(compare) else { return None };
        let [a, b] = args.map(|value| self.root(value));
        if self.ty(args[0]) != F32X4 {
            return None;
        }
        let (minimum, maximum) = (opcode::packed(opcode::MINP, false), opcode::packed(opcode::MAXP, false));
        match cond {
            FloatCC::LessThan if [a, b] == [yes, no] => Some((minimum, [1, 2])),
            FloatCC::LessThan if [b, a] == [yes, no] => Some((maximum, [1, 2])),
            FloatCC::GreaterThan if [a, b] == [yes, no] => Some((maximum, [1, 2])),
            FloatCC::GreaterThan if [b, a] == [yes, no] => Some((minimum, [1, 2])),
            _ => None,
        }
    }

    /// Whether all bits of each 32-bit lane of a value are equal: it comes from comparisons.
    fn is_mask(&self, value: Value, depth: usize) -> bool {
        let value = self.root(value);
        let Some((inst, opcode)) = self.definition(value) else { return false };
        let arguments = self.function.dfg.inst_args(inst);
        match opcode {
            Opcode::Fcmp | Opcode::Icmp => self.ty(arguments[0]).lane_bits() >= 32,
            Opcode::Band | Opcode::Bor | Opcode::Bxor | Opcode::Bnot if depth > 0 => {
                arguments.iter().all(|&argument| self.is_mask(argument, depth - 1))
            }
            Opcode::Vconst => self.cheap_constant(value).is_some(),
            _ => false,
        }
    }

    fn widen(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let from = self.argument_type(operation);
        let lanes = lane_index(from);
        let opcode = self.data(operation.first).opcode();
        let is_high = matches!(opcode, Opcode::SwidenHigh | Opcode::UwidenHigh);
        let unpack = if is_high { opcode::PUNPCKH[lanes] } else { opcode::PUNPCKL[lanes] };
        let (wide, a) = (operation.is_wide(), self.operand(operation, 0));
        if matches!(opcode, Opcode::UwidenLow | Opcode::UwidenHigh) {
            let zero = self.new_vector();
            self.zero(zero);
            self.emit(unpack, wide, to, Some(a), RegMem::Register(zero), Immediate::None);
            return Some(());
        }
        // The lanes go to the upper halves of those twice as large, and are shifted down with their signs.
        let shift = *opcode::SHIFT_IMMEDIATE.get(lanes)?;
        if lanes == 2 {
            return None;
        }
        let twice = self.new_vector();
        self.emit(unpack, wide, twice, Some(a), RegMem::Register(a), Immediate::None);
        self.shift_by(wide, (shift, 4), (to, twice), from.lane_bits() as u8);
        Some(())
    }

    /// Sums of neighbours. Those of products of widened lanes are one instruction.
    fn pairwise(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let products = [Some(operation.first), operation.second].map(|inst| inst.map(|inst| self.products(inst)));
        if let [Some(Some([a, b])), second] = products {
            let [c, d] = match second {
                Some(second) => second?,
                None => [a, b],
            };
            let wide = operation.is_wide();
            let [a, b] = [(a, c), (b, d)]
                .map(|(first, second)| if wide { self.both(first, second) } else { self.register(first) });
            self.emit(opcode::PMADDWD, wide, to, Some(a), RegMem::Register(b), Immediate::None);
            return Some(());
        }
        match self.ty(self.result(operation.first)) {
            I16X8 => self.two(operation, to, opcode::PHADDW),
            I32X4 => self.two(operation, to, opcode::PHADDD),
            _ => None,
        }
    }

    /// The two vectors whose signed lanes of 16 bits are multiplied to what an instruction adds.
    fn products(&self, sum: Inst) -> Option<[Value; 2]> {
        let arguments = self.function.dfg.inst_args(sum);
        let [low, high] = [arguments[0], arguments[1]].map(|value| self.made_by::<2>(value, Opcode::Imul));
        let of = |values: Option<[Value; 2]>, opcode| {
            let widened = values?.map(|value| self.made_by::<1>(value, opcode).filter(|_| self.ty(value) == I32X4));
            let [a, b] = widened;
            Some([a?[0], b?[0]])
        };
        let [low, high] = [of(low, Opcode::SwidenLow)?, of(high, Opcode::SwidenHigh)?];
        (low == high).then_some(low)
    }

    /// Products of 64 bits, of lanes of 32 that were widened: other ones are not supported.
    fn long_product(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let arguments = [0, 1].map(|index| self.argument(operation, index));
        let (_, opcode) = self.definition(arguments[0][0])?;
        let (unpack, product) = match opcode {
            Opcode::UwidenLow => (opcode::PUNPCKL[2], opcode::PMULUDQ),
            Opcode::UwidenHigh => (opcode::PUNPCKH[2], opcode::PMULUDQ),
            Opcode::SwidenLow => (opcode::PUNPCKL[2], opcode::PMULDQ),
            Opcode::SwidenHigh => (opcode::PUNPCKH[2], opcode::PMULDQ),
            _ => return None,
        };
        let wide = operation.is_wide();
        let mut apart = Vec::new();
        for [first, second] in arguments {
            let [[first], [second]] = [self.made_by(first, opcode)?, self.made_by(second, opcode)?];
            let lanes = if wide { self.both(first, second) } else { self.register(first) };
            let widened = self.new_vector();
            self.emit(unpack, wide, widened, Some(lanes), RegMem::Register(lanes), Immediate::None);
            apart.push(widened);
        }
        self.emit(product, wide, to, Some(apart[0]), RegMem::Register(apart[1]), Immediate::None);
        Some(())
    }

    fn constant_vector(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let bytes = self.vector_constant(self.result(operation.first))?;
        let constant = self.constant(bytes);
        self.emit(opcode::MOVUPS_LOAD, false, to, None, RegMem::Constant(constant), Immediate::None);
        Some(())
    }
}

/// How many operations on masks are looked through.
const MASK_DEPTH: usize = 4;
