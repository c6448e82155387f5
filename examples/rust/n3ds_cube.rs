//! A textured, lit cube on the Nintendo 3DS: a vertex program with constants, a texture in tiles, the depth test.
//!
//! ```sh
//! cargo run --release --example n3ds_cube -- picture.png
//! ```

use std::error::Error;

use triglyph::Options;
use triglyph::capture::Picture;
use triglyph::guest::n3ds::regs::*;
use triglyph::guest::n3ds::{List, Program, Texture, Unit, output, tile_rgba8};
use triglyph::n3ds::gsp::{Command, FillUnit};

mod cube;
mod n3ds;

use n3ds::{HEAP, HEIGHT, VRAM, VRAM_VIRTUAL, WIDTH};

/// In video memory after the colours: depth and stencil. In the heap: vertices and texels.
const DEPTH: u32 = 0x10_0000;
const VERTICES: u32 = 0;
const TEXELS: u32 = 0x8000;

/// c0 to c3 transform positions, c4 is the direction to the light, c5 the ambient light and 0.
const PROGRAM: &str = "
    dp4 o0.x, c0, v0
    dp4 o0.y, c1, v0
    dp4 o0.z, c2, v0
    dp4 o0.w, c3, v0
    dp3 r0, c4, v1          ; the cosine of the angle between normal and light
    max r0, c5.yyyy, r0
    add r0, c5.xxxx, r0
    mov o1, r0
    mov o2, v2
    end";

/// The words of the command list.
fn commands() -> Result<Vec<u32>, Box<dyn Error>> {
    // The screen lies on its side: x is upwards and y to the left. z is 0 at the near plane and -w at the far one.
    let [right, up, depth, w] = cube::transform(HEIGHT, WIDTH);
    let constants = [up, right.map(|v| -v), depth.map(|v| -v), w, cube::light(), [cube::AMBIENT, 0.0, 0.0, 0.0]];
    let float = AttributeType::F32;
    let linear = TextureFilter::Linear;
    let texture = Texture::new(TextureFormat::Rgba8, cube::SIZE, cube::SIZE, HEAP + TEXELS);
    let replace = blend_func::new().rgb_src(BlendFactor::One).alpha_src(BlendFactor::One);
    let write = depth_color_mask::new().write_r(true).write_g(true).write_b(true).write_a(true).write_depth(true);

    let mut list = List::new();
    list.color_target(VRAM, ColorFormat::Rgba8, WIDTH, HEIGHT)
        .depth_target(VRAM + DEPTH, DepthFormat::D24S8)
        .viewport(0, 0, WIDTH, HEIGHT);
    list.program(Unit::Vertex, &Program::assemble(PROGRAM)?, 0)
        .float_uniforms(Unit::Vertex, 0, &constants)
        .vertex_buffer(HEAP + VERTICES, cube::STRIDE, &[(float, 3), (float, 3), (float, 2)])
        .shader_outputs(&[output::POSITION, output::COLOR, output::TEXCOORD0]);
    list.texture(0, &Texture { mag: linear, min: linear, ..texture })
        .texture_units([true, false, false])
        .combiner(
            0,
            CombinerFunction::Modulate,
            [CombinerSource::Texture0, CombinerSource::Primary, CombinerSource::Primary],
        )
        .pass_combiners(1)
        .set(color_operation::ID, color_operation::new().blend(true))
        .set(blend_func::ID, replace)
        .set(depth_color_mask::ID, write.depth_test(true).depth_func(Compare::Less))
        .draw_arrays(0, cube::VERTICES);
    Ok(list.finish()?)
}

/// Runs everything and returns what the screen shows.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = n3ds::Console::open(options)?;
    console.store_floats(VERTICES, cube::vertices().as_flattened())?;
    console.store(TEXELS, &tile_rgba8(cube::SIZE, cube::SIZE, &cube::texels())?)?;
    let (end, pixels) = (VRAM_VIRTUAL + DEPTH, 4 * WIDTH * HEIGHT);
    let color = FillUnit::words(VRAM_VIRTUAL, VRAM_VIRTUAL + pixels, 0x2030_40FF);
    let depth = FillUnit::words(end, end + pixels, 0x00FF_FFFF);
    console.run(Command::MemoryFill { units: [color, depth] }, &commands()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "n3ds_cube.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
