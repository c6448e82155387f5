//! Doubles from what has as many lanes of half the size, and back. Half a vector of 256 bits has two doubles, for which
//! the processor's conversions look into the lower 64 bits of each half of one of 128.

use cranelift_codegen::ir::{InstructionData, Opcode, Value};
use regalloc2::VReg;

use super::*;

/// Lanes of 64 bits: the first and the third one, the second and the fourth one, both times in the lower half.
const FIRST_OF_HALVES: u8 = 0b1000;
const SECOND_OF_HALVES: u8 = 0b1101;
/// The first two lanes of 64 bits, each in the lower half of one of 128.
const TO_HALVES: u8 = 0b1101_1000;

impl Selector<'_> {
    /// Two singles as doubles.
    pub(super) fn promote(&mut self, operation: Operation, to: VReg) -> Option<()> {
        self.convert_words(operation, to, opcode::CVTPS2PD, |_, value| Some(value))
    }

    /// Two integers of 32 bits as doubles: of others there is no conversion.
    pub(super) fn doubles_of_integers(&mut self, operation: Operation, to: VReg) -> Option<()> {
        self.convert_words(operation, to, opcode::CVTDQ2PD, |selector, value| {
            let [words] = selector.made_by(value, Opcode::SwidenLow)?;
            Some(words)
        })
    }

    /// A conversion of the first two words of what `words` says.
    fn convert_words(
        &mut self,
        operation: Operation,
        to: VReg,
        convert: Machine,
        words: impl Fn(&Self, Value) -> Option<Value>,
    ) -> Option<()> {
        let [first, second] = self.argument(operation, 0);
        let [first, second] = [words(self, first)?, words(self, second)?];
        if !operation.is_wide() {
            let from = self.register(first);
            self.emit(convert, false, to, None, RegMem::Register(from), Immediate::None);
            return Some(());
        }
        let (from, order) = match [first, second].map(|value| self.second_half(value)) {
            [Some(first), Some(second)] => (self.both(first, second), SECOND_OF_HALVES),
            _ => (self.both(first, second), FIRST_OF_HALVES),
        };
        let words = self.new_vector();
        self.emit(opcode::PERMQ, true, words, None, RegMem::Register(from), Immediate::Byte(order));
        self.emit(convert, true, to, None, RegMem::Register(words), Immediate::None);
        Some(())
    }

    /// The vector whose upper half the lower half of a value is.
    fn second_half(&self, value: Value) -> Option<Value> {
        let (inst, _) = self.definition(self.root(value))?;
        let InstructionData::Shuffle { imm, args: [a, _], .. } = *self.data(inst) else { return None };
        let order = self.function.dfg.immediates[imm].as_slice();
        order[..8].iter().zip(8..).all(|(&byte, wanted)| byte == wanted).then(|| self.root(a))
    }

    /// Two doubles as singles, followed by zeros.
    pub(super) fn demote(&mut self, operation: Operation, to: VReg) -> Option<()> {
        let from = self.operand(operation, 0);
        if !operation.is_wide() {
            self.emit(opcode::CVTPD2PS, false, to, None, RegMem::Register(from), Immediate::None);
            return Some(());
        }
        // The upper 128 bits become zero.
        let all = self.new_vector();
        self.emit(opcode::CVTPD2PS, true, all, None, RegMem::Register(from), Immediate::None);
        self.emit(opcode::PERMQ, true, to, None, RegMem::Register(all), Immediate::Byte(TO_HALVES));
        Some(())
    }
}
