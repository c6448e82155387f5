//! A textured, lit cube on the PlayStation 3: a vertex program with constants, a texture, the depth test.
//!
//! ```sh
//! cargo run --release --example ps3_cube -- picture.png
//! ```

use std::error::Error;

use triglyph::Options;
use triglyph::capture::Picture;
use triglyph::guest::rsx::enums::{
    Compare, MagFilter, MinFilter, Primitive, TextureLocation, VertexLocation, VertexType,
};
use triglyph::guest::rsx::methods::curie as m;
use triglyph::guest::rsx::texel::TextureFormat;
use triglyph::guest::rsx::{
    Order, PushBuffer, Surface, Texture, fragment, fragment_control, fragment_program_bytes, vertex,
};

mod cube;
mod ps3;

/// Where things are in memory, as the triangle's example has it; texels besides.
const PUSH: u32 = 0;
const VERTICES: u32 = 0x10_0000;
const COLOR: u32 = 0;
const DEPTH: u32 = 0x40_0000;
const FRAGMENT_PROGRAM: u32 = 0x80_0000;
const TEXELS: u32 = 0x90_0000;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

/// c[0] to c[3] transform positions, c[4] is the direction to the light, c[5] the ambient light and 0.
const VERTEX: &str = "
    dp4 o[HPOS].x, c[0], v[0]
    dp4 o[HPOS].y, c[1], v[0]
    dp4 o[HPOS].z, c[2], v[0]
    dp4 o[HPOS].w, c[3], v[0]
    dp3 r0, c[4], v[2]           ; the cosine of the angle between normal and light
    max r0, r0, c[5].yyyy
    add o[COL0], r0, c[5].xxxx
    mov o[TC0], v[8]  [end]";

const FRAGMENT: &str = "
    tex r0, f[TC0], tex0
    mul r0, r0, f[COL0]  [end]";

/// The words of the push buffer.
fn commands() -> Result<Vec<u32>, Box<dyn Error>> {
    let (first, program) = vertex::assemble_program(VERTEX)?;
    let [x, y, depth, w] = cube::transform(WIDTH, HEIGHT);
    // Depth of this machine's clip space is -w to w.
    let depth = std::array::from_fn(|i| 2.0 * depth[i] - w[i]);
    let constants = [x, y, depth, w, cube::light(), [cube::AMBIENT, 0.0, 0.0, 0.0]];
    let (floats, main, local) = (VertexType::Float32, VertexLocation::Main, TextureLocation::Local);
    let inputs = m::set_vertex_attrib_input_mask::new().inputs(1 << 0 | 1 << 2 | 1 << 8);
    let outputs = m::set_vertex_attrib_output_mask::new().color0(true).coordinates(1 << 0);
    let texture = Texture::rows(TextureFormat::A8R8G8B8, cube::SIZE, cube::SIZE, 4 * cube::SIZE, local, TEXELS);

    let mut push = PushBuffer::new();
    push.gcm_defaults();
    push.surface(&Surface::new(WIDTH, HEIGHT, COLOR, DEPTH)).clear(0xFF20_3040, 0xFF_FFFF, 0);
    push.vertex_program(first, &program)
        .vertex_constants(0, &constants)
        .set(m::set_transform_timeout::ID, m::set_transform_timeout::new().instructions(0xFFFF).registers(0x20))
        .set(m::set_vertex_attrib_input_mask::ID, inputs)
        .set(m::set_vertex_attrib_output_mask::ID, outputs)
        .fragment_program(local, FRAGMENT_PROGRAM, fragment_control(2));
    push.texture(0, &Texture { min: MinFilter::Linear, mag: MagFilter::Linear, ..texture })
        .set(m::set_depth_test_enable::ID, m::set_depth_test_enable::new().enable(true))
        .set(m::set_depth_func::ID, m::set_depth_func::new().function(Compare::Less))
        .set(m::set_depth_mask::ID, m::set_depth_mask::new().enable(true));
    push.vertex_array(0, floats, 3, cube::STRIDE, main, VERTICES)
        .vertex_array(2, floats, 3, cube::STRIDE, main, VERTICES + 12)
        .vertex_array(8, floats, 2, cube::STRIDE, main, VERTICES + 24)
        .draw_arrays(Primitive::Triangles, 0, cube::VERTICES);
    Ok(push.finish()?)
}

/// Runs everything and returns the picture.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = ps3::Console::open(options)?;
    let texels: Vec<u8> = cube::texels().iter().flat_map(|[r, g, b, a]| [*a, *r, *g, *b]).collect();
    let program = fragment_program_bytes(&fragment::assemble_program(FRAGMENT)?, Order::Big);
    console.store_floats(VERTICES, cube::vertices().as_flattened())?;
    console.store_local(TEXELS, &texels)?;
    console.store_local(FRAGMENT_PROGRAM, &program)?;
    console.run(PUSH, &commands()?)?;
    console.picture(COLOR, WIDTH, HEIGHT)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ps3_cube.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
