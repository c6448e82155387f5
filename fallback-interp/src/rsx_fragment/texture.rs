//! Differences between lanes and texture lookups: one method per operation.

use triglyph_guest::rsx::fragment::{Compute, QuadVisitor};

use super::lanes::{Lanes, both, column, members, row};
use super::{Quad, alu};
use crate::program::Vector;
use crate::program::sampler::{LodSource, TextureUnit};

/// A value of each lane.
type Vectors = [Vector; 4];

/// The inputs of a lane's level of detail.
enum Lod {
    /// Differences to the neighbours, and a bias.
    Implicit {
        bias: f32,
    },
    Level(f32),
    /// d/dx and d/dy.
    Gradients([Vector; 2]),
}

/// An operation that the lanes of a set execute.
pub(super) struct QuadUnit<'q, 'a> {
    pub(super) quad: &'q mut Quad<'a>,
    pub(super) compute: &'q Compute,
    pub(super) lanes: Lanes,
}

impl QuadVisitor for QuadUnit<'_, '_> {
    type Source = Vectors;
    type Output = Vectors;

    fn ddx(&mut self, a: Vectors) -> Vectors {
        self.differences(a, row)
    }
    fn ddy(&mut self, a: Vectors) -> Vectors {
        self.differences(a, column)
    }
    fn tex(&mut self, a: Vectors) -> Vectors {
        self.lookup(a, |_| Lod::Implicit { bias: 0.0 })
    }
    fn txp(&mut self, a: Vectors) -> Vectors {
        self.lookup(a.map(projected), |_| Lod::Implicit { bias: 0.0 })
    }
    fn txd(&mut self, a: Vectors, b: Vectors, c: Vectors) -> Vectors {
        self.lookup(a, |lane| Lod::Gradients([b[lane], c[lane]]))
    }
    fn txl(&mut self, a: Vectors, b: Vectors) -> Vectors {
        let level = self.b_or_w(a, b);
        self.lookup(a, |lane| Lod::Level(level[lane]))
    }
    fn txb(&mut self, a: Vectors, b: Vectors) -> Vectors {
        let bias = self.b_or_w(a, b);
        self.lookup(a, |lane| Lod::Implicit { bias: bias[lane] })
    }
    fn texbem(&mut self, a: Vectors, b: Vectors, c: Vectors) -> Vectors {
        self.lookup(bumped(a, b, c), |_| Lod::Implicit { bias: 0.0 })
    }
    fn txpbem(&mut self, a: Vectors, b: Vectors, c: Vectors) -> Vectors {
        self.lookup(bumped(a, b, c).map(projected), |_| Lod::Implicit { bias: 0.0 })
    }
}

impl QuadUnit<'_, '_> {
    /// Second less first lane of each lane's pair, 0 unless both execute.
    fn differences(&self, a: Vectors, pair: fn(usize) -> [usize; 2]) -> Vectors {
        std::array::from_fn(|lane| {
            let [first, second] = pair(lane);
            if !both(self.lanes, [first, second]) {
                return [0.0; 4];
            }
            std::array::from_fn(|i| a[second][i] - a[first][i])
        })
    }

    /// Component x of source 1, or w of source 0 if source 1 is unused.
    fn b_or_w(&self, a: Vectors, b: Vectors) -> [f32; 4] {
        if self.compute.reads_source(1) { b.map(|b| b[0]) } else { a.map(|a| a[3]) }
    }

    /// Looks up the instruction's texture; a fragment that meets the unit's alpha kill is discarded.
    fn lookup(&mut self, coordinates: Vectors, lod: impl Fn(usize) -> Lod) -> Vectors {
        let mut results = [[0.0; 4]; 4];
        let resources = self.quad.resources;
        let number = usize::from(self.compute.texture) % resources.keys.len();
        let Some(key) = &resources.keys[number] else { return results };
        let key = &key.for_instruction(self.compute.expand);
        let unit = TextureUnit { key, texture: &resources.textures[number] };
        let pair = |pair: [usize; 2]| both(self.lanes, pair).then(|| pair.map(|lane| coordinates[lane]));
        for i in members(self.lanes) {
            let lod_source = match lod(i) {
                Lod::Implicit { bias } if unit.shares_differences() => LodSource::Neighbours {
                    row: pair([0, 1]).or_else(|| pair([2, 3])),
                    column: pair([0, 2]).or_else(|| pair([1, 3])),
                    bias,
                },
                Lod::Implicit { bias } => LodSource::Neighbours { row: pair(row(i)), column: pair(column(i)), bias },
                Lod::Level(level) => LodSource::Level(level),
                Lod::Gradients(gradients) => LodSource::Gradients(gradients),
            };
            results[i] = unit.sample(coordinates[i], &lod_source);
            self.quad.lanes[i].discarded |= key.alpha_kill && results[i][3] == 0.0;
        }
        results
    }
}

/// Coordinates moved as BEM does, z and w as they are.
fn bumped(a: Vectors, b: Vectors, c: Vectors) -> Vectors {
    std::array::from_fn(|lane| {
        let [x, y, ..] = alu::bump(a[lane], b[lane], c[lane]);
        [x, y, a[lane][2], a[lane][3]]
    })
}

fn projected(at: Vector) -> Vector {
    [at[0] / at[3], at[1] / at[3], at[2] / at[3], at[3]]
}
