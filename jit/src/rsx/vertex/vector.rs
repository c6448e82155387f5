//! The vector unit: one method per operation.

use std::mem::size_of;

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::vertex::{Source, VectorVisitor};

use super::alu::{Alu, UnitResult};
use super::registers::Cell;
use crate::lane::{Emit, F32x4, Mask};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::pixel::sample::programs::{LodSource, Lookup, TextureUnit, sample};
use crate::rsx::vertex_kernel::args::{INDICES, VertexArgs};

impl<'l> VectorVisitor for Alu<'l, '_, '_> {
    type Source = &'l Source;
    type Output = UnitResult;

    fn nop(&mut self) -> UnitResult {
        UnitResult::None
    }
    fn mov(&mut self, a: &Source) -> UnitResult {
        self.each(|this, c| this.read(a, c))
    }
    fn mul(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.each(|this, c| this.product(a, b, c))
    }
    fn add(&mut self, a: &Source, c: &Source) -> UnitResult {
        self.each(|this, i| {
            if a.negate && !c.negate {
                let c = this.read(c, i);
                return this.plus(c, a, i);
            }
            let a = this.read(a, i);
            this.plus(a, c, i)
        })
    }
    fn mad(&mut self, a: &Source, b: &Source, c: &Source) -> UnitResult {
        self.each(|this, i| {
            let product = this.product(a, b, i);
            this.plus(product, c, i)
        })
    }
    fn dp3(&mut self, a: &Source, b: &Source) -> UnitResult {
        let dot = self.dot(a, b, 3);
        self.same(dot)
    }
    fn dph(&mut self, a: &Source, b: &Source) -> UnitResult {
        let dot = self.dot(a, b, 3);
        let sum = self.plus(dot, b, 3);
        self.same(sum)
    }
    fn dp4(&mut self, a: &Source, b: &Source) -> UnitResult {
        let dot = self.dot(a, b, 4);
        self.same(dot)
    }
    fn dst(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.each(|this, c| match c {
            0 => this.lower.e.f(1.0),
            1 => this.product(a, b, 1),
            2 => this.read(a, 2),
            _ => this.read(b, 3),
        })
    }
    fn min(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.each(|this, c| {
            let (a, b) = (this.read(a, c), this.read(b, c));
            this.lower.e.min(a, b)
        })
    }
    fn max(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.each(|this, c| {
            let (a, b) = (this.read(a, c), this.read(b, c));
            this.lower.e.max(a, b)
        })
    }
    fn slt(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| e.lt(a, b))
    }
    fn sge(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| e.le(b, a))
    }
    fn arl(&mut self, a: &Source) -> UnitResult {
        self.rounded_address(a, |e, a| e.floor(a))
    }
    fn frc(&mut self, a: &Source) -> UnitResult {
        self.each(|this, c| {
            let a = this.read(a, c);
            let floor = this.lower.e.floor(a);
            this.lower.e.sub(a, floor)
        })
    }
    fn flr(&mut self, a: &Source) -> UnitResult {
        self.each(|this, c| {
            let a = this.read(a, c);
            this.lower.e.floor(a)
        })
    }
    fn seq(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| e.feq(a, b))
    }
    fn sfl(&mut self) -> UnitResult {
        self.each(|this, _| this.lower.e.f(0.0))
    }
    fn sgt(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| e.lt(b, a))
    }
    fn sle(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| e.le(a, b))
    }
    fn sne(&mut self, a: &Source, b: &Source) -> UnitResult {
        self.comparison(a, b, |e, a, b| {
            let equal = e.feq(a, b);
            e.not(equal)
        })
    }
    fn str(&mut self) -> UnitResult {
        self.each(|this, _| this.lower.e.f(1.0))
    }
    fn ssg(&mut self, a: &Source) -> UnitResult {
        self.each(|this, c| {
            let a = this.read(a, c);
            let e = &mut *this.lower.e;
            let (zero, one, minus) = (e.f(0.0), e.f(1.0), e.f(-1.0));
            let (positive, negative) = (e.lt(zero, a), e.lt(a, zero));
            let below = e.select(negative, minus, zero);
            e.select(positive, one, below)
        })
    }
    fn arr(&mut self, a: &Source) -> UnitResult {
        self.rounded_address(a, |e, a| e.nearest(a))
    }
    fn ara(&mut self) -> UnitResult {
        let register = self.instruction.address_register & 1;
        let mask = self.instruction.vector.mask;
        UnitResult::Address(std::array::from_fn(|c| {
            mask.has(c).then(|| {
                let [a, b] = [c % 2, c % 2 + 2].map(|c| self.lower.int(Cell::Address(register, c as u8)));
                self.lower.e.iadd(a, b)
            })
        }))
    }
    fn txl(&mut self, a: &Source) -> UnitResult {
        let source = self.lower.source;
        let unit = usize::from(self.instruction.vector.texture & 3);
        let Some(index) = source.textures.iter().position(|&(known, _)| known == unit) else {
            return self.each(|this, _| this.lower.e.f(0.0));
        };
        let coordinates = std::array::from_fn(|c| self.read(a, c));
        let wanted = self.wanted;
        let e = &mut *self.lower.e;
        let args = e.args;
        let textures = e.load_i64(args, VertexArgs::TEXTURES);
        let address = e.b.ins().iadd_imm_u(textures, (index * size_of::<TextureArgs>()) as i64);
        let unit = TextureUnit { key: &source.textures[index].1, args: address, scratch: INDICES };
        let result = sample(e, unit, &Lookup::new(coordinates, LodSource::Level(coordinates[3]), wanted));
        self.each(|_, c| result[c])
    }
}

impl Alu<'_, '_, '_> {
    fn comparison(
        &mut self,
        a: &Source,
        b: &Source,
        compare: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> Mask,
    ) -> UnitResult {
        self.each(|this, c| {
            let (a, b) = (this.read(a, c), this.read(b, c));
            let mask = compare(this.lower.e, a, b);
            this.flag(mask)
        })
    }

    /// a * b, +0 where either is 0.
    fn product(&mut self, a: &Source, b: &Source, c: usize) -> F32x4 {
        let minus = a.negate != b.negate;
        let (a, b) = (self.magnitude(a, c), self.magnitude(b, c));
        let e = &mut *self.lower.e;
        let mut product = e.mul(a, b);
        if minus {
            product = e.neg(product);
        }
        let zero = e.f(0.0);
        for factor in [Some(a), Some(b).filter(|b| b.0 != a.0)].into_iter().flatten() {
            let none = e.feq(factor, zero);
            product = e.select(none, zero, product);
        }
        product
    }

    /// a * b with the signs of the operands taken out.
    fn plain_product(&mut self, a: &Source, b: &Source, c: usize) -> F32x4 {
        let product = self.unsigned_product(a, b, c);
        if a.negate != b.negate { self.lower.e.neg(product) } else { product }
    }

    fn unsigned_product(&mut self, a: &Source, b: &Source, c: usize) -> F32x4 {
        let (a, b) = (self.magnitude(a, c), self.magnitude(b, c));
        self.lower.e.mul(a, b)
    }

    /// a + component `c` of `b`, as a difference where that is negated.
    fn plus(&mut self, a: F32x4, b: &Source, c: usize) -> F32x4 {
        let value = self.magnitude(b, c);
        if b.negate { self.lower.e.sub(a, value) } else { self.lower.e.add(a, value) }
    }

    /// Products from x on, each rounded, summed from x on.
    fn dot(&mut self, a: &Source, b: &Source, count: usize) -> F32x4 {
        let minus = a.negate != b.negate;
        let mut sum = self.plain_product(a, b, 0);
        for c in 1..count {
            let product = self.unsigned_product(a, b, c);
            sum = if minus { self.lower.e.sub(sum, product) } else { self.lower.e.add(sum, product) };
        }
        sum
    }

    /// The components of the mask as integers for an address register.
    fn rounded_address(&mut self, a: &Source, round: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> UnitResult {
        let mask = self.instruction.vector.mask;
        UnitResult::Address(std::array::from_fn(|c| {
            mask.has(c).then(|| {
                let a = self.read(a, c);
                let whole = round(self.lower.e, a);
                self.lower.e.saturating_int(whole)
            })
        }))
    }
}
