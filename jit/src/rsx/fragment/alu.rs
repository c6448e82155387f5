//! Operations on the sources of one fragment: one method per operation. Lookups and differences are in `texture.rs`.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::num::fast;
use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::rsx::fragment::{EffectVisitor, FragmentVisitor, Instruction, QuadVisitor, RootPart, Source, Step};

use super::Lower;
use super::context::{Alu, Components};
use super::pack;
use super::registers::Number;
use crate::lane::{Emit, F32x4, Mask};
use crate::rsx::predicate::Predicate;

impl Lower<'_, '_, '_> {
    /// Emits one instruction without flow control; `together` are the lanes that execute it if those are not all.
    pub fn step(&mut self, step: &Step, together: Option<Mask>) {
        let Instruction::Compute(compute) = &step.instruction else { return };
        let wanted = [0, 1, 2, 3].map(|c| self.needed[c] && compute.mask.has(c));
        let (op, sources) = (compute.op, compute.sources.each_ref());
        let mut alu = Alu { lower: self, step, compute, wanted, together };
        if !op.has_result() {
            EffectVisitor::visit(&mut alu, op, [(); 3]);
            return;
        }
        let kills = op.is_texture()
            && alu.lower.quad.plan.texture(compute.texture.into()).is_some_and(|(_, key)| key.alpha_kill);
        if !wanted.contains(&true) && !kills {
            return;
        }
        let result = QuadVisitor::visit(&mut alu, op, sources);
        if let Some(result) = result.or_else(|| FragmentVisitor::visit(&mut alu, op, sources)) {
            self.finish(compute, result);
        }
    }
}

impl EffectVisitor for Alu<'_, '_, '_, '_> {
    type Source = ();
    type Output = ();

    fn nop(&mut self) {}
    fn kil(&mut self) {
        let (compute, lower) = (self.compute, &mut *self.lower);
        let mut lanes: Option<Mask> = None;
        let mut always = false;
        let mut seen = Vec::new();
        for c in 0..4 {
            let component = compute.condition.map_or(0, |condition| condition.swizzle.0[c]);
            if seen.contains(&component) {
                continue;
            }
            seen.push(component);
            match lower.predicate(compute.condition, compute.condition_register, c) {
                Predicate::Never => {}
                Predicate::Always => always = true,
                Predicate::Lanes(mask) => {
                    lanes = Some(match lanes {
                        Some(lanes) => lower.quad.e.or(lanes, mask),
                        None => mask,
                    });
                }
            }
        }
        let lanes = match (always, lanes, lower.exec) {
            (true, _, Some(exec)) => exec,
            (true, _, None) => Mask(lower.quad.e.i(-1).0),
            (false, Some(lanes), Some(exec)) => lower.quad.e.and(lanes, exec),
            (false, Some(lanes), None) => lanes,
            (false, None, _) => return,
        };
        lower.kill(lanes);
    }
    fn fenct(&mut self) {}
    fn fencb(&mut self) {}
}

impl<'x> FragmentVisitor for Alu<'x, '_, '_, '_> {
    type Source = &'x Source;
    type Output = Components;

    fn mov(&mut self, a: &Source) -> Components {
        let keeps_bits = self.lower.keeps_bits(self.compute);
        self.each(|this, c| {
            let number = this.read(a, c);
            Number { exact: number.exact && keeps_bits, ..number }
        })
    }
    fn mul(&mut self, a: &Source, b: &Source) -> Components {
        self.each(|this, c| this.product(a, b, c))
    }
    fn add(&mut self, a: &Source, b: &Source) -> Components {
        self.each(|this, c| {
            if a.negate && !b.negate {
                let b = this.read(b, c);
                return this.plus(b, a, c);
            }
            let a = this.read(a, c);
            this.plus(a, b, c)
        })
    }
    fn mad(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        self.each(|this, i| {
            let product = this.product(a, b, i);
            this.plus(product, c, i)
        })
    }
    fn dp3(&mut self, a: &Source, b: &Source) -> Components {
        let dot = self.dot(a, b, 3);
        self.same(dot)
    }
    fn dp4(&mut self, a: &Source, b: &Source) -> Components {
        let dot = self.dot(a, b, 4);
        self.same(dot)
    }
    fn dst(&mut self, a: &Source, b: &Source) -> Components {
        self.each(|this, c| match c {
            0 => this.constant(1.0),
            1 => this.product(a, b, 1),
            2 => this.inexact(a, 2),
            _ => this.inexact(b, 3),
        })
    }
    fn min(&mut self, a: &Source, b: &Source) -> Components {
        self.extremum(a, b, |e, a, b| e.min(a, b))
    }
    fn max(&mut self, a: &Source, b: &Source) -> Components {
        self.extremum(a, b, |e, a, b| e.max(a, b))
    }
    fn slt(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| e.lt(a, b))
    }
    fn sge(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| e.le(b, a))
    }
    fn sle(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| e.le(a, b))
    }
    fn sgt(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| e.lt(b, a))
    }
    fn sne(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| {
            let equal = e.feq(a, b);
            e.not(equal)
        })
    }
    fn seq(&mut self, a: &Source, b: &Source) -> Components {
        self.comparison(a, b, |e, a, b| e.feq(a, b))
    }
    fn frc(&mut self, a: &Source) -> Components {
        self.each(|this, c| {
            let a = this.read(a, c).value;
            let floor = this.e().floor(a);
            Number::new(this.e().sub(a, floor)).within(1.0)
        })
    }
    fn flr(&mut self, a: &Source) -> Components {
        self.each(|this, c| {
            let a = this.read(a, c);
            // Whole numbers of a half's range are halves up to 2048, above that a half is whole.
            Number { value: this.e().floor(a.value), exact: false, half: a.half, bound: a.bound + 1.0 }
        })
    }
    fn pk4(&mut self, a: &Source) -> Components {
        self.pack(a, 4, |e, _, v| {
            let v = e.clamp(v, -1.0, 1.0);
            let whole = pack::scaled(e, v, 127.0);
            let byte = e.i(0xFF);
            e.iand(whole, byte)
        })
    }
    fn up4(&mut self, a: &Source) -> Components {
        self.unpack(a, |e, c, word| {
            let field = pack::signed_field(e, word, 8, c);
            let value = pack::fraction(e, field, 1.0 / 127.0);
            let least = e.f(-1.0);
            Number::new(e.max(value, least)).within(1.001)
        })
    }
    fn rcp(&mut self, a: &Source) -> Components {
        self.function(a, |e, a| {
            let one = e.f(1.0);
            Number::new(e.div(one, a))
        })
    }
    fn rsq(&mut self, a: &Source) -> Components {
        self.function(a, |e, a| {
            let magnitude = e.abs(a);
            Number::new(inverse_root(e, magnitude))
        })
    }
    fn ex2(&mut self, a: &Source) -> Components {
        let accuracy = self.accuracy();
        if let (Accuracy::Fast, Some(RootPart::Exponential), Some(x)) =
            (accuracy, self.step.root, self.lower.root_operand)
        {
            let e = self.e();
            let (one, root) = (e.f(1.0), e.sqrt(x));
            let number = Number::new(e.div(one, root));
            return self.same(number);
        }
        self.function(a, |e, a| Number::new(exp2(e, accuracy, a)))
    }
    fn lg2(&mut self, a: &Source) -> Components {
        let accuracy = self.accuracy();
        let x = self.read(a, 0).value;
        if self.step.root == Some(RootPart::Logarithm) {
            self.lower.root_operand = Some(x);
        }
        let number = Number::new(log2(self.e(), accuracy, x));
        self.same(number)
    }
    fn lit(&mut self, a: &Source) -> Components {
        self.each(|this, c| match c {
            1 => {
                let x = this.read(a, 0);
                let zero = this.e().f(0.0);
                // a.x > 0 ? a.x : 0
                Number { value: this.e().max(x.value, zero), exact: true, ..x }
            }
            2 => {
                let (x, y, w) = (this.read(a, 0).value, this.read(a, 1).value, this.read(a, 3).value);
                let accuracy = this.accuracy();
                let e = this.e();
                let (zero, one) = (e.f(0.0), e.f(1.0));
                let m = e.max(y, zero);
                let power = power(e, accuracy, m, w);
                let is_zero = e.feq(w, zero);
                let power = e.select(is_zero, one, power);
                Number::new(where_positive(e, x, power))
            }
            _ => this.constant(1.0),
        })
    }
    fn lrp(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        self.each(|this, i| {
            let (a, b, c) = (this.read(a, i), this.read(b, i), this.read(c, i));
            let e = this.e();
            let one = e.f(1.0);
            let first = e.mul(a.value, b.value);
            let rest = e.sub(one, a.value);
            let second = e.mul(rest, c.value);
            let bound = a.bound * b.bound + (1.0 + a.bound) * c.bound;
            Number::new(e.add(first, second)).within(bound * 1.001)
        })
    }
    fn str(&mut self) -> Components {
        let one = self.constant(1.0);
        self.same(one)
    }
    fn sfl(&mut self) -> Components {
        let zero = self.constant(0.0);
        self.same(zero)
    }
    fn cos(&mut self, a: &Source) -> Components {
        let accuracy = self.accuracy();
        self.function(a, |e, a| Number::new(cos(e, accuracy, a)).within(1.001))
    }
    fn sin(&mut self, a: &Source) -> Components {
        let accuracy = self.accuracy();
        self.function(a, |e, a| Number::new(sin(e, accuracy, a)).within(1.001))
    }
    fn pk2(&mut self, a: &Source) -> Components {
        self.pack(a, 2, |e, _, v| e.half_of(v))
    }
    fn up2(&mut self, a: &Source) -> Components {
        self.unpack(a, |e, c, word| {
            let field = pack::field(e, word, 16, c % 2);
            Number { half: true, ..Number::new(e.float_of_half(field)) }
        })
    }
    fn pow(&mut self, a: &Source, b: &Source) -> Components {
        let (a, b) = (self.read(a, 0).value, self.read(b, 0).value);
        let accuracy = self.accuracy();
        let power = Number::new(power(self.e(), accuracy, a, b));
        self.same(power)
    }
    fn pkb(&mut self, a: &Source) -> Components {
        self.pack(a, 4, |e, _, v| {
            let v = e.clamp(v, 0.0, 1.0);
            pack::scaled(e, v, 255.0)
        })
    }
    fn upb(&mut self, a: &Source) -> Components {
        self.unpack(a, |e, c, word| {
            let field = pack::field(e, word, 8, c);
            Number::new(pack::fraction(e, field, 1.0 / 255.0)).within(1.001)
        })
    }
    fn pk16(&mut self, a: &Source) -> Components {
        self.pack(a, 2, |e, _, v| {
            let v = e.clamp(v, 0.0, 1.0);
            pack::scaled(e, v, 65535.0)
        })
    }
    fn up16(&mut self, a: &Source) -> Components {
        self.unpack(a, |e, c, word| {
            let field = pack::field(e, word, 16, c % 2);
            Number::new(pack::fraction(e, field, 1.0 / 65535.0)).within(1.001)
        })
    }
    fn bem(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        let wanted = self.wanted;
        let x = (wanted[0] || wanted[2]).then(|| self.bumped(a, b, c, 0));
        let y = (wanted[1] || wanted[3]).then(|| self.bumped(a, b, c, 1));
        std::array::from_fn(|i| if i % 2 == 0 { x } else { y }.filter(|_| wanted[i]))
    }
    fn pkg(&mut self, a: &Source) -> Components {
        self.pack(a, 4, |e, c, v| {
            let v = e.clamp(v, 0.0, 1.0);
            let v = if c < 3 { ops::linear_to_srgb(e, v) } else { v };
            pack::scaled(e, v, 255.0)
        })
    }
    fn upg(&mut self, a: &Source) -> Components {
        self.unpack(a, |e, c, word| {
            let field = pack::field(e, word, 8, c);
            let value = pack::fraction(e, field, 1.0 / 255.0);
            let value = if c < 3 { ops::srgb_to_linear(e, value) } else { value };
            Number::new(value).within(1.001)
        })
    }
    fn dp2a(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        let dot = self.dot(a, b, 2);
        let c = self.read(c, 0);
        let sum = self.sum(dot, c);
        self.same(sum)
    }
    fn bemlum(&mut self) -> Components {
        // What it does is unknown.
        let zero = self.constant(0.0);
        self.same(zero)
    }
    fn refl(&mut self, a: &Source, b: &Source) -> Components {
        let dot = self.dot(a, b, 4).value;
        let two = self.e().f(2.0);
        let doubled = self.e().mul(two, dot);
        self.each(|this, c| {
            let (a, b) = (this.read(a, c).value, this.read(b, c).value);
            let product = this.e().mul(doubled, b);
            Number::new(this.e().sub(a, product))
        })
    }
    fn timeswtex(&mut self) -> Components {
        // What it does is unknown.
        let zero = self.constant(0.0);
        self.same(zero)
    }
    fn dp2(&mut self, a: &Source, b: &Source) -> Components {
        let dot = self.dot(a, b, 2);
        self.same(dot)
    }
    fn nrm(&mut self, a: &Source) -> Components {
        let squares = [0, 1, 2].map(|c| {
            let a = self.magnitude(a, c);
            Number::new(self.e().mul(a.value, a.value))
        });
        let sum = self.sum(squares[0], squares[1]);
        let sum = self.sum(sum, squares[2]);
        let scale = inverse_root(self.e(), sum.value);
        self.each(|this, c| {
            let a = this.read(a, c.min(2)).value;
            Number::new(this.e().mul(a, scale))
        })
    }
    fn div(&mut self, a: &Source, b: &Source) -> Components {
        let b = self.read(b, 0).value;
        self.each(|this, c| {
            let a = this.read(a, c).value;
            Number::new(this.e().div(a, b))
        })
    }
    fn divsq(&mut self, a: &Source, b: &Source) -> Components {
        let b = self.read(b, 0).value;
        let magnitude = self.e().abs(b);
        let root = self.e().sqrt(magnitude);
        self.each(|this, c| {
            let a = this.read(a, c).value;
            let e = this.e();
            let quotient = e.div(a, root);
            let zero = e.f(0.0);
            let is_zero = e.feq(a, zero);
            Number::new(e.select(is_zero, zero, quotient))
        })
    }
    fn lif(&mut self, a: &Source) -> Components {
        self.each(|this, c| match c {
            1 => this.inexact(a, 1),
            2 => {
                let (y, w) = (this.read(a, 1).value, this.read(a, 3).value);
                let accuracy = this.accuracy();
                let e = this.e();
                let power = exp2(e, accuracy, w);
                Number::new(where_positive(e, y, power))
            }
            _ => this.constant(1.0),
        })
    }
}

impl Alu<'_, '_, '_, '_> {
    /// A function of component x.
    fn function(&mut self, a: &Source, function: impl Fn(&mut Emit<'_>, F32x4) -> Number) -> Components {
        let a = self.read(a, 0).value;
        let number = function(self.e(), a);
        self.same(number)
    }

    fn extremum(&mut self, a: &Source, b: &Source, of: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> F32x4) -> Components {
        self.each(|this, c| {
            let (a, b) = (this.read(a, c), this.read(b, c));
            let value = of(this.e(), a.value, b.value);
            let bound = if a.bound > b.bound { a.bound } else { b.bound };
            Number { value, exact: false, half: a.half && b.half, bound }
        })
    }

    fn comparison(&mut self, a: &Source, b: &Source, of: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> Mask) -> Components {
        self.each(|this, c| {
            let (a, b) = (this.read(a, c).value, this.read(b, c).value);
            let e = this.e();
            let mask = of(e, a, b);
            let one = e.f(1.0);
            let (bits, mask) = (e.bits(one), e.mask_ints(mask));
            let bits = e.iand(bits, mask);
            Number::simple(e.float_of_bits(bits), 1.0)
        })
    }

    /// a * b with the signs of the operands taken out.
    fn product(&mut self, a: &Source, b: &Source, c: usize) -> Number {
        let number = self.unsigned_product(a, b, c);
        match a.negate != b.negate {
            true => Number { value: self.e().neg(number.value), ..number },
            false => number,
        }
    }

    fn unsigned_product(&mut self, a: &Source, b: &Source, c: usize) -> Number {
        let a = self.magnitude(a, c);
        let b = self.magnitude(b, c);
        Number::new(self.e().mul(a.value, b.value)).within(a.bound * b.bound * 1.001)
    }

    fn sum(&mut self, a: Number, b: Number) -> Number {
        Number::new(self.e().add(a.value, b.value)).within((a.bound + b.bound) * 1.001)
    }

    /// a + component `c` of `b`, as a difference where that is negated.
    fn plus(&mut self, a: Number, b: &Source, c: usize) -> Number {
        let value = self.magnitude(b, c);
        if !b.negate {
            return self.sum(a, value);
        }
        Number::new(self.e().sub(a.value, value.value)).within((a.bound + value.bound) * 1.001)
    }

    /// Products from x on, each rounded, summed from x on.
    fn dot(&mut self, a: &Source, b: &Source, count: usize) -> Number {
        let minus = a.negate != b.negate;
        let mut sum = self.product(a, b, 0);
        for c in 1..count {
            let product = self.unsigned_product(a, b, c);
            let e = self.e();
            let value = if minus { e.sub(sum.value, product.value) } else { e.add(sum.value, product.value) };
            sum = Number::new(value).within((sum.bound + product.bound) * 1.001);
        }
        sum
    }

    /// x (`row` 0) or y of BEM: `a + b.x * c.x + b.y * c.y`, with c.z and c.w for y.
    pub fn bumped(&mut self, a: &Source, b: &Source, c: &Source, row: usize) -> Number {
        let a = self.read(a, row).value;
        let [bx, by] = [0, 1].map(|i| self.read(b, i).value);
        let [cx, cy] = [0, 1].map(|i| self.read(c, 2 * row + i).value);
        let e = self.e();
        let first = e.mul(bx, cx);
        let second = e.mul(by, cy);
        let sum = e.add(a, first);
        Number::new(e.add(sum, second))
    }
}

fn exp2(e: &mut Emit<'_>, accuracy: Accuracy, x: F32x4) -> F32x4 {
    if accuracy == Accuracy::Fast { fast::exp2(e, x) } else { ops::exp2(e, x) }
}

fn log2(e: &mut Emit<'_>, accuracy: Accuracy, x: F32x4) -> F32x4 {
    if accuracy == Accuracy::Fast { fast::log2(e, x) } else { ops::log2(e, x) }
}

fn sin(e: &mut Emit<'_>, accuracy: Accuracy, x: F32x4) -> F32x4 {
    if accuracy == Accuracy::Fast { fast::sin(e, x) } else { ops::sin(e, x) }
}

fn cos(e: &mut Emit<'_>, accuracy: Accuracy, x: F32x4) -> F32x4 {
    if accuracy == Accuracy::Fast { fast::cos(e, x) } else { ops::cos(e, x) }
}

/// `base^exponent` by way of logarithms.
fn power(e: &mut Emit<'_>, accuracy: Accuracy, base: F32x4, exponent: F32x4) -> F32x4 {
    let log = log2(e, accuracy, base);
    let product = e.mul(exponent, log);
    exp2(e, accuracy, product)
}

/// `1 / sqrt(a)`
fn inverse_root(e: &mut Emit<'_>, a: F32x4) -> F32x4 {
    let root = e.sqrt(a);
    let one = e.f(1.0);
    e.div(one, root)
}

/// `x > 0 ? value : 0`
fn where_positive(e: &mut Emit<'_>, x: F32x4, value: F32x4) -> F32x4 {
    let zero = e.f(0.0);
    let positive = e.lt(zero, x);
    let (bits, mask) = (e.bits(value), e.mask_ints(positive));
    let bits = e.iand(bits, mask);
    e.float_of_bits(bits)
}
