//! Draws of more triangles than a scene has.

use crate::support::*;
use triglyph_engine::Device;
use triglyph_engine::device::Access;
use triglyph_engine::mem::GuestRange;
use triglyph_engine::probe::{Command, Effect, Observer};
use triglyph_guest::pica::regs;
use triglyph_testkit::pica::list::{clip_space, draw_state};

/// Where indices are.
const INDICES: u32 = HEAP + SIZE;
/// Vertices of a strip whose scene is full before its last ones.
const COUNT: u32 = (1 << 18) + (1 << 15);

struct Ignoring;

impl Observer for Ignoring {
    fn begin(&mut self, _: &Command) -> bool {
        false
    }

    fn end(&mut self, _: &Command, _: &[Effect]) -> bool {
        false
    }
}

/// Pixels of the target: two tiles side by side.
const TARGET: [u32; 2] = [64, 16];

/// A triangle of some pixels from `x` on, in a red of 10 plus what the target has at `read`.
fn small(x: f32, read: f32) -> [Vertex; 3] {
    let [width, height] = TARGET;
    let color = [10.0 / 255.0, 0.0, 0.0, 0.0];
    [[x, 6.0], [x + 4.0, 6.0], [x, 11.0]]
        .map(|corner| [clip_space(corner, width, height), color, [(read + 0.5) / width as f32, 0.5, 0.0, 0.0]])
}

/// Draws very many triangles in the right tile, and at last one in the left tile that reads what those have drawn, as
/// far as it is there. A red of the left one.
fn read(observer: Option<Box<dyn Observer>>) -> u8 {
    let mut console = Console::new();
    console.gpu.map(GuestRange::new(0, INDICES.into(), 0x8_0000), Access::READ_WRITE).unwrap();
    console.gpu.set_observer(observer);
    let (right, left) = ((0..COUNT).map(|i| (i % 3) as u8), [2, 2, 3, 3, 3, 4, 5]);
    let indices: Vec<u8> = right.chain(left).collect();
    console.write(INDICES, &indices);
    let vertices: Vec<Vertex> = [small(36.0, 60.0), small(2.0, 36.0)].concat();
    console.write_floats(VERTICES, &vertices.concat().concat());
    let [width, height] = TARGET;
    let mut list = draw_state(width, height);
    for (id, value) in [
        (regs::tex_config::ID, 0x1001),
        (regs::tex_addr::IDS[0], COLOR >> 3),
        (regs::tex_dim::IDS[0], width << 16 | height),
        (regs::tex_format::IDS[0], 0),
        // Vertex colour plus texture.
        (regs::tev_source::IDS[0], 0x0030_0030),
        (regs::tev_combiner::IDS[0], 0x0002_0002),
        (regs::index_buffer::ID, INDICES - VERTICES),
        (regs::primitive_config::ID, 0x102),
        (regs::num_vertices::ID, indices.len() as u32),
        (regs::draw_elements::ID, 1),
    ] {
        list.set(id, value);
    }
    assert!(console.run(list.end()));
    assert_eq!(console.gpu.faults().total(), 0);
    assert!(console.gpu.stats().triangles > 1 << 18);
    let red = |console: &mut Console, x: u32| console.read(COLOR + 4 * tiled(x, 7, width), 4)[3];
    assert_eq!(red(&mut console, 36), 10);
    red(&mut console, 2)
}

/// Tiles are drawn one after another: with or without an observer, none of the draw is drawn before the others of
/// its triangles.
#[test]
fn large_draws_that_read_their_target_are_not_divided() {
    assert_eq!([read(None), read(Some(Box::new(Ignoring)))], [10, 10]);
}
