//! Copies through the 3D class as Mesa makes them: a texture in texels, a rectangle of positions that are divided
//! already, a target of as many bytes a pixel. Every pixel arrives as it was.

use crate::class_3d::support::*;
use triglyph_guest::layout::surface::swizzle3;
use triglyph_guest::rsx::methods::curie as m;

const SOURCE: u32 = 0x2_0000;
const TARGET: u32 = 0x8_0000;
/// Pixels a side.
const SIDE: u32 = 256;

/// Formats of a copy of pixels of some bytes.
struct Formats {
    bytes: u32,
    /// Of the target.
    surface: u32,
    texture: u32,
    crossbar: u32,
}

const FORMATS: [Formats; 3] = [
    Formats { bytes: 1, surface: 9, texture: 0x81, crossbar: 0xAAFF },
    Formats { bytes: 2, surface: 3, texture: 0x84, crossbar: 0xA9E4 },
    Formats { bytes: 4, surface: 8, texture: 0x85, crossbar: 0xAAE4 },
];

/// Copies all pixels of a linear image to a target, which is swizzled or linear.
fn copy(console: &mut Console, formats: &Formats, swizzled: bool) {
    let pitch = SIDE * formats.bytes;
    let depth = if formats.bytes == 4 { 2 } else { 1 };
    let (layout, log2) = if swizzled { (2, 8 << 16 | 8 << 24) } else { (1, 0) };
    console.method(m::set_viewport_horizontal::ID, &[SIDE << 16, SIDE << 16]);
    let format = formats.surface | depth << 5 | layout << 8 | log2;
    console.method(m::set_surface_clip_horizontal::ID, &[SIDE << 16, SIDE << 16, format, pitch, TARGET]);
    console.floats(m::set_viewport_offset::ID, &[0.0; 4]);
    console.floats(m::set_viewport_scale::ID, &[1.0; 4]);
    console.set(m::set_transform_execution_mode::ID, 0x103);
    console.set(m::set_shade_mode::ID, 0x1D00);
    console.vertex_program("mov o[HPOS], v[0]\n mov o[TC0], v[8]  [end]");
    console.method(m::set_vertex_attrib_input_mask::ID, &[0x101, 0x4000]);
    console.fragment_program("tex r0, f[TC0], tex0\n mov h0, r0  [end]");
    console.set(m::set_shader_control::ID, 0x0200_0000);
    let format = 1 | 2 << 4 | 8 | 1 << 16 | (formats.texture | 0x60) << 8;
    let words = [SOURCE, format, 0x3_0303, 1 << 31, formats.crossbar, 1 << 16 | 1 << 24 | 0x2000, SIDE << 16 | SIDE, 0];
    console.method(m::set_texture_offset::id(0), &words);
    console.set(m::set_texture_control3::id(0), 1 << 20 | pitch);
    console.set(m::set_tex_coord_control::id(0), 1);
    console.begin(QUADS);
    for (x, y) in [(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)] {
        console.floats(m::set_vertex_data3f_m::id(8), &[x as f32, y as f32, 0.0]);
        console.set(m::set_vertex_data2s_m::id(0), y << 16 | x);
    }
    console.end();
    console.run();
}

#[test]
fn pixels_of_every_size_are_copied_bit_by_bit() {
    for (formats, swizzled, big_endian) in
        FORMATS.iter().flat_map(|f| [(f, false, false), (f, true, false), (f, true, true)])
    {
        let mut console = Console::of_order(big_endian);
        let bytes = formats.bytes as usize;
        // All 16-bit pixels there are; of larger ones, all bytes in all places.
        let pixel = |i: u32| [i as u8, (i >> 8) as u8, (i * 7) as u8, (i >> 8) as u8 ^ i as u8];
        let source: Vec<u8> = (0..SIDE * SIDE).flat_map(|i| pixel(i).into_iter().take(bytes)).collect();
        console.write_local(SOURCE, &source);
        copy(&mut console, formats, swizzled);
        let copied = console.read(0, TARGET, source.len());
        for (i, wanted) in source.chunks(bytes).enumerate() {
            let at = match swizzled {
                true => swizzle3([i as u32 % SIDE, i as u32 / SIDE, 0], [8, 8, 0]) as usize,
                false => i,
            };
            assert_eq!(&copied[at * bytes..(at + 1) * bytes], wanted, "{bytes} bytes, pixel {i}");
        }
        assert_eq!(console.faults(), 0);
    }
}
