//! From registers to fragment lighting: which tables and factors apply, and their values.

use triglyph_guest::kernel::light_keys::LightKeys;
use triglyph_guest::kernel::lighting::{
    Bump, LightConstants, LightKey, LightingConstants, LightingKey, ShadowKey, Table, TableInput, TableKey,
};
use triglyph_guest::pica::regs::{self, BumpMode, LightInput, LightInputRange, LightScale, LightingConfig};

use crate::front_end::registers::Registers;

/// Vertex record slots of the quaternion.
pub(crate) const QUATERNION_SLOTS: [u8; 4] = [4, 5, 6, 7];
/// Vertex record slots of the view vector.
pub(crate) const VIEW_SLOTS: [u8; 3] = [18, 19, 20];

/// Whether fragment lighting is on: both switches are.
pub(crate) fn enabled(registers: &Registers) -> bool {
    regs::lighting_enable0::enable(registers.get(regs::lighting_enable0::ID))
        && !regs::lighting_disable::disable(registers.get(regs::lighting_disable::ID))
}

/// Whether a table exists in an environment configuration. Distance attenuation exists in all. (3dbrew: GPU/Fragment
/// Lighting.)
fn available(configuration: Option<LightingConfig>, table: Table) -> bool {
    use LightingConfig::*;
    let Some(configuration) = configuration else { return false };
    let tables: &[Table] = match configuration {
        Config0 => &[Table::D0, Table::Sp, Table::Rr],
        Config1 => &[Table::Sp, Table::Fr, Table::Rr],
        Config2 => &[Table::D0, Table::D1, Table::Rr],
        Config3 => &[Table::D0, Table::D1, Table::Fr],
        Config4 => &[Table::D0, Table::D1, Table::Sp, Table::Rb, Table::Rg, Table::Rr],
        Config5 => &[Table::D0, Table::Sp, Table::Fr, Table::Rb, Table::Rg, Table::Rr],
        Config6 => &[Table::D0, Table::D1, Table::Sp, Table::Fr, Table::Rr],
        Config7 => &Table::ALL,
    };
    tables.contains(&table)
}

/// The key; what does not apply is left out.
pub(crate) fn key(registers: &Registers) -> LightingKey {
    let config0 = registers.get(regs::lighting_config0::ID);
    let configuration = regs::lighting_config0::config(config0);
    let bump_unit = regs::lighting_config0::bump_texture(config0) as u8;
    let recalculate_z = !regs::lighting_config0::no_renormalize(config0);
    LightingKey {
        quaternion_slots: QUATERNION_SLOTS,
        view_slots: VIEW_SLOTS,
        lights: lights(registers, configuration),
        tables: Table::ALL.map(|table| table_key(registers, configuration, table)),
        bump: match regs::lighting_config0::bump_mode(config0) {
            Some(BumpMode::Normal) => Bump::Normal { unit: bump_unit, recalculate_z },
            Some(BumpMode::Tangent) => Bump::Tangent { unit: bump_unit, recalculate_z },
            _ => Bump::Off,
        },
        shadow: regs::lighting_config0::shadow(config0).then(|| ShadowKey {
            unit: regs::lighting_config0::shadow_texture(config0) as u8,
            invert: regs::lighting_config0::shadow_invert(config0),
            primary: regs::lighting_config0::shadow_primary(config0),
            secondary: regs::lighting_config0::shadow_secondary(config0),
            alpha: regs::lighting_config0::shadow_alpha(config0),
        }),
        clamp_highlights: regs::lighting_config0::clamp_highlights(config0),
        fresnel_primary: regs::lighting_config0::fresnel_primary(config0),
        fresnel_secondary: regs::lighting_config0::fresnel_secondary(config0),
    }
}

fn lights(registers: &Registers, configuration: Option<LightingConfig>) -> LightKeys {
    let config1 = registers.get(regs::lighting_config1::ID);
    let permutation = registers.get(regs::lighting_permutation::ID);
    let count = regs::lighting_num_lights::count_minus_1(registers.get(regs::lighting_num_lights::ID)) + 1;
    let off = |bits: u32, index: u32| bits & 1 << index != 0;
    (0..count)
        .map(|slot| permutation >> (4 * slot) & 7)
        .map(|index| {
            let config = registers.get(regs::light_config::id(index as usize));
            LightKey {
                index: index as u8,
                directional: regs::light_config::directional(config),
                two_sided: regs::light_config::two_sided(config),
                geometric0: regs::light_config::geometric0(config),
                geometric1: regs::light_config::geometric1(config),
                spot: available(configuration, Table::Sp) && !off(regs::lighting_config1::spot_off(config1), index),
                distance: !off(regs::lighting_config1::distance_off(config1), index),
                shadow: !off(regs::lighting_config1::shadow_off(config1), index),
            }
        })
        .collect()
}

fn table_key(registers: &Registers, configuration: Option<LightingConfig>, table: Table) -> Option<TableKey> {
    let config1 = registers.get(regs::lighting_config1::ID);
    // Which bit disables which reflection table is disputed; this is what the documentation and two of three
    // implementations have.
    let off = match table {
        Table::D0 => regs::lighting_config1::d0_off(config1),
        Table::D1 => regs::lighting_config1::d1_off(config1),
        Table::Fr => regs::lighting_config1::fr_off(config1),
        Table::Rb => regs::lighting_config1::rb_off(config1),
        Table::Rg => regs::lighting_config1::rg_off(config1),
        Table::Rr => regs::lighting_config1::rr_off(config1),
        Table::Sp => false,
    };
    if off || !available(configuration, table) {
        return None;
    }
    // Inputs, scales and the absolute bits are in one nibble per table, in this order.
    let nibble = match table {
        Table::D0 => 0,
        Table::D1 => 4,
        Table::Sp => 8,
        Table::Fr => 12,
        Table::Rb => 16,
        Table::Rg => 20,
        Table::Rr => 24,
    };
    Some(TableKey {
        // One configuration alone has the angle phi (hardware test).
        input: LightInput::from_register(registers.get(regs::lighting_lutinput_select::ID) >> nibble & 7)
            .filter(|input| *input != LightInput::CosPhi || configuration == Some(LightingConfig::Config7))
            .map_or(TableInput::Zero, TableInput::from),
        absolute: registers.get(regs::lighting_lutinput_abs::ID) >> (nibble + 1) & 1
            == LightInputRange::Absolute.bits(),
        scale: LightScale::from_register(registers.get(regs::lighting_lut_scale::ID) >> nibble & 7)
            .map_or(0, LightScale::exponent),
    })
}

/// The values.
pub(crate) fn constants(registers: &Registers) -> LightingConstants {
    let mut lights = [LightConstants::default(); 8];
    for (index, light) in lights.iter_mut().enumerate() {
        let word = |id: fn(usize) -> usize| registers.get(id(index));
        let (xy, spot) = (word(regs::light_xy::id), word(regs::light_spotdir_xy::id));
        let direction = |v: i32| v as f32 / 2047.0;
        *light = LightConstants {
            specular0: color(word(regs::light_specular0::id)),
            specular1: color(word(regs::light_specular1::id)),
            diffuse: color(word(regs::light_diffuse::id)),
            ambient: color(word(regs::light_ambient::id)),
            position: [regs::light_xy::x(xy), regs::light_xy::y(xy), regs::light_z::z(word(regs::light_z::id))],
            spot: [
                direction(regs::light_spotdir_xy::x(spot)),
                direction(regs::light_spotdir_xy::y(spot)),
                direction(regs::light_spotdir_z::z(word(regs::light_spotdir_z::id))),
            ],
            distance_scale: regs::light_dist_scale::value(word(regs::light_dist_scale::id)),
            distance_bias: regs::light_dist_bias::value(word(regs::light_dist_bias::id)),
        };
    }
    LightingConstants { ambient: color(registers.get(regs::lighting_ambient::ID)), lights }
}

/// Fields of ten bits, 255 = 1.0.
fn color(word: u32) -> [f32; 3] {
    [word >> 20, word >> 10, word].map(|channel| (channel & 0x3FF) as f32 / 255.0)
}
