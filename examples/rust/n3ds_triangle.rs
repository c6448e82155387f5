//! A triangle on the Nintendo 3DS: a command list for the PICA200, and the GX commands that clear the target, run the
//! list and copy the picture for the screen. The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example n3ds_triangle -- picture.png
//! ```

use std::error::Error;

use triglyph::capture::{Format, Layout, Picture, Present};
use triglyph::guest::n3ds::external::TransferFormat;
use triglyph::guest::n3ds::regs::{self, AttributeType, BlendFactor, ColorFormat, CombinerFunction, CombinerSource};
use triglyph::guest::n3ds::{List, Program, Unit, output};
use triglyph::n3ds::gsp::{Command, FillUnit, Header};
use triglyph::{Access, Device, GuestAddr, GuestRange, N3ds, Options};

/// Where memory is: physical addresses, by which the GPU names it, and virtual ones, by which GX commands do.
const VRAM: u32 = 0x1800_0000;
const VRAM_VIRTUAL: u32 = 0x1F00_0000;
const HEAP: u32 = 0x2000_0000;
const HEAP_VIRTUAL: u32 = 0x3000_0000;

/// In the heap: vertices, the list, the picture for the screen.
const VERTICES: u32 = 0;
const LIST: u32 = 0x1000;
const SHOWN: u32 = 0x1_0000;

/// The top screen has 400 columns of 240 pixels: for the GPU a picture of 240 x 400, x upwards and y to the left.
const WIDTH: u32 = 240;
const HEIGHT: u32 = 400;

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
    let mut gpu = N3ds::new(options)?;
    gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
    gpu.map(GuestRange::new(0, VRAM.into(), 6 << 20), Access::READ_WRITE)?;
    gpu.map(GuestRange::new(0, HEAP.into(), 1 << 20), Access::READ_WRITE)?;
    let list: Vec<u8> = commands()?.iter().flat_map(|word| word.to_le_bytes()).collect();
    let vertices: Vec<u8> = TRIANGLE.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
    gpu.write(GuestAddr::new(0, (HEAP + LIST).into()), &list)?;
    gpu.write(GuestAddr::new(0, (HEAP + VERTICES).into()), &vertices)?;

    let clear = FillUnit::words(VRAM_VIRTUAL, VRAM_VIRTUAL + 4 * WIDTH * HEIGHT, 0x2030_40FF);
    let shown = HEAP_VIRTUAL + SHOWN;
    for command in [
        Command::fill(clear),
        Command::list(HEAP_VIRTUAL + LIST, list.len() as u32),
        Command::display(VRAM_VIRTUAL, shown, WIDTH as u16, HEIGHT as u16, TransferFormat::Rgb8),
    ] {
        gpu.execute(&command.to_words(Header::default()));
    }
    // A picture as the screen has it: columns of blue, green, red, from below.
    let at = GuestAddr::new(0, (HEAP + SHOWN).into());
    let label = "top".to_owned();
    let (format, layout) = (Format::Bgr8 as u32, Layout::Lcd.number());
    let present = Present { at, format, width: HEIGHT, height: WIDTH, pitch: 3 * WIDTH, layout, label };
    Ok(Picture::read(&mut gpu, &present, false)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "n3ds_triangle.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
