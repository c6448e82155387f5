//! BC1 to BC5 (S3TC, RGTC): end points and mixtures of them, little-endian.
//!
//! Colours and BC3's alpha are mixed in 8 bits, which the format leaves open: fields of end points repeat their bits,
//! mixtures are rounded, halves up. That is what the RSX does with colours (all pixels of ps3autotests'
//! texture_formats); its alpha and the Tegra X1 are unverified. Values of BC4 and BC5 are exact.
//! (EXT_texture_compression_s3tc, EXT_texture_compression_rgtc.)

use super::bits::replicate;

/// `a / b` to the nearest whole number; halves go up.
const fn quotient(a: u32, b: u32) -> u32 {
    (2 * a + b) / (2 * b)
}

/// Red, green and blue of a 5:6:5 word, 8 bits each.
fn expand(word: u16) -> [u32; 3] {
    let field = |shift: u32, bits: u32| replicate(u32::from(word) >> shift & ((1 << bits) - 1), bits);
    [field(11, 5), field(5, 6), field(0, 5)]
}

fn join([r, g, b]: [u32; 3]) -> u32 {
    r | g << 8 | b << 16
}

/// Colours of a block without alpha, and how many there are; `four`: four, whatever the end points are.
fn palette(block: [u8; 8], four: bool) -> ([u32; 4], usize) {
    let (c0, c1) = (u16::from_le_bytes([block[0], block[1]]), u16::from_le_bytes([block[2], block[3]]));
    let (a, b) = (expand(c0), expand(c1));
    let mix = |fa: u32, fb: u32| join([0, 1, 2].map(|i| quotient(fa * a[i] + fb * b[i], fa + fb)));
    if four || c0 > c1 { ([join(a), join(b), mix(2, 1), mix(1, 2)], 4) } else { ([join(a), join(b), mix(1, 1), 0], 3) }
}

fn indices(block: [u8; 8]) -> u32 {
    u32::from_le_bytes([block[4], block[5], block[6], block[7]])
}

/// BC1: the fourth colour of three is transparent black.
pub(super) fn bc1(block: [u8; 8]) -> [u32; 16] {
    let (mut palette, opaque) = palette(block, false);
    palette[..opaque].iter_mut().for_each(|color| *color |= 0xFF00_0000);
    let indices = indices(block);
    std::array::from_fn(|i| palette[(indices >> (2 * i) & 3) as usize])
}

/// BC2: 4 bits of alpha for each texel.
pub(super) fn bc2(alpha: [u8; 8], color: [u8; 8]) -> [u32; 16] {
    let alphas = u64::from_le_bytes(alpha);
    with_alpha(color, |i| (alphas >> (4 * i) & 15) as u32 * 17)
}

/// BC3: alpha as in a BC4 block.
pub(super) fn bc3(alpha: [u8; 8], color: [u8; 8]) -> [u32; 16] {
    let (a, b) = (u32::from(alpha[0]), u32::from(alpha[1]));
    let palette: [u32; 8] = std::array::from_fn(|i| match mixture(i as u8, a > b) {
        Mixture::Least => 0,
        Mixture::Most => 255,
        Mixture::Of { first, second } => quotient(first * a + second * b, first + second),
    });
    let indices = u64::from_le_bytes(alpha) >> 16;
    with_alpha(color, |i| palette[(indices >> (3 * i) & 7) as usize])
}

fn with_alpha(block: [u8; 8], alpha: impl Fn(usize) -> u32) -> [u32; 16] {
    let (palette, _) = palette(block, true);
    let indices = indices(block);
    std::array::from_fn(|i| palette[(indices >> (2 * i) & 3) as usize] | alpha(i) << 24)
}

/// How an index of three bits combines the end points.
enum Mixture {
    /// The first end point so many times, the second so many times.
    Of { first: u32, second: u32 },
    /// 0, or -1 if there are signs.
    Least,
    /// 1
    Most,
}

/// `eight`: the first end point is the greater one, all values are mixtures.
const fn mixture(index: u8, eight: bool) -> Mixture {
    let index = index as u32;
    match (index, eight) {
        (0, _) => Mixture::Of { first: 1, second: 0 },
        (1, _) => Mixture::Of { first: 0, second: 1 },
        (_, true) => Mixture::Of { first: 8 - index, second: index - 1 },
        (6, false) => Mixture::Least,
        (7, false) => Mixture::Most,
        (_, false) => Mixture::Of { first: 6 - index, second: index - 1 },
    }
}

/// BC4: values from 0 to 1, or from -1 to 1. -128 is -127. Each is the float nearest to the exact quotient.
pub(super) fn bc4(block: [u8; 8], signed: bool) -> [f32; 16] {
    let end = |byte: u8| if signed { i32::from((byte as i8).max(-127)) } else { i32::from(byte) };
    let (a, b) = (end(block[0]), end(block[1]));
    let one = if signed { 127 } else { 255 };
    let palette: [f32; 8] = std::array::from_fn(|i| match mixture(i as u8, a > b) {
        Mixture::Least => f32::from(-i8::from(signed)),
        Mixture::Most => 1.0,
        Mixture::Of { first, second } => {
            (first as i32 * a + second as i32 * b) as f32 / ((first + second) as i32 * one) as f32
        }
    });
    let indices = u64::from_le_bytes(block) >> 16;
    std::array::from_fn(|i| palette[(indices >> (3 * i) & 7) as usize])
}
