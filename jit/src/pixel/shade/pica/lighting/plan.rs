//! What of a lighting key matters: textures, cost.

use triglyph_guest::kernel::lighting::{Bump, LightingKey};

use crate::pixel::plan::used_channels::UsedChannels;

/// Texture units that lighting reads, and their channels.
pub fn textures(key: &LightingKey, need: [UsedChannels; 2]) -> Vec<(u8, UsedChannels)> {
    let mut units = Vec::new();
    if !(need[0].any() || need[1].any()) {
        return units;
    }
    if let Bump::Normal { unit, .. } | Bump::Tangent { unit, .. } = key.bump {
        units.push((unit & 3, UsedChannels { color: true, alpha: false }));
    }
    if let Some(shadow) = &key.shadow {
        units.push((shadow.unit & 3, UsedChannels { color: shadow.primary || shadow.secondary, alpha: shadow.alpha }));
    }
    units
}

/// Estimated cost of a quad, in guest instructions.
pub fn weigh(key: &LightingKey) -> u32 {
    let tables = key.tables.iter().flatten().count() as u32;
    40 + key.lights.iter().map(|light| 30 + 10 * (tables + u32::from(light.distance))).sum::<u32>()
}
