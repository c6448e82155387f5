//! Fragment kernels: interpolation, quads, samples.

#[allow(dead_code, reason = "each test file uses a part")]
#[path = "common/quads.rs"]
mod quads;

use quads::{RGBA32F, Scene, bit, copy_input};

#[test]
fn a_varying_is_the_value_of_its_plane() {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    scene.primitive.origin = [2, -1];
    scene.planes[..4].copy_from_slice(&[[10.0, 1.0, 0.0], [20.0, 0.0, 1.0], [30.0, 0.5, 0.25], [0.0, 0.0, 0.0]]);
    scene.blocks[0].coverage = !bit(3, 4);
    assert_eq!(scene.draw(), 63);
    assert_eq!(scene.floats(0, 0), [8.0, 21.0, 29.25, 0.0]);
    assert_eq!(scene.floats(7, 5), [15.0, 26.0, 34.0, 0.0]);
    assert_eq!(scene.floats(3, 4), [0.0; 4]);
}
