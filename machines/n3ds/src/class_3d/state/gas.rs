//! From registers to what gas is drawn and coloured with (3dbrew: GPU/Internal Registers, 0x0E4, 0x0E5, 0x120 to
//! 0x126).

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::gas::{DensityWrite, GasConstants, GasKey, GasLight};
use triglyph_guest::kernel::pixel::Compare;
use triglyph_guest::num::F16;
use triglyph_guest::pica::regs::{self, GasLookup, GasSource};

use crate::class_3d::Pica;
use crate::front_end::registers::Registers;

/// How densities are drawn.
pub(crate) fn density(registers: &Registers) -> DensityWrite {
    let function = regs::gas_deltaz_depth::func(registers.get(regs::gas_deltaz_depth::ID));
    // All values have a meaning.
    DensityWrite { compare: function.map_or(Compare::Less, Compare::from) }
}

/// How gas is coloured.
pub(crate) fn key(registers: &Registers) -> GasKey {
    GasKey {
        by_depth: regs::tev_update_fog::gas_source(registers.get(regs::tev_update_fog::ID)) == Some(GasSource::Depth),
        by_light: regs::gas_light_z_color::lut_input(registers.get(regs::gas_light_z_color::ID))
            == Some(GasLookup::Light),
    }
}

/// The values for both. The first eight entries of `table` are differences, the others colours.
pub(crate) fn constants(registers: &Registers, table: &[u32; 16]) -> GasConstants {
    let light = |id: usize| {
        let [min, max, attenuation, _] = registers.get(id).to_le_bytes().map(unit);
        GasLight { min, max, attenuation }
    };
    GasConstants {
        proportion: regs::gas_deltaz_depth::attenuation(registers.get(regs::gas_deltaz_depth::ID)) as f32 / 256.0,
        scale: regs::gas_accmax::value(registers.get(regs::gas_accmax::ID)),
        attenuation: regs::gas_attenuation::value(registers.get(regs::gas_attenuation::ID)),
        planar: light(regs::gas_light_xy::ID),
        view: light(regs::gas_light_z::ID),
        effect: unit(regs::gas_light_z_color::effect(registers.get(regs::gas_light_z_color::ID)) as u8),
        colors: std::array::from_fn(|i| channels(table[8 + i]).map(f32::from)),
        differences: std::array::from_fn(|i| channels(table[i]).map(difference)),
    }
}

/// 0 to 255 as 0 to 1.
fn unit(byte: u8) -> f32 {
    f32::from(byte) / 255.0
}

fn channels(word: u32) -> [u8; 3] {
    let [r, g, b, _] = word.to_le_bytes();
    [r, g, b]
}

/// A sign, then half of the difference (citro3d; 3dbrew only says that it is signed).
fn difference(byte: u8) -> f32 {
    let magnitude = f32::from(byte & 0x7F) * 2.0;
    if byte & 0x80 != 0 { -magnitude } else { magnitude }
}

impl Pica {
    /// GAS_ACCMAX_FEEDBACK was written: with 0, the largest density is counted anew from here on. What was drawn
    /// before, but waits, is not counted.
    pub(crate) fn start_accumulation(&mut self) {
        if regs::gas_accmax_feedback::start(self.registers.get(regs::gas_accmax_feedback::ID)) == 0 {
            self.densest = Arc::new(AtomicU32::new(0));
            self.registers.mark(regs::dirty::FRAGMENT);
        }
        self.show_densest();
    }

    /// Brings GAS_ACCMAX_FEEDBACK up to date: the largest density as f16.
    pub(crate) fn show_densest(&mut self) {
        let density = F16::encode(self.densest.load(Relaxed) as f32);
        let shown = |register: &mut u32| *register = *register & 0xFFFF | density << 16;
        self.registers.update(regs::gas_accmax_feedback::ID, shown);
    }

    /// The largest density that GAS_ACCMAX_FEEDBACK tells of.
    pub(crate) fn shown_densest(registers: &Registers) -> Arc<AtomicU32> {
        let density = regs::gas_accmax_feedback::density(registers.get(regs::gas_accmax_feedback::ID));
        Arc::new(AtomicU32::new(density as u32))
    }
}
