//! A textured, lit cube on the Switch: constants, a texture header and a sampler in their pools, the depth test.
//!
//! ```sh
//! cargo run --release --example switch_cube -- picture.png
//! ```

use std::error::Error;

use triglyph::guest::tegra::format::{ColorFormat, TextureFormat, VertexFormat, VertexType, ZetaFormat};
use triglyph::guest::tegra::methods::threed::{CompareFunc, Topology, regs as r};
use triglyph::guest::tegra::{
    ComponentType, HeaderBuilder, Interpolation, ProgramStage, PushBuffer, Sampler, Target, TextureHandle,
    TextureHeader, TextureLayout, attribute, shader,
};
use triglyph::{Options, capture::Picture};

mod cube;
mod switch;

/// Offsets in the process's memory. The pools are those of texture headers and of samplers.
const PUSH: u64 = 0;
const PROGRAMS: u64 = 0x1_0000;
const PIXEL: u32 = 0x1000;
const VERTICES: u64 = 0x2_0000;
const POOLS: [u64; 2] = [0x3_0000, 0x3_1000];
const CONSTANTS: [u64; 2] = [0x3_2000, 0x3_3000];
const TEXELS: u64 = 0x4_0000;
const TARGET: u64 = 0x10_0000;
const DEPTH: u64 = 0x40_0000;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

/// Position, normal and texture coordinates are generic attributes 0 to 2. Constant buffer 1 has the transform's rows,
/// the direction to the light, the ambient light. Texture coordinates and light go on in generic attribute 0.
fn vertex_program() -> Result<Vec<u8>, Box<dyn Error>> {
    let header = HeaderBuilder::new(ProgramStage::Vertex).reads(attribute::GENERIC, 12);
    let header = header.writes(attribute::POSITION, 4).writes(attribute::GENERIC, 4).build()?;
    let dot = |to: u32, from: u32, count: u32, constant: u32| -> String {
        let first = format!("fmul r{to}, r{from}, c[1][{constant:#x}]\n");
        let next = |i| format!("ffma r{to}, r{}, c[1][{:#x}], r{to}\n", from + i, constant + 4 * i);
        first + &(1..count).map(next).collect::<String>()
    };
    let loads = (0..3).map(|i| format!("ald.w4 r{}, [rz+{:#x}], rz\n", 4 * i, 0x80 + 16 * i)).collect::<String>();
    let position = (0..4).map(|i| dot(12 + i, 0, 4, 16 * i)).collect::<String>();
    let light = dot(10, 4, 3, 0x40) + "fmnmx r10, r10, rz, !pt\nfadd r10, r10, c[1][0x50]\n";
    let code = loads + &position + &light + "ast.w4 r12, [rz+0x70], rz\nast.w4 r8, [rz+0x80], rz\nexit";
    Ok(header.with_code(&shader::assemble_program(&code)?))
}

/// The texel, whose handle is word 0 of constant buffer 2, times the light.
fn pixel_program() -> Result<Vec<u8>, Box<dyn Error>> {
    let header = HeaderBuilder::new(ProgramStage::Pixel).reads(attribute::POSITION + 12, 1);
    let header = header.interpolates(attribute::GENERIC, 3, Interpolation::Perspective).target(0, 0xF).build()?;
    let code = "
        ipa.pass r4, a[rz+0x7c], rz, rz, pt
        mufu.rcp r4, r4
        ipa.mul r5, a[rz+0x88], r4, rz, pt
        ipa.mul r6, a[rz+0x80], r4, rz, pt
        ipa.mul r7, a[rz+0x84], r4, rz, pt
        tex.d2 r0, r6, rz, 0x0, 0xf, pt
        fmul r0, r0, r5
        fmul r1, r1, r5
        fmul r2, r2, r5
        exit";
    Ok(header.with_code(&shader::assemble_program(code)?))
}

/// The push buffer, with the process's memory at a GPU address.
fn commands(memory: u64) -> PushBuffer {
    let [x, y, depth, w] = cube::transform(WIDTH, HEIGHT);
    let constants = [x, y, depth, w, cube::light(), [cube::AMBIENT; 4]];
    let words: Vec<u32> = constants.as_flattened().iter().map(|value| value.to_bits()).collect();
    let (vec3, vec2, float) = (VertexFormat::R32G32B32, VertexFormat::R32G32, VertexType::Float);
    let mut push = PushBuffer::new();
    push.set_object(0xB197)
        .color_target(0, &Target::rows(ColorFormat::A8B8G8R8Unorm, WIDTH, HEIGHT, memory + TARGET))
        .color_targets(1)
        .zeta_target(ZetaFormat::Z24S8, [WIDTH, HEIGHT], memory + DEPTH, 4)
        .viewport(0, WIDTH, HEIGHT)
        .clear_color([0.125, 0.1875, 0.25, 1.0])
        .clear_zeta(1.0, 0);
    push.program_region(memory + PROGRAMS).program(ProgramStage::Vertex, 0).program(ProgramStage::Pixel, PIXEL);
    push.load_constants(memory + CONSTANTS[0], 0x100, 0, &words)
        .bind_constants(0, 1)
        .load_constants(memory + CONSTANTS[1], 0x100, 0, &[TextureHandle::new(0, 0).0])
        .bind_constants(4, 2)
        .texture_pools((memory + POOLS[0], 1), (memory + POOLS[1], 1), 2);
    push.set(r::set_depth_test::ID, r::set_depth_test::new().enable(true))
        .set(r::set_depth_write::ID, r::set_depth_write::new().enable(true))
        .set(r::set_depth_func::ID, r::set_depth_func::new().v(CompareFunc::Less));
    push.vertex_stream(0, cube::STRIDE, memory + VERTICES, (cube::STRIDE * cube::VERTICES).into())
        .vertex_attribute(0, 0, 0, vec3, float)
        .vertex_attribute(1, 0, 12, vec3, float)
        .vertex_attribute(2, 0, 24, vec2, float)
        .draw_arrays(Topology::Triangles, 0, cube::VERTICES);
    push
}

/// Runs everything and returns the picture.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = switch::Console::open(options)?;
    let layout = TextureLayout::Pitch { pitch: 4 * cube::SIZE };
    let (size, at, unorm) = ([cube::SIZE; 2], console.memory + TEXELS, ComponentType::Unorm);
    console.store_words(POOLS[0], &TextureHeader::image(TextureFormat::A8B8G8R8, unorm, size, layout, at).encode()?)?;
    console.store_words(POOLS[1], &Sampler::LINEAR.encode()?)?;
    console.store(TEXELS, &cube::texels().concat())?;
    console.store(PROGRAMS, &vertex_program()?)?;
    console.store(PROGRAMS + u64::from(PIXEL), &pixel_program()?)?;
    console.store_floats(VERTICES, &cube::vertices().concat())?;
    console.run(PUSH, commands(console.memory))?;
    console.picture(TARGET, WIDTH, HEIGHT)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "switch_cube.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
