//! Vertex fetch: the input registers of four vertices, one value per component.

use std::mem::offset_of;

use cranelift_codegen::ir::types::{F32X4, F64, F64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::program::vertex::{Component, Input};
use triglyph_guest::num::ops::Ops;

use super::args::{StreamArgs, VertexArgs};
use crate::lane::{Emit, F32x4, I32x4, memory};

/// Bytes that fetching an attribute touches, from its first one on: attributes are loaded in whole words.
pub fn footprint(component: Component, count: u8) -> usize {
    match component {
        Component::F32 if count >= 3 => 16,
        _ => (component.element_bytes(count.clamp(1, 4)) as usize).next_multiple_of(4),
    }
}

/// Input register `number`, from a vertex array, of the group that begins at vertex `group * 4`. Components beyond
/// `count` are the contract's defaults.
pub fn fetch(e: &mut Emit<'_>, number: usize, input: Input, big_endian: bool, group: Value) -> [F32x4; 4] {
    let Input::Array { component, count, .. } = input else { return [e.f(0.0); 4] };
    let mut fetch = Fetch { rows: rows(e, number, group), words: [None; 4], component, big_endian, e };
    let values = match component {
        Component::F32 => fetch.floats(count),
        Component::Packed11 => fetch.packed(),
        Component::Bgra8 => [2, 1, 0, 3].map(|i| Some(fetch.small(i))),
        _ => std::array::from_fn(|i| (i < usize::from(count)).then(|| fetch.small(i))),
    };
    let missing = [0.0, 0.0, 0.0, 1.0];
    std::array::from_fn(|i| values[i].unwrap_or_else(|| e.f(missing[i])))
}

/// Addresses of the group's elements.
fn rows(e: &mut Emit<'_>, number: usize, group: Value) -> [Value; 4] {
    let args = e.args;
    let list = e.load_i64(args, VertexArgs::stream(number, offset_of!(StreamArgs, elements)));
    let list = e.address(list, group, 4);
    let base = e.load_i64(args, VertexArgs::stream(number, offset_of!(StreamArgs, base)));
    let stride = e.load_i64(args, VertexArgs::stream(number, offset_of!(StreamArgs, stride)));
    [0, 4, 8, 12].map(|at| {
        let element = e.b.ins().uload32(memory(), list, at);
        let offset = e.b.ins().imul(element, stride);
        e.b.ins().iadd(base, offset)
    })
}

struct Fetch<'f, 'a> {
    e: &'f mut Emit<'a>,
    rows: [Value; 4],
    /// Words that have been loaded, in the host's byte order.
    words: [Option<I32x4>; 4],
    component: Component,
    big_endian: bool,
}

impl Fetch<'_, '_> {
    /// Size of the units whose bytes are swapped in memory.
    fn swap(&self) -> u8 {
        match self.component {
            _ if !self.big_endian => 1,
            Component::F32 | Component::Packed11 => 4,
            Component::F16 | Component::Sint16 | Component::CenteredSnorm16 => 2,
            Component::Unorm8 | Component::Uint8 | Component::Bgra8 => 1,
        }
    }

    fn floats(&mut self, count: u8) -> [Option<F32x4>; 4] {
        let columns = match count {
            0 => return [None; 4],
            1 => {
                let words = self.word(0);
                return [Some(self.e.float_of_bits(words)), None, None, None];
            }
            2 => {
                let [a, b, c, d] = self.rows;
                let (low, high) = (self.pair(a, b), self.pair(c, d));
                let [x, y] = self.e.unzip(low, high);
                [Some(x), Some(y), None, None]
            }
            _ => {
                let rows = self.rows.map(|row| self.e.load_floats(row, 0));
                let [x, y, z, w] = self.e.transpose(rows).map(Some);
                [x, y, z, w.filter(|_| count > 3)]
            }
        };
        columns.map(|column| {
            let bits = self.e.bits(column?);
            let bits = self.e.swap_bytes(bits, self.swap());
            Some(self.e.float_of_bits(bits))
        })
    }

    /// Two floats at each of two addresses.
    fn pair(&mut self, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|address| self.e.b.ins().load(F64, memory(), address, 0));
        let pair = self.e.b.ins().scalar_to_vector(F64X2, a);
        let pair = self.e.b.ins().insertlane(pair, b, 1);
        self.e.cast(pair, F32X4)
    }

    /// Word `index` of each element.
    fn word(&mut self, index: usize) -> I32x4 {
        if let Some(words) = self.words[index] {
            return words;
        }
        // As floats: loads fold into the insertions.
        let [first, rest @ ..] = self.rows.map(|row| self.e.load_f32(row, 4 * index as i32));
        let mut words = self.e.b.ins().scalar_to_vector(F32X4, first);
        for (lane, word) in rest.into_iter().enumerate() {
            words = self.e.b.ins().insertlane(words, word, lane as u8 + 1);
        }
        let bits = self.e.bits(F32x4(words));
        let bits = self.e.swap_bytes(bits, self.swap());
        self.words[index] = Some(bits);
        bits
    }

    /// Component `i` of 8 or 16 bits.
    fn small(&mut self, i: usize) -> F32x4 {
        let bits = if matches!(self.component, Component::Bgra8) { 8 } else { 8 * self.component.bytes() };
        let (word, shift) = (i as u32 * bits / 32, i as u32 * bits % 32);
        let all = self.word(word as usize);
        let e = &mut *self.e;
        let above = 32 - bits - shift;
        let high = if above == 0 { all } else { e.ishl(all, above) };
        match self.component {
            Component::Sint16 | Component::CenteredSnorm16 => {
                let value = e.ishr(high, 32 - bits);
                match self.component {
                    Component::Sint16 => e.to_float(value),
                    _ => centered(e, value),
                }
            }
            Component::F16 => {
                let half = e.ushr(high, 16);
                e.float_of_half(half)
            }
            _ => {
                let value = e.ushr(high, 32 - bits);
                match self.component {
                    Component::Uint8 => e.to_float(value),
                    _ => unorm8(e, value),
                }
            }
        }
    }

    /// Three signed fields of a word.
    fn packed(&mut self) -> [Option<F32x4>; 4] {
        let word = self.word(0);
        let fields = [(21, !0x1F), (10, !0x1F), (0, !0x3F)].map(|(above, field): (u32, i32)| {
            let high = if above == 0 { word } else { self.e.ishl(word, above) };
            let value = self.e.ishr(high, 16);
            let field = self.e.i(field);
            let value = self.e.iand(value, field);
            let value = self.e.to_float(value);
            let (scale, least) = (self.e.f(1.0 / 32767.0), self.e.f(-1.0));
            let value = self.e.mul(value, scale);
            Some(self.e.max(value, least))
        });
        let [x, y, z] = fields;
        [x, y, z, None]
    }
}

/// Bytes over 255: each of them three times in 24 bits, of which the largest is one less than 1.
fn unorm8(e: &mut Emit<'_>, byte: I32x4) -> F32x4 {
    let (second, third) = (e.ishl(byte, 8), e.ishl(byte, 16));
    let fraction = e.ior(byte, second);
    let fraction = e.ior(fraction, third);
    let one = e.i(1);
    let next = e.iadd(byte, one);
    let carry = e.ushr(next, 8);
    let fraction = e.iadd(fraction, carry);
    let (value, scale) = (e.to_float(fraction), e.f(1.0 / 16_777_216.0));
    e.mul(value, scale)
}

/// Shorts, of which 2 v + 1 is repeated 16 bits further down: its 24 bits of mantissa end with eight zeros, where the
/// first eight bits are repeated. The largest carry over to 1.
fn centered(e: &mut Emit<'_>, short: I32x4) -> F32x4 {
    let one = e.i(1);
    let twice = e.ishl(short, 1);
    let odd = e.ior(twice, one);
    let odd = e.to_float(odd);
    let bits = e.bits(odd);
    let (mantissa, hidden) = (e.i(0x7F_FFFF), e.i(0x80_0000));
    let repeated = e.iand(bits, mantissa);
    let repeated = e.ior(repeated, hidden);
    let repeated = e.ushr(repeated, 16);
    let bits = e.ior(bits, repeated);
    let sign = e.ishr(short, 31);
    let magnitude = e.ixor(short, sign);
    let magnitude = e.iadd(magnitude, one);
    let carry = e.ushr(magnitude, 15);
    let bits = e.iadd(bits, carry);
    let (value, scale) = (e.float_of_bits(bits), e.f(1.0 / 65_536.0));
    e.mul(value, scale)
}
