//! A triangle on the PlayStation 3: a push buffer for the RSX, a vertex and a fragment program. `ps3.rs` makes the
//! hypervisor's calls. The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example ps3_triangle -- picture.png
//! ```

use std::error::Error;

use triglyph::Options;
use triglyph::capture::Picture;
use triglyph::guest::rsx::enums::{Primitive, TextureLocation, VertexLocation, VertexType};
use triglyph::guest::rsx::methods::curie as m;
use triglyph::guest::rsx::{Order, PushBuffer, Surface, fragment, fragment_control, fragment_program_bytes, vertex};

mod ps3;

/// IO offsets of the push buffer and of the vertices.
const PUSH: u32 = 0;
const VERTICES: u32 = 0x10_0000;

/// Offsets in local memory.
const COLOR: u32 = 0;
const DEPTH: u32 = 0x40_0000;
const FRAGMENT_PROGRAM: u32 = 0x80_0000;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 360;

/// Position x, y, z, w and colour red, green, blue, alpha. z is -w at the near plane and w at the far one.
const TRIANGLE: [[f32; 8]; 3] = [
    [0.0, 0.8, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
    [0.8, -0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, -0.8, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
];

/// The words of the push buffer.
fn commands() -> Result<Vec<u32>, Box<dyn Error>> {
    let (first, program) = vertex::assemble_program("mov o[HPOS], v[0]\n mov o[COL0], v[3]  [end]")?;
    let (floats, main) = (VertexType::Float32, VertexLocation::Main);
    let inputs = m::set_vertex_attrib_input_mask::new().inputs(1 << 0 | 1 << 3);
    let outputs = m::set_vertex_attrib_output_mask::new().color0(true);

    let mut push = PushBuffer::new();
    // Subchannel 0 gets the 3D class, with the state that the console's library begins with.
    push.gcm_defaults();
    push.surface(&Surface::new(WIDTH, HEIGHT, COLOR, DEPTH)).clear(0xFF20_3040, 0xFF_FFFF, 0);
    // The programs. Attributes 0 and 3 are read, and colour 0 goes to the fragment program.
    push.vertex_program(first, &program)
        .set(m::set_transform_timeout::ID, m::set_transform_timeout::new().instructions(0xFFFF).registers(0x20))
        .set(m::set_vertex_attrib_input_mask::ID, inputs)
        .set(m::set_vertex_attrib_output_mask::ID, outputs)
        .fragment_program(TextureLocation::Local, FRAGMENT_PROGRAM, fragment_control(2));
    push.vertex_array(0, floats, 4, 32, main, VERTICES)
        .vertex_array(3, floats, 4, 32, main, VERTICES + 16)
        .draw_arrays(Primitive::Triangles, 0, 3);
    Ok(push.finish()?)
}

/// Runs everything and returns the picture.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = ps3::Console::open(options)?;
    let program = fragment::assemble_program("mov r0, f[COL0]  [end]")?;
    console.store_floats(VERTICES, TRIANGLE.as_flattened())?;
    console.store_local(FRAGMENT_PROGRAM, &fragment_program_bytes(&program, Order::Big))?;
    console.run(PUSH, &commands()?)?;
    console.picture(COLOR, WIDTH, HEIGHT)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ps3_triangle.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
