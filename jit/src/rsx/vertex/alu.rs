//! Both units of an instruction.

use cranelift_codegen::ir::InstBuilder;
use std::mem::size_of;
use triglyph_guest::num::ops::{self, Ops};
use triglyph_guest::rsx::vertex::{CALL_DEPTH, Instruction, RCC_MAX, RCC_MIN, ScalarOp, Unit, VectorOp};

use super::Lower;
use super::operand::Gate;
use super::registers::Cell;
use crate::lane::{F32x4, I32x4};
use crate::program::sampler::{LodSource, Lookup, TextureUnit, sample};
use crate::program::texture_args::TextureArgs;
use crate::program::vertex::args::{Args, INDICES};

/// Result of a unit.
type Result4 = [Option<F32x4>; 4];

impl Lower<'_, '_> {
    /// Emits one instruction without control flow. `pushed` address registers are on the stack.
    pub fn instruction(&mut self, instruction: &Instruction, pushed: u8) {
        // Both units read before either writes.
        let (vector, scalar) = (&instruction.vector, &instruction.scalar);
        let vector_wanted = self.wanted(instruction, Unit::Vector);
        let scalar_wanted = self.wanted(instruction, Unit::Scalar);
        let vector_gates = self.gates(instruction, vector.mask);
        let scalar_gates = self.gates(instruction, scalar.mask);
        let addresses = vector.op.writes_address().then(|| self.addresses(instruction));
        let vector_result = self.vector(instruction, vector_wanted);
        let scalar_result = self.scalar(instruction, scalar_wanted);
        let stacked = self.stacked(instruction, pushed);

        if let Some(addresses) = addresses {
            for (c, value) in addresses.into_iter().enumerate() {
                if let Some(value) = value {
                    self.write_int_gated(Cell::Address(vector.address & 1, c as u8), vector_gates[c], value);
                }
            }
        }
        for (unit, result, gates, temp, output) in [
            (Unit::Vector, vector_result, vector_gates, vector.temp, vector.output),
            (Unit::Scalar, scalar_result, scalar_gates, scalar.temp, scalar.output),
        ] {
            let cells = [
                temp.map(|n| (0, n)),
                output.map(|n| (1, n)),
                (instruction.update == Some(unit)).then_some((2, instruction.condition_register & 1)),
            ];
            for c in 0..4 {
                let Some(value) = result[c] else { continue };
                let value = if instruction.saturate { self.e.clamp(value, 0.0, 1.0) } else { value };
                for (kind, n) in cells.into_iter().flatten() {
                    let cell = match kind {
                        0 => Cell::Temp(n, c as u8),
                        1 => Cell::Output(n, c as u8),
                        _ => Cell::Condition(n, c as u8),
                    };
                    self.write_gated(cell, gates[c], value);
                }
            }
        }
        if let Some(stacked) = stacked {
            self.write_stacked(instruction, pushed, stacked, scalar_gates);
        }
    }

    /// Components of a unit's result that go anywhere.
    fn wanted(&self, instruction: &Instruction, unit: Unit) -> [bool; 4] {
        let (mask, temp, output) = match unit {
            Unit::Vector => (instruction.vector.mask, instruction.vector.temp, instruction.vector.output),
            Unit::Scalar => (instruction.scalar.mask, instruction.scalar.temp, instruction.scalar.output),
        };
        let output = output.filter(|&n| self.source.key.outputs >> n & 1 != 0);
        let goes = temp.is_some() || output.is_some() || instruction.update == Some(unit);
        [0, 1, 2, 3].map(|c| goes && mask.has(c))
    }

    fn a(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        self.operand(instruction, 0, c)
    }

    fn b(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        self.operand(instruction, 1, c)
    }

    fn c(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        self.operand(instruction, 2, c)
    }

    fn vector(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        if !wanted.contains(&true) {
            return [None; 4];
        }
        let same = match instruction.vector.op {
            VectorOp::Dp3 => Some(self.dot(instruction, 3)),
            VectorOp::Dp4 => Some(self.dot(instruction, 4)),
            VectorOp::Dph => {
                let dot = self.dot(instruction, 3);
                Some(self.plus(instruction, dot, 1, 3))
            }
            VectorOp::Txl => return self.texture(instruction, wanted),
            _ => None,
        };
        std::array::from_fn(|c| wanted[c].then(|| same.unwrap_or_else(|| self.vector_component(instruction, c))))
    }

    fn vector_component(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        match instruction.vector.op {
            VectorOp::Mov => self.a(instruction, c),
            VectorOp::Mul => self.product(instruction, c),
            VectorOp::Add => {
                let [a, _, other] = &instruction.sources;
                if a.negate && !other.negate {
                    let other = self.c(instruction, c);
                    return self.plus(instruction, other, 0, c);
                }
                let a = self.a(instruction, c);
                self.plus(instruction, a, 2, c)
            }
            VectorOp::Mad => {
                let product = self.product(instruction, c);
                self.plus(instruction, product, 2, c)
            }
            VectorOp::Dst => match c {
                0 => self.e.f(1.0),
                1 => self.product(instruction, 1),
                2 => self.a(instruction, 2),
                _ => self.b(instruction, 3),
            },
            VectorOp::Frc => {
                let a = self.a(instruction, c);
                let floor = self.e.floor(a);
                self.e.sub(a, floor)
            }
            VectorOp::Flr => {
                let a = self.a(instruction, c);
                self.e.floor(a)
            }
            VectorOp::Str => self.e.f(1.0),
            VectorOp::Ssg => {
                let a = self.a(instruction, c);
                let e = &mut *self.e;
                let (zero, one, minus) = (e.f(0.0), e.f(1.0), e.f(-1.0));
                let (positive, negative) = (e.lt(zero, a), e.lt(a, zero));
                let below = e.select(negative, minus, zero);
                e.select(positive, one, below)
            }
            VectorOp::Min | VectorOp::Max => {
                let (a, b) = (self.a(instruction, c), self.b(instruction, c));
                if instruction.vector.op == VectorOp::Min { self.e.min(a, b) } else { self.e.max(a, b) }
            }
            VectorOp::Slt | VectorOp::Sge | VectorOp::Seq | VectorOp::Sgt | VectorOp::Sle | VectorOp::Sne => {
                self.comparison(instruction, c)
            }
            // SFL; the others have no result here.
            _ => self.e.f(0.0),
        }
    }

    fn comparison(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        let (a, b) = (self.a(instruction, c), self.b(instruction, c));
        let e = &mut *self.e;
        let mask = match instruction.vector.op {
            VectorOp::Slt => e.lt(a, b),
            VectorOp::Sge => e.le(b, a),
            VectorOp::Sle => e.le(a, b),
            VectorOp::Sgt => e.lt(b, a),
            VectorOp::Seq => e.feq(a, b),
            _ => {
                let equal = e.feq(a, b);
                e.not(equal)
            }
        };
        let one = e.f(1.0);
        let (bits, mask) = (e.bits(one), e.mask_ints(mask));
        let bits = e.iand(bits, mask);
        e.float_of_bits(bits)
    }

    /// a * b with the signs of the operands taken out.
    fn product(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        let product = self.unsigned_product(instruction, c);
        let [a, b, _] = &instruction.sources;
        if a.negate != b.negate { self.e.neg(product) } else { product }
    }

    fn unsigned_product(&mut self, instruction: &Instruction, c: usize) -> F32x4 {
        let (a, b) = (self.magnitude(instruction, 0, c), self.magnitude(instruction, 1, c));
        self.e.mul(a, b)
    }

    /// a + component `c` of source `n`, as a difference where that is negated.
    fn plus(&mut self, instruction: &Instruction, a: F32x4, n: usize, c: usize) -> F32x4 {
        let b = self.magnitude(instruction, n, c);
        if instruction.sources[n].negate { self.e.sub(a, b) } else { self.e.add(a, b) }
    }

    /// Products from x on, each rounded, summed from x on.
    fn dot(&mut self, instruction: &Instruction, count: usize) -> F32x4 {
        let [a, b, _] = &instruction.sources;
        let minus = a.negate != b.negate;
        let mut sum = self.product(instruction, 0);
        for c in 1..count {
            let product = self.unsigned_product(instruction, c);
            sum = if minus { self.e.sub(sum, product) } else { self.e.add(sum, product) };
        }
        sum
    }

    fn texture(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        let source = self.source;
        let unit = usize::from(instruction.vector.texture & 3);
        let Some(index) = source.textures.iter().position(|&(known, _)| known == unit) else {
            return wanted.map(|wanted| wanted.then(|| self.e.f(0.0)));
        };
        let coordinates = std::array::from_fn(|c| self.a(instruction, c));
        let e = &mut *self.e;
        let args = e.args;
        let textures = e.load_i64(args, Args::TEXTURES);
        let address = e.b.ins().iadd_imm_u(textures, (index * size_of::<TextureArgs>()) as i64);
        let unit = TextureUnit { key: &source.textures[index].1, args: address, scratch: INDICES };
        let lod_source = LodSource::Level(coordinates[3]);
        let result = sample(e, unit, &Lookup::new(coordinates, lod_source, wanted));
        std::array::from_fn(|c| wanted[c].then_some(result[c]))
    }

    fn scalar(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        if !wanted.contains(&true) {
            return [None; 4];
        }
        let same = match instruction.scalar.op {
            ScalarOp::Mov => {
                return std::array::from_fn(|c| wanted[c].then(|| self.c(instruction, c)));
            }
            ScalarOp::Exp => return self.exponential(instruction, wanted),
            ScalarOp::Log => return self.logarithm(instruction, wanted),
            ScalarOp::Lit => return self.lit(instruction, wanted),
            op => {
                let s = self.c(instruction, 0);
                self.function(op, s)
            }
        };
        wanted.map(|wanted| wanted.then_some(same))
    }

    fn function(&mut self, op: ScalarOp, s: F32x4) -> F32x4 {
        let e = &mut *self.e;
        let one = e.f(1.0);
        match op {
            ScalarOp::Rcp => e.div(one, s),
            ScalarOp::Rcc => {
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
            }
            ScalarOp::Rsq => {
                let root = e.sqrt(s);
                e.div(one, root)
            }
            ScalarOp::Lg2 => ops::log2(e, s),
            ScalarOp::Ex2 => ops::exp2(e, s),
            ScalarOp::Sin => ops::sin(e, s),
            ScalarOp::Cos => ops::cos(e, s),
            _ => e.f(0.0),
        }
    }

    /// EXP.
    fn exponential(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        let s = self.c(instruction, 0);
        let e = &mut *self.e;
        let floor = e.floor(s);
        std::array::from_fn(|c| {
            wanted[c].then(|| match c {
                0 => ops::exp2(e, floor),
                1 => e.sub(s, floor),
                2 => ops::exp2(e, s),
                _ => e.f(1.0),
            })
        })
    }

    /// LOG.
    fn logarithm(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        let s = self.c(instruction, 0);
        let e = &mut *self.e;
        let m = e.abs(s);
        let l = ops::log2(e, m);
        let floor = e.floor(l);
        std::array::from_fn(|c| {
            wanted[c].then(|| match c {
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
            })
        })
    }

    fn lit(&mut self, instruction: &Instruction, wanted: [bool; 4]) -> Result4 {
        std::array::from_fn(|c| {
            wanted[c].then(|| match c {
                1 => {
                    let x = self.c(instruction, 0);
                    let zero = self.e.f(0.0);
                    self.e.max(x, zero)
                }
                2 => {
                    let [x, y, w] = [0, 1, 3].map(|c| self.c(instruction, c));
                    let e = &mut *self.e;
                    let (zero, one) = (e.f(0.0), e.f(1.0));
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
                _ => self.e.f(1.0),
            })
        })
    }

    /// What ARL, ARR and ARA give, for the components of the mask.
    fn addresses(&mut self, instruction: &Instruction) -> [Option<I32x4>; 4] {
        let mask = instruction.vector.mask;
        let register = instruction.address_register & 1;
        std::array::from_fn(|c| {
            if !mask.has(c) {
                return None;
            }
            if instruction.vector.op == VectorOp::Ara {
                let [a, b] = [c % 2, c % 2 + 2].map(|c| self.int(Cell::Address(register, c as u8)));
                return Some(self.e.iadd(a, b));
            }
            let a = self.a(instruction, c);
            let whole = if instruction.vector.op == VectorOp::Arl { self.e.floor(a) } else { self.e.nearest(a) };
            Some(self.e.saturating_int(whole))
        })
    }

    /// The address register that PSH puts on the stack, or POP takes from it.
    fn stacked(&mut self, instruction: &Instruction, pushed: u8) -> Option<[I32x4; 4]> {
        let register = instruction.address_register & 1;
        let cell = |c: u8| match instruction.scalar.op {
            ScalarOp::Psh if usize::from(pushed) < CALL_DEPTH => Some(Cell::Address(register, c)),
            ScalarOp::Pop if pushed > 0 => Some(Cell::Pushed(pushed - 1, c)),
            _ => None,
        };
        let [x, y, z, w] = [0, 1, 2, 3].map(cell);
        Some([self.int(x?), self.int(y?), self.int(z?), self.int(w?)])
    }

    fn write_stacked(&mut self, instruction: &Instruction, pushed: u8, values: [I32x4; 4], gates: [Gate; 4]) {
        let register = instruction.address_register & 1;
        for (c, value) in values.into_iter().enumerate() {
            if instruction.scalar.op == ScalarOp::Psh {
                self.write_int(Cell::Pushed(pushed, c as u8), value);
            } else {
                self.write_int_gated(Cell::Address(register, c as u8), gates[c], value);
            }
        }
    }
}
