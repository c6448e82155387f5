//! Arguments of the procedural texture.

use bytemuck::Zeroable;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::procedural::{ProceduralData, ProceduralKey};

/// Largest level.
pub(super) const LAST_LEVEL: f32 = 7.0;

/// The unit's arguments.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct ProceduralArgs {
    /// The tables.
    pub data: *const ProceduralData,
    /// Colours of each level less 1.
    pub last: [f32; 8],
    /// First colour of each level.
    pub offset: [u32; 8],
    /// Last colour and first colour of level 0.
    pub first_last: [f32; 4],
    pub first_offset: [u32; 4],
    pub amplitude: [[f32; 4]; 2],
    pub phase: [[f32; 4]; 2],
    /// Nine times the frequency.
    pub frequency: [[f32; 4]; 2],
    /// |width * bias|
    pub lod_scale: [f32; 4],
    pub lod_min: [f32; 4],
    pub lod_max: [f32; 4],
    /// The largest level, independent of the clamp of the level of detail.
    pub last_level: [i32; 4],
}

impl ProceduralArgs {
    /// Checks and translates the unit's data.
    pub fn new(key: &ProceduralKey, data: Option<&ProceduralData>) -> Result<Self, Unsupported> {
        let data = data.ok_or(Unsupported("no procedural texture"))?;
        let whole = |v: f32| v == v.floor() && (0.0..=LAST_LEVEL).contains(&v);
        if key.mipmap.is_some() && !data.lod.into_iter().all(whole) {
            return Err(Unsupported("levels of a procedural texture"));
        }
        if data.width > 1 << 16 {
            return Err(Unsupported("a wide procedural texture"));
        }
        let last = std::array::from_fn(|level| ((data.width >> level).max(1) - 1) as f32);
        // Without a bias the level is 0 before the clamp.
        let [min, max] = data.lod;
        let (low, high) = if data.bias == 0.0 { (min.min(max), min.min(max)) } else { (min, max) };
        Ok(ProceduralArgs {
            data,
            last,
            offset: data.offset,
            first_last: [last[0]; 4],
            first_offset: [data.offset[0]; 4],
            amplitude: data.amplitude.map(|v| [v; 4]),
            phase: data.phase.map(|v| [v; 4]),
            frequency: data.frequency.map(|v| [9.0 * v; 4]),
            lod_scale: [(data.width as f32 * data.bias).abs(); 4],
            lod_min: [low; 4],
            lod_max: [high; 4],
            last_level: [max as i32; 4],
        })
    }
}
