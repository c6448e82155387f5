//! The procedural texture unit (3dbrew: GPU/Procedural Texture Generation).

use triglyph_guest::kernel::pixel::Filter;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, RAND1, RAND2, Shift};
use triglyph_guest::num::ops::{Scalar, log2};

use super::interpolate::Point;
use super::{Color, clamp, max, min};

/// A map or the noise table.
type Map = [[f32; 2]; 128];

/// The unit as one pixel sees it.
pub(super) struct Procedural<'a> {
    /// How it is set up.
    pub(super) key: &'a ProceduralKey,
    /// Values and tables.
    pub(super) data: &'a ProceduralData,
}

impl Procedural<'_> {
    /// The colour of the unit at a pixel.
    pub(super) fn sample(&self, point: &Point<'_>) -> Color {
        let varyings = self.key.coordinates.map(|slot| point.varying(slot));
        let uv = self.coordinates(varyings);
        let position = lookup(&self.data.rgb_map, combine(self.key.rgb_map, uv));
        let mut color = match self.key.mipmap {
            None => self.color(position, 0),
            Some(filter) => self.between_levels(position, self.lod(point, varyings), filter),
        };
        if let Some(map) = self.key.alpha_map {
            let alpha = lookup(&self.data.alpha_map, combine(map, uv));
            color[3] = (clamp(alpha, 0.0, 1.0) * 255.0) as u8;
        }
        color
    }

    /// Shifted, moved by noise and clamped.
    fn coordinates(&self, varyings: [f32; 2]) -> [f32; 2] {
        let uv = varyings.map(f32::abs);
        let [u, v] = uv;
        let offsets = self.key.clamp.map(|mode| if mode == Clamp::MirroredRepeat { 1.0 } else { 0.5 });
        // Each coordinate by the other, as it was before the noise.
        let shifts = [shift(v, self.key.shift[0], offsets[0]), shift(u, self.key.shift[1], offsets[1])];
        let noise = if self.key.noise { self.noise(uv) } else { 0.0 };
        std::array::from_fn(|axis| {
            let moved = (uv[axis] + noise * self.data.amplitude[axis]).abs();
            clamped(moved + shifts[axis], self.key.clamp[axis])
        })
    }

    /// Gradient noise on a lattice of random slopes (verified on hardware).
    fn noise(&self, uv: [f32; 2]) -> f32 {
        let [x, y] = std::array::from_fn(|axis| {
            let frequency = 9.0 * self.data.frequency[axis];
            frequency * (uv[axis] + self.data.phase[axis]).abs()
        });
        let (column, row) = (trunc(x), trunc(y));
        let (xf, yf) = (x - column as f32, y - row as f32);
        let g0 = slope(column, row) * (xf + yf);
        let g1 = slope(column + 1, row) * ((xf + yf) - 1.0);
        let g2 = slope(column, row + 1) * ((xf + yf) - 1.0);
        let g3 = slope(column + 1, row + 1) * ((xf + yf) - 2.0);
        let (a, b) = (lookup(&self.data.noise, xf), lookup(&self.data.noise, yf));
        (g0 * (1.0 - a) + g1 * a) * (1.0 - b) + (g2 * (1.0 - a) + g3 * a) * b
    }

    /// The level of detail.
    fn lod(&self, point: &Point<'_>, varyings: [f32; 2]) -> f32 {
        let data = self.data;
        let lod = if data.bias == 0.0 {
            0.0
        } else {
            let [du, dv] = std::array::from_fn(|axis| {
                let [right, down] = point.slopes(self.key.coordinates[axis], varyings[axis]);
                max(right.abs(), down.abs())
            });
            log2(&mut Scalar, (data.width as f32 * data.bias).abs() * (du + dv))
        };
        clamp(lod, data.lod[0], data.lod[1])
    }

    fn between_levels(&self, position: f32, lod: f32, filter: Filter) -> Color {
        match filter {
            Filter::Nearest => self.color(position, (lod + 0.5).floor() as u32),
            Filter::Linear => {
                let whole = lod.floor();
                let fraction = ((lod - whole) * 256.0) as u32;
                let level = whole as u32;
                let next = (level + 1).min(self.data.lod[1] as u32);
                let (low, high) = (self.color(position, level), self.color(position, next));
                std::array::from_fn(|c| {
                    let sum = u32::from(low[c]) * (256 - fraction) + u32::from(high[c]) * fraction;
                    ((sum + 128) >> 8) as u8
                })
            }
        }
    }

    /// The colour at `position`, 0 to 1, of a level.
    fn color(&self, position: f32, level: u32) -> Color {
        let level = level.min(7);
        let width = (self.data.width >> level).max(1);
        let x = clamp(position, 0.0, 1.0) * (width - 1) as f32;
        let entry = |index: u32| (self.data.offset[level as usize].wrapping_add(index) & 255) as usize;
        if !self.key.linear {
            return self.data.color[entry((x + 0.5) as u32)].map(|channel| channel as u8);
        }
        let index = x as u32;
        let fraction = x - index as f32;
        let (color, difference) = (self.data.color[entry(index)], self.data.difference[entry(index)]);
        std::array::from_fn(|c| clamp(color[c] + fraction * difference[c], 0.0, 255.0) as u8)
    }
}

/// The whole part of a number that is not negative.
fn trunc(v: f32) -> u32 {
    const LIMIT: f32 = (1 << 20) as f32;
    clamp(v, 0.0, LIMIT) as u32
}

/// How far a coordinate moves where the other one is `other`: every second pair of rows.
fn shift(other: f32, mode: Shift, offset: f32) -> f32 {
    let pair = match mode {
        Shift::None => return 0.0,
        Shift::Odd => trunc(other) / 2,
        Shift::Even => trunc(other).div_ceil(2),
    };
    offset * (pair % 2) as f32
}

fn clamped(v: f32, mode: Clamp) -> f32 {
    match mode {
        Clamp::Zero if v > 1.0 => 0.0,
        Clamp::Zero => v,
        Clamp::Edge => min(v, 1.0),
        Clamp::Repeat => v - v.floor(),
        Clamp::MirroredRepeat => {
            let whole = trunc(v);
            let fraction = v - whole as f32;
            if whole.is_multiple_of(2) { fraction } else { 1.0 - fraction }
        }
        Clamp::Pulse if v > 0.5 => 1.0,
        Clamp::Pulse => 0.0,
    }
}

/// The argument of a map. (The hardware's square root is inaccurate for small arguments.)
fn combine(function: Combine, [u, v]: [f32; 2]) -> f32 {
    match function {
        Combine::U => u,
        Combine::U2 => u * u,
        Combine::V => v,
        Combine::V2 => v * v,
        Combine::Average => (u + v) * 0.5,
        Combine::Average2 => (u * u + v * v) * 0.5,
        Combine::Root => min((u * u + v * v).sqrt(), 1.0),
        Combine::Min => min(u, v),
        Combine::Max => max(u, v),
        Combine::AverageRoot => min(((u + v) * 0.5 + (u * u + v * v).sqrt()) * 0.5, 1.0),
    }
}

/// A map at `v`, 0 to 1.
fn lookup(map: &Map, v: f32) -> f32 {
    let x = clamp(v, 0.0, 1.0) * 128.0;
    let index = (x as usize).min(127);
    let [value, difference] = map[index];
    value + (x - index as f32) * difference
}

/// The slope at a point of the lattice, -1 to 1.
fn slope(x: u32, y: u32) -> f32 {
    -1.0 + (rand2(x, y) * 2) as f32 / 15.0
}

/// 0 to 15 for a coordinate of the lattice.
fn rand1(v: u32) -> u32 {
    (((v % 9 + 2) * 3) & 15) ^ u32::from(RAND1[((v / 9) & 15) as usize])
}

/// 0 to 15 for a point of the lattice.
fn rand2(x: u32, y: u32) -> u32 {
    let a = rand1(x);
    let mut b = rand1(y);
    if a & 3 == 1 {
        b += 4;
    }
    b ^= (a & 1) * 6;
    b += 10 + a;
    b &= 15;
    b ^ u32::from(RAND2[a as usize])
}

#[cfg(test)]
mod tests {
    use super::{rand1, rand2};

    #[test]
    fn the_hash_is_that_of_the_console() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/3ds/vectors/proctex_noise.json");
        let text = std::fs::read_to_string(path).unwrap();
        let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
        let list = vectors["rand1_0_to_31"].as_array().unwrap();
        assert_eq!(list.len(), 32);
        for (v, want) in (0..).zip(list) {
            assert_eq!(u64::from(rand1(v)), want.as_u64().unwrap(), "rand1({v})");
        }
        let rows = vectors["rand2_raw_rows_y_cols_x_8x8"].as_array().unwrap();
        assert_eq!(rows.len(), 8);
        for (y, row) in (0..).zip(rows) {
            for (x, want) in (0..).zip(row.as_array().unwrap()) {
                assert_eq!(u64::from(rand2(x, y)), want.as_u64().unwrap(), "rand2({x}, {y})");
            }
        }
    }
}
