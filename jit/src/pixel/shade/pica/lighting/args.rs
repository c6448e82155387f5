//! Arguments of fragment lighting.

use std::mem::offset_of;

use bytemuck::Zeroable;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::light_keys::LIGHTS;
use triglyph_guest::kernel::lighting::{LightConstants, LightTables, LightingConstants, LightingKey};

/// One value in all lanes.
type Vec4 = [f32; 4];

/// The unit's arguments; lights that the key does not have are not read.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct LightingArgs {
    /// All tables, one after another.
    pub tables: *const [f32; 2],
    pub ambient: [Vec4; 3],
    pub lights: [LightArgs; LIGHTS],
}

/// A light's arguments.
#[repr(C)]
#[derive(Clone, Copy, Zeroable)]
pub struct LightArgs {
    pub specular0: [Vec4; 3],
    pub specular1: [Vec4; 3],
    pub diffuse: [Vec4; 3],
    pub ambient: [Vec4; 3],
    /// The position; of a directional light the direction, of length 1.
    pub position: [Vec4; 3],
    pub spot: [Vec4; 3],
    pub distance_scale: Vec4,
    pub distance_bias: Vec4,
    /// Length of a directional light's direction.
    pub distance: Vec4,
}

impl LightingArgs {
    /// Translates the unit's values.
    pub fn fill(
        &mut self,
        key: &LightingKey,
        data: Option<(&LightingConstants, &LightTables)>,
    ) -> Result<(), Unsupported> {
        let (constants, tables) = data.ok_or(Unsupported("no light tables"))?;
        for (args, light) in self.lights.iter_mut().zip(&*key.lights) {
            let constants = &constants.lights[usize::from(light.index & 7)];
            *args = LightArgs::new(constants, light.directional);
        }
        self.tables = tables.as_flattened().as_ptr();
        self.ambient = splat(constants.ambient);
        Ok(())
    }
}

impl LightArgs {
    fn new(c: &LightConstants, directional: bool) -> Self {
        let [x, y, z] = c.position;
        let length2 = (x * x + y * y) + z * z;
        let distance = length2.sqrt();
        let position = match directional && length2 != 0.0 {
            true => c.position.map(|v| v * (1.0 / distance)),
            false => c.position,
        };
        LightArgs {
            specular0: splat(c.specular0),
            specular1: splat(c.specular1),
            diffuse: splat(c.diffuse),
            ambient: splat(c.ambient),
            position: splat(position),
            spot: splat(c.spot),
            distance_scale: [c.distance_scale; 4],
            distance_bias: [c.distance_bias; 4],
            distance: [distance; 4],
        }
    }
}

fn splat(vector: [f32; 3]) -> [Vec4; 3] {
    vector.map(|v| [v; 4])
}

/// Offset of a field of light `light` among the arguments of the unit.
pub fn light_at(light: usize, field: usize) -> i32 {
    (offset_of!(LightingArgs, lights) + light * size_of::<LightArgs>() + field) as i32
}
