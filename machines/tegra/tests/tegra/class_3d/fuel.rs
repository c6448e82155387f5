//! What programs may execute: the same on both tiers and any number of threads.

use crate::support::threed::*;
use crate::support::{Machine, options};
use triglyph_engine::Device;
use triglyph_engine::cache::TierMode;
use triglyph_engine::device::{Fault, FaultKind};
use triglyph_guest::kernel::maxwell::{FUEL, FUEL_UNIT, PIXEL_FUEL};
use triglyph_guest::tegra::header::program::attribute;
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
    m.threed(&[
        (r::set_color_target_width::id(0), 4 * LARGE),
        (r::set_color_target_height::id(0), LARGE),
        (r::set_surface_clip_horizontal::ID, LARGE << 16),
        (r::set_surface_clip_vertical::ID, LARGE << 16),
    ]);
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
    // They are paid, two instructions for a unit.
    assert!(left.2 > 3 * 350_000 && left.2 < 4 * 350_000, "{}", left.2);
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
/// half of the submission's. Two instructions are paid with a unit.
#[test]
fn loops_without_end_use_a_quarter_of_the_fuel() {
    let all = rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [1.0; 4]);
    let fuel = 2 * 16 * 33 * u64::from(FUEL_UNIT);
    let left = same(ENDLESS, Topology::TriangleStrip, &all, fuel);
    let [fault] = &left.1[..] else { panic!("{:?}", left.1) };
    assert_eq!((fault.kind, &*fault.what), (FaultKind::OutOfFuel, "256 programs without end"));
    let units = 2 * left.2 / u64::from(FUEL_UNIT);
    assert!((16 * (16 + 32)..16 * (16 + 32) + 16).contains(&units), "{units}");
}

/// A loop that ends after so many instructions in each pixel, or a few less.
fn loop_of(instructions: u32) -> String {
    ROUNDS.replace("f2i.signed.b32.f32.rz r5, r0", &format!("mov32i r5, {:#x}, 0xf", instructions / 3 - 16))
}

/// What quads execute is paid when their scene is drawn, so a submission ends however many draws it has.
#[test]
fn loops_that_end_are_paid() {
    let all = rectangle([-1.0, -1.0, 1.0, 1.0], 0.5, [1.0; 4]);
    let (quads, instructions) = (LARGE * LARGE / 4, 1 << 12);
    let left = same(&loop_of(instructions), Topology::TriangleStrip, &all, 1 << 34);
    let price = u64::from(quads * instructions) / 2;
    assert!((price - price / 32..price + price / 32).contains(&left.2), "{} of {price}", left.2);
    assert_eq!((white_pixels(&left), left.1.len()), ((LARGE * LARGE) as usize, 0));
}

/// A tile has a share of half of the fuel, at least 2^24 instructions: those of 16 blocks, which have 16 quads each.
#[test]
fn tiles_are_given_up_when_loops_have_used_them_up() {
    let tile = rectangle([-1.0, -1.0, -0.5, -0.5], 0.5, [1.0; 4]);
    let blocks = |fuel| {
        let left = same(&loop_of(PIXEL_FUEL), Topology::TriangleStrip, &tile, fuel);
        let [fault] = &left.1[..] else { panic!("{:?}", left.1) };
        assert_eq!((fault.kind, &*fault.what), (FaultKind::OutOfFuel, "programs with loops are too long for 1 tiles"));
        white_pixels(&left) / 64
    };
    // Blocks on the diagonal are covered in part.
    let little = blocks(1 << 22);
    assert!((12..18).contains(&little), "{little}");
    // The share of the only tile.
    let enough = blocks(2 * 28 * 16 * u64::from(PIXEL_FUEL));
    assert!((22..30).contains(&enough), "{enough}");
}

/// Vertices of a long draw.
const MANY: u32 = 600;

/// Rounds of three instructions of a loop, for each of them.
const LONG: u32 = 5000;

/// A program that goes round as often as the first component of its colour says, and stores the colour as position.
fn long_program(load: &str, store: &str) -> String {
    format!(
        "mov r9, rz, 0xf
        {load}
        f2i.signed.b32.f32.rz r5, r0
    again:
        iadd r4, r4, 0x1
        isetp.s32.lt.and p0, pt, r4, r5, pt
        @p0 bra again
        ast.w4 r0, [rz+0x70], r9
        {store}
        exit"
    )
}

/// Draws many points with so much fuel, in all ways, on a machine that `prepare` has given programs. How many positions
/// are there, and the fuel that was used.
fn long_draw(prepare: fn(&mut Machine), fuel: u64) -> (usize, u64) {
    let draw = |tier, threads| {
        let mut m = large(&Options::new(tier, threads), COLOR);
        prepare(&mut m);
        let point = |n: u32| vertex(0.0, 0.0, 0.5, [LONG as f32, n as f32, 0.0, 1.0]);
        vertices(&mut m, &(0..MANY).map(point).collect::<Vec<_>>());
        capture(&mut m, &[0x1C, 0x1D, 0x1E, 0x1F], 16 * MANY);
        m.gpu.set_fuel(fuel);
        m.hold();
        self::draw(&mut m, Topology::Points, 0, MANY);
        m.release();
        let captured = m.read(CAPTURED, (16 * MANY) as usize);
        (captured, m.gpu.faults().first().to_vec(), m.gpu.core().budget.used())
    };
    let wanted = draw(TierMode::InterpreterOnly, 1);
    for threads in [1, 2, 4] {
        assert!(draw(TierMode::JitOnly, threads) == wanted, "{threads} threads");
    }
    assert!(draw(TierMode::InterpreterOnly, 2) == wanted);
    (wanted.0.chunks(16).filter(|position| position[12..] == 1f32.to_le_bytes()).count(), wanted.2)
}

/// Checks that runs are paid, and end where the fuel does.
fn pays_what_it_executes(prepare: fn(&mut Machine)) {
    let (run, prices) = (u64::from(3 * LONG), u64::from(MANY) * 200);
    let (all, used) = long_draw(prepare, options().fuel);
    let price = u64::from(MANY) * run;
    assert!(all == MANY as usize && (price..price + prices).contains(&used), "{all}: {used}");
    // Enough for two hundred runs. The last sixteen may find less than they take.
    let fuel = 200 * run + prices;
    let (some, used) = long_draw(prepare, fuel);
    assert!((200..232).contains(&some) && used == fuel, "{some}: {used}");
    assert!(16 * u64::from(FUEL) > 32 * run, "runs begin sixteen at a time");
}

#[test]
fn vertices_pay_what_they_execute() {
    pays_what_it_executes(|m| {
        let (inputs, outputs) = (words(attribute::GENERIC, 8), words(attribute::POSITION, 4));
        program(m, VERTEX, header(1, &inputs, &outputs), &long_program("ald.w4 r0, [rz+0x90], rz", ""));
    });
}

#[test]
fn primitives_pay_what_they_execute() {
    pays_what_it_executes(|m| {
        let mut head = header(4, &words(attribute::GENERIC, 4), &words(attribute::POSITION, 4));
        head[2] |= 1 << 24;
        head[3] |= 1 << 24;
        head[4] |= 1;
        let text = long_program("ald.w4 r0, [rz+0x80], r9", "out.emit r9, r9, rz");
        program(m, GEOMETRY, head, &text);
    });
}
