//! Draws of the RSX: before any pixel of them, their vertices, their pixels.
//!
//! * Draws of two triangles each, which lie outside of the scissor, with two programs, eight arrays, two textures,
//!   depth test and blending. Between them nothing changes, or what games change from object to object.
//! * One draw of many vertices whose triangles have no area: fetch, program, assembly.
//! * One draw of two triangles over many pixels.

use criterion::{Criterion, Throughput};
use triglyph::{Access, Device, GuestAddr, GuestRange, Machine, ObjectEntry, Options, Tier, new_device};
use triglyph_guest::rsx::fragment::memory::{Order, bytes};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::{fragment, vertex};

use crate::{DRAWS, measure};

const LOCAL: u32 = 0xFEED_0000;
const MAIN: u32 = 0xFEED_0001;
const OBJECT: u32 = 0x3133_7000;
/// Offsets in local memory.
const PROGRAMS: u32 = 0x80_0000;
const TEXTURE: u32 = 0x90_0000;
const ARRAYS: u32 = 0xA0_0000;

/// Vertices of a draw of nothing but vertices.
const VERTICES: u32 = 4096;
/// Pixels a side of a draw of pixels.
const SIDE: u32 = 256;

/// An RSX, and a push buffer in its main memory.
struct Setup {
    device: Box<dyn Device>,
    words: Vec<u32>,
    payload: Vec<u8>,
}

impl Setup {
    fn new(tier: Tier) -> Self {
        let options = Options::new(tier, 1);
        let mut device = new_device(Machine::Ps3, &options).expect("an RSX");
        device.as_replay().set_big_endian(true).expect("a PS3");
        for space in 0..2 {
            device.map(GuestRange::new(space, 0, 0x100_0000), Access::READ_WRITE).expect("memory");
        }
        for (handle, space) in [(LOCAL, 0), (MAIN, 1)] {
            let entry = ObjectEntry { handle, class: class::DMA_IN_MEMORY, space, base: 0, limit: 0xFF_FFFF };
            device.as_replay().object(entry).expect("an object");
        }
        device
            .as_replay()
            .object(ObjectEntry { handle: OBJECT, class: class::CURIE, space: 0, base: 0, limit: 0 })
            .expect("3D");
        let mut setup = Setup { device, words: Vec::new(), payload: Vec::new() };
        setup.state();
        setup.load();
        setup.run();
        setup
    }

    fn method(&mut self, method: usize, words: &[u32]) {
        self.words.push((words.len() as u32) << 18 | method as u32);
        self.words.extend_from_slice(words);
    }

    fn floats(&mut self, method: usize, values: &[f32]) {
        let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.method(method, &words);
    }

    /// Two programs, eight arrays, two textures, depth test and blending.
    fn state(&mut self) {
        self.method(0, &[OBJECT]);
        for id in [
            m::set_context_dma_a::ID,
            m::set_context_dma_color_a::ID,
            m::set_context_dma_zeta::ID,
            m::set_context_dma_vertex_a::ID,
        ] {
            self.method(id, &[LOCAL]);
        }
        self.method(m::set_surface_clip_horizontal::ID, &[1280 << 16, 720 << 16, 8 | 2 << 5 | 1 << 8]);
        self.method(m::set_surface_pitch_a::ID, &[1280 * 4, 0, 0x40_0000]);
        self.method(m::set_surface_pitch_z::ID, &[1280 * 4]);
        self.method(m::set_surface_color_target::ID, &[1]);
        self.method(m::set_color_mask::ID, &[0x0101_0101]);
        self.method(m::set_window_clip_horizontal::ID, &[0x0FFF_0000, 0x0FFF_0000]);
        self.method(m::set_scissor_horizontal::ID, &[8 << 16, 8 << 16]);
        self.method(m::set_viewport_horizontal::ID, &[0x1000_0000, 0x1000_0000]);
        self.floats(m::set_viewport_offset::ID, &[640.0, 360.0, 0.5, 0.0, 640.0, -360.0, 0.5, 0.0]);
        self.floats(m::set_clip_min::ID, &[0.0, 1.0]);
        self.method(m::set_depth_func::ID, &[0x201, 1, 1]);
        self.method(m::set_blend_enable::ID, &[1, 0x0302_0302, 0x0303_0303]);
        self.method(m::set_vertex_attrib_input_mask::ID, &[0xFFFF, 3 | 0xFF << 14]);
        self.method(m::set_transform_timeout::ID, &[0x20_FFFF]);

        let transform: String =
            (0..4).map(|i| format!("dp4 o[HPOS].{}, v[0], c[{i}]\n", ["x", "y", "z", "w"][i])).collect();
        let outputs: String = (0..6).map(|i| format!("mul o[TC{i}], v[{}], c[{}]\n", i + 8, i + 8)).collect();
        let (_, code) =
            vertex::assemble_program(&format!("{transform}{outputs}mov o[COL0], v[3]  [end]")).expect("valid");
        self.method(m::set_transform_program_load::ID, &[0]);
        code.iter().for_each(|words| self.method(m::set_transform_program::ID, words));
        for program in 0..2u32 {
            let text = format!(
                "tex r0, f[TC0], tex0\ntex r1, f[TC1], tex1\nmad r0, r0, r1, {{{program}, 0.5, 0.25, 1}}\n\
                 mul r0, r0, f[COL0]\nadd r0, r0, {{0.5, 0.5, 0.5, 1}}  [end]"
            );
            let code = fragment::assemble_program(&text).expect("valid");
            let stored: Vec<u8> =
                code.as_chunks().0.iter().flat_map(|slot: &[u32; 4]| bytes(*slot, Order::Big)).collect();
            self.device.write(GuestAddr::new(0, (PROGRAMS + 0x1000 * program).into()), &stored).expect("mapped");
        }
        self.method(m::set_shader_program::ID, &[PROGRAMS | 1]);
        self.method(m::set_shader_control::ID, &[0x0200_0040]);
        for unit in 0..2 {
            self.texture(unit, TEXTURE);
        }
        for i in (0..16).filter(|i| [0, 3, 8, 9, 10, 11, 12, 13].contains(i)) {
            self.method(m::set_vertex_data_array_offset::id(i), &[ARRAYS]);
            self.method(m::set_vertex_data_array_format::id(i), &[2 | 4 << 4 | 32 << 8]);
        }
    }

    fn texture(&mut self, unit: usize, offset: u32) {
        let words = [
            offset,
            1 | 8 | 2 << 4 | 0x85 << 8 | 1 << 16,
            0x1_0101,
            0x8000_0000,
            0xAAE4,
            0x0202_0000,
            64 << 16 | 64,
            0,
        ];
        self.method(m::set_texture_offset::id(unit), &words);
        self.method(m::set_texture_control3::id(unit), &[1 << 20]);
    }

    /// Two triangles over the whole target, and the matrix that changes nothing.
    fn corners(&mut self) {
        let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        let vertex = |(x, y): (f32, f32)| [x, y, 0.5, 1.0].into_iter().flat_map(f32::to_be_bytes).chain([0; 16]);
        let stored: Vec<u8> = corners.into_iter().flat_map(vertex).collect();
        self.device.write(GuestAddr::new(0, ARRAYS.into()), &stored).expect("mapped");
        self.method(m::set_transform_constant_load::ID, &[0]);
        let matrix: Vec<f32> = (0..16).map(|k| (k % 5 == 0) as u32 as f32).collect();
        self.floats(m::set_transform_constant::id(0), &matrix);
    }

    /// Vertices of `draws` draws which the [corners](Self::corners) hide, in the middle of the target.
    fn far(&mut self, draws: u32) {
        let place = [0.25f32, 0.25, 0.5, 1.0].into_iter().flat_map(f32::to_be_bytes).chain([0; 16]);
        let far: Vec<u8> = place.collect::<Vec<u8>>().repeat(6 * draws as usize);
        self.device.write(GuestAddr::new(0, (ARRAYS + 6 * 32).into()), &far).expect("mapped");
    }

    fn draw(&mut self, first: u32) {
        self.method(m::set_begin_end::ID, &[5]);
        self.method(m::draw_arrays::ID, &[first | 5 << 24]);
        self.method(m::set_begin_end::ID, &[0]);
    }

    /// Makes what was pushed the submission that [`Self::run`] gives.
    fn load(&mut self) {
        let words = std::mem::take(&mut self.words);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        self.device.write(GuestAddr::new(1, 0), &bytes).expect("mapped");
        self.payload = [0u32, 1].iter().flat_map(|word| word.to_le_bytes()).collect();
        self.payload.extend(0u64.to_le_bytes());
        self.payload.extend((bytes.len() as u64).to_le_bytes());
    }

    fn run(&mut self) {
        self.device.submit(&self.payload).expect("a submission");
    }
}

/// Draws with `change` before each, hidden by an earlier one.
fn draws(criterion: &mut Criterion, name: &str, change: impl Fn(&mut Setup, u32)) {
    measure(criterion, "rsx", name, || {
        let (_, tier) = tiers().last().expect("a tier");
        let mut setup = Setup::new(tier);
        setup.corners();
        setup.far(DRAWS);
        setup.draw(0);
        for i in 0..DRAWS {
            change(&mut setup, i);
            setup.draw(6 * (i + 1));
        }
        setup.load();
        setup.run();
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults());
        (setup.device, setup.payload)
    });
}

/// The tiers that there are here.
fn tiers() -> impl Iterator<Item = (&'static str, Tier)> {
    let all = [("interp", Tier::InterpreterOnly), ("jit", Tier::JitOnly)];
    all.into_iter().filter(|(_, tier)| new_device(Machine::Ps3, &Options::new(*tier, 1)).is_ok())
}

/// A transform and three lights of a normal, a texture coordinate transformed: 58 instructions and three arrays.
fn lighting() -> String {
    let rows = |to: &str, from: &str, first: usize, op: &str, rows: usize| -> String {
        let row = |i: usize| format!("{op} {to}.{}, c[{}], {from}\n", ["x", "y", "z", "w"][i], first + i);
        (0..rows).map(row).collect()
    };
    let mut text = rows("r1", "v[0]", 0, "dp4", 4) + &rows("o[HPOS]", "r1", 4, "dp4", 4);
    text += &rows("r2", "v[2]", 0, "dp3", 3);
    text += "mov r10, c[95]\ndp3 r3.x, r2, r2\nrsq r3.x, r3.x\nmul r2.xyz, r2, r3.x\nmov r9, c[20]\n";
    for light in [21, 24, 27] {
        text += &format!(
            "add r4, c[{light}], -r1\ndp3 r5.x, r4, r4\nrsq r5.y, r5.x\nmul r4.xyz, r4, r5.y\ndp3 r6.x, r2, r4\n\
             max r6.x, r10.y, r6.x\nmad r7.x, r5.x, r10.z, r10.x\nrcp r7.x, r7.x\nmul r6.x, r6.x, r7.x\n\
             mad r9, r6.x, c[{}], r9\n",
            light + 1
        );
    }
    text + "mul r9, c[40], r9\nadd r9, c[43], r9\nmax r9, r10.y, r9\nmin o[COL0], r10.x, r9\n\
            mov r8, v[8]\nmov r8.zw, r10.yx\ndp4 o[TC0].x, c[41], r8\ndp4 o[TC0].y, c[42], r8\n\
            mov o[TC0].zw, r10.x\nmov o[FOGC].x, r1.z\nmov o[TC1], r2\nmov o[TC2], r4  [end]"
}

/// Makes the setup's vertices lit ones of [`lighting`], in triangles of no area within the target.
fn light(setup: &mut Setup) {
    let (_, code) = vertex::assemble_program(&lighting()).expect("valid");
    assert_eq!(code.len(), 58);
    setup.method(m::set_transform_program_load::ID, &[0]);
    code.iter().for_each(|words| setup.method(m::set_transform_program::ID, words));
    setup.method(m::set_vertex_attrib_input_mask::ID, &[1 | 1 << 2 | 1 << 8, 1 | 3 << 14]);
    let arrays =
        [(0, 3, 0), (2, 3, 12), (8, 2, 24), (3, 0, 0), (9, 0, 0), (10, 0, 0), (11, 0, 0), (12, 0, 0), (13, 0, 0)];
    for (i, count, offset) in arrays {
        setup.method(m::set_vertex_data_array_offset::id(i), &[ARRAYS + offset]);
        setup.method(m::set_vertex_data_array_format::id(i), &[2 | count << 4 | 32 << 8]);
    }
    let vertex = |i: u32| {
        let at = (i / 3) as f32 / VERTICES as f32;
        [at - 0.5, 0.25 - at, 0.5, at, 0.6, 0.8 - at, at, 1.0]
    };
    let stored: Vec<u8> = (0..VERTICES).flat_map(vertex).flat_map(f32::to_be_bytes).collect();
    setup.device.write(GuestAddr::new(0, ARRAYS.into()), &stored).expect("mapped");
    for constant in (0..96).step_by(8) {
        setup.method(m::set_transform_constant_load::ID, &[constant]);
        let value = |k: u32| match constant + k / 4 {
            0..8 => u32::from(k.is_multiple_of(5)) as f32,
            95 => [1.0, 0.0, 0.125, 0.5][k as usize % 4],
            n => 0.01 * (n + k) as f32,
        };
        let values: Vec<f32> = (0..32).map(value).collect();
        setup.floats(m::set_transform_constant::id(0), &values);
    }
}

/// Ten instructions and eight arrays; lights.
fn vertices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rsx-vertices");
    group.throughput(Throughput::Elements(VERTICES.into()));
    for ((name, tier), lit) in tiers().flat_map(|tier| [(tier, false), (tier, true)]) {
        let mut setup = Setup::new(tier);
        if lit {
            light(&mut setup);
        }
        setup.method(m::set_begin_end::ID, &[5]);
        (0..VERTICES / 256).for_each(|i| setup.method(m::draw_arrays::ID, &[(256 * i) | 255 << 24]));
        setup.method(m::set_begin_end::ID, &[0]);
        setup.load();
        let program = if lit { "lights" } else { "transform" };
        group.bench_function(format!("{program}/{name}"), |b| b.iter(|| setup.run()));
        assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults());
    }
    group.finish();
}

/// Two triangles; with the program of a colour alone, or with two linear textures, depth test and blending.
fn pixels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rsx-pixels");
    group.throughput(Throughput::Elements(u64::from(SIDE * SIDE)));
    let colour = fragment::assemble_program("mov r0, f[COL0]  [end]").expect("valid");
    let colour: Vec<u8> = colour.as_chunks().0.iter().flat_map(|slot: &[u32; 4]| bytes(*slot, Order::Big)).collect();
    for (state, whole) in [("colour", false), ("textures, depth, blending", true)] {
        for (name, tier) in tiers() {
            let mut setup = Setup::new(tier);
            if !whole {
                setup.device.write(GuestAddr::new(0, PROGRAMS.into()), &colour).expect("mapped");
                setup.method(m::set_depth_test_enable::ID, &[0]);
                setup.method(m::set_blend_enable::ID, &[0]);
            }
            setup.corners();
            setup.method(m::set_scissor_horizontal::ID, &[SIDE << 16, SIDE << 16]);
            setup.method(m::set_depth_func::ID, &[0x203]);
            setup.draw(0);
            setup.load();
            group.bench_function(format!("{state}/{name}"), |b| b.iter(|| setup.run()));
            assert_eq!(setup.device.faults().total(), 0, "{:?}", setup.device.faults());
        }
    }
    group.finish();
}

pub fn bench(criterion: &mut Criterion) {
    vertices(criterion);
    pixels(criterion);
    draws(criterion, "unchanged", |_, _| ());
    let constants = |setup: &mut Setup, i: u32| {
        setup.method(m::set_transform_constant_load::ID, &[0]);
        let matrix: Vec<f32> = (0..16).map(|k| (k % 5 == 0) as u32 as f32 + 0.001 * i as f32).collect();
        setup.floats(m::set_transform_constant::id(0), &matrix);
    };
    draws(criterion, "a matrix", constants);
    draws(criterion, "a matrix and textures", |setup, i| {
        constants(setup, i);
        (0..2).for_each(|unit| setup.texture(unit, TEXTURE + 0x4000 * (i % 7)));
    });
    draws(criterion, "a matrix, textures, arrays and programs", |setup, i| {
        constants(setup, i);
        (0..2).for_each(|unit| setup.texture(unit, TEXTURE + 0x4000 * (i % 7)));
        setup.method(m::set_shader_program::ID, &[(PROGRAMS + 0x1000 * (i % 2)) | 1]);
        setup.method(m::set_vertex_data_array_offset::id(0), &[ARRAYS + 0x1000 * (i % 3)]);
    });
}
