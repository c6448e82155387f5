//! Pixel programs, compiled: interpolation, quads, lanes that part, helpers.

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::PIXEL_FUEL;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;
use triglyph_testkit::maxwell::quad::{Colors, Pixels};

const UNTOUCHED: [u32; 4] = [u32::MAX; 4];

fn run(pixels: &Pixels) -> Colors {
    pixels.run(&Jit::new().unwrap()).unwrap()
}

fn bits(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

#[test]
fn inputs_with_perspective() {
    let text = "ipa.pass.default r4, a[rz+0x7c], rz, rz, pt
        mufu.rcp r4, r4
        ipa.mul.default r0, a[rz+0x80], r4, rz, pt
        ipa.pass.default r1, a[rz+0x84], rz, rz, pt
        ipa.constant.default r2, a[rz+0x84], rz, rz, pt
        ipa.pass.default r3, a[rz+0x70], rz, rz, pt
        exit";
    let mut pixels = Pixels::new(text, vec![[0.25, 0.5, 0.125], [3.0, 1.0, 0.0]]);
    pixels.inv_w = [0.5, 0.0, 0.0];
    let colors = run(&pixels);
    for y in 0..8 {
        for x in 0..8 {
            let plane = 0.25 + 0.5 * x as f32 + 0.125 * y as f32;
            let expected = bits([plane * 2.0, 3.0 + x as f32, 3.0, x as f32 + 0.5]);
            assert_eq!(colors.pixels[8 * y + x], expected, "{x}, {y}");
        }
    }
    assert_eq!(colors.passed, 64);
}

#[test]
fn derivatives() {
    let text = "ipa.pass.default r4, a[rz+0x80], rz, rz, pt
        shfl.bfly r5, pt, r4, 0x1, 0x1c03
        fswzadd r0, r5, r4, 0x99
        shfl.bfly r5, pt, r4, 0x2, 0x1c03
        fswzadd r1, r5, r4, 0xa5
        mov r2, r4, 0xf
        s2r r3, sr_laneid
        exit";
    let colors = run(&Pixels::new(text, vec![[1.0, 3.0, 5.0]]));
    for (at, color) in colors.pixels.iter().enumerate() {
        let (x, y) = (at % 8, at / 8);
        let value = 1.0 + 3.0 * x as f32 + 5.0 * y as f32;
        let lane = (x % 2 + 2 * (y % 2)) as u32;
        assert_eq!(*color, [3f32.to_bits(), 5f32.to_bits(), value.to_bits(), lane]);
    }
}

#[test]
fn killed_pixels_keep_their_colour() {
    // Pixels with x below 3 die, and with all of a quad the quad ends.
    let text = "ipa.pass.default r0, a[rz+0x80], rz, rz, pt
        fsetp.lt.and p0, pt, r0, 0x40400000, pt
        @p0 kil
        s2r r1, sr_thread_kill
        mov r2, rz, 0xf
        mov r3, rz, 0xf
        exit";
    let colors = run(&Pixels::new(text, vec![[0.0, 1.0, 0.0]]));
    for (at, color) in colors.pixels.iter().enumerate() {
        let x = at % 8;
        let expected = if x < 3 { UNTOUCHED } else { [(x as f32).to_bits(), 0, 0, 0] };
        assert_eq!(*color, expected, "{at}");
    }
    assert_eq!(colors.passed, 5 * 8);
}

#[test]
fn lanes_that_part_meet_again() {
    // Both sides of the fork, a loop whose passes differ from lane to lane, a vote after them.
    let text = "ipa.pass.default r4, a[rz+0x80], rz, rz, pt
        f2i.b32.f32.rz r5, r4
        lop.and r6, pt, r5, 0x1
        isetp.ne.and p0, pt, r6, rz, pt
        ssy join
        @p0 bra odd
        mov32i r0, 0x100, 0xf
        vote.all r1, pt, pt
        sync
    odd:
        mov32i r0, 0x200, 0xf
        vote.all r1, pt, pt
        sync
    join:
        vote.all r2, pt, pt
        mov r3, rz, 0xf
        pbk done
    top:
        isetp.s32.ge.and p1, pt, r3, r5, pt
        @p1 brk
        iadd r3, r3, 0x1
        bra top
    done:
        vote.all r7, pt, pt
        shl r7, r7, 0x8
        iadd r3, r3, r7
        exit";
    let colors = run(&Pixels::new(text, vec![[0.5, 1.0, 0.0]]));
    for (at, color) in colors.pixels.iter().enumerate() {
        let x = at as u32 % 8;
        let side = if x % 2 == 1 { [0x200, 0b1010] } else { [0x100, 0b0101] };
        assert_eq!(*color, [side[0], side[1], 0xF, 0xF00 + x], "{at}");
    }
    assert_eq!(colors.exhausted, 0);
}

#[test]
fn programs_that_run_away_end() {
    let text = "mov32i r0, 0x7, 0xf
    top:
        iadd r1, r1, 0x1
        bra top
        exit";
    let mut pixels = Pixels::new(text, vec![]);
    pixels.coverage = 0xF;
    let colors = run(&pixels);
    assert_eq!(colors.exhausted, 1);
    // Two instructions a pass, the first one before it; the pass in which more than the limit are counted is the last.
    assert_eq!(colors.pixels[0], [7, PIXEL_FUEL / 2, 0, 0]);
    // Whether or not it may kill.
    for kills in [true, false] {
        pixels.code.kills = kills;
        for tier in [&Interpreter as &dyn Tier, &Jit::new().unwrap()] {
            assert_eq!(pixels.run(tier).unwrap(), colors, "{}, kills: {kills}", tier.name());
        }
    }
}

/// What both tiers leave.
fn run_on_both(pixels: &Pixels) -> Colors {
    let colors = run(pixels);
    assert_eq!(pixels.run(&Interpreter).unwrap(), colors);
    colors
}

/// Goes round as often as its first constant says, in pixels of odd columns a third as often; then those may be killed.
fn rounds(count: u32, kill: &str) -> String {
    format!(
        "mov32i r5, {count:#x}, 0xf
        s2r r6, sr_laneid
        lop.and r6, pt, r6, 0x1
        isetp.ne.and p1, pt, r6, rz, pt
        @p1 mov32i r5, {:#x}, 0xf
    top:
        iadd r3, r3, 0x1
        isetp.lt.and p0, pt, r3, r5, pt
        @p0 bra top
        {kill}
        iadd r2, r2, 0x1
        exit",
        count / 3
    )
}

#[test]
fn quads_report_what_they_count() {
    // Four instructions, three for each round, three more; words of nothing but control are among the code's words.
    let pixels = Pixels::new(&rounds(1000, "mov r7, rz, 0xf"), vec![]);
    let free = 4 * pixels.code.code.words.len() as u64;
    let colors = run_on_both(&pixels);
    // The lanes of odd columns leave the loop first and wait for the others, or go to the end by themselves.
    let rounds = 3 * 1000;
    assert!((16 * (rounds - free)..16 * (rounds + 20 - free)).contains(&colors.excess), "{}", colors.excess);
    // Counts beyond 2^16, and none.
    let mut pixels = Pixels::new(&self::rounds(100_000, "kil"), vec![]);
    pixels.reserve = 1000;
    assert!(run_on_both(&pixels).excess >= 16 * 300_000 - 16 * free);
    assert_eq!(run_on_both(&Pixels::new(&self::rounds(3, "kil"), vec![])).excess, 0);
}

#[test]
fn long_programs_take_fuel_from_the_reserve() {
    // Two million instructions are 31 units in each quad.
    let mut pixels = Pixels::new(&rounds(680_000, "mov r7, rz, 0xf"), vec![]);
    pixels.reserve = 16 * 31 + 500;
    let colors = run_on_both(&pixels);
    assert_eq!((colors.exhausted, colors.reserve), (0, 500));
    assert!(colors.pixels.iter().enumerate().all(|(at, color)| color[3] == [680_000, 226_666][at % 2]), "all ended");
    // Another block has enough left, and a third one has not.
    for (blocks, exhausted, reserve) in [(2, 0, 4), (3, 16, 0), (9, 7 * 16, 0)] {
        pixels.blocks = blocks;
        let colors = run_on_both(&pixels);
        assert_eq!((colors.exhausted, colors.reserve), (exhausted, reserve), "{blocks}");
    }
    // Those that are killed take it as well, wherever that ends them.
    for kill in ["kil", "@p1 kil", "@!p1 kil"] {
        let mut pixels = Pixels::new(&rounds(680_000, kill), vec![]);
        (pixels.reserve, pixels.coverage) = (1000, 0xFFF3_0000_F0F0_1234);
        let colors = run_on_both(&pixels);
        assert!(colors.exhausted == 0 && colors.reserve < 1000, "{kill}: {colors:?}");
    }
}
