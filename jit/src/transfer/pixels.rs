//! Conversion of eight pixels to another format.
//!
//! Words of 16 bits whose channels become bytes stay in lanes of 16 bits until they are widened; other pixels are words
//! of 32 bits, four to a vector.

use cranelift_codegen::ir::types::I32X4;
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::transfer::{BitField, PixelFields, RepackKey};
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, I16x8, I32x4};

/// Reads eight pixels, the second four of which may be elsewhere (those of two bytes follow the first), and stores them
/// in the target's format.
pub(super) fn repack_eight(e: &mut Emit<'_>, key: &RepackKey, halves: [Value; 2], target: Value) {
    let RepackKey { input, output, .. } = key;
    if input.bytes == 2 && input.channels == output.channels && output.bytes == 2 {
        let pixels = load_shorts(e, input, halves[0]);
        let mask = output.channels.iter().fold(0, |mask: u16, field| mask | (low_bits(field) << field.shift) as u16);
        let mask = e.short(mask);
        let kept = e.and16(pixels, mask);
        let kept = if output.big_endian { swapped_shorts(e, kept) } else { kept };
        return e.store(kept.0, target, 0);
    }
    let words = match input.bytes == 2 && output.bytes == 4 && are_bytes_of_shorts(key) {
        true => {
            let pixels = load_shorts(e, input, halves[0]);
            bytes_of_shorts(e, key, pixels)
        }
        false => halves.map(|at| {
            let pixels = load(e, input, at);
            match byte_order(key) {
                Some((order, constants)) => {
                    let moved = I32x4(e.pick_bytes(pixels.0, order));
                    let constants = e.i(constants as i32);
                    e.ior(moved, constants)
                }
                None => repacked(e, key, pixels),
            }
        }),
    };
    store(e, output, words, target);
}

fn low_bits(field: &BitField) -> u32 {
    (1 << field.bits) - 1
}

fn load_shorts(e: &mut Emit<'_>, fields: &PixelFields, at: Value) -> I16x8 {
    let pixels = e.load_shorts(at, 0);
    if fields.big_endian { swapped_shorts(e, pixels) } else { pixels }
}

fn swapped_shorts(e: &mut Emit<'_>, pixels: I16x8) -> I16x8 {
    I16x8(e.pick_bytes(pixels.0, [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]))
}

/// Four pixels as words.
fn load(e: &mut Emit<'_>, fields: &PixelFields, at: Value) -> I32x4 {
    let words = match fields.bytes {
        2 => e.load_4x16(at),
        3 => e.load_4x24(at),
        _ => e.load_ints(at, 0),
    };
    swapped(e, fields, words)
}

fn store(e: &mut Emit<'_>, fields: &PixelFields, words: [I32x4; 2], at: Value) {
    let [low, high] = words.map(|words| swapped(e, fields, words));
    match fields.bytes {
        2 => {
            let both = e.b.ins().unarrow(low.0, high.0);
            e.store(both, at, 0);
        }
        3 => {
            let after = e.b.ins().iadd_imm_u(at, 12);
            e.store_4x24(low, at);
            e.store_4x24(high, after);
        }
        _ => {
            e.store(low.0, at, 0);
            e.store(high.0, at, 16);
        }
    }
}

/// Words in the other byte order, if the pixels have it.
fn swapped(e: &mut Emit<'_>, fields: &PixelFields, words: I32x4) -> I32x4 {
    if !fields.big_endian {
        return words;
    }
    let mut order = [Emit::NO_BYTE; 16];
    for (at, byte) in order.iter_mut().enumerate() {
        let (lane, within) = (at / 4, at % 4);
        if within < usize::from(fields.bytes) {
            *byte = (4 * lane + usize::from(fields.bytes) - 1 - within) as u8;
        }
    }
    I32x4(e.pick_bytes(words.0, order))
}

fn is_byte(field: &BitField) -> bool {
    field.bits == 0 || field.bits == 8 && field.shift.is_multiple_of(8)
}

/// How bytes move, and the bits that are set, if every channel is a byte of the words.
fn byte_order(key: &RepackKey) -> Option<([u8; 16], u32)> {
    if !key.input.channels.iter().chain(&key.output.channels).all(is_byte) {
        return None;
    }
    let (mut order, mut constants) = ([Emit::NO_BYTE; 16], 0);
    for (from, to) in key.input.channels.iter().zip(&key.output.channels) {
        match (from.bits, to.bits) {
            (_, 0) => {}
            (0, _) => constants |= 0xFF << to.shift,
            _ => (0..4).for_each(|lane| order[4 * lane + usize::from(to.shift / 8)] = 4 * lane as u8 + from.shift / 8),
        }
    }
    Some((order, constants))
}

/// Whether [`bytes_of_shorts`] has such pixels: channels of a byte each, out of at least half as many bits.
fn are_bytes_of_shorts(key: &RepackKey) -> bool {
    key.output.channels.iter().all(is_byte) && key.input.channels.iter().all(|from| from.bits == 0 || from.bits >= 4)
}

/// Eight pixels of 16 bits as words of four bytes.
fn bytes_of_shorts(e: &mut Emit<'_>, key: &RepackKey, pixels: I16x8) -> [I32x4; 2] {
    let [low, high] = [0, 16].map(|first| {
        let channels = key.input.channels.iter().zip(&key.output.channels);
        let mut halves = e.short(0);
        for (from, to) in channels.filter(|(_, to)| to.bits != 0 && (first..first + 16).contains(&to.shift)) {
            let byte = if from.bits == 0 { e.short(255) } else { widened_shorts(e, from, pixels) };
            let byte = if to.shift == first { byte } else { e.shl16(byte, 8) };
            halves = e.or16(halves, byte);
        }
        halves
    });
    let pairs = |e: &mut Emit<'_>, order: [u8; 16]| {
        let words = e.shuffle(low.0, high.0, order);
        I32x4(e.cast(words, I32X4))
    };
    [
        pairs(e, [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23]),
        pairs(e, [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31]),
    ]
}

/// A field of at least four bits as 8 bits: its own, repeated from the highest on. With n bits these are the highest 8
/// of the field written twice, which is a product.
fn widened_shorts(e: &mut Emit<'_>, field: &BitField, pixels: I16x8) -> I16x8 {
    let bits = u32::from(field.bits);
    let mut value = if field.shift == 0 { pixels } else { e.shr16(pixels, field.shift.into()) };
    if field.shift + field.bits < 16 {
        let mask = e.short(low_bits(field) as u16);
        value = e.and16(value, mask);
    }
    let twice = e.short(1 + (1 << bits));
    let value = e.mul16(value, twice);
    if bits == 4 { value } else { e.shr16(value, 2 * bits - 8) }
}

/// Words of the target's form.
fn repacked(e: &mut Emit<'_>, key: &RepackKey, pixels: I32x4) -> I32x4 {
    // Channels that lose bits move by so many to the left, those that do so by as many together.
    let mut moved: Vec<(i32, u32)> = Vec::new();
    let (mut constants, mut words) = (0, None);
    let mut add = |e: &mut Emit<'_>, part: I32x4| words = Some(words.map_or(part, |words| e.ior(words, part)));
    for (from, to) in key.input.channels.iter().zip(&key.output.channels).filter(|(_, to)| to.bits != 0) {
        if from.bits == 0 {
            constants |= low_bits(to) << to.shift;
        } else if from.bits >= to.bits {
            let lowest = from.shift + from.bits - to.bits;
            let (by, mask) = (i32::from(to.shift) - i32::from(lowest), low_bits(to) << lowest);
            match moved.iter_mut().find(|(other, _)| *other == by) {
                Some((_, masks)) => *masks |= mask,
                None => moved.push((by, mask)),
            }
        } else {
            let value = widened(e, from, pixels);
            let cut = if to.bits == 8 { value } else { e.ushr(value, 8 - u32::from(to.bits)) };
            let placed = if to.shift == 0 { cut } else { e.ishl(cut, to.shift.into()) };
            add(e, placed);
        }
    }
    for (by, mask) in moved {
        let mask = e.i(mask as i32);
        let bits = e.iand(pixels, mask);
        let placed = match by {
            0 => bits,
            1.. => e.ishl(bits, by as u32),
            _ => e.ushr(bits, by.unsigned_abs()),
        };
        add(e, placed);
    }
    let constants = e.i(constants as i32);
    match words {
        Some(words) => e.ior(words, constants),
        None => constants,
    }
}

/// A field of the pixels as 8 bits: its own, repeated from the highest on.
fn widened(e: &mut Emit<'_>, field: &BitField, pixels: I32x4) -> I32x4 {
    let down = e.ushr(pixels, field.shift.into());
    let mask = e.i(low_bits(field) as i32);
    let value = e.iand(down, mask);
    let mut wide = e.ishl(value, 8 - u32::from(field.bits));
    let mut filled = u32::from(field.bits);
    while filled < 8 {
        // The next copy begins where the last one ends; its low bits may fall off.
        let place = 8 - filled as i32 - i32::from(field.bits);
        let copy = if place >= 0 { e.ishl(value, place as u32) } else { e.ushr(value, place.unsigned_abs()) };
        wide = e.ior(wide, copy);
        filled += u32::from(field.bits);
    }
    wide
}
