//! Texels of words with fields: rows of raw bytes are gathered first, then decoded in loops without branches.

use super::{Arrangement, Coding, LevelLayout, Piece, bytes_at};
use crate::kernel::program::output::{Bits, Channel, ColorFormat};
use crate::kernel::program::sampler::{LINEAR, Texels};
use crate::layout::surface::{gob_offset, swizzle3};
use crate::num::{F16, repeat};

/// Rows of a GOB.
const GOB_ROWS: u32 = 8;

/// Decodes a piece.
pub(super) fn decode(format: &ColorFormat, piece: &mut Piece<'_, '_>) {
    let (coding, level, source, z, rows) = (piece.coding, piece.level, piece.source, piece.z, piece.rows.clone());
    let bytes = usize::from(format.bytes);
    let width = level.size[0] as usize;
    let (row, words) = (width * bytes, width * coding.texels().words());
    let mut gathered = vec![0; row * GOB_ROWS as usize];
    let (mut y, mut rest) = (rows.start, &mut *piece.out);
    while y < rows.end {
        // Rows of a GOB come together, as its bytes do: processors fetch ahead what is read in order.
        let count = if let Arrangement::Blocks(_) = level.arrangement { GOB_ROWS - y % GOB_ROWS } else { 1 };
        let count = count.min(rows.end - y);
        let gathered = &mut gathered[..row * count as usize];
        match (level.arrangement, bytes) {
            (Arrangement::Blocks(blocks), _) => {
                let start = u64::from(level.offset).saturating_add(blocks.offset(0, y - y % GOB_ROWS, z));
                gather_gobs(source, (start, blocks.block_bytes()), y % GOB_ROWS, gathered, row);
            }
            (_, 1) => gather::<1>(coding, &level, source, y, z, gathered),
            (_, 2) => gather::<2>(coding, &level, source, y, z, gathered),
            (_, 4) => gather::<4>(coding, &level, source, y, z, gathered),
            (_, 8) => gather::<8>(coding, &level, source, y, z, gathered),
            (_, 12) => gather::<12>(coding, &level, source, y, z, gathered),
            _ => gather::<16>(coding, &level, source, y, z, gathered),
        }
        if format.swap > 1 {
            gathered.chunks_exact_mut(usize::from(format.swap)).for_each(<[u8]>::reverse);
        }
        let (out, next) = rest.split_at_mut(words * count as usize);
        for (row, out) in gathered.chunks_exact(row).zip(out.chunks_exact_mut(words)) {
            match coding.texels() {
                Texels::Rgba8 | Texels::Srgb8 => decode_bytes(format, row, out),
                Texels::Float4 => decode_floats(format, row, out),
            }
        }
        (y, rest) = (y + count, next);
    }
}

/// The raw bytes of a row of texels.
fn gather<const N: usize>(coding: &Coding, level: &LevelLayout, source: &[u8], y: u32, z: u32, row: &mut [u8]) {
    let Arrangement::Interleaved { log2, part } = level.arrangement else {
        let start = level.row(coding, y, z);
        let whole = usize::try_from(start).ok().and_then(|start| source.get(start..start.checked_add(row.len())?));
        match whole {
            Some(whole) => row.copy_from_slice(whole),
            None => row.iter_mut().enumerate().for_each(|(i, byte)| *byte = bytes_at::<1>(source, start + i as u64)[0]),
        }
        return;
    };
    let log2 = log2.map(u32::from);
    let first = [level.skip[0] * (N as u32 / u32::from(part)), y + level.skip[1], z + level.skip[2]];
    match part {
        4 => gather_parts::<4>(source, level.offset, log2, first, row),
        _ => gather_parts::<N>(source, level.offset, log2, first, row),
    }
}

/// Parts of `N` bytes from the one at `first` on along x.
fn gather_parts<const N: usize>(source: &[u8], offset: u32, log2: [u32; 3], first: [u32; 3], row: &mut [u8]) {
    // The bits of x counted up in their places: subtracting all ones in the mask carries over the gaps.
    let mask = swizzle3([!0, 0, 0], log2);
    let fixed = swizzle3([0, first[1], first[2]], log2);
    let mut x = swizzle3([first[0], 0, 0], log2);
    for part in row.chunks_exact_mut(N) {
        part.copy_from_slice(&bytes_at::<N>(source, u64::from(offset) + u64::from(fixed | x) * N as u64));
        x = x.wrapping_sub(mask) & mask;
    }
}

/// Rows of `row` bytes, the first one being row `first` of GOBs: the GOBs beside each other begin at `start`, each
/// `stride` bytes after the one before. In the rows of a GOB 16 bytes each are contiguous.
fn gather_gobs(source: &[u8], (start, stride): (u64, u64), first: u32, rows: &mut [u8], row: usize) {
    for (gob, x) in (0..row).step_by(64).enumerate() {
        let start = start + gob as u64 * stride;
        for (y, row) in (first..).zip(rows.chunks_exact_mut(row)) {
            for (sector, bytes) in (0..4).zip(row[x..].chunks_mut(16)) {
                let sixteen: [u8; 16] = bytes_at(source, start + u64::from(gob_offset(sector * 16, y)));
                bytes.copy_from_slice(&sixteen[..bytes.len()]);
            }
        }
    }
}

/// A field as numbers: `((word >> shift & mask) * factor + add) >> 6` is its value of 8 bits.
#[derive(Clone, Copy, Default)]
struct Field {
    shift: u32,
    mask: u32,
    factor: u32,
    add: u32,
}

impl Field {
    fn new(channel: Channel, alpha: bool) -> Self {
        let constant = |value: u32| Field { add: value << 6, ..Field::default() };
        let (Bits { shift, bits }, factor, add) = match channel {
            Channel::Absent => return constant(if alpha { 255 } else { 0 }),
            Channel::Ones(_) => return constant(255),
            // Equal to v * 255 / max rounded to nearest, for every value of so many bits.
            Channel::Unorm(at) | Channel::Srgb(at) => match at.bits {
                1 => (at, 255 << 6, 0),
                2 => (at, 85 << 6, 0),
                3 => (at, 2330, 36),
                4 => (at, 17 << 6, 0),
                5 => (at, 527, 23),
                6 => (at, 259, 33),
                7 => (at, 129, 0),
                _ => (at, 1 << 6, 0),
            },
            // Equal to [`repeat::to_byte`]: v * 33 / 4, cut off, is v << 3 | v >> 2.
            Channel::UnormRsx(at) => match at.bits {
                1 => (at, 255 << 6, 0),
                2 => (at, 85 << 6, 0),
                3 => (at, 2336, 0),
                4 => (at, 17 << 6, 0),
                5 => (at, 528, 0),
                6 => (at, 260, 0),
                7 => (at, 129, 0),
                _ => (at, 1 << 6, 0),
            },
            _ => return constant(0),
        };
        Field { shift: shift.into(), mask: (1 << bits) - 1, factor, add }
    }

    #[inline(always)]
    fn value(self, word: u32) -> u32 {
        ((word >> self.shift & self.mask) * self.factor + self.add) >> 6
    }
}

/// A row of texels with fields of at most 8 bits.
fn decode_bytes(format: &ColorFormat, row: &[u8], out: &mut [u32]) {
    let mut fields = [Field::default(); 4];
    for (i, field) in fields.iter_mut().enumerate() {
        *field = Field::new(format.channels[i], i == 3);
    }
    let whole_bytes = fields.iter().all(|field| field.factor == 1 << 6 || field.factor == 0);
    match format.bytes {
        1 => fill(out, row.iter().map(|&byte| u32::from(byte)), |word| unpack(&fields, word)),
        2 => {
            let words = row.as_chunks().0.iter().map(|&word| u32::from(u16::from_le_bytes(word)));
            fill(out, words, |word| unpack(&fields, word));
        }
        _ => {
            let words = row.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
            if whole_bytes {
                fill(out, words, |word| exchange(&fields, word));
            } else {
                fill(out, words, |word| unpack(&fields, word));
            }
        }
    }
}

#[inline(always)]
fn fill(out: &mut [u32], words: impl Iterator<Item = u32>, texel: impl Fn(u32) -> u32) {
    out.iter_mut().zip(words).for_each(|(out, word)| *out = texel(word));
}

#[inline(always)]
fn unpack(fields: &[Field; 4], word: u32) -> u32 {
    let [r, g, b, a] = fields.map(|field| field.value(word));
    r | g << 8 | b << 16 | a << 24
}

/// As [`unpack`] when all fields are whole bytes or constants.
#[inline(always)]
fn exchange(fields: &[Field; 4], word: u32) -> u32 {
    let [r, g, b, a] = fields.map(|field| (word >> field.shift & field.mask) | field.add >> 6);
    r | g << 8 | b << 16 | a << 24
}

/// A row of texels with other fields.
fn decode_floats(format: &ColorFormat, row: &[u8], out: &mut [u32]) {
    let out = out.as_chunks_mut::<4>().0;
    for (component, &channel) in format.channels.iter().enumerate() {
        match format.bytes {
            1 => decode_channel::<1>(channel, component, row.as_chunks().0, out),
            2 => decode_channel::<2>(channel, component, row.as_chunks().0, out),
            4 => decode_channel::<4>(channel, component, row.as_chunks().0, out),
            8 => decode_channel::<8>(channel, component, row.as_chunks().0, out),
            12 => decode_channel::<12>(channel, component, row.as_chunks().0, out),
            _ => decode_channel::<16>(channel, component, row.as_chunks().0, out),
        }
    }
}

/// Values of a channel as a component of texels: a loop without branches for each kind of channel.
fn decode_channel<const N: usize>(channel: Channel, component: usize, texels: &[[u8; N]], out: &mut [[u32; 4]]) {
    let fields = Fields { texels, out, component };
    match channel {
        Channel::Absent => fields.fill(f32::from(u8::from(component == 3))),
        Channel::Zeros(_) => fields.fill(0.0),
        Channel::Ones(_) => fields.fill(1.0),
        Channel::Srgb(at) if at.bits == 8 => fields.map(at, |field| LINEAR[field as usize & 0xFF]),
        Channel::Unorm(at) | Channel::UnormHalfUp(at) | Channel::Srgb(at) if at.bits < 32 => {
            let scale = 1.0 / ((1u32 << at.bits) - 1) as f32;
            // Processors convert signed numbers faster.
            fields.map(at, |field| field as i32 as f32 * scale);
        }
        Channel::Unorm(at) | Channel::UnormHalfUp(at) | Channel::Srgb(at) => {
            fields.map(at, |field| field as f32 * (1.0 / u32::MAX as f32));
        }
        Channel::UnormRsx(at) => {
            fields.map(at, |field| repeat::to_byte(field, at.bits.into()) as f32 * (1.0 / 255.0));
        }
        Channel::Snorm(at) => {
            let unused = 32 - u32::from(at.bits);
            // A single bit is a sign alone: 0 or -1.
            let scale = 1.0 / (u32::MAX >> unused >> 1).max(1) as f32;
            fields.map(at, |field| {
                let v = ((field << unused) as i32 >> unused) as f32 * scale;
                if -1.0 < v { v } else { -1.0 }
            });
        }
        Channel::Uint(at) => fields.map(at, f32::from_bits),
        Channel::Sint(at) => {
            let unused = 32 - u32::from(at.bits);
            fields.map(at, |field| f32::from_bits(((field << unused) as i32 >> unused) as u32));
        }
        Channel::Float(at) | Channel::FloatCut(at) => match at.bits {
            32 => fields.map(at, f32::from_bits),
            24 => fields.map(at, |field| f32::from_bits(field << 7)),
            16 => fields.map(at, F16::decode),
            // Five bits of exponent, no sign: a half without its low bits.
            bits => fields.map(at, |field| F16::decode(field << (15 - u32::from(bits)))),
        },
    }
}

/// A component of texels, of which each is stored in `N` bytes.
struct Fields<'a, const N: usize> {
    texels: &'a [[u8; N]],
    out: &'a mut [[u32; 4]],
    component: usize,
}

impl<const N: usize> Fields<'_, N> {
    fn fill(self, value: f32) {
        self.out.iter_mut().for_each(|out| out[self.component & 3] = value.to_bits());
    }

    #[inline(always)]
    fn map(self, Bits { shift, bits }: Bits, value: impl Fn(u32) -> f32) {
        let mask = u32::MAX >> (32 - u32::from(bits));
        // Fields lie within a word, and words within the texel.
        let size = N.min(4);
        let start = (usize::from(shift / 32) * 4).min(N - size);
        for (texel, out) in self.texels.iter().zip(self.out) {
            let mut word = [0; 4];
            word[..size].copy_from_slice(&texel[start..start + size]);
            let field = u32::from_le_bytes(word) >> (shift % 32) & mask;
            out[self.component & 3] = value(field).to_bits();
        }
    }
}
