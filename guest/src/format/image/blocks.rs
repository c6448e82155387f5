//! Blocks of texels: BC1 to BC3 (S3TC), and pairs that share colour.
//!
//! BC blocks are little-endian whatever the machine. Rounding of palettes is not known of any of the machines; this cuts
//! off, as most software does. (EXT_texture_compression_s3tc.)

use super::{Coding, LevelLayout, bytes_at};

/// Decodes a level.
pub(super) fn decode(coding: &Coding, level: &LevelLayout, source: &[u8], out: &mut [u32]) {
    let (across, down, _) = coding.block();
    let [width, height, _] = level.size;
    let [blocks_across, blocks_down, depth] = level.blocks(coding);
    for z in 0..depth {
        for y in 0..blocks_down {
            for x in 0..blocks_across {
                let at = level.block_offset(coding, [x, y, z]);
                let texels = block(coding, source, at);
                let rows = down.min(height - y * down);
                let columns = across.min(width - x * across) as usize;
                for row in 0..rows {
                    let first = (z * height + y * down + row) as usize * width as usize + (x * across) as usize;
                    let from = (row * across) as usize;
                    if let Some(out) = out.get_mut(first..first + columns) {
                        out.copy_from_slice(&texels[from..from + columns]);
                    }
                }
            }
        }
    }
}

/// The texels of a block, row by row.
fn block(coding: &Coding, source: &[u8], at: u64) -> [u32; 16] {
    match *coding {
        Coding::Bc1 => bc1(bytes_at(source, at)),
        Coding::Bc2 => {
            let [alpha, color] = halves(bytes_at(source, at));
            let alphas = u64::from_le_bytes(alpha);
            with_alpha(color, |i| (alphas >> (4 * i) & 15) as u32 * 17)
        }
        Coding::Bc3 => {
            let [alpha, color] = halves(bytes_at(source, at));
            let palette = bc3_alphas(alpha[0], alpha[1]);
            let indices = u64::from_le_bytes(alpha) >> 16;
            with_alpha(color, |i| palette[(indices >> (3 * i) & 7) as usize])
        }
        Coding::Shared422 { red, green, blue } => {
            let bytes: [u8; 4] = bytes_at(source, at);
            let byte = |which: u8| u32::from(bytes[usize::from(which & 3)]);
            let mut out = [0; 16];
            for (out, red) in out.iter_mut().zip(red) {
                *out = byte(red) | byte(green) << 8 | byte(blue) << 16 | 0xFF00_0000;
            }
            out
        }
        Coding::Packed(_) => [0; 16],
    }
}

fn halves(block: [u8; 16]) -> [[u8; 8]; 2] {
    let (first, second) = block.split_at(8);
    [bytes_at(first, 0), bytes_at(second, 0)]
}

/// Red, green and blue of a 5:6:5 word, 8 bits each.
fn expand(word: u16) -> [u32; 3] {
    let field = |shift: u32, bits: u32| u32::from(word) >> shift & ((1 << bits) - 1);
    let [r, b] = [field(11, 5), field(0, 5)].map(|v| (v * 527 + 23) >> 6);
    [r, (field(5, 6) * 259 + 33) >> 6, b]
}

fn join([r, g, b]: [u32; 3]) -> u32 {
    r | g << 8 | b << 16
}

/// Colours of a block without alpha; `four` says whether there are four whatever the end points are.
fn palette(block: [u8; 8], four: bool) -> ([u32; 4], bool) {
    let (c0, c1) = (u16::from_le_bytes([block[0], block[1]]), u16::from_le_bytes([block[2], block[3]]));
    let (a, b) = (expand(c0), expand(c1));
    let mix = |fa: u32, fb: u32| join([0, 1, 2].map(|i| (fa * a[i] + fb * b[i]) / (fa + fb)));
    if four || c0 > c1 {
        ([join(a), join(b), mix(2, 1), mix(1, 2)], true)
    } else {
        ([join(a), join(b), mix(1, 1), 0], false)
    }
}

fn indices(block: [u8; 8]) -> u32 {
    u32::from_le_bytes([block[4], block[5], block[6], block[7]])
}

fn bc1(block: [u8; 8]) -> [u32; 16] {
    let (mut palette, four) = palette(block, false);
    let opaque = if four { 4 } else { 3 };
    palette[..opaque].iter_mut().for_each(|color| *color |= 0xFF00_0000);
    let indices = indices(block);
    std::array::from_fn(|i| palette[(indices >> (2 * i) & 3) as usize])
}

fn with_alpha(block: [u8; 8], alpha: impl Fn(usize) -> u32) -> [u32; 16] {
    let (palette, _) = palette(block, true);
    let indices = indices(block);
    std::array::from_fn(|i| palette[(indices >> (2 * i) & 3) as usize] | alpha(i) << 24)
}

/// The eight alphas of a BC3 block.
fn bc3_alphas(a0: u8, a1: u8) -> [u32; 8] {
    let (a, b) = (u32::from(a0), u32::from(a1));
    let mut palette = [a, b, 0, 0, 0, 0, 0, 255];
    let steps = if a0 > a1 { 7 } else { 5 };
    for i in 1..steps {
        palette[i as usize + 1] = ((steps - i) * a + i * b) / steps;
    }
    palette
}
