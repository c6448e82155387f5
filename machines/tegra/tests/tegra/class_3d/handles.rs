//! Textures whose handles pixel programs make of constants, or find in a constant buffer as they run.

use crate::support::threed::*;
use crate::support::{DATA, Machine};
use triglyph_guest::tegra::header::{sampler, texture};
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

const POOL: u64 = 0x5_0000;
const SAMPLERS: u64 = 0x5_1000;
const TEXELS: u64 = 0x6_0000;
/// The slot of the pixel program's constants, at [`CONSTANTS`]; no buffer of handles is bound.
const SLOT: u32 = 3;
const WHITE: [f32; 4] = [1.0; 4];

/// A machine with eight textures of one texel, red 10 times their number, and these constants.
fn ready_with(constants: &[u32]) -> Machine {
    let mut m = ready();
    for number in 0..8u64 {
        m.write(TEXELS + 0x100 * number, &[10 * number as u8, 0, 0, 255]);
        m.write(POOL + 32 * number, &texture_header(TEXELS + 0x100 * number, 1).map(u32::to_le_bytes).concat());
    }
    texture_pools(&mut m, POOL, SAMPLERS, 7);
    m.threed(&[
        (r::set_constant_buffer_selector_a::ID, 0x100),
        (r::set_constant_buffer_selector_c::ID, (DATA + CONSTANTS) as u32),
        (r::bind_group_constant_buffer::id(4), SLOT << 4 | 1),
    ]);
    load(&mut m, constants);
    m
}

fn load(m: &mut Machine, constants: &[u32]) {
    let words = constants.iter().enumerate().map(|(n, &word)| (r::load_constant_buffer::id(n), word));
    let load: Vec<_> = std::iter::once((r::load_constant_buffer_offset::ID, 0)).chain(words).collect();
    m.threed(&load);
}

/// What a program leaves in red that makes a handle in R8.
fn red(m: &mut Machine, text: &str) -> u8 {
    let text = format!("{text}\nmov r2, rz, 0xf\nmov r3, rz, 0xf\ntex_b.d2 r0, r2, r8, bindless, 0xf, pt\nexit\n");
    program(m, PIXEL, pixel_header(0), &text);
    vertices(m, &rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, WHITE));
    draw(m, Topology::TriangleStrip, 0, 4);
    m.expect_no_faults();
    pixel(m, 5, 5)[0]
}

#[test]
fn handles_are_made_of_constants() {
    // Texture 3 with sampler 2; parts of it.
    let mut m = ready_with(&[2 << 20 | 3, 3, 2 << 20, 1, u32::MAX]);
    let cases = [
        ("mov r8, c[3][0x0], 0xf", 30),
        ("mov r0, c[3][0x0], 0xf\nmov r1, r0, 0xf\nmov r8, r1, 0xf", 30),
        ("ldc.b64 r8, c[3][rz+0x0]", 30),
        ("mov r0, c[3][0x4], 0xf\nlop.or r8, pt, r0, c[3][0x8]", 30),
        ("mov r0, c[3][0x4], 0xf\nmov r1, c[3][0x8], 0xf\nlop.or r8, pt, r1, r0", 30),
        ("mov r0, c[3][0x0], 0xf\niadd32i r0, r0, 0x7\niadd r0, r0, c[3][0xc]\nlop.and r8, pt, r0, 0x7", 30),
        ("mov r0, c[3][0x0], 0xf\nlop.xor r8, pt, r0, c[3][0xc]", 20),
        ("mov32i r8, 0x5, 0xf", 50),
        (
            "mov r0, c[3][0x0], 0xf\nmov r1, c[3][0x8], 0xf\nlop32i.and r0, pt, r0, 0xfffff\n\
             lop32i.and r1, pt, r1, 0xfff00000\nlop.or r8, pt, r0, r1",
            30,
        ),
        (
            "mov32i r0, 0x1, 0xf\nlop.and r0, pt, r0, c[3][0x0]\nmov r1, c[3][0x4], 0xf\n\
             lop.and r1, pt, r1, 0x2\nlop.or r8, pt, r1, r0",
            30,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(red(&mut m, text), expected, "{text}");
    }
    // The same program with other constants.
    load(&mut m, &[6]);
    assert_eq!(red(&mut m, "mov r8, c[3][0x0], 0xf"), 60);
}

#[test]
fn handles_come_from_a_buffer_by_index() {
    let words = [4, 8, 2 << 20 | 1, 2 << 20 | 7, 2 << 20 | 0x800 | 5];
    let mut m = ready_with(&words);
    assert_eq!(red(&mut m, "mov r0, c[3][0x0], 0xf\nldc.b32 r8, c[3][r0+0x4]"), 10);
    assert_eq!(red(&mut m, "mov r0, c[3][0x4], 0xf\nldc.b32 r8, c[3][r0+0x4]"), 70);
    // A part of the word.
    assert_eq!(red(&mut m, "mov r0, c[3][0x4], 0xf\nldc.b32 r0, c[3][r0+0x8]\nlop.and r8, pt, r0, 0x7ff"), 50);
    // Buffers are seen as they are when the draw comes.
    load(&mut m, &[4, 8, 6, 2]);
    assert_eq!(red(&mut m, "mov r0, c[3][0x4], 0xf\nldc.b32 r8, c[3][r0+0x4]"), 20);
}

#[test]
fn handles_that_only_some_lanes_have_are_looked_up_by_all() {
    // What a guarded move leaves as it was is none of the move's: both words of the buffer may be meant.
    let mut m = ready_with(&[4, 1, 7]);
    let text = "mov r0, c[3][0x0], 0xf\nldc.b32 r8, c[3][r0]\n@!pt mov r8, c[3][0x8], 0xf";
    m.threed(&[(r::set_bindless_texture::ID, SLOT)]);
    assert_eq!(red(&mut m, text), 10);
    // A load of two registers writes the second one, too.
    let mut m = ready_with(&[8, 1, 1, 7]);
    m.threed(&[(r::set_bindless_texture::ID, SLOT)]);
    let text = "mov r9, c[3][0x0], 0xf\nmov r10, c[3][0x0], 0xf\nldc.b64 r8, c[3][r10]\nmov r8, r9, 0xf";
    assert_eq!(red(&mut m, text), 70);
}

#[test]
fn texels_are_srgb_where_header_and_sampler_say_so() {
    // Sampler 2 does not convert, 3 does, and the last one does not exist.
    let mut m = ready_with(&[2 << 20 | 7, 3 << 20 | 7, 0xFFF << 20 | 7, 3 << 20 | 6]);
    let mut header = texture_header(TEXELS + 0x700, 1);
    header[4] |= texture::fields::S_R_G_B_CONVERSION.mask();
    m.write(POOL + 32 * 7, &header.map(u32::to_le_bytes).concat());
    m.write(SAMPLERS + 32 * 3, &sampler::fields::S_R_G_B_CONVERSION.mask().to_le_bytes());
    for (word, expected) in [(0, 70), (4, 16), (8, 16), (0xC, 60)] {
        assert_eq!(red(&mut m, &format!("mov r8, c[3][{word:#x}], 0xf")), expected, "{word}");
    }
}
