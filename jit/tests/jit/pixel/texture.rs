//! Texture decoding against a computation texel by texel.

use triglyph_guest::format::TexelFormat;
use triglyph_guest::format::texel::ETC1_MODIFIERS;
use triglyph_guest::kernel::tier::TextureDecoder;
use triglyph_guest::layout::morton;
use triglyph_jit::Decoder;

fn random_bytes(count: usize, mut state: u64) -> Vec<u8> {
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// The colour r, g, b, a of the texel at (x, y), y counting stored rows.
fn texel(format: TexelFormat, bytes: &[u8], width: u32, x: u32, y: u32) -> [u8; 4] {
    let byte = |at: usize| u32::from(bytes.get(at).copied().unwrap_or(0));
    let index = ((y & !7) * width + (x & !7) * 8 + morton(x & 7, y & 7)) as usize;
    let half = byte(2 * index) | byte(2 * index + 1) << 8;
    let widen = |v: u32, bits: u32| {
        let v = v & ((1 << bits) - 1);
        // Repeats the bits from the top down.
        (0..8).fold(0u32, |w, i| w << 1 | (v >> (bits - 1 - i % bits) & 1)) as u8
    };
    let nibble = byte(index / 2) >> (index % 2 * 4);
    match format {
        TexelFormat::Rgba8 => [3, 2, 1, 0].map(|i| byte(4 * index + i) as u8),
        TexelFormat::Rgb8 => [byte(3 * index + 2) as u8, byte(3 * index + 1) as u8, byte(3 * index) as u8, 255],
        TexelFormat::Rgb5A1 => [widen(half >> 11, 5), widen(half >> 6, 5), widen(half >> 1, 5), widen(half, 1)],
        TexelFormat::Rgb565 => [widen(half >> 11, 5), widen(half >> 5, 6), widen(half, 5), 255],
        TexelFormat::Rgba4 => [12, 8, 4, 0].map(|s| widen(half >> s, 4)),
        TexelFormat::Ia8 => [(half >> 8) as u8, (half >> 8) as u8, (half >> 8) as u8, half as u8],
        TexelFormat::Rg8 => [(half >> 8) as u8, half as u8, 0, 255],
        TexelFormat::I8 => [byte(index) as u8, byte(index) as u8, byte(index) as u8, 255],
        TexelFormat::A8 => [0, 0, 0, byte(index) as u8],
        TexelFormat::Ia4 => {
            let i = widen(byte(index) >> 4, 4);
            [i, i, i, widen(byte(index), 4)]
        }
        TexelFormat::I4 => [widen(nibble, 4), widen(nibble, 4), widen(nibble, 4), 255],
        TexelFormat::A4 => [0, 0, 0, widen(nibble, 4)],
        TexelFormat::Etc1 | TexelFormat::Etc1A4 => etc1(format, &byte, width, x, y),
    }
}

fn etc1(format: TexelFormat, byte: &dyn Fn(usize) -> u32, width: u32, x: u32, y: u32) -> [u8; 4] {
    let tile = (y / 8 * (width / 8) + x / 8) as usize;
    let block = tile * 4 + ((x >> 2 & 1) + 2 * (y >> 2 & 1)) as usize;
    let word = |at: usize| (0..8).fold(0u64, |w, i| w | u64::from(byte(at + i)) << (8 * i));
    let (x, y) = (x & 3, y & 3);
    let n = 4 * x + y;
    let (alpha, color) = match format {
        TexelFormat::Etc1A4 => ((word(16 * block) >> (4 * n) & 15) as u8 * 17, word(16 * block + 8)),
        _ => (255, word(8 * block)),
    };
    let bits = |low: u32, count: u32| (color >> low) as i32 & ((1 << count) - 1);
    let second = if bits(32, 1) == 0 { x >= 2 } else { y >= 2 };
    let table = ETC1_MODIFIERS[bits(if second { 34 } else { 37 }, 3) as usize];
    let modifier = table[bits(n, 1) as usize] * if bits(16 + n, 1) == 1 { -1 } else { 1 };
    let channel = |c: u32| {
        let base = if bits(33, 1) == 0 {
            bits(60 - 8 * c - if second { 4 } else { 0 }, 4) * 17
        } else {
            let difference = bits(56 - 8 * c, 3);
            let difference = if difference > 3 { difference - 8 } else { difference };
            let five = (bits(59 - 8 * c, 5) + if second { difference } else { 0 }) & 31;
            five << 3 | five >> 2
        };
        (base + modifier).clamp(0, 255) as u8
    };
    [channel(0), channel(1), channel(2), alpha]
}

fn check(format: TexelFormat, width: u32, height: u32, bytes: &[u8]) {
    let mut words = vec![0xDEAD_BEEF; (width * height) as usize];
    Decoder.decode(format, width, height, bytes, &mut words);
    for y in 0..height {
        for x in 0..width {
            let (got, want) = (words[(y * width + x) as usize].to_be_bytes(), texel(format, bytes, width, x, y));
            assert_eq!(got, want, "{format:?} {width}x{height} at ({x}, {y})");
        }
    }
}

#[test]
fn every_format_decodes() {
    for (seed, format) in TexelFormat::ALL.into_iter().enumerate() {
        for (width, height) in [(8, 8), (16, 8), (8, 32), (64, 16)] {
            for seed in 0..4 + seed as u64 {
                check(format, width, height, &random_bytes(format.size(width, height) as usize, seed));
            }
        }
    }
}

#[test]
fn memory_that_ends_reads_zero() {
    for format in TexelFormat::ALL {
        let size = format.size(32, 16) as usize;
        for length in [0, 1, size / 2, size / 2 + 5, size - 1] {
            check(format, 32, 16, &random_bytes(length, 7));
        }
    }
}

#[test]
fn a_level_without_texels_is_nothing() {
    Decoder.decode(TexelFormat::Etc1, 0, 0, &[], &mut []);
}
