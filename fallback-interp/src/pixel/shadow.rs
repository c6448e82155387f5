//! Shadow maps: drawing and sampling them (3dbrew: GPU/Internal Registers, 0x08B and 0x130).

use triglyph_guest::format::TexelFormat;
use triglyph_guest::kernel::pixel::{Filter, PixelConstants, ShadowForm, TextureKind};

use super::target::Pixel;
use super::texture::{Level, Spot, Unit};
use super::{Color, clamp, texel};

/// The farthest depth, as a number of 24 bits.
const FARTHEST: f32 = 0xFF_FFFF as f32;

/// A pixel of a shadow map.
#[derive(Clone, Copy, Debug)]
struct Shade {
    /// 24 bits.
    depth: u32,
    /// How much light a soft shadow lets through.
    light: u8,
}

impl Shade {
    /// The first byte in memory, alpha, is the depth's most significant one.
    fn of([light, low, middle, high]: Color) -> Self {
        Shade { depth: u32::from_be_bytes([0, high, middle, low]), light }
    }
}

/// Draws a pixel of depth `depth`, 0 to 1, whose combined colour is `color`.
pub(super) fn write(pixel: &Pixel<'_>, constants: &PixelConstants, depth: f32, color: impl FnOnce() -> Color) {
    let stored = Shade::of(pixel.color());
    let depth = (depth * FARTHEST) as u32;
    if depth >= stored.depth {
        return;
    }
    let [_, softness, ..] = color();
    if softness == 0 {
        pixel.store_shadow_depth(depth);
        return;
    }
    let nearness = depth as f32 / stored.depth as f32;
    let distance = constants.shadow_constant + constants.shadow_linear * nearness;
    let light = clamp(f32::from(softness) / distance, 0.0, 255.0) as u8;
    if light < stored.light {
        pixel.store_shadow_light(light);
    }
}

impl Unit<'_> {
    /// How much light reaches a pixel, in all channels.
    pub(super) fn shadow(&self, spot: &Spot, varyings: [f32; 3], form: ShadowForm) -> Color {
        let depth = (clamp(self.shadow_distance(spot, varyings), 0.0, 1.0) * FARTHEST) as i32;
        // 24 bits each: the difference has a sign.
        let depth = depth.wrapping_sub(self.constants.shadow_bias as i32);
        let light = match form {
            ShadowForm::Nearest => {
                let shade = Shade::of(self.filtered(spot, 0, Filter::Nearest));
                if shade.depth as i32 >= depth { shade.light } else { 0 }
            }
            ShadowForm::Filtered => self.filtered_shadow(spot, depth.max(0) as u32),
        };
        [light; 4]
    }

    /// How far the pixel is away from the light.
    fn shadow_distance(&self, spot: &Spot, varyings: [f32; 3]) -> f32 {
        match self.key.kind {
            TextureKind::ShadowCube { .. } => varyings[spot.face / 2].abs(),
            _ => varyings[2].abs(),
        }
    }

    /// The weighted mean of what four texels say about `depth`.
    fn filtered_shadow(&self, spot: &Spot, depth: u32) -> u8 {
        const LIMIT: f32 = (1 << 20) as f32;
        let level = self.level(spot.face, 0);
        if level.width == 0 || level.height == 0 {
            return 0;
        }
        let [x, y] = [(spot.uv[0], level.width), (spot.uv[1], level.height)]
            .map(|(c, extent)| clamp(c * extent as f32 - 0.5, -LIMIT, LIMIT));
        let (i, j) = (x.floor(), y.floor());
        let (fx, fy) = (x - i, y - j);
        let (i, j) = (i as i32, j as i32);
        let light = |i, j| self.light(&level, i, j, depth);
        let low = light(i, j) * (1.0 - fx) + light(i + 1, j) * fx;
        let high = light(i, j + 1) * (1.0 - fx) + light(i + 1, j + 1) * fx;
        ((low * (1.0 - fy) + high * fy) * 255.0 + 0.5) as u8
    }

    /// How much light reaches `depth` at the texel (`i`, `j`), 0 to 1. All of it does outside of a map.
    fn light(&self, level: &Level<'_>, i: i32, j: i32, depth: u32) -> f32 {
        let (last_column, last_row) = (level.width as i32 - 1, level.height as i32 - 1);
        let (x, y) = (i.clamp(0, last_column), j.clamp(0, last_row));
        let cube = matches!(self.key.kind, TextureKind::ShadowCube { .. });
        if !cube && (x, y) != (i, j) {
            return 1.0;
        }
        let row = (last_row - y) as u32;
        let shade = Shade::of(texel::fetch(TexelFormat::Rgba8, level.texels, x as u32, row, level.width));
        if shade.depth <= depth { 0.0 } else { f32::from(shade.light) / 255.0 }
    }
}
