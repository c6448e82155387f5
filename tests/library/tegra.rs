//! The Tegra X1's engines on both tiers: the same words leave the same memory.
//!
//! Macros, copies, inline transfers and 2D images with random numbers in them, valid mostly. What single kernels do is
//! compared in the differential runs; here it is everything around them: which requests the engines make, and what they
//! do with an answer.
//!
//! `tegra/squares.rs` is the place to begin with: what a program of the Switch does from opening the devices to its
//! fence.

mod squares;
use triglyph::Tier;
use triglyph_guest::tegra::fifo::Stepping::{Each, Never, Once};
use triglyph_guest::tegra::mme::random::{Options as MacroOptions, program};
use triglyph_testkit::number::setting;
use triglyph_testkit::random::Random;
use triglyph_testkit::tegra::{Console, DATA, SIZE, methods};

const THREED: u32 = 0;
const INLINE: u32 = 2;
const TWOD: u32 = 3;
const COPY: u32 = 4;

/// Colour formats: 16 to 1 bytes, floats, packed ones.
const FORMATS: [u32; 12] = [0xC0, 0xC6, 0xCA, 0xD5, 0xCF, 0xD6, 0xDF, 0xD1, 0xE8, 0xE9, 0xEA, 0xF3];

/// An address of data, with room after it.
fn address(random: &mut Random) -> u32 {
    let unit = random.pick(&[1, 4, 16, 512, 0x1000]);
    DATA as u32 + random.below(SIZE as u32 / 2) / unit * unit
}

/// Memory without a pattern.
fn fill(random: &mut Random, words: &mut Vec<u32>) {
    let line: Vec<u32> = (0..2000).map(|_| random.word()).collect();
    words.extend(methods(INLINE, 0x60, Each, &[8000, 1, 0, address(random), 0]));
    words.extend(methods(INLINE, 0x6C, Each, &[1]));
    words.extend(methods(INLINE, 0x6D, Never, &line));
}

/// A block-linear image as registers have it: block, row in bytes, rows, slices.
fn image(random: &mut Random) -> [u32; 4] {
    let block = 0x1000 | random.below(4) << 4 | random.below(3) << 8;
    [block, 1 + random.below(300), 1 + random.below(100), 1 + random.below(5)]
}

fn copy(random: &mut Random, words: &mut Vec<u32>) {
    let (rows, bytes) = (1 + random.below(40), 1 + random.below(200));
    let mut pitch =
        || [bytes + random.below(100), random.below(bytes), bytes.wrapping_neg(), 0][random.below(4) as usize];
    let pitches = [pitch(), pitch()];
    let places = [0, address(random), 0, address(random), pitches[0], pitches[1], bytes, rows];
    words.extend(methods(COPY, 0x100, Each, &places));
    for first in [0x1C3, 0x1CA] {
        let [block, width, height, depth] = image(random);
        let origin = random.below(64) | random.below(40) << 16;
        words.extend(methods(COPY, first, Each, &[block, width, height, depth, random.below(depth), origin]));
    }
    let components = random.below(4) << 16 | random.below(4) << 20 | random.below(4) << 24;
    words.extend(methods(COPY, 0x1C0, Each, &[random.word(), random.word(), random.word() & 0x7777 | components]));
    let remap = u32::from(random.one_in(3)) << 10;
    words.extend(methods(COPY, 0xC0, Each, &[2 | random.below(8) << 7 | remap]));
}

fn surface(random: &mut Random, format: u32) -> [u32; 10] {
    let [block, width, height, depth] = image(random);
    let pitch = random.pick(&[0x100, 0x400, 0x1040, 0x33]);
    [format, random.below(2), block & 0xFF0, depth, random.below(depth), pitch, width, height, 0, address(random)]
}

fn blit(random: &mut Random, words: &mut Vec<u32>) {
    let formats = [random.pick(&FORMATS), random.pick(&FORMATS)];
    let target = surface(random, formats[0]);
    let from = random.pick(&formats);
    let source = surface(random, from);
    words.extend(methods(TWOD, 0x80, Each, &target));
    words.extend(methods(TWOD, 0x8C, Each, &source[..4]));
    words.extend(methods(TWOD, 0x91, Each, &source[5..]));
    let operation = random.pick(&[3, 3, 3, 0, 1, 2, 4, 5, 6]);
    words.extend(methods(TWOD, 0xA8, Each, &[random.word() & 0xFF, random.word(), random.word(), operation]));
    words.extend(methods(TWOD, 0xA0, Each, &[0, 0, random.below(200), random.below(100), random.below(2)]));
    words.extend(methods(TWOD, 0x223, Each, &[random.below(2) | random.below(2) << 4]));
    let fraction = random.word();
    let step = [random.pick(&[0, 0, fraction]), random.pick(&[1, 1, 0, 2, u32::MAX])];
    let place = [random.below(20), random.below(20), random.below(120), random.below(60)];
    let from = [0, random.below(30), 0, random.below(30)];
    words.extend(methods(TWOD, 0x22C, Each, &[place, [step[0], step[1], step[0], step[1]], from].concat()));
}

fn rectangles(random: &mut Random, words: &mut Vec<u32>) {
    let format = random.pick(&FORMATS);
    words.extend(methods(TWOD, 0x80, Each, &surface(random, format)));
    words.extend(methods(TWOD, 0x160, Each, &[random.below(5), format, random.word()]));
    let points: Vec<u32> = (0..12).map(|_| random.below(100)).collect();
    words.extend(methods(TWOD, 0x180, Each, &points));
    words.extend(methods(TWOD, 0x201, Each, &[random.pick(&FORMATS)]));
    let size = [1 + random.below(20), 1 + random.below(10), 0, 1, 0, 1, 0, random.below(20), 0, random.below(20)];
    words.extend(methods(TWOD, 0x20E, Each, &size));
    let pixels: Vec<u32> = (0..100).map(|_| random.word()).collect();
    words.extend(methods(TWOD, 0x218, Never, &pixels));
}

fn macros(random: &mut Random, words: &mut Vec<u32>) {
    let code = program(&mut || random.word(), MacroOptions { length: 40, ..MacroOptions::default() });
    let at = random.below(100);
    words.extend(methods(THREED, 0x45, Once, &[&[at][..], &code].concat()));
    words.extend(methods(THREED, 0x47, Each, &[random.below(8), at]));
    // Results go to memory through a register that a report reads.
    for index in 0..8 {
        let parameters: Vec<u32> = (0..1 + random.below(12)).map(|_| random.word()).collect();
        words.extend(methods(random.pick(&[THREED, TWOD]), 0xE00 + 2 * index, Once, &parameters));
    }
}

fn stream(seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut words = Vec::new();
    for _ in 0..6 {
        fill(&mut random, &mut words);
    }
    for _ in 0..25 {
        let part = random.pick(&[copy, copy, blit, blit, rectangles, macros, fill]);
        part(&mut random, &mut words);
    }
    words
}

#[test]
fn engines_do_the_same_on_both_tiers() {
    if triglyph_jit::Jit::new().is_err() {
        return;
    }
    let cases = setting("TRIGLYPH_CASES", 2000) / 200;
    let mut compiled = 0;
    for seed in 0..cases {
        let words = stream(seed);
        let runs = [(Tier::InterpreterOnly, 1), (Tier::JitOnly, 1), (Tier::JitOnly, 2)].map(|(tier, threads)| {
            let mut console = Console::new(tier, threads);
            console.run(&words);
            console.gpu.finish();
            compiled += console.gpu.stats().compiled_calls;
            let faults = (console.gpu.faults().total(), console.gpu.faults().first().to_vec());
            (console.data(), faults, console.gpu.take_written())
        });
        assert!(runs[0].0.iter().any(|&byte| byte != 0), "seed {seed}");
        for run in &runs[1..] {
            let at = run.0.iter().zip(&runs[0].0).position(|(a, b)| a != b);
            assert_eq!(at, None, "seed {seed}: the first byte that is different");
            assert_eq!((&run.1, &run.2), (&runs[0].1, &runs[0].2), "seed {seed}");
        }
    }
    assert!(compiled > 10 * cases, "only {compiled} compiled calls");
}
