//! Texture coordinates as colours: s is blue, t upwards is green; the program asks for half precision.

use triglyph_guest::rsx::methods::curie as m;
use triglyph_testkit::rsx::{Console, QUADS};

use super::Recorded;

fn draw(console: &mut Console<Recorded>) {
    console.vertex_program("mov o[HPOS], v[0]\n mov o[TC0], v[8]  [end]");
    console.fragment_program("mov r0, {0, 0, 0, 1}\n mov r0.yz, f[TC0].yyxx  [fp16, end]");
    console.set(m::set_depth_test_enable::ID, 1);
    console.begin(QUADS);
    for [s, t] in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        console.attribute(8, [s, t, 0.0, 1.0]);
        console.attribute(0, [2.0 * s - 1.0, 2.0 * t - 1.0, 0.0, 1.0]);
    }
    console.end();
}

#[test]
fn gradient() {
    super::check("gradient", super::EXACT, draw);
}
