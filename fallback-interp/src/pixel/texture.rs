//! Texture units 0 to 2: coordinates, level of detail, filters, wrapping (3dbrew: GPU/Internal Registers, 0x080 to
//! 0x09E).

use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::pixel::{Filter, Texture, TextureConstants, TextureKey, TextureKind, Wrap};
use triglyph_guest::num::ops::{Scalar, log2};

use super::interpolate::Point;
use super::{Color, clamp, texel};

/// A unit as one pixel sees it.
pub(super) struct Unit<'a> {
    /// How it is set up.
    pub(super) key: &'a TextureKey,
    /// Its constants.
    pub(super) constants: &'a TextureConstants,
    /// Its texels.
    pub(super) texture: &'a Texture<'a>,
}

/// Where a sample is taken.
pub(super) struct Spot {
    /// Face of a cube, 0 otherwise.
    pub(super) face: usize,
    /// Coordinates on it, 1 being the whole width or height, v upwards.
    pub(super) uv: [f32; 2],
}

/// A level's texels.
pub(super) struct Level<'a> {
    pub(super) texels: Window<'a>,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Unit<'_> {
    /// The colour of the unit at a pixel.
    pub(super) fn sample(&self, point: &Point<'_>) -> Color {
        let varyings = self.key.coordinates.map(|slot| point.varying(slot));
        let spot = self.spot(varyings);
        match self.key.kind {
            TextureKind::Disabled => return [0; 4],
            TextureKind::Null => return [0, 0, 0, 255],
            TextureKind::Shadow { form, .. } | TextureKind::ShadowCube { form } => {
                return self.shadow(&spot, varyings, form);
            }
            TextureKind::Plain | TextureKind::Projected | TextureKind::Cube => {}
        }
        let lod = if self.key.needs_lod() { self.lod(point, varyings, &spot) } else { 0.0 };
        let filter = if lod <= 0.0 { self.key.magnify } else { self.key.minify };
        match self.key.mipmap {
            None => self.filtered(&spot, 0, filter),
            Some(Filter::Nearest) => self.filtered(&spot, (lod + 0.5).floor() as u32, filter),
            Some(Filter::Linear) => {
                let whole = lod.floor();
                let fraction = ((lod - whole) * 256.0) as u32;
                let level = whole as u32;
                let next = (level + 1).min(self.constants.lod_max as u32);
                let (low, high) = (self.filtered(&spot, level, filter), self.filtered(&spot, next, filter));
                std::array::from_fn(|c| {
                    let sum = u32::from(low[c]) * (256 - fraction) + u32::from(high[c]) * fraction;
                    ((sum + 128) >> 8) as u8
                })
            }
        }
    }

    /// Where u, v, w lead.
    fn spot(&self, varyings: [f32; 3]) -> Spot {
        let [u, v, w] = varyings;
        match self.key.kind {
            TextureKind::Projected | TextureKind::Shadow { perspective: true, .. } => {
                Spot { face: 0, uv: [u / w, v / w] }
            }
            TextureKind::Cube | TextureKind::ShadowCube { .. } => {
                let face = cube_face(varyings);
                let [s, t, m] = cube_axes(face, varyings);
                Spot { face, uv: [s / (2.0 * m) + 0.5, t / (2.0 * m) + 0.5] }
            }
            _ => Spot { face: 0, uv: [u, v] },
        }
    }

    /// The level of detail.
    fn lod(&self, point: &Point<'_>, varyings: [f32; 3], spot: &Spot) -> f32 {
        let slopes: [[f32; 2]; 3] = std::array::from_fn(|k| point.slopes(self.key.coordinates[k], varyings[k]));
        let mut rho = 0.0;
        for axis in 0..2 {
            let [du, dv] = self.spot_slopes(slopes.map(|slope| slope[axis]), varyings, spot);
            for extent in [du.abs() * self.constants.width as f32, dv.abs() * self.constants.height as f32] {
                // NaN never wins.
                rho = if rho < extent { extent } else { rho };
            }
        }
        let lod = log2(&mut Scalar, rho) + self.constants.lod_bias;
        clamp(lod, self.constants.lod_min, self.constants.lod_max)
    }

    /// Change of the coordinates of a spot when u, v, w change by `slopes`.
    fn spot_slopes(&self, slopes: [f32; 3], varyings: [f32; 3], spot: &Spot) -> [f32; 2] {
        let [du, dv, dw] = slopes;
        match self.key.kind {
            TextureKind::Projected => {
                let w = varyings[2];
                [(du - spot.uv[0] * dw) / w, (dv - spot.uv[1] * dw) / w]
            }
            TextureKind::Cube => {
                let [ds, dt, dm] = cube_axes(spot.face, slopes);
                let [_, _, m] = cube_axes(spot.face, varyings);
                [(ds, spot.uv[0]), (dt, spot.uv[1])].map(|(d, c)| (d - 2.0 * (c - 0.5) * dm) / (2.0 * m))
            }
            _ => [du, dv],
        }
    }

    /// A filtered sample of one level; nothing from a level too small to have texels.
    pub(super) fn filtered(&self, spot: &Spot, number: u32, filter: Filter) -> Color {
        let level = self.level(spot.face, number);
        if level.width == 0 || level.height == 0 {
            return [0; 4];
        }
        let scaled = [spot.uv[0] * level.width as f32, spot.uv[1] * level.height as f32];
        match filter {
            Filter::Nearest => {
                const LIMIT: f32 = (1 << 20) as f32;
                let [i, j] = scaled.map(|c| clamp(c, -LIMIT, LIMIT).floor() as i32);
                self.wrapped(&level, i, j)
            }
            Filter::Linear => {
                const LIMIT: f32 = (1 << 28) as f32;
                let [x, y] = scaled.map(|c| clamp(c * 256.0, -LIMIT, LIMIT).floor() as i32 - 128);
                self.bilinear(&level, x, y)
            }
        }
    }

    /// The weighted mean of four texels at (`x`, `y`) in 1/256 texel.
    fn bilinear(&self, level: &Level<'_>, x: i32, y: i32) -> Color {
        let (i, j) = (x >> 8, y >> 8);
        let (fx, fy) = ((x & 255) as u32, (y & 255) as u32);
        let c00 = self.wrapped(level, i, j);
        let c10 = self.wrapped(level, i + 1, j);
        let c01 = self.wrapped(level, i, j + 1);
        let c11 = self.wrapped(level, i + 1, j + 1);
        std::array::from_fn(|c| {
            let sum = u32::from(c00[c]) * (256 - fx) * (256 - fy)
                + u32::from(c10[c]) * fx * (256 - fy)
                + u32::from(c01[c]) * (256 - fx) * fy
                + u32::from(c11[c]) * fx * fy;
            ((sum + 0x8000) >> 16) as u8
        })
    }

    /// The texel at (`i`, `j`) after wrapping, `j` upwards from the last stored row.
    fn wrapped(&self, level: &Level<'_>, i: i32, j: i32) -> Color {
        match (wrap(self.key.wrap[0], i, level.width), wrap(self.key.wrap[1], j, level.height)) {
            (Some(x), Some(y)) => texel(self.texture.format, level.texels, x, level.height - 1 - y, level.width),
            _ => self.constants.border.to_be_bytes(),
        }
    }

    /// Level `number` of a face: the levels before it are skipped.
    pub(super) fn level(&self, face: usize, number: u32) -> Level<'_> {
        // At most 15, the largest level of detail: the shifts below are in range.
        let number = number.min(15);
        let extent = |k: u32| (self.constants.width >> k, self.constants.height >> k);
        let skipped: usize = (0..number)
            .map(|k| {
                let (width, height) = extent(k);
                self.texture.format.size(width, height) as usize
            })
            .sum();
        let (width, height) = extent(number);
        Level { texels: self.texture.faces[face].from(skipped), width, height }
    }
}

/// The face that a direction leads to: +X, -X, +Y, -Y, +Z, -Z.
fn cube_face([u, v, w]: [f32; 3]) -> usize {
    let (axis, major) = if u.abs() > v.abs() && u.abs() > w.abs() {
        (0, u)
    } else if v.abs() > w.abs() {
        (2, v)
    } else {
        (4, w)
    };
    if major > 0.0 { axis } else { axis + 1 }
}

/// s, t and the major axis of a direction (or of its derivative) on a face.
fn cube_axes(face: usize, [u, v, w]: [f32; 3]) -> [f32; 3] {
    match face {
        0 => [-w, -v, u],
        1 => [-w, v, u],
        2 => [u, w, v],
        3 => [-u, w, v],
        4 => [u, -v, w],
        _ => [u, v, w],
    }
}

/// The texel that coordinate `i` means on an axis of `n` texels; `None`: the border colour.
fn wrap(mode: Wrap, i: i32, n: u32) -> Option<u32> {
    let size = n as i32;
    let repeated = i.rem_euclid(size);
    let wrapped = match mode {
        Wrap::Edge => i.clamp(0, size - 1),
        Wrap::Border if i < 0 || i >= size => return None,
        Wrap::Border => i,
        Wrap::Repeat => repeated,
        Wrap::Mirror => {
            let m = i.rem_euclid(2 * size);
            if m < size { m } else { 2 * size - 1 - m }
        }
        Wrap::RepeatThenEdge if i < 0 => repeated,
        Wrap::RepeatThenEdge => i.min(size - 1),
        Wrap::RepeatThenBorder if i < 0 => repeated,
        Wrap::RepeatThenBorder if i >= size => return None,
        Wrap::RepeatThenBorder => i,
    };
    Some(wrapped as u32)
}
