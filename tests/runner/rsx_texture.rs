//! Textures of `vertex` and `fragment` cases.
//!
//! | setting | |
//! |---|---|
//! | `texN.size` | texels of level 0: width, height and depth where there is more than one; smaller levels follow |
//! | `texN.texels` | r, g, b, a of each texel as floats, layer after layer, level after level, row after row; the last texel repeats |
//! | `texN.levels` | number of levels |
//! | `texN.shape` | `1d`, `2d`, `3d`, `cube` |
//! | `texN.filter` | `nearest` or `linear`, for magnification, then for minification where that differs |
//! | `texN.mipmap` | `nearest` or `linear` |
//! | `texN.anisotropy` | taps at most, 1 to 16 |
//! | `texN.lod` | bias, smallest, largest level of detail |
//! | `texN.wrap` | of all axes: `repeat`, `mirror`, `edge`, `border`, `clamp`, `mirror-edge`, `mirror-border`, `mirror-clamp` |
//! | `texN.border` | r, g, b, a |
//! | `texN.compare` | `<`, `<=` ...: texel on the left |
//! | `texN.swizzle` | four of `r g b a 0 1` |
//! | `texN.convert` | four of `none`, `signed`, `biased`, `srgb` |
//! | `texN.kill` | `alpha` |

use triglyph_guest::kernel::program::sampler::{
    Convert, Filter, LEVELS, Level, PADDING, Shape, Source, Texture, TextureKey, Wrap,
};

use crate::names::{COMPARES, named, names};
use crate::parse::{floats, integer};
use triglyph_testkit::fragment::NEAREST;

names! {
    SHAPES Shape {
        D1 "1d", D2 "2d", D3 "3d", Cube "cube",
        // Only the Tegra X1 has them.
        | Shape::D1Array | Shape::D2Array | Shape::CubeArray,
    }
    FILTERS Filter {
        Nearest "nearest", Linear "linear",
    }
    WRAPS Wrap {
        Repeat "repeat", Mirror "mirror", ClampToEdge "edge", Border "border", Clamp "clamp",
        MirrorOnceToEdge "mirror-edge", MirrorOnceBorder "mirror-border", MirrorOnceClamp "mirror-clamp",
    }
    SOURCES Source {
        Zero "0", One "1", Red "r", Green "g", Blue "b", Alpha "a",
        | Source::OneInteger,
    }
    CONVERTS Convert {
        None "none", Signed "signed", SignedWord "signed-word", Biased "biased", BiasedWord "biased-word",
        Srgb "srgb", Expanded "expanded",
    }
}

/// A texture unit as settings describe it.
#[derive(Clone, Debug)]
pub struct Unit {
    pub key: TextureKey,
    size: [u32; 3],
    level_count: u32,
    texels: Vec<f32>,
    lod: [f32; 3],
    border: [f32; 4],
}

impl Default for Unit {
    fn default() -> Self {
        Unit {
            key: NEAREST,
            size: [1; 3],
            level_count: 1,
            texels: vec![0.0; 4],
            lod: [0.0, 0.0, 15.0],
            border: [0.0; 4],
        }
    }
}

/// Exactly `N` of something.
fn exactly<T, const N: usize>(given: Vec<T>) -> Result<[T; N], String> {
    let count = given.len();
    given.try_into().map_err(|_| format!("{count} values instead of {N}"))
}

fn words<T: Copy, const N: usize>(names: &[(T, &str)], text: &str) -> Result<[T; N], String> {
    exactly(text.split_whitespace().map(|word| named(names, word)).collect::<Result<_, _>>()?)
}

impl Unit {
    fn set(&mut self, what: &str, value: &str) -> Result<(), String> {
        let key = &mut self.key;
        match what {
            "size" => {
                for (size, word) in self.size.iter_mut().zip(value.split_whitespace()) {
                    *size = integer(word)?.clamp(1, 64);
                }
            }
            "texels" => self.texels = floats(value)?,
            "levels" => self.level_count = integer(value)?.clamp(1, LEVELS as u32),
            "shape" => key.shape = named(SHAPES, value)?,
            "filter" => {
                let (magnify, minify) = value.split_once(' ').unwrap_or((value, value));
                (key.magnify, key.minify) = (named(FILTERS, magnify)?, named(FILTERS, minify)?);
            }
            "mipmap" => key.mipmap = Some(named(FILTERS, value)?),
            "anisotropy" => key.anisotropy = integer(value)?.clamp(1, 16) as u8,
            "lod" => self.lod = exactly(floats(value)?)?,
            "wrap" => key.wrap = [named(WRAPS, value)?; 3],
            "border" => self.border = exactly(floats(value)?)?,
            "compare" => key.compare = Some(named(COMPARES, value)?),
            "swizzle" => key.swizzle = words(SOURCES, value)?,
            "convert" => key.convert = words(CONVERTS, value)?,
            "expanded" => key.expanded = words(CONVERTS, value)?,
            "kill" if value == "alpha" => key.alpha_kill = true,
            _ => return Err(format!("no texture setting `{what} = {value}`")),
        }
        Ok(())
    }

    /// Words of all texels, texels of a layer, levels.
    fn layout(&self) -> (Vec<u32>, u32, [Level; LEVELS]) {
        let mut levels = [Level::default(); LEVELS];
        let mut texels = 0;
        for (k, level) in levels.iter_mut().enumerate() {
            let [width, height, depth] = self.size.map(|n| (n >> k.min(self.level_count as usize - 1)).max(1));
            let count = width * height * depth;
            let offset = if (k as u32) < self.level_count { texels } else { texels - count };
            *level = Level { offset, width, height, depth };
            texels = offset + count;
        }
        let last = self.texels.len().saturating_sub(4);
        let texel = |i: usize| self.texels[(4 * i).min(last)..].iter().map(|v| v.to_bits());
        let words = (0..(texels * self.layers()) as usize).flat_map(|i| texel(i).take(4));
        (words.chain([0; PADDING]).collect(), texels, levels)
    }

    fn layers(&self) -> u32 {
        if self.key.shape == Shape::Cube { 6 } else { 1 }
    }
}

/// The texture units of a case.
#[derive(Clone, Debug, Default)]
pub struct Units<const N: usize> {
    units: Vec<(usize, Unit)>,
}

impl<const N: usize> Units<N> {
    /// Takes a setting if it is one of a texture.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let Some((unit, what)) = key.strip_prefix("tex").and_then(|rest| rest.split_once('.')) else {
            return Ok(false);
        };
        let number = integer(unit)? as usize;
        if number >= N {
            return Err(format!("no texture unit {number}"));
        }
        let place = self.units.iter().position(|(other, _)| *other == number).unwrap_or_else(|| {
            self.units.push((number, Unit::default()));
            self.units.len() - 1
        });
        self.units[place].1.set(what, value)?;
        Ok(true)
    }

    /// The units' part of a key.
    pub fn keys(&self) -> [Option<TextureKey>; N] {
        let mut keys = [None; N];
        for (number, unit) in &self.units {
            keys[*number] = Some(unit.key);
        }
        keys
    }

    /// Calls `with` with what the units read.
    pub fn with<T>(&self, with: impl FnOnce(&[Texture<'_>; N]) -> T) -> T {
        let layouts: Vec<_> = self.units.iter().map(|(number, unit)| (*number, unit, unit.layout())).collect();
        let mut textures = [Texture::default(); N];
        for (number, unit, (words, layer_texels, levels)) in &layouts {
            let [lod_bias, lod_min, lod_max] = unit.lod;
            textures[*number] = Texture {
                texels: words,
                layer_texels: *layer_texels,
                layers: unit.layers(),
                level_count: unit.level_count,
                levels: *levels,
                lod_bias,
                lod_min,
                lod_max,
                border: unit.border,
                samples: 1,
            };
        }
        with(&textures)
    }
}
