//! Lookups: coordinates and what the level of detail follows from.

use triglyph_guest::rsx::fragment::{Compute, Op};

use super::compute::{both, column, members, row};
use super::{Lanes, Quad, alu};
use crate::program::Vector;
use crate::program::sampler::{LodSource, TextureUnit};

impl Quad<'_> {
    /// Looks up a texture for the lanes of a set; a fragment that the unit's alpha kill meets is discarded.
    pub(super) fn lookup(&mut self, compute: &Compute, sources: &[[Vector; 3]; 4], lanes: Lanes) -> [Vector; 4] {
        let mut results = [[0.0; 4]; 4];
        let number = usize::from(compute.texture) % self.resources.keys.len();
        let Some(key) = &self.resources.keys[number] else { return results };
        let unit = TextureUnit { key, texture: &self.resources.textures[number] };
        let coordinates = sources.map(|sources| coordinates(compute.op, sources));
        for i in members(lanes) {
            let [a, b, c] = sources[i];
            let pair = |pair: [usize; 2]| both(lanes, pair).then(|| pair.map(|lane| coordinates[lane]));
            let extra = if compute.reads_source(1) { b[0] } else { a[3] };
            let neighbours = |bias| LodSource::Neighbours { row: pair(row(i)), column: pair(column(i)), bias };
            let lod_source = match compute.op {
                Op::Txl => LodSource::Level(extra),
                Op::Txb => neighbours(extra),
                Op::Txd => LodSource::Gradients([b, c]),
                _ => neighbours(0.0),
            };
            results[i] = unit.sample(coordinates[i], &lod_source);
            self.lanes[i].discarded |= key.alpha_kill && results[i][3] == 0.0;
        }
        results
    }
}

/// Where an operation looks.
fn coordinates(op: Op, [a, b, c]: [Vector; 3]) -> Vector {
    let at = match op {
        Op::Texbem | Op::Txpbem => {
            let [x, y, ..] = alu::bump(a, b, c);
            [x, y, a[2], a[3]]
        }
        _ => a,
    };
    match op {
        Op::Txp | Op::Txpbem => [at[0] / at[3], at[1] / at[3], at[2] / at[3], at[3]],
        _ => at,
    }
}
