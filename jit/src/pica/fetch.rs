//! Vertex fetch: the input registers of four vertices, one value per component.

use cranelift_codegen::ir::types::{F32X4, F64, F64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::vertex::{Component, Input};
use triglyph_guest::num::ops::Ops;

use super::args::VertexArgs;
use super::live::bit;
use super::{Feed, Lower, f24};
use crate::lane::{F32x4, I32x4, memory};

/// Bytes that fetching an attribute touches, from its first one on: attributes are loaded in whole words.
pub(super) const fn footprint(component: Component, count: u8) -> usize {
    match (component, count) {
        (_, 0) => 0,
        (Component::I8 | Component::U8, _) | (Component::I16, 1 | 2) | (Component::F32, 1) => 4,
        (Component::I16, _) | (Component::F32, 2) => 8,
        (Component::F32, _) => 16,
    }
}

impl Lower<'_, '_> {
    /// Loads all array attributes that matter: in programs of several blocks every block may read them.
    pub fn fetch_all(&mut self) {
        for n in 0..16 {
            if self.used(n).contains(&true) && matches!(self.attribute(n), Input::Array { .. }) {
                self.fetched(n);
            }
        }
    }

    /// Where input register `n` of a vertex program comes from.
    fn attribute(&self, n: u8) -> Input {
        match self.source.feed {
            Feed::Vertex(inputs) => inputs[usize::from(n & 15)],
            Feed::Registers(_) | Feed::Uniforms => Input::Zero,
        }
    }

    /// Which components of an input register matter.
    fn used(&self, n: u8) -> [bool; 4] {
        [0, 1, 2, 3].map(|component| self.source.liveness.start(0).inputs & bit(n, component) != 0)
    }

    /// Input register `n`, which is loaded from an array; straight programs load it where they first read it.
    pub fn fetched(&mut self, n: u8) -> [F32x4; 4] {
        let n = n & 15;
        if let Some(fetched) = self.inputs[usize::from(n)] {
            return fetched;
        }
        let values = match self.attribute(n) {
            Input::Array { stream, component: Component::F32, count } => {
                let rows = self.addresses(stream);
                let (values, used) = (self.floats(rows, count), self.used(n));
                if self.is_f24() { self.f24_loaded(values, used) } else { values }
            }
            Input::Array { stream, component, count } => {
                let (rows, used) = (self.addresses(stream), self.used(n));
                self.integers(rows, component, count, used)
            }
            _ => [None; 4],
        };
        let missing = [0.0, 0.0, 0.0, 1.0];
        let fetched = [0, 1, 2, 3].map(|i| values[i].unwrap_or_else(|| self.e.f(missing[i])));
        self.inputs[usize::from(n)] = Some(fetched);
        fetched
    }

    /// What registers hold of floats, of which some are `used`.
    fn f24_loaded(&mut self, values: [Option<F32x4>; 4], used: [bool; 4]) -> [Option<F32x4>; 4] {
        let exact = self.exact;
        let loaded = std::array::from_fn(|i| {
            let value = values[i]?;
            Some(match used[i] {
                true if exact => f24::load(self.e, value),
                true => self.cut(value),
                false => value,
            })
        });
        if !exact {
            self.ordinary_among((0..4).filter(|&i| used[i]).filter_map(|i| values[i]));
        }
        loaded
    }

    /// The numbers of the group's vertices, 64 bits each.
    fn vertices(&mut self) -> [Value; 4] {
        if let Some(vertices) = self.vertices {
            return vertices;
        }
        let args = self.e.args;
        let list = self.e.load_i64(args, VertexArgs::VERTICES);
        let group = self.groups.map_or_else(|| self.e.i32(0), |groups| groups.group);
        let list = self.e.address(list, group, 4);
        let vertices = [0, 4, 8, 12].map(|at| self.e.b.ins().uload32(memory(), list, at));
        self.vertices = Some(vertices);
        vertices
    }

    /// Where the group's vertices are in a stream.
    fn addresses(&mut self, stream: u8) -> [Value; 4] {
        let stream = usize::from(stream & 15);
        if let Some(addresses) = self.addresses[stream] {
            return addresses;
        }
        let vertices = self.vertices();
        let args = self.e.args;
        let base = self.e.load_i64(args, VertexArgs::stream(stream));
        let stride = self.e.load_i64(args, VertexArgs::stream(stream) + 8);
        let addresses = vertices.map(|vertex| {
            let offset = self.e.b.ins().imul(vertex, stride);
            self.e.b.ins().iadd(base, offset)
        });
        self.addresses[stream] = Some(addresses);
        addresses
    }

    fn floats(&mut self, rows: [Value; 4], count: u8) -> [Option<F32x4>; 4] {
        match count {
            0 => [None; 4],
            1 => [Some(self.words(rows, 0)), None, None, None],
            2 => {
                let (low, high) = (self.pair(rows[0], rows[1]), self.pair(rows[2], rows[3]));
                const X: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
                const Y: [u8; 16] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
                [Some(F32x4(self.e.shuffle(low, high, X))), Some(F32x4(self.e.shuffle(low, high, Y))), None, None]
            }
            _ => {
                let rows = rows.map(|row| self.e.load_floats(row, 0));
                let [x, y, z, w] = self.e.transpose(rows).map(Some);
                [x, y, z, w.filter(|_| count > 3)]
            }
        }
    }

    /// Two floats at each of two addresses.
    fn pair(&mut self, a: Value, b: Value) -> Value {
        let [a, b] = [a, b].map(|address| self.e.b.ins().load(F64, memory(), address, 0));
        let pair = self.e.b.ins().scalar_to_vector(F64X2, a);
        let pair = self.e.b.ins().insertlane(pair, b, 1);
        self.e.cast(pair, F32X4)
    }

    /// The word at `offset` from each of four addresses, as bits of floats: loads fold into the insertions.
    fn words(&mut self, rows: [Value; 4], offset: i32) -> F32x4 {
        let [first, rest @ ..] = rows.map(|row| self.e.load_f32(row, offset));
        let mut words = self.e.b.ins().scalar_to_vector(F32X4, first);
        for (lane, word) in rest.into_iter().enumerate() {
            words = self.e.b.ins().insertlane(words, word, lane as u8 + 1);
        }
        F32x4(words)
    }

    fn integers(&mut self, rows: [Value; 4], component: Component, count: u8, used: [bool; 4]) -> [Option<F32x4>; 4] {
        let bits = 8 * component.bytes();
        let mut words: [Option<I32x4>; 2] = [None; 2];
        std::array::from_fn(|i| {
            if i >= usize::from(count) || !used[i] {
                return None;
            }
            let (word, shift) = (i as u32 * bits / 32, i as u32 * bits % 32);
            let all = words[word as usize].unwrap_or_else(|| {
                let words = self.words(rows, 4 * word as i32);
                self.e.bits(words)
            });
            words[word as usize] = Some(all);
            let e = &mut *self.e;
            let high = e.ishl(all, 32 - bits - shift);
            let value = match component {
                Component::U8 => e.ushr(high, 32 - bits),
                _ => e.ishr(high, 32 - bits),
            };
            Some(e.to_float(value))
        })
    }
}
