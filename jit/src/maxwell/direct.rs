//! Direct memory accesses of compiled code: constants, local and shared memory, and the mapping that a global access
//! found last. Those of [images](super::image_direct), too.
//!
//! An access checks that all of its lanes are in bounds. If one is not, the whole access falls back to
//! [`memory::perform`](super::memory::perform), which also caches the mapping that the next address of a global access
//! is probably in. Direct stores and atomics need all four lanes: they happen in the order of lanes. Those of some
//! lanes go through that function as well, and it through the mapping.

use std::mem::offset_of;

use cranelift_codegen::ir::types::{F32X4, I32, I32X4, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::environment::CONSTANT_BUFFERS;
use triglyph_guest::num::ops::Ops;

use super::access::{Access, Space};
use super::atomic::WordOperation;
use super::direct_args::{Bytes, Mapped, UsedRange};
use super::{Context, Lanes, Lower};
use crate::lane::{Emit, I32x4, Mask, memory};

/// The addresses of a direct access.
pub(super) struct DirectAccess {
    /// Host address of the first byte, and the distance between lanes.
    base: Value,
    stride: Option<Value>,
    offset: I32x4,
    /// Lanes that are out of bounds.
    out_of_bounds: Mask,
    /// The number that the access has as a call.
    number: u32,
    /// Where accesses are noted.
    noted: Option<Noted>,
}

/// Where code notes which bytes its lanes have used.
#[derive(Clone, Copy)]
pub(super) struct Noted {
    /// Host address of a [`UsedRange`]: a base and a distance.
    pub range: (Value, i32),
    /// Of the slice's own part of it, if slices are executed at once.
    pub distance: Option<Value>,
    /// First bytes of the lanes.
    pub first: I32x4,
}

impl Noted {
    /// Notes an access of all lanes, or of some.
    fn add(self, e: &mut Emit<'_>, bytes: u8, lanes: Option<Mask>) {
        let size = e.i(bytes.into());
        let (mut first, mut end) = (self.first, e.iadd(self.first, size));
        if let Some(lanes) = lanes {
            let others = e.not(lanes);
            first = e.ior(first, I32x4(others.0));
            end = e.iand(end, I32x4(lanes.0));
        }
        let (base, at) = self.range;
        // Before the distances that are constants: addresses of both slices are adjacent then.
        let base = self.distance.map_or(base, |distance| e.b.ins().iadd(base, distance));
        let (low, high) = (at + offset_of!(UsedRange, low) as i32, at + offset_of!(UsedRange, high) as i32);
        let before = e.load_ints(base, low);
        let least = e.umin(before, first);
        e.store(least.0, base, low);
        e.mark_repeatable();
        let before = e.load_ints(base, high);
        let most = e.imax_unsigned(before, end);
        e.store(most.0, base, high);
        e.mark_repeatable();
    }
}

impl DirectAccess {
    /// Of bytes from `base` on.
    pub fn new(base: Value, offset: I32x4, out_of_bounds: Mask, noted: Option<Noted>) -> DirectAccess {
        DirectAccess { base, stride: None, offset, out_of_bounds, number: 0, noted }
    }

    /// The number that the access has as a call.
    pub fn number(&self) -> u32 {
        self.number
    }
}

fn field<const N: usize>(at: [usize; N]) -> i32 {
    at.into_iter().sum::<usize>() as i32
}

/// Lanes whose access does not end within a length.
pub(super) fn out_of_bounds(e: &mut Emit<'_>, offset: I32x4, length: Value, bytes: u8) -> Mask {
    let zero = e.i32(0);
    let count = e.b.ins().iadd_imm_s(length, 1 - i64::from(bytes));
    let count = e.b.ins().smax(count, zero);
    let count = e.splat_i32(count);
    let least = e.umin(offset, count);
    e.ieq(least, count)
}

impl Lower<'_, '_> {
    /// Whether loads and accesses of images are noted: blocks of grids run at the same time as long as none sees what
    /// another one stores.
    pub(super) fn is_grid(&self) -> bool {
        self.lanes == Lanes::WarpSlice
    }

    /// The addresses of an access if it may be direct; `None` if the function has to do it.
    pub(super) fn direct_access(&mut self, access: Access, [low, high]: [I32x4; 2]) -> Option<DirectAccess> {
        let context = self.host.context();
        match access.space {
            Space::Constant => {
                if access.slot_indexed || usize::from(access.slot) >= CONSTANT_BUFFERS {
                    return None;
                }
                let at = offset_of!(Context, constants) + usize::from(access.slot) * size_of::<Bytes>();
                Some(Self::reach_bytes(self.host.e(), context, at, low, access.bytes))
            }
            Space::Shared => {
                Some(Self::reach_bytes(self.host.e(), context, offset_of!(Context, shared_direct), low, access.bytes))
            }
            Space::Local => {
                let e = self.host.e();
                let base = match self.local {
                    Some(local) => local,
                    None => e.load_i64(context, offset_of!(Context, local) as i32),
                };
                let length = e.load_i32(context, offset_of!(Context, local_bytes) as i32);
                let out_of_bounds = out_of_bounds(e, low, length, access.bytes);
                let stride = e.b.ins().uextend(I64, length);
                Some(DirectAccess { stride: Some(stride), ..DirectAccess::new(base, low, out_of_bounds, None) })
            }
            Space::Global => {
                let number = self.needs.new_mapping();
                let distance = self.noted_distance;
                let direct = Self::mapped_access(self.host.e(), context, number, [low, high], access.bytes);
                let noted = direct.noted.map(|noted| Noted { distance, ..noted });
                Some(DirectAccess { noted, ..direct })
            }
        }
    }

    fn reach_bytes(e: &mut Emit<'_>, context: Value, at: usize, offset: I32x4, bytes: u8) -> DirectAccess {
        let base = e.load_i64(context, field([at, offset_of!(Bytes, first)]));
        let length = e.load_i32(context, field([at, offset_of!(Bytes, length)]));
        let out_of_bounds = out_of_bounds(e, offset, length, bytes);
        DirectAccess::new(base, offset, out_of_bounds, None)
    }

    /// A direct access through an instruction's cached mapping.
    fn mapped_access(
        e: &mut Emit<'_>,
        context: Value,
        number: u32,
        [low, high]: [I32x4; 2],
        bytes: u8,
    ) -> DirectAccess {
        let all = e.load_i64(context, offset_of!(Context, mapped) as i32);
        let mapped = e.b.ins().iadd_imm_u(all, i64::from(number) * size_of::<Mapped>() as i64);
        let start = offset_of!(Mapped, start) as i32;
        let (start_low, start_high) = (e.load_splat_i32(mapped, start), e.load_splat_i32(mapped, start + 4));
        // Addresses have 40 bits.
        let mask = e.i(0xFF);
        let high = e.iand(high, mask);
        let offset = e.isub(low, start_low);
        // -1 where the difference of the lower words borrows.
        let least = e.umin(low, start_low);
        let no_borrow = e.ieq(least, start_low);
        let borrow = e.not(no_borrow);
        let upper = e.isub(high, start_high);
        let upper = e.iadd(upper, I32x4(borrow.0));
        let zero = e.i(0);
        let near = e.ieq(upper, zero);
        let at = offset_of!(Mapped, bytes);
        let base = e.load_i64(mapped, field([at, offset_of!(Bytes, first)]));
        let length = e.load_i32(mapped, field([at, offset_of!(Bytes, length)]));
        let out_of_bounds = out_of_bounds(e, offset, length, bytes);
        let far = e.not(near);
        let out_of_bounds = e.or(out_of_bounds, far);
        let noted = Noted { range: (mapped, offset_of!(Mapped, used) as i32), distance: None, first: offset };
        DirectAccess { number, ..DirectAccess::new(base, offset, out_of_bounds, Some(noted)) }
    }

    /// The words of a load: direct if all loading lanes are in bounds, else by a call.
    pub(super) fn load_directly(
        &mut self,
        access: Access,
        direct: &DirectAccess,
        masks: [I32x4; 2],
        address: [I32x4; 2],
    ) -> Vec<I32x4> {
        let loaded = Loaded {
            bytes: access.bytes,
            signed: access.signed,
            // Two quads would share what the function touches.
            at_once: self.is_grid() || matches!(access.space, Space::Constant | Space::Global),
            inside: false,
        };
        self.load_or_call(loaded, direct, masks[0], |lower| {
            lower.access::<4>(access, direct.number(), &[masks[0], masks[1], address[0], address[1]]).to_vec()
        })
    }

    /// What a load finds: direct if all loading lanes are in bounds, else what a call finds.
    pub(super) fn load_or_call(
        &mut self,
        load: Loaded,
        direct: &DirectAccess,
        loads: I32x4,
        call: impl FnOnce(&mut Self) -> Vec<I32x4>,
    ) -> Vec<I32x4> {
        let count = usize::from(load.bytes).div_ceil(4) + usize::from(load.inside);
        let all = self.active().is_none();
        let noted = direct.noted.filter(|_| self.is_grid());
        let e = self.host.e();
        let (slow, fast, done) = (e.cold_block(&[]), e.block(&[]), e.block(&vec![I32X4; count]));
        let outside = if all { direct.out_of_bounds } else { e.and(direct.out_of_bounds, Mask(loads.0)) };
        let any = e.any(outside);
        match (load.at_once, self.may_restart) {
            (true, true) => e.branch_if_rare(any, slow, (fast, &[])),
            (true, false) => e.branch_if_any(any, (slow, &[]), (fast, &[])),
            (false, _) => e.branch(any, (slow, &[]), (fast, &[])),
        }

        e.switch_to(slow);
        let may_restart = self.may_restart;
        let found = call(self);
        let found: Vec<Value> = found.iter().take(count).map(|word| word.0).collect();
        // Restarted iterations do not reach this.
        self.may_restart = may_restart;
        let e = self.host.e();
        e.jump(done, &found);

        e.switch_to(fast);
        // Lanes that do not load may have any address.
        let offset = match all {
            true => direct.offset,
            false => I32x4(e.b.ins().band_not(direct.offset.0, direct.out_of_bounds.0)),
        };
        if let Some(noted) = noted {
            noted.add(e, load.bytes, (!all).then_some(Mask(loads.0)));
        }
        let rows = rows(e, direct, offset);
        let inside = load.inside.then(|| e.i(-1).0);
        let words = load.emit(e, rows).into_iter().map(|word| word.0);
        let found: Vec<Value> = inside.into_iter().chain(words).collect();
        e.jump(done, &found);

        e.switch_to(done);
        (0..count).map(|word| I32x4(e.parameter(done, word))).collect()
    }

    /// A store: direct if all lanes store and are in bounds, else by a call. `sources` are the call's.
    pub(super) fn store_directly(&mut self, access: Access, direct: &DirectAccess, sources: &[I32x4], data: &[I32x4]) {
        self.store_or_call(access.bytes, direct, sources[1], data, |lower| {
            let [] = lower.access(access, direct.number(), sources);
        });
    }

    /// A store: direct if all lanes store and are in bounds, else by a call.
    pub(super) fn store_or_call(
        &mut self,
        bytes: u8,
        direct: &DirectAccess,
        stores: I32x4,
        data: &[I32x4],
        call: impl FnOnce(&mut Self),
    ) {
        let e = self.host.e();
        let (slow, fast, done) = (e.cold_block(&[]), e.block(&[]), e.block(&[]));
        let rest = e.not(Mask(stores.0));
        let outside = e.or(direct.out_of_bounds, rest);
        let any = e.any(outside);
        e.branch_if_any(any, (slow, &[]), (fast, &[]));

        e.switch_to(slow);
        call(self);
        let e = self.host.e();
        e.jump(done, &[]);

        e.switch_to(fast);
        if let Some(noted) = direct.noted {
            noted.add(e, bytes, None);
        }
        let data = in_rows(e, bytes, data);
        // All lanes of a slice before those of the next one.
        self.one_after_the_other(&[], |lower| {
            let e = lower.host.e();
            let rows = rows(e, direct, direct.offset);
            stored(e, bytes, rows, &data);
            Vec::new()
        });
        let e = self.host.e();
        e.jump(done, &[]);
        e.switch_to(done);
    }

    /// The word that an atomic finds: direct if all lanes store and are in bounds, else by a call. `sources` are the
    /// call's.
    pub(super) fn atomic_directly(
        &mut self,
        access: Access,
        direct: &DirectAccess,
        operation: WordOperation,
        sources: &[I32x4; 6],
    ) -> I32x4 {
        let is_gathered = access.unread && self.is_grid();
        let e = self.host.e();
        let (slow, fast, done) = (e.cold_block(&[]), e.block(&[]), e.block(&[I32X4]));
        let [_, stores, _, _, value, replacement] = *sources;
        let rest = e.not(Mask(stores.0));
        let mut outside = e.or(direct.out_of_bounds, rest);
        if is_gathered {
            // A reduction may have other memory, for aligned values.
            let misaligned = e.i(i32::from(access.bytes) - 1);
            let misaligned = e.iand(direct.offset, misaligned);
            let zero = e.i(0);
            let aligned = e.ieq(misaligned, zero);
            let misaligned = e.not(aligned);
            outside = e.or(outside, misaligned);
        }
        let any = e.any(outside);
        e.branch_if_any(any, (slow, &[]), (fast, &[]));

        e.switch_to(slow);
        let [found]: [I32x4; 1] = self.access(access, direct.number(), sources);
        let e = self.host.e();
        e.jump(done, &[found.0]);

        e.switch_to(fast);
        if let Some(noted) = direct.noted {
            noted.add(e, access.bytes, None);
        }
        let found = self.one_after_the_other(&[I32X4], |lower| {
            let e = lower.host.e();
            let mut found = e.i(0).0;
            for (lane, row) in (0u8..).zip(rows(e, direct, direct.offset)) {
                let (value, replacement) = (e.lane(value, lane), e.lane(replacement, lane));
                let old = e.b.ins().load(I32, memory(), row, 0);
                let new = operation.result(e, old, [value, replacement]);
                e.b.ins().store(memory(), new, row, 0);
                found = e.b.ins().insertlane(found, old, lane);
            }
            vec![found]
        });
        let e = self.host.e();
        e.jump(done, &found);
        e.switch_to(done);
        I32x4(e.parameter(done, 0))
    }
}

/// Host addresses of the lanes.
fn rows(e: &mut Emit<'_>, direct: &DirectAccess, offset: I32x4) -> [Value; 4] {
    let mut base = direct.base;
    [0, 1, 2, 3].map(|lane| {
        if let Some(stride) = direct.stride.filter(|_| lane > 0) {
            base = e.b.ins().iadd(base, stride);
        }
        let offset = e.lane(offset, lane);
        e.address(base, offset, 0)
    })
}

/// What a direct load loads.
#[derive(Clone, Copy)]
pub(super) struct Loaded {
    /// 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Whether it extends the sign.
    pub signed: bool,
    /// Whether several quads may do it at once, the function included.
    pub at_once: bool,
    /// Whether a first word says which lanes are inside of what they access: in bounds all are.
    pub inside: bool,
}

impl Loaded {
    /// The words at the host addresses of the lanes.
    fn emit(self, e: &mut Emit<'_>, rows: [Value; 4]) -> Vec<I32x4> {
        let (bytes, signed) = (self.bytes, self.signed);
        if bytes == 16 {
            let rows = rows.map(|row| e.load_floats(row, 0));
            return e.transpose(rows).map(|column| e.bits(column)).to_vec();
        }
        (0..i32::from(bytes.div_ceil(4)))
            .map(|word| {
                let mut vector = None;
                for (lane, row) in (0u8..).zip(rows) {
                    let value = match (bytes, signed) {
                        (1, false) => e.b.ins().uload8(I32, memory(), row, 0),
                        (1, true) => e.b.ins().sload8(I32, memory(), row, 0),
                        (2, false) => e.b.ins().uload16(I32, memory(), row, 0),
                        (2, true) => e.b.ins().sload16(I32, memory(), row, 0),
                        // As floats, so that the load folds into the insertion.
                        _ => e.load_f32(row, 4 * word),
                    };
                    let ty = if bytes < 4 { I32X4 } else { F32X4 };
                    vector = Some(match vector {
                        None => e.b.ins().scalar_to_vector(ty, value),
                        Some(vector) => e.b.ins().insertlane(vector, value, lane),
                    });
                }
                let vector = vector.unwrap_or_else(|| e.i(0).0);
                I32x4(e.cast(vector, I32X4))
            })
            .collect()
    }
}

/// What the lanes store, of 16 bytes lane after lane, else word after word.
fn in_rows(e: &mut Emit<'_>, bytes: u8, data: &[I32x4]) -> Vec<I32x4> {
    let (16, &[x, y, z, w]) = (bytes, data) else { return data.to_vec() };
    let columns = [x, y, z, w].map(|word| e.float_of_bits(word));
    e.transpose(columns).map(|row| e.bits(row)).to_vec()
}

/// Stores what [`in_rows`] has made.
fn stored(e: &mut Emit<'_>, bytes: u8, rows: [Value; 4], data: &[I32x4]) {
    if bytes == 16 {
        rows.into_iter().zip(data).for_each(|(row, value)| e.store(value.0, row, 0));
        return;
    }
    // All of a lane before the next one.
    for (lane, row) in (0u8..).zip(rows) {
        for (n, &word) in (0..).zip(data) {
            let value = e.lane(word, lane);
            match bytes {
                1 => e.b.ins().istore8(memory(), value, row, 0),
                2 => e.b.ins().istore16(memory(), value, row, 0),
                _ => e.b.ins().store(memory(), value, row, 4 * n),
            };
        }
    }
}
