//! From registers to the procedural texture unit.

use triglyph_guest::kernel::pixel::Filter;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift, decode_entry};
use triglyph_guest::num::F16;
use triglyph_guest::pica::regs;

use super::registers::Registers;

/// Table numbers of PROCTEX_LUT_INDEX (3dbrew: GPU/Internal Registers).
mod table {
    pub const NOISE: usize = 0;
    pub const RGB_MAP: usize = 2;
    pub const ALPHA_MAP: usize = 3;
    pub const COLOR: usize = 4;
    pub const DIFFERENCE: usize = 5;
}

/// First colours of levels 4 to 7; those of 0 to 3 are in a register.
const FIXED_OFFSETS: [u32; 4] = [0xF0, 0xF8, 0xFC, 0xFE];

/// Whether the unit is on.
pub(super) fn enabled(registers: &Registers) -> bool {
    regs::tex_config::enable3(registers.get(regs::tex_config::ID)) != 0
}

/// The key.
pub(super) fn key(registers: &Registers) -> ProceduralKey {
    let word = registers.get(regs::proctex0::ID);
    let filter = regs::proctex4::filter(registers.get(regs::proctex4::ID));
    ProceduralKey {
        coordinates: match regs::tex_config::coord3(registers.get(regs::tex_config::ID)) {
            0 => [12, 13],
            1 => [14, 15],
            _ => [22, 23],
        },
        clamp: [clamp(regs::proctex0::clamp_u(word)), clamp(regs::proctex0::clamp_v(word))],
        shift: [shift(regs::proctex0::shift_u(word)), shift(regs::proctex0::shift_v(word))],
        rgb_map: combine(regs::proctex0::rgb_map(word)),
        alpha_map: (regs::proctex0::separate_alpha(word) != 0).then(|| combine(regs::proctex0::alpha_map(word))),
        noise: regs::proctex0::noise(word) != 0,
        linear: filter & 1 != 0,
        mipmap: match filter {
            2 | 3 => Some(Filter::Nearest),
            4 | 5 => Some(Filter::Linear),
            _ => None,
        },
    }
}

fn clamp(code: u32) -> Clamp {
    match code {
        0 => Clamp::Zero,
        2 => Clamp::Repeat,
        3 => Clamp::MirroredRepeat,
        4 => Clamp::Pulse,
        _ => Clamp::Edge,
    }
}

fn shift(code: u32) -> Shift {
    match code {
        1 => Shift::Odd,
        2 => Shift::Even,
        _ => Shift::None,
    }
}

fn combine(code: u32) -> Combine {
    match code {
        1 => Combine::U2,
        2 => Combine::V,
        3 => Combine::V2,
        4 => Combine::Average,
        5 => Combine::Average2,
        6 => Combine::Root,
        7 => Combine::Min,
        8 => Combine::Max,
        9 => Combine::AverageRoot,
        _ => Combine::U,
    }
}

/// The values and tables.
pub(super) fn data(registers: &Registers, raw: &[[u32; 256]; 16]) -> Box<ProceduralData> {
    let (word0, word4) = (registers.get(regs::proctex0::ID), registers.get(regs::proctex4::ID));
    let (noise_u, noise_v) = (registers.get(regs::proctex1_noise_u::ID), registers.get(regs::proctex2_noise_v::ID));
    let frequency = registers.get(regs::proctex3_noise_freq::ID);
    let levels = registers.get(regs::proctex5::ID).to_le_bytes().map(u32::from);
    let mut offset = [0; 8];
    offset[..4].copy_from_slice(&levels);
    offset[4..].copy_from_slice(&FIXED_OFFSETS);
    let bias = regs::proctex4::bias_high(word4) << 8 | regs::proctex0::bias_low(word0);
    let lod_max = regs::proctex4::lod_max(word4).min(7);
    let map = |number: usize| std::array::from_fn(|i| decode_entry(raw[number][i]));
    Box::new(ProceduralData {
        amplitude: [regs::proctex1_noise_u::amplitude(noise_u), regs::proctex2_noise_v::amplitude(noise_v)]
            .map(|amplitude| amplitude as f32 / 4095.0),
        phase: [regs::proctex1_noise_u::phase(noise_u), regs::proctex2_noise_v::phase(noise_v)].map(F16::decode),
        frequency: [regs::proctex3_noise_freq::u(frequency), regs::proctex3_noise_freq::v(frequency)].map(F16::decode),
        bias: F16::decode(bias),
        lod: [regs::proctex4::lod_min(word4).min(lod_max) as f32, lod_max as f32],
        width: regs::proctex4::width(word4),
        offset,
        noise: map(table::NOISE),
        rgb_map: map(table::RGB_MAP),
        alpha_map: map(table::ALPHA_MAP),
        color: raw[table::COLOR].map(|word| word.to_le_bytes().map(f32::from)),
        // Stored are halves of the differences.
        difference: raw[table::DIFFERENCE].map(|word| word.to_le_bytes().map(|d| 2.0 * f32::from(d as i8))),
    })
}
