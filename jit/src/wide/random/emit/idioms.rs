//! Instructions that the code generator knows together.

use super::*;
use crate::lane::I16x8;
use crate::wide::random::program::{Comparison, Idiom, LaneTest};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{I8X16, I32X4};

impl Emitter<'_, '_> {
    pub(super) fn idiom(&mut self, id: Id, idiom: &Idiom, args: &[Operand]) {
        let none = Operand::default();
        let takes_any_nan = matches!(idiom, Idiom::Extremum { .. } | Idiom::Selection { .. });
        let want = Want { any_nan: takes_any_nan, shared: false };
        let operand = |(index, ty): (usize, Type)| self.operand(args.get(index).unwrap_or(&none), ty, want);
        let operands: Vec<ScopedValue> = idiom.args().into_iter().enumerate().map(operand).collect();
        let shared = operands.iter().all(|known| known.shared);
        // A selection of two floats is one of them.
        let exact = !matches!(idiom, Idiom::Extremum { .. }) || operands.iter().all(|known| known.exact);
        let values: Vec<Value> = operands.iter().map(|known| known.value).collect();
        if let Some(value) = self.idiom_value(idiom, &values) {
            self.know(id, value, exact, shared);
        }
    }

    fn idiom_value(&mut self, idiom: &Idiom, args: &[Value]) -> Option<Value> {
        Some(match (idiom, args) {
            (&Idiom::Product { signed, high }, &[a, b]) => self.product([a, b], signed, high),
            (Idiom::Products, &[a, b]) => self.e.madd16(I16x8(a), I16x8(b)).0,
            (Idiom::QuotientBy255, &[a]) => self.e.div255(I16x8(a)).0,
            (&Idiom::Doubles { high }, &[a]) => {
                let bytes = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15];
                let words = if high { self.e.shuffle(a, a, bytes) } else { a };
                let longs = self.e.b.ins().swiden_low(words);
                self.e.b.ins().fcvt_from_sint(F64X2, longs)
            }
            (&Idiom::Extremum { greater, swapped }, &[a, b]) => {
                let condition = if greater { FloatCC::GreaterThan } else { FloatCC::LessThan };
                let mask = self.e.b.ins().fcmp(condition, a, b);
                let mask = self.e.cast(mask, F32X4);
                let [yes, no] = if swapped { [b, a] } else { [a, b] };
                self.e.b.ins().bitselect(mask, yes, no)
            }
            (&Idiom::Complement { first, .. }, &[a, b]) => {
                let inverse = self.e.b.ins().bnot(a);
                if first { self.e.b.ins().band(inverse, b) } else { self.e.b.ins().band(b, inverse) }
            }
            (&Idiom::Selection { join, .. }, &[a, b, c, d, yes, no]) => {
                let mask = self.two_comparisons([a, b], [c, d], join);
                self.e.b.ins().bitselect(mask, yes, no)
            }
            (&Idiom::Joined { test, and, .. }, vectors) => self.joined(test, and, vectors),
            (&Idiom::Narrow { to, shifted, .. }, &[value]) => {
                let shifted = if shifted { self.e.b.ins().ishl_imm_u(value, i64::from(to.bits())) } else { value };
                self.e.b.ins().ireduce(to, shifted)
            }
            (Idiom::Least, &[a, b]) => self.least(a, b),
            (Idiom::Sum(_), vectors) => {
                let casts: Vec<Value> = vectors.iter().map(|&vector| self.e.cast(vector, I8X16)).collect();
                casts.into_iter().rev().reduce(|a, b| self.e.b.ins().iadd(a, b))?
            }
            (&Idiom::Late { ty, offset, how }, &[stored, vector]) => self.late(ty, (offset, how), stored, vector)?,
            _ => return None,
        })
    }

    /// A scalar that is loaded before a store that may change it.
    fn late(&mut self, ty: Type, (offset, how): (u8, u8), stored: Value, vector: Value) -> Option<Value> {
        let (base, start, area) = self.written(Area::To)?;
        let at = start + i32::from(offset) % (area.size() as i32 - 31);
        // What an iteration may do once more it must not read.
        let reads_back = self.iteration.is_none_or(|iteration| iteration.reads_back);
        let (from, offset) = if reads_back { (base, at + 8) } else { (self.e.args, at!(shared)) };
        let scalar = self.e.b.ins().load(ty, flags(), from, offset);
        if self.mask.is_none() && how & 4 == 0 {
            self.e.b.ins().store(flags(), stored, base, at);
        }
        let whole = self.e.b.func.dfg.value_type(vector);
        Some(match how % 3 {
            0 => self.e.b.ins().splat(whole, scalar),
            1 => self.e.b.ins().insertlane(vector, scalar, how % (128 / ty.bits()) as u8),
            _ => self.e.b.ins().scalar_to_vector(whole, scalar),
        })
    }

    fn product(&mut self, operands: [Value; 2], signed: bool, high: bool) -> Value {
        let widen = |value: Value| match (signed, high) {
            (false, false) => self.e.b.ins().uwiden_low(value),
            (false, true) => self.e.b.ins().uwiden_high(value),
            (true, false) => self.e.b.ins().swiden_low(value),
            (true, true) => self.e.b.ins().swiden_high(value),
        };
        let [a, b] = operands.map(widen);
        self.e.b.ins().imul(a, b)
    }

    /// A mask of floats that are less and integers that are greater.
    fn two_comparisons(&mut self, [a, b]: [Value; 2], [c, d]: [Value; 2], join: u8) -> Value {
        let less = self.e.b.ins().fcmp(FloatCC::LessThan, a, b);
        let greater = self.e.b.ins().icmp(IntCC::SignedGreaterThan, c, d);
        let less = self.e.cast(less, self.e.b.func.dfg.value_type(greater));
        match join % 5 {
            0 => self.e.b.ins().band(less, greater),
            1 => self.e.b.ins().bor(less, greater),
            2 => self.e.b.ins().bxor(less, greater),
            3 => {
                let not_less = self.e.b.ins().bnot(less);
                self.e.b.ins().band(greater, not_less)
            }
            _ => self.e.b.ins().bnot(greater),
        }
    }

    /// All lanes' bits where a comparison holds, as integers of 32 bits.
    pub(super) fn comparison(&mut self, how: Comparison, [a, b]: [&Operand; 2]) -> Value {
        let any_nan = Want { any_nan: true, shared: false };
        match how {
            Comparison::Floats(condition) => {
                let [a, b] = [a, b].map(|operand| self.operand(operand, F32X4, any_nan).value);
                self.e.b.ins().fcmp(condition, a, b)
            }
            Comparison::Ints(condition) => {
                let [a, b] = [a, b].map(|operand| self.exact(operand, I32X4).value);
                self.e.b.ins().icmp(condition, a, b)
            }
        }
    }

    /// One answer about all lanes of vectors, of which there are some.
    pub(super) fn joined(&mut self, test: LaneTest, and: bool, vectors: &[Value]) -> Value {
        let ask = |(index, &vector): (usize, &Value)| {
            let vector = if matches!(test, LaneTest::All(_)) { self.with_bits(vector, index) } else { vector };
            self.lane_test(test, vector)
        };
        let tests: Vec<Value> = vectors.iter().enumerate().map(ask).collect();
        let join = |a, b| if and { self.e.b.ins().band(a, b) } else { self.e.b.ins().bor(a, b) };
        tests.into_iter().reduce(join).unwrap_or_else(|| self.e.b.ins().iconst(I8, 0))
    }

    fn lane_test(&mut self, test: LaneTest, vector: Value) -> Value {
        match test {
            LaneTest::Any(_) => self.e.b.ins().vany_true(vector),
            LaneTest::All(_) => self.e.b.ins().vall_true(vector),
            LaneTest::Signs => self.all_signs(vector),
        }
    }

    /// A vector with a bit in each byte, another one for each index: of lanes that all have some, none may have the
    /// same.
    fn with_bits(&mut self, vector: Value, index: usize) -> Value {
        let ty = self.e.b.func.dfg.value_type(vector);
        let bits = self.constant([1 << (index % 8); 16], ty).value;
        self.e.b.ins().bor(vector, bits)
    }

    /// Whether the highest bit of each lane of 32 bits is set.
    pub(super) fn all_signs(&mut self, vector: Value) -> Value {
        let signs = self.e.b.ins().vhigh_bits(I32, vector);
        self.e.b.ins().icmp_imm_u(IntCC::Equal, signs, 0b1111)
    }

    /// Bits of an integer after they were shifted up and down by the least number of all iterations: as far as its own
    /// number says, none are lost.
    fn least(&mut self, a: Value, b: Value) -> Value {
        let own = self.e.b.ins().band_imm_u(b, 31);
        let few = self.e.b.ins().ushr(a, own);
        let count = self.e.b.ins().band_imm_u(b, 31);
        if self.iteration.is_some() {
            self.e.use_minimum();
        }
        let up = self.e.b.ins().ishl(few, count);
        self.e.b.ins().ushr(up, count)
    }
}
