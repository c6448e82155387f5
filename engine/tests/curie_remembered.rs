//! What draws of the RSX remember of each other makes no difference: random registers, constants, programs and memory change
//! between draws, on a machine that remembers and on one that derives everything anew.
//!
//! `TRIGLYPH_SEEDS=start:count` runs other seeds than the first few.

mod curie_support;
mod random_support;

use curie_support::*;
use random_support::{Action, Random, act, assert_same, seeds};
use triglyph_engine::Device;
use triglyph_engine::device::Access;
use triglyph_guest::rsx::fragment;
use triglyph_guest::rsx::fragment::memory::{Order, bytes};
use triglyph_guest::rsx::methods::{CURIE, Effect, curie as m};

/// Where else a program and a texture stand.
const OTHER_PROGRAM: u32 = PROGRAM + 0x1000;
const OTHER_TEXTURE: u32 = TEXTURE + 0x1000;

const FRAGMENTS: [&str; 4] = [
    FRAGMENT,
    "tex r0, f[TC0], tex0  [end]",
    "mul r0, f[COL0], {0.5, 1, 0.25, 1}  [end]",
    "mul r0, f[COL0], {0.5, 0.5, 0.25, 1}  [end]",
];

struct Pair {
    consoles: [Console; 2],
    random: Random,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut consoles = [Console::new(), Console::new()];
        consoles[1].gpu.set_forgetful(true);
        let mut pair = Pair { consoles, random: Random::new(seed) };
        let noise = pair.random.bytes(0x2000);
        pair.both(|console| {
            console.write_local(TEXTURE, &noise);
            console.run();
        });
        pair.texture(TEXTURE, 0x85);
        pair
    }

    fn both(&mut self, mut f: impl FnMut(&mut Console)) {
        self.consoles.iter_mut().for_each(&mut f);
    }

    fn set(&mut self, method: usize, words: &[u32]) {
        self.both(|console| console.method(method, words));
    }

    /// Unit 0: 16x16 texels in rows of 64 bytes.
    fn texture(&mut self, offset: u32, format: u32) {
        let format = 1 | 8 | 2 << 4 | (format | 0x20) << 8 | 1 << 16;
        let words = [offset, format, 0x3_0303, 0x8000_0000, 0xAAE4, 0x0101_0000, 16 << 16 | 16, 0];
        self.set(m::set_texture_offset::id(0), &words);
        self.set(m::set_texture_control3::id(0), &[64 | 1 << 20]);
    }

    #[track_caller]
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

/// A register becomes something else for some draws.
fn register(p: &mut Pair) {
    let effects = CURIE.effects();
    let stateful: Vec<u32> =
        (0x220..0x2000).step_by(4).filter(|&method| matches!(effects[method as usize / 4], Effect::Dirty(_))).collect();
    let method = p.random.pick(&stateful);
    p.both(Console::run);
    let fifo = p.consoles[0].gpu.fifo();
    let graph = (0..2).find_map(|channel| fifo.graph(channel)).expect("a channel");
    let before = graph.curie.registers().get(method);
    let (bit, low, small, any) = (1 << p.random.below(32), 1 << p.random.below(8), p.random.below(8), p.random.word());
    let value = p.random.pick(&[before ^ bit, before ^ low, before ^ low, small, any]);
    p.set(method as usize, &[value]);
    draw(p);
    if p.random.below(4) != 0 {
        p.set(method as usize, &[before]);
    }
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
        (m::set_vertex_attrib_output_mask::ID, p.random.pick(&[3 | 3 << 14, 3, 3 | 3 << 14])),
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
    let to = p.random.pick(&[TEXTURE, OTHER_TEXTURE, PROGRAM & !63]);
    p.set(m::set_surface_color_aoffset::ID, &[to]);
    draw(p);
    p.set(m::set_surface_color_aoffset::ID, &[COLOR]);
}

fn clear(p: &mut Pair) {
    let color = p.random.word();
    p.set(m::set_color_clear_value::ID, &[color]);
    p.set(m::clear_surface::ID, &[0xF3]);
}

fn mapping(p: &mut Pair) {
    p.both(|console| {
        console.run();
        let before = console.read(0, OTHER_TEXTURE, 0x1000);
        console.gpu.map(0, OTHER_TEXTURE.into(), 0x1000, Access::READ_WRITE).unwrap();
        console.write_local(OTHER_TEXTURE, &before);
    });
}

const ACTIONS: [Action<Pair>; 11] = [
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
        for step in 0..120 {
            act(&mut pair, &ACTIONS, |pair| &mut pair.random);
            if step % 8 == 7 {
                pair.compare(&format!("seed {seed}, step {step}"));
            }
        }
        pictures += usize::from(pair.consoles[0].read(0, COLOR, 0x400).iter().any(|&byte| byte != 0));
    }
    assert!(pictures > 0, "no picture at all");
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
