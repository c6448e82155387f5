//! Primitive assembly. The assembler's state outlives a draw: vertices of an unfinished primitive wait for the next.

use super::Shaded;

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
#[derive(Debug, Default)]
pub struct Assembler {
    topology: Topology,
    buffer: [u32; 2],
    next: usize,
    ready: bool,
    turned: bool,
    kept: Vec<Kept>,
}

#[derive(Debug)]
struct Kept {
    record: Vec<f32>,
    clip: u8,
}

impl Assembler {
    /// Chooses a topology and forgets unfinished primitives.
    pub fn reset(&mut self, topology: Topology) {
        *self = Assembler { topology, ..Assembler::default() };
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
        if self.kept.is_empty() {
            return;
        }
        shaded.complete();
        for (slot, kept) in self.buffer.iter_mut().zip(self.kept.drain(..)) {
            *slot = shaded.clip.len() as u32;
            shaded.records.extend_from_slice(&kept.record);
            shaded.clip.push(kept.clip);
        }
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

    /// Keeps what the next draw may need of `shaded`, which is about to go.
    pub fn end(&mut self, shaded: &Shaded) {
        let held = if self.ready { 2 } else { self.next };
        for slot in 0..held {
            let index = self.buffer[slot];
            let mut one = Shaded {
                records: shaded.record(index).to_vec(),
                clip: Vec::new(),
                stride: shaded.stride,
                groups: shaded.groups,
            };
            one.complete();
            self.kept.push(Kept { record: one.records, clip: shaded.clip[index as usize] });
        }
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
}
