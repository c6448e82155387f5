//! Reading textures, from decoded texels; for vertex and fragment programs.
//!
//! | file | what |
//! |---|---|
//! | `mod.rs` | one lookup: coordinates, levels, passes over them, swizzle and conversion |
//! | `args.rs` | arguments of a texture unit |
//! | `lod.rs` | levels of detail, footprints |
//! | `cube.rs` | faces |
//! | `wrap.rs` | coordinates to texel indices |
//! | `texel.rs` | addresses of texels and reading them |
//! | `filter.rs` | nearest and linear |
//! | `sixteen_bits.rs` | linear filters of halves and of 16-bit numbers |
//! | `gather_fetch.rs` | gathers, fetches, queries |
//!
//! A lookup between two levels is a loop of two passes around the code for one, of which the second is left out when no
//! lane needs it: the code is emitted once. An anisotropic lookup is a loop around that, of as many passes as the lane
//! with most taps needs.

pub mod args;
mod cube;
mod filter;
mod gather_fetch;
mod lod;
mod mix;
mod sixteen_bits;
#[cfg(test)]
mod tests;
mod texel;
mod wrap;

use std::mem::offset_of;

use cranelift_codegen::ir::types::{F32X4, I32, I32X4};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use triglyph_guest::kernel::program::sampler::{Convert, Filter, Level, Reduction, Shape, Source, Texels, TextureKey};
use triglyph_guest::num::ops::{self, Ops};

use crate::lane::{Emit, F32x4, I32x4, Mask};
use args::TextureArgs;
use cube::Cube;
pub use gather_fetch::{Fetch, Gather, GatherOffsets, fetch, gather, query_level, query_size};
use lod::Taps;
pub use lod::both_together;

/// Source of the level of detail.
#[derive(Clone, Copy)]
pub enum LodSource {
    /// From the differences between lanes, with a bias.
    Implicit { bias: Option<F32x4> },
    /// An explicit level.
    Level(F32x4),
    /// From explicit gradients along x and y, of coordinates s, t, r.
    Gradients([[F32x4; 3]; 2]),
}

/// A texture unit.
#[derive(Clone, Copy)]
pub struct TextureUnit<'k> {
    pub key: &'k TextureKey,
    /// Address of its [`TextureArgs`].
    pub args: Value,
    /// Offset of 64 bytes of memory to work in, from the kernel's arguments.
    pub scratch: i32,
}

/// Reference value of comparisons.
#[derive(Clone, Copy)]
pub enum Reference {
    /// The coordinate after the last one that the shape uses.
    Coordinate,
    /// A separate operand.
    Operand(F32x4),
    /// Nothing: there is no comparison.
    Missing,
}

/// A lookup.
#[derive(Clone, Copy)]
pub struct Lookup {
    pub coordinates: [F32x4; 4],
    pub lod_source: LodSource,
    /// Texels that are added along s, t, r.
    pub offset: [Option<I32x4>; 3],
    pub reference: Reference,
    /// Lanes that execute the instruction; `None` for all.
    pub together: Option<Mask>,
    /// Channels of the result that are needed.
    pub needed: [bool; 4],
}

impl Lookup {
    /// A lookup of all lanes, without offset, whose reference is among the coordinates.
    pub fn new(coordinates: [F32x4; 4], lod_source: LodSource, needed: [bool; 4]) -> Lookup {
        Lookup { coordinates, lod_source, offset: [None; 3], reference: Reference::Coordinate, together: None, needed }
    }
}

/// The level that each lane reads.
#[derive(Clone, Copy)]
struct Size {
    /// Width, height, depth, and the same as floats.
    counts: [I32x4; 3],
    sizes: [F32x4; 3],
    /// Texels from the beginning of all texels, or `None` where addresses begin with the level.
    offset: Option<I32x4>,
}

/// One lookup while it is emitted.
struct Sampler<'s, 'a> {
    e: &'s mut Emit<'a>,
    key: &'s TextureKey,
    unit: TextureUnit<'s>,
    /// Coordinates in the image: for a cube those on its face.
    coordinates: [F32x4; 3],
    cube: Option<Cube>,
    /// Texels from the beginning to the layer.
    layer: Option<I32x4>,
    /// Texels that are added along s, t, r.
    shift: [Option<I32x4>; 3],
    /// Reference value of comparisons.
    reference: Option<F32x4>,
    /// Channels of texels that the result depends on.
    wanted: [bool; 4],
    /// All lanes have the same level of detail.
    shared_level: bool,
    /// Texels are read as they are: channels of [`Texels::Rgba8`] are bytes whatever the filter.
    unfiltered: bool,
}

/// Channels r, g, b, a of four lanes; unneeded ones are `None`.
type Channels = [Option<F32x4>; 4];

/// Offset of a field of [`TextureArgs`].
macro_rules! field {
    ($field:ident) => {
        offset_of!(TextureArgs, $field) as i32
    };
}
use field;

/// Dimensions of a shape's image.
const fn dimensions(shape: Shape) -> usize {
    match shape {
        Shape::D1 | Shape::D1Array => 1,
        Shape::D2 | Shape::D2Array | Shape::Cube | Shape::CubeArray => 2,
        Shape::D3 => 3,
    }
}

/// Reads a texture. Channels that are not needed may be anything.
pub fn sample(e: &mut Emit<'_>, unit: TextureUnit<'_>, lookup: &Lookup) -> [F32x4; 4] {
    let mut sampler = Sampler::new(e, unit, wanted(unit.key, lookup.needed));
    sampler.place(lookup.coordinates, lookup.offset, lookup.reference);
    let compares = sampler.reference.is_some() && matches!(lookup.reference, Reference::Operand(_));
    if compares {
        sampler.wanted = [true, false, false, false];
    }
    let channels = sampler.levels(lookup);
    if compares {
        return sampler.finish([channels[0]; 4], lookup.needed);
    }
    sampler.finish(channels, lookup.needed)
}

/// Channels of texels that the channels `needed` of the result come from.
fn wanted(key: &TextureKey, needed: [bool; 4]) -> [bool; 4] {
    let mut wanted = [false; 4];
    for (source, _) in key.swizzle.iter().zip(needed).filter(|(_, needed)| *needed) {
        if let Some(channel) = channel_of(*source) {
            wanted[channel] = true;
        }
    }
    wanted
}

fn channel_of(source: Source) -> Option<usize> {
    match source {
        Source::Zero | Source::One | Source::OneInteger => None,
        Source::Red => Some(0),
        Source::Green => Some(1),
        Source::Blue => Some(2),
        Source::Alpha => Some(3),
    }
}

impl<'s, 'a> Sampler<'s, 'a> {
    fn new(e: &'s mut Emit<'a>, unit: TextureUnit<'s>, wanted: [bool; 4]) -> Self {
        let zero = e.f(0.0);
        Sampler {
            e,
            key: unit.key,
            unit,
            coordinates: [zero; 3],
            cube: None,
            layer: None,
            shift: [None; 3],
            reference: None,
            wanted,
            shared_level: false,
            unfiltered: false,
        }
    }

    /// Splits the coordinates into position, layer and reference.
    fn place(&mut self, coordinates: [F32x4; 4], shift: [Option<I32x4>; 3], reference: Reference) {
        let [s, t, r, q] = coordinates;
        let (array, after) = match self.key.shape {
            Shape::D1 => (None, Some(t)),
            Shape::D2 => (None, Some(r)),
            Shape::D3 | Shape::Cube => (None, Some(q)),
            Shape::D1Array => (Some(t), Some(r)),
            Shape::D2Array => (Some(r), Some(q)),
            Shape::CubeArray => (Some(q), None),
        };
        if matches!(self.key.shape, Shape::Cube | Shape::CubeArray) {
            self.choose_face([s, t, r]);
        } else {
            self.coordinates = [s, t, r];
            self.shift = shift;
        }
        self.choose_layer(array);
        self.reference = match reference {
            _ if self.key.compare.is_none() => None,
            Reference::Missing => None,
            Reference::Coordinate => Some(after.unwrap_or_else(|| self.e.f(0.0))),
            Reference::Operand(value) if self.key.clamp_reference => Some(self.e.clamp(value, 0.0, 1.0)),
            Reference::Operand(value) => Some(value),
        };
    }

    fn splat_f32(&mut self, offset: i32) -> F32x4 {
        self.e.load_splat_f32(self.unit.args, offset)
    }

    fn splat_i32(&mut self, offset: i32) -> I32x4 {
        self.e.load_splat_i32(self.unit.args, offset)
    }

    /// Whether a linear filter averages without rounding: then channels of [`Texels::Rgba8`] are scaled by 256.
    fn fixed(&self) -> bool {
        let linear = self.key.magnify == Filter::Linear || self.key.needs_lod() && self.key.minify == Filter::Linear;
        let average = self.key.reduction == Reduction::Average;
        linear && average && !self.unfiltered && self.reference.is_none() && self.key.texels == Texels::Rgba8
    }

    /// Finds the layer of array textures and of cubes.
    fn choose_layer(&mut self, array: Option<F32x4>) {
        let face = self.cube.as_ref().map(|cube| cube.face);
        let layer = array.map(|coordinate| {
            let half = self.e.f(0.5);
            let moved = self.e.add(coordinate, half);
            let whole = self.e.floor(moved);
            let zero = self.e.f(0.0);
            let whole = self.e.max(whole, zero);
            let last = self.splat_f32(field!(last_layer));
            let whole = self.e.min(whole, last);
            self.e.truncate_to_int(whole)
        });
        let number = match (face, layer) {
            (None, None) => return,
            (Some(face), None) => face,
            (None, Some(layer)) => layer,
            (Some(face), Some(layer)) => {
                let (two, four) = (self.e.ishl(layer, 1), self.e.ishl(layer, 2));
                let six = self.e.iadd(two, four);
                self.e.iadd(six, face)
            }
        };
        let texels = self.splat_i32(field!(layer_texels));
        self.layer = Some(self.e.imul(number, texels));
    }

    /// Samples all levels that the key may need.
    fn levels(&mut self, lookup: &Lookup) -> Channels {
        if !self.wanted.contains(&true) {
            return [None; 4];
        }
        if !self.key.needs_lod() {
            let size = self.first_level();
            return self.filtered(self.key.magnify, size);
        }
        let (lod, taps) = self.lod(lookup);
        self.shared_level = self.shares_level(lookup);
        match taps {
            Some(taps) => self.along(lookup, taps, lod),
            None => self.at_level(lod),
        }
    }

    /// Averages the taps of each lane's footprint.
    fn along(&mut self, lookup: &Lookup, taps: Taps, lod: F32x4) -> Channels {
        let axis = self.longer_axis(lookup, taps);
        let middle = self.coordinates;
        let wanted: Vec<usize> = (0..4).filter(|&c| self.wanted[c]).collect();
        let results = vec![F32X4; wanted.len()];
        let parameters = vec![F32X4; 1 + wanted.len()];
        let (tap, done) = (self.e.block(&parameters), self.e.block(&results));
        let (first, zero) = (self.e.f(1.0), self.e.f(0.0));
        let mut arguments = vec![zero.0; 1 + wanted.len()];
        arguments[0] = first.0;
        self.e.jump(tap, &arguments);

        self.e.switch_to(tap);
        let number = F32x4(self.e.parameter(tap, 0));
        let before: Vec<F32x4> = (0..wanted.len()).map(|i| F32x4(self.e.parameter(tap, 1 + i))).collect();
        let half = self.e.f(0.5);
        let place = self.e.sub(number, half);
        let place = self.e.div(place, taps.count);
        let place = self.e.sub(place, half);
        for (k, &step) in axis.iter().enumerate() {
            let moved = self.e.mul(step, place);
            self.coordinates[k] = self.e.add(middle[k], moved);
        }
        let channels = self.at_level(lod);
        let one = self.e.f(1.0);
        let is_first = self.e.feq(number, one);
        let counts = self.e.le(number, taps.count);
        let all: Vec<Value> = wanted
            .iter()
            .zip(&before)
            .filter_map(|(&c, &before)| {
                let here = channels[c]?;
                let both = match self.key.reduction {
                    Reduction::Minimum => self.e.min(before, here),
                    Reduction::Maximum => self.e.max(before, here),
                    Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => {
                        self.e.add(before, here)
                    }
                };
                let both = self.e.select(is_first, here, both);
                Some(self.e.select(counts, both, before).0)
            })
            .collect();
        let next = self.e.add(number, one);
        let more = self.e.le(next, taps.count);
        let more = self.e.any(more);
        let mut arguments = vec![next.0];
        arguments.extend(&all);
        self.e.branch_if_any(more, (tap, &arguments), (done, &all));
        self.e.seal(&[tap, done]);

        self.e.switch_to(done);
        self.coordinates = middle;
        let mut result = [None; 4];
        for (i, &c) in wanted.iter().enumerate() {
            let all = F32x4(self.e.parameter(done, i));
            result[c] = Some(match self.key.reduction {
                Reduction::Minimum | Reduction::Maximum => all,
                Reduction::Average | Reduction::Rounded | Reduction::Halves | Reduction::Words => {
                    self.e.div(all, taps.count)
                }
            });
        }
        result
    }

    /// Samples the levels around a level of detail.
    fn at_level(&mut self, lod: F32x4) -> Channels {
        let zero = self.e.f(0.0);
        let minified = self.e.lt(zero, lod);
        match self.key.mipmap {
            None => {
                let size = self.first_level();
                self.level(minified, size)
            }
            Some(Filter::Nearest) => {
                let half = self.e.f(0.5);
                let moved = self.e.add(lod, half);
                let whole = self.e.floor(moved);
                let level = self.level_number(whole);
                let size = self.mipmap(level);
                self.level(minified, size)
            }
            Some(Filter::Linear) => self.two_levels(lod, minified),
        }
    }

    /// Clamps a level's number to the existing ones.
    fn level_number(&mut self, whole: F32x4) -> I32x4 {
        let zero = self.e.f(0.0);
        let level = self.e.max(whole, zero);
        let last = self.splat_f32(field!(last_level));
        let level = self.e.min(level, last);
        self.e.truncate_to_int(level)
    }

    /// The mean of two levels.
    fn two_levels(&mut self, lod: F32x4, minified: Mask) -> Channels {
        let zero = self.e.f(0.0);
        let lod = self.e.max(lod, zero);
        let whole = self.e.floor(lod);
        let fraction = self.e.sub(lod, whole);
        let (scale, inverse) = (self.e.f(256.0), self.e.f(1.0 / 256.0));
        let steps = self.e.mul(fraction, scale);
        let steps = self.e.truncate_to_int(steps);
        let steps = self.e.to_float(steps);
        let weight = self.e.mul(steps, inverse);
        let one = self.e.f(1.0);
        let next = self.e.add(whole, one);
        let (first, second) = (self.level_number(whole), self.level_number(next));

        let wanted: Vec<usize> = (0..4).filter(|&c| self.wanted[c]).collect();
        let results = vec![F32X4; wanted.len()];
        let mut parameters = vec![I32X4, I32];
        parameters.extend(&results);
        let (pass, again, mixed, done) =
            (self.e.block(&parameters), self.e.block(&[]), self.e.block(&[]), self.e.block(&results));
        let none = self.e.i32(0);
        let mut arguments = vec![first.0, none];
        arguments.extend(wanted.iter().map(|_| zero.0));
        self.e.jump(pass, &arguments);

        self.e.switch_to(pass);
        let (level, is_second) = (I32x4(self.e.parameter(pass, 0)), self.e.parameter(pass, 1));
        let before: Vec<F32x4> = (0..wanted.len()).map(|i| F32x4(self.e.parameter(pass, 2 + i))).collect();
        let size = self.mipmap(level);
        let channels = self.level(minified, size);
        let here: Vec<F32x4> = wanted.iter().filter_map(|&c| channels[c]).collect();
        self.e.branch_if_any(is_second, (mixed, &[]), (again, &[]));
        self.e.seal(&[mixed, again]);

        self.e.switch_to(again);
        let zero = self.e.f(0.0);
        let between = self.e.lt(zero, weight);
        let any = self.e.any(between);
        let one = self.e.i32(1);
        let mut arguments = vec![second.0, one];
        arguments.extend(here.iter().map(|value| value.0));
        self.e.branch_if_any(any, (pass, &arguments), (done, &arguments[2..]));
        self.e.seal(&[pass]);

        self.e.switch_to(mixed);
        let zero = self.e.f(0.0);
        let between = self.e.lt(zero, weight);
        let sums: Vec<Value> = here
            .iter()
            .zip(&before)
            .map(|(&b, &a)| {
                let mean = self.combined(a, b, weight);
                // Texels of the next level may be infinite.
                if self.key.texels == Texels::Float4 { self.e.select(between, mean, a).0 } else { mean.0 }
            })
            .collect();
        self.e.jump(done, &sums);
        self.e.seal(&[done]);

        self.e.switch_to(done);
        self.parameters(done, &wanted)
    }

    /// The parameters of a block, as the channels that are wanted.
    fn parameters(&self, block: Block, wanted: &[usize]) -> Channels {
        let mut channels = [None; 4];
        for (i, &c) in wanted.iter().enumerate() {
            channels[c] = Some(F32x4(self.e.parameter(block, i)));
        }
        channels
    }

    /// Samples one level with each lane's filter.
    fn level(&mut self, minified: Mask, size: Size) -> Channels {
        if self.key.magnify == self.key.minify {
            return self.filtered(self.key.magnify, size);
        }
        if self.shared_level {
            return self.one_filter(minified, size);
        }
        let large = self.filtered(self.key.magnify, size);
        let small = self.filtered(self.key.minify, size);
        std::array::from_fn(|c| Some(self.e.select(minified, small[c]?, large[c]?)))
    }

    /// As [`Self::level`], where all lanes have the same filter.
    fn one_filter(&mut self, minified: Mask, size: Size) -> Channels {
        let wanted: Vec<usize> = (0..4).filter(|&c| self.wanted[c]).collect();
        let values = vec![F32X4; wanted.len()];
        let (small, large, done) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&values));
        let any = self.e.any(minified);
        self.e.branch(any, (small, &[]), (large, &[]));
        for (block, filter) in [(small, self.key.minify), (large, self.key.magnify)] {
            self.e.switch_to(block);
            let channels = self.filtered(filter, size);
            let found: Vec<Value> = wanted.iter().filter_map(|&c| Some(channels[c]?.0)).collect();
            self.e.jump(done, &found);
        }
        self.e.seal(&[small, large, done]);
        self.e.switch_to(done);
        self.parameters(done, &wanted)
    }

    fn filtered(&mut self, filter: Filter, size: Size) -> Channels {
        match filter {
            Filter::Nearest => self.nearest(size),
            Filter::Linear => self.linear(size),
        }
    }

    /// Level 0 in all lanes.
    fn first_level(&mut self) -> Size {
        let levels = self.e.load_i64(self.unit.args, field!(levels));
        // Indices of a border are below the level's beginning.
        self.level_at(levels, self.key.seamless)
    }

    /// A level in all lanes, with its offset or as the one that addresses begin with.
    fn level_at(&mut self, level: Value, with_offset: bool) -> Size {
        let counts = [offset_of!(Level, width), offset_of!(Level, height), offset_of!(Level, depth)];
        let counts = counts.map(|at| self.e.load_splat_i32(level, at as i32));
        let offset = with_offset.then(|| self.e.load_splat_i32(level, offset_of!(Level, offset) as i32));
        Size { counts, sizes: counts.map(|count| self.e.to_float(count)), offset }
    }

    /// Level `level` of each lane.
    fn mipmap(&mut self, level: I32x4) -> Size {
        let levels = self.e.load_i64(self.unit.args, field!(levels));
        if self.shared_level {
            let level = self.e.lane(level, 0);
            let row = self.e.address(levels, level, size_of::<Level>().trailing_zeros());
            return self.level_at(row, true);
        }
        let rows = self.e.lanes_through_memory(level, self.unit.scratch).map(|level| {
            let row = self.e.b.ins().ishl_imm_u(level, i64::from(size_of::<Level>().trailing_zeros()));
            let row = self.e.b.ins().iadd(levels, row);
            self.e.load_floats(row, 0)
        });
        let [offset, counts @ ..] = self.e.transpose(rows).map(|column| self.e.bits(column));
        Size { counts, sizes: counts.map(|count| self.e.to_float(count)), offset: Some(offset) }
    }

    /// Swizzle and conversion.
    fn finish(&mut self, channels: Channels, needed: [bool; 4]) -> [F32x4; 4] {
        let scale = match (self.key.texels, self.reference) {
            (Texels::Rgba8, None) if self.fixed() => 1.0 / 255.0 / 256.0,
            (Texels::Rgba8, None) => 1.0 / 255.0,
            _ => 1.0,
        };
        let channels = channels.map(|channel| {
            channel.map(|value| {
                if scale == 1.0 {
                    return value;
                }
                let scale = self.e.f(scale);
                self.e.mul(value, scale)
            })
        });
        std::array::from_fn(|c| {
            if !needed[c] {
                return self.e.f(0.0);
            }
            let value = match channel_of(self.key.swizzle[c]) {
                Some(channel) => channels[channel].unwrap_or_else(|| self.e.f(0.0)),
                None => self.e.f(match self.key.swizzle[c] {
                    Source::One => 1.0,
                    Source::OneInteger => f32::from_bits(1),
                    _ => 0.0,
                }),
            };
            self.convert(self.key.convert[c], value)
        })
    }

    fn convert(&mut self, how: Convert, value: F32x4) -> F32x4 {
        let e = &mut *self.e;
        match how {
            Convert::None => value,
            Convert::Signed | Convert::SignedWord | Convert::Biased | Convert::BiasedWord => {
                let (most, middle, inverse) = match how {
                    Convert::SignedWord | Convert::BiasedWord => (65535.0, 32768.0, 1.0 / 32767.0),
                    _ => (255.0, 128.0, 1.0 / 127.0),
                };
                let (most, middle, inverse) = (e.f(most), e.f(middle), e.f(inverse));
                let mut number = e.mul(value, most);
                if matches!(how, Convert::Signed | Convert::SignedWord) {
                    let half = e.f(0.5);
                    let sum = e.add(number, half);
                    number = e.floor(sum);
                }
                let number = e.sub(number, middle);
                e.mul(number, inverse)
            }
            Convert::Srgb => ops::srgb_to_linear(e, value),
            Convert::Expanded => {
                let (two, one) = (e.f(2.0), e.f(1.0));
                let doubled = e.mul(two, value);
                e.sub(doubled, one)
            }
        }
    }
}
