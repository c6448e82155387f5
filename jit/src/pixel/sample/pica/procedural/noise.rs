//! Noise of the procedural texture: random slopes on a lattice, interpolated.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::{I8X16, I32X4};
use triglyph_guest::kernel::procedural::{ProceduralData, RAND1, RAND2};
use triglyph_guest::num::ops::Ops;

use super::{lookup, trunc};
use crate::lane::{Emit, F32x4, I32x4};
use crate::pixel::args::pica::at;
use crate::pixel::quad::pica::Quad;

/// The effect of a column's hash on the hash of a row, for each value of the former.
struct Column {
    before: I32x4,
    flip: I32x4,
    after: I32x4,
    last: I32x4,
}

impl Quad<'_, '_> {
    /// noise(u, v)
    pub(super) fn noise(&mut self, uv: [F32x4; 2]) -> F32x4 {
        let args = self.e.args;
        let [(x, xf), (y, yf)] = [0, 1].map(|axis| {
            let e = &mut *self.e;
            let phase = e.load_floats(args, at!(procedural.phase) + 16 * axis);
            let moved = e.add(uv[axis as usize], phase);
            let moved = e.abs(moved);
            let frequency = e.load_floats(args, at!(procedural.frequency) + 16 * axis);
            let position = e.mul(frequency, moved);
            let index = trunc(e, position);
            let whole = e.to_float(index);
            (index, e.sub(position, whole))
        });
        let slopes = self.slopes(x, y);
        let e = &mut *self.e;
        let sum = e.add(xf, yf);
        let (one, two) = (e.f(1.0), e.f(2.0));
        let (less_one, less_two) = (e.sub(sum, one), e.sub(sum, two));
        let mut corner = 0;
        let [g0, g1, g2, g3] = [sum, less_one, less_one, less_two].map(|distance| {
            corner += 1;
            e.mul(slopes[corner - 1], distance)
        });
        let table = offset_of!(ProceduralData, noise) as i32;
        let [a, b] = [xf, yf].map(|coordinate| lookup(self.e, table, coordinate).1);
        let top = between(self.e, g0, g1, a);
        let bottom = between(self.e, g2, g3, a);
        between(self.e, top, bottom, b)
    }

    /// The slopes at (x, y), (x+1, y), (x, y+1), (x+1, y+1).
    fn slopes(&mut self, x: I32x4, y: I32x4) -> [F32x4; 4] {
        let e = &mut *self.e;
        let one = e.i(1);
        let (right, below) = (e.iadd(x, one), e.iadd(y, one));
        let [left, right] = [x, right].map(|x| {
            let a = rand1(e, x);
            column(e, a)
        });
        let [above, below] = [y, below].map(|y| rand1(e, y));
        [(&left, above), (&right, above), (&left, below), (&right, below)].map(|(a, b)| slope(e, a, b))
    }
}

/// p*(1 - a) + q*a
fn between(e: &mut Emit<'_>, p: F32x4, q: F32x4, a: F32x4) -> F32x4 {
    let one = e.f(1.0);
    let rest = e.sub(one, a);
    let (p, q) = (e.mul(p, rest), e.mul(q, a));
    e.add(p, q)
}

/// The byte of `table` for each lane's index, 0 to 15; the upper bytes of the lanes get entry 0.
fn byte_of(e: &mut Emit<'_>, table: [u8; 16], index: I32x4) -> I32x4 {
    let (table, index) = (e.bytes(table), e.cast(index.0, I8X16));
    let bytes = if e.caps.x86 { e.b.ins().x86_pshufb(table, index) } else { e.b.ins().swizzle(table, index) };
    I32x4(e.cast(bytes, I32X4))
}

/// 0 to 15 for a coordinate of the lattice, 0 to 2^20 + 1.
fn rand1(e: &mut Emit<'_>, v: I32x4) -> I32x4 {
    // v / 9: up to 2^22 the product with 1/9, rounded up, never reaches the next whole number (see the test).
    let float = e.to_float(v);
    let ninth = e.f(1.0 / 9.0);
    let quotient = e.mul(float, ninth);
    let quotient = e.truncate_to_int(quotient);
    let eight = e.ishl(quotient, 3);
    let nine = e.iadd(eight, quotient);
    let rest = e.isub(v, nine);
    // (rest + 2) * 3
    let two = e.i(2);
    let rest = e.iadd(rest, two);
    let double = e.iadd(rest, rest);
    let triple = e.iadd(double, rest);
    let low = e.i(15);
    let (triple, quotient) = (e.iand(triple, low), e.iand(quotient, low));
    // Entry 0 is 0: the upper bytes stay clear.
    let entry = byte_of(e, RAND1, quotient);
    e.ixor(triple, entry)
}

/// The [`Column`] of the hash `a`.
fn column(e: &mut Emit<'_>, a: I32x4) -> Column {
    let table = |of: fn(u8) -> u8| std::array::from_fn(|a| of(a as u8));
    Column {
        before: byte_of(e, table(|a| if a & 3 == 1 { 4 } else { 0 }), a),
        flip: byte_of(e, table(|a| (a & 1) * 6), a),
        after: byte_of(e, table(|a| 10 + a), a),
        last: byte_of(e, RAND2, a),
    }
}

/// -1 + rand2*2/15 of the hashes of a column and a row.
fn slope(e: &mut Emit<'_>, a: &Column, b: I32x4) -> F32x4 {
    let b = e.iadd(b, a.before);
    let b = e.ixor(b, a.flip);
    let b = e.iadd(b, a.after);
    // The last table has four bits, so they may be cut after the lookup; that clears the upper bytes, too.
    let b = e.ixor(b, a.last);
    let low = e.i(15);
    let b = e.iand(b, low);
    let double = e.iadd(b, b);
    let value = e.to_float(double);
    let fifteen = e.f(15.0);
    let value = e.div(value, fifteen);
    let one = e.f(-1.0);
    e.add(one, value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn division_by_nine() {
        for v in 0u32..1 << 22 {
            assert_eq!((v as f32 * (1.0 / 9.0)) as u32, v / 9, "{v}");
        }
    }
}
