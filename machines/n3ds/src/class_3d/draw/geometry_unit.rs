//! The geometry unit from one run of vertices to the next.
//!
//! A draw begins with everything zero. Immediate vertices come in pieces, cut wherever a register is written between
//! them; they belong together until FIXED_ATTR_INDEX is written, so what the unit holds outlives a piece.

use triglyph_guest::kernel::geometry::{GeometryOutput, GeometryRegisters, GeometryState};
use triglyph_guest::kernel::vertex::SCREEN;
use triglyph_guest::pica::isa::SetEmit;

use crate::class_3d::state::output_map::SLOTS;
use triglyph_engine::draw::Shaded;
use triglyph_engine::snapshot::{bits, floats, state};

/// Floats of an emitted vertex.
pub(crate) const STRIDE: usize = SCREEN + SLOTS;

/// What a geometry unit holds.
#[derive(Debug, Default)]
pub(crate) struct GeometryUnit {
    pub(crate) state: GeometryState,
    /// The vertices that [`GeometryState::slots`] counts: a record and a clip code each.
    records: Vec<f32>,
    clip: Vec<u8>,
    /// Values that wait for the rest of their primitive.
    waiting: Vec<[f32; 4]>,
}

impl GeometryUnit {
    /// An output that begins with the vertices in the slots.
    pub(crate) fn begin(&mut self) -> GeometryOutput {
        let (records, clip) = (std::mem::take(&mut self.records), std::mem::take(&mut self.clip));
        GeometryOutput { records, clip, ..GeometryOutput::default() }
    }

    /// Keeps those of the emitted vertices that are in slots, and numbers them anew.
    pub(crate) fn end(&mut self, emitted: &Shaded) {
        let mut kept = Shaded { records: Vec::new(), clip: Vec::new(), ..*emitted };
        for vertex in self.state.slots.iter_mut().flatten() {
            kept.records.extend_from_slice(emitted.record(*vertex));
            kept.clip.push(emitted.clip[*vertex as usize]);
            *vertex = kept.clip.len() as u32 - 1;
        }
        // What comes after them may have other outputs.
        kept.complete();
        (self.records, self.clip) = (kept.records, kept.clip);
    }

    /// Cuts `values`, after those that wait, into primitives of `size`; what is left over waits.
    pub(crate) fn cut(&mut self, values: impl Iterator<Item = [f32; 4]>, size: usize) -> Vec<[f32; 4]> {
        let mut all = std::mem::take(&mut self.waiting);
        all.extend(values);
        let whole = all.len() - all.len() % size;
        self.waiting = all.split_off(whole);
        all
    }
}

state! {
    /// A geometry unit in a snapshot.
    pub(crate) struct SavedGeometryUnit {
        temporaries: [[u32; 4]; 16],
        outputs: [[[u32; 4]; 16]; 2],
        address: [i32; 2],
        loop_counter: i32,
        flags: [bool; 2],
        vertex: u8,
        primitive: bool,
        winding: bool,
        slots: [Option<u32>; 4],
        records: Vec<u32>,
        clip: Vec<u8>,
        waiting: Vec<[u32; 4]>,
    }
}

/// More values than any primitive waits for: 16 vertices of 16 attributes.
const WAITING: usize = 16 * 16;

impl GeometryUnit {
    pub(crate) fn save(&self) -> SavedGeometryUnit {
        let GeometryUnit { state, records, clip, waiting } = self;
        let GeometryState { registers, emit, slots } = state;
        let GeometryRegisters { temporaries, outputs, address, loop_counter, flags } = registers;
        SavedGeometryUnit {
            temporaries: temporaries.map(bits),
            outputs: outputs.map(|bank| bank.map(bits)),
            address: *address,
            loop_counter: *loop_counter,
            flags: *flags,
            vertex: emit.vertex,
            primitive: emit.primitive,
            winding: emit.winding,
            slots: *slots,
            records: records.iter().map(|value| value.to_bits()).collect(),
            clip: clip.clone(),
            waiting: waiting.iter().copied().map(bits).collect(),
        }
    }

    /// The unit that was saved; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedGeometryUnit) -> Option<Self> {
        let vertices = saved.clip.len();
        let possible = vertices <= 4
            && saved.records.len() == vertices * STRIDE
            && saved.slots.iter().flatten().all(|&vertex| (vertex as usize) < vertices)
            && saved.vertex < 4
            && saved.waiting.len() < WAITING;
        possible.then_some(())?;
        let registers = GeometryRegisters {
            temporaries: saved.temporaries.map(floats),
            outputs: saved.outputs.map(|bank| bank.map(floats)),
            address: saved.address,
            loop_counter: saved.loop_counter,
            flags: saved.flags,
        };
        let emit = SetEmit { vertex: saved.vertex, primitive: saved.primitive, winding: saved.winding };
        Some(GeometryUnit {
            state: GeometryState { registers, emit, slots: saved.slots },
            records: saved.records.into_iter().map(f32::from_bits).collect(),
            clip: saved.clip,
            waiting: saved.waiting.into_iter().map(floats).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(range: std::ops::Range<u8>) -> impl Iterator<Item = [f32; 4]> {
        range.map(|i| [i.into(); 4])
    }

    #[test]
    fn what_does_not_make_a_primitive_waits() {
        let mut stage = GeometryUnit::default();
        assert_eq!(stage.cut(values(0..7), 3), values(0..6).collect::<Vec<_>>());
        assert!(stage.cut(values(7..8), 3).is_empty());
        assert_eq!(stage.cut(values(8..10), 3), values(6..9).collect::<Vec<_>>());
    }

    #[test]
    fn vertices_in_slots_outlive_a_piece() {
        let mut stage = GeometryUnit::default();
        assert_eq!(stage.begin(), GeometryOutput::default());
        let records = (0..3 * STRIDE as u8).map(f32::from).collect();
        let emitted = Shaded { exhausted: 0, records, clip: vec![5, 6, 7], stride: STRIDE, groups: 1 };
        stage.state.slots = [Some(2), None, Some(0), None];
        stage.end(&emitted);
        assert_eq!(stage.state.slots, [Some(0), None, Some(1), None]);
        let saved = stage.save();
        assert_eq!(GeometryUnit::restore(saved.clone()).unwrap().save(), saved);
        let out = stage.begin();
        assert_eq!(out.clip, [7, 5]);
        // The groups that were not written are.
        assert_eq!(out.records[STRIDE..][..9], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 1.0]);
        for broken in [
            SavedGeometryUnit { slots: [Some(2), None, None, None], ..saved.clone() },
            SavedGeometryUnit { records: saved.records[1..].to_vec(), ..saved.clone() },
            SavedGeometryUnit { vertex: 4, ..saved.clone() },
            SavedGeometryUnit { waiting: vec![[0; 4]; WAITING], ..saved.clone() },
        ] {
            assert!(GeometryUnit::restore(broken).is_none());
        }
    }
}
