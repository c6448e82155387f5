//! Gathers, fetches and queries.

use std::mem::offset_of;

use triglyph_guest::kernel::program::sampler::{Filter, Shape, Texels};
use triglyph_guest::num::ops::Ops;

use super::wrap::Index;
use super::{Channels, Lookup, Reference, Sampler, Size, TextureUnit, channel_of, dimensions, field, wanted};
use crate::lane::{Emit, F32x4, I32x4, Mask};
use crate::pixel::sample::programs::args::TextureArgs;

/// Offsets of a gather along s and t.
#[derive(Clone, Copy)]
pub enum GatherOffsets {
    /// One offset for all four texels.
    Common([Option<I32x4>; 2]),
    /// An offset for each component of the result, which is then the texel (x0, y0).
    Each([[I32x4; 2]; 4]),
}

/// A gather: a channel of the four texels around a point.
#[derive(Clone, Copy)]
pub struct Gather {
    pub coordinates: [F32x4; 4],
    /// Channel of the texels, 0 to 3.
    pub channel: usize,
    pub offsets: GatherOffsets,
    pub reference: Reference,
    /// Components of the result that are needed.
    pub needed: [bool; 4],
}

/// A fetch: a texel by its indices.
#[derive(Clone, Copy)]
pub struct Fetch {
    /// Indices beyond the shape's dimensions are ignored.
    pub at: [I32x4; 3],
    /// `None`: 0.
    pub layer: Option<I32x4>,
    /// `None`: 0.
    pub level: Option<I32x4>,
    /// Channels of the result that are needed.
    pub needed: [bool; 4],
}

/// Position along s and t of the texel of each component of a gather.
const GATHER_TEXELS: [[usize; 2]; 4] = [[0, 1], [1, 1], [1, 0], [0, 0]];

/// The texels of a gather, or their comparisons. Components that are not needed are 0.
pub fn gather(e: &mut Emit<'_>, unit: TextureUnit<'_>, gather: &Gather) -> [F32x4; 4] {
    let only: [bool; 4] = std::array::from_fn(|c| c == gather.channel & 3);
    let mut sampler = Sampler::new(e, unit, wanted(unit.key, only));
    sampler.unfiltered = true;
    let shift = match gather.offsets {
        GatherOffsets::Common([s, t]) => [s, t, None],
        GatherOffsets::Each(_) => [None; 3],
    };
    sampler.place(gather.coordinates, shift, gather.reference);
    let size = sampler.first_level();
    let zero = sampler.e.f(0.0);
    let mut result = [zero; 4];
    let mut around = None;
    for (i, out) in result.iter_mut().enumerate().filter(|(i, _)| gather.needed[*i]) {
        *out = match gather.offsets {
            GatherOffsets::Common(_) => {
                let texels = *around.get_or_insert_with(|| sampler.around(&size));
                sampler.gathered(
                    &size,
                    gather.channel,
                    [0, 1].map(|axis| texels[axis].map(|two| two[GATHER_TEXELS[i][axis]])),
                )
            }
            GatherOffsets::Each(offsets) => {
                if sampler.cube.is_none() {
                    sampler.shift = [Some(offsets[i][0]), Some(offsets[i][1]), None];
                }
                let texels = sampler.around(&size);
                sampler.gathered(&size, gather.channel, texels.map(|two| two.map(|[first, _]| first)))
            }
        };
    }
    result
}

/// The texel at some indices, 0 in all channels if out of range. Channels that are not needed are 0.
pub fn fetch(e: &mut Emit<'_>, unit: TextureUnit<'_>, fetch: &Fetch) -> [F32x4; 4] {
    let mut sampler = Sampler::new(e, unit, wanted(unit.key, fetch.needed));
    sampler.unfiltered = true;
    let mut exists = Vec::new();
    let size = match fetch.level {
        Some(level) => {
            let count = sampler.splat_i32(field!(level_count));
            let (level, exist) = sampler.existing(level, count);
            exists.push(exist);
            sampler.mipmap(level)
        }
        None => sampler.first_level(),
    };
    let mut place = [None; 3];
    for (axis, place) in place.iter_mut().enumerate().take(dimensions(unit.key.shape)) {
        let (index, exist) = sampler.existing(fetch.at[axis], size.counts[axis]);
        exists.push(exist);
        *place = Some(index);
    }
    if let Some(layer) = fetch.layer {
        let count = sampler.splat_i32(field!(layers));
        let (layer, exist) = sampler.existing(layer, count);
        exists.push(exist);
        let texels = sampler.splat_i32(field!(layer_texels));
        sampler.layer = Some(sampler.e.imul(layer, texels));
    }
    let channels = sampler.fetched(&size, place);
    let result = sampler.finish(channels, fetch.needed);
    let Some(exist) = exists.into_iter().reduce(|a, b| sampler.e.and(a, b)) else { return result };
    result.map(|value| {
        let bits = sampler.e.bits(value);
        let bits = sampler.e.iand(bits, I32x4(exist.0));
        sampler.e.float_of_bits(bits)
    })
}

/// The level of detail before it is clamped, and the level that is read, in 1/256.
pub fn query_level(e: &mut Emit<'_>, unit: TextureUnit<'_>, lookup: &Lookup) -> [I32x4; 2] {
    let mut sampler = Sampler::new(e, unit, [false; 4]);
    sampler.place(lookup.coordinates, lookup.offset, Reference::Missing);
    let (lod, _) = sampler.unclamped(lookup);
    let fixed = |e: &mut Emit<'_>, value: F32x4| {
        let scale = e.f(256.0);
        let value = e.mul(value, scale);
        let value = e.clamp(value, -32768.0, 32767.0);
        e.truncate_to_int(value)
    };
    let before = fixed(sampler.e, lod);
    let Some(filter) = unit.key.mipmap else { return [before, sampler.e.i(0)] };
    let lod = sampler.limited(lod);
    let zero = sampler.e.f(0.0);
    let lod = sampler.e.max(lod, zero);
    let last = sampler.splat_f32(field!(last_level));
    let mut lod = sampler.e.min(lod, last);
    if filter == Filter::Nearest {
        let half = sampler.e.f(0.5);
        lod = sampler.e.add(lod, half);
        lod = sampler.e.floor(lod);
    }
    [before, fixed(sampler.e, lod)]
}

/// As many sizes of a level as the shape has axes, then its layers, and how many levels there are.
pub fn query_size(e: &mut Emit<'_>, unit: TextureUnit<'_>, level: I32x4) -> [I32x4; 4] {
    let mut sampler = Sampler::new(e, unit, [false; 4]);
    let count = sampler.splat_i32(field!(level_count));
    let (level, exists) = sampler.existing(level, count);
    let mut sizes = sampler.mipmap(level).counts;
    let axes = dimensions(unit.key.shape);
    sizes[axes..].fill(sampler.e.i(0));
    if matches!(unit.key.shape, Shape::D1Array | Shape::D2Array | Shape::CubeArray) {
        sizes[axes] = sampler.splat_i32(field!(counted_layers));
    }
    let [x, y, z] = sizes.map(|size| sampler.e.iand(size, I32x4(exists.0)));
    [x, y, z, count]
}

impl Sampler<'_, '_> {
    /// `number` where it is below `count`, some valid number elsewhere, and the mask of valid lanes.
    fn existing(&mut self, number: I32x4, count: I32x4) -> (I32x4, Mask) {
        let before = self.e.i(-1);
        let last = self.e.iadd(count, before);
        let limited = self.e.umin(number, last);
        (limited, self.e.ieq(limited, number))
    }

    /// The two texels along s and t around the coordinates.
    fn around(&mut self, size: &Size) -> [Option<[Index; 2]>; 2] {
        let axes = dimensions(self.key.shape);
        [0, 1].map(|axis| (axis < axes).then(|| self.linear_indices(axis, size).texels))
    }

    /// Channel `channel` of the result that one texel gives, or its comparison.
    fn gathered(&mut self, size: &Size, channel: usize, [s, t]: [Option<Index>; 2]) -> F32x4 {
        let border = self.border(&[s, t]);
        let source = channel_of(self.key.swizzle[channel & 3]);
        let mut channels: Channels = [None; 4];
        let needs_texel = source.is_some() || self.reference.is_some();
        if let Some(column) = s.filter(|_| needs_texel) {
            let base = self.base(size);
            let row = self.row(size, t.map(|index| index.index), None);
            let index = self.texel(row, column.index);
            if self.reference.is_some() {
                return self.compared(base, index, border);
            }
            match (self.key.texels, source) {
                (Texels::Srgb8, _) => channels = self.linear_values(base, index, border),
                (Texels::Float4, Some(source)) => {
                    channels[source] = Some(self.channel(base, index, border, source));
                }
                _ => {
                    let words = self.words(base, index, border);
                    channels = self.bytes(words);
                }
            }
        }
        let only = std::array::from_fn(|c| c == channel & 3);
        self.finish(channels, only)[channel & 3]
    }

    /// The channels of the texel at valid indices.
    fn fetched(&mut self, size: &Size, [x, y, z]: [Option<I32x4>; 3]) -> Channels {
        let Some(x) = x.filter(|_| self.wanted.contains(&true)) else { return [None; 4] };
        let base = self.base(size);
        let row = self.row(size, y, z);
        let index = self.texel(row, x);
        match self.key.texels {
            Texels::Rgba8 => {
                let words = self.words(base, index, None);
                self.bytes(words)
            }
            Texels::Srgb8 => self.linear_values(base, index, None),
            Texels::Float4 => {
                let texels = self.quadruples(base, index, None);
                self.by_channels(texels)
            }
        }
    }
}
