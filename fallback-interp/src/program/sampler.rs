//! Texture units: coordinates, level of detail, wrapping, filters, comparison, swizzle and conversion.

use triglyph_guest::kernel::program::sampler::{
    Convert, Filter, Level, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_guest::num::ops::{Scalar, log2, srgb_to_linear};

use super::{Vector, compare, limit};

/// A texture unit.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// How it is set up.
    pub key: &'a TextureKey,
    /// What it reads.
    pub texture: &'a Texture<'a>,
}

/// What the level of detail follows from.
#[derive(Clone, Copy, Debug)]
pub enum Detail {
    /// Differences between the lanes of the quad.
    Neighbours {
        /// Coordinates of the left and of the right lane of the lane's own row; `None`: there is no difference.
        row: Option<[Vector; 2]>,
        /// Coordinates of the upper and of the lower lane of the lane's own column.
        column: Option<[Vector; 2]>,
        /// Of the instruction.
        bias: f32,
    },
    /// A level that the instruction says.
    Level(f32),
    /// Differences that the instruction says, by x and by y.
    Gradients([Vector; 2]),
}

/// Where a texture is read.
struct Spot {
    /// s, t, r on the layer; those beyond the shape's axes mean nothing.
    coordinates: [f32; 3],
    /// Face of a cube, 0 otherwise.
    face: usize,
    /// Layer of texels, counted in faces for cubes.
    layer: usize,
    /// What texels are compared with.
    reference: f32,
}

impl Unit<'_> {
    /// The unit's result at `at`.
    pub fn sample(&self, at: Vector, detail: &Detail) -> Vector {
        let spot = self.spot(at);
        let lod = if self.key.needs_lod() { self.lod(at, &spot, detail) } else { 0.0 };
        let color = self.levels(&spot, lod);
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

    fn spot(&self, at: Vector) -> Spot {
        let [s, t, r, q] = at;
        let layer = |coordinate| array_layer(coordinate, self.texture.layers);
        let plain = |layer, reference| Spot { coordinates: [s, t, r], face: 0, layer, reference };
        match self.key.shape {
            Shape::D1 => plain(0, t),
            Shape::D2 => plain(0, r),
            Shape::D3 => plain(0, q),
            Shape::D1Array => plain(layer(t), r),
            Shape::D2Array => plain(layer(r), q),
            Shape::Cube | Shape::CubeArray => {
                let face = cube_face([s, t, r]);
                let [s, t] = on_face(face, [s, t, r]);
                let (cube, reference) = match self.key.shape {
                    Shape::Cube => (0, q),
                    _ => (array_layer(q, self.texture.layers / 6), 0.0),
                };
                Spot { coordinates: [s, t, 0.0], face, layer: 6 * cube + face, reference }
            }
        }
    }

    /// The level of detail: with mipmaps within its limits, then 0 or below for magnification.
    fn lod(&self, at: Vector, spot: &Spot, detail: &Detail) -> f32 {
        let (level, bias) = match *detail {
            Detail::Level(level) => (level, 0.0),
            Detail::Neighbours { row, column, bias } => {
                let steps = [row, column].map(|pair| pair.map_or([0.0; 3], |[a, b]| self.step(spot, a, b)));
                (self.level_of(steps), bias)
            }
            Detail::Gradients(gradients) if self.is_cube() => {
                let steps = gradients.map(|gradient| self.step(spot, at, std::array::from_fn(|i| at[i] + gradient[i])));
                (self.level_of(steps), 0.0)
            }
            Detail::Gradients(gradients) => {
                let steps = gradients.map(|[x, y, z, _]| self.in_texels([x, y, z], &self.texture.levels[0]));
                (self.level_of(steps), 0.0)
            }
        };
        let lod = (level + self.texture.lod_bias) + bias;
        match self.key.mipmap {
            Some(_) => limit(lod, self.texture.lod_min, self.texture.lod_max),
            None => lod,
        }
    }

    /// `log2` of the longer one of two steps in texels.
    fn level_of(&self, steps: [[f32; 3]; 2]) -> f32 {
        let [a, b] = steps.map(|step| {
            let squares = step[..self.axes()].iter().map(|d| d * d);
            squares.reduce(|sum, square| sum + square).unwrap_or(0.0)
        });
        let rho2 = if a > b { a } else { b };
        log2(&mut Scalar, rho2) * 0.5
    }

    /// The step from one lane to another in texels of level 0, on the face of `spot`.
    fn step(&self, spot: &Spot, from: Vector, to: Vector) -> [f32; 3] {
        let [from, to] = [from, to].map(|[x, y, z, _]| {
            let coordinates = if self.is_cube() {
                let [s, t] = on_face(spot.face, [x, y, z]);
                [s, t, 0.0]
            } else {
                [x, y, z]
            };
            self.in_texels(coordinates, &self.texture.levels[0])
        });
        std::array::from_fn(|i| to[i] - from[i])
    }

    fn in_texels(&self, coordinates: [f32; 3], level: &Level) -> [f32; 3] {
        if self.key.unnormalized {
            return coordinates;
        }
        let size = [level.width, level.height, level.depth];
        std::array::from_fn(|i| coordinates[i] * size[i] as f32)
    }

    /// The filtered texel, in the scale of results.
    fn levels(&self, spot: &Spot, lod: f32) -> Vector {
        // NaN magnifies.
        let minified = lod > 0.0;
        let filter = if minified { self.key.minify } else { self.key.magnify };
        let mipmap = self.key.mipmap.filter(|_| minified);
        let color = match mipmap {
            None => self.filtered(spot, 0, filter),
            Some(Filter::Nearest) => self.filtered(spot, (lod + 0.5).floor() as i32, filter),
            Some(Filter::Linear) => {
                let whole = lod.floor();
                let weight = ((lod - whole) * 256.0).trunc() / 256.0;
                let level = whole as i32;
                let low = self.filtered(spot, level, filter);
                let high = self.filtered(spot, level.saturating_add(1), filter);
                mix(low, high, weight)
            }
        };
        match (self.key.texels, self.key.compare) {
            (Texels::Rgba8, None) => color.map(|v| v * (1.0 / 255.0)),
            _ => color,
        }
    }

    /// Level `number`, or the nearest one there is.
    fn filtered(&self, spot: &Spot, number: i32, filter: Filter) -> Vector {
        let last = self.texture.level_count.clamp(1, self.texture.levels.len() as u32) - 1;
        let level = &self.texture.levels[number.clamp(0, last as i32) as usize];
        let size = [level.width, level.height, level.depth];
        let at = self.in_texels(spot.coordinates, level);
        let wraps = if self.is_cube() { [Wrap::ClampToEdge; 3] } else { self.key.wrap };
        let axes = self.axes();
        match filter {
            Filter::Nearest => {
                let mut index = [Some(0); 3];
                for axis in 0..axes {
                    index[axis] = nearest(wraps[axis], at[axis], size[axis]);
                }
                self.texel(level, spot, index)
            }
            Filter::Linear => {
                let mut pairs = [Pair::default(); 3];
                for axis in 0..axes {
                    pairs[axis] = linear(wraps[axis], at[axis], size[axis]);
                }
                // Corner i takes the second index of axis k if bit k of i is set.
                let mut corners: [Vector; 8] = Default::default();
                for (i, corner) in corners.iter_mut().enumerate().take(1 << axes) {
                    *corner = self.texel(level, spot, std::array::from_fn(|axis| pairs[axis].index[i >> axis & 1]));
                }
                for (axis, pair) in pairs.iter().enumerate().take(axes) {
                    for i in 0..1 << (axes - axis - 1) {
                        corners[i] = mix(corners[2 * i], corners[2 * i + 1], pair.weight);
                    }
                }
                corners[0]
            }
        }
    }

    /// A texel, or the border colour where an index is missing; compared, if the unit compares.
    fn texel(&self, level: &Level, spot: &Spot, index: [Option<u32>; 3]) -> Vector {
        let color = match index {
            [Some(x), Some(y), Some(z)] => self.fetch(level, spot.layer, [x, y, z]),
            _ => self.texture.border,
        };
        let Some(operation) = self.key.compare else { return color };
        let red = match self.key.texels {
            Texels::Rgba8 => color[0] * (1.0 / 255.0),
            Texels::Float4 => color[0],
        };
        [if compare(operation, red, spot.reference) { 1.0 } else { 0.0 }; 4]
    }

    fn fetch(&self, level: &Level, layer: usize, [x, y, z]: [u32; 3]) -> Vector {
        let row = u64::from(z) * u64::from(level.height) + u64::from(y);
        let texel = layer as u64 * u64::from(self.texture.layer_texels)
            + u64::from(level.offset)
            + row.wrapping_mul(level.width.into())
            + u64::from(x);
        let word = |i: usize| {
            let at = texel as usize * self.key.texels.words() + i;
            self.texture.texels.get(at).copied().unwrap_or(0)
        };
        match self.key.texels {
            Texels::Rgba8 => word(0).to_le_bytes().map(f32::from),
            Texels::Float4 => [0, 1, 2, 3].map(|i| f32::from_bits(word(i))),
        }
    }
}

/// Two neighbouring texels of an axis, and how much of the second one.
#[derive(Clone, Copy)]
struct Pair {
    index: [Option<u32>; 2],
    weight: f32,
}

impl Default for Pair {
    /// An axis that the shape does not have.
    fn default() -> Self {
        Pair { index: [Some(0); 2], weight: 0.0 }
    }
}

/// Largest texel coordinate.
const FAR: f32 = (1 << 24) as f32;

fn nearest(wrap_mode: Wrap, c: f32, n: u32) -> Option<u32> {
    let (wrap_mode, c) = match wrap_mode {
        Wrap::Clamp => (Wrap::ClampToEdge, c),
        Wrap::MirrorOnceClamp => (Wrap::ClampToEdge, c.abs()),
        other => (other, c),
    };
    wrap(wrap_mode, limit(c, -FAR, FAR).floor() as i32, n)
}

fn linear(wrap_mode: Wrap, c: f32, n: u32) -> Pair {
    let (wrap_mode, c) = match wrap_mode {
        Wrap::Clamp => (Wrap::Border, limit(c, 0.0, n as f32)),
        Wrap::MirrorOnceClamp => (Wrap::Border, limit(c.abs(), 0.0, n as f32)),
        other => (other, c),
    };
    let c = limit(c, -FAR, FAR) - 0.5;
    let whole = c.floor();
    let i = whole as i32;
    let index = [wrap(wrap_mode, i, n), wrap(wrap_mode, i + 1, n)];
    Pair { index, weight: ((c - whole) * 256.0).trunc() / 256.0 }
}

/// The texel that index `i` means on an axis of `n`; `None`: the border colour.
fn wrap(mode: Wrap, i: i32, n: u32) -> Option<u32> {
    let n = i64::from(n.max(1));
    let i = i64::from(i);
    let once = if i < 0 { -1 - i } else { i };
    let wrapped = match mode {
        Wrap::Repeat => i.rem_euclid(n),
        Wrap::Mirror => {
            let j = i.rem_euclid(2 * n);
            if j < n { j } else { 2 * n - 1 - j }
        }
        Wrap::ClampToEdge | Wrap::Clamp | Wrap::MirrorOnceClamp => i.clamp(0, n - 1),
        Wrap::Border => i,
        Wrap::MirrorOnceToEdge => once.clamp(0, n - 1),
        Wrap::MirrorOnceBorder => once,
    };
    (0..n).contains(&wrapped).then_some(wrapped as u32)
}

/// `a + (b - a) * weight`
fn mix(a: Vector, b: Vector, weight: f32) -> Vector {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * weight)
}

fn array_layer(coordinate: f32, layers: u32) -> usize {
    let last = layers.max(1) - 1;
    // The conversion saturates, NaN becomes 0.
    ((coordinate + 0.5).floor() as u32).min(last) as usize
}

/// The face that a direction leads to: +X, -X, +Y, -Y, +Z, -Z.
fn cube_face([x, y, z]: [f32; 3]) -> usize {
    let (axis, component) = if x.abs() >= y.abs() && x.abs() >= z.abs() {
        (0, x)
    } else if y.abs() >= z.abs() {
        (2, y)
    } else {
        (4, z)
    };
    if component < 0.0 { axis + 1 } else { axis }
}

/// s and t of a direction on a face (OpenGL 2.0 specification, table 3.19).
fn on_face(face: usize, [x, y, z]: [f32; 3]) -> [f32; 2] {
    let (s, t, major) = match face {
        0 => (-z, -y, x),
        1 => (z, -y, -x),
        2 => (x, z, y),
        3 => (x, -z, -y),
        4 => (x, -y, z),
        _ => (-x, -y, -z),
    };
    [(s / major + 1.0) * 0.5, (t / major + 1.0) * 0.5]
}

fn source(source: Source, [r, g, b, a]: Vector) -> f32 {
    match source {
        Source::Zero => 0.0,
        Source::One => 1.0,
        Source::Red => r,
        Source::Green => g,
        Source::Blue => b,
        Source::Alpha => a,
    }
}

fn convert(convert: Convert, v: f32) -> f32 {
    match convert {
        Convert::None => v,
        Convert::Signed => {
            let byte = (v * 255.0 + 0.5).floor();
            let signed = if byte < 128.0 { byte } else { byte - 256.0 };
            let scaled = signed * (1.0 / 127.0);
            if -1.0 < scaled { scaled } else { -1.0 }
        }
        Convert::Biased => (v * 255.0 - 128.0) * (1.0 / 127.0),
        Convert::Srgb => srgb_to_linear(&mut Scalar, v),
    }
}
