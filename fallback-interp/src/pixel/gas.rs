//! Gas: accumulation of densities, and colours computed from them (registers: 3dbrew, GPU/Internal Registers, 0x120 to
//! 0x126; formulas: `guest::kernel::gas`, unverified).

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use triglyph_guest::kernel::gas::{DensityWrite, GasConstants, GasKey, GasLight};
use triglyph_guest::kernel::pixel::{FogKey, FogTable};

use super::target::Pixel;
use super::{Color, clamp, fog};
use crate::operations::compare;

/// The largest density.
const FULL: u32 = 0xFFFF;

/// Adds a pixel of depth `depth`, 0 to 1, whose combined colour is `color`.
pub(super) fn add(
    key: DensityWrite,
    constants: &GasConstants,
    densest: Option<&AtomicU32>,
    pixel: &Pixel<'_>,
    depth: f32,
    color: impl FnOnce() -> Color,
) {
    let mut weight = 1.0;
    if let Some(max) = pixel.depth_max() {
        let (new, stored) = ((depth * max as f32) as u32, pixel.depth_stencil().0);
        if !compare(key.compare, new, stored) {
            return;
        }
        let distance = new.abs_diff(stored) as f32 / max as f32;
        weight = clamp(constants.proportion * distance, 0.0, 1.0);
    }
    let [density, ..] = color();
    let by_depth = (f32::from(density) * weight) as u32;
    let [plain, deep] = densities(pixel.color());
    let plain = (plain + u32::from(density)).min(FULL);
    let deep = (deep + by_depth).min(FULL);
    let [alpha, blue] = (plain as u16).to_le_bytes();
    let [green, red] = (deep as u16).to_le_bytes();
    pixel.store_all([red, green, blue, alpha]);
    if let Some(densest) = densest {
        densest.fetch_max(plain, Relaxed);
    }
}

/// The plain density and that by depth.
fn densities([red, green, blue, alpha]: Color) -> [u32; 2] {
    [u32::from_be_bytes([0, 0, blue, alpha]), u32::from_be_bytes([0, 0, red, green])]
}

/// The colour of gas whose densities texture unit 0 has read.
pub(super) fn color(flip: &FogKey, key: GasKey, constants: &GasConstants, table: &FogTable, texture: Color) -> Color {
    let [plain, deep] = densities(texture);
    let density = if key.by_depth { deep } else { plain } as f32;
    let relative = clamp(density * constants.scale, 0.0, 1.0);
    let input = if key.by_light { light(constants, relative) } else { relative };
    let position = clamp(input, 0.0, 1.0) * 8.0;
    let entry = position.floor().min(7.0);
    let fraction = position - entry;
    let (color, difference) = (constants.colors[entry as usize], constants.differences[entry as usize]);
    let channel = |c: usize| clamp(color[c] + fraction * difference[c], 0.0, 255.0) as u8;
    let k = fog::lookup(flip, table, clamp(density * constants.attenuation, 0.0, 1.0));
    [channel(0), channel(1), channel(2), ((1.0 - k) * 255.0) as u8]
}

/// How bright gas of this relative density is.
fn light(constants: &GasConstants, density: f32) -> f32 {
    let shade = |light: &GasLight| light.max - (light.max - light.min) * clamp(light.attenuation * density, 0.0, 1.0);
    shade(&constants.planar) * (1.0 - constants.effect) + shade(&constants.view) * constants.effect
}
