//! Texture units.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | samples: coordinates, levels, filters, comparison, swizzle and conversion |
//! | `lod.rs` | level of detail, footprints |
//! | `cube.rs` | faces |
//! | `wrap.rs` | coordinates to texel indices |
//! | `sixteen_bits.rs` | linear filters of halves and of 16-bit numbers |
//! | `gather_fetch.rs` | gathers, fetches, queries |

mod cube;
mod gather_fetch;
mod lod;
mod sixteen_bits;
mod wrap;

use triglyph_guest::kernel::program::sampler::{
    Convert, Filter, LINEAR, Level, Reduction, Rounding, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_guest::num::ops::{Scalar, srgb_to_linear};

use super::{Vector, limit};
use crate::operations::compare;
pub use gather_fetch::GatherOffsets;
use lod::Footprint;
pub use lod::LodSource;
use sixteen_bits::SixteenBits;
use wrap::{Axis, Pair};

/// A texture unit.
#[derive(Clone, Copy, Debug)]
pub struct TextureUnit<'a> {
    /// How it is set up.
    pub key: &'a TextureKey,
    /// The data that it reads.
    pub texture: &'a Texture<'a>,
}

/// The reference of comparisons, if the unit compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// The coordinate after the last one that the shape uses.
    Coordinate,
    /// An operand of its own.
    Operand(f32),
    /// Nothing: there is no comparison.
    Missing,
}

/// The request of an instruction to a unit.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    /// Coordinates as the unit's shape has them.
    pub at: Vector,
    /// The inputs of the level.
    pub lod_source: LodSource,
    /// Texels that are added along s, t, r.
    pub offset: [i32; 3],
    /// The reference of comparisons.
    pub reference: Reference,
}

impl Lookup {
    /// A lookup without offset whose reference is among the coordinates.
    pub fn new(at: Vector, lod_source: LodSource) -> Lookup {
        Lookup { at, lod_source, offset: [0; 3], reference: Reference::Coordinate }
    }
}

/// Where a texture is read.
#[derive(Clone)]
struct SamplePoint {
    /// s, t, r on the layer; those beyond the shape's axes mean nothing.
    coordinates: [f32; 3],
    /// Face of a cube, 0 otherwise.
    face: usize,
    /// Layer of texels, counted in faces for cubes.
    layer: usize,
    /// Added to indices.
    offset: [i32; 3],
    /// The reference of comparisons; `None`: there is none.
    reference: Option<f32>,
}

impl TextureUnit<'_> {
    /// The unit's result at `at`.
    pub fn sample(&self, at: Vector, lod_source: &LodSource) -> Vector {
        self.look_up(&Lookup::new(at, *lod_source))
    }

    /// The unit's result.
    pub fn look_up(&self, lookup: &Lookup) -> Vector {
        let point = self.point(lookup);
        let color = match self.key.needs_lod() {
            true => self.along(&point, self.footprint(&point, lookup)),
            false => self.levels(&point, 0.0),
        };
        let color = if point.reference.is_some() { color } else { self.scaled(color) };
        self.finished(color)
    }

    /// Swizzle and conversion.
    fn finished(&self, color: Vector) -> Vector {
        std::array::from_fn(|i| convert(self.key.convert[i], source(self.key.swizzle[i], color)))
    }

    /// Axes of a layer.
    fn axes(&self) -> usize {
        match self.key.shape {
            Shape::D1 | Shape::D1Array => 1,
            Shape::D2 | Shape::D2Array | Shape::Cube | Shape::CubeArray => 2,
            Shape::D3 => 3,
        }
    }

    fn is_cube(&self) -> bool {
        matches!(self.key.shape, Shape::Cube | Shape::CubeArray)
    }

    /// Layers of the texture as the shape counts them.
    fn layers(&self) -> u32 {
        if self.is_cube() { self.texture.layers / 6 } else { self.texture.layers }
    }

    fn point(&self, lookup: &Lookup) -> SamplePoint {
        let [s, t, r, q] = lookup.at;
        let (array, after) = match self.key.shape {
            Shape::D1 => (None, t),
            Shape::D2 => (None, r),
            Shape::D3 | Shape::Cube => (None, q),
            Shape::D1Array => (Some(t), r),
            Shape::D2Array => (Some(r), q),
            Shape::CubeArray => (Some(q), 0.0),
        };
        let reference = match lookup.reference {
            _ if self.key.compare.is_none() => None,
            Reference::Missing => None,
            Reference::Coordinate => Some(after),
            Reference::Operand(reference) if self.key.clamp_reference => Some(limit(reference, 0.0, 1.0)),
            Reference::Operand(reference) => Some(reference),
        };
        let mut point = SamplePoint { coordinates: [s, t, r], face: 0, layer: 0, offset: lookup.offset, reference };
        point.layer = array.map_or(0, |coordinate| array_layer(coordinate, self.layers()));
        if self.is_cube() {
            point.face = cube::face([s, t, r]);
            let [s, t] = cube::on_face(point.face, [s, t, r]);
            point.coordinates = [s, t, 0.0];
            point.layer = 6 * point.layer + point.face;
            point.offset = [0; 3];
        }
        point
    }

    fn in_texels(&self, coordinates: [f32; 3], level: &Level) -> [f32; 3] {
        if self.key.unnormalized {
            return coordinates;
        }
        let size = [level.width, level.height, level.depth];
        std::array::from_fn(|i| coordinates[i] * size[i] as f32)
    }

    /// Where texels are looked for.
    fn place(&self, coordinates: [f32; 3], level: &Level) -> [f32; 3] {
        let place = self.in_texels(coordinates, level);
        match self.key.rounding {
            Rounding::Coordinates => place.map(|c| (c * 4096.0 + 0.5).floor() * (1.0 / 4096.0)),
            Rounding::None | Rounding::Subtexels => place,
        }
    }

    /// All taps of a footprint as one.
    fn along(&self, point: &SamplePoint, footprint: Footprint) -> Vector {
        let Footprint { lod, taps, axis } = footprint;
        let lod = self.clamped(lod);
        if self.key.anisotropy <= 1 {
            // Texels that are not filtered keep their bits: a division by one would make a signalling NaN quiet.
            return self.levels(point, lod);
        }
        let tap = |i: u8| {
            let along = (f32::from(i) - 0.5) / taps - 0.5;
            let mut point = point.clone();
            for (coordinate, step) in point.coordinates.iter_mut().zip(axis) {
                *coordinate += step * along;
            }
            self.levels(&point, lod)
        };
        let all = (2..=taps as u8).fold(tap(1), |all, i| {
            let next = tap(i);
            match self.key.reduction {
                Reduction::Minimum | Reduction::Maximum => self.mix(all, next, 1.0),
                Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => {
                    std::array::from_fn(|c| all[c] + next[c])
                }
            }
        });
        match self.key.reduction {
            Reduction::Minimum | Reduction::Maximum => all,
            Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => all.map(|sum| sum / taps),
        }
    }

    /// The filtered texel, in the scale of texels.
    fn levels(&self, point: &SamplePoint, lod: f32) -> Vector {
        // NaN magnifies.
        let minified = lod > 0.0;
        let filter = if minified { self.key.minify } else { self.key.magnify };
        let mipmap = self.key.mipmap.filter(|_| minified);
        match mipmap {
            None => self.filtered(point, 0, filter),
            Some(Filter::Nearest) => self.filtered(point, (lod + 0.5).floor() as i32, filter),
            Some(Filter::Linear) => {
                let whole = lod.floor();
                let weight = ((lod - whole) * 256.0).trunc() / 256.0;
                let level = whole as i32;
                let low = self.filtered(point, level, filter);
                if weight == 0.0 {
                    // The next level may have infinite texels.
                    return low;
                }
                let high = self.filtered(point, level.saturating_add(1), filter);
                self.mix(low, high, weight)
            }
        }
    }

    /// Texels in the scale of results.
    fn scaled(&self, color: Vector) -> Vector {
        match self.key.texels {
            Texels::Rgba8 => color.map(|v| v * (1.0 / 255.0)),
            Texels::Srgb8 | Texels::Float4 => color,
        }
    }

    /// Number of the last level.
    fn last_level(&self) -> u32 {
        self.texture.level_count.clamp(1, self.texture.levels.len() as u32) - 1
    }

    /// Level `number`, clamped to the existing ones.
    fn level(&self, number: i32) -> &Level {
        &self.texture.levels[number.clamp(0, self.last_level() as i32) as usize]
    }

    /// The axes of a level.
    fn axes_of(&self, level: &Level, offset: [i32; 3]) -> [Axis; 3] {
        let size = [level.width, level.height, level.depth];
        std::array::from_fn(|i| {
            let wrap = match self.key.seamless {
                true => None,
                false if self.is_cube() => Some(Wrap::ClampToEdge),
                false => Some(self.key.wrap[i]),
            };
            Axis { wrap, size: size[i], offset: offset[i], rounding: self.key.rounding }
        })
    }

    /// Level `number`, clamped to the existing ones, under a filter.
    fn filtered(&self, point: &SamplePoint, number: i32, filter: Filter) -> Vector {
        let level = self.level(number);
        let at = self.place(point.coordinates, level);
        let lines = self.axes_of(level, point.offset);
        let axes = self.axes();
        match filter {
            Filter::Nearest => {
                let mut index = [Some(0); 3];
                for axis in 0..axes {
                    index[axis] = lines[axis].nearest(at[axis]);
                }
                self.texel(level, point, index)
            }
            Filter::Linear => {
                let mut pairs = [Pair::default(); 3];
                for axis in 0..axes {
                    pairs[axis] = lines[axis].linear(at[axis]);
                }
                // Corner i takes the second index of axis k if bit k of i is set.
                let mut corners: [Vector; 8] = Default::default();
                for (i, corner) in corners.iter_mut().enumerate().take(1 << axes) {
                    *corner = self.texel(level, point, std::array::from_fn(|axis| pairs[axis].index[i >> axis & 1]));
                }
                if let Some(kind) = SixteenBits::of(self.key.reduction) {
                    let weights = pairs.map(|pair| pair.weight);
                    let mut planes: [Vector; 2] = Default::default();
                    for (plane, texels) in planes.iter_mut().zip(corners.chunks(4)) {
                        *plane = std::array::from_fn(|c| {
                            let texels: [f32; 4] = std::array::from_fn(|i| texels[i][c]);
                            kind.filter(&texels[..1 << axes.min(2)], weights)
                        });
                    }
                    return if axes > 2 { self.mix(planes[0], planes[1], weights[2]) } else { planes[0] };
                }
                let rounded = self.key.reduction == Reduction::Rounded;
                let is_mean_of_four = axes >= 2 && pairs[0].weight == 0.5 && pairs[1].weight == 0.5;
                for (axis, pair) in pairs.iter().enumerate().take(axes) {
                    let rounds = rounded && !(axis == 0 && is_mean_of_four);
                    for i in 0..1 << (axes - axis - 1) {
                        let mixed = self.mix(corners[2 * i], corners[2 * i + 1], pair.weight);
                        corners[i] = if rounds { mixed.map(|v| (v + 0.5).floor()) } else { mixed };
                    }
                }
                corners[0]
            }
        }
    }

    /// Two texels as one, the second with a weight.
    fn mix(&self, a: Vector, b: Vector, weight: f32) -> Vector {
        let picked = |takes_first: fn(f32, f32) -> bool| {
            std::array::from_fn(|i| if weight == 0.0 || takes_first(a[i], b[i]) { a[i] } else { b[i] })
        };
        match self.key.reduction {
            Reduction::Minimum => picked(|a, b| a < b),
            Reduction::Maximum => picked(|a, b| a > b),
            Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => {
                std::array::from_fn(|i| a[i] + (b[i] - a[i]) * weight)
            }
        }
    }

    /// A texel, or the border colour where an index is `None`; compared, if there is a reference.
    fn texel(&self, level: &Level, point: &SamplePoint, index: [Option<i32>; 3]) -> Vector {
        let color = match index {
            [Some(x), Some(y), Some(z)] => self.stored(level, point.layer, [x, y, z]),
            _ => self.texture.border,
        };
        let (Some(operation), Some(reference)) = (self.key.compare, point.reference) else { return color };
        let red = match self.key.texels {
            Texels::Rgba8 => color[0] * (1.0 / 255.0),
            Texels::Srgb8 | Texels::Float4 => color[0],
        };
        [if compare(operation, red, reference) { 1.0 } else { 0.0 }; 4]
    }

    /// A texel as it is in memory; those of a border have indices of -1 and of the size.
    fn stored(&self, level: &Level, layer: usize, at: [i32; 3]) -> Vector {
        let [x, y, z] = at.map(i64::from);
        let stride = i64::from(level.width) + if self.key.seamless { 2 } else { 0 };
        let row = z * i64::from(level.height) + y;
        let first = layer as i64 * i64::from(self.texture.layer_texels) + i64::from(level.offset);
        let texel = first.wrapping_add(row.wrapping_mul(stride)).wrapping_add(x) as usize;
        let word = |i: usize| {
            let at = texel.saturating_mul(self.key.texels.words()).saturating_add(i);
            self.texture.texels.get(at).copied().unwrap_or(0)
        };
        match self.key.texels {
            Texels::Rgba8 => word(0).to_le_bytes().map(f32::from),
            Texels::Srgb8 => {
                let [r, g, b, a] = word(0).to_le_bytes();
                let [r, g, b] = [r, g, b].map(|byte| LINEAR[usize::from(byte)]);
                [r, g, b, f32::from(a) * (1.0 / 255.0)]
            }
            Texels::Float4 => [0, 1, 2, 3].map(|i| f32::from_bits(word(i))),
        }
    }
}

fn array_layer(coordinate: f32, layers: u32) -> usize {
    let last = layers.max(1) - 1;
    // The conversion saturates, NaN becomes 0.
    ((coordinate + 0.5).floor() as u32).min(last) as usize
}

fn source(source: Source, [r, g, b, a]: Vector) -> f32 {
    match source {
        Source::Zero => 0.0,
        Source::One => 1.0,
        Source::OneInteger => f32::from_bits(1),
        Source::Red => r,
        Source::Green => g,
        Source::Blue => b,
        Source::Alpha => a,
    }
}

fn convert(convert: Convert, v: f32) -> f32 {
    match convert {
        Convert::None => v,
        Convert::Signed => ((v * 255.0 + 0.5).floor() - 128.0) * (1.0 / 127.0),
        Convert::SignedWord => ((v * 65535.0 + 0.5).floor() - 32768.0) * (1.0 / 32767.0),
        Convert::Biased => (v * 255.0 - 128.0) * (1.0 / 127.0),
        Convert::BiasedWord => (v * 65535.0 - 32768.0) * (1.0 / 32767.0),
        Convert::Srgb => srgb_to_linear(&mut Scalar, v),
        Convert::Expanded => 2.0 * v - 1.0,
    }
}
