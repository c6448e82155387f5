//! Logic operations on stored bits.

use triglyph_guest::kernel::pixel::LogicOp;

use super::*;

impl Emit<'_> {
    /// The operation on source `s` and destination `d`, vectors of one type; `ones` has the bits that there are.
    pub fn logic_op(&mut self, op: LogicOp, s: Value, d: Value, ones: Value) -> Value {
        match op {
            LogicOp::Clear => self.b.ins().bxor(ones, ones),
            LogicOp::Set => ones,
            LogicOp::Copy => s,
            LogicOp::NoOp => d,
            LogicOp::CopyInverted => self.b.ins().bxor(s, ones),
            LogicOp::Invert => self.b.ins().bxor(d, ones),
            LogicOp::And => self.b.ins().band(s, d),
            LogicOp::AndReverse => self.b.ins().band_not(s, d),
            LogicOp::AndInverted => self.b.ins().band_not(d, s),
            LogicOp::Or => self.b.ins().bor(s, d),
            LogicOp::Xor => self.b.ins().bxor(s, d),
            LogicOp::Nand => {
                let and = self.b.ins().band(s, d);
                self.b.ins().bxor(and, ones)
            }
            LogicOp::Nor => {
                let or = self.b.ins().bor(s, d);
                self.b.ins().bxor(or, ones)
            }
            LogicOp::Equivalent => {
                let xor = self.b.ins().bxor(s, d);
                self.b.ins().bxor(xor, ones)
            }
            LogicOp::OrReverse => {
                let inverse = self.b.ins().bxor(d, ones);
                self.b.ins().bor(s, inverse)
            }
            LogicOp::OrInverted => {
                let inverse = self.b.ins().bxor(s, ones);
                self.b.ins().bor(inverse, d)
            }
        }
    }
}
