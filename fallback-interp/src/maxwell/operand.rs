//! Operands of instructions, read by a lane.

use triglyph_guest::tegra::shader::isa::{Constant, Inv, Neg, Operand, Reg, Src};

use super::context::Context;
use super::lane::Lane;

impl Lane {
    /// A source of 32 bits.
    #[inline]
    pub fn operand(&self, operand: Operand, context: &Context<'_>) -> u32 {
        match operand {
            Operand::Reg(reg) => self.read(reg),
            Operand::Constant(constant) => context.constant(constant),
            Operand::Immediate(value) => value,
        }
    }

    /// A source of 64 bits; an immediate is the upper word, and so is a constant at an odd one.
    pub fn wide_operand(&self, operand: Operand, context: &Context<'_>) -> u64 {
        match operand {
            Operand::Reg(reg) => self.read_pair(reg),
            Operand::Constant(constant) if constant.offset & 4 != 0 => u64::from(context.constant(constant)) << 32,
            Operand::Constant(constant) => {
                let high = context.constant(Constant { offset: constant.offset | 4, ..constant });
                u64::from(context.constant(constant)) | u64::from(high) << 32
            }
            Operand::Immediate(value) => u64::from(value) << 32,
        }
    }

    /// An f32 register with its signs.
    pub fn float_reg(&self, source: Src<Reg>) -> f32 {
        signs(self.read(source.value), source.neg, source.abs)
    }

    /// An f32 source with its signs.
    pub fn float(&self, source: Src<Operand>, context: &Context<'_>) -> f32 {
        signs(self.operand(source.value, context), source.neg, source.abs)
    }

    /// An f64 register with its signs.
    pub fn double_reg(&self, source: Src<Reg>) -> f64 {
        wide_signs(self.read_pair(source.value), source.neg, source.abs)
    }

    /// An f64 source with its signs.
    pub fn double(&self, source: Src<Operand>, context: &Context<'_>) -> f64 {
        wide_signs(self.wide_operand(source.value, context), source.neg, source.abs)
    }

    /// An f32 addend.
    pub fn float_addend(&self, source: Neg<Operand>, context: &Context<'_>) -> f32 {
        signs(self.operand(source.value, context), source.neg, false)
    }

    /// A source whose bits may be inverted.
    pub fn logic(&self, source: Inv<Operand>, context: &Context<'_>) -> u32 {
        let value = self.operand(source.value, context);
        if source.invert { !value } else { value }
    }
}

fn signs(bits: u32, neg: bool, abs: bool) -> f32 {
    let bits = if abs { bits & 0x7FFF_FFFF } else { bits };
    f32::from_bits(bits ^ u32::from(neg) << 31)
}

fn wide_signs(bits: u64, neg: bool, abs: bool) -> f64 {
    let bits = if abs { bits & (u64::MAX >> 1) } else { bits };
    f64::from_bits(bits ^ u64::from(neg) << 63)
}
