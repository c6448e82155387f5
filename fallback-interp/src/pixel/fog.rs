//! Fog (3dbrew: GPU/Internal Registers, 0x0E0 to 0x0EF).

use triglyph_guest::kernel::pixel::{FogKey, FogTable};

use super::{Color, clamp};

/// Mixes r, g, b with the fog colour `0xRRGGBBAA` by the table's value at `depth`, 0 to 1; alpha stays.
pub(super) fn apply(key: &FogKey, table: &FogTable, fog: u32, depth: f32, color: Color) -> Color {
    let k = lookup(key, table, depth);
    let fog = fog.to_be_bytes();
    let mix = |channel: usize| (k * f32::from(color[channel]) + (1.0 - k) * f32::from(fog[channel])) as u8;
    [mix(0), mix(1), mix(2), color[3]]
}

/// The table's value at `x`, 0 to 1.
pub(super) fn lookup(key: &FogKey, table: &FogTable, x: f32) -> f32 {
    let index = if key.flip { 1.0 - x } else { x } * 128.0;
    let entry = clamp(index.floor(), 0.0, 127.0);
    let fraction = index - entry;
    let [value, difference] = table[entry as usize];
    clamp(value + fraction * difference, 0.0, 1.0)
}
