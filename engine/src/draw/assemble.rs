//! Primitive assembly. The assembler's state outlives a draw: vertices of an unfinished primitive wait for the next.

use super::Shaded;
use crate::snapshot::state;

/// How vertices form triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// Three vertices each.
    #[default]
    List,
    /// Each vertex with the two before it.
    Strip,
    /// Each vertex with the one before it and the first.
    Fan,
    /// As a list; the winding of single triangles can be turned over ([`Assembler::turn`]).
    Geometry,
}

/// Forms triangles of vertex indices (3dbrew: GPU/Primitive Engine).
///
/// Strips keep two buffers that are replaced in turn: (0,1,2), (2,1,3), (2,3,4), so the orientation stays.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    topology: Topology,
    buffer: [u32; 2],
    next: usize,
    ready: bool,
    turned: bool,
    /// Vertices that wait.
    kept: Shaded,
}

state! {
    /// An assembler in a snapshot.
    pub struct SavedAssembler { topology: u8, next: u8, ready: bool, turned: bool, kept: Vec<SavedKept> }
    /// A vertex that waits: the bits of its record, its clip code.
    pub struct SavedKept { record: Vec<u32>, clip: u8 }
}

impl Assembler {
    /// Chooses a topology and forgets unfinished primitives.
    pub fn reset(&mut self, topology: Topology) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.records.clear();
        kept.clip.clear();
        *self = Assembler { topology, kept, ..Assembler::default() };
    }

    /// The topology.
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// Turns the winding of the next triangle over; only with [`Topology::Geometry`].
    pub fn turn(&mut self) {
        self.turned = true;
    }

    /// Appends the vertices kept from the draw before to `shaded`, whose indices are about to be submitted.
    pub fn begin(&mut self, shaded: &mut Shaded) {
        if self.kept.clip.is_empty() {
            return;
        }
        shaded.complete();
        let first = shaded.clip.len() as u32;
        (first..).zip(&mut self.buffer).zip(&self.kept.clip).for_each(|((index, slot), _)| *slot = index);
        shaded.records.append(&mut self.kept.records);
        shaded.clip.append(&mut self.kept.clip);
    }

    /// Takes a vertex and calls `triangle` if it completes one.
    #[inline]
    pub fn submit(&mut self, vertex: u32, mut triangle: impl FnMut([u32; 3])) {
        match self.topology {
            Topology::List | Topology::Geometry => {
                if self.next < 2 {
                    self.buffer[self.next] = vertex;
                    self.next += 1;
                    return;
                }
                self.next = 0;
                let [a, b] = self.buffer;
                let turned = std::mem::take(&mut self.turned) && self.topology == Topology::Geometry;
                triangle(if turned { [b, a, vertex] } else { [a, b, vertex] });
            }
            Topology::Strip | Topology::Fan => {
                if self.ready {
                    triangle([self.buffer[0], self.buffer[1], vertex]);
                }
                self.buffer[self.next] = vertex;
                self.ready |= self.next == 1;
                self.next = if self.topology == Topology::Strip { 1 - self.next } else { 1 };
            }
        }
    }

    /// Keeps the vertices of `shaded` that the next draw may need, before `shaded` is dropped.
    pub fn end(&mut self, shaded: &Shaded) {
        let held = if self.ready { 2 } else { self.next };
        if held == 0 {
            return;
        }
        let Assembler { kept, buffer, .. } = self;
        (kept.stride, kept.groups) = (shaded.stride, shaded.groups);
        for &index in &buffer[..held] {
            kept.records.extend_from_slice(shaded.record(index));
            kept.clip.push(shaded.clip[index as usize]);
        }
        kept.complete();
    }
}

impl Topology {
    const ALL: [Topology; 4] = [Topology::List, Topology::Strip, Topology::Fan, Topology::Geometry];
}

impl Assembler {
    /// The state between two draws.
    pub fn save(&self) -> SavedAssembler {
        let Assembler { topology, buffer: _, next, ready, turned, kept } = self;
        let vertex = |(index, clip): (u32, &u8)| SavedKept {
            record: kept.record(index).iter().map(|value| value.to_bits()).collect(),
            clip: *clip,
        };
        let kept = (0..).zip(&kept.clip).map(vertex).collect();
        SavedAssembler { topology: *topology as u8, next: *next as u8, ready: *ready, turned: *turned, kept }
    }

    /// The assembler that was saved; `stride` are the floats of a record. `None` when there is no such state.
    pub fn restore(saved: &SavedAssembler, stride: usize) -> Option<Self> {
        let SavedAssembler { topology, next, ready, turned, kept } = saved;
        let (topology, next) = (*Topology::ALL.get(usize::from(*topology))?, usize::from(*next));
        let possible = match topology {
            Topology::List | Topology::Geometry => next <= 2 && !ready,
            Topology::Strip | Topology::Fan => next <= 1,
        };
        let held = if *ready { 2 } else { next };
        if !possible || kept.len() != held || kept.iter().any(|vertex| vertex.record.len() != stride) {
            return None;
        }
        let kept = Shaded {
            records: kept.iter().flat_map(|vertex| &vertex.record).copied().map(f32::from_bits).collect(),
            clip: kept.iter().map(|vertex| vertex.clip).collect(),
            stride,
            exhausted: 0,
            groups: u32::MAX,
        };
        // The numbers of the vertices that wait are given when the next draw begins.
        Some(Assembler { topology, buffer: [0; 2], next, ready: *ready, turned: *turned, kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangles(topology: Topology, count: u32) -> Vec<[u32; 3]> {
        let mut assembler = Assembler::default();
        assembler.reset(topology);
        let mut out = Vec::new();
        (0..count).for_each(|v| assembler.submit(v, |t| out.push(t)));
        out
    }

    #[test]
    fn topologies() {
        assert_eq!(triangles(Topology::List, 7), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(triangles(Topology::Strip, 5), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(triangles(Topology::Fan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(triangles(Topology::Geometry, 3), [[0, 1, 2]]);
    }

    #[test]
    fn turning_swaps_the_first_two_once() {
        let mut assembler = Assembler::default();
        assembler.reset(Topology::Geometry);
        assembler.turn();
        let mut out = Vec::new();
        (0..6).for_each(|v| assembler.submit(v, |t| out.push(t)));
        assert_eq!(out, [[1, 0, 2], [3, 4, 5]]);
    }

    #[test]
    fn unfinished_primitives_meet_the_next_draw() {
        let shaded = |values: &[f32]| Shaded {
            exhausted: 0,
            records: values.iter().flat_map(|&v| [v; 8]).collect(),
            clip: vec![0; values.len()],
            stride: 8,
            groups: 1,
        };
        let mut assembler = Assembler::default();
        let first = shaded(&[1.0, 2.0]);
        assembler.submit(0, |_| unreachable!());
        assembler.submit(1, |_| unreachable!());
        assembler.end(&first);
        let mut second = shaded(&[3.0]);
        assembler.begin(&mut second);
        let mut seen = Vec::new();
        assembler.submit(0, |t| seen.push(t.map(|v| second.record(v)[4])));
        assert_eq!(seen, [[1.0, 2.0, 3.0]]);
    }

    #[test]
    fn saved_states_have_to_be_possible() {
        let mut strip = Assembler::default();
        strip.reset(Topology::Strip);
        let shaded = Shaded { exhausted: 0, records: vec![0.5; 24], clip: vec![0, 1, 2], stride: 8, groups: u32::MAX };
        (0..3).for_each(|vertex| strip.submit(vertex, |_| ()));
        strip.end(&shaded);
        let saved = strip.save();
        assert_eq!(Assembler::restore(&saved, 8).unwrap().save(), saved);
        let one = || saved.kept[..1].to_vec();
        assert_eq!(saved.kept.iter().map(|kept| kept.clip).collect::<Vec<_>>(), [2, 1]);
        for broken in [
            SavedAssembler { topology: 4, ..saved.clone() },
            SavedAssembler { topology: Topology::List as u8, ..saved.clone() },
            SavedAssembler { next: 2, ..saved.clone() },
            SavedAssembler { kept: one(), ..saved.clone() },
            SavedAssembler { ready: false, next: 2, ..saved.clone() },
        ] {
            assert!(Assembler::restore(&broken, 8).is_none(), "{broken:?}");
        }
        assert!(Assembler::restore(&saved, 12).is_none());
        let half = SavedAssembler { ready: false, next: 1, kept: one(), ..saved };
        assert!(Assembler::restore(&half, 8).is_some());
    }
}
