//! Vertex records from output registers: output map, clip codes, screen position.

use cranelift_codegen::ir::types::{I32X4, I64};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::vertex::{OutputComponent, SCREEN};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::pica::isa::Dst;

use super::Lower;
use super::args::VertexArgs;
use super::registers::Constant;
use super::tracked::TrackedValue;
use crate::groups::Groups;
use crate::lane::{F32x4, I32x4, Mask};

impl Lower<'_, '_> {
    /// Ends a run of the program.
    pub fn finish(&mut self) {
        match self.groups {
            Some(groups) => self.output(groups),
            None => self.end_primitive(),
        }
    }

    /// Stores the group's records and clip codes and ends the group, unless it has to be done again.
    fn output(&mut self, groups: Groups) {
        self.note_exports();
        let args = self.e.args;
        let records = self.e.load_i64(args, VertexArgs::RECORDS);
        let stride = 4 * self.source.outputs.stride() as i32;
        let group = self.e.b.ins().uextend(I64, groups.group);
        let size = self.e.i64(i64::from(4 * stride));
        let offset = self.e.b.ins().imul(group, size);
        let records = self.e.b.ins().iadd(records, offset);
        let codes = self.vertex(&[0, 1, 2, 3].map(|vertex| (records, vertex * stride)));
        let codes_at = self.e.load_i64(args, VertexArgs::CLIP);
        let codes_at = self.e.address(codes_at, groups.group, 2);
        self.e.store(codes, codes_at, 0);
        self.leave_if_doubtful();
        groups.next(self.e);
    }

    /// Stores what the outputs are as a record, one in each row; returns the clip codes, a byte each.
    pub fn vertex(&mut self, rows: &[(Value, i32)]) -> Value {
        let outputs = self.source.outputs;
        let position = self.slots(0);
        let screen = self.screen(position);
        self.store(rows, 0, screen);
        self.store(rows, 4 * SCREEN as i32, position);
        for slots in (1..outputs.slots.len() / 4).filter(|&group| outputs.group_written(group)) {
            let values = self.slots(slots);
            self.store(rows, 4 * (SCREEN + 4 * slots) as i32, values);
        }
        self.clip(position)
    }

    /// Notes exported components that may hold a wrong NaN, two at a time.
    pub fn note_exports(&mut self) {
        if self.is_f24() {
            return;
        }
        let mut exported: Vec<OutputComponent> = self.source.outputs.slots.iter().flatten().copied().collect();
        exported.sort_unstable_by_key(|of| (of.register & 15, of.component & 3));
        exported.dedup_by_key(|of| (of.register & 15, of.component & 3));
        let numbers = exported.into_iter().map(|of| self.exported(of));
        let doubtful: Vec<TrackedValue> = numbers.filter(|number| !number.clean).collect();
        self.note_all(&doubtful);
    }

    /// Notes each of these numbers.
    pub fn note_all(&mut self, numbers: &[TrackedValue]) {
        for pair in numbers.chunks(2) {
            self.note(pair[0], pair[pair.len() - 1]);
        }
    }

    fn exported(&mut self, of: OutputComponent) -> TrackedValue {
        self.register(Dst::Output(of.register & 15), usize::from(of.component & 3))
    }

    /// The values of slots `4 * group ..`.
    fn slots(&mut self, group: usize) -> [F32x4; 4] {
        [0, 1, 2, 3].map(|i| {
            let Some(of) = self.source.outputs.slots[4 * group + i] else { return self.e.f(1.0) };
            let number = self.exported(of);
            let value = self.settled(number).value;
            if !of.saturate {
                return value;
            }
            let (one, magnitude) = (self.e.f(1.0), self.e.abs(value));
            // NaN gives 1.
            self.e.min(magnitude, one)
        })
    }

    /// Screen x, screen y, z/w, 1/w.
    fn screen(&mut self, [x, y, z, w]: [F32x4; 4]) -> [F32x4; 4] {
        let one = self.e.f(1.0);
        let inverse = self.e.div(one, w);
        let [x, y] = [(0, x), (1, y)].map(|(i, value)| {
            let [half, corner] = [i, i + 2].map(|component| self.constant(Constant::Viewport, component));
            let e = &mut *self.e;
            let value = e.mul(value, inverse);
            let value = e.add(value, one);
            let value = e.mul(value, half);
            e.add(value, corner)
        });
        [x, y, self.e.mul(z, inverse), inverse]
    }

    /// Stores four values of each vertex at `at` in its record.
    fn store(&mut self, rows: &[(Value, i32)], at: i32, values: [F32x4; 4]) {
        for (values, &(record, offset)) in self.e.transpose(values).into_iter().zip(rows) {
            self.e.store(values.0, record, offset + at);
        }
    }

    /// Computes the clip codes.
    fn clip(&mut self, position: [F32x4; 4]) -> Value {
        let [x, y, z, w] = position;
        let e = &mut *self.e;
        let (slack, near) = (e.f(-1e-8), e.f(1e-5));
        let mut inside: Vec<Mask> = Vec::with_capacity(8);
        for distance in [e.sub(w, x), e.add(w, x), e.sub(w, y), e.add(w, y)] {
            inside.push(e.le(slack, distance));
        }
        let slack_z = e.f(1e-8);
        inside.push(e.le(z, slack_z));
        for distance in [e.add(w, z), e.sub(w, near)] {
            inside.push(e.le(slack, distance));
        }
        if self.source.user_clip {
            let distance = self.user_plane(position);
            inside.push(self.e.le(slack, distance));
        }
        let e = &mut *self.e;
        let mut code = e.i((1 << inside.len()) - 1);
        for (plane, inside) in inside.into_iter().enumerate() {
            let (bit, inside) = (e.i(1 << plane), e.mask_ints(inside));
            let bit = e.iand(inside, bit);
            code = e.ixor(code, bit);
        }
        self.bytes(code)
    }

    /// The distance from the user's clip plane.
    fn user_plane(&mut self, position: [F32x4; 4]) -> F32x4 {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| {
            let coefficient = self.constant(Constant::ClipPlane, i);
            self.e.mul(coefficient, position[usize::from(i)])
        });
        let e = &mut *self.e;
        let sum = e.add(x, y);
        let sum = e.add(sum, z);
        e.add(sum, w)
    }

    /// Four numbers, at most 255 each, as the bytes of a word.
    fn bytes(&mut self, codes: I32x4) -> Value {
        let e = &mut *self.e;
        let shorts = e.b.ins().snarrow(codes.0, codes.0);
        let bytes = e.b.ins().unarrow(shorts, shorts);
        let words = e.cast(bytes, I32X4);
        e.lane(I32x4(words), 0)
    }

    /// Leaves the kernel where a NaN may be wrong.
    pub fn leave_if_doubtful(&mut self) {
        if let Some(suspect) = self.suspect() {
            let suspect = if self.is_f24() { self.odd_lanes(suspect) } else { suspect };
            let doubt = self.e.any(suspect);
            let fine = self.e.block(&[]);
            let doubtful = self.exits.doubtful;
            self.e.branch_if_rare(doubt, doubtful, (fine, &[]));
            self.e.b.seal_block(fine);
            self.e.switch_to(fine);
        }
    }
}
