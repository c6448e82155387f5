//! Loads, stores, gathers and transposes.

use super::*;

/// The lower and the upper halves of two vectors, as orders of bytes.
const LOW: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];

impl Emit<'_> {
    /// A 32-bit scalar at `base + offset`.
    pub fn load_i32(&mut self, base: Value, offset: impl Into<Offset32>) -> Value {
        self.b.ins().load(I32, memory(), base, offset)
    }

    /// A 32-bit unsigned integer at `base + offset` as a 64-bit scalar.
    pub fn load_u32(&mut self, base: Value, offset: impl Into<Offset32>) -> Value {
        self.b.ins().uload32(memory(), base, offset)
    }

    /// A 64-bit scalar or address at `base + offset`.
    pub fn load_i64(&mut self, base: Value, offset: impl Into<Offset32>) -> Value {
        self.b.ins().load(I64, memory(), base, offset)
    }

    /// A scalar float at `base + offset`.
    pub fn load_f32(&mut self, base: Value, offset: impl Into<Offset32>) -> Value {
        self.b.ins().load(F32, memory(), base, offset)
    }

    /// Stores a scalar or vector at `base + offset`.
    pub fn store(&mut self, value: Value, base: Value, offset: impl Into<Offset32>) {
        self.b.ins().store(memory(), value, base, offset);
    }

    /// Four floats at `base + offset`.
    pub fn load_floats(&mut self, base: Value, offset: impl Into<Offset32>) -> F32x4 {
        F32x4(self.b.ins().load(F32X4, memory(), base, offset))
    }

    /// Four integers at `base + offset`.
    pub fn load_ints(&mut self, base: Value, offset: impl Into<Offset32>) -> I32x4 {
        I32x4(self.b.ins().load(I32X4, memory(), base, offset))
    }

    /// Eight 16-bit integers at `base + offset`.
    pub fn load_shorts(&mut self, base: Value, offset: impl Into<Offset32>) -> I16x8 {
        I16x8(self.b.ins().load(I16X8, memory(), base, offset))
    }

    /// One float at `base + offset`, four times.
    pub fn load_splat_f32(&mut self, base: Value, offset: impl Into<Offset32>) -> F32x4 {
        let scalar = self.load_f32(base, offset);
        self.splat_f32(scalar)
    }

    /// One 32-bit integer at `base + offset`, four times.
    pub fn load_splat_i32(&mut self, base: Value, offset: impl Into<Offset32>) -> I32x4 {
        let scalar = self.load_i32(base, offset);
        self.splat_i32(scalar)
    }

    /// `index * factor` of a 64-bit scalar.
    pub fn scale(&mut self, index: Value, factor: u32) -> Value {
        if factor.is_power_of_two() {
            self.b.ins().ishl_imm_u(index, i64::from(factor.trailing_zeros()))
        } else {
            self.b.ins().imul_imm_u(index, i64::from(factor))
        }
    }

    /// `base + (index << shift)` of a 32-bit unsigned scalar index.
    pub fn address(&mut self, base: Value, index: Value, shift: u32) -> Value {
        let index = self.b.ins().uextend(I64, index);
        let offset = if shift == 0 { index } else { self.b.ins().ishl_imm_u(index, i64::from(shift)) };
        self.b.ins().iadd(base, offset)
    }

    /// The words at `base + 4 * min(index, last)`, unsigned. `last` is what makes every access valid.
    pub fn gather32(&mut self, base: Value, index: I32x4, last: I32x4) -> I32x4 {
        let index = self.umin(index, last);
        self.gather32_unclamped(base, index)
    }

    /// The words at `base + 4 * index`; the caller knows that every index is valid.
    pub fn gather32_unclamped(&mut self, base: Value, index: I32x4) -> I32x4 {
        // As floats, so that the load folds into the insertion.
        let mut result = None;
        for lane in 0..4u8 {
            let index = self.lane(index, lane);
            let address = self.address(base, index, 2);
            let word = self.load_f32(address, 0);
            result = Some(match result {
                None => self.b.ins().scalar_to_vector(F32X4, word),
                Some(vector) => self.b.ins().insertlane(vector, word, lane),
            });
        }
        match result {
            Some(vector) => I32x4(self.cast(vector, I32X4)),
            None => self.i(0),
        }
    }

    /// The lanes as 64-bit scalars, zero-extended, by way of the 16 bytes at `args + scratch`: cheaper than four
    /// extractions where many are wanted.
    pub fn lanes_through_memory(&mut self, a: I32x4, scratch: i32) -> [Value; 4] {
        let args = self.args;
        self.store(a.0, args, scratch);
        [0, 4, 8, 12].map(|lane| self.b.ins().uload32(memory(), args, scratch + lane))
    }

    /// As [`Self::gather32_unclamped`] where the three words after each one may be read. Uses 16 bytes at `args +
    /// scratch`.
    pub fn gather32_padded(&mut self, base: Value, index: I32x4, scratch: i32) -> I32x4 {
        let args = self.args;
        self.store(index.0, args, scratch);
        self.gather32_at(base, args, scratch)
    }

    /// As [`Self::gather32_padded`] with the four indices at `indices + offset`.
    pub fn gather32_at(&mut self, base: Value, indices: Value, offset: i32) -> I32x4 {
        // An index is loaded right before its use: there is no register for each of them.
        let address = |e: &mut Self, lane: u8| {
            let index = e.load_u32(indices, offset + 4 * i32::from(lane));
            let offset = e.b.ins().ishl_imm_u(index, 2);
            e.b.ins().iadd(base, offset)
        };
        let first = address(self, 0);
        let mut vector = self.load_floats(first, 0).0;
        for lane in 1..4 {
            let address = address(self, lane);
            let word = self.load_f32(address, 0);
            vector = self.b.ins().insertlane(vector, word, lane);
        }
        I32x4(self.cast(vector, I32X4))
    }

    /// `base + 8 * index`. Uses 16 bytes at `args + scratch`.
    pub fn pair_addresses(&mut self, base: Value, index: I32x4, scratch: i32) -> [Value; 4] {
        self.lanes_through_memory(index, scratch).map(|index| {
            let offset = self.b.ins().ishl_imm_u(index, 3);
            self.b.ins().iadd(base, offset)
        })
    }

    /// The pairs of floats at these addresses, `offset` bytes on, as two vectors.
    pub fn load_pairs(&mut self, addresses: [Value; 4], offset: i32) -> [F32x4; 2] {
        // As doubles: loads that stay in the vector unit.
        let [a, b, c, d] = addresses.map(|address| self.b.ins().load(F64, memory(), address, offset));
        let mut join = |a: Value, b: Value| {
            let vector = self.b.ins().scalar_to_vector(F64X2, a);
            let vector = self.b.ins().insertlane(vector, b, 1);
            self.cast(vector, F32X4)
        };
        let (a, b) = (join(a, b), join(c, d));
        self.unzip(a, b)
    }

    /// As [`Self::load_pairs`] where another pair before or after each one may be read.
    pub fn load_pairs_wide(&mut self, addresses: [Value; 4], offset: i32, before: bool) -> [F32x4; 2] {
        let (offset, order) = if before { (offset - 8, HIGH) } else { (offset, LOW) };
        self.join_pairs(order, |e, lane| e.load_floats(addresses[lane], offset))
    }

    /// The pairs of floats at `base + 8 * index + offset`, as two vectors, where another pair after each one may be
    /// read. Uses 16 bytes at `args + scratch`.
    pub fn gather_pairs(&mut self, base: Value, index: I32x4, offset: i32, scratch: i32) -> [F32x4; 2] {
        let args = self.args;
        self.store(index.0, args, scratch);
        // As in `gather32_at`.
        self.join_pairs(LOW, |e, lane| {
            let index = e.load_u32(args, scratch + 4 * lane as i32);
            let distance = e.b.ins().ishl_imm_u(index, 3);
            let address = e.b.ins().iadd(base, distance);
            e.load_floats(address, offset)
        })
    }

    /// The first and the second floats of the pairs that are the halves of four vectors which `order` selects.
    fn join_pairs(&mut self, order: [u8; 16], mut vector: impl FnMut(&mut Self, usize) -> F32x4) -> [F32x4; 2] {
        let [a, b] = [0, 2].map(|lane| {
            let [a, b] = [lane, lane + 1].map(|lane| vector(self, lane).0);
            self.shuffle(a, b, order)
        });
        self.unzip(a, b)
    }

    /// The even and the odd lanes of two vectors.
    pub fn unzip(&mut self, a: Value, b: Value) -> [F32x4; 2] {
        [
            F32x4(self.shuffle(a, b, [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])),
            F32x4(self.shuffle(a, b, [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])),
        ]
    }

    /// The low lanes of two vectors in turns, and the high ones: undoes [`Self::unzip`].
    pub fn zip(&mut self, a: Value, b: Value) -> [Value; 2] {
        [
            self.shuffle(a, b, [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
            self.shuffle(a, b, [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
        ]
    }

    /// Lane k of the four floats at `rows[k] + offset`, for each k.
    pub fn load_diagonal(&mut self, rows: [Value; 4], offset: i32) -> F32x4 {
        self.load_each(rows, [0, 4, 8, 12].map(|lane| offset + lane))
    }

    /// The floats at `rows[k] + offset`.
    pub fn load_column(&mut self, rows: [Value; 4], offset: i32) -> F32x4 {
        self.load_each(rows, [offset; 4])
    }

    /// The floats at `rows[k] + offsets[k]`.
    fn load_each(&mut self, [first, rest @ ..]: [Value; 4], [at, offsets @ ..]: [i32; 4]) -> F32x4 {
        let first = self.load_f32(first, at);
        let mut vector = self.b.ins().scalar_to_vector(F32X4, first);
        for (lane, (row, offset)) in (1u8..).zip(rest.into_iter().zip(offsets)) {
            let word = self.load_f32(row, offset);
            vector = self.b.ins().insertlane(vector, word, lane);
        }
        F32x4(vector)
    }

    /// Transposes four rows: result k holds lane k of each.
    pub fn transpose(&mut self, rows: [F32x4; 4]) -> [F32x4; 4] {
        const LOW: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
        const HIGH: [u8; 16] = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];
        const FIRST: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
        const SECOND: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];
        // As bytes throughout: every cast is an instruction.
        let [a, b, c, d] = rows.map(|row| self.cast(row.0, I8X16));
        let ab_low = self.shuffle(a, b, LOW);
        let cd_low = self.shuffle(c, d, LOW);
        let ab_high = self.shuffle(a, b, HIGH);
        let cd_high = self.shuffle(c, d, HIGH);
        [(ab_low, cd_low, FIRST), (ab_low, cd_low, SECOND), (ab_high, cd_high, FIRST), (ab_high, cd_high, SECOND)].map(
            |(ab, cd, order)| {
                let column = self.shuffle(ab, cd, order);
                F32x4(self.cast(column, F32X4))
            },
        )
    }

    /// Four 16-bit words at `base`, widened.
    pub fn load_4x16(&mut self, base: Value) -> I32x4 {
        I32x4(self.b.ins().uload16x4(memory(), base, 0))
    }

    /// Four 24-bit words at `base`; no byte after them is touched.
    pub fn load_4x24(&mut self, base: Value) -> I32x4 {
        let low = self.load_i64(base, 0);
        let high = self.load_i32(base, 8);
        let vector = self.b.ins().scalar_to_vector(I64X2, low);
        let vector = self.cast(vector, I32X4);
        let vector = self.b.ins().insertlane(vector, high, 2);
        // Bytes from 12 on are zero.
        let spread = self.shuffle(vector, vector, [0, 1, 2, 12, 3, 4, 5, 12, 6, 7, 8, 12, 9, 10, 11, 12]);
        I32x4(spread)
    }

    /// Stores the low 16 bits of each lane, all lanes being at most 65535.
    pub fn store_4x16(&mut self, value: I32x4, base: Value) {
        let narrow = self.b.ins().unarrow(value.0, value.0);
        let narrow = self.cast(narrow, I64X2);
        let word = self.b.ins().extractlane(narrow, 0);
        self.store(word, base, 0);
    }

    /// Stores the low 24 bits of each lane; no byte after them is touched.
    pub fn store_4x24(&mut self, value: I32x4, base: Value) {
        let packed = self.shuffle(value.0, value.0, [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 3, 3, 3]);
        let halves = self.cast(packed, I64X2);
        let low = self.b.ins().extractlane(halves, 0);
        let high = self.b.ins().extractlane(packed, 2);
        self.store(low, base, 0);
        self.store(high, base, 8);
    }
}
