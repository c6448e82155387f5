//! A triangle on the Switch: a push buffer for the Maxwell 3D class, two shader programs with their headers;
//! `switch.rs` makes the calls of the GPU's driver. The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example switch_triangle -- picture.png
//! ```

use std::error::Error;

use triglyph::Options;
use triglyph::capture::Picture;
use triglyph::guest::tegra::format::{ColorFormat, VertexFormat, VertexType};
use triglyph::guest::tegra::methods::{Class, threed::Topology};
use triglyph::guest::tegra::{HeaderBuilder, Interpolation, ProgramStage, PushBuffer, Target, attribute, shader};

mod switch;

/// Offsets in the process's memory.
const PUSH: u64 = 0;
const PROGRAMS: u64 = 0x1_0000;
const VERTICES: u64 = 0x2_0000;
const TARGET: u64 = 0x10_0000;

/// Offset of the pixel program from the programs.
const PIXEL: u32 = 0x1000;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

/// Position x, y, z, w and colour red, green, blue, alpha. z is 0 at the near plane and w at the far one.
const TRIANGLE: [[f32; 8]; 3] = [
    [0.0, 0.8, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    [0.8, -0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, -0.8, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
];

/// Generic attribute 0 becomes the position, generic attribute 1 the first one of the pixel program.
fn vertex_program() -> Result<Vec<u8>, Box<dyn Error>> {
    let header = HeaderBuilder::new(ProgramStage::Vertex).reads(attribute::GENERIC, 8);
    let header = header.writes(attribute::POSITION, 4).writes(attribute::GENERIC, 4).build()?;
    let code = "
        ald.w4 r0, [rz+0x80], rz
        ald.w4 r4, [rz+0x90], rz
        ast.w4 r0, [rz+0x70], rz
        ast.w4 r4, [rz+0x80], rz
        exit";
    Ok(header.with_code(&shader::assemble_program(code)?))
}

/// The attribute is interpolated with perspective: times w, which is the reciprocal of the position's fourth word.
fn pixel_program() -> Result<Vec<u8>, Box<dyn Error>> {
    let header = HeaderBuilder::new(ProgramStage::Pixel).reads(attribute::POSITION + 12, 1);
    let header = header.interpolates(attribute::GENERIC, 4, Interpolation::Perspective).target(0, 0xF).build()?;
    let code = "
        ipa.pass r4, a[rz+0x7c], rz, rz, pt
        mufu.rcp r4, r4
        ipa.mul r0, a[rz+0x80], r4, rz, pt
        ipa.mul r1, a[rz+0x84], r4, rz, pt
        ipa.mul r2, a[rz+0x88], r4, rz, pt
        ipa.mul r3, a[rz+0x8c], r4, rz, pt
        exit";
    Ok(header.with_code(&shader::assemble_program(code)?))
}

/// The push buffer, with the process's memory at a GPU address.
fn commands(memory: u64) -> PushBuffer {
    let (format, kind) = (VertexFormat::R32G32B32A32, VertexType::Float);
    let mut push = PushBuffer::new();
    push.set_object(Class::ThreeD.id())
        .color_target(0, &Target::rows(ColorFormat::A8B8G8R8Unorm, WIDTH, HEIGHT, memory + TARGET))
        .color_targets(1)
        .viewport(0, WIDTH, HEIGHT)
        .clear_color([0.125, 0.1875, 0.25, 1.0]);
    push.program_region(memory + PROGRAMS).program(ProgramStage::Vertex, 0).program(ProgramStage::Pixel, PIXEL);
    push.vertex_stream(0, 32, memory + VERTICES, 3 * 32)
        .vertex_attribute(0, 0, 0, format, kind)
        .vertex_attribute(1, 0, 16, format, kind)
        .draw_arrays(Topology::Triangles, 0, 3);
    push
}

/// Runs everything and returns the picture.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = switch::Console::open(options)?;
    console.store(PROGRAMS, &vertex_program()?)?;
    console.store(PROGRAMS + u64::from(PIXEL), &pixel_program()?)?;
    console.store_floats(VERTICES, TRIANGLE.as_flattened())?;
    console.run(PUSH, commands(console.memory))?;
    console.picture(TARGET, WIDTH, HEIGHT)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "switch_triangle.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
