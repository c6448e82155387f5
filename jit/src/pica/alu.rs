//! Arithmetic, comparisons and address registers.
//!
//! Products are plain, although to the guest 0 * infinity is 0: a NaN from there goes through everything until it is
//! exported or something hides it. Both places note it, and the group is done again. What cannot hold such a NaN
//! ([`TrackedValue::clean`]) is not looked at. Programs that meet many are compiled a second time with exact products,
//! of which nothing is doubtful.

use triglyph_guest::kernel::vertex::Numbers;
use triglyph_guest::num::ops::Ops;

use super::instruction::{Arithmetic, Compute, Dot, Instruction, Operand};
use super::live::Live;
use super::tracked::{TrackedValue, Trust, clean};
use super::{Lower, f24};
use crate::lane::{Emit, F32x4, I32x4, Mask};

/// Bound of LITP's second component: 127 + 255/256.
const LITP_BOUND: f32 = 127.996_09;

impl Lower<'_, '_> {
    /// Emits one instruction without control flow; `live` is what is live after it.
    pub fn instruction(&mut self, instruction: &Instruction, live: &Live) {
        match instruction {
            Instruction::Arithmetic(arithmetic) => {
                if let Some(components) = arithmetic.signs {
                    self.sign_flags(&arithmetic.sources[0], components, live.flags);
                }
                let needed = live.needed(arithmetic.target, arithmetic.mask);
                if needed.contains(&true) {
                    self.arithmetic(arithmetic, needed);
                }
            }
            Instruction::Address { source, mask } => {
                let wanted = [0, 1].map(|i| mask[i] && live.address[i]);
                let values = [0, 1].map(|i| wanted[i].then(|| self.source(source, i)));
                for (i, value) in values.into_iter().enumerate() {
                    if let Some(value) = value {
                        self.move_address(i, value);
                    }
                }
            }
            Instruction::Compare { sources, comparisons } => {
                for i in (0..2).filter(|&i| live.flags[i]) {
                    let flag = self.compare(sources, i, comparisons[i]);
                    self.write_flag(i, flag);
                }
            }
            Instruction::Emit => self.emit(live),
            Instruction::SetEmit(setting) => self.set_emit(*setting),
            Instruction::Flow(_) => {}
        }
    }

    /// Whether it computes in 24-bit floats.
    pub fn is_f24(&self) -> bool {
        self.source.numbers == Numbers::F24
    }

    /// Computes the components `needed` from all sources, then writes them.
    fn arithmetic(&mut self, arithmetic: &Arithmetic, needed: [bool; 4]) {
        let sources = &arithmetic.sources;
        let result: [Option<TrackedValue>; 4] = match arithmetic.compute {
            Compute::Same(compute) => {
                let number = compute(self, sources);
                let number = self.result(number);
                needed.map(|needed| needed.then_some(number))
            }
            Compute::PerComponent(compute) => std::array::from_fn(|c| {
                needed[c].then(|| {
                    let number = compute(self, sources, c);
                    self.result(number)
                })
            }),
        };
        for (component, number) in result.into_iter().enumerate() {
            if let Some(number) = number {
                self.write(arithmetic.target, component, number);
            }
        }
    }

    /// An instruction's result. Plain code in 24-bit floats notes where one is not ordinary that is right only then.
    fn result(&mut self, number: TrackedValue) -> TrackedValue {
        if number.trust == Trust::Doubtful { self.made_ordinary(number) } else { number }
    }

    /// A component of a source, as MOV and others hand it on.
    pub fn moved(&mut self, a: &Operand, c: usize) -> TrackedValue {
        let number = self.source(a, c);
        self.settled(number)
    }

    /// A component of MIN or MAX. A NaN does not get through in all cases.
    pub fn extremum(
        &mut self,
        a: &Operand,
        b: &Operand,
        c: usize,
        of: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> F32x4,
    ) -> TrackedValue {
        let (a, b) = (self.moved(a, c), self.moved(b, c));
        self.note(a, b);
        TrackedValue { trust: a.trust.max(b.trust), ..clean(of(self.e, a.value, b.value)) }
    }

    /// 1 where a comparison holds, else 0.
    pub fn set(
        &mut self,
        a: &Operand,
        b: &Operand,
        c: usize,
        holds: impl Fn(&mut Emit<'_>, F32x4, F32x4) -> Mask,
    ) -> TrackedValue {
        let (a, b) = (self.source(a, c), self.source(b, c));
        self.note(a, b);
        let mask = holds(self.e, a.value, b.value);
        let e = &mut *self.e;
        let one = e.f(1.0);
        let (one, mask) = (e.bits(one), e.mask_ints(mask));
        let bits = e.iand(mask, one);
        clean(e.float_of_bits(bits))
    }

    /// a * b + c, the product rounded first.
    pub fn multiply_add(&mut self, a: &Operand, b: &Operand, addend: &Operand, c: usize) -> TrackedValue {
        if self.is_f24() && self.exact {
            let (a, b) = (self.f24_source(a, c), self.f24_source(b, c));
            let addend = self.f24_source(addend, c);
            let product = f24::product(self.e, a, b);
            return f24::sum(self.e, product, addend);
        }
        let product = self.product(a, b, c);
        self.plus(product, addend, c)
    }

    /// A component of DST.
    pub fn distance(&mut self, a: &Operand, b: &Operand, c: usize) -> TrackedValue {
        match c {
            0 => clean(self.e.f(1.0)),
            1 => self.product(a, b, 1),
            2 => self.moved(a, 2),
            _ => self.moved(b, 3),
        }
    }

    /// a * b
    pub fn product(&mut self, a: &Operand, b: &Operand, c: usize) -> TrackedValue {
        if self.is_f24() && self.exact {
            let (a, b) = (self.f24_source(a, c), self.f24_source(b, c));
            return f24::product(self.e, a, b);
        }
        let (x, y) = (self.term(a, c), self.term(b, c));
        let trust = f24::product_trust(x, y);
        let (x, y, e) = (x.value, y.value, &mut *self.e);
        let mut value = e.mul(x, y);
        if a.negate != b.negate {
            value = e.neg(value);
        }
        if self.exact {
            // NaN without a NaN among the factors is 0 * infinity: +0, whatever the signs.
            let (nan, given) = (e.unordered(value, value), e.unordered(x, y));
            let wrong = e.and_not(nan, given);
            let bits = e.bits(value);
            let bits = e.and_not(Mask(bits.0), wrong);
            value = e.float_of_bits(I32x4(bits.0));
        }
        TrackedValue { clean: self.exact, trust, ..clean(self.cut(value)) }
    }

    /// A component of an operand of products and sums, without the negation.
    fn term(&mut self, a: &Operand, c: usize) -> TrackedValue {
        self.take_ordinary(a, c);
        self.magnitude(a, c)
    }

    /// a + b, as a difference when one is negated.
    pub fn sum(&mut self, a: &Operand, b: &Operand, c: usize) -> TrackedValue {
        if self.is_f24() && self.exact {
            let (a, b) = (self.f24_source(a, c), self.f24_source(b, c));
            return f24::sum(self.e, a, b);
        }
        self.take_ordinary(a, c);
        if a.negate && !b.negate {
            let b = self.term(b, c);
            return self.plus(b, a, c);
        }
        let a = self.source(a, c);
        self.plus(a, b, c)
    }

    /// a + component `c` of `b`.
    fn plus(&mut self, a: TrackedValue, b: &Operand, c: usize) -> TrackedValue {
        self.take_ordinary(b, c);
        let y = self.magnitude(b, c);
        let value = if b.negate { self.e.sub(a.value, y.value) } else { self.e.add(a.value, y.value) };
        let is_clean = a.clean && y.clean && !self.is_f24();
        TrackedValue { clean: is_clean, trust: a.trust.max(Trust::Right), ..clean(self.cut(value)) }
    }

    /// Products from x on, each rounded, then summed from x on.
    pub fn dot(&mut self, a: &Operand, b: &Operand, terms: Dot) -> TrackedValue {
        if self.is_f24() && self.exact {
            return self.f24_dot(a, b, terms);
        }
        let mut sum = self.product(a, b, 0);
        let last = if terms == Dot::Xyzw { 3 } else { 2 };
        for c in 1..=last {
            if self.exact {
                let product = self.product(a, b, c);
                sum.value = self.e.add(sum.value, product.value);
                continue;
            }
            // A sum of two right products can be too small; one of more than that hides that a part of it was.
            if self.is_f24() && (c > 2 || c == 2 && sum.trust == Trust::Doubtful) {
                self.ordinary(sum.value);
                sum.trust = Trust::Ordinary;
            }
            let (x, y) = (self.term(a, c), self.term(b, c));
            let product = self.e.mul(x.value, y.value);
            let product = self.cut(product);
            let minus = a.negate != b.negate;
            let value = if minus { self.e.sub(sum.value, product) } else { self.e.add(sum.value, product) };
            sum.value = self.cut(value);
            sum.trust = sum.trust.max(f24::product_trust(x, y));
        }
        match terms {
            Dot::Xyz => TrackedValue { trust: Trust::Doubtful, ..sum },
            // The sum of the other products is ordinary.
            Dot::Xyzw => sum,
            Dot::Homogeneous => {
                let sum = self.made_ordinary(TrackedValue { trust: Trust::Doubtful, ..sum });
                self.plus(sum, b, 3)
            }
        }
    }

    /// A function of component `c`, computed in f32 whatever the numbers are.
    pub fn function(&mut self, a: &Operand, c: usize, of: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> TrackedValue {
        let x = self.source(a, c);
        if self.is_f24() {
            return self.f24_function(x, of);
        }
        TrackedValue { value: of(self.e, x.value), ..x }
    }

    /// 1 / a.x. There is no negative zero.
    pub fn reciprocal(&mut self, a: &Operand) -> TrackedValue {
        let x = self.source(a, 0);
        if self.is_f24() {
            return self.f24_reciprocal(x);
        }
        let e = &mut *self.e;
        let (zero, one) = (e.f(0.0), e.f(1.0));
        let divisor = e.add(x.value, zero);
        let inverse = e.div(one, divisor);
        TrackedValue { value: e.add(inverse, zero), ..x }
    }

    /// 1 / sqrt(a.x). There is no negative zero.
    pub fn reciprocal_root(&mut self, a: &Operand) -> TrackedValue {
        self.take_ordinary(a, 0);
        let x = self.source(a, 0);
        if self.is_f24() {
            return self.f24_reciprocal_root(x);
        }
        let e = &mut *self.e;
        let (zero, one) = (e.f(0.0), e.f(1.0));
        let radicand = e.add(x.value, zero);
        let root = e.sqrt(radicand);
        TrackedValue { value: e.div(one, root), ..x }
    }

    /// A component of LITP.
    pub fn litp(&mut self, source: &Operand, c: usize) -> TrackedValue {
        if c == 2 {
            return clean(self.e.f(0.0));
        }
        let x = self.moved(source, c);
        self.note(x, x);
        let e = &mut *self.e;
        let value = if c == 1 {
            let (low, high) = (e.f(-LITP_BOUND), e.f(LITP_BOUND));
            let x = e.max(x.value, low);
            e.min(x, high)
        } else {
            let zero = e.f(0.0);
            e.max(x.value, zero)
        };
        TrackedValue { trust: x.trust, ..clean(value) }
    }

    /// Sets cmp.x and cmp.y where these components of a source are not negative, those that are `wanted`.
    fn sign_flags(&mut self, source: &Operand, components: [usize; 2], wanted: [bool; 2]) {
        for i in (0..2).filter(|&i| wanted[i]) {
            let x = self.source(source, components[i]);
            self.note(x, x);
            let zero = self.e.f(0.0);
            let flag = self.e.le(zero, x.value);
            self.write_flag(i, flag);
        }
    }

    /// Component `c` of CMP.
    fn compare(&mut self, [first, second]: &[Operand; 2], c: usize, comparison: u8) -> Mask {
        if comparison >= 6 {
            return Mask(self.e.i(-1).0);
        }
        let (a, b) = (self.source(first, c), self.source(second, c));
        self.note(a, b);
        let (a, b, e) = (a.value, b.value, &mut *self.e);
        match comparison {
            0 => e.feq(a, b),
            1 => {
                let equal = e.feq(a, b);
                e.not(equal)
            }
            2 => e.lt(a, b),
            3 => e.le(a, b),
            4 => e.lt(b, a),
            _ => e.le(b, a),
        }
    }

    /// a0.x or a0.y from a number: cut to an integer; one that needs more than 8 bits, or NaN, adds nothing.
    fn move_address(&mut self, number: usize, x: TrackedValue) {
        self.note(x, x);
        let e = &mut *self.e;
        let (low, high) = (e.f(-129.0), e.f(128.0));
        let (above, below) = (e.lt(low, x.value), e.lt(x.value, high));
        let inside = e.and(above, below);
        let (whole, inside) = (e.truncate_to_int(x.value), e.mask_ints(inside));
        let offset = e.iand(whole, inside);
        self.write_address(number, offset);
    }

    /// Notes lanes in which either is a NaN that the guest may not have.
    pub fn note(&mut self, a: TrackedValue, b: TrackedValue) {
        if self.is_f24() {
            return;
        }
        let (a, b) = match (a.clean, b.clean) {
            (true, true) => return,
            (false, true) => (a, a),
            (true, false) => (b, b),
            (false, false) => (a, b),
        };
        let nan = self.e.unordered(a.value, b.value);
        self.file.suspect = Some(match self.file.suspect {
            Some(suspect) => self.e.or(suspect, nan),
            None => nan,
        });
    }
}
