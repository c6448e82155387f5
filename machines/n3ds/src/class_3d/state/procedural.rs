//! From registers to the procedural texture unit.

use triglyph_guest::kernel::pixel::Filter;
use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralData, ProceduralKey, Shift};
use triglyph_guest::num::F16;
use triglyph_guest::pica::regs::{self, ProcTexClamp, ProcTexFilter, ProcTexMap, ProcTexShift, TexCoord3};

use crate::front_end::registers::Registers;

/// First colours of levels 4 to 7; those of 0 to 3 are in a register.
const FIXED_OFFSETS: [u32; 4] = [0xF0, 0xF8, 0xFC, 0xFE];

/// Whether the unit is on.
pub(crate) fn enabled(registers: &Registers) -> bool {
    regs::tex_config::enable3(registers.get(regs::tex_config::ID))
}

/// The key.
pub(crate) fn key(registers: &Registers) -> ProceduralKey {
    let word = registers.get(regs::proctex0::ID);
    let filter = regs::proctex4::filter(registers.get(regs::proctex4::ID));
    ProceduralKey {
        coordinates: match regs::tex_config::coord3(registers.get(regs::tex_config::ID)) {
            Some(TexCoord3::Texcoord0) => [12, 13],
            Some(TexCoord3::Texcoord1) => [14, 15],
            _ => [22, 23],
        },
        clamp: [clamp(regs::proctex0::clamp_u(word)), clamp(regs::proctex0::clamp_v(word))],
        shift: [shift(regs::proctex0::shift_u(word)), shift(regs::proctex0::shift_v(word))],
        rgb_map: combine(regs::proctex0::rgb_map(word)),
        alpha_map: regs::proctex0::separate_alpha(word).then(|| combine(regs::proctex0::alpha_map(word))),
        noise: regs::proctex0::noise(word),
        linear: matches!(
            filter,
            Some(ProcTexFilter::Linear | ProcTexFilter::LinearNearest | ProcTexFilter::LinearLinear)
        ),
        mipmap: match filter {
            Some(ProcTexFilter::NearestNearest | ProcTexFilter::LinearNearest) => Some(Filter::Nearest),
            Some(ProcTexFilter::NearestLinear | ProcTexFilter::LinearLinear) => Some(Filter::Linear),
            None | Some(ProcTexFilter::Nearest | ProcTexFilter::Linear) => None,
        },
    }
}

fn clamp(mode: Option<ProcTexClamp>) -> Clamp {
    mode.map_or(Clamp::Edge, Clamp::from)
}

fn shift(mode: Option<ProcTexShift>) -> Shift {
    mode.map_or(Shift::None, Shift::from)
}

fn combine(map: Option<ProcTexMap>) -> Combine {
    map.map_or(Combine::U, Combine::from)
}

/// The registers of values that draws get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    shape: u32,
    noise: [u32; 2],
    frequency: u32,
    filter: u32,
    offsets: u32,
}

impl Values {
    pub(crate) fn of(registers: &Registers) -> Self {
        Values {
            shape: registers.get(regs::proctex0::ID),
            noise: [regs::proctex1_noise_u::ID, regs::proctex2_noise_v::ID].map(|id| registers.get(id)),
            frequency: registers.get(regs::proctex3_noise_freq::ID),
            filter: registers.get(regs::proctex4::ID),
            offsets: registers.get(regs::proctex5::ID),
        }
    }

    /// Sets everything but the tables.
    pub(crate) fn set(&self, data: &mut ProceduralData) {
        let Values { shape, noise: [noise_u, noise_v], frequency, filter, offsets } = *self;
        data.offset[..4].copy_from_slice(&offsets.to_le_bytes().map(u32::from));
        data.offset[4..].copy_from_slice(&FIXED_OFFSETS);
        data.amplitude = [regs::proctex1_noise_u::amplitude(noise_u), regs::proctex2_noise_v::amplitude(noise_v)]
            .map(|amplitude| amplitude as f32 / 4095.0);
        data.phase = [regs::proctex1_noise_u::phase(noise_u), regs::proctex2_noise_v::phase(noise_v)];
        data.frequency = [regs::proctex3_noise_freq::u(frequency), regs::proctex3_noise_freq::v(frequency)];
        data.bias = F16::decode(regs::proctex4::bias_high(filter) << 8 | regs::proctex0::bias_low(shape));
        let lod_max = regs::proctex4::lod_max(filter).min(7);
        data.lod = [regs::proctex4::lod_min(filter).min(lod_max) as f32, lod_max as f32];
        data.width = regs::proctex4::width(filter);
    }
}
