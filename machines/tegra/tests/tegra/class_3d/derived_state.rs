//! What draws of the Tegra X1 remember of each other makes no difference: random registers, bindings and memory change
//! between draws, on a machine that remembers and on one that derives everything anew.
//!
//! `TRIGLYPH_SEEDS=start:count` runs other seeds than the first few.

use std::collections::HashMap;

use crate::support::threed::{
    COLOR, CONSTANTS, EDGE, PASS, PIXEL, PROGRAMS, TARGET, VERTEX, VERTICES, header, pixel_header, program, ready,
    texture_header, vertices,
};
use crate::support::{COPY, DATA, INLINE, Machine, methods, threed};
use triglyph_engine::Device;
use triglyph_engine::device::Access;
use triglyph_engine::mem::GuestRange;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{METHODS, Topology, regs as r};
use triglyph_guest::tegra::methods::{Class, Effect};
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_testkit::derived_state::{self, Action, Pair as _, draw_around, each_register, random_actions};
use triglyph_testkit::random::{Random, assert_same, noise, seeds};

/// Offsets in the data: handles are next to constants, on one page.
const HANDLES: u64 = CONSTANTS + 0x100;
const OTHERS: u64 = CONSTANTS + 0x200;
const POOL: u64 = 0x5_0000;
const SAMPLERS: u64 = POOL + 0x1000;
const TEXELS: u64 = 0x6_0000;
/// What is copied from, and what programs store to.
const SPARE: u64 = 0x7_0000;
const SECOND: u64 = 0x14_0000;

/// Moves vertices by a constant.
const MOVED: &str = "
    ald.w4 r0, [rz+0x80], rz
    ald.w4 r4, [rz+0x90], rz
    mov r8, c[3][0x0], 0xf
    fadd r0, r0, r8
    ast.w4 r0, [rz+0x70], rz
    ast.w4 r4, [rz+0x80], rz
    exit
";

/// Pixels of one colour, which is constant.
const CONSTANT: &str = "
    mov r0, c[3][0x10], 0xf
    mov r1, c[3][0x14], 0xf
    mov r2, c[3][0x18], 0xf
    mov r3, c[3][0x1c], 0xf
    exit
";

/// A texel of the texture whose handle is number 1 of the buffer of handles.
const TEXEL: &str = "
    ipa.pass r4, a[rz+0x80], rz, rz, pt
    ipa.pass r5, a[rz+0x84], rz, rz, pt
    tex.d2 r0, r4, rz, 0x1, 0xf, pt
    exit
";

/// Stores a constant where constants say.
const STORE: &str = "
    mov r4, c[3][0x20], 0xf
    mov r5, rz, 0xf
    mov r0, c[3][0x10], 0xf
    mov r1, r0, 0xf
    mov r2, r0, 0xf
    mov r3, r0, 0xf
    stg.e.b32 r0, [r4]
    exit
";

/// Vertices that bring no colour but have one that is constant.
const COLORLESS: &str = "
    ald.w4 r0, [rz+0x80], rz
    mov r4, c[3][0x10], 0xf
    mov r5, c[3][0x14], 0xf
    mov r6, c[3][0x18], 0xf
    mov r7, c[3][0x1c], 0xf
    ast.w4 r0, [rz+0x70], rz
    ast.w4 r4, [rz+0x80], rz
    exit
";

/// Vertices without any colour.
const PLACE: &str = "
    ald.w4 r0, [rz+0x80], rz
    ast.w4 r0, [rz+0x70], rz
    exit
";

/// Pixels of a colour that says where rows begin.
const DIRECTION: &str = "
    s2r r0, sr_y_direction
    mov r1, c[3][0x14], 0xf
    mov r2, r0, 0xf
    mov r3, c[3][0x1c], 0xf
    exit
";

/// Programs of vertices, words of their inputs, and of their outputs besides the position.
const VERTEX_PROGRAMS: [(&str, u32, u32); 4] = [(PASS, 8, 4), (MOVED, 8, 4), (COLORLESS, 4, 4), (PLACE, 4, 0)];
const PIXEL_PROGRAMS: [&str; 7] = [COLOR, CONSTANT, CONSTANT, TEXEL, TEXEL, STORE, DIRECTION];

/// Where another pixel program is.
const OTHER_PROGRAM: u64 = PROGRAMS + 0x8000;

fn at(offset: u64) -> u32 {
    (DATA + offset) as u32
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn float(v: f32) -> u32 {
    v.to_bits()
}

/// A machine that remembers and one that does not.
struct Pair {
    machines: [Machine; 2],
    random: Random,
    /// Registers that will get their values back.
    changed: Vec<(usize, u32)>,
    /// Methods that make groups stale, and what they had at first.
    stateful: Vec<usize>,
    base: Vec<(usize, u32)>,
    /// What was written to methods.
    values: HashMap<usize, u32>,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut pair = Pair {
            machines: [ready(), ready()],
            random: Random::new(seed),
            changed: Vec::new(),
            stateful: stateful(),
            values: HashMap::new(),
            base: Vec::new(),
        };
        pair.machines[1].gpu.set_state_cache_enabled(false);
        pair.both(|m| {
            fill(m);
            threed::texture_pools(m, POOL, SAMPLERS, 7);
            m.threed(&[(r::set_bindless_texture::ID, 2)]);
            bind_all(m);
        });
        pair.base = pair.stateful.clone().into_iter().map(|method| (method, pair.get(method))).collect();
        pair
    }

    fn both(&mut self, mut f: impl FnMut(&mut Machine)) {
        self.machines.iter_mut().for_each(&mut f);
    }

    fn set(&mut self, registers: &[(usize, u32)]) {
        self.values.extend(registers.iter().copied());
        self.both(|m| m.threed(registers));
    }

    fn get(&self, method: usize) -> u32 {
        self.values.get(&method).copied().unwrap_or_else(|| self.machines[0].register(Class::ThreeD, method))
    }
}

impl derived_state::Pair for Pair {
    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// A state that shows what is drawn, some parts of the pipeline being on.
    fn restore(&mut self) {
        self.changed.clear();
        for (method, value) in self.base.clone() {
            if self.get(method) != value {
                self.set(&[(method, value)]);
            }
        }
        for feature in FEATURES {
            if self.random.below(4) == 0 {
                self.set(&[feature]);
            }
        }
        self.both(|m| {
            fill(m);
            bind_all(m);
        });
        for vertex in [true, false] {
            let (offset, bytes) = code_of(self, vertex);
            self.both(|m| m.write(offset, &bytes));
        }
        let (_, other) = code_of(self, false);
        self.both(|m| m.write(OTHER_PROGRAM, &other));
        let mut v = || self.random.below(9) as f32 / 8.0;
        let mut corner = |x: f32, y: f32| threed::vertex(x, y, v(), [v(), v(), v(), 0.5 + v() / 2.0]);
        let all = [(); 2].map(|()| [corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, -1.0), corner(1.0, 1.0)]);
        self.both(|m| vertices(m, all.as_flattened()));
    }

    /// Draws over all of the target.
    fn cover(&mut self) {
        let topology = self.random.pick(&[
            Topology::TriangleStrip,
            Topology::TriangleStrip,
            Topology::LineStrip,
            Topology::Points,
        ]);
        let first = 4 * self.random.below(2);
        self.set(&[
            (r::begin::ID, topology.bits()),
            (r::set_vertex_array_start::ID, first),
            (r::draw_vertex_array::ID, 4),
            (r::end::ID, 0),
        ]);
    }

    fn compare(&mut self, what: &str) {
        let [a, b] = self.machines.each_mut().map(|m| (m.data(), m.gpu.faults().clone()));
        assert_same([&a.0, &b.0], what);
        assert_eq!(a.1, b.1, "{what}");
    }
}

/// Textures, constants and handles.
fn fill(m: &mut Machine) {
    m.write(TEXELS, &noise(0x4000, 5));
    let textures = [(TEXELS, 8), (TEXELS + 0x1000, 16), (TARGET, 64), (SECOND, 64)];
    for (number, (texels, edge)) in textures.into_iter().enumerate() {
        m.write(POOL + 32 * number as u64, &bytes(&texture_header(texels, edge)));
    }
    for number in 0..4 {
        let sampler = [2 | (number as u32) << 3, 1 | 1 << 4 | 1 << 6, 0, 0, 0, 0, 0, 0];
        m.write(SAMPLERS + 32 * number, &bytes(&sampler));
    }
    let [a, b] = [[0.0, 1.0, 0.5, 0.25], [0.25, 0.1, 0.9, 0.5]].map(|values: [f32; 4]| values.map(float));
    m.write(CONSTANTS, &bytes(&[a[0], 0, 0, 0, a[1], a[2], a[3], float(1.0), at(SPARE)]));
    m.write(OTHERS, &bytes(&[b[0], 0, 0, 0, b[1], b[2], b[3], float(1.0), at(SPARE + 64)]));
    m.write(HANDLES, &bytes(&[0, 1, 2, 3]));
}

fn bind_all(m: &mut Machine) {
    for group in [0, 4] {
        bind(m, group, 3, CONSTANTS, 0x100);
        bind(m, group, 2, HANDLES, 0x100);
    }
}

fn bind(m: &mut Machine, group: usize, slot: u32, offset: u64, size: u32) {
    m.threed(&[
        (r::set_constant_buffer_selector_a::ID, size),
        (r::set_constant_buffer_selector_b::ID, 0),
        (r::set_constant_buffer_selector_c::ID, at(offset)),
        (r::bind_group_constant_buffer::id(group), 1 | slot << 4),
    ]);
}

/// Registers that make groups stale.
fn stateful() -> Vec<usize> {
    let rows = METHODS.rows().iter().filter(|row| matches!(row.effect, Effect::Dirty(_)));
    rows.flat_map(|row| (0..row.count.min(6)).map(|i| row.id + i * row.step)).collect()
}

/// A register becomes something else, until some draws later.
fn register(p: &mut Pair) {
    let method = p.random.pick(&p.stateful.clone());
    poke(p, method);
}

fn poke(p: &mut Pair, method: usize) {
    let before = p.get(method);
    let values =
        [before ^ 1 << p.random.below(32), before ^ 1 << p.random.below(8), p.random.below(8), before, p.random.word()];
    let value = p.random.pick(&values);
    p.changed.push((method, before));
    p.set(&[(method, value)]);
}

fn give_back(p: &mut Pair) {
    let changed: Vec<_> = p.changed.drain(..).rev().collect();
    p.set(&changed);
}

/// State as programs set it.
fn state(p: &mut Pair) {
    let x = p.random.below(40);
    let registers = [
        (r::set_blend::id(0), p.random.below(2)),
        (r::set_blend_color_dest_coeff::ID, p.random.pick(&[1, 2, 0x4303, 0x4302])),
        (r::set_ct_write::id(0), p.random.pick(&[0x1111, 0x1111, 0x0101, 0])),
        (r::set_scissor_enable::id(0), p.random.below(2)),
        (r::set_scissor_horizontal::id(0), x | (x + 20) << 16),
        (r::set_viewport_offset_x::id(0), float(32.0 + p.random.below(8) as f32)),
        (r::ogl_set_cull::ID, p.random.below(2)),
        (r::set_color_target_b::id(0), at(p.random.pick(&[TARGET, TARGET, SECOND]))),
        (r::set_color_target_format::id(0), p.random.pick(&[0xD5, 0xD5, 0xCF])),
        (r::set_window_origin::ID, p.random.pick(&[0, 0, 1, 0x10])),
        (r::set_tex_header_pool_b::ID, at(p.random.pick(&[POOL, POOL, POOL + 32]))),
        (r::set_vertex_stream_a_location_b::id(0), at(VERTICES + 32 * u64::from(p.random.below(3)))),
        (r::set_provoking_vertex::ID, p.random.below(2)),
        (r::set_pipeline_program::id(PIXEL), p.random.pick(&[OTHER_PROGRAM, PROGRAMS + 0x1000 * PIXEL as u64]) as u32),
        (r::set_shade_mode::ID, p.random.pick(&[0x1D00, 0x1D01])),
    ];
    let registers = p.random.pick(&registers);
    p.set(&[registers]);
}

fn bindings(p: &mut Pair) {
    let (group, slot) = (p.random.pick(&[0, 4]), p.random.pick(&[2, 3, 3]));
    let (offset, size) =
        (p.random.pick(&[CONSTANTS, HANDLES, OTHERS, OTHERS]), p.random.pick(&[0x100, 0x100, 0x20, 0x14]));
    let offset = if slot == 2 { HANDLES } else { offset };
    match p.random.below(8) {
        0 => p.set(&[(r::bind_group_constant_buffer::id(group), slot << 4)]),
        _ => p.both(|m| bind(m, group, slot, offset, size)),
    }
}

/// Constants as data of methods.
fn constants(p: &mut Pair) {
    let buffer = p.random.pick(&[CONSTANTS, OTHERS, HANDLES]);
    let (offset, datum) = match buffer == HANDLES {
        true => (4 * p.random.below(3), p.random.below(5) | p.random.below(4) << 20),
        false => (4 * p.random.below(8), float(p.random.below(5) as f32 / 4.0)),
    };
    p.set(&[
        (r::set_constant_buffer_selector_a::ID, 0x100),
        (r::set_constant_buffer_selector_c::ID, at(buffer)),
        (r::load_constant_buffer_offset::ID, offset),
        (r::load_constant_buffer::id(0), datum),
    ]);
}

fn code(p: &mut Pair) -> (u64, Vec<u8>) {
    let vertex = p.random.below(3) == 0;
    code_of(p, vertex)
}

/// A program for the vertices or for the pixels, and its place.
fn code_of(p: &mut Pair, vertex: bool) -> (u64, Vec<u8>) {
    let (text, inputs, outputs) =
        if vertex { p.random.pick(&VERTEX_PROGRAMS) } else { (p.random.pick(&PIXEL_PROGRAMS), 0, 0) };
    let inputs = threed::words(attribute::GENERIC, inputs);
    let outputs = [threed::words(attribute::POSITION, 4), threed::words(attribute::GENERIC, outputs)].concat();
    let head = if vertex { header(1, &inputs, &outputs) } else { pixel_header(p.random.pick(&[1, 2, 2])) };
    let code = assemble_program(text).expect("a program");
    let code = code.iter().flat_map(|word| word.to_le_bytes());
    let stage = if vertex { VERTEX } else { PIXEL };
    (PROGRAMS + 0x1000 * stage as u64, bytes(&head).into_iter().chain(code).collect())
}

/// Something for a place that draws depend on.
fn content(p: &mut Pair) -> (u64, Vec<u8>) {
    match p.random.below(5) {
        0 => code(p),
        1 => (CONSTANTS + 16, bytes(&[0, 1, 2].map(|_| float(p.random.below(9) as f32 / 8.0)))),
        2 => (HANDLES + 4, bytes(&[p.random.below(4)])),
        3 => {
            let (number, texels, edge) =
                (p.random.below(3), p.random.pick(&[TEXELS, TARGET, SECOND]), p.random.pick(&[8, 16, 64]));
            (POOL + 32 * u64::from(number), bytes(&texture_header(texels, edge)))
        }
        _ => (TEXELS + 4 * u64::from(p.random.below(64)), noise(64, p.random.word().into())),
    }
}

/// The host's processor writes, between submissions.
fn host(p: &mut Pair) {
    let (offset, bytes) = content(p);
    p.both(|m| m.write(offset, &bytes));
}

/// An inline transfer writes.
fn inline(p: &mut Pair) {
    let (offset, bytes) = content(p);
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    p.both(|m| {
        m.run(&methods(INLINE, 0x60, &[bytes.len() as u32, 1, 0, at(offset), 0]));
        m.run(&methods(INLINE, 0x6C, &[1]));
        words.iter().for_each(|word| m.run(&methods(INLINE, 0x6D, &[*word])));
    });
}

/// The copy engine writes.
fn copy(p: &mut Pair) {
    let (offset, bytes) = content(p);
    p.both(|m| {
        m.write(SPARE + 0x1000, &bytes);
        m.run(&methods(COPY, 0x100, &[0, at(SPARE + 0x1000), 0, at(offset), 0, 0, bytes.len() as u32, 1]));
        // Pitch to pitch, one line.
        m.run(&methods(COPY, 0xC0, &[2 | 1 << 7 | 1 << 8]));
    });
}

/// Draws go where draws read from.
fn feedback(p: &mut Pair) {
    let to = p.random.pick(&[TEXELS, CONSTANTS & !0xFF, POOL, PROGRAMS + 0x1000 * PIXEL as u64, SPARE]);
    let before = p.get(r::set_color_target_b::id(0));
    p.set(&[(r::set_color_target_b::id(0), at(to))]);
    draw(p);
    if p.random.below(4) == 0 {
        draw(p);
    }
    p.set(&[(r::set_color_target_b::id(0), before)]);
}

/// A place that the store program writes to.
fn store_place(p: &mut Pair) {
    let to = p.random.pick(&[SPARE, CONSTANTS + 16, TEXELS, HANDLES + 4, POOL + 4]);
    p.both(|m| m.write(CONSTANTS + 0x20, &bytes(&[at(to)])));
}

fn other_vertices(p: &mut Pair) {
    let mut vertex = || {
        let mut v = |scale: f32| (p.random.below(9) as f32 - 4.0) / 4.0 * scale;
        threed::vertex(v(1.0), v(1.0), 0.5, [v(1.0).abs(), v(1.0).abs(), v(1.0).abs(), 1.0])
    };
    let all = [(); 8].map(|()| vertex());
    p.both(|m| vertices(m, &all));
}

/// Maps other memory where draws read, perhaps with none between.
fn mapping(p: &mut Pair) {
    let program = PROGRAMS + 0x1000 * PIXEL as u64;
    let place = p.random.pick(&[TEXELS, CONSTANTS, POOL, SAMPLERS, program, VERTICES, TARGET]);
    let held = p.machines.each_mut().map(|m| m.read(place, 0x1000));
    let map = |p: &mut Pair, access| {
        p.both(|m| m.gpu.map(GuestRange::new(0, DATA + place, 0x1000), access).expect("memory"));
    };
    if p.random.below(3) == 0 {
        map(p, Access { read: false, write: false });
        p.cover();
    }
    map(p, Access::READ_WRITE);
    p.machines.iter_mut().zip(&held).for_each(|(m, held)| m.write(place, held));
    p.cover();
    host(p);
}

fn clear(p: &mut Pair) {
    let words =
        [(r::set_color_clear_value::id(0), float(p.random.below(3) as f32 / 2.0)), (r::clear_surface::ID, 0x3C)];
    p.set(&words);
}

fn draw(p: &mut Pair) {
    let topology = p.random.pick(&[Topology::Triangles, Topology::TriangleStrip, Topology::Lines, Topology::Points]);
    let (first, count) = (p.random.below(3), 3 + p.random.below(4));
    let one = [
        (r::begin::ID, topology.bits()),
        (r::set_vertex_array_start::ID, first),
        (r::draw_vertex_array::ID, count),
        (r::end::ID, 0),
    ];
    let times = p.random.pick(&[1, 1, 2, 3]);
    p.set(&one.repeat(times));
}

/// Parts of the pipeline that draws may have on.
const FEATURES: [(usize, u32); 15] = [
    (r::set_blend::id(0), 1),
    (r::set_blend_color_dest_coeff::ID, 2),
    (r::set_alpha_test::ID, 1),
    (r::set_alpha_func::ID, 0x204),
    (r::set_zt_select::ID, 1),
    (r::set_depth_test::ID, 1),
    (r::set_depth_write::ID, 1),
    (r::set_depth_func::ID, 4),
    (r::set_stencil_test::ID, 1),
    (r::set_stencil_op_zpass::ID, 7),
    (r::set_scissor_enable::id(0), 1),
    (r::ogl_set_cull::ID, 1),
    (r::set_front_polygon_mode::ID, 0x1B01),
    (r::set_logic_op::ID, 1),
    (r::set_point_size::ID, 0x4100_0000),
];

/// Two draws, which anything may happen between.
fn twice(p: &mut Pair) {
    p.restore();
    p.both(Machine::hold);
    draw_around(p, &CHANGES);
    p.both(Machine::release);
}

const CHANGES: [Action<Pair>; 11] = [
    (8, register),
    (8, state),
    (5, bindings),
    (8, constants),
    (5, host),
    (5, inline),
    (5, copy),
    (3, feedback),
    (2, store_place),
    (3, mapping),
    (1, clear),
];

const ACTIONS: [Action<Pair>; 17] = [
    (12, twice),
    (24, draw),
    (10, register),
    (6, give_back),
    (10, state),
    (5, bindings),
    (10, constants),
    (5, host),
    (5, inline),
    (5, copy),
    (3, feedback),
    (2, store_place),
    (3, other_vertices),
    (1, mapping),
    (2, clear),
    (4, |p| {
        // The same words again: nothing changes, but is written.
        let registers = [r::set_color_target_b::id(0), r::set_blend::id(0), r::set_pipeline_program::id(PIXEL)];
        let same: Vec<_> = registers.map(|method| (method, p.get(method))).into();
        p.set(&same);
        draw(p);
    }),
    (2, |p| {
        let (offset, bytes) = code(p);
        p.both(|m| m.write(offset, &bytes));
        draw(p);
    }),
];

#[test]
fn what_is_remembered_makes_no_difference() {
    let mut painted = 0;
    for seed in seeds(24) {
        let mut pair = Pair::new(seed);
        other_vertices(&mut pair);
        random_actions(&mut pair, seed, 160, &ACTIONS);
        let written = pair.machines.each_mut().map(|m| m.gpu.take_written());
        assert_eq!(written[0], written[1], "seed {seed}");
        painted += threed::covered(&mut pair.machines[0]);
    }
    assert!(painted > 1000, "only {painted} pixels are left");
}

/// Each register by itself: the draw after its change is drawn with it.
#[test]
fn registers_are_noticed() {
    for seed in seeds(1) {
        let mut pair = Pair::new(0x1000 + seed);
        let stateful = pair.stateful.clone();
        each_register(&mut pair, seed, &stateful, poke);
    }
}

/// Each way in which what a draw reads can change between two draws: the second one sees it.
#[test]
fn rewritten_textures_are_seen() {
    const NEW: [u8; 4] = [10, 20, 30, 255];
    let texels: Vec<u8> = NEW.repeat(64);
    type Rewrite = fn(&mut Machine, &[u8]);
    let ways: [(&str, Rewrite); 4] = [
        ("the host", |m, texels| m.write(TEXELS, texels)),
        ("an inline transfer", |m, texels| {
            m.run(&methods(INLINE, 0x60, &[texels.len() as u32, 1, 0, at(TEXELS), 0]));
            m.run(&methods(INLINE, 0x6C, &[1]));
            texels.as_chunks().0.iter().for_each(|word| m.run(&methods(INLINE, 0x6D, &[u32::from_le_bytes(*word)])));
        }),
        ("the copy engine", |m, texels| {
            m.write(SPARE, texels);
            m.run(&methods(COPY, 0x100, &[0, at(SPARE), 0, at(TEXELS), 0, 0, texels.len() as u32, 1]));
            m.run(&methods(COPY, 0xC0, &[2 | 1 << 7 | 1 << 8]));
        }),
        ("a draw", |m, _| {
            let color = NEW.map(|v| float(f32::from(v) / 255.0));
            m.write(CONSTANTS + 16, &bytes(&color));
            program(m, PIXEL, pixel_header(0), CONSTANT);
            m.threed(&[(r::set_color_target_b::id(0), at(TEXELS))]);
            threed::draw(m, Topology::TriangleStrip, 0, 4);
            program(m, PIXEL, pixel_header(2), TEXEL);
            m.threed(&[(r::set_color_target_b::id(0), at(TARGET))]);
        }),
    ];
    for (name, rewrite) in ways {
        let mut pair = Pair::new(1);
        let m = &mut pair.machines[0];
        // The second texture is the one in memory that is rewritten, without any filter.
        m.write(POOL + 32, &bytes(&texture_header(TEXELS, 8)));
        m.write(TEXELS, &[99; 256]);
        vertices(m, &threed::rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [0.3, 0.3, 0.0, 1.0]));
        program(m, PIXEL, pixel_header(2), TEXEL);
        for _ in 0..2 {
            threed::draw(m, Topology::TriangleStrip, 0, 4);
            assert_eq!(threed::pixel(m, 9, 9), [99; 4], "{name}: before");
        }
        rewrite(m, &texels);
        threed::draw(m, Topology::TriangleStrip, 0, 4);
        assert_eq!(threed::pixel(m, 9, 9), NEW, "{name}");
        assert_eq!(EDGE, 64);
    }
}
