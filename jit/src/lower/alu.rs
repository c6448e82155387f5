//! Arithmetic, comparisons and address registers.
//!
//! Products are plain, although to the guest 0 * infinity is 0: a NaN from there goes through everything until it is
//! exported or something hides it. Both places note it, and the group is done again. What cannot hold such a NaN
//! ([`Number::clean`]) is not looked at. Programs that meet many are compiled a second time with exact products, of
//! which nothing is doubtful.

use triglyph_guest::kernel::vertex::Numbers;
use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::pica::isa::Dst;

use super::Lower;
use super::decode::{Alu, Instruction, Operand};
use super::live::Live;
use super::registers::{Number, clean};
use crate::lane::{F32x4, I32x4, Mask};

/// Bound of LITP's second component: 127 + 255/256.
const LITP_BOUND: f32 = 127.996_09;

impl Lower<'_, '_> {
    /// Emits one instruction without control flow; `live` is what matters behind it.
    pub fn instruction(&mut self, instruction: &Instruction, live: &Live) {
        match instruction {
            Instruction::Arithmetic { op, sources, target, mask } => {
                if *op == Alu::Litp {
                    self.litp_flags(&sources[0], live.flags);
                }
                let needed = live.needed(*target, *mask);
                if needed.contains(&true) {
                    self.arithmetic(*op, sources, *target, needed);
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
    pub fn console(&self) -> bool {
        self.source.numbers == Numbers::F24
    }

    /// Computes the components `needed` from all sources, then writes them.
    fn arithmetic(&mut self, op: Alu, sources: &[Operand; 3], target: Dst, needed: [bool; 4]) {
        let all = match op {
            Alu::Dp3 | Alu::Dp4 | Alu::Dph if self.console() => Some(self.console_dot(op, sources)),
            Alu::Dp3 | Alu::Dp4 | Alu::Dph => Some(self.dot(op, sources)),
            Alu::Ex2 | Alu::Lg2 | Alu::Rcp | Alu::Rsq => {
                let x = self.source(&sources[0], 0);
                Some(if self.console() { self.console_scalar(op, x) } else { self.scalar(op, x) })
            }
            _ => None,
        };
        let result: [Option<Number>; 4] =
            std::array::from_fn(|c| needed[c].then(|| all.unwrap_or_else(|| self.component(op, sources, c))));
        for (component, number) in result.into_iter().enumerate() {
            if let Some(number) = number {
                self.write(target, component, number);
            }
        }
    }

    /// Component `c` of an instruction that treats components one by one.
    fn component(&mut self, op: Alu, sources: &[Operand; 3], c: usize) -> Number {
        let [first, second, third] = sources;
        match op {
            Alu::Add | Alu::Mad | Alu::Mul if self.console() => self.console_component(op, sources, c),
            Alu::Add => self.sum(first, second, c),
            Alu::Mad => {
                let product = self.product(first, second, c);
                self.plus(product, third, c)
            }
            Alu::Mul => self.product(first, second, c),
            Alu::Dst => match c {
                0 => clean(self.e.f(1.0)),
                1 if self.console() => self.console_component(op, sources, 1),
                1 => self.product(first, second, 1),
                2 => self.source(first, 2),
                _ => self.source(second, 3),
            },
            Alu::Flr => {
                let x = self.source(first, c);
                if self.console() {
                    return self.console_scalar(op, x);
                }
                Number { value: self.e.floor(x.value), ..x }
            }
            Alu::Litp => self.litp(first, c),
            Alu::Max | Alu::Min | Alu::Sge | Alu::Slt => {
                let (a, b) = (self.source(first, c), self.source(second, c));
                clean(self.ordering(op, a, b))
            }
            _ => self.source(first, c),
        }
    }

    /// Minimum, maximum and set-on-compare. None of them lets a NaN through in all cases.
    fn ordering(&mut self, op: Alu, a: Number, b: Number) -> F32x4 {
        self.note(a, b);
        let (a, b, e) = (a.value, b.value, &mut *self.e);
        let mask = match op {
            Alu::Max => return e.max(a, b),
            Alu::Min => return e.min(a, b),
            Alu::Sge => e.le(b, a),
            _ => e.lt(a, b),
        };
        let one = e.f(1.0);
        let (one, mask) = (e.bits(one), e.mask_ints(mask));
        let bits = e.iand(mask, one);
        e.float_of_bits(bits)
    }

    fn product(&mut self, a: &Operand, b: &Operand, c: usize) -> Number {
        let (x, y) = (self.magnitude(a, c).value, self.magnitude(b, c).value);
        let e = &mut *self.e;
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
        Number { value, clean: self.exact, normal: false }
    }

    /// a + b, as a difference when one is negated.
    fn sum(&mut self, a: &Operand, b: &Operand, c: usize) -> Number {
        if a.negate && !b.negate {
            let b = self.magnitude(b, c);
            return self.plus(b, a, c);
        }
        let a = self.source(a, c);
        self.plus(a, b, c)
    }

    /// a + component `c` of `b`.
    fn plus(&mut self, a: Number, b: &Operand, c: usize) -> Number {
        let y = self.magnitude(b, c);
        let value = if b.negate { self.e.sub(a.value, y.value) } else { self.e.add(a.value, y.value) };
        Number { value, clean: a.clean && y.clean, normal: false }
    }

    /// Products from x on, each rounded, then summed from x on.
    fn dot(&mut self, op: Alu, [first, second, _]: &[Operand; 3]) -> Number {
        let mut sum = self.product(first, second, 0);
        let last = if op == Alu::Dp4 { 3 } else { 2 };
        for c in 1..=last {
            if self.exact {
                let product = self.product(first, second, c);
                sum.value = self.e.add(sum.value, product.value);
                continue;
            }
            let (x, y) = (self.magnitude(first, c), self.magnitude(second, c));
            let product = self.e.mul(x.value, y.value);
            let minus = first.negate != second.negate;
            sum.value = if minus { self.e.sub(sum.value, product) } else { self.e.add(sum.value, product) };
        }
        // The w of DPH's first source is 1.
        if op == Alu::Dph { self.plus(sum, second, 3) } else { sum }
    }

    fn scalar(&mut self, op: Alu, x: Number) -> Number {
        let e = &mut *self.e;
        let value = match op {
            Alu::Ex2 => ops::exp2(e, x.value),
            Alu::Lg2 => ops::log2(e, x.value),
            // There is no negative zero.
            _ => {
                let (zero, one) = (e.f(0.0), e.f(1.0));
                let x = e.add(x.value, zero);
                if op == Alu::Rsq {
                    let root = e.sqrt(x);
                    e.div(one, root)
                } else {
                    let inverse = e.div(one, x);
                    e.add(inverse, zero)
                }
            }
        };
        Number { value, ..x }
    }

    fn litp(&mut self, source: &Operand, c: usize) -> Number {
        if c == 2 {
            return clean(self.e.f(0.0));
        }
        let x = self.source(source, c);
        self.note(x, x);
        let e = &mut *self.e;
        clean(if c == 1 {
            let (low, high) = (e.f(-LITP_BOUND), e.f(LITP_BOUND));
            let x = e.max(x.value, low);
            e.min(x, high)
        } else {
            let zero = e.f(0.0);
            e.max(x.value, zero)
        })
    }

    /// The flags of LITP: x >= 0 and w >= 0.
    fn litp_flags(&mut self, source: &Operand, wanted: [bool; 2]) {
        for i in (0..2).filter(|&i| wanted[i]) {
            let x = self.source(source, [0, 3][i]);
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
    fn move_address(&mut self, number: usize, x: Number) {
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
    pub fn note(&mut self, a: Number, b: Number) {
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
