//! Draws of the Tegra X1: a triangle whose corners are one point. Two programs with constants, four textures, depth
//! test and blending. A draw of many vertices tells what three of them cost.

use criterion::{Criterion, Throughput};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, Options, Tier, new_device};
use triglyph_guest::tegra::fifo::{Command, Entry, Run, Segment, Stepping};
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_guest::tegra::shader::assemble_program;

use crate::{DRAWS, measure};

/// Vertices of a draw of nothing but vertices.
const VERTICES: u32 = 3 * 4096;

/// Addresses of the push buffer, data and surfaces.
const PUSH: u32 = 0x10_0000;
const PROGRAMS: u32 = 0x100_0000;
const ARRAYS: u32 = 0x110_0000;
const CONSTANTS: u32 = 0x120_0000;
const HANDLES: u32 = 0x121_0000;
const HEADERS: u32 = 0x122_0000;
const SAMPLERS: u32 = 0x123_0000;
const TEXELS: u32 = 0x130_0000;
const TARGET: u32 = 0x200_0000;
const DEPTH: u32 = 0x280_0000;
const END: u32 = 0x300_0000;

/// Vertices of a triangle of some pixels, which come first; the others are one point.
const SEEN: u32 = 3;

const VERTEX: usize = 1;
const PIXEL: usize = 5;

/// A translation, and coordinates that are passed on.
const TRANSLATE: &str = "
    ald.w4 r0, [rz+0x80], rz
    ald.w4 r4, [rz+0x90], rz
    mov r8, c[3][0x0], 0xf
    mov r9, c[3][0x4], 0xf
    mov r10, c[3][0x8], 0xf
    fadd r0, r0, r8
    fadd r1, r1, r9
    fadd r2, r2, r10
    ast.w4 r0, [rz+0x70], rz
    ast.w4 r4, [rz+0x80], rz
    exit
";

/// Texels of four textures one after another, and a constant.
const TEXTURED: &str = "
    ipa.pass r8, a[rz+0x80], rz, rz, pt
    ipa.pass r9, a[rz+0x84], rz, rz, pt
    tex.d2 r0, r8, rz, 0x0, 0xf, pt
    tex.d2 r4, r8, rz, 0x1, 0xf, pt
    fadd r0, r0, r4
    tex.d2 r4, r8, rz, 0x2, 0xf, pt
    fadd r1, r1, r5
    tex.d2 r4, r8, rz, 0x3, 0xf, pt
    fadd r2, r2, r6
    mov r4, c[3][0x10], 0xf
    fadd r0, r0, r4
    exit
";

/// A Tegra X1 and a push buffer in its memory.
struct Setup {
    device: Box<dyn Device>,
    words: Vec<u32>,
    payload: Vec<u8>,
}

impl Setup {
    fn new() -> Self {
        let tiers = [Tier::JitOnly, Tier::InterpreterOnly].into_iter();
        let mut devices = tiers.filter_map(|tier| new_device(Machine::TegraX1, &Options::new(tier, 1)).ok());
        let mut device = devices.next().expect("a tier");
        device.map(GuestRange::new(0, PUSH.into(), (END - PUSH).into()), Access::READ_WRITE).expect("memory");
        let mut setup = Setup { device, words: Vec::new(), payload: Vec::new() };
        setup.state();
        let corner = |x: f32, y: f32| [x, y, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0].map(f32::to_bits);
        let seen = [corner(0.0, 0.0), corner(0.01, 0.0), corner(0.0, 0.02)];
        let rest = [corner(0.5, 0.5)].repeat(VERTICES as usize);
        setup.store(ARRAYS, seen.concat().as_slice());
        setup.store(ARRAYS + 32 * SEEN, rest.concat().as_slice());
        setup.load();
        setup.run();
        setup
    }

    fn store(&mut self, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.write(GuestAddr::new(0, address.into()), &bytes).expect("mapped memory");
    }

    fn methods(&mut self, method: usize, data: &[u32]) {
        let run = Run { subchannel: 0, method: method as u32, count: data.len() as u32, stepping: Stepping::Each };
        self.words.extend(Command::Run(run).encode());
        self.words.extend(data);
    }

    fn set(&mut self, registers: &[(usize, u32)]) {
        registers.iter().for_each(|&(method, datum)| self.methods(method, &[datum]));
    }

    fn program(&mut self, stage: usize, mut header: [u32; 20], text: &str) {
        header[0] |= 3 << 5;
        let offset = 0x1000 * stage as u32;
        let code: Vec<u32> =
            assemble_program(text).expect("valid").iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
        for copy in [0, 0x1_0000] {
            self.store(PROGRAMS + copy + offset, &header);
            self.store(PROGRAMS + copy + offset + 80, &code);
        }
        let switch = [
            (r::set_pipeline_shader::id(stage), 1 | (stage as u32) << 4),
            (r::set_pipeline_program::id(stage), offset),
        ];
        self.set(&switch);
    }

    /// The same programs at another address, or those of the state.
    fn select(&mut self, other: bool) {
        let offset = if other { 0x1_0000 } else { 0 };
        for stage in [VERTEX, PIXEL] {
            self.set(&[(r::set_pipeline_program::id(stage), offset + 0x1000 * stage as u32)]);
        }
    }

    fn programs(&mut self) {
        let mut header = [0; 20];
        header[0] = 1 | 1 << 10;
        let mut set = |bit: u32| header[bit as usize / 32] |= 1 << (bit % 32);
        (0..8).for_each(|i| set(160 + attribute::GENERIC / 4 + i));
        (0..4).for_each(|i| set(400 + attribute::POSITION / 4 + i));
        (0..4).for_each(|i| set(400 + attribute::GENERIC / 4 + i));
        self.program(VERTEX, header, TRANSLATE);
        let mut header = [0; 20];
        header[0] = 2 | 5 << 10 | 1 << 14 | 1 << 15;
        header[5] = 1 << 31;
        header[6] = 2 * 0x55;
        header[18] = 0xF;
        self.program(PIXEL, header, TEXTURED);
    }

    fn state(&mut self) {
        self.programs();
        for number in 0..8 {
            let components = 0x08 | 2 << 7 | 2 << 10 | 2 << 13 | 2 << 16 | 2 << 19 | 3 << 22 | 4 << 25 | 5 << 28;
            let texels = TEXELS + 0x1_0000 * number;
            self.store(
                HEADERS + 32 * number,
                &[components, texels, 2 << 21, 64 * 4 / 32, 63 | 7 << 23, 63 | 1 << 31, 0, 0],
            );
            self.store(SAMPLERS + 32 * number, &[2 | 2 << 3, 2 | 2 << 4 | 1 << 6, 0, 0, 0, 0, 0, 0]);
        }
        self.store(HANDLES, &[0, 1, 2, 3]);
        self.set(&[
            (r::set_color_target_b::id(0), TARGET),
            (r::set_color_target_width::id(0), 1280),
            (r::set_color_target_height::id(0), 720),
            (r::set_color_target_format::id(0), 0xD5),
            (r::set_color_target_memory::id(0), 4 << 4),
            (r::set_color_target_third_dimension::id(0), 1),
            (r::set_zt_select::ID, 1),
            (r::set_zt_b::ID, DEPTH),
            (r::set_zt_format::ID, 0x0A),
            (r::set_zt_block_size::ID, 4 << 4),
            (r::set_zt_size_a::ID, 1280),
            (r::set_zt_size_b::ID, 720),
            (r::set_zt_size_c::ID, 1),
            (r::set_ct_select::ID, 1),
            (r::set_surface_clip_horizontal::ID, 1280 << 16),
            (r::set_surface_clip_vertical::ID, 720 << 16),
            (r::set_depth_test::ID, 1),
            (r::set_depth_write::ID, 1),
            (r::set_depth_func::ID, 2),
            (r::set_blend::id(0), 1),
            (r::ogl_set_cull::ID, 1),
            (r::set_viewport_scale_offset::ID, 1),
            (r::set_viewport_clip_control::ID, 2),
            (r::set_viewport_scale_x::id(0), 640f32.to_bits()),
            (r::set_viewport_scale_y::id(0), 360f32.to_bits()),
            (r::set_viewport_scale_z::id(0), 1f32.to_bits()),
            (r::set_viewport_offset_x::id(0), 640f32.to_bits()),
            (r::set_viewport_offset_y::id(0), 360f32.to_bits()),
            (r::set_viewport_clip_horizontal::id(0), 1280 << 16),
            (r::set_viewport_clip_vertical::id(0), 720 << 16),
            (r::set_program_region_b::ID, PROGRAMS),
            (r::set_vertex_stream_a_format::id(0), 32 | 1 << 12),
            (r::set_vertex_stream_a_location_b::id(0), ARRAYS),
            (r::set_vertex_stream_limit_a_b::id(0), CONSTANTS - 1),
            (r::set_vertex_attribute_a::id(0), 0x01 << 21 | 7 << 27),
            (r::set_vertex_attribute_a::id(1), 16 << 7 | 0x01 << 21 | 7 << 27),
            (r::set_tex_header_pool_b::ID, HEADERS),
            (r::set_tex_header_pool_c::ID, 7),
            (r::set_tex_sampler_pool_b::ID, SAMPLERS),
            (r::set_tex_sampler_pool_c::ID, 7),
            (r::set_bindless_texture::ID, 2),
        ]);
        for group in [0, 4] {
            self.bind(group, 2, HANDLES);
            self.bind(group, 3, CONSTANTS);
        }
    }

    fn bind(&mut self, group: usize, slot: u32, address: u32) {
        self.methods(r::set_constant_buffer_selector_a::ID, &[0x100, 0, address]);
        self.methods(r::bind_group_constant_buffer::id(group), &[1 | slot << 4]);
    }

    /// Sixteen words of a constant buffer.
    fn constants(&mut self, address: u32, i: u32) {
        self.methods(r::set_constant_buffer_selector_a::ID, &[0x100, 0, address, 0]);
        let words: Vec<u32> = (0..16).map(|k| (0.001 * (i + k) as f32).to_bits()).collect();
        self.methods(r::load_constant_buffer::id(0), &words);
    }

    fn draw(&mut self, first: u32, vertices: u32) {
        self.methods(r::begin::ID, &[Topology::Triangles.bits()]);
        self.methods(r::set_vertex_array_start::ID, &[first, vertices]);
        self.methods(r::end::ID, &[0]);
    }

    /// Makes what was pushed the submission that [`Self::run`] gives.
    fn load(&mut self) {
        let words = std::mem::take(&mut self.words);
        assert!(4 * words.len() < (PROGRAMS - PUSH) as usize);
        self.store(PUSH, &words);
        let words = words.len() as u32;
        let segment = Segment { address: PUSH.into(), words, sync: false, subroutine: false, conditional: false };
        self.payload = [0u64, Entry::Segment(segment).encode()].iter().flat_map(|word| word.to_le_bytes()).collect();
    }

    fn run(&mut self) {
        self.device.submit(&self.payload).expect("a submission");
    }
}

/// Vertices and nothing else.
fn vertices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tegra-vertices");
    group.throughput(Throughput::Elements(VERTICES.into()));
    let mut setup = Setup::new();
    setup.draw(SEEN, VERTICES);
    setup.load();
    group.bench_function("of no area", |b| b.iter(|| setup.run()));
    group.finish();
}

/// Draws with `change` before each, hidden by an earlier one.
fn draws(criterion: &mut Criterion, name: &str, change: impl Fn(&mut Setup, u32)) {
    measure(criterion, "tegra", name, || {
        let mut setup = Setup::new();
        setup.draw(0, SEEN);
        for i in 0..DRAWS {
            change(&mut setup, i);
            setup.draw(SEEN, 3);
        }
        setup.load();
        setup.run();
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults());
        (setup.device, setup.payload)
    });
}

pub fn bench(criterion: &mut Criterion) {
    vertices(criterion);
    draws(criterion, "unchanged", |_, _| ());
    draws(criterion, "the same words again", |setup, _| {
        setup.methods(r::set_depth_test::ID, &[1]);
        setup.methods(r::set_viewport_scale_x::id(0), &[640f32.to_bits()]);
    });
    draws(criterion, "16 constants of both programs", |setup, i| setup.constants(CONSTANTS, i));
    draws(criterion, "other constant buffers", |setup, i| {
        setup.bind(0, 3, CONSTANTS + 0x100 * (i % 7));
        setup.bind(4, 3, CONSTANTS + 0x100 * (i % 5));
    });
    draws(criterion, "another vertex array", |setup, i| {
        setup.methods(r::set_vertex_stream_a_location_b::id(0), &[ARRAYS + 0x100 * (i % 3)]);
    });
    draws(criterion, "constants and textures", |setup, i| {
        setup.constants(CONSTANTS, i);
        setup.methods(r::set_constant_buffer_selector_a::ID, &[0x100, 0, HANDLES, 0]);
        setup.methods(r::load_constant_buffer::id(0), &[i % 5, i % 7]);
    });
    draws(criterion, "other programs", |setup, i| setup.select(i % 2 != 0));
    draws(criterion, "constants, blending, viewport", |setup, i| {
        setup.constants(CONSTANTS, i);
        setup.methods(r::set_blend::id(0), &[i % 2]);
        setup.methods(r::set_viewport_scale_x::id(0), &[(640.0 + (i % 3) as f32).to_bits()]);
    });
}
