//! What pixel programs may execute: the same on both tiers and any number of threads.

use crate::support::threed::*;
use crate::support::{Machine, THREED, options};
use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Fault, FaultKind};
use triglyph_guest::kernel::maxwell::FUEL_UNIT;
use triglyph_guest::tegra::methods::threed::{Topology, regs as r};
use triglyph_options::Options;

/// Pixels of the edge of a target with several tiles.
const LARGE: u32 = 256;

/// Pixels of a tile's edge.
const TILE: u32 = 64;

const ENDLESS: &str = "again: bra again";

/// A machine with a large target.
fn large(options: &Options, text: &str) -> Machine {
    let mut m = ready_on(Machine::with(options));
    m.set(
        THREED,
        &[
            (r::set_color_target_width::id(0), 4 * LARGE),
            (r::set_color_target_height::id(0), LARGE),
            (r::set_surface_clip_horizontal::ID, LARGE << 16),
            (r::set_surface_clip_vertical::ID, LARGE << 16),
        ],
    );
    viewport(&mut m, 0, [0.0, 0.0, LARGE as f32, LARGE as f32]);
    program(&mut m, PIXEL, pixel_header(2), text);
    m
}

/// A point in the middle of tile `number`, whose program goes round so often.
fn point(number: u32, rounds: u32) -> Vertex {
    let tiles = LARGE / TILE;
    let place = |tile: u32| (tile as f32 + 0.51) * 2.0 / tiles as f32 - 1.0;
    vertex(place(number % tiles), place(number / tiles), 0.5, [rounds as f32, 0.0, 0.0, 1.0])
}

/// What a draw leaves: bytes of the target, faults with their places, fuel that it has used.
type Left = (Vec<u8>, Vec<Fault>, u64);

fn left(mut m: Machine, topology: Topology, all: &[Vertex], fuel: u64) -> Left {
    vertices(&mut m, all);
    m.gpu.set_fuel(fuel);
    m.hold();
    draw(&mut m, topology, 0, all.len() as u32);
    m.release();
    let pixels = m.read(TARGET, (4 * LARGE * LARGE) as usize);
    (pixels, m.gpu.faults().first().to_vec(), m.gpu.core().budget.used())
}

/// Draws in all ways. They leave the same, which comes back.
fn same(text: &str, topology: Topology, all: &[Vertex], fuel: u64) -> Left {
    let draw = |tier, threads| left(large(&Options::new(tier, threads), text), topology, all, fuel);
    let wanted = draw(TierMode::InterpreterOnly, 1);
    let (interpreter, compiler) = (TierMode::InterpreterOnly, TierMode::JitOnly);
    for (tier, threads) in [(interpreter, 2), (compiler, 1), (compiler, 3), (TierMode::Auto, 2)] {
        assert!(draw(tier, threads) == wanted, "{tier:?}, {threads} threads");
    }
    wanted
}

fn white_pixels((pixels, ..): &Left) -> usize {
    pixels.chunks(4).filter(|pixel| *pixel == [0xFF; 4]).count()
}

/// Two million instructions in one quad are an ordinary program.
#[test]
fn long_programs_end_by_themselves() {
    let left = same(ROUNDS, Topology::Points, &[point(5, 700_000)], options().fuel);
    assert_eq!((white_pixels(&left), left.1.len()), (1, 0));
    // They are paid.
    assert!(left.2 > 3 * 700_000 && left.2 < 4 * 700_000, "{}", left.2);
}

/// Tiles have equal parts of what there is, and quads of a tile one after the other what is left of its part.
#[test]
fn tiles_share_what_there_is() {
    let points: Vec<Vertex> = (0..16).map(|number| point(number, 20_000 * number + 1)).collect();
    // Half of the fuel is 64 units for each tile, of which a quad may take four besides its own.
    let left = same(ROUNDS, Topology::Points, &points, 2 * 16 * 65 * u64::from(FUEL_UNIT));
    let enough = points.iter().filter(|point| 3.0 * point[4] < (5 * FUEL_UNIT) as f32).count();
    assert_eq!((white_pixels(&left), enough), (6, 6));
    let [fault] = &left.1[..] else { panic!("{:?}", left.1) };
    assert_eq!((fault.kind, &*fault.what), (FaultKind::OutOfFuel, "10 programs without end"));
    // The same quads with more of it.
    assert_eq!(white_pixels(&same(ROUNDS, Topology::Points, &points, 1 << 30)), 16);
}

/// A tile is given up after the first block without end: what it may use then is the block's own fuel, and its part of
/// half of the submission's.
#[test]
fn loops_without_end_use_half_of_the_fuel() {
    let all = rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [1.0; 4]);
    let fuel = 2 * 16 * 33 * u64::from(FUEL_UNIT);
    let left = same(ENDLESS, Topology::TriangleStrip, &all, fuel);
    let [fault] = &left.1[..] else { panic!("{:?}", left.1) };
    assert_eq!((fault.kind, &*fault.what), (FaultKind::OutOfFuel, "256 programs without end"));
    let units = left.2 / u64::from(FUEL_UNIT);
    assert!((16 * (16 + 32)..16 * (16 + 32) + 16).contains(&units), "{units}");
}
