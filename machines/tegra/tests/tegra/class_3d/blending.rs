//! Blending on the Tegra X1: what is blended, and with which state.

use crate::support::Machine;
use crate::support::threed::*;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

const ONE: u32 = 2;
const ZERO: u32 = 1;
const SOURCE_ALPHA: u32 = 5;
const INVERSE_SOURCE_ALPHA: u32 = 6;

/// Draws the whole target in a colour.
fn fill(m: &mut Machine, color: [f32; 4]) {
    vertices(m, &rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, color));
    draw(m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
}

/// What `source` over `destination` leaves of a channel of so many bits.
fn over(source: f32, alpha: f32, destination: u32, bits: u32) -> u32 {
    let max = f64::from((1u32 << bits) - 1);
    let value = f64::from(source) * f64::from(alpha) + f64::from(destination) / max * (1.0 - f64::from(alpha));
    (value * max).round() as u32
}

#[test]
fn targets_store_what_a_console_stores() {
    let bytes = |values: [u16; 4]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    // RF16_GF16_BF16_AF16, A8B8G8R8, R16_G16, RN16_GN16 with the values of nxgputests and nxgpucatch.
    let cases: [(u32, [f32; 4], Vec<u8>); 5] = [
        (0xCA, [0.2, 0.4, 0.6, 0.8], bytes([0x3266, 0x3666, 0x38CC, 0x3A66])),
        (0xCA, [-1.1e9, 1.06e9, 0.8934, -0.3432], bytes([0xFBFF, 0x7BFF, 0x3B25, 0xB57D])),
        (0xD5, [0.2, 0.8, 0.3, 0.5], vec![51, 204, 76, 127]),
        (0xDA, [0.5, 1.0, 0.0, 0.0], vec![0xFF, 0x7F, 0xFF, 0xFF]),
        (0xDB, [0.5, -1.0, 0.0, 0.0], vec![0xFF, 0x3F, 0x01, 0x80]),
    ];
    for (format, color, expected) in cases {
        let mut m = ready();
        let width = expected.len() as u32 * EDGE;
        m.threed(&[(r::set_color_target_format::id(0), format), (r::set_color_target_width::id(0), width)]);
        fill(&mut m, color);
        let at = TARGET + u64::from(3 * width) + 8 * expected.len() as u64;
        assert_eq!(m.read(at, expected.len()), expected, "{format:#x}");
    }
}

#[test]
fn sources_keep_their_precision_in_small_targets() {
    let source = [0.93f32, 0.31, 0.62, 0.3];
    // Format, bytes, and the place and bits of red, green, blue and alpha: A1R5G5B5, A2B10G10R10, R5G6B5.
    let formats: [(u32, u32, &[[u32; 2]]); 3] = [
        (0xE9, 2, &[[10, 5], [5, 5], [0, 5], [15, 1]]),
        (0xD1, 4, &[[0, 10], [10, 10], [20, 10], [30, 2]]),
        (0xE8, 2, &[[11, 5], [5, 6], [0, 5]]),
    ];
    for (format, bytes, channels) in formats {
        let mut m = ready();
        let stored = 0x5A39_C36B_u32;
        let word = if bytes == 2 { stored & 0xFFFF } else { stored };
        m.write(TARGET, &stored.to_le_bytes()[..bytes as usize].repeat(64 * 64));
        m.threed(&[
            (r::set_color_target_format::id(0), format),
            (r::set_color_target_width::id(0), bytes * EDGE),
            (r::set_blend::id(0), 1),
            (r::set_blend_color_source_coeff::ID, SOURCE_ALPHA),
            (r::set_blend_color_dest_coeff::ID, INVERSE_SOURCE_ALPHA),
            (r::set_blend_alpha_source_coeff::ID, SOURCE_ALPHA),
            (r::set_blend_alpha_dest_coeff::ID, INVERSE_SOURCE_ALPHA),
        ]);
        fill(&mut m, source);
        let got = m.words::<1>(TARGET + u64::from(bytes * (3 * EDGE + 8)))[0];
        for (channel, &[shift, bits]) in channels.iter().enumerate() {
            let mask = (1 << bits) - 1;
            let expected = over(source[channel], source[3], word >> shift & mask, bits);
            assert_eq!(got >> shift & mask, expected, "{format:#x}, channel {channel}");
        }
    }
}

#[test]
fn sources_of_normalised_targets_are_clamped() {
    // A8B8G8R8 takes 0 to 1 into the equation, so that 1.5 with a factor of 0.5 is 127 and not 191.
    let mut m = ready();
    let half = 0.5f32.to_bits();
    m.threed(&[
        (r::set_blend::id(0), 1),
        (r::set_blend_color_source_coeff::ID, 0xE),
        (r::set_blend_color_dest_coeff::ID, ZERO),
        (r::set_blend_const_red::ID, half),
        (r::set_blend_const_green::ID, half),
        (r::set_blend_const_blue::ID, half),
    ]);
    fill(&mut m, [1.5, -1.0, 0.5, 1.0]);
    assert_eq!(pixel(&mut m, 4, 4), [127, 0, 64, 0]);
}

#[test]
fn targets_have_states_of_alpha_from_the_start() {
    // What the separate flag of a target holds before it is written.
    let mut m = ready();
    m.write(TARGET, &[10, 20, 30, 40].repeat(64 * 64));
    m.threed(&[
        (r::set_blend_state_per_target::ID, 1),
        (r::set_blend::id(0), 1),
        (r::set_blend_per_target_color_source_coeff::id(0), ONE),
        (r::set_blend_per_target_color_dest_coeff::id(0), ZERO),
        (r::set_blend_per_target_alpha_source_coeff::id(0), ZERO),
        (r::set_blend_per_target_alpha_dest_coeff::id(0), ONE),
    ]);
    fill(&mut m, [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(pixel(&mut m, 4, 4), [255, 0, 255, 40]);
    m.threed(&[(r::set_blend_per_target_separate_for_alpha::id(0), 0)]);
    fill(&mut m, [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(pixel(&mut m, 4, 4), [255, 0, 255, 255]);
}
