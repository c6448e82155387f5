//! Arguments of gas.

use bytemuck::Zeroable;
use triglyph_guest::kernel::gas::{GasConstants, GasLight};

/// Constants of gas, each in four lanes.
#[repr(C, align(16))]
#[derive(Clone, Copy, Zeroable)]
pub struct GasArgs {
    pub proportion: [f32; 4],
    pub scale: [f32; 4],
    pub attenuation: [f32; 4],
    /// Maximum, its reduction where gas is densest, attenuation.
    pub planar: [[f32; 4]; 3],
    pub view: [[f32; 4]; 3],
    /// Weights of the planar light and of the view light.
    pub effect: [[f32; 4]; 2],
    /// Colour and difference of r, g, b of each entry, eight words further on.
    pub table: [[[f32; 2]; 4]; 8],
    /// The largest densities written, by lane.
    pub densest: [u32; 4],
}

impl GasArgs {
    pub fn new(c: &GasConstants) -> GasArgs {
        let light = |light: &GasLight| [light.max, light.max - light.min, light.attenuation].map(|value| [value; 4]);
        let mut table = [[[0.0; 2]; 4]; 8];
        for (entry, (color, difference)) in table.iter_mut().zip(c.colors.iter().zip(c.differences)) {
            for channel in 0..3 {
                entry[channel] = [color[channel], difference[channel]];
            }
        }
        GasArgs {
            proportion: [c.proportion; 4],
            scale: [c.scale; 4],
            attenuation: [c.attenuation; 4],
            planar: light(&c.planar),
            view: light(&c.view),
            effect: [[1.0 - c.effect; 4], [c.effect; 4]],
            table,
            densest: [0; 4],
        }
    }
}
