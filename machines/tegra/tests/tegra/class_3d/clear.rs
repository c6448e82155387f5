//! Clears of the Tegra X1's 3D class.

use crate::support::DATA;
use crate::support::threed::*;
use triglyph_guest::layout::surface::block_linear;
use triglyph_guest::tegra::methods::threed::regs as r;

const COLORS: u32 = 15 << 2;

/// Registers, the datum of the clear, how many pixels it touches and their result.
type Case<'r> = (&'r [(usize, u32)], u32, usize, [u8; 4]);

#[test]
fn components_rectangles_and_scissors_count() {
    let cases: [Case<'_>; 5] = [
        (&[], COLORS, 64 * 64, [255, 127, 0, 51]),
        (&[], 1 << 3 | 1 << 5, 64 * 64, [0, 127, 0, 51]),
        (
            &[
                (r::set_clear_rect_horizontal::ID, 62 << 16),
                (r::set_clear_surface_control::ID, 1 << 4),
                (r::set_clear_rect_vertical::ID, 60 | 99 << 16),
            ],
            COLORS,
            62 * 4,
            [255, 127, 0, 51],
        ),
        (
            &[
                (r::set_scissor_enable::id(0), 1),
                (r::set_scissor_vertical::id(0), 60 | 64 << 16),
                (r::set_clear_surface_control::ID, 1 << 8),
            ],
            COLORS,
            64 * 4,
            [255, 127, 0, 51],
        ),
        // Masks of colours do not count.
        (&[(r::set_ct_write::id(0), 0)], COLORS, 64 * 64, [255, 127, 0, 51]),
    ];
    for (registers, word, pixels, expected) in cases {
        let mut m = ready();
        m.threed(
            &[1.0f32, 0.5, -3.0, 0.2]
                .map(f32::to_bits)
                .iter()
                .enumerate()
                .map(|(i, &v)| (r::set_color_clear_value::id(i), v))
                .collect::<Vec<_>>(),
        );
        m.threed(registers);
        m.threed(&[(r::clear_surface::ID, word)]);
        assert_eq!((covered(&mut m), pixel(&mut m, 1, 61)), (pixels, expected), "{registers:x?}");
        m.expect_no_faults();
    }
}

#[test]
fn a_clear_names_targets_that_draws_do_not_use() {
    const SECOND: u64 = 0x11_0000;
    let mut m = ready();
    m.threed(&[
        (r::set_color_target_b::id(1), (DATA + SECOND) as u32),
        (r::set_color_target_width::id(1), 4 * EDGE),
        (r::set_color_target_height::id(1), EDGE / 2),
        (r::set_color_target_format::id(1), 0xD5),
        (r::set_color_target_memory::id(1), 1 << 12),
        (r::set_color_target_third_dimension::id(1), 1),
        (r::set_color_clear_value::id(0), 1f32.to_bits()),
        (r::set_color_clear_value::id(3), 1f32.to_bits()),
        // Draws use the first one alone.
        (r::set_ct_select::ID, 1),
        (r::clear_surface::ID, COLORS | 1 << 6),
        // The third has no format, and there is no ninth.
        (r::set_color_target_format::id(2), 0),
        (r::clear_surface::ID, COLORS | 2 << 6),
        (r::clear_surface::ID, COLORS | 8 << 6),
    ]);
    assert_eq!(covered(&mut m), 0);
    let second = m.read(SECOND, (4 * EDGE * EDGE) as usize);
    let (inside, outside) = second.split_at((4 * EDGE * EDGE / 2) as usize);
    assert!(inside.chunks_exact(4).all(|pixel| *pixel == [255, 0, 0, 255]));
    assert!(outside.iter().all(|&byte| byte == 0));
    m.expect_no_faults();
}

#[test]
fn formats_of_all_kinds_are_stored() {
    let float = |v: [f32; 4]| v.map(f32::to_bits);
    let cases: [(u32, [u32; 4], &[u8]); 14] = [
        (0xC0, float([1.0, 2.0, 3.0, 4.0]), &[0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40]),
        // Floats are cut; what is too large is the largest number.
        (0xCA, float([1.0, -2.0, 0.6, 65536.0]), &[0, 0x3C, 0, 0xC0, 0xCC, 0x38, 0xFF, 0x7B]),
        (0xCA, [0xFFFF_FFA8, 0x7FFF_FFFF, 0xFF80_0000, 0xB57D_FFFF], &[0xFF, 0xFF, 0xFF, 0x7F, 0, 0xFC, 0x0F, 0x80]),
        // A tie goes down.
        (0xCF, float([1.0, 0.0, 0.5, 1.0]), &[127, 0, 255, 255]),
        (0xD5, float([0.3, 0.501, 1.5, -1.0]), &[76, 128, 255, 0]),
        (0xEE, float([0.5, 0.0, 0.0, 0.0]), &[0xFF, 0x7F]),
        (0xDA, float([0.5, 0.7, 0.0, 0.0]), &[0xFF, 0x7F, 0x32, 0xB3]),
        (0xEF, float([0.5, 0.0, 0.0, 0.0]), &[0xFF, 0x3F]),
        (0xDB, float([1.0, -1.0, 0.0, 0.0]), &[0xFF, 0x7F, 0x01, 0x80]),
        (0xE8, float([1.0, 0.0, 1.0, 0.0]), &[0x1F, 0xF8]),
        (0xD9, [1, 2, 300, 4], &[1, 2, 255, 4]),
        (0xD8, [-1i32 as u32, -300i32 as u32, 3, 4], &[255, 128, 3, 4]),
        (0xE0, float([1.0, 2.0, -1.0, 0.0]), &[0xC0, 0x03, 0x20, 0x00]),
        (0xD6, float([0.5, 0.0, 1.0, 0.5]), &[188, 0, 255, 127]),
    ];
    for (format, value, expected) in cases {
        let mut m = ready();
        let bytes = expected.len() as u32;
        m.threed(&value.iter().enumerate().map(|(i, &v)| (r::set_color_clear_value::id(i), v)).collect::<Vec<_>>());
        m.threed(&[
            (r::set_color_target_format::id(0), format),
            (r::set_color_target_width::id(0), bytes * EDGE),
            (r::clear_surface::ID, COLORS),
        ]);
        assert_eq!(m.read(TARGET + u64::from(bytes * (EDGE + 3)), expected.len()), expected, "{format:#x}");
        m.expect_no_faults();
    }
}

#[test]
fn depth_and_stencil_stand_in_blocks() {
    let mut m = ready();
    let at = (DATA + DEPTH) as u32;
    m.threed(&[
        (r::set_zt_b::ID, at),
        (r::set_zt_format::ID, 0x14),
        (r::set_zt_block_size::ID, 1 << 4),
        (r::set_zt_size_a::ID, EDGE),
        (r::set_zt_size_b::ID, EDGE),
        (r::set_zt_size_c::ID, 1 | 1 << 16),
        (r::set_zt_select::ID, 1),
        (r::set_z_clear_value::ID, 1f32.to_bits()),
        (r::set_stencil_clear_value::ID, 0x5A),
        (r::clear_surface::ID, 3),
    ]);
    assert_eq!(m.words::<1>(DEPTH + block_linear(4 * 17, 21, 4, 1)), [0xFFFF_FF5A]);
    m.threed(&[
        (r::set_stencil_clear_value::ID, 0xFF),
        (r::set_stencil_mask::ID, 0x0F),
        (r::set_clear_surface_control::ID, 1),
        (r::clear_surface::ID, 2),
    ]);
    assert_eq!(m.words::<1>(DEPTH + block_linear(4 * 17, 21, 4, 1)), [0xFFFF_FF5F]);
    m.expect_no_faults();
}
