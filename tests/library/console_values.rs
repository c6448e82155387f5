//! Tables of values that a 3DS gave, on both tiers (`tests/data/3ds/console`).

use triglyph_guest::kernel::combine::{Function, Source};
use triglyph_guest::kernel::pixel::{PixelBlock, Primitive};
use triglyph_guest::layout::unmorton;
use triglyph_testkit::data::{Value, items, json, number};
use triglyph_testkit::pica::scene::Scene;
use triglyph_testkit::pica::stage_of_three;
use triglyph_testkit::tiers::tiers;

/// Inputs of a series: pixels of the scene.
const INPUTS: u32 = 256;
/// Pixels of a row.
const WIDTH: u32 = 16;
/// Values that a primitive carries: those of [`Scene::default`].
const SLOTS: usize = 7;

/// A colour of a series for an input.
fn operand(channels: &Value, input: u32) -> [u8; 4] {
    let mut color = [255; 4];
    for (channel, value) in color.iter_mut().zip(items(channels)) {
        *channel = value.as_str().map_or_else(|| number(value), |_| input.into()) as u8;
    }
    color
}

/// A pixel for each input, each of it a primitive with its own primary colour.
fn pixels(primary: impl Fn(u32) -> [u8; 4]) -> Scene {
    let mut scene =
        Scene { width: WIDTH, rows: INPUTS / WIDTH, color: vec![0; 4 * INPUTS as usize], ..Scene::default() };
    let plain = scene.primitives[0];
    (scene.primitives, scene.blocks) = (Vec::new(), Vec::new());
    let mut varyings = Vec::new();
    for input in 0..INPUTS {
        scene.primary(primary(input));
        scene.primitives.push(Primitive { first_varying: (SLOTS as u32) * input, ..plain });
        varyings.extend_from_slice(&scene.varyings);
        let (x, row) = place(input);
        let (column, first) = (x & !7, row & !7);
        let coverage = (0..64).find(|bit| unmorton(*bit) == (x & 7, row & 7)).map_or(0, |bit| 1 << bit);
        let block = PixelBlock { primitive: input, x: column as u16, row: first as u16, coverage };
        scene.blocks.push(block);
    }
    scene.varyings = varyings;
    scene
}

/// The pixel of an input.
fn place(input: u32) -> (u32, u32) {
    (input % WIDTH, input / WIDTH)
}

#[test]
fn dot_products_are_the_consoles() {
    let mut values = 0;
    for series in items(&json("3ds/console/dot3.json")["series"]) {
        let mut scene = pixels(|input| operand(&series["b"], input));
        // The first operand changes only where it is the same as the second.
        let first = if series["a"] == series["b"] { Source::Primary } else { Source::Constant };
        scene.key.combiners.stages[0] = stage_of_three(Function::Dot3Rgb, [first, Source::Primary, Source::Primary]);
        scene.constants.stage_color[0] = u32::from_be_bytes(operand(&series["a"], 0));
        let mut wanted = Vec::new();
        for run in items(&series["runs"]) {
            wanted.extend(std::iter::repeat_n(number(&run[0]) as u8, number(&run[1]) as usize));
        }
        for (name, tier) in tiers() {
            let surfaces = scene.draw(&*tier).expect("a combiner stage is compiled");
            for (input, want) in (0..INPUTS).zip(&wanted) {
                let (x, row) = place(input);
                let [r, g, b, _] = scene.color_at(&surfaces, x, row);
                assert_eq!([r, g, b], [*want; 3], "{name}: {} and {} for {input}", series["a"], series["b"]);
            }
        }
        values += wanted.len();
    }
    assert_eq!(values, 2816);
}
