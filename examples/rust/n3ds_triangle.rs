//! A triangle on the Nintendo 3DS: a command list for the PICA200, and the GX commands that clear the target, run the
//! list and copy the picture for the screen (`n3ds.rs`). The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example n3ds_triangle -- picture.png
//! ```

use std::error::Error;

use triglyph::Options;
use triglyph::capture::Picture;
use triglyph::guest::n3ds::regs::{self, AttributeType, BlendFactor, ColorFormat, CombinerFunction, CombinerSource};
use triglyph::guest::n3ds::{List, Program, Unit, output};
use triglyph::n3ds::gsp::{Command, FillUnit};

mod n3ds;

use n3ds::{HEAP, HEIGHT, VRAM, VRAM_VIRTUAL, WIDTH};

/// Offset of the vertices in the heap.
const VERTICES: u32 = 0;

/// Position x, y, z, w and colour red, green, blue, alpha. z is -w at the far plane and 0 at the near one.
const TRIANGLE: [[f32; 8]; 3] = [
    [0.8, 0.0, -0.5, 1.0, 1.0, 0.0, 0.0, 1.0],
    [-0.8, -0.8, -0.5, 1.0, 0.0, 1.0, 0.0, 1.0],
    [-0.8, 0.8, -0.5, 1.0, 0.0, 0.0, 1.0, 1.0],
];

/// The words of the command list.
fn commands() -> Result<Vec<u32>, Box<dyn Error>> {
    let program = Program::assemble("mov o0, v0\n mov o1, v1\n end")?;
    let four_floats = (AttributeType::F32, 4);
    let replace = regs::blend_func::new().rgb_src(BlendFactor::One).alpha_src(BlendFactor::One);
    let write = regs::depth_color_mask::new().write_r(true).write_g(true).write_b(true).write_a(true);

    let mut list = List::new();
    // Where pixels go, and the viewport over all of it.
    list.color_target(VRAM, ColorFormat::Rgba8, WIDTH, HEIGHT).viewport(0, 0, WIDTH, HEIGHT);
    // The program: v0 becomes the position, v1 the colour.
    list.program(Unit::Vertex, &program, 0)
        .vertex_buffer(HEAP + VERTICES, 32, &[four_floats; 2])
        .shader_outputs(&[output::POSITION, output::COLOR]);
    // Fragments: combiner stage 0 takes the vertex colour, the others pass it on; it replaces what is there.
    list.texture_units([false; 3])
        .combiner(0, CombinerFunction::Replace, [CombinerSource::Primary; 3])
        .pass_combiners(1)
        .set(regs::color_operation::ID, regs::color_operation::new().blend(true))
        .set(regs::blend_func::ID, replace)
        .set(regs::depth_color_mask::ID, write)
        .draw_arrays(0, 3);
    Ok(list.finish()?)
}

/// Runs everything and returns what the screen shows.
pub fn picture(options: &Options) -> Result<Picture, Box<dyn Error>> {
    let mut console = n3ds::Console::open(options)?;
    console.store_floats(VERTICES, TRIANGLE.as_flattened())?;
    let clear = FillUnit::words(VRAM_VIRTUAL, VRAM_VIRTUAL + 4 * WIDTH * HEIGHT, 0x2030_40FF);
    console.run(Command::fill(clear), &commands()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "n3ds_triangle.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
