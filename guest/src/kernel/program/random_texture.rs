//! Random texture units for differential tests.

use super::sampler::{
    Compare, Convert, Filter, LEVELS, Level, PADDING, Reduction, Rounding, Shape, Source, Texels, Texture, TextureKey,
    Wrap,
};
use crate::kernel::Accuracy;
use crate::kernel::random::Random;

/// The data that a unit reads, owned.
#[derive(Clone, Debug)]
pub struct RandomTexture {
    words: Vec<u32>,
    layer_texels: u32,
    layers: u32,
    level_count: u32,
    levels: [Level; LEVELS],
    lod: [f32; 3],
    border: [f32; 4],
}

impl RandomTexture {
    /// As kernels see it.
    pub fn texture(&self) -> Texture<'_> {
        let [lod_bias, lod_min, lod_max] = self.lod;
        Texture {
            texels: &self.words,
            layer_texels: self.layer_texels,
            layers: self.layers,
            level_count: self.level_count,
            levels: self.levels,
            samples: 1,
            lod_bias,
            lod_min,
            lod_max,
            border: self.border,
        }
    }
}

/// The textures of units, [`Texture::default`] for those that are off.
pub(super) fn textures<const N: usize>(units: &[Option<RandomTexture>; N]) -> [Texture<'_>; N] {
    std::array::from_fn(|unit| units[unit].as_ref().map_or_else(Texture::default, RandomTexture::texture))
}

/// A random unit and its texels, from random words.
pub fn random_unit(word: &mut impl FnMut() -> u32) -> (TextureKey, RandomTexture) {
    unit(&mut Random { word })
}

/// A random unit and its texels.
pub(super) fn unit<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> (TextureKey, RandomTexture) {
    let key = key(r);
    let texture = texture(r, &key);
    (key, texture)
}

fn key<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> TextureKey {
    use Shape::{Cube, CubeArray, D1, D1Array, D2, D2Array, D3};
    let shape = r.pick(&[D2, D2, D2, D2, D2, D1, D3, D3, Cube, Cube, D1Array, D2Array, CubeArray]);
    let filter = |r: &mut Random<'_, R>| r.pick(&[Filter::Nearest, Filter::Linear]);
    let magnify = filter(r);
    let plain = [Source::Red, Source::Green, Source::Blue, Source::Alpha];
    let sources =
        [Source::Zero, Source::One, Source::OneInteger, Source::Red, Source::Green, Source::Blue, Source::Alpha];
    let texels = r.pick(&[Texels::Rgba8, Texels::Rgba8, Texels::Srgb8, Texels::Float4]);
    let compare = r.one_in(6).then(|| r.pick(&Compare::ALL));
    let average = match (texels, compare) {
        (Texels::Rgba8, None) => r.pick(&[Reduction::Average, Reduction::Rounded]),
        (Texels::Float4, None) => r.pick(&[Reduction::Average, Reduction::Halves, Reduction::Words]),
        _ => Reduction::Average,
    };
    let cube = matches!(shape, Cube | CubeArray);
    let plane = cube || matches!(shape, D2 | D2Array);
    TextureKey {
        shape,
        texels,
        unnormalized: r.one_in(8),
        wrap: [(); 3].map(|()| r.pick(&Wrap::ALL)),
        magnify,
        minify: if r.one_in(2) { magnify } else { filter(r) },
        mipmap: r.one_in(2).then(|| filter(r)),
        compare,
        swizzle: if r.one_in(2) { plain } else { [(); 4].map(|()| r.pick(&sources)) },
        convert: if r.one_in(4) { [(); 4].map(|()| r.pick(&Convert::ALL)) } else { [Convert::None; 4] },
        expanded: if r.one_in(4) { [(); 4].map(|()| r.pick(&Convert::ALL)) } else { [Convert::Expanded; 4] },
        seamless: cube && r.one_in(2),
        clamp_reference: r.one_in(2),
        alpha_kill: r.one_in(24),
        reduction: if r.one_in(40) { r.pick(&[Reduction::Minimum, Reduction::Maximum]) } else { average },
        anisotropy: if plane && r.one_in(6) { r.pick(&[2, 4, 6, 8, 10, 12, 16]) } else { 1 },
        rounding: r.pick(&[Rounding::None, Rounding::Coordinates, Rounding::Subtexels, Rounding::Subtexels]),
        accuracy: r.pick(&[Accuracy::Exact, Accuracy::Fast]),
        power_of_two: r.one_in(2),
    }
}

/// Random texels for a key.
pub(super) fn texture<R: FnMut() -> u32>(r: &mut Random<'_, R>, key: &TextureKey) -> RandomTexture {
    let mut side = || if key.power_of_two || r.one_in(2) { 1 << r.below(5) } else { 1 + r.below(17) };
    let mut size = [side(), 1, 1];
    match key.shape {
        Shape::D1 | Shape::D1Array => {}
        Shape::D2 | Shape::D2Array => size[1] = side(),
        Shape::D3 => (size[1], size[2]) = (side(), side().div_ceil(4)),
        Shape::Cube | Shape::CubeArray => size[1] = size[0],
    }
    let layers = match key.shape {
        Shape::D1 | Shape::D2 | Shape::D3 => 1,
        Shape::Cube => 6,
        Shape::D1Array | Shape::D2Array => 1 + r.below(4),
        Shape::CubeArray => 6 + 6 * r.below(2),
    };
    let all = 32 - size.iter().max().unwrap_or(&1).leading_zeros();
    let level_count = if r.one_in(2) { all } else { 1 + r.below(all) };
    let mut levels = [Level::default(); LEVELS];
    let mut layer_texels = 0;
    for (k, level) in levels.iter_mut().enumerate() {
        let [width, height, depth] = size.map(|n| (n >> k.min(level_count as usize - 1)).max(1));
        let border = if key.seamless { 2 } else { 0 };
        let texels = (width + border) * (height + border) * depth;
        let start = if (k as u32) < level_count { layer_texels } else { layer_texels - texels };
        let inside = if key.seamless { width + border + 1 } else { 0 };
        *level = Level { offset: start + inside, width, height, depth };
        layer_texels = start + texels;
    }
    let words = layer_texels as usize * layers as usize * key.texels.words();
    // Integers are stored as floats of any bits.
    let has_any_bits = r.one_in(6);
    let texel = |r: &mut Random<'_, R>| match key.texels {
        Texels::Rgba8 | Texels::Srgb8 => r.word(),
        Texels::Float4 if has_any_bits => match r.one_in(4) {
            // NaNs, signalling ones among them.
            true => r.word() | 0x7F80_0000,
            false => r.word(),
        },
        Texels::Float4 => r.float(-0.25, 1.25).to_bits(),
    };
    let words = (0..words).map(|_| texel(r)).chain([0; PADDING]).collect();
    let border = if key.texels == Texels::Rgba8 { [0.0, 64.0, 255.0] } else { [0.0, 0.25, 1.0] };
    let bias = if r.one_in(2) { 0.0 } else { r.between(-3.0, 3.0) };
    let low = if r.one_in(2) { 0.0 } else { r.between(0.0, 4.0) };
    let high = if r.one_in(2) { 12.0 } else { low + r.pick(&[0.0, 0.5, 2.25]) };
    RandomTexture {
        words,
        layer_texels,
        layers,
        level_count,
        levels,
        lod: [bias, low, high],
        border: [(); 4].map(|()| r.pick(&border)),
    }
}
