//! Arithmetic.

use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::rsx::fragment::{Compute, Instruction, Op, Step};

use super::Lower;
use super::operand::Gate;
use super::registers::Number;
use crate::lane::{F32x4, Mask};
use crate::program::sampler::both_together;

/// An instruction whose operands are read.
#[derive(Clone, Copy)]
pub struct Operands<'s> {
    pub step: &'s Step,
    pub compute: &'s Compute,
}

impl Lower<'_, '_, '_> {
    /// Emits one instruction without flow control; `together` are the lanes that execute it if those are not all.
    pub fn step(&mut self, step: &Step, together: Option<Mask>) {
        let Instruction::Compute(compute) = &step.instruction else { return };
        let of = Operands { step, compute };
        let wanted = [0, 1, 2, 3].map(|c| self.needed[c] && compute.mask.has(c));
        if compute.op == Op::Kil {
            return self.discard(compute);
        }
        let kills = compute.op.is_texture()
            && self.quad.plan.texture(compute.texture.into()).is_some_and(|(_, key)| key.alpha_kill);
        if !wanted.contains(&true) && !kills {
            return;
        }
        let result = match compute.op {
            op if op.is_texture() => self.texture(of, wanted, together),
            Op::Ddx | Op::Ddy => {
                let axis = usize::from(compute.op == Op::Ddy);
                std::array::from_fn(|c| wanted[c].then(|| self.difference(of, c, axis, together)))
            }
            _ => self.compute(of, wanted),
        };
        self.finish(compute, result);
    }

    /// KIL.
    fn discard(&mut self, compute: &Compute) {
        let mut lanes: Option<Mask> = None;
        let mut always = false;
        let mut seen = Vec::new();
        for c in 0..4 {
            let component = compute.condition.map_or(0, |condition| condition.swizzle.0[c]);
            if seen.contains(&component) {
                continue;
            }
            seen.push(component);
            match self.gate(compute.condition, compute.condition_register, c) {
                Gate::Never => {}
                Gate::Always => always = true,
                Gate::Lanes(mask) => {
                    lanes = Some(match lanes {
                        Some(lanes) => self.quad.e.or(lanes, mask),
                        None => mask,
                    });
                }
            }
        }
        let lanes = match (always, lanes, self.exec) {
            (true, _, Some(exec)) => exec,
            (true, _, None) => Mask(self.quad.e.i(-1).0),
            (false, Some(lanes), Some(exec)) => self.quad.e.and(lanes, exec),
            (false, Some(lanes), None) => lanes,
            (false, None, _) => return,
        };
        self.kill(lanes);
    }

    fn difference(&mut self, of: Operands<'_>, c: usize, axis: usize, together: Option<Mask>) -> Number {
        let a = self.a(of, c).value;
        let e = &mut *self.quad.e;
        let difference = if axis == 0 { e.difference_x(a) } else { e.difference_y(a) };
        Number::new(match together {
            Some(together) => both_together(e, together, axis, difference),
            None => difference,
        })
    }

    pub fn a(&mut self, of: Operands<'_>, c: usize) -> Number {
        self.source(of.step, of.compute, 0, c)
    }

    pub fn b(&mut self, of: Operands<'_>, c: usize) -> Number {
        self.source(of.step, of.compute, 1, c)
    }

    fn c(&mut self, of: Operands<'_>, c: usize) -> Number {
        self.source(of.step, of.compute, 2, c)
    }

    fn constant(&mut self, value: f32) -> Number {
        Number::simple(self.quad.e.f(value), value.abs())
    }

    /// The components `wanted` of a result.
    fn compute(&mut self, of: Operands<'_>, wanted: [bool; 4]) -> [Option<Number>; 4] {
        if let Some(same) = self.same_in_all(of) {
            return wanted.map(|wanted| wanted.then_some(same));
        }
        if let Some(components) = self.together_in_all(of, wanted) {
            return components;
        }
        std::array::from_fn(|c| wanted[c].then(|| self.component(of, c)))
    }

    /// Operations with one number for all components.
    fn same_in_all(&mut self, of: Operands<'_>) -> Option<Number> {
        Some(match of.compute.op {
            Op::Dp2 => self.dot(of, 2),
            Op::Dp3 => self.dot(of, 3),
            Op::Dp4 => self.dot(of, 4),
            Op::Dp2a => {
                let dot = self.dot(of, 2);
                let c = self.c(of, 0);
                self.sum(dot, c)
            }
            Op::Rcp => {
                let a = self.a(of, 0).value;
                Number::new(self.reciprocal(a))
            }
            Op::Rsq => {
                let a = self.a(of, 0).value;
                let magnitude = self.quad.e.abs(a);
                Number::new(self.inverse_root(magnitude))
            }
            Op::Ex2 => {
                let a = self.a(of, 0).value;
                Number::new(ops::exp2(self.quad.e, a))
            }
            Op::Lg2 => {
                let a = self.a(of, 0).value;
                Number::new(ops::log2(self.quad.e, a))
            }
            Op::Sin | Op::Cos => {
                let a = self.a(of, 0).value;
                let e = &mut *self.quad.e;
                let value = if of.compute.op == Op::Sin { ops::sin(e, a) } else { ops::cos(e, a) };
                Number::new(value).within(1.001)
            }
            Op::Pow => {
                let (a, b) = (self.a(of, 0).value, self.b(of, 0).value);
                let e = &mut *self.quad.e;
                let log = ops::log2(e, a);
                let product = e.mul(b, log);
                Number::new(ops::exp2(e, product))
            }
            Op::Pk4 | Op::Pk2 | Op::Pkb | Op::Pk16 | Op::Pkg => self.pack(of),
            Op::Str => self.constant(1.0),
            Op::Sfl | Op::Bemlum | Op::Timeswtex => self.constant(0.0),
            _ => return None,
        })
    }

    /// Operations that compute something for several components at once.
    fn together_in_all(&mut self, of: Operands<'_>, wanted: [bool; 4]) -> Option<[Option<Number>; 4]> {
        let all = match of.compute.op {
            Op::Up4 | Op::Up2 | Op::Upb | Op::Up16 | Op::Upg => self.unpack(of, wanted),
            Op::Lit => self.lit(of, wanted),
            Op::Nrm => {
                let square = self.squares(of);
                let scale = self.inverse_root(square.value);
                std::array::from_fn(|c| {
                    wanted[c].then(|| {
                        let a = self.a(of, c.min(2)).value;
                        Number::new(self.quad.e.mul(a, scale))
                    })
                })
            }
            Op::Refl => {
                let dot = self.dot(of, 4).value;
                let two = self.quad.e.f(2.0);
                let twice = self.quad.e.mul(two, dot);
                std::array::from_fn(|c| {
                    wanted[c].then(|| {
                        let (a, b) = (self.a(of, c).value, self.b(of, c).value);
                        let product = self.quad.e.mul(twice, b);
                        Number::new(self.quad.e.sub(a, product))
                    })
                })
            }
            Op::Bem => {
                let x = (wanted[0] || wanted[2]).then(|| self.bumped(of, 0));
                let y = (wanted[1] || wanted[3]).then(|| self.bumped(of, 1));
                std::array::from_fn(|c| {
                    if !wanted[c] {
                        None
                    } else if c % 2 == 0 {
                        x
                    } else {
                        y
                    }
                })
            }
            Op::Divsq => {
                let b = self.b(of, 0).value;
                let magnitude = self.quad.e.abs(b);
                let root = self.quad.e.sqrt(magnitude);
                std::array::from_fn(|c| {
                    wanted[c].then(|| {
                        let a = self.a(of, c).value;
                        let e = &mut *self.quad.e;
                        let quotient = e.div(a, root);
                        let zero = e.f(0.0);
                        let is_zero = e.feq(a, zero);
                        Number::new(e.select(is_zero, zero, quotient))
                    })
                })
            }
            Op::Div => {
                let b = self.b(of, 0).value;
                std::array::from_fn(|c| {
                    wanted[c].then(|| {
                        let a = self.a(of, c).value;
                        Number::new(self.quad.e.div(a, b))
                    })
                })
            }
            _ => return None,
        };
        Some(all)
    }

    /// Component `c` of an operation that treats components one by one.
    fn component(&mut self, of: Operands<'_>, c: usize) -> Number {
        match of.compute.op {
            Op::Mov => {
                let number = self.a(of, c);
                Number { exact: number.exact && self.keeps_bits(of.compute), ..number }
            }
            Op::Mul => self.product(of, c),
            Op::Add => self.added(of, c),
            Op::Mad => {
                let product = self.product(of, c);
                self.plus(product, of, 2, c)
            }
            Op::Lrp => {
                let (a, b, other) = (self.a(of, c), self.b(of, c), self.c(of, c));
                let e = &mut *self.quad.e;
                let one = e.f(1.0);
                let first = e.mul(a.value, b.value);
                let rest = e.sub(one, a.value);
                let second = e.mul(rest, other.value);
                let bound = a.bound * b.bound + (1.0 + a.bound) * other.bound;
                Number::new(e.add(first, second)).within(bound * 1.001)
            }
            Op::Dst => match c {
                0 => self.constant(1.0),
                1 => self.product(of, 1),
                2 => self.unexact(of, 0, 2),
                _ => self.unexact(of, 1, 3),
            },
            Op::Min | Op::Max => {
                let (a, b) = (self.a(of, c), self.b(of, c));
                let e = &mut *self.quad.e;
                let value = if of.compute.op == Op::Min { e.min(a.value, b.value) } else { e.max(a.value, b.value) };
                let bound = if a.bound > b.bound { a.bound } else { b.bound };
                Number { value, exact: false, half: a.half && b.half, bound }
            }
            Op::Slt | Op::Sge | Op::Sle | Op::Sgt | Op::Sne | Op::Seq => self.comparison(of, c),
            Op::Frc => {
                let a = self.a(of, c).value;
                let e = &mut *self.quad.e;
                let floor = e.floor(a);
                Number::new(e.sub(a, floor)).within(1.0)
            }
            Op::Flr => {
                let a = self.a(of, c);
                // Whole numbers of a half's range are halves up to 2048, above that a half is whole.
                Number { value: self.quad.e.floor(a.value), exact: false, half: a.half, bound: a.bound + 1.0 }
            }
            Op::Lif => match c {
                1 => self.unexact(of, 0, 1),
                2 => {
                    let (y, w) = (self.a(of, 1).value, self.a(of, 3).value);
                    let e = &mut *self.quad.e;
                    let power = ops::exp2(e, w);
                    Number::new(self.where_positive(y, power))
                }
                _ => self.constant(1.0),
            },
            // All other operations are done above or have no result.
            _ => self.constant(0.0),
        }
    }

    /// A component of a source as the result of something that is no move.
    fn unexact(&mut self, of: Operands<'_>, n: usize, c: usize) -> Number {
        let number = self.source(of.step, of.compute, n, c);
        Number { exact: false, ..number }
    }

    fn comparison(&mut self, of: Operands<'_>, c: usize) -> Number {
        let (a, b) = (self.a(of, c).value, self.b(of, c).value);
        let e = &mut *self.quad.e;
        let mask = match of.compute.op {
            Op::Slt => e.lt(a, b),
            Op::Sge => e.le(b, a),
            Op::Sle => e.le(a, b),
            Op::Sgt => e.lt(b, a),
            Op::Seq => e.feq(a, b),
            _ => {
                let equal = e.feq(a, b);
                e.not(equal)
            }
        };
        let one = e.f(1.0);
        let (bits, mask) = (e.bits(one), e.mask_ints(mask));
        let bits = e.iand(bits, mask);
        Number::simple(e.float_of_bits(bits), 1.0)
    }

    /// a * b with the signs of the operands taken out.
    fn product(&mut self, of: Operands<'_>, c: usize) -> Number {
        let number = self.unsigned_product(of, c);
        let [a, b, _] = &of.compute.sources;
        match a.negate != b.negate {
            true => Number { value: self.quad.e.neg(number.value), ..number },
            false => number,
        }
    }

    fn unsigned_product(&mut self, of: Operands<'_>, c: usize) -> Number {
        let a = self.magnitude(of.step, of.compute, 0, c);
        let b = self.magnitude(of.step, of.compute, 1, c);
        Number::new(self.quad.e.mul(a.value, b.value)).within(a.bound * b.bound * 1.001)
    }

    fn sum(&mut self, a: Number, b: Number) -> Number {
        Number::new(self.quad.e.add(a.value, b.value)).within((a.bound + b.bound) * 1.001)
    }

    /// a + source `n`, as a difference where that is negated.
    fn plus(&mut self, a: Number, of: Operands<'_>, n: usize, c: usize) -> Number {
        let b = self.magnitude(of.step, of.compute, n, c);
        if !of.compute.sources[n].negate {
            return self.sum(a, b);
        }
        Number::new(self.quad.e.sub(a.value, b.value)).within((a.bound + b.bound) * 1.001)
    }

    /// a + b, as a difference where one is negated.
    fn added(&mut self, of: Operands<'_>, c: usize) -> Number {
        let [a, b, _] = &of.compute.sources;
        if a.negate && !b.negate {
            let b = self.b(of, c);
            return self.plus(b, of, 0, c);
        }
        let a = self.a(of, c);
        self.plus(a, of, 1, c)
    }

    /// Products from x on, each rounded, summed from x on.
    fn dot(&mut self, of: Operands<'_>, count: usize) -> Number {
        let [a, b, _] = &of.compute.sources;
        let minus = a.negate != b.negate;
        let mut sum = self.product(of, 0);
        for c in 1..count {
            let product = self.unsigned_product(of, c);
            let e = &mut *self.quad.e;
            let value = if minus { e.sub(sum.value, product.value) } else { e.add(sum.value, product.value) };
            sum = Number::new(value).within((sum.bound + product.bound) * 1.001);
        }
        sum
    }

    /// a.x * a.x + a.y * a.y + a.z * a.z
    fn squares(&mut self, of: Operands<'_>) -> Number {
        let squares = [0, 1, 2].map(|c| {
            let a = self.magnitude(of.step, of.compute, 0, c);
            Number::new(self.quad.e.mul(a.value, a.value))
        });
        let sum = self.sum(squares[0], squares[1]);
        self.sum(sum, squares[2])
    }

    fn reciprocal(&mut self, a: F32x4) -> F32x4 {
        let one = self.quad.e.f(1.0);
        self.quad.e.div(one, a)
    }

    fn inverse_root(&mut self, a: F32x4) -> F32x4 {
        let root = self.quad.e.sqrt(a);
        self.reciprocal(root)
    }

    /// `x > 0 ? value : 0`
    fn where_positive(&mut self, x: F32x4, value: F32x4) -> F32x4 {
        let e = &mut *self.quad.e;
        let zero = e.f(0.0);
        let positive = e.lt(zero, x);
        let (bits, mask) = (e.bits(value), e.mask_ints(positive));
        let bits = e.iand(bits, mask);
        e.float_of_bits(bits)
    }

    fn lit(&mut self, of: Operands<'_>, wanted: [bool; 4]) -> [Option<Number>; 4] {
        std::array::from_fn(|c| {
            if !wanted[c] {
                return None;
            }
            Some(match c {
                1 => {
                    let x = self.a(of, 0);
                    let zero = self.quad.e.f(0.0);
                    // a.x > 0 ? a.x : 0
                    Number { value: self.quad.e.max(x.value, zero), exact: true, ..x }
                }
                2 => {
                    let (x, y, w) = (self.a(of, 0).value, self.a(of, 1).value, self.a(of, 3).value);
                    let e = &mut *self.quad.e;
                    let (zero, one) = (e.f(0.0), e.f(1.0));
                    let m = e.max(y, zero);
                    let log = ops::log2(e, m);
                    let exponent = e.mul(w, log);
                    let power = ops::exp2(e, exponent);
                    let is_zero = e.feq(w, zero);
                    let power = e.select(is_zero, one, power);
                    Number::new(self.where_positive(x, power))
                }
                _ => self.constant(1.0),
            })
        })
    }

    /// x (`row` 0) or y of BEM: `a + b.x * c.x + b.y * c.y`, with c.z and c.w for y.
    pub fn bumped(&mut self, of: Operands<'_>, row: usize) -> Number {
        let a = self.a(of, row).value;
        let [bx, by] = [0, 1].map(|c| self.b(of, c).value);
        let [cx, cy] = [0, 1].map(|c| self.c(of, 2 * row + c).value);
        let e = &mut *self.quad.e;
        let first = e.mul(bx, cx);
        let second = e.mul(by, cy);
        let sum = e.add(a, first);
        Number::new(e.add(sum, second))
    }
}
