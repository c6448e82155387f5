//! Four guest lanes as one value: the vocabulary in which kernels are emitted.
//!
//! A host `if` on state disappears, it only decides what is emitted. What a primitive does is what the CLIF
//! instruction of its name does on every host; operations that lower badly or not at all on some host are not
//! offered: minimum and maximum are a compare and a select in the order that hosts recognise, comparisons are the
//! eight that every host has, nothing traps, nothing is fused.
//!
//! Constants are emitted once per block; values may be used in every block that the defining block dominates.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{
    Block, BlockArg, ConstantData, Endianness, InstBuilder, InstructionData, MemFlagsData, Opcode, Type, Value,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use triglyph_guest::num::ops::Ops;

mod caps;
mod double;
mod half;
#[cfg(test)]
mod half_tests;
mod memory;
mod pair;
#[cfg(test)]
mod tests;

pub(crate) use caps::Caps;
pub(crate) use double::F64x4;
pub(crate) use half::HalfRange;
pub(crate) use pair::Pair;

/// Four floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct F32x4(pub Value);

/// Four 32-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct I32x4(pub Value);

/// Eight 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct I16x8(pub Value);

/// Four lanes that are all ones or all zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mask(pub Value);

/// Emits one kernel.
pub(crate) struct Emit<'a> {
    /// The builder, for control flow and scalars.
    pub b: FunctionBuilder<'a>,
    /// What the host can do.
    pub caps: Caps,
    /// The kernel's only parameter: the address of its arguments.
    pub args: Value,
    parameter: Value,
    constants: HashMap<([u8; 16], Type), Value>,
    pool: Option<Pool>,
}

/// Constants among the arguments: operations take them from memory, no register holds them.
struct Pool {
    offset: i32,
    capacity: usize,
    entries: Vec<[u8; 16]>,
    /// Constants loaded a short while ago, and when, counted in instructions.
    near: HashMap<([u8; 16], Type), (Value, usize)>,
}

/// Instructions after which a pooled constant is loaded again rather than kept in a register.
const NEAR: usize = 24;

/// Flags of every load and store: cannot trap, alignment unknown.
pub(crate) fn memory() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Emit<'a> {
    /// Starts the function's entry block.
    pub fn new(mut b: FunctionBuilder<'a>, caps: Caps) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let args = b.block_params(entry)[0];
        Emit { b, caps, args, parameter: args, constants: HashMap::new(), pool: None }
    }

    /// Ends the function body with `status` as the kernel's result.
    pub fn finish(&mut self, status: Value) {
        self.b.ins().return_(&[status]);
    }

    /// Ends the build.
    pub fn close(mut self, config: TargetFrontendConfig) {
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    // Control flow.

    /// A new block with parameters of these types.
    pub fn block(&mut self, parameters: &[Type]) -> Block {
        let block = self.b.create_block();
        for &ty in parameters {
            self.b.append_block_param(block, ty);
        }
        block
    }

    /// A new block that is unlikely to run; it is placed behind the others.
    pub fn cold_block(&mut self, parameters: &[Type]) -> Block {
        let block = self.block(parameters);
        self.b.set_cold_block(block);
        block
    }

    /// Goes on in `block`; constants are emitted anew there.
    pub fn switch_to(&mut self, block: Block) {
        self.b.switch_to_block(block);
        self.constants.clear();
        if let Some(pool) = &mut self.pool {
            pool.near.clear();
        }
        self.args = self.local(self.parameter);
    }

    /// An address for the use in this block alone. To single-pass allocation a value that lives on beyond a block is
    /// in memory all through it, and every use loads it again; a copy dies with the block.
    pub fn local(&mut self, address: Value) -> Value {
        if !self.caps.copies {
            return address;
        }
        // Not an addition: addressing modes see through those.
        self.b.ins().bor_imm_u(address, 0)
    }

    /// Parameter `index` of `block`.
    pub fn parameter(&self, block: Block, index: usize) -> Value {
        self.b.block_params(block)[index]
    }

    /// Jumps to `block`.
    pub fn jump(&mut self, block: Block, values: &[Value]) {
        let values: Vec<BlockArg> = values.iter().map(|&v| v.into()).collect();
        self.b.ins().jump(block, &values);
    }

    /// Jumps to `yes` when the integer `condition` is not zero, else to `no`.
    pub fn branch(&mut self, condition: Value, yes: (Block, &[Value]), no: (Block, &[Value])) {
        let [then, otherwise] = [yes.1, no.1].map(|values| values.iter().map(|&v| v.into()).collect::<Vec<BlockArg>>());
        self.b.ins().brif(condition, yes.0, &then, no.0, &otherwise);
    }

    /// All ways into these blocks are emitted. Only variables of the builder take notice.
    pub fn seal(&mut self, blocks: &[Block]) {
        for &block in blocks {
            self.b.seal_block(block);
        }
    }

    // Constants and scalars.

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

    /// Four floats that are known now.
    pub fn floats(&mut self, values: [f32; 4]) -> F32x4 {
        F32x4(self.constant(bytes(values.map(f32::to_le_bytes)), F32X4))
    }

    /// Four integers that are known now.
    pub fn ints(&mut self, values: [i32; 4]) -> I32x4 {
        I32x4(self.constant(bytes(values.map(i32::to_le_bytes)), I32X4))
    }

    /// One 16-bit integer eight times.
    pub fn short(&mut self, value: u16) -> I16x8 {
        I16x8(self.constant(bytes([value.to_le_bytes(); 8]), I16X8))
    }

    /// Two 64-bit integers, equal and known now.
    pub fn longs(&mut self, value: u64) -> Value {
        self.constant(bytes([value.to_le_bytes(); 2]), I64X2)
    }

    /// Two 64-bit floats, equal and known now.
    pub fn doubles(&mut self, value: f64) -> Value {
        self.constant(bytes([value.to_le_bytes(); 2]), F64X2)
    }

    /// Bytes that are known now, for byte shuffles.
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
        // Casts are instructions to the compiler: what was cast before is taken as it was.
        let mut value = value;
        if let Some(inst) = self.b.func.dfg.value_def(value).inst()
            && let InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } = self.b.func.dfg.insts[inst]
        {
            value = arg;
        }
        if self.b.func.dfg.value_type(value) == to {
            return value;
        }
        self.b.ins().bitcast(to, MemFlagsData::new().with_endianness(Endianness::Little), value)
    }

    /// Bytes of `a` (0 to 15) and `b` (16 to 31) in the order `order`, as a vector of `a`'s type.
    pub fn shuffle(&mut self, a: Value, b: Value, order: [u8; 16]) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        // One operand twice is recognised as such only when it is the same value.
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

    /// No byte at all, for [`Self::pick_bytes`].
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

    // Floats.

    /// The square root.
    pub fn sqrt(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().sqrt(a.0))
    }

    /// a without its sign.
    pub fn abs(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().fabs(a.0))
    }

    /// a with the other sign.
    pub fn neg(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().fneg(a.0))
    }

    /// a < b ? a : b, so b when either is NaN.
    pub fn min(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        let m = self.lt(a, b);
        self.select(m, a, b)
    }

    /// b < a ? a : b, so b when either is NaN.
    pub fn max(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        let m = self.lt(b, a);
        self.select(m, a, b)
    }

    /// `low < v ? v : low`, then `v < high ? v : high`: NaN becomes `low`.
    pub fn clamp(&mut self, v: F32x4, low: f32, high: f32) -> F32x4 {
        let low = self.f(low);
        let v = self.max(v, low);
        let high = self.f(high);
        self.min(v, high)
    }

    /// Conversion toward zero of values within the range of i32; others give anything.
    pub fn truncate_to_int(&mut self, a: F32x4) -> I32x4 {
        I32x4(if self.caps.x86 {
            self.b.ins().x86_cvtt2dq(I32X4, a.0)
        } else {
            self.b.ins().fcvt_to_sint_sat(I32X4, a.0)
        })
    }

    /// The nearest integer, ties to even.
    pub fn nearest(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().nearest(a.0))
    }

    /// Conversion of whole numbers; those outside of i32 become its limits, NaN 0.
    pub fn saturating_int(&mut self, a: F32x4) -> I32x4 {
        if !self.caps.x86 {
            return I32x4(self.b.ins().fcvt_to_sint_sat(I32X4, a.0));
        }
        // The instruction gives i32::MIN for everything that does not fit.
        let value = self.truncate_to_int(a);
        let limit = self.f(2_147_483_648.0);
        let above = self.le(limit, a);
        let value = self.ixor(value, I32x4(above.0));
        let nan = self.unordered(a, a);
        I32x4(self.b.ins().band_not(value.0, nan.0))
    }

    /// a <= b, false when either is NaN.
    pub fn le(&mut self, a: F32x4, b: F32x4) -> Mask {
        Mask(self.b.ins().fcmp(FloatCC::LessThanOrEqual, a.0, b.0))
    }

    /// a == b, false when either is NaN.
    pub fn feq(&mut self, a: F32x4, b: F32x4) -> Mask {
        Mask(self.b.ins().fcmp(FloatCC::Equal, a.0, b.0))
    }

    // Integers.

    /// a * b, wrapping. Slow: prefer shifts.
    pub fn imul(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().imul(a.0, b.0))
    }

    /// Logical a >> n.
    pub fn ushr(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().ushr_imm_u(a.0, i64::from(n)))
    }

    /// a ^ b
    pub fn ixor(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().bxor(a.0, b.0))
    }

    /// The smaller one, signed.
    pub fn imin(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().smin(a.0, b.0))
    }

    /// The larger one, signed.
    pub fn imax(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().smax(a.0, b.0))
    }

    /// The smaller one, unsigned.
    pub fn umin(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().umin(a.0, b.0))
    }

    /// The larger one, unsigned.
    pub fn imax_unsigned(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().umax(a.0, b.0))
    }

    /// a == b
    pub fn ieq(&mut self, a: I32x4, b: I32x4) -> Mask {
        Mask(self.b.ins().icmp(IntCC::Equal, a.0, b.0))
    }

    /// a < b, signed.
    pub fn ilt(&mut self, a: I32x4, b: I32x4) -> Mask {
        Mask(self.b.ins().icmp(IntCC::SignedGreaterThan, b.0, a.0))
    }

    /// m ? a : b
    pub fn iselect(&mut self, m: Mask, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().bitselect(m.0, a.0, b.0))
    }

    /// a * b of lanes from 0 to 32767, which is one operation.
    pub fn imul_small(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        let [a, b] = [a, b].map(|v| I16x8(self.cast(v.0, I16X8)));
        self.madd16(a, b)
    }

    /// Lane `lane` as a 32-bit scalar.
    pub fn lane(&mut self, a: I32x4, lane: u8) -> Value {
        self.b.ins().extractlane(a.0, lane)
    }

    // Masks.

    /// Both.
    pub fn and(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().band(a.0, b.0))
    }

    /// Either.
    pub fn or(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().bor(a.0, b.0))
    }

    /// a but not b.
    pub fn and_not(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().band_not(a.0, b.0))
    }

    /// The other lanes.
    pub fn not(&mut self, a: Mask) -> Mask {
        Mask(self.b.ins().bnot(a.0))
    }

    /// A scalar that is not zero when any lane is set, for [`Self::branch`].
    pub fn any(&mut self, a: Mask) -> Value {
        self.b.ins().vany_true(a.0)
    }

    /// Bit i of the 32-bit scalar is lane i.
    pub fn mask_bits(&mut self, a: Mask) -> Value {
        self.b.ins().vhigh_bits(I32, a.0)
    }

    /// The mask as integers: -1 or 0.
    pub fn mask_ints(&mut self, a: Mask) -> I32x4 {
        I32x4(a.0)
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

impl Ops for Emit<'_> {
    type F = F32x4;
    type I = I32x4;
    type M = Mask;

    fn f(&mut self, value: f32) -> F32x4 {
        self.floats([value; 4])
    }
    fn i(&mut self, value: i32) -> I32x4 {
        self.ints([value; 4])
    }
    fn add(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(self.b.ins().fadd(a.0, b.0))
    }
    fn sub(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(self.b.ins().fsub(a.0, b.0))
    }
    fn mul(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(self.b.ins().fmul(a.0, b.0))
    }
    fn div(&mut self, a: F32x4, b: F32x4) -> F32x4 {
        F32x4(self.b.ins().fdiv(a.0, b.0))
    }
    fn floor(&mut self, a: F32x4) -> F32x4 {
        F32x4(self.b.ins().floor(a.0))
    }
    fn lt(&mut self, a: F32x4, b: F32x4) -> Mask {
        Mask(self.b.ins().fcmp(FloatCC::LessThan, a.0, b.0))
    }
    fn unordered(&mut self, a: F32x4, b: F32x4) -> Mask {
        Mask(self.b.ins().fcmp(FloatCC::Unordered, a.0, b.0))
    }
    fn select(&mut self, m: Mask, a: F32x4, b: F32x4) -> F32x4 {
        let m = self.cast(m.0, F32X4);
        F32x4(self.b.ins().bitselect(m, a.0, b.0))
    }
    fn to_int(&mut self, a: F32x4) -> I32x4 {
        self.truncate_to_int(a)
    }
    fn to_float(&mut self, a: I32x4) -> F32x4 {
        F32x4(self.b.ins().fcvt_from_sint(F32X4, a.0))
    }
    fn bits(&mut self, a: F32x4) -> I32x4 {
        I32x4(self.cast(a.0, I32X4))
    }
    fn float_of_bits(&mut self, a: I32x4) -> F32x4 {
        F32x4(self.cast(a.0, F32X4))
    }
    fn iadd(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().iadd(a.0, b.0))
    }
    fn isub(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().isub(a.0, b.0))
    }
    fn iand(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().band(a.0, b.0))
    }
    fn ior(&mut self, a: I32x4, b: I32x4) -> I32x4 {
        I32x4(self.b.ins().bor(a.0, b.0))
    }
    fn ishl(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().ishl_imm_u(a.0, i64::from(n)))
    }
    fn ishr(&mut self, a: I32x4, n: u32) -> I32x4 {
        I32x4(self.b.ins().sshr_imm_u(a.0, i64::from(n)))
    }
}
