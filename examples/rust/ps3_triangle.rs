//! A triangle on the PlayStation 3: the hypervisor's calls that make a context, a push buffer for the RSX, a vertex and
//! a fragment program. The picture is written as a PNG file.
//!
//! ```sh
//! cargo run --release --example ps3_triangle -- picture.png
//! ```

use std::error::Error;

use triglyph::capture::{Format, Layout, Picture, Present};
use triglyph::guest::rsx::enums::{Primitive, TextureLocation, VertexLocation, VertexType};
use triglyph::guest::rsx::methods::curie as m;
use triglyph::guest::rsx::{Order, PushBuffer, Surface, fragment, fragment_control, fragment_program_bytes, vertex};
use triglyph::rsx::{LOCAL, XDR, flags};
use triglyph::{Access, Device, GuestAddr, GuestRange, Options, Rsx};

/// Main memory by the address that the program passes to the hypervisor. The RSX sees it from IO offset 0 on.
const MAIN_AT: u64 = 0x1000_0000;
/// Bytes of main and of local memory.
const SIZE: u64 = 16 << 20;

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
    let mut gpu = Rsx::new(options)?;
    gpu.set_fault_handler(Some(Box::new(|fault| eprintln!("fault: {}", fault.what))));
    gpu.map(GuestRange::new(XDR, MAIN_AT, SIZE), Access::READ_WRITE)?;
    gpu.map(GuestRange::new(LOCAL, 0, SIZE), Access::READ_WRITE)?;

    // lv1_gpu_memory_allocate, lv1_gpu_context_allocate, lv1_gpu_context_iomap.
    let memory = gpu.memory_allocate(SIZE, [8, 0x30_0000, 15, 8])?;
    let context = gpu.context_allocate(memory.handle, flags::MAIN_REPORTS)?;
    gpu.context_iomap(context.handle, 0, MAIN_AT, 8 << 20, 3 << 62)?;

    // Memory of the PS3 is big-endian.
    let push: Vec<u8> = commands()?.iter().flat_map(|word| word.to_be_bytes()).collect();
    let vertices: Vec<u8> = TRIANGLE.as_flattened().iter().flat_map(|value| value.to_be_bytes()).collect();
    let program = fragment::assemble_program("mov r0, f[COL0]  [end]")?;
    gpu.write(GuestAddr::new(XDR, MAIN_AT + u64::from(PUSH)), &push)?;
    gpu.write(GuestAddr::new(XDR, MAIN_AT + u64::from(VERTICES)), &vertices)?;
    gpu.write(GuestAddr::new(LOCAL, FRAGMENT_PROGRAM.into()), &fragment_program_bytes(&program, Order::Big))?;

    // PUT, in the context's control page, says where the words end.
    let control = gpu.lpar(context.control).ok_or("a control page")?;
    gpu.write(GuestAddr::new(control.space, control.address + 0x40), &(PUSH + push.len() as u32).to_be_bytes())?;
    gpu.run();

    let (at, label) = (GuestAddr::new(LOCAL, COLOR.into()), "main".to_owned());
    let (format, layout) = (Format::X8R8G8B8 as u32, Layout::Linear { bottom_first: false }.number());
    let present = Present { at, format, width: WIDTH, height: HEIGHT, pitch: 4 * WIDTH, layout, label };
    Ok(Picture::read(&mut gpu, &present, true)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ps3_triangle.png".to_owned());
    std::fs::write(&path, picture(&Options::default())?.to_png(false)?)?;
    println!("{path}");
    Ok(())
}
