//! How long the longest submissions take that the fuel permits: the times of `docs/reference/security.md`.
//!
//! ```sh
//! cargo bench --bench limits                # or with a filter: -- grid
//! ```
//!
//! Programs of the Tegra X1 with loops, which cost the most time for their fuel. One thread, compiled code; each line
//! is the smallest of three times, in seconds.

use std::time::Instant;

use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, Tier, new_device};
use triglyph_guest::tegra::format::{ColorFormat, VertexFormat, VertexType};
use triglyph_guest::tegra::header::HeaderBuilder;
use triglyph_guest::tegra::header::launch::{self, fields};
use triglyph_guest::tegra::header::program::{Interpolation, ProgramStage, attribute};
use triglyph_guest::tegra::methods::{Class, compute, threed::Topology};
use triglyph_guest::tegra::{PushBuffer, Target, shader};

/// Addresses.
const PUSH: u64 = 0x10_0000;
const DESCRIPTOR: u64 = 0x20_0000;
const PROGRAMS: u64 = 0x100_0000;
const VERTICES: u64 = 0x110_0000;
const TARGET: u64 = 0x200_0000;
const END: u64 = 0x300_0000;

/// Offset of the pixel program from the programs, bytes.
const PIXEL: u32 = 0x1000;

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// Three floats, the middle one at the corner that a triangle over the whole target needs.
const WHOLE: [[f32; 4]; 3] = [[-1.0, -1.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0], [-1.0, 3.0, 0.5, 1.0]];

/// Vertices whose programs have loops.
const MANY: u32 = 1 << 20;

/// Blocks of a grid along each edge.
const GRID: u32 = 256;

/// Threads of a block: a warp.
const BLOCK: u32 = 32;

const PASS: &str = "ald.w4 r0, [rz+0x80], rz\nast.w4 r0, [rz+0x70], rz\nexit";
const ENDLESS: &str = "again: bra again";

/// A loop of three instructions, `rounds` times.
fn loop_of(rounds: u32) -> String {
    format!("mov r4, rz, 0xf\nagain: iadd r4, r4, 0x1\nisetp.s32.lt.and p0, pt, r4, {rounds:#x}, pt\n@p0 bra again")
}

/// A device and what it has used.
struct Setup {
    device: Box<dyn Device>,
    push: PushBuffer,
}

impl Setup {
    fn new(fuel: u64) -> Self {
        let mut options = Options::new(Tier::JitOnly, 1);
        options.fuel = fuel;
        let mut device = new_device(Machine::TegraX1, &options).expect("a compiler for this processor");
        device.map(GuestRange::new(0, PUSH, END - PUSH), Access::READ_WRITE).expect("memory");
        Setup { device, push: PushBuffer::new() }
    }

    fn store(&mut self, address: u64, words: impl IntoIterator<Item = u32>) {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.device.write(GuestAddr::new(0, address), &bytes).expect("mapped memory");
    }

    fn store_code(&mut self, address: u64, header: &[u32], text: &str) {
        let code = shader::assemble_program(text).expect("a program");
        let code = code.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]);
        self.store(address, header.iter().copied().chain(code));
    }

    /// A target of the whole size, and two programs.
    fn draws_with(mut self, vertex: &str, pixel: &str) -> Self {
        let header = HeaderBuilder::new(ProgramStage::Vertex).reads(attribute::GENERIC, 4);
        let header = header.writes(attribute::POSITION, 4).build().expect("a header");
        self.store_code(PROGRAMS, &header.0, vertex);
        let header = HeaderBuilder::new(ProgramStage::Pixel);
        let header = header.interpolates(attribute::GENERIC, 4, Interpolation::ScreenLinear).target(0, 0xF).build();
        self.store_code(PROGRAMS + u64::from(PIXEL), &header.expect("a header").0, pixel);
        self.push
            .set_object(Class::ThreeD.id())
            .color_target(0, &Target::blocks(ColorFormat::A8B8G8R8Unorm, WIDTH, HEIGHT, TARGET, 4))
            .color_targets(1)
            .viewport(0, WIDTH, HEIGHT)
            .program_region(PROGRAMS)
            .program(ProgramStage::Vertex, 0)
            .program(ProgramStage::Pixel, PIXEL)
            .vertex_stream(0, 16, VERTICES, 3 * 16)
            .vertex_attribute(0, 0, 0, VertexFormat::R32G32B32A32, VertexType::Float);
        self.store(VERTICES, WHOLE.as_flattened().iter().map(|value| value.to_bits()));
        self
    }

    /// A grid of one program, one warp a block.
    fn launches(mut self, program: &str) -> Self {
        self.store_code(PROGRAMS, &[], program);
        let mut words: launch::Words = [0; 64];
        fields::CTA_RASTER_WIDTH.put(&mut words, GRID);
        fields::CTA_RASTER_HEIGHT.put(&mut words, GRID);
        fields::CTA_RASTER_DEPTH.put(&mut words, 1);
        fields::CTA_THREAD_DIMENSION0.put(&mut words, BLOCK);
        fields::CTA_THREAD_DIMENSION1.put(&mut words, 1);
        fields::CTA_THREAD_DIMENSION2.put(&mut words, 1);
        fields::REGISTER_COUNT.put(&mut words, 16);
        self.store(DESCRIPTOR, words);
        self.push.set_object(Class::Compute.id()).address(compute::regs::set_program_region_a::ID, PROGRAMS);
        self.push.set(compute::regs::send_pcas_a::ID, (DESCRIPTOR >> 8) as u32);
        self.push.set(compute::regs::send_signaling_pcas_b::ID, 3);
        self
    }

    /// Submits everything. Returns the seconds that it took.
    fn seconds(mut self) -> f64 {
        let entry = self.push.entry(PUSH).expect("an entry");
        let words = std::mem::take(&mut self.push).finish().expect("methods");
        self.store(PUSH, words);
        let payload = [0, entry].map(u64::to_le_bytes).concat();
        let start = Instant::now();
        self.device.submit(&payload).expect("a submission");
        start.elapsed().as_secs_f64()
    }
}

/// Triangles over the whole target, whose pixels run this.
fn pixels(fuel: u64, program: &str, draws: usize) -> f64 {
    let mut setup = Setup::new(fuel).draws_with(PASS, program);
    for _ in 0..draws {
        setup.push.draw_arrays(Topology::Triangles, 0, 3);
    }
    setup.seconds()
}

/// Points whose vertex programs have a loop; all but three are beyond the array.
fn vertices(fuel: u64, program: &str) -> f64 {
    let mut setup = Setup::new(fuel).draws_with(program, "mov r0, rz, 0xf\nexit");
    setup.push.draw_arrays(Topology::Points, 0, MANY);
    setup.seconds()
}

fn grid(fuel: u64, program: &str) -> f64 {
    Setup::new(fuel).launches(program).seconds()
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    // What `libtriglyph_vgpu.so` sets.
    let (usual, virtual_gpu) = (Options::default().fuel, 1 << 34);
    // A quad of pixels has 2^16 instructions, a warp 2^18.
    let (short_pixels, short_warps) = (loop_of((1 << 16) / 3 - 8), loop_of((1 << 18) / 3 - 8));
    let kept = format!("{short_pixels}\nmov r0, rz, 0xf\nexit");
    let vertex = format!("{short_warps}\n{PASS}");
    let warps = format!("{short_warps}\nexit");
    let lines: [(&str, &dyn Fn() -> f64); 7] = [
        ("pixels without end", &|| pixels(usual, ENDLESS, 1)),
        ("pixels without end, virtual GPU", &|| pixels(virtual_gpu, ENDLESS, 1)),
        ("pixels below 2^16 instructions", &|| pixels(usual, &kept, 1)),
        ("the same, a hundred draws", &|| pixels(usual, &kept, 100)),
        ("vertices below 2^18 instructions", &|| vertices(usual, &vertex)),
        ("vertices without end", &|| vertices(usual, ENDLESS)),
        ("grid below 2^18 instructions", &|| grid(usual, &warps)),
    ];
    for (name, run) in lines.into_iter().filter(|(name, _)| name.contains(&filter)) {
        let least = (0..3).map(|_| run()).fold(f64::INFINITY, f64::min);
        println!("{name:<34} {least:6.2} s");
    }
}
