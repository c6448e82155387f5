//! The scalar unit: one method per operation.

use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::rsx::vertex::{CALL_DEPTH, RCC_MAX, RCC_MIN, ScalarVisitor, Source};

use super::alu::{Alu, UnitResult};
use super::registers::Cell;
use crate::lane::{Emit, F32x4};

impl<'l> ScalarVisitor for Alu<'l, '_, '_> {
    type Source = &'l Source;
    type Output = UnitResult;

    fn nop(&mut self) -> UnitResult {
        UnitResult::None
    }
    fn mov(&mut self, c: &Source) -> UnitResult {
        self.each(|this, i| this.read(c, i))
    }
    fn rcp(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| {
            let one = e.f(1.0);
            e.div(one, s)
        })
    }
    fn rcc(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| {
            let one = e.f(1.0);
            let r = e.div(one, s);
            let m = e.abs(r);
            let (low, high) = (e.f(RCC_MIN), e.f(RCC_MAX));
            let (small, large) = (e.lt(m, low), e.lt(high, m));
            let clamped = e.select(large, high, m);
            let clamped = e.select(small, low, clamped);
            let (bits, sign) = (e.bits(r), e.i(i32::MIN));
            let sign = e.iand(bits, sign);
            let clamped = e.bits(clamped);
            let bits = e.ior(clamped, sign);
            e.float_of_bits(bits)
        })
    }
    fn rsq(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| {
            let one = e.f(1.0);
            let root = e.sqrt(s);
            e.div(one, root)
        })
    }
    fn exp(&mut self, c: &Source) -> UnitResult {
        let s = self.read(c, 0);
        let floor = self.lower.e.floor(s);
        self.each(|this, i| {
            let e = &mut *this.lower.e;
            match i {
                0 => ops::exp2(e, floor),
                1 => e.sub(s, floor),
                2 => ops::exp2(e, s),
                _ => e.f(1.0),
            }
        })
    }
    fn log(&mut self, c: &Source) -> UnitResult {
        let s = self.read(c, 0);
        let e = &mut *self.lower.e;
        let m = e.abs(s);
        let l = ops::log2(e, m);
        let floor = e.floor(l);
        self.each(|this, i| {
            let e = &mut *this.lower.e;
            match i {
                0 => floor,
                1 => {
                    let power = ops::exp2(e, floor);
                    let quotient = e.div(m, power);
                    let (lowest, one) = (e.f(f32::NEG_INFINITY), e.f(1.0));
                    let is_lowest = e.feq(l, lowest);
                    e.select(is_lowest, one, quotient)
                }
                2 => l,
                _ => e.f(1.0),
            }
        })
    }
    fn lit(&mut self, c: &Source) -> UnitResult {
        self.each(|this, i| match i {
            1 => {
                let x = this.read(c, 0);
                let zero = this.lower.e.f(0.0);
                this.lower.e.max(x, zero)
            }
            2 => {
                let [x, y, w] = [0, 1, 3].map(|i| this.read(c, i));
                specular(this.lower.e, x, y, w)
            }
            _ => this.lower.e.f(1.0),
        })
    }
    fn lg2(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| ops::log2(e, s))
    }
    fn ex2(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| ops::exp2(e, s))
    }
    fn sin(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| ops::sin(e, s))
    }
    fn cos(&mut self, c: &Source) -> UnitResult {
        self.function(c, |e, s| ops::cos(e, s))
    }
    fn psh(&mut self) -> UnitResult {
        if usize::from(self.pushed) >= CALL_DEPTH {
            return UnitResult::None;
        }
        let register = self.instruction.address_register & 1;
        UnitResult::Push([0, 1, 2, 3].map(|c| self.lower.int(Cell::Address(register, c))))
    }
    fn pop(&mut self) -> UnitResult {
        match self.pushed.checked_sub(1) {
            Some(top) => UnitResult::Address([0, 1, 2, 3].map(|c| Some(self.lower.int(Cell::Pushed(top, c))))),
            None => UnitResult::None,
        }
    }
}

impl Alu<'_, '_, '_> {
    /// A function of component x.
    fn function(&mut self, c: &Source, function: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> UnitResult {
        let s = self.read(c, 0);
        let value = function(self.lower.e, s);
        self.same(value)
    }
}

/// Component z of LIT.
fn specular(e: &mut Emit<'_>, x: F32x4, y: F32x4, w: F32x4) -> F32x4 {
    let zero = e.f(0.0);
    let one = e.f(1.0);
    let m = e.max(y, zero);
    let exponent = e.clamp(w, -128.0, 128.0);
    let log = ops::log2(e, m);
    let product = e.mul(exponent, log);
    let power = ops::exp2(e, product);
    let is_zero = e.feq(exponent, zero);
    let power = e.select(is_zero, one, power);
    let positive = e.lt(zero, x);
    e.select(positive, power, zero)
}
