//! Constants, casts, shuffles.

use super::*;

impl Emit<'_> {
    /// Keeps constants in the `capacity` vectors at `offset` of the arguments, which the caller fills with what
    /// [`Self::take_pool`] returns.
    pub fn use_pool(&mut self, offset: i32, capacity: usize) {
        self.pool = Some(Pool { offset, capacity, entries: Vec::new(), near: HashMap::new() });
    }

    /// The constants that the code expects among its arguments.
    pub fn take_pool(&mut self) -> Vec<[u8; 16]> {
        self.pool.take().map_or_else(Vec::new, |pool| pool.entries)
    }

    /// Where the pool holds a constant. All zeros and all ones are cheaper to make than to load.
    fn pooled(&mut self, bytes: [u8; 16]) -> Option<i32> {
        if bytes == [0; 16] || bytes == [0xFF; 16] {
            return None;
        }
        let pool = self.pool.as_mut()?;
        let index = pool.entries.iter().position(|entry| *entry == bytes).or_else(|| {
            pool.entries.push(bytes);
            (pool.entries.len() <= pool.capacity).then(|| pool.entries.len() - 1)
        });
        pool.entries.truncate(pool.capacity);
        index.map(|index| pool.offset + 16 * index as i32)
    }

    fn constant(&mut self, bytes: [u8; 16], ty: Type) -> Value {
        if let Some(offset) = self.pooled(bytes) {
            let now = self.b.func.dfg.num_insts();
            let near = self.pool.as_ref().and_then(|pool| pool.near.get(&(bytes, ty)));
            let value = match near {
                Some(&(value, then)) if now - then < NEAR => value,
                _ => self.b.ins().load(ty, memory(), self.args, offset),
            };
            if let Some(pool) = &mut self.pool {
                pool.near.insert((bytes, ty), (value, now));
            }
            return value;
        }
        if let Some(&value) = self.constants.get(&(bytes, ty)) {
            return value;
        }
        let handle = self.b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
        let value = self.b.ins().vconst(ty, handle);
        self.constants.insert((bytes, ty), value);
        value
    }

    /// Four constant floats.
    pub fn floats(&mut self, values: [f32; 4]) -> F32x4 {
        F32x4(self.constant(bytes(values.map(f32::to_le_bytes)), F32X4))
    }

    /// Four constant integers.
    pub fn ints(&mut self, values: [i32; 4]) -> I32x4 {
        I32x4(self.constant(bytes(values.map(i32::to_le_bytes)), I32X4))
    }

    /// A constant 16-bit integer, eight times.
    pub fn short(&mut self, value: u16) -> I16x8 {
        I16x8(self.constant(bytes([value.to_le_bytes(); 8]), I16X8))
    }

    /// A constant 64-bit integer, twice.
    pub fn longs(&mut self, value: u64) -> Value {
        self.constant(bytes([value.to_le_bytes(); 2]), I64X2)
    }

    /// A constant double, twice.
    pub fn doubles(&mut self, value: f64) -> Value {
        self.constant(bytes([value.to_le_bytes(); 2]), F64X2)
    }

    /// Constant bytes, for byte shuffles.
    pub fn bytes(&mut self, values: [u8; 16]) -> Value {
        self.constant(values, I8X16)
    }

    /// A 64-bit scalar.
    pub fn i64(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }

    /// A 32-bit scalar.
    pub fn i32(&mut self, value: i32) -> Value {
        self.b.ins().iconst(I32, i64::from(value as u32))
    }

    /// The scalar float four times.
    pub fn splat_f32(&mut self, scalar: Value) -> F32x4 {
        F32x4(self.b.ins().splat(F32X4, scalar))
    }

    /// The 32-bit scalar four times.
    pub fn splat_i32(&mut self, scalar: Value) -> I32x4 {
        I32x4(self.b.ins().splat(I32X4, scalar))
    }

    /// The bits of a vector as another type.
    pub fn cast(&mut self, value: Value, to: Type) -> Value {
        // Each cast is an instruction: a cast of a cast uses the original value.
        let mut value = value;
        if let Some(inst) = self.b.func.dfg.value_def(value).inst()
            && let InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } = self.b.func.dfg.insts[inst]
        {
            value = arg;
        }
        if self.b.func.dfg.value_type(value) == to {
            return value;
        }
        let value = self.b.ins().bitcast(to, MemFlagsData::new().with_endianness(Endianness::Little), value);
        self.once(value)
    }

    /// Bytes of `a` (0 to 15) and `b` (16 to 31) in the order `order`, as a vector of `a`'s type.
    pub fn shuffle(&mut self, a: Value, b: Value, order: [u8; 16]) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        // The code generator recognises equal operands only if they are the same value.
        let second = (a != b).then(|| self.cast(b, I8X16));
        let a = self.cast(a, I8X16);
        let b = second.unwrap_or(a);
        let order = self.b.func.dfg.immediates.push(ConstantData::from(&order[..]));
        let result = self.b.ins().shuffle(a, b, order);
        self.cast(result, ty)
    }

    /// Bytes of `a` in the order `order`, [`Self::NO_BYTE`] giving zero, as a vector of `a`'s type.
    pub fn pick_bytes(&mut self, a: Value, order: [u8; 16]) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let a = self.cast(a, I8X16);
        let order = self.bytes(order);
        let result = if self.caps.x86 { self.b.ins().x86_pshufb(a, order) } else { self.b.ins().swizzle(a, order) };
        self.cast(result, ty)
    }

    /// Gives a zero byte, in [`Self::pick_bytes`].
    pub const NO_BYTE: u8 = 0x80;

    /// Each lane's bytes, or those of its 16-bit halves, in the other order. `unit` is 4 or 2 bytes; 1 changes nothing.
    pub fn swap_bytes(&mut self, a: I32x4, unit: u8) -> I32x4 {
        let order: [u8; 16] = match unit {
            4 => [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12],
            2 => [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14],
            _ => return a,
        };
        I32x4(self.pick_bytes(a.0, order))
    }

    /// Lanes 1, 1, 3, 3 less lanes 0, 0, 2, 2: differences along the rows of a quad.
    pub fn difference_x(&mut self, a: F32x4) -> F32x4 {
        let right = self.shuffle(a.0, a.0, [4, 5, 6, 7, 4, 5, 6, 7, 12, 13, 14, 15, 12, 13, 14, 15]);
        let left = self.shuffle(a.0, a.0, [0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11]);
        self.sub(F32x4(right), F32x4(left))
    }

    /// Lanes 2, 3, 2, 3 less lanes 0, 1, 0, 1: differences along the columns of a quad.
    pub fn difference_y(&mut self, a: F32x4) -> F32x4 {
        let lower = self.shuffle(a.0, a.0, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
        let upper = self.shuffle(a.0, a.0, [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]);
        self.sub(F32x4(lower), F32x4(upper))
    }
}

/// Joins little-endian pieces to one constant.
fn bytes<const N: usize, const M: usize>(pieces: [[u8; N]; M]) -> [u8; 16] {
    let mut out = [0; 16];
    for (to, from) in out.chunks_exact_mut(N).zip(pieces) {
        to.copy_from_slice(&from);
    }
    out
}
