//! Texture instructions other than samples: gathers, fetches, queries.

use triglyph_guest::kernel::program::sampler::{Filter, Shape};

use super::{Lookup, Pair, TextureUnit};
use crate::program::{Vector, limit};

/// Offsets of a gather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherOffsets {
    /// One for all four texels: the lookup's.
    Common,
    /// s and t of each of the texels of the result, which are then (x0, y0) all.
    Each([[i32; 2]; 4]),
}

impl TextureUnit<'_> {
    /// Channel `channel` (0 to 3) of the four texels around a place, or their comparisons. The lookup's level of detail
    /// counts for nothing.
    pub fn gather(&self, lookup: &Lookup, channel: usize, offsets: GatherOffsets) -> Vector {
        match offsets {
            GatherOffsets::Common => {
                let texel = |place| self.gathered(lookup, channel, place);
                [[0, 1], [1, 1], [1, 0], [0, 0]].map(texel)
            }
            GatherOffsets::Each(offsets) => {
                offsets.map(|[s, t]| self.gathered(&Lookup { offset: [s, t, 0], ..*lookup }, channel, [0, 0]))
            }
        }
    }

    /// One of the four texels: `place` says which one along s and t.
    fn gathered(&self, lookup: &Lookup, channel: usize, place: [usize; 2]) -> f32 {
        let point = self.point(lookup);
        let level = self.level(0);
        let at = self.place(point.coordinates, level);
        let lines = self.axes_of(level, point.offset);
        let mut index = [Some(0); 3];
        for axis in 0..self.axes().min(2) {
            let Pair { index: pair, .. } = lines[axis].linear(at[axis]);
            index[axis] = pair[place[axis]];
        }
        let texel = self.texel(level, &point, index);
        if point.reference.is_some() {
            return texel[0];
        }
        self.finished(self.scaled(texel))[channel & 3]
    }

    /// The texel `at` of a layer and level; 0 in all channels if it is out of range.
    pub fn fetch(&self, at: [i32; 3], layer: u32, level: i32) -> Vector {
        let number = usize::try_from(level).unwrap_or(usize::MAX);
        let Some(level) = self.texture.levels.get(number).filter(|_| number <= self.last_level() as usize) else {
            return [0.0; 4];
        };
        let size = [level.width, level.height, level.depth];
        let mut place = [0; 3];
        for axis in 0..self.axes() {
            if !(0..i64::from(size[axis])).contains(&i64::from(at[axis])) {
                return [0.0; 4];
            }
            place[axis] = at[axis];
        }
        if layer >= self.texture.layers {
            return [0.0; 4];
        }
        self.finished(self.scaled(self.stored(level, layer as usize, place)))
    }

    /// The level of detail before it is clamped, and the level that is read, in 1/256.
    pub fn query_level(&self, lookup: &Lookup) -> [i32; 2] {
        let lod = self.footprint(&self.point(lookup), lookup).lod;
        let before = limit(lod * 256.0, -32768.0, 32767.0) as i32;
        let read = self.key.mipmap.map_or(0.0, |filter| {
            let lod = limit(lod, self.texture.lod_min, self.texture.lod_max);
            let lod = limit(lod, 0.0, self.last_level() as f32);
            if filter == Filter::Nearest { (lod + 0.5).floor() } else { lod }
        });
        [before, (read * 256.0) as i32]
    }

    /// The sizes of a level, then the layers where there are such, and how many levels there are.
    pub fn query_size(&self, level: i32) -> [u32; 4] {
        let count = self.last_level() + 1;
        let number = usize::try_from(level).unwrap_or(usize::MAX);
        let Some(level) = self.texture.levels.get(number).filter(|_| number < count as usize) else {
            return [0, 0, 0, count];
        };
        let layers = self.layers() / self.texture.samples.max(1);
        let [x, y, z] = match self.key.shape {
            Shape::D1 => [level.width, 0, 0],
            Shape::D1Array => [level.width, layers, 0],
            Shape::D2 | Shape::Cube => [level.width, level.height, 0],
            Shape::D2Array | Shape::CubeArray => [level.width, level.height, layers],
            Shape::D3 => [level.width, level.height, level.depth],
        };
        [x, y, z, count]
    }
}
