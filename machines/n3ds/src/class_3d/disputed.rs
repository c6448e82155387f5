//! Tests of what registers mean where sources disagree. `docs/reference/3ds.md` lists them by name.

use triglyph_guest::format::{PixelFormat, TexelFormat};
use triglyph_guest::kernel::lighting::{self, Table, TableInput};
use triglyph_guest::kernel::pixel::{ShadowForm, TextureKind};
use triglyph_guest::kernel::procedural;
use triglyph_guest::pica::{external, regs};

use super::state::procedural_tables::ProceduralTables;
use super::state::{self, texture};
use crate::N3ds;
use crate::front_end::registers::{self, Registers};
use crate::front_end::upload::fog_entry;
use triglyph_engine::cache::TierMode;
use triglyph_options::Options;

fn with(changes: &[(usize, u32)]) -> Registers {
    let registers = registers::at_reset();
    changes.iter().for_each(|&(id, value)| registers.set(id, value));
    registers
}

/// All tables exist in configuration 7, register value 8.
const ALL: (usize, u32) = (regs::lighting_config0::ID, 8 << 4);

#[test]
fn reflection_tables_are_disabled_by_the_documented_bits() {
    for (bit, table) in
        [(16, Table::D0), (17, Table::D1), (19, Table::Fr), (20, Table::Rb), (21, Table::Rg), (22, Table::Rr)]
    {
        let key = state::lighting::key(&with(&[ALL, (regs::lighting_config1::ID, 1 << bit)]));
        let off: Vec<Table> =
            Table::ALL.into_iter().zip(&key.tables).filter(|(_, key)| key.is_none()).map(|(table, _)| table).collect();
        assert_eq!(off, [table]);
    }
}

#[test]
fn light_colors_have_ten_bits() {
    let word = 268 << 20 | 255 << 10 | 1023;
    let constants = state::lighting::constants(&with(&[(regs::light_diffuse::id(2), word)]));
    assert_eq!(constants.lights[2].diffuse, [268.0 / 255.0, 1.0, 1023.0 / 255.0]);
}

#[test]
fn absolute_table_inputs_are_the_cleared_bits() {
    let key = state::lighting::key(&with(&[ALL, (regs::lighting_lutinput_abs::ID, 1 << 1 | 1 << 13)]));
    for (table, key) in Table::ALL.into_iter().zip(key.tables) {
        assert_eq!(key.unwrap().absolute, !matches!(table, Table::D0 | Table::Fr), "{table:?}");
    }
}

#[test]
fn cos_phi_exists_in_configuration_7_only() {
    for (configuration, expected) in [(8, TableInput::CosPhi), (0, TableInput::Zero), (4, TableInput::Zero)] {
        let config = (regs::lighting_config0::ID, configuration << 4);
        let key = state::lighting::key(&with(&[config, (regs::lighting_lutinput_select::ID, 5)]));
        let d0 = Table::ALL.into_iter().zip(key.tables).find(|(table, _)| *table == Table::D0).unwrap().1;
        assert_eq!(d0.unwrap().input, expected, "{configuration}");
    }
}

#[test]
fn differences_are_stored_in_three_ways() {
    let negative = 0x80_0000;
    // Light tables: sign and magnitude.
    assert_eq!(lighting::decode_entry(negative | 1 << 12 | 4095), [1.0, -1.0 / 2047.0]);
    // Fog and the procedural maps: two's complement.
    assert_eq!(fog_entry(2047 << 13 | 0x1FFF), [1.0, -1.0 / 2047.0]);
    assert_eq!(fog_entry(0x1000), [0.0, -4096.0 / 2047.0]);
    assert_eq!(procedural::decode_entry(0xFF_F000 | 4095), [1.0, -1.0 / 4095.0]);
    // Procedural colours: halves.
    let mut tables = ProceduralTables::default();
    tables.store(5, 9, 0x0102_03FF);
    let data = tables.share(state::procedural::Values::of(&with(&[])));
    assert_eq!(data.difference[9], [-2.0, 6.0, 4.0, 2.0]);
}

#[test]
fn shadow_maps_are_filtered() {
    let registers = |kind: u32| {
        with(&[
            (regs::tex_config::ID, 1),
            (regs::tex_param::IDS[0], kind << 28),
            (regs::tex_addr::IDS[0], 0x1000),
            (regs::tex_dim::IDS[0], 8 << 16 | 8),
        ])
    };
    for (kind, expected) in [
        (2, TextureKind::Shadow { perspective: true, form: ShadowForm::Filtered }),
        (4, TextureKind::ShadowCube { form: ShadowForm::Filtered }),
    ] {
        assert_eq!(texture::Unit::new(&registers(kind), 0).key.kind, expected);
    }
}

#[test]
fn faces_of_cubes_share_the_upper_bits_of_the_first() {
    let low = [0x11_1111, 0x3F_FFFF, 0, 1, 0x20_0000];
    let registers = with(&[
        (regs::tex_config::ID, 1),
        (regs::tex_param::IDS[0], 1 << 28),
        (regs::tex_addr::IDS[0], 0x0455_5555),
        (regs::tex_dim::IDS[0], 8 << 16 | 8),
    ]);
    for (id, low) in regs::tex0_face_addr::IDS.into_iter().zip(low) {
        registers.set(id, low);
    }
    let source = texture::Unit::new(&registers, 0).source.unwrap();
    assert_eq!(source.faces[0], 0x0455_5555 << 3);
    assert_eq!(source.faces[1..], low.map(|low| (0x0440_0000 | low) << 3));
    assert_eq!(source.face_count, 6);
}

#[test]
fn levels_and_offsets_of_procedural_textures() {
    // The first four offsets are set, the others are fixed.
    let values = state::procedural::Values::of(&with(&[(regs::proctex5::ID, 0x0403_0201)]));
    let data = ProceduralTables::default().share(values);
    assert_eq!(data.offset, [1, 2, 3, 4, 0xF0, 0xF8, 0xFC, 0xFE]);
    let key = |filter: u32| state::procedural::key(&with(&[(regs::proctex4::ID, filter)]));
    assert!(key(1).mipmap.is_none() && key(4).mipmap.is_some());
}

/// A machine, and writes to its registers as register calls do them.
fn written(writes: &[(usize, u32)]) -> N3ds {
    let options = Options::new(TierMode::InterpreterOnly, 1);
    let mut machine = N3ds::new(&options).unwrap();
    machine.with_gsp(|_, hardware| {
        for &(id, value) in writes {
            hardware.write_register(0x40_1000 + 4 * id as u32, value);
        }
    });
    machine
}

#[test]
fn uploads_reach_the_geometry_unit_while_it_has_no_program_of_its_own() {
    let uploads = [
        (regs::vsh_code_index::ID, 3),
        (regs::vsh_code_data::ID, 0x55),
        (regs::vsh_opdesc_index::ID, 4),
        (regs::vsh_opdesc_data::ID, 0x66),
        (regs::vsh_bool::ID, 0x77),
        (regs::vsh_int::ID, 0x0102_0304),
        (regs::vsh_outmap_mask::ID, 0x88),
        (regs::vsh_float_index::ID, 1 << 31 | 5),
        (regs::vsh_float_data::ID, 1.0f32.to_bits()),
        (regs::vsh_float_data::id(1), 2.0f32.to_bits()),
        (regs::vsh_float_data::id(2), 3.0f32.to_bits()),
        (regs::vsh_float_data::id(3), 4.0f32.to_bits()),
        (regs::vsh_entry::ID, 9),
        (regs::vsh_perm_lo::ID, 0x10),
    ];
    for (setting, mirrored) in [
        ((regs::vsh_com_mode::ID, 0), true),
        ((regs::vsh_com_mode::ID, 1), false),
        ((regs::geostage_config::ID, 2), false),
    ] {
        let mut machine = written(&[&[setting][..], &uploads].concat());
        let pica = &mut machine.core.pica;
        for (unit, present) in [(&mut pica.vertex_unit, true), (&mut pica.geometry_unit, mirrored)] {
            let program = unit.program(0);
            assert_eq!(program.code.get(3) == Some(&0x55), present);
            assert_eq!(program.descriptors.get(4) == Some(&0x66), present);
            assert_eq!((unit.bools == 0x77, unit.uniforms.ints[0] == [4, 3, 2, 1]), (present, present));
            assert_eq!(unit.uniforms.floats[5] == [4.0, 3.0, 2.0, 1.0], present);
        }
        assert_eq!(pica.registers.get(regs::gsh_outmap_mask::ID) == 0x88, mirrored);
        // Entry point and permutation are never mirrored.
        assert_eq!(pica.registers.get(regs::gsh_entry::ID), regs::RESET[regs::gsh_entry::ID]);
        assert_eq!(pica.registers.get(regs::gsh_perm_lo::ID), regs::RESET[regs::gsh_perm_lo::ID]);
    }
}

#[test]
fn formats_two_and_three_depend_on_who_reads_them() {
    let texels = [2, 3].map(|n| regs::TextureFormat::from_register(n).map(TexelFormat::from));
    assert_eq!(texels, [Some(TexelFormat::Rgb5A1), Some(TexelFormat::Rgb565)]);
    let transfers = [2, 3].map(|n| external::TransferFormat::from_register(n).map(PixelFormat::from));
    assert_eq!(transfers, [Some(PixelFormat::Rgb565), Some(PixelFormat::Rgb5A1)]);
}

#[test]
fn code_beyond_the_vertex_units_reaches_the_geometry_unit_by_its_own_port_only() {
    for (index, data, words) in [
        (regs::vsh_code_index::ID, regs::vsh_code_data::ID, 511),
        (regs::gsh_code_index::ID, regs::gsh_code_data::ID, 4095),
    ] {
        let mut machine = written(&[(index, words), (data, 0x55), (data, 0x66), (index, words - 1), (data, 0x77)]);
        let pica = &mut machine.core.pica;
        assert_eq!(pica.registers.get(index), words);
        let code = &pica.geometry_unit.program(0).code;
        assert_eq!(code[words as usize - 1..], [0x77, 0x55]);
    }
}

#[test]
fn table_indices_count_up_where_they_can_be_read() {
    let machine = written(&[
        (regs::fog_lut_index::ID, 0xFFFF_FFFF),
        (regs::fog_lut_data::IDS[0], 1),
        (regs::lighting_lut_index::ID, 0x3FF),
        (regs::lighting_lut_data::IDS[3], 2),
        (regs::proctex_lut_index::ID, 0x4FF),
        (regs::proctex_lut_data::IDS[0], 3),
        (regs::gas_lut_index::ID, 0xFFFF_FFFF),
        (regs::gas_lut_data::ID, 4),
    ]);
    let pica = &machine.core.pica;
    assert_eq!(
        (pica.fog_raw[127], pica.light_tables.words()[3][255], pica.procedural_tables.words()[4][255]),
        (1, 2, 3)
    );
    assert_eq!(pica.gas_table[15], 4);
    let ids =
        [regs::fog_lut_index::ID, regs::lighting_lut_index::ID, regs::proctex_lut_index::ID, regs::gas_lut_index::ID];
    assert_eq!(ids.map(|id| pica.registers.get(id) & 0xFFFF), [0, 0x300, 0x400, 0]);
}
