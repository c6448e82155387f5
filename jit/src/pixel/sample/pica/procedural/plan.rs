//! Analysis of a procedural texture's key.

use triglyph_guest::kernel::procedural::{Clamp, Combine, ProceduralKey, Shift};

use crate::pixel::plan::used_channels::UsedChannels;

/// The results of the unit that are read.
#[derive(Clone, Copy)]
pub(super) struct Uses {
    /// The colours: red, green, blue, or alpha when it is not separate.
    pub color: bool,
    /// Separate alpha.
    pub alpha: Option<Combine>,
    /// The coordinates that maps are functions of.
    pub axes: [bool; 2],
}

impl Uses {
    pub fn new(key: &ProceduralKey, need: UsedChannels) -> Self {
        let color = need.color || need.alpha && key.alpha_map.is_none();
        let alpha = key.alpha_map.filter(|_| need.alpha);
        let mut axes = [false; 2];
        for map in color.then_some(key.rgb_map).into_iter().chain(alpha) {
            let [u, v] = match map {
                Combine::U | Combine::U2 => [true, false],
                Combine::V | Combine::V2 => [false, true],
                _ => [true, true],
            };
            axes = [axes[0] | u, axes[1] | v];
        }
        Uses { color, alpha, axes }
    }

    /// The varyings that these results depend on.
    pub fn varyings(&self, key: &ProceduralKey) -> [bool; 2] {
        let all = key.noise && self.axes != [false; 2] || self.levels(key);
        let shifts = |axis: usize| self.axes[axis] && key.shift[axis] != Shift::None;
        [all || self.axes[0] || shifts(1), all || self.axes[1] || shifts(0)]
    }

    /// Whether the level of detail has an effect.
    pub fn levels(&self, key: &ProceduralKey) -> bool {
        self.color && key.mipmap.is_some()
    }
}

/// The slots that are interpolated, and those whose derivatives are wanted as well.
pub fn slots(key: &ProceduralKey, need: UsedChannels) -> (Vec<u8>, Vec<u8>) {
    let uses = Uses::new(key, need);
    let varyings = uses.varyings(key);
    let used = (0..2).filter(|&axis| varyings[axis]).map(|axis| key.coordinates[axis]).collect();
    (used, if uses.levels(key) { key.coordinates.to_vec() } else { Vec::new() })
}

/// Whether the colour is the same in all of a primitive whose coordinates are, but for jumps of the tables: nothing
/// else jumps between two coordinates, or grows and shrinks.
pub fn may_be_flat(key: &ProceduralKey, need: UsedChannels) -> bool {
    let uses = Uses::new(key, need);
    let grows = |axis: usize| key.clamp[axis] == Clamp::Edge && key.shift[axis] == Shift::None;
    !key.noise && !uses.levels(key) && (0..2).all(|axis| !uses.axes[axis] || grows(axis))
}

/// Estimated cost of a quad, in guest instructions.
pub fn weigh(key: &ProceduralKey) -> u32 {
    let mut size = 30 + if key.linear { 10 } else { 5 };
    size += if key.noise { 80 } else { 0 };
    size += if key.alpha_map.is_some() { 15 } else { 0 };
    size + if key.mipmap.is_some() { 40 } else { 0 }
}
