//! Four doubles as two vectors, and lookups of the Tegra X1's function unit.

use cranelift_codegen::ir::immediates::Offset32;
use triglyph_guest::num::mufu::{MufuOps, Table};

use super::*;

/// Four doubles: lanes 0 and 1, lanes 2 and 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct F64x4(pub [Value; 2]);

impl Emit<'_> {
    /// The same on both halves.
    pub fn both(&mut self, a: F64x4, mut f: impl FnMut(&mut Self, Value) -> Value) -> F64x4 {
        F64x4(a.0.map(|half| f(self, half)))
    }

    /// The same on both halves of two.
    pub fn pairwise(&mut self, a: F64x4, b: F64x4, mut f: impl FnMut(&mut Self, Value, Value) -> Value) -> F64x4 {
        F64x4([f(self, a.0[0], b.0[0]), f(self, a.0[1], b.0[1])])
    }

    /// Four floats as doubles, exactly.
    pub fn widen(&mut self, a: F32x4) -> F64x4 {
        let high = self.shuffle(a.0, a.0, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
        F64x4([a.0, high].map(|half| self.b.ins().fvpromote_low(half)))
    }

    /// The nearest floats, ties to even.
    pub fn narrow(&mut self, a: F64x4) -> F32x4 {
        let [low, high] = a.0.map(|half| self.b.ins().fvdemote(half));
        F32x4(self.shuffle(low, high, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]))
    }

    /// a - b
    pub fn dsub(&mut self, a: F64x4, b: F64x4) -> F64x4 {
        self.pairwise(a, b, |e, a, b| e.b.ins().fsub(a, b))
    }

    /// A comparison of doubles as a mask of four lanes.
    pub fn dcompare(&mut self, code: FloatCC, a: F64x4, b: F64x4) -> Mask {
        let wide = self.pairwise(a, b, |e, a, b| e.b.ins().fcmp(code, a, b));
        let [low, high] = wide.0.map(|half| self.cast(half, I32X4));
        Mask(self.even_words(low, high))
    }

    /// Words 0 and 2 of two vectors: the lower words of 64-bit lanes.
    pub fn even_words(&mut self, low: Value, high: Value) -> Value {
        self.shuffle(low, high, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
    }

    /// Words 1 and 3 of two vectors: the upper words of 64-bit lanes.
    pub fn odd_words(&mut self, low: Value, high: Value) -> Value {
        self.shuffle(low, high, [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
    }

    /// 64-bit lanes of lower and upper words.
    pub fn join_words(&mut self, low: I32x4, high: I32x4) -> [Value; 2] {
        self.zip(low.0, high.0)
    }

    /// The lower and the upper words of 64-bit lanes.
    pub fn split_words(&mut self, wide: [Value; 2]) -> [I32x4; 2] {
        let [low, high] = wide.map(|half| self.cast(half, I32X4));
        [I32x4(self.even_words(low, high)), I32x4(self.odd_words(low, high))]
    }

    /// The doubles of these words, lower ones first.
    pub fn double_of_words(&mut self, low: I32x4, high: I32x4) -> F64x4 {
        let wide = self.join_words(low, high);
        F64x4(wide.map(|half| self.cast(half, F64X2)))
    }

    /// The lower and the upper words of doubles.
    pub fn double_words(&mut self, a: F64x4) -> [I32x4; 2] {
        self.split_words(a.0)
    }

    /// Addresses of static data are constants.
    fn address_of<T>(&mut self, data: &'static [T]) -> Value {
        self.b.ins().iconst(I64, data.as_ptr() as i64)
    }
}

impl MufuOps for Emit<'_> {
    type D = F64x4;

    fn d(&mut self, value: f64) -> F64x4 {
        let half = self.doubles(value);
        F64x4([half, half])
    }

    fn promote(&mut self, a: F32x4) -> F64x4 {
        self.widen(a)
    }

    fn truncate(&mut self, a: F64x4) -> F32x4 {
        let keep = self.longs(!0x1FFF_FFFF);
        let cut = self.both(a, |e, half| {
            let bits = e.cast(half, I64X2);
            let bits = e.b.ins().band(bits, keep);
            e.cast(bits, F64X2)
        });
        self.narrow(cut)
    }

    fn dadd(&mut self, a: F64x4, b: F64x4) -> F64x4 {
        self.pairwise(a, b, |e, a, b| e.b.ins().fadd(a, b))
    }

    fn dmul(&mut self, a: F64x4, b: F64x4) -> F64x4 {
        self.pairwise(a, b, |e, a, b| e.b.ins().fmul(a, b))
    }

    fn ddiv(&mut self, a: F64x4, b: F64x4) -> F64x4 {
        self.pairwise(a, b, |e, a, b| e.b.ins().fdiv(a, b))
    }

    fn dfloor(&mut self, a: F64x4) -> F64x4 {
        self.both(a, |e, half| e.b.ins().floor(half))
    }

    fn dsqrt(&mut self, a: F64x4) -> F64x4 {
        self.both(a, |e, half| e.b.ins().sqrt(half))
    }

    fn double_of_high(&mut self, a: I32x4) -> F64x4 {
        let zero = self.i(0);
        self.double_of_words(zero, a)
    }

    fn high_of_double(&mut self, a: F64x4) -> I32x4 {
        let half = self.longs(1 << 31);
        let rounded = a.0.map(|bits| {
            let bits = self.cast(bits, I64X2);
            self.b.ins().iadd(bits, half)
        });
        self.split_words(rounded)[1]
    }

    fn row(&mut self, table: &'static Table, index: I32x4) -> [F64x4; 3] {
        let base = self.address_of(table.rows);
        let last = self.i(table.rows.len() as i32 - 1);
        let index = self.umin(index, last);
        let rows = [0, 1, 2, 3].map(|lane| {
            let index = self.lane(index, lane);
            self.address(base, index, 5)
        });
        let halves = [[rows[0], rows[1]], [rows[2], rows[3]]];
        [0, 8, 16].map(|offset: i32| F64x4(halves.map(|pair| self.load_two_doubles(pair, offset))))
    }
}

impl Emit<'_> {
    fn load_two_doubles(&mut self, rows: [Value; 2], offset: impl Into<Offset32> + Copy) -> Value {
        let [a, b] = rows.map(|row| self.b.ins().load(F64, memory(), row, offset));
        let vector = self.b.ins().scalar_to_vector(F64X2, a);
        self.b.ins().insertlane(vector, b, 1)
    }
}
