//! What draws of the RSX remember of each other makes no difference: random registers, constants, programs and memory
//! change between draws, on a machine that remembers and on one that derives everything anew.
//!
//! `TRIGLYPH_SEEDS=start:count` runs other seeds than the first few.

use crate::class_3d::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::{Access, ObjectEntry, Replay};
use triglyph_engine::mem::GuestRange;
use triglyph_guest::rsx::fragment;
use triglyph_guest::rsx::fragment::memory::{Order, bytes};
use triglyph_guest::rsx::methods::{CURIE, Effect, curie as m};
use triglyph_guest::rsx::objects::class;
use triglyph_rsx::registers::Registers;
use triglyph_testkit::derived_state::{self, Action, Pair as _, draw_around, each_register, random_actions};
use triglyph_testkit::random::{Random, assert_same, seeds};

/// Where else a program and a texture are.
const OTHER_PROGRAM: u32 = PROGRAM + 0x1000;
const OTHER_TEXTURE: u32 = TEXTURE + 0x1000;

const FRAGMENTS: [&str; 5] = [
    FRAGMENT,
    "tex r0, f[TC0], tex0  [end]",
    "mul r0, f[COL0], {0.5, 1, 0.25, 1}  [end]",
    "mul r0, f[COL0], {0.5, 0.5, 0.25, 1}  [end]",
    "mov r0, f[COL0]\nmul r0, r0, f[FOGC]  [end]",
];

/// Arrays in local memory, and the bytes of a vertex.
const LOCAL_ARRAYS: u32 = 0x2_0000;
const VERTEX_BYTES: u32 = 64;
/// The object that arrays in main memory are in, and no others.
const ARRAY_OBJECT: u32 = 0xFEED_0002;

struct Pair {
    consoles: [Console; 2],
    random: Random,
    /// Methods that make groups dirty, and what they had at first.
    stateful: Vec<u32>,
    base: Vec<(u32, u32)>,
    has_arrays: bool,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut consoles = [Console::new(), Console::new()];
        consoles[1].gpu.set_state_cache_enabled(false);
        let effects = CURIE.effects();
        let is_stateful = |&method: &u32| matches!(effects[method as usize / 4], Effect::Dirty(_));
        let stateful: Vec<u32> = (0x180..0x2000).step_by(4).filter(is_stateful).collect();
        let mut pair = Pair { consoles, random: Random::new(seed), stateful, base: Vec::new(), has_arrays: false };
        array_object(&mut pair, 0);
        let noise = pair.random.bytes(0x2000);
        pair.both(|console| {
            console.write_local(TEXTURE, &noise);
            console.run();
        });
        pair.texture(TEXTURE, 0x85);
        pair.set(m::set_context_dma_vertex_b::ID, &[ARRAY_OBJECT]);
        pair.base = pair.stateful.clone().into_iter().zip(pair.get_all()).collect();
        pair
    }

    fn both(&mut self, mut f: impl FnMut(&mut Console)) {
        self.consoles.iter_mut().for_each(&mut f);
    }

    fn set(&mut self, method: usize, words: &[u32]) {
        self.both(|console| console.method(method, words));
    }

    fn registers(&mut self) -> &Registers {
        self.both(Console::run);
        let fifo = self.consoles[0].gpu.fifo();
        (0..2).find_map(|channel| fifo.graph(channel)).expect("a channel").curie.registers()
    }

    /// What is in a register.
    fn get(&mut self, method: u32) -> u32 {
        self.registers().get(method)
    }

    /// What is in those that make groups dirty.
    fn get_all(&mut self) -> Vec<u32> {
        let stateful = self.stateful.clone();
        let registers = self.registers();
        stateful.into_iter().map(|method| registers.get(method)).collect()
    }

    /// Unit 0: 16x16 texels in rows of 64 bytes.
    fn texture(&mut self, offset: u32, format: u32) {
        let format = 1 | 8 | 2 << 4 | (format | 0x20) << 8 | 1 << 16;
        let words = [offset, format, 0x3_0303, 0x8000_0000, 0xAAE4, 0x0101_0000, 16 << 16 | 16, 0];
        self.set(m::set_texture_offset::id(0), &words);
        self.set(m::set_texture_control3::id(0), &[64 | 1 << 20]);
    }
}

impl derived_state::Pair for Pair {
    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// A state that shows what is drawn, some parts of the pipeline being on.
    fn restore(&mut self) {
        let base = self.base.clone();
        for ((method, value), now) in base.iter().zip(self.get_all()) {
            if *value != now {
                self.set(*method as usize, &[*value]);
            }
        }
        for (method, value) in FEATURES {
            if self.random.below(4) == 0 {
                self.set(method, &[value]);
            }
        }
        for place in [PROGRAM, OTHER_PROGRAM] {
            let bytes = code(self.random.pick(&FRAGMENTS));
            self.both(|console| console.write_local(place, &bytes));
        }
        vertex_program(self);
        fill_arrays(self);
        arrays(self);
    }

    /// Draws over all of the target.
    fn cover(&mut self) {
        let primitive = self.random.pick(&[QUADS, QUADS, QUADS, TRIANGLE_FAN, LINE_LOOP, POINTS]);
        if self.has_arrays {
            let first = 4 * self.random.below(2);
            self.set(m::set_begin_end::ID, &[primitive]);
            self.set(m::draw_arrays::ID, &[first | 3 << 24]);
            self.set(m::set_begin_end::ID, &[0]);
            return;
        }
        let vertices = corners(self);
        self.both(|console| {
            console.begin(primitive);
            for [position, color, coordinates] in &vertices[..4] {
                console.attribute(3, *color);
                console.attribute(8, *coordinates);
                console.attribute(0, *position);
            }
            console.end();
        });
    }

    fn compare(&mut self, what: &str) {
        self.both(Console::run);
        for space in 0..2 {
            let [a, b] = self.consoles.each_mut().map(|console| console.read(space, 0, SIZE as usize));
            assert_same([&a, &b], &format!("{what}, space {space}"));
        }
    }
}

fn code(text: &str) -> Vec<u8> {
    let code = fragment::assemble_program(text).expect("a fragment program");
    code.as_chunks().0.iter().flat_map(|slot: &[u32; 4]| bytes(*slot, Order::Big)).collect()
}

fn draw(p: &mut Pair) {
    let primitive = p.random.pick(&[TRIANGLES, QUADS, LINES, POINTS, TRIANGLE_STRIP]);
    for _ in 0..1 + p.random.below(3) {
        let vertices: Vec<[[f32; 4]; 3]> = (0..4)
            .map(|_| {
                let mut v = |from: u32| p.random.below(from) as f32 / (from - 1) as f32;
                [[2.0 * v(9) - 1.0, 2.0 * v(9) - 1.0, 0.0, 1.0], [v(3), v(3), v(3), 1.0], [v(9), v(9), 0.0, 1.0]]
            })
            .collect();
        p.both(|console| {
            console.begin(primitive);
            for [position, color, coordinates] in &vertices {
                console.attribute(3, *color);
                console.attribute(8, *coordinates);
                console.attribute(0, *position);
            }
            console.end();
        });
    }
    // A time that depends on what all this costs.
    p.set(m::get_report::ID, &[1 << 24]);
}

/// A register becomes something else.
fn poke(p: &mut Pair) -> (u32, u32) {
    let method = p.random.pick(&p.stateful.clone());
    poke_at(p, method)
}

fn poke_at(p: &mut Pair, method: u32) -> (u32, u32) {
    let before = p.get(method);
    let (bit, low, small, any) = (1 << p.random.below(32), 1 << p.random.below(8), p.random.below(8), p.random.word());
    let value = p.random.pick(&[before ^ bit, before ^ low, before ^ low, small, any]);
    p.set(method as usize, &[value]);
    (method, before)
}

/// A register becomes something else for some draws.
fn register(p: &mut Pair) {
    let (method, before) = poke(p);
    draw(p);
    if p.random.below(4) != 0 {
        p.set(method as usize, &[before]);
    }
}

/// Parts of the pipeline that draws may have on.
const FEATURES: [(usize, u32); 21] = [
    (m::set_blend_enable::ID, 1),
    (m::set_blend_func_sfactor::ID, 0x0302_0302),
    (m::set_blend_func_dfactor::ID, 0x8001_0303),
    (m::set_alpha_test_enable::ID, 1),
    (m::set_alpha_func::ID, 0x204),
    (m::set_stencil_test_enable::ID, 1),
    (m::set_stencil_op_zpass::ID, 0x1E02),
    (m::set_two_sided_stencil_test_enable::ID, 1),
    (m::set_depth_test_enable::ID, 1),
    (m::set_depth_func::ID, 0x203),
    (m::set_depth_bounds_test_enable::ID, 1),
    (m::set_logic_op_enable::ID, 1),
    (m::set_cull_face_enable::ID, 1),
    (m::set_two_side_light_en::ID, 1),
    (m::set_poly_offset_fill_enable::ID, 1),
    (m::set_line_stipple::ID, 1),
    (m::set_front_polygon_mode::ID, 0x1B01),
    (m::set_zpass_pixel_count_enable::ID, 1),
    (m::set_point_size::ID, 0x4100_0000),
    (m::set_fog_mode::ID, 0x2601),
    (m::set_vertex_attrib_output_mask::ID, 0x13 | 3 << 14),
];

/// Arrays of position, colour and coordinates in local memory or in main memory, or none.
fn arrays(p: &mut Pair) {
    let place = p.random.pick(&[None, Some((0, LOCAL_ARRAYS)), Some((1 << 31, ARRAYS))]);
    for (i, offset) in [(0, 0), (3, 16), (8, 32)] {
        let (format, at) =
            place.map_or((0, 0), |(location, at)| (2 | 4 << 4 | VERTEX_BYTES << 8, location | (at + offset)));
        p.set(m::set_vertex_data_array_offset::id(i), &[at]);
        p.set(m::set_vertex_data_array_format::id(i), &[format]);
    }
    p.has_arrays = place.is_some();
}

/// Corners of two rectangles over all of the target.
fn corners(p: &mut Pair) -> [[[f32; 4]; 3]; 8] {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    std::array::from_fn(|i| {
        let [x, y] = corners[i % 4];
        let mut v = |from: u32| p.random.below(from) as f32 / (from - 1) as f32;
        [[x, y, v(3) - 0.5, 1.0], [v(5), v(5), v(5), 0.5 + v(3) / 2.0], [v(9), v(9), 0.0, 1.0]]
    })
}

/// Draws to the colours of arrays, from these arrays: a vertex is a row of pixels.
fn array_feedback(p: &mut Pair) {
    let before = [m::set_scissor_horizontal::ID, m::set_scissor_vertical::ID].map(|id| p.get(id as u32));
    p.set(m::set_scissor_horizontal::ID, &[4 | 4 << 16, 8 << 16]);
    p.set(m::set_surface_color_aoffset::ID, &[LOCAL_ARRAYS]);
    for _ in 0..1 + p.random.below(3) {
        p.cover();
    }
    p.set(m::set_scissor_horizontal::ID, &before);
    p.set(m::set_surface_color_aoffset::ID, &[COLOR]);
}

fn fill_arrays(p: &mut Pair) {
    let vertices = corners(p).map(|[position, color, coordinates]| [position, color, coordinates, [0.0; 4]]);
    let bytes: Vec<u8> = vertices.as_flattened().as_flattened().iter().flat_map(|v| v.to_be_bytes()).collect();
    p.both(|console| {
        console.run();
        console.write_local(LOCAL_ARRAYS, &bytes);
        console.write_main(ARRAYS, &bytes);
    });
}

/// Two draws, which anything may happen between.
fn twice(p: &mut Pair) {
    p.restore();
    draw_around(p, &CHANGES);
    // How many samples have passed.
    p.set(m::get_report::ID, &[1 << 24]);
}

fn state(p: &mut Pair) {
    let color = p.random.pick(&[COLOR, COLOR, COLOR_B]);
    let texture = p.random.pick(&[TEXTURE, OTHER_TEXTURE, COLOR, COLOR_B]);
    let all = [
        (m::set_surface_color_aoffset::ID, color),
        (m::set_texture_offset::id(0), texture),
        (m::set_texture_offset::id(0), texture),
        (m::set_blend_enable::ID, p.random.below(2)),
        (m::set_color_mask::ID, p.random.pick(&[0x0101_0101, 0x0100_0101, 0])),
        (m::set_depth_test_enable::ID, p.random.below(2)),
        (m::set_shader_program::ID, p.random.pick(&[PROGRAM, OTHER_PROGRAM]) | 1),
        (m::set_shade_mode::ID, 0x1D00 | p.random.below(2)),
        (m::set_scissor_horizontal::ID, p.random.below(8) | (1 + p.random.below(16)) << 16),
        (m::set_cull_face_enable::ID, p.random.below(2)),
        (m::set_vertex_attrib_output_mask::ID, p.random.pick(&[0x13 | 3 << 14, 3, 3 | 3 << 14])),
        (m::set_shader_control::ID, p.random.pick(&[0x0200_0000, 0x0200_0040])),
        (m::set_vertex_data_array_offset::id(3), LOCAL_ARRAYS + 16 + VERTEX_BYTES * p.random.below(3)),
        (m::set_vertex_data_array_format::id(3), p.random.pick(&[4, 2]) | 4 << 4 | VERTEX_BYTES << 8),
    ];
    let (method, word) = p.random.pick(&all);
    p.set(method, &[word]);
}

fn program(p: &mut Pair) {
    let place = p.random.pick(&[PROGRAM, OTHER_PROGRAM]);
    let bytes = code(p.random.pick(&FRAGMENTS));
    p.both(|console| {
        console.run();
        console.write_local(place, &bytes);
    });
}

fn vertex_program(p: &mut Pair) {
    let text = p.random.pick(&[VERTEX, "add o[HPOS], v[0], c[1]\n mov o[COL0], v[3]\n mov o[TC0], v[8]  [end]"]);
    p.both(|console| console.vertex_program(text));
}

fn constant(p: &mut Pair) {
    let values = [0.0; 4].map(|_: f32| (p.random.below(5) as f32 - 2.0) / 4.0);
    p.both(|console| {
        console.set(m::set_transform_constant_load::ID, 1);
        console.floats(m::set_transform_constant::id(0), &values);
    });
}

fn host(p: &mut Pair) {
    let texture = p.random.pick(&[TEXTURE, OTHER_TEXTURE]) + 4 * p.random.below(64);
    let bytes = p.random.bytes(64);
    p.both(|console| {
        console.run();
        console.write_local(texture, &bytes);
    });
}

/// Draws go where draws read from.
fn feedback(p: &mut Pair) {
    let to = p.random.pick(&[TEXTURE, OTHER_TEXTURE, PROGRAM & !63, LOCAL_ARRAYS]);
    p.set(m::set_surface_color_aoffset::ID, &[to]);
    draw(p);
    p.set(m::set_surface_color_aoffset::ID, &[COLOR]);
}

fn clear(p: &mut Pair) {
    let color = p.random.word();
    p.set(m::set_color_clear_value::ID, &[color]);
    p.set(m::clear_surface::ID, &[0xF3]);
}

/// Maps other memory where draws read or write, perhaps with none between.
fn mapping(p: &mut Pair) {
    let place = p.random.pick(&[TEXTURE, OTHER_TEXTURE, PROGRAM, LOCAL_ARRAYS, COLOR, COLOR_B]);
    let held = p.consoles.each_mut().map(|console| {
        console.run();
        console.read(0, place, 0x1000)
    });
    let map = |p: &mut Pair, access| {
        p.both(|console| console.gpu.map(GuestRange::new(0, place.into(), 0x1000), access).unwrap());
    };
    if p.random.below(3) == 0 {
        map(p, Access { read: false, write: false });
        p.cover();
        p.both(Console::run);
    }
    map(p, Access::READ_WRITE);
    p.consoles.iter_mut().zip(&held).for_each(|(console, held)| console.write_local(place, held));
    p.cover();
    host(p);
    program(p);
}

/// The object of arrays begins at another byte.
fn array_object(p: &mut Pair, base: u64) {
    p.both(|console| {
        console.run();
        let entry =
            ObjectEntry { handle: ARRAY_OBJECT, class: class::DMA_IN_MEMORY, space: 1, base, limit: SIZE - 1 - base };
        console.gpu.object(entry).unwrap();
    });
}

const CHANGES: [Action<Pair>; 12] = [
    (3, array_feedback),
    (8, |p| {
        poke(p);
    }),
    (8, state),
    (4, program),
    (2, vertex_program),
    (3, constant),
    (4, host),
    (3, feedback),
    (1, clear),
    (3, mapping),
    (3, fill_arrays),
    (2, |p| {
        let base = u64::from(VERTEX_BYTES * p.random.below(3));
        array_object(p, base);
    }),
];

const ACTIONS: [Action<Pair>; 12] = [
    (12, twice),
    (20, draw),
    (10, register),
    (14, state),
    (4, program),
    (2, vertex_program),
    (6, constant),
    (5, host),
    (3, feedback),
    (2, clear),
    (1, mapping),
    (3, |p| p.both(Console::run)),
];

#[test]
fn what_is_remembered_makes_no_difference() {
    let mut pictures = 0;
    for seed in seeds(24) {
        let mut pair = Pair::new(seed);
        random_actions(&mut pair, seed, 120, &ACTIONS);
        pictures += usize::from(pair.consoles[0].read(0, COLOR, 0x400).iter().any(|&byte| byte != 0));
    }
    assert!(pictures > 0, "no picture at all");
}

/// Each register by itself: the draw after its change is drawn with it.
#[test]
fn registers_are_noticed() {
    for seed in seeds(3) {
        let mut pair = Pair::new(0x1000 + seed);
        let stateful = pair.stateful.clone();
        each_register(&mut pair, seed, &stateful, |pair, method| {
            poke_at(pair, method);
        });
    }
}

/// Each way in which a texture can change between two draws: the second one sees it.
#[test]
fn rewritten_textures_are_seen() {
    type Rewrite = fn(&mut Console);
    const NEW: u32 = 0xFF00_FF00;
    let ways: [(&str, Rewrite); 3] = [
        ("the host", |console| console.write_local(TEXTURE, &NEW.to_be_bytes().repeat(256))),
        ("a clear", |console| {
            console.set(m::set_surface_color_aoffset::ID, TEXTURE);
            console.clear(NEW);
            console.set(m::set_surface_color_aoffset::ID, COLOR);
        }),
        ("a draw", |console| {
            console.set(m::set_surface_color_aoffset::ID, TEXTURE);
            console.set(m::set_shader_program::ID, OTHER_PROGRAM | 1);
            console.fill(GREEN);
            console.set(m::set_shader_program::ID, PROGRAM | 1);
            console.set(m::set_surface_color_aoffset::ID, COLOR);
        }),
    ];
    for (name, rewrite) in ways {
        let mut pair = Pair::new(1);
        pair.both(Console::run);
        let console = &mut pair.consoles[0];
        console.fragment_program(FRAGMENTS[1]);
        console.write_local(OTHER_PROGRAM, &code(FRAGMENT));
        console.write_local(TEXTURE, &[0x99; 0x400]);
        for _ in 0..2 {
            console.fill(WHITE);
            assert_eq!(console.pixel(3, 3), 0x9999_9999, "{name}: before");
        }
        rewrite(console);
        console.fill(WHITE);
        assert_eq!(console.pixel(3, 3), NEW, "{name}");
    }
}
