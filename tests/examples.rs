//! The examples of `examples/rust`: each draws the picture of `docs/pictures`, on both tiers and any number of threads
//! alike. `TRIGLYPH_BLESS=1` stores the interpreter's pictures.
#![allow(dead_code, reason = "examples have a `main` of their own")]
#![allow(clippy::duplicate_mod, reason = "several examples have the same cube and the same console")]

use std::error::Error;
use std::path::Path;

use triglyph::capture::{Picture, decode_png};
use triglyph::{Options, Tier};

#[path = "../examples/rust/n3ds_cube.rs"]
mod n3ds_cube;
#[path = "../examples/rust/n3ds_triangle.rs"]
mod n3ds_triangle;
#[path = "../examples/rust/ps3_cube.rs"]
mod ps3_cube;
#[path = "../examples/rust/ps3_triangle.rs"]
mod ps3_triangle;
#[path = "../examples/rust/switch_cube.rs"]
mod switch_cube;
#[path = "../examples/rust/switch_triangle.rs"]
mod switch_triangle;

/// Longest source of an example, so that it can be read in one sitting.
const MAX_LINES: usize = 120;

fn check(name: &str, draw: fn(&Options) -> Result<Picture, Box<dyn Error>>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(root.join(format!("examples/rust/{name}.rs"))).expect("the source");
    assert!(source.lines().count() < MAX_LINES, "{name} has {} lines", source.lines().count());

    let picture = draw(&Options::new(Tier::InterpreterOnly, 1)).expect("a picture");
    let file = root.join(format!("docs/pictures/{name}.png"));
    if std::env::var_os("TRIGLYPH_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, picture.to_png(false).expect("a PNG")).expect("the picture is stored");
    }
    let (expected, _) = decode_png(&std::fs::read(&file).expect("the picture of the guide")).expect("a PNG");
    assert_eq!((picture.width, picture.height), (expected.width, expected.height));
    for (tier, threads) in [(Tier::InterpreterOnly, 1), (Tier::JitOnly, 1), (Tier::JitOnly, 3)] {
        let picture = draw(&Options::new(tier, threads)).expect("a picture");
        assert!(picture.rgba == expected.rgba, "{name} differs from {} on {tier:?}", file.display());
    }
    let background = picture.pixel(1, 1).expect("a pixel");
    let drawn = picture.rgba.chunks(4).filter(|pixel| *pixel != background).count() as u32;
    assert!(drawn > picture.width * picture.height / 10, "{name} covers {drawn} pixels");
}

#[test]
fn a_triangle_on_the_3ds() {
    check("n3ds_triangle", n3ds_triangle::picture);
}

#[test]
fn a_cube_on_the_3ds() {
    check("n3ds_cube", n3ds_cube::picture);
}

#[test]
fn a_triangle_on_the_ps3() {
    check("ps3_triangle", ps3_triangle::picture);
}

#[test]
fn a_cube_on_the_ps3() {
    check("ps3_cube", ps3_cube::picture);
}

#[test]
fn a_triangle_on_the_switch() {
    check("switch_triangle", switch_triangle::picture);
}

#[test]
fn a_cube_on_the_switch() {
    check("switch_cube", switch_cube::picture);
}
