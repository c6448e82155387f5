//! What draws of the 3DS remember of each other makes no difference: random registers, uniforms, programs and memory
//! change between draws, on a machine that remembers and on one that derives everything anew.
//!
//! `TRIGLYPH_SEEDS=start:count` runs other seeds than the first few.

use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::Access;
use triglyph_engine::mem::GuestRange;
use triglyph_guest::pica::regs::{self, Effect};
use triglyph_testkit::derived_state::{self, Action, Pair as _, draw_around, each_register, random_actions};
use triglyph_testkit::random::{Random, assert_same, seeds};

/// A texture in memory that fills reach, and where else a target may be.
const VIDEO_TEXTURE: u32 = VRAM + 0x8000;
const OTHER: u32 = VRAM + 0x1_0000;

const PROGRAMS: [&str; 4] = [
    "mov o0, v0\nmov o2, v2\nmov o1, v1\nifu b1, other..after\nnop\nother: mul o1, c2, v1\nafter: end",
    "mov o0, v0\nmov o1, v1\nmov o2, v2\nend",
    "add o0, c1, v0\nmov o1, v1\nmov o2, v2\nend",
    "mov o0, v0\nmul o1, c2, v1\nmov o2, v2\nend",
];

struct Pair {
    consoles: [Console; 2],
    random: Random,
    /// Written with the next draw.
    list: List,
    /// What was written last, and at first.
    values: Vec<u32>,
    base: Vec<u32>,
    changed: Vec<(usize, u32)>,
}

impl Pair {
    fn new(seed: u64) -> Self {
        let mut consoles = [Console::new(), Console::new()];
        consoles[1].gpu.set_state_cache_enabled(false);
        let mut pair = Pair {
            consoles,
            random: Random::new(seed),
            list: plain(),
            values: regs::RESET.to_vec(),
            base: regs::RESET.to_vec(),
            changed: Vec::new(),
        };
        for texture in [TEXTURE, VIDEO_TEXTURE] {
            let bytes = pair.random.bytes(0x1000);
            pair.write(texture, &bytes);
        }
        pair.textured(TEXTURE, 0);
        pair.run();
        pair.base = pair.values.clone();
        pair
    }

    fn write(&mut self, address: u32, bytes: &[u8]) {
        self.consoles.iter_mut().for_each(|console| console.write(address, bytes));
    }

    /// Texture 0 times the primary colour, 8x8 texels of a format.
    fn textured(&mut self, address: u32, format: u32) {
        for (id, value) in [
            (regs::tex_config::ID, 0x1001),
            (regs::tex_addr::IDS[0], address >> 3),
            (regs::tex_dim::IDS[0], 8 << 16 | 8),
            (regs::tex_format::IDS[0], format),
            (regs::tev_source::IDS[0], 0x0030_0030),
            (regs::tev_combiner::IDS[0], 1 << 16 | 1),
        ] {
            self.list.set(id, value);
        }
    }

    /// Executes what is in the list.
    fn run(&mut self) {
        let list = std::mem::take(&mut self.list);
        let mut words = &list.0[..];
        while let [value, header, rest @ ..] = words {
            let extra = (header >> 20 & 0xFF) as usize;
            self.values[(header & 0xFFFF) as usize] = *value;
            words = &rest[extra.next_multiple_of(2)..];
        }
        self.consoles.iter_mut().for_each(|console| {
            console.run(list.clone().end());
        });
    }

    fn command(&mut self, words: [u32; 8]) {
        self.run();
        self.consoles.iter_mut().for_each(|console| {
            console.gpu.execute(&words);
        });
    }
}

impl derived_state::Pair for Pair {
    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// A state that shows what is drawn, some parts of the pipeline being on.
    fn restore(&mut self) {
        self.run();
        self.changed.clear();
        for id in 0..regs::COUNT {
            let is_state = matches!(regs::EFFECTS[id], Effect::Dirty(_));
            if is_state && self.values[id] != self.base[id] {
                self.list.set(id, self.base[id]);
            }
        }
        self.list.0.extend(plain().0);
        self.textured(TEXTURE, 0);
        for feature in FEATURES {
            if self.random.below(4) == 0 {
                feature.iter().for_each(|&(id, value)| {
                    self.list.set(id, value);
                });
            }
        }
        match self.random.below(3) {
            0 => byte_colors(self),
            _ => program(self),
        }
        self.run();
        let colors = self.random.bytes(0x400);
        self.write(COLORS, &colors);
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let mut v = |from: u32| self.random.below(from) as f32 / (from - 1) as f32;
        let all = corners.map(|[x, y]| {
            [[x, y, v(3) / 2.0 - 0.9, 1.0], [v(5), v(5), v(5), 0.5 + v(3) / 2.0], [v(9), v(9), 0.0, 0.0]]
        });
        let bytes: Vec<u8> = all.as_flattened().as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        self.write(VERTICES, &bytes);
    }

    /// Draws over all of the target.
    fn cover(&mut self) {
        self.list.set(regs::num_vertices::ID, 6).set(regs::draw_arrays::ID, 1);
    }

    fn compare(&mut self, what: &str) {
        self.run();
        let [a, b] = self.consoles.each_mut().map(|console| (console.memory(), console.gpu.faults().clone()));
        assert_same([&a.0, &b.0], what);
        assert_eq!(a.1, b.1, "{what}");
    }
}

fn draw(p: &mut Pair) {
    for _ in 0..1 + p.random.below(3) {
        let count = p.random.pick(&[3, 6, 6]);
        p.list.set(regs::num_vertices::ID, count).set(regs::draw_arrays::ID, 1);
    }
    if p.random.below(3) == 0 {
        p.run();
    }
}

/// Registers that make groups dirty.
fn stateful() -> Vec<usize> {
    (0..regs::COUNT).filter(|&id| matches!(regs::EFFECTS[id], Effect::Dirty(_))).collect()
}

/// A register becomes something else, until some draws later.
fn register(p: &mut Pair) {
    let id = p.random.pick(&stateful());
    poke(p, id);
}

fn poke(p: &mut Pair, id: usize) {
    p.run();
    let before = p.values[id];
    p.changed.push((id, before));
    let bit = 1 << p.random.below(32);
    let low = 1 << p.random.below(8);
    let (small, any) = (p.random.below(8), p.random.word());
    let value = p.random.pick(&[before ^ bit, before ^ low, before ^ low, small, before, any]);
    p.list.set(id, value);
}

fn give_back(p: &mut Pair) {
    let changed: Vec<_> = p.changed.drain(..).rev().collect();
    changed.into_iter().for_each(|(id, value)| {
        p.list.set(id, value);
    });
}

fn state(p: &mut Pair) {
    let texture = p.random.pick(&[TEXTURE, VIDEO_TEXTURE, OTHER, COLOR]);
    let all = [
        (regs::color_addr::ID, p.random.pick(&[COLOR, COLOR, OTHER, TEXTURE]) >> 3),
        (regs::cull::ID, p.random.below(3)),
        (regs::tex_addr::IDS[0], texture >> 3),
        (regs::tex_addr::IDS[0], texture >> 3),
        (regs::tex_format::IDS[0], p.random.below(4)),
        (regs::tev_color::IDS[0], p.random.word()),
        (regs::tev_source::IDS[0], p.random.pick(&[0x0030_0030, 0x0000_0000, 0x00E0_00E0])),
        (regs::blend_func::ID, p.random.pick(&[0x0101_0000, 0x0601_0000, 0x0706_0000])),
        (regs::viewport_xy::ID, p.random.below(4)),
        (regs::attrbuf_offset::id(0), 48 * p.random.below(2)),
        (regs::vsh_bool::ID, p.random.below(4)),
        (regs::depth_color_mask::ID, p.random.pick(&[0xF00, 0x1F71, 0xF00])),
        (regs::depth_addr::ID, DEPTH >> 3),
        (regs::scissor_mode::ID, p.random.pick(&[0, 3])),
        (regs::scissor_dim::ID, p.random.below(16) | p.random.below(16) << 16),
    ];
    let (id, value) = p.random.pick(&all);
    p.list.set(id, value);
}

fn uniform(p: &mut Pair) {
    let value = [0.0; 4].map(|_: f32| (p.random.below(5) as f32 - 2.0) / 4.0);
    let index = 1 + p.random.below(2);
    p.list.set(regs::vsh_float_index::ID, index).feed(regs::vsh_float_data::ID, &List::packed(value));
}

fn program(p: &mut Pair) {
    let text = p.random.pick(&PROGRAMS);
    p.list.assemble(text);
}

/// Words of a table, all of which the next draw may look at.
fn table(p: &mut Pair) {
    let words: Vec<u32> = (0..256).map(|_| p.random.word()).collect();
    match p.random.below(4) {
        0 => {
            p.list.set(regs::fog_lut_index::ID, 0).feed(regs::fog_lut_data::IDS[0], &words[..128]);
            let mode = p.random.pick(&[0, 5, 5]);
            p.list.set(regs::tev_update_fog::ID, mode);
        }
        1 => {
            let tables = [0, 1, 3, 4, 5, 6, 8, 16];
            let index = p.random.pick(&tables) << 8;
            p.list.set(regs::lighting_lut_index::ID, index).feed(regs::lighting_lut_data::IDS[0], &words);
        }
        2 => {
            let index = p.random.pick(&[0, 2, 3, 4, 5]) << 8;
            p.list.set(regs::proctex_lut_index::ID, index).feed(regs::proctex_lut_data::IDS[0], &words);
        }
        _ => {
            p.list.set(regs::gas_lut_index::ID, 0).feed(regs::gas_lut_data::ID, &words[..16]);
        }
    }
}

fn host(p: &mut Pair) {
    p.run();
    let texture = p.random.pick(&[TEXTURE, VIDEO_TEXTURE]) + 4 * p.random.below(32);
    let bytes = p.random.bytes(64);
    p.write(texture, &bytes);
}

fn vertices(p: &mut Pair) {
    p.run();
    let mut v = |from: u32, scale: f32| (p.random.below(from) as f32 / (from - 1) as f32 * 2.0 - 1.0) * scale;
    let vertex = |v: &mut dyn FnMut(u32, f32) -> f32| {
        [[v(9, 1.0), v(9, 1.0), -0.5, 1.0], [0.0; 4].map(|_: f32| v(5, 1.0).abs()), [v(9, 1.0), v(9, 1.0), 0.0, 0.0]]
    };
    let all: Vec<f32> = (0..8).flat_map(|_| vertex(&mut v)).flatten().collect();
    let bytes: Vec<u8> = all.iter().flat_map(|v| v.to_le_bytes()).collect();
    p.write(VERTICES, &bytes);
}

/// A fill, or a copy, of texels.
fn transfer(p: &mut Pair) {
    let value = p.random.word();
    let start = VIDEO_TEXTURE - VRAM + 0x1F00_0000;
    let end = start + 0x40 + 0x40 * p.random.below(3);
    match p.random.below(2) {
        0 => p.command([2, start, value, end, 0, 0, 0, 0x201]),
        _ => p.command([4, TEXTURE - HEAP + 0x3000_0000, start, 0x100, 0, 0, 8, 0]),
    }
}

/// Maps other memory where draws read or write, perhaps with none between.
fn mapping(p: &mut Pair) {
    p.run();
    let place = p.random.pick(&[OTHER, TEXTURE, VIDEO_TEXTURE, COLORS, COLOR]);
    let held = p.consoles.each_mut().map(|console| console.read(place, 0x1000));
    let map = |p: &mut Pair, access| {
        p.consoles
            .iter_mut()
            .for_each(|console| console.gpu.map(GuestRange::new(0, place.into(), 0x1000), access).unwrap());
    };
    if p.random.below(3) == 0 {
        map(p, Access { read: false, write: false });
        p.cover();
        p.run();
    }
    map(p, Access::READ_WRITE);
    p.consoles.iter_mut().zip(&held).for_each(|(console, held)| console.write(place, held));
    p.cover();
    host(p);
}

/// Parts of the pipeline that draws may have on, each with the registers that it takes.
const FEATURES: [&[(usize, u32)]; 12] = [
    &[(regs::blend_func::ID, 0x0706_0000)],
    &[(regs::alpha_test::ID, 0x8041)],
    &[(regs::stencil_test::ID, 0xFF00_FF11), (regs::stencil_op::ID, 0x333)],
    &[(regs::depth_color_mask::ID, 0x1F71)],
    &[(regs::depth_color_mask::ID, 0x1F41)],
    &[(regs::color_operation::ID, 0x00E4_0000)],
    &[(regs::scissor_mode::ID, 3)],
    &[(regs::cull::ID, 1)],
    &[(regs::tev_update_fog::ID, 5)],
    &[(regs::tev_source::IDS[1], 0x0030_000F)],
    // Lights: the primary colour of fragments times that of vertices.
    &[
        (regs::lighting_enable0::ID, 1),
        (regs::lighting_ambient::ID, 0x0C03_00FF),
        (regs::light_diffuse::id(0), 0x0803_FC80),
        (regs::tev_source::IDS[0], 0x0010_0010),
    ],
    // The procedural texture times the primary colour.
    &[(regs::tex_config::ID, 0x1400), (regs::tev_source::IDS[0], 0x0060_0060)],
];

/// Colours of vertices as four bytes each.
const COLORS: u32 = HEAP + 0x8000;

/// Vertices have their colours in an array of bytes, which the program scales by c3.
fn byte_colors(p: &mut Pair) {
    for (id, value) in [
        (regs::attr_format_lo::ID, 0xFDF),
        // The colours that are there are skipped.
        (regs::attrbuf_config1::id(0), 0x2F0),
        (regs::attrbuf_config2::id(0), 3 << 28 | 48 << 16),
        (regs::attrbuf_offset::id(1), COLORS - VERTICES),
        (regs::attrbuf_config1::id(1), 1),
        (regs::attrbuf_config2::id(1), 1 << 28 | 4 << 16),
    ] {
        p.list.set(id, value);
    }
    p.list.assemble("mov o0, v0\nmul o1, c3, v1\nmov o2, v2\nend");
    p.list.set(regs::vsh_float_index::ID, 3).feed(regs::vsh_float_data::ID, &List::packed([1.0 / 255.0; 4]));
}

/// Draws to the colours of vertices, from these colours.
fn color_feedback(p: &mut Pair) {
    p.list.set(regs::color_addr::ID, COLORS >> 3);
    for _ in 0..1 + p.random.below(3) {
        p.cover();
    }
    p.list.set(regs::color_addr::ID, COLOR >> 3);
}

/// Two draws, which anything may happen between.
fn twice(p: &mut Pair) {
    p.restore();
    draw_around(p, &CHANGES);
}

const CHANGES: [Action<Pair>; 9] = [
    (8, register),
    (8, state),
    (5, uniform),
    (4, program),
    (5, table),
    (4, host),
    (3, transfer),
    (3, mapping),
    (3, color_feedback),
];

const ACTIONS: [Action<Pair>; 13] = [
    (12, twice),
    (24, draw),
    (8, register),
    (5, give_back),
    (14, state),
    (6, uniform),
    (3, program),
    (2, table),
    (5, host),
    (3, vertices),
    (4, transfer),
    (1, mapping),
    (3, |p| p.run()),
];

#[test]
fn what_is_remembered_makes_no_difference() {
    let mut pictures = 0;
    for seed in seeds(24) {
        let mut pair = Pair::new(seed);
        vertices(&mut pair);
        random_actions(&mut pair, seed, 160, &ACTIONS);
        pictures += usize::from(pair.consoles[0].read(COLOR, 0x400).iter().any(|&byte| byte != 0));
    }
    assert!(pictures > 0, "no picture at all");
}

/// Each register by itself: the draw after its change is drawn with it.
#[test]
fn registers_are_noticed() {
    for seed in seeds(3) {
        let mut pair = Pair::new(0x1000 + seed);
        each_register(&mut pair, seed, &stateful(), poke);
    }
}

/// Each way in which a texture can change between two draws: the second one sees it.
#[test]
fn rewritten_textures_are_seen() {
    const NEW: [u8; 4] = [255, 30, 20, 10];
    let video = VIDEO_TEXTURE - VRAM + 0x1F00_0000;
    type Rewrite = fn(&mut Console, u32);
    let ways: [(&str, Rewrite); 4] = [
        ("the host", |console, _| console.write(VIDEO_TEXTURE, &NEW.repeat(64))),
        ("a fill", |console, video| {
            console.gpu.execute(&[2, video, u32::from_le_bytes(NEW), video + 0x100, 0, 0, 0, 0x201]);
        }),
        ("a copy", |console, video| {
            console.write(TEXTURE, &NEW.repeat(64));
            console.gpu.execute(&[4, TEXTURE - HEAP + 0x3000_0000, video, 0x100, 0, 0, 8, 0]);
        }),
        ("a draw", |console, _| {
            let target = VIDEO_TEXTURE >> 3;
            let color = [10.0, 20.0, 30.0, 255.0].map(|v: f32| v / 255.0);
            let untextured = plain().with(regs::tev_source::IDS[0], 0).with(regs::tev_combiner::IDS[0], 0);
            console.fill(untextured.with(regs::color_addr::ID, target), color);
        }),
    ];
    for (name, rewrite) in ways {
        let mut pair = Pair::new(1);
        pair.list = plain();
        pair.textured(VIDEO_TEXTURE, 0);
        let list = pair.list.clone();
        let console = &mut pair.consoles[0];
        console.write(VIDEO_TEXTURE, &[99; 0x100]);
        for _ in 0..2 {
            assert_eq!(console.fill(list.clone(), WHITE), [99; 4], "{name}: before");
        }
        rewrite(console, video);
        assert_eq!(console.fill(list.clone(), WHITE), [10, 20, 30, 255], "{name}");
    }
}
