//! The Tegra X1's 2D class: blits against plain arithmetic, solid primitives, pixels from the push buffer.

use crate::support::{DATA, Machine, SIZE, TWOD, header, methods, options};
use triglyph_engine::device::FaultKind;
use triglyph_guest::layout::Blocks;
use triglyph_guest::tegra::fifo::Stepping;
use triglyph_testkit::random::{noise, words};

const SOURCE: u32 = 0x2_0000;
const TARGET: u32 = 0x18_0000;

/// Formats by their codes.
const A8R8G8B8: u32 = 0xCF;
const A8B8G8R8: u32 = 0xD5;
const R5G6B5: u32 = 0xE8;
const RF32: u32 = 0xE5;
const RU32: u32 = 0xE4;
const R32X4: u32 = 0xC0;

/// A surface in the data.
#[derive(Clone, Copy, Debug)]
struct Surface {
    format: u32,
    bytes: u32,
    offset: u32,
    width: u32,
    height: u32,
    /// Bytes of a row; block-linear without.
    pitch: Option<u32>,
    log2: [u32; 2],
    slices: u32,
    layer: u32,
}

impl Surface {
    fn rows(format: u32, bytes: u32, offset: u32, width: u32, height: u32) -> Surface {
        let pitch = Some(width * bytes);
        Surface { format, bytes, offset, width, height, pitch, log2: [0; 2], slices: 1, layer: 0 }
    }

    fn random(word: &mut impl FnMut() -> u32, format: u32, bytes: u32, offset: u32) -> Surface {
        let (width, height) = (1 + word() % 60, 1 + word() % 60);
        let rows = Surface::rows(format, bytes, offset, width, height);
        let pitch = (width + word() % 9) * bytes;
        match word() % 2 {
            0 => Surface { pitch: Some(pitch), ..rows },
            _ => Surface { pitch: None, log2: [word() % 3, word() % 2], slices: 1 + word() % 3, ..rows },
        }
    }

    /// Where a pixel is in the data.
    fn at(&self, x: u32, y: u32) -> usize {
        let inside = match self.pitch {
            Some(pitch) => u64::from(y * pitch + x * self.bytes),
            None => {
                let [log2_gobs, log2_slices] = self.log2.map(|log2| log2 as u8);
                let gobs_across = (self.width * self.bytes).div_ceil(64);
                let blocks = Blocks { gobs_across, rows: self.height, slices: self.slices, log2_gobs, log2_slices };
                blocks.offset(x * self.bytes, y, self.layer)
            }
        };
        self.offset as usize + inside as usize
    }

    fn pixel<'d>(&self, data: &'d [u8], x: u32, y: u32) -> &'d [u8] {
        &data[self.at(x, y)..][..self.bytes as usize]
    }

    fn block(&self) -> u32 {
        self.log2[0] << 4 | self.log2[1] << 8
    }

    /// Words that make it the destination.
    fn destination(&self) -> Vec<u32> {
        let layout = u32::from(self.pitch.is_some());
        let address = DATA as u32 + self.offset;
        let (pitch, slices) = (self.pitch.unwrap_or(0), self.slices);
        let words = [self.format, layout, self.block(), slices, self.layer, pitch, self.width, self.height, 0, address];
        methods(TWOD, 0x80, &words)
    }

    /// Words that make it the source.
    fn source(&self) -> Vec<u32> {
        let layout = u32::from(self.pitch.is_some());
        let (address, pitch) = (DATA as u32 + self.offset, self.pitch.unwrap_or(0));
        let words = [self.format, layout, self.block(), self.slices];
        let size = [pitch, self.width, self.height, 0, address];
        [methods(TWOD, 0x8C, &words), methods(TWOD, 0x91, &size)].concat()
    }
}

/// A blit: first destination pixel and size, first source coordinate and step, both axes, 32.32; sample mode.
#[derive(Clone, Copy, Debug)]
struct Blit {
    first: [i32; 2],
    size: [i32; 2],
    start: [i64; 2],
    step: [i64; 2],
    mode: u32,
}

const ONE: i64 = 1 << 32;
const CORNER: u32 = 1;
const BILINEAR: u32 = 1 << 4;

impl Blit {
    fn plain(first: [i32; 2], size: [i32; 2], start: [i64; 2]) -> Blit {
        Blit { first, size, start: start.map(|at| at * ONE), step: [ONE; 2], mode: 0 }
    }

    fn words(&self) -> Vec<u32> {
        let long = |value: i64| [value as u32, (value >> 32) as u32];
        let [x, y] = self.first.map(|at| at as u32);
        let [width, height] = self.size.map(|size| size as u32);
        let longs = [self.step, self.start].concat();
        let words: Vec<u32> = [x, y, width, height].into_iter().chain(longs.into_iter().flat_map(long)).collect();
        [methods(TWOD, 0x223, &[self.mode]), methods(TWOD, 0x22C, &words)].concat()
    }
}

/// SRCCOPY, no clip, no key.
fn copies() -> Vec<u32> {
    [methods(TWOD, 0xAB, &[3]), methods(TWOD, 0xA4, &[0, 0, 0, 0])].concat()
}

fn run(machine: &mut Machine, source: &Surface, target: &Surface, blit: &Blit) {
    machine.run(&[copies(), target.destination(), source.source(), blit.words()].concat());
}

#[test]
fn pixels_of_equal_formats_are_moved() {
    let mut word = words(9);
    let mut machine = Machine::new();
    for case in 0..200 {
        let (format, bytes) = [(0xF3, 1), (R5G6B5, 2), (A8R8G8B8, 4), (0xCA, 8), (R32X4, 16)][word() as usize % 5];
        let source = Surface { slices: 1, ..Surface::random(&mut word, format, bytes, SOURCE) };
        let mut target = Surface::random(&mut word, format, bytes, TARGET);
        target.layer = if target.pitch.is_none() { word() % target.slices } else { 0 };
        let mut below = |n: u32| (word() % n) as i32;
        let blit = Blit {
            mode: if below(2) == 0 { 0 } else { BILINEAR },
            ..Blit::plain(
                [below(80) - 20, below(80) - 20],
                [below(70), below(70)],
                [i64::from(below(30)), i64::from(below(30))],
            )
        };
        machine.write(0, &noise(SIZE as usize, case));
        let mut expected = machine.data();
        for (j, i) in (0..blit.size[1]).flat_map(|j| (0..blit.size[0]).map(move |i| (j, i))) {
            let (x, y) = (blit.first[0] + i, blit.first[1] + j);
            if x < 0 || y < 0 || x >= target.width as i32 || y >= target.height as i32 {
                continue;
            }
            let clamp = |at: i64, size: u32| at.clamp(0, i64::from(size) - 1) as u32;
            let from = source.at(
                clamp(blit.start[0] / ONE + i64::from(i), source.width),
                clamp(blit.start[1] / ONE + i64::from(j), source.height),
            );
            let to = target.at(x as u32, y as u32);
            expected.copy_within(from..from + bytes as usize, to);
        }
        run(&mut machine, &source, &target, &blit);
        assert!(machine.data() == expected, "case {case}: {source:?} {target:?} {blit:?}");
    }
    machine.expect_no_faults();
}

/// Any scale and filter, RGBA8 to BGRA8 and to floats, against the formula of the documentation in f32.
#[test]
fn scaled_pixels() {
    let mut word = words(21);
    let mut machine = Machine::new();
    for case in 0..200 {
        let floats = word().is_multiple_of(3);
        let source = Surface { slices: 1, ..Surface::random(&mut word, A8B8G8R8, 4, SOURCE) };
        let (format, bytes) = if floats { (R32X4, 16) } else { (A8R8G8B8, 4) };
        let target = Surface { slices: 1, ..Surface::random(&mut word, format, bytes, TARGET) };
        let mut fixed = |whole: u32| {
            let value = i64::from(word() % whole) << 32 | i64::from(word());
            if word().is_multiple_of(5) { -value } else { value }
        };
        let blit = Blit {
            first: [0, 0],
            size: [target.width as i32, target.height as i32],
            start: [fixed(20), fixed(20)],
            step: [fixed(3), fixed(3)],
            mode: word() & (CORNER | BILINEAR),
        };
        machine.write(0, &noise(SIZE as usize, case));
        run(&mut machine, &source, &target, &blit);
        let data = machine.data();
        let texel = |x: i64, y: i64| -> [f32; 4] {
            let clamp = |at: i64, size: u32| at.clamp(0, i64::from(size) - 1) as u32;
            let pixel = source.pixel(&data, clamp(x, source.width), clamp(y, source.height));
            std::array::from_fn(|i| f32::from(pixel[i]) * (1.0 / 255.0))
        };
        for (y, x) in (0..target.height).flat_map(|y| (0..target.width).map(move |x| (y, x))) {
            let [u, v] = [(0, x), (1, y)].map(|(axis, i)| blit.start[axis] + blit.step[axis] * i64::from(i));
            let expected = if blit.mode & BILINEAR == 0 {
                texel(u >> 32, v >> 32)
            } else {
                let [u, v] = [u, v].map(|at| if blit.mode & CORNER != 0 { at - ONE / 2 } else { at });
                let weight = |at: i64| ((at & (ONE - 1)) >> 8) as f32 / 16_777_216.0;
                let mix = |a: [f32; 4], b: [f32; 4], t: f32| std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t);
                let (i, j) = (u >> 32, v >> 32);
                let upper = mix(texel(i, j), texel(i + 1, j), weight(u));
                let lower = mix(texel(i, j + 1), texel(i + 1, j + 1), weight(u));
                mix(upper, lower, weight(v))
            };
            let pixel = target.pixel(&data, x, y);
            let found: [f32; 4] = match floats {
                true => std::array::from_fn(|i| {
                    f32::from_le_bytes([pixel[4 * i], pixel[4 * i + 1], pixel[4 * i + 2], pixel[4 * i + 3]])
                }),
                false => [2, 1, 0, 3].map(|i| f32::from(pixel[i])),
            };
            let expected = if floats { expected } else { expected.map(|v| (v * 255.0 + 0.5).floor()) };
            assert_eq!(found, expected, "case {case}, ({x}, {y}): {source:?} {target:?} {blit:?}");
        }
    }
    machine.expect_no_faults();
}

/// As Mesa resolves: steps of the samples of a pixel, half of that added, origin CORNER, bilinear.
#[test]
fn samples_are_resolved() {
    let mut machine = Machine::new();
    let pixel = |red: u32| 0xFF00_0000 | red << 16;
    let reds = [10, 30, 50, 71, 100, 102, 0, 255];
    let bytes: Vec<u8> = reds.iter().flat_map(|&red| pixel(red).to_le_bytes()).collect();
    machine.write(SOURCE.into(), &bytes);
    // Four samples of 2 x 2 a pixel; two pixels.
    let four = Surface::rows(A8R8G8B8, 4, SOURCE, 4, 2);
    let target = Surface::rows(A8R8G8B8, 4, TARGET, 2, 1);
    let resolve =
        Blit { first: [0, 0], size: [2, 1], start: [ONE, ONE], step: [2 * ONE, 2 * ONE], mode: CORNER | BILINEAR };
    run(&mut machine, &four, &target, &resolve);
    // (10 + 30 + 100 + 102) / 4 = 60.5, (50 + 71 + 0 + 255) / 4 = 94.
    assert_eq!(machine.words(TARGET.into()), [pixel(61), pixel(94)]);
    // Two samples side by side.
    let two = Surface::rows(A8R8G8B8, 4, SOURCE, 4, 1);
    let resolve = Blit { step: [2 * ONE, ONE], start: [ONE, ONE / 2], ..resolve };
    run(&mut machine, &two, &target, &resolve);
    assert_eq!(machine.words(TARGET.into()), [pixel(20), pixel(61)]);
    machine.expect_no_faults();
}

/// What a transfer kernel makes of numbers from 0 to 1 is what the same blit makes of colours: a colour key that
/// matches nothing has it done pixel by pixel.
#[test]
fn kernels_and_colors_agree() {
    const A8R8G8B8_SRGB: u32 = 0xD0;
    const X8R8G8B8: u32 = 0xE6;
    const KEY: [u32; 3] = [2, 0x12_3456, 1];
    let mut word = words(77);
    let formats = [A8R8G8B8, A8B8G8R8, A8R8G8B8_SRGB, X8R8G8B8];
    for round in 0..120 {
        let mut machine = Machine::new();
        let [source, target] = [SOURCE, TARGET].map(|at| {
            let format = formats[word() as usize % formats.len()];
            Surface { layer: 0, ..Surface::random(&mut word, format, 4, at) }
        });
        let memory = noise(SIZE as usize, round);
        let coordinate = |word: u32| i64::from(word as i32) << (word % 7);
        let step = [word(), word()].map(|word| ONE / 16 * i64::from(word % 64) - ONE / 2 + i64::from(word & 0xFFFF));
        let blit = Blit {
            first: [word(), word()].map(|word| (word % 20) as i32 - 8),
            size: [word(), word()].map(|word| (word % 60) as i32),
            start: [word(), word()].map(coordinate),
            step: if word().is_multiple_of(4) { [2 * ONE; 2] } else { step },
            mode: word() & (CORNER | BILINEAR),
        };
        let found = [false, true].map(|keyed| {
            machine.write(0, &memory);
            let key = methods(TWOD, 0xA5, &if keyed { KEY } else { [0; 3] });
            machine.run(&[copies(), target.destination(), source.source(), key, blit.words()].concat());
            machine.data()
        });
        assert!(found[0] == found[1], "{round}: {source:?} {target:?} {blit:?}");
        machine.expect_no_faults();
    }
}

/// Several bands of rows, which threads share: means of four pixels, and what the same blit makes of colours.
#[test]
fn large_blits_are_the_same_on_all_threads() {
    const KEY: [u32; 3] = [2, 0x12_3456, 1];
    let source = Surface { pitch: None, log2: [3, 0], ..Surface::rows(A8R8G8B8, 4, SOURCE, 480, 600) };
    let target = Surface { pitch: None, log2: [1, 0], ..Surface::rows(A8R8G8B8, 4, TARGET, 310, 300) };
    let resolve =
        Blit { first: [0, 0], size: [240, 300], start: [ONE; 2], step: [2 * ONE; 2], mode: CORNER | BILINEAR };
    let upside_down = Blit { start: [ONE, 599 * ONE], step: [3 * ONE / 2, 5 - 2 * ONE], ..resolve };
    let memory = noise(SIZE as usize, 5);
    let drawn = |threads: usize, key: [u32; 3], blit: &Blit, target: &Surface| {
        let mut options = options();
        options.threads = threads;
        let mut machine = Machine::with(&options);
        machine.write(0, &memory);
        let key = methods(TWOD, 0xA5, &key);
        machine.run(&[copies(), target.destination(), source.source(), key, blit.words()].concat());
        machine.expect_no_faults();
        machine.data()
    };
    let mut means = memory.clone();
    for (x, y) in (0..300).flat_map(|y| (0..240).map(move |x| (x, y))) {
        let texels = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| source.pixel(&memory, 2 * x + dx, 2 * y + dy));
        for byte in 0..4 {
            let sum: u32 = texels.iter().map(|texel| u32::from(texel[byte])).sum();
            means[target.at(x, y) + byte] = ((sum + 2) >> 2) as u8;
        }
    }
    // Of rows that lie in each other the last one counts.
    let overlapping = Surface { pitch: Some(64), ..Surface::rows(A8R8G8B8, 4, TARGET, 310, 300) };
    let cases = [
        (resolve, target, means),
        (upside_down, target, drawn(1, KEY, &upside_down, &target)),
        (upside_down, overlapping, drawn(1, KEY, &upside_down, &overlapping)),
    ];
    for (blit, target, expected) in cases {
        for threads in [1, 2, 4] {
            assert!(drawn(threads, [0; 3], &blit, &target) == expected, "{threads} threads, {blit:?} {target:?}");
        }
    }
}

#[test]
fn sources_are_read_before_they_are_overwritten() {
    let mut machine = Machine::new();
    let image = Surface { pitch: None, ..Surface::rows(A8R8G8B8, 4, SOURCE, 40, 40) };
    machine.write(0, &noise(SIZE as usize, 4));
    let before = machine.data();
    run(&mut machine, &image, &image, &Blit::plain([3, 2], [37, 38], [0, 0]));
    let after = machine.data();
    for (y, x) in (2..40).flat_map(|y| (3..40).map(move |x| (y, x))) {
        assert_eq!(image.pixel(&after, x, y), image.pixel(&before, x - 3, y - 2), "({x}, {y})");
    }
    machine.expect_no_faults();
}

#[test]
fn clips_keys_and_formats() {
    let mut machine = Machine::new();
    let (source, target) = (Surface::rows(A8R8G8B8, 4, SOURCE, 4, 4), Surface::rows(R5G6B5, 2, TARGET, 4, 4));
    machine.write(SOURCE.into(), &[0x00, 0xFF, 0x00, 0xFF].repeat(16));
    let blit = Blit::plain([0, 0], [4, 4], [0, 0]).words();
    let setup = [copies(), target.destination(), source.source()].concat();
    machine.run(&[&setup[..], &methods(TWOD, 0xA0, &[1, 2, 2, 9, 1]), &blit].concat());
    let mut expected = [0u16; 16];
    for at in [9, 10, 13, 14] {
        expected[at] = 0x07E0;
    }
    let found = |machine: &mut Machine| -> Vec<u16> {
        machine.read(TARGET.into(), 32).chunks(2).map(|pixel| u16::from_le_bytes([pixel[0], pixel[1]])).collect()
    };
    assert_eq!(found(&mut machine), expected);
    // Green is the key: nothing happens; with another key everything does.
    machine.write(TARGET.into(), &[1; 32]);
    machine.run(&[&setup[..], &methods(TWOD, 0xA5, &[2, 0x1200_FF00, 1]), &blit].concat());
    assert_eq!(found(&mut machine), [0x0101; 16]);
    machine.run(&[&setup[..], &methods(TWOD, 0xA5, &[0, 0x07E1, 1]), &blit].concat());
    assert_eq!(found(&mut machine), [0x07E0; 16]);
    machine.expect_no_faults();
    // Integers and floats of the same size are not the same.
    let (source, target) = (Surface { format: RU32, ..source }, Surface { format: RF32, bytes: 4, ..target });
    let target = Surface { pitch: Some(16), ..target };
    machine.write(SOURCE.into(), &7u32.to_le_bytes());
    run(&mut machine, &source, &target, &Blit { size: [1, 1], ..Blit::plain([0, 0], [1, 1], [0, 0]) });
    assert_eq!(machine.words(TARGET.into()), [7f32.to_bits()]);
    // Formats that do not exist.
    run(&mut machine, &Surface { format: 0x12, ..source }, &target, &Blit::plain([0, 0], [1, 1], [0, 0]));
    run(&mut machine, &source, &Surface { format: 0x1D, ..target }, &Blit::plain([0, 0], [1, 1], [0, 0]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 2);
}

#[test]
fn operations_join_source_and_destination() {
    let mut machine = Machine::new();
    let (source, target) = (Surface::rows(A8R8G8B8, 4, SOURCE, 1, 1), Surface::rows(A8R8G8B8, 4, TARGET, 1, 1));
    let mut join = |registers: &[(usize, u32)], from: u32, to: u32| {
        machine.write(SOURCE.into(), &from.to_le_bytes());
        machine.write(TARGET.into(), &to.to_le_bytes());
        machine.run(&[copies(), target.destination(), source.source()].concat());
        machine.set(TWOD, registers);
        machine.run(&Blit::plain([0, 0], [1, 1], [0, 0]).words());
        machine.expect_no_faults();
        machine.words::<1>(TARGET.into())[0]
    };
    let (rop, operation) = (0xA8, 0xAB);
    assert_eq!(join(&[(operation, 0)], 0x1234_5678, 0xFFFF_0000), 0x1234_5678);
    assert_eq!(join(&[(operation, 4), (rop, 0x66)], 0x1234_5678, 0xFFFF_0000), 0xEDCB_5678);
    // Pattern and source; the pattern is one colour.
    let pattern = [(0xBA, 2), (0xBC, 0x0F0F_0F0F), (0xBD, 0), (0xBE, 0), (0xBF, 0)];
    let both = [&pattern[..], &[(operation, 1), (rop, 0xC0)]].concat();
    assert_eq!(join(&both, 0x1234_5678, 0), 0x0204_0608);
    // Half of each: 0xFF * 0.5 rounds up, as does 0xFF * (1 - 128 / 255).
    assert_eq!(join(&[(operation, 2), (0xA9, 0x4000_0000)], 0xFF00_00FF, 0x0000_00FF), 0x8000_00FF);
    assert_eq!(join(&[(operation, 2), (0xA9, 0xFF)], 0x1234_5678, 0xFFFF_FFFF), 0x1234_5678);
    // Source times beta4, and what alpha leaves of the destination.
    assert_eq!(join(&[(operation, 5), (0xAA, 0xFF80_FF00)], 0x40FF_80FF, 9), 0x4080_8000);
    assert_eq!(join(&[(operation, 6), (0xAA, 0xFFFF_FFFF)], 0x8010_2030, 0xFFFF_FFFF), 0xFF8F_9FAF);
}

#[test]
fn patterns_repeat() {
    let mut machine = Machine::new();
    let target = Surface::rows(A8R8G8B8, 4, TARGET, 70, 2);
    let solid = [(0x160, 4), (0x161, A8R8G8B8), (0x162, 0)];
    let row = |machine: &mut Machine, y: u64| -> Vec<u32> {
        let bytes = machine.read(u64::from(TARGET) + 280 * y, 280);
        bytes.chunks(4).map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]])).collect()
    };
    machine.run(&[copies(), target.destination()].concat());
    // The pattern alone; 64 x 1, bits of bytes from the right, then from the left, 3 further on.
    let bits = [0x8000_0001, 0x0000_0002];
    machine.set(TWOD, &solid);
    machine.set(TWOD, &[(0xAB, 4), (0xA8, 0xF0), (0xAD, 1), (0xBB, 1), (0xBC, 5), (0xBD, 6), (0xBA, 2)]);
    machine.run(&methods(TWOD, 0xBE, &bits));
    let fill = methods(TWOD, 0x180, &[0, 0, 70, 2]);
    machine.run(&fill);
    let ones = |row: Vec<u32>| -> Vec<usize> { (0..70).filter(|&x| row[x] == 6).collect() };
    assert_eq!(ones(row(&mut machine, 1)), [0, 31, 33, 64]);
    machine.set(TWOD, &[(0xBB, 0), (0xAC, 3)]);
    machine.run(&fill);
    assert_eq!(ones(row(&mut machine, 0)), [10, 27, 41]);
    // Eight by eight colours.
    machine.set(TWOD, &[(0xAD, 3), (0xAC, 0)]);
    let colors: Vec<u32> = (0..64).collect();
    machine.run(&methods(TWOD, 0xC0, &colors));
    machine.run(&fill);
    let expected: Vec<u32> = (0..70).map(|x| 8 + x % 8).collect();
    assert_eq!(row(&mut machine, 1).iter().map(|color| color & 0xFF).collect::<Vec<_>>(), expected);
    machine.expect_no_faults();
}

/// The pixels of `target` that are not 0.
fn lit(machine: &mut Machine, target: &Surface) -> Vec<(u32, u32)> {
    let data = machine.data();
    let all = (0..target.height).flat_map(|y| (0..target.width).map(move |x| (x, y)));
    all.filter(|&(x, y)| target.pixel(&data, x, y).iter().any(|&byte| byte != 0)).collect()
}

#[test]
fn solid_primitives() {
    let mut machine = Machine::new();
    let target = Surface { pitch: None, log2: [1, 0], ..Surface::rows(A8R8G8B8, 4, TARGET, 20, 20) };
    machine.run(&[copies(), target.destination()].concat());
    machine.set(TWOD, &[(0x161, A8B8G8R8), (0x162, 0x4433_2211)]);
    let mut drawn = |mode: u32, words: &[u32]| {
        machine.write(TARGET.into(), &[0; 0x4000]);
        machine.set(TWOD, &[(0x160, mode)]);
        machine.run(words);
        machine.expect_no_faults();
        lit(&mut machine, &target)
    };
    let pack = |x: i32, y: i32| x as u32 & 0xFFFF | (y as u32) << 16;
    // Points in either form; what lies outside is not drawn.
    assert_eq!(drawn(0, &methods(TWOD, 0x178, &[pack(3, 4)])), [(3, 4)]);
    assert_eq!(drawn(0, &methods(TWOD, 0x180, &[5, 6, u32::MAX, 3, 7, 7])), [(5, 6), (7, 7)]);
    // Rectangles, in pairs of points; each header begins anew.
    let rect = drawn(4, &[methods(TWOD, 0x180, &[18, 2, 25, 4, 1, 1, 2, 2]), methods(TWOD, 0x180, &[9, 9])].concat());
    assert_eq!(rect, [(1, 1), (18, 2), (19, 2), (18, 3), (19, 3)]);
    assert_eq!(drawn(4, &methods(TWOD, 0x180, &[5, 5, 5, 9])), []);
    // Lines in all directions end before their last pixel.
    let line = |from: (i32, i32), to: (i32, i32)| -> Vec<u32> {
        [methods(TWOD, 0x178, &[pack(from.0, from.1)]), methods(TWOD, 0x178, &[pack(to.0, to.1)])].concat()
    };
    assert_eq!(drawn(1, &line((2, 2), (6, 2))), [(2, 2), (3, 2), (4, 2), (5, 2)]);
    assert_eq!(drawn(1, &line((2, 6), (2, 3))), [(2, 4), (2, 5), (2, 6)]);
    assert_eq!(drawn(1, &line((0, 0), (6, 3))), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]);
    assert_eq!(drawn(1, &[methods(TWOD, 0x163, &[1]), line((0, 0), (6, 3))].concat()).len(), 6);
    // Polylines go on from the last point, triangles have the same corners as rectangles.
    let polyline = [methods(TWOD, 0x178, &[pack(1, 1)]), line((3, 1), (3, 3))].concat();
    assert_eq!(drawn(2, &polyline), [(1, 1), (2, 1), (3, 1), (3, 2)]);
    let halves = |corner: u32| drawn(3, &methods(TWOD, 0x180, &[2, 2, 6, corner, corner, 6]));
    let mut halves = halves;
    let (upper, lower) = (halves(2), {
        machine.write(TARGET.into(), &[0; 0x4000]);
        machine.run(&methods(TWOD, 0x180, &[6, 2, 6, 6, 2, 6]));
        lit(&mut machine, &target)
    });
    assert_eq!((upper.len() + lower.len(), upper.iter().any(|pixel| lower.contains(pixel))), (16, false));
    // Colours come in the format that the register says.
    let data = machine.data();
    assert_eq!(target.pixel(&data, lower[0].0, lower[0].1), [0x33, 0x22, 0x11, 0x44]);
    machine.set(TWOD, &[(0x160, 7)]);
    machine.run(&methods(TWOD, 0x178, &[1]));
    machine.set(TWOD, &[(0x160, 0), (0x161, 0x99)]);
    machine.run(&methods(TWOD, 0x178, &[1]));
    assert_eq!(machine.faults(FaultKind::BadMethod), 2);
}

#[test]
fn wide_colors_fill_wide_pixels() {
    let mut machine = Machine::new();
    let target = Surface::rows(R32X4, 16, TARGET, 3, 2);
    machine.run(&[copies(), target.destination(), methods(TWOD, 0x150, &[1, 2, 3, 4])].concat());
    machine.set(TWOD, &[(0x160, 4), (0x161, R32X4)]);
    machine.run(&methods(TWOD, 0x180, &[1, 0, 2, 2]));
    assert_eq!(machine.words(TARGET.into()), [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
    machine.expect_no_faults();
}

/// SET_PIXELS_FROM_CPU_SRC_WIDTH to DST_Y0_INT, then the data.
fn from_cpu(size: [u32; 2], step: [u32; 2], at: [u32; 2], data: &[u32]) -> Vec<u32> {
    let [width, height] = size;
    let words = [width, height, 0, step[0], 0, step[1], 0, at[0], 0, at[1]];
    let head = header(TWOD, 0x218, data.len() as u32, Stepping::Never);
    [&methods(TWOD, 0x20E, &words)[..], &[head], data].concat()
}

#[test]
fn pixels_from_the_push_buffer() {
    let mut machine = Machine::new();
    let target = Surface::rows(R5G6B5, 2, TARGET, 8, 4);
    machine.run(&[copies(), target.destination()].concat());
    let pixels = |machine: &mut Machine| -> Vec<u16> {
        machine.read(TARGET.into(), 64).chunks(2).map(|pixel| u16::from_le_bytes([pixel[0], pixel[1]])).collect()
    };
    // Three pixels of 16 bits a row: rows that begin at words, then without gaps.
    machine.set(TWOD, &[(0x200, 0), (0x201, R5G6B5), (0x204, 2)]);
    let data = [0x0002_0001, 0xFFFF_0003, 0x0005_0004, 0xFFFF_0006, 0xFFFF_FFFF];
    machine.run(&from_cpu([3, 2], [1, 1], [1, 1], &data));
    let found = pixels(&mut machine);
    assert_eq!((&found[9..12], &found[17..20]), (&[1, 2, 3][..], &[4, 5, 6][..]));
    assert_eq!(found.iter().filter(|&&pixel| pixel != 0).count(), 6);
    machine.set(TWOD, &[(0x204, 0)]);
    machine.run(&from_cpu([3, 2], [1, 1], [5, 2], &[0x0008_0007, 0x000A_0009, 0x000C_000B]));
    let found = pixels(&mut machine);
    assert_eq!((&found[21..24], &found[29..32]), (&[7, 8, 9][..], &[10, 11, 12][..]));
    // Bits: two rows of five that begin at bytes, each pixel twice as wide; 0 is not drawn, and the leftmost comes
    // first.
    machine.write(TARGET.into(), &[0; 64]);
    machine.set(TWOD, &[(0x200, 1), (0x202, 0), (0x203, 0), (0x204, 1), (0x205, 3), (0x206, 0xF800), (0x207, 0)]);
    machine.run(&from_cpu([5, 2], [2, 1], [0, 0], &[0b0100_0000_1010_1000]));
    let row = |found: &[u16]| -> Vec<u16> { found.iter().map(|&pixel| u16::from(pixel == 0xF800)).collect() };
    let found = pixels(&mut machine);
    assert_eq!(row(&found[..8]), [1, 1, 0, 0, 1, 1, 0, 0]);
    assert_eq!(row(&found[8..16]), [0, 0, 1, 1, 0, 0, 0, 0]);
    // Opaque, the rightmost bit first.
    machine.set(TWOD, &[(0x203, 1), (0x207, 1)]);
    machine.run(&from_cpu([5, 1], [1, 1], [0, 3], &[0b0_0011]));
    assert_eq!(pixels(&mut machine)[24..30], [0xF800, 0xF800, 3, 3, 3, 0]);
    machine.expect_no_faults();
    machine.set(TWOD, &[(0x202, 2)]);
    machine.run(&from_cpu([1, 1], [1, 1], [0, 0], &[0]));
    assert_eq!(machine.faults(FaultKind::Unimplemented), 1);
}

/// Sizes beyond all reason end with the fuel, and nothing is done while the condition does not hold.
#[test]
fn nonsense_ends_and_conditions_count() {
    let mut machine = Machine::new();
    let huge = Surface { width: u32::MAX, height: u32::MAX, ..Surface::rows(R32X4, 16, TARGET, 1, 1) };
    let far = Surface { pitch: None, log2: [5, 5], slices: u32::MAX, layer: u32::MAX, ..huge };
    for (source, target) in [(huge, huge), (far, far), (huge, far)] {
        for mode in [0, CORNER | BILINEAR] {
            let blit = Blit {
                first: [i32::MIN, -5],
                size: [i32::MAX, i32::MAX],
                start: [i64::MIN, i64::MAX],
                step: [i64::MAX, i64::MIN],
                mode,
            };
            run(&mut machine, &source, &target, &blit);
            run(&mut machine, &source, &target, &Blit { first: [0, 0], ..blit });
        }
    }
    machine.set(TWOD, &[(0x160, 1), (0x161, A8R8G8B8)]);
    machine.run(&methods(TWOD, 0x180, &[0x8000_0000, 0x8000_0000, 0x7FFF_FFFF, 0x7FFF_FFF0]));
    machine.set(TWOD, &[(0x160, 3)]);
    machine.run(&methods(TWOD, 0x180, &[0x8000_0000, 0x8000_0000, 0x7FFF_FFFF, 0, 5, 0x7FFF_FFFF]));
    machine.run(&from_cpu([u32::MAX, u32::MAX], [u32::MAX, u32::MAX], [u32::MAX, u32::MAX], &[1; 100]));
    let stopped = machine.faults(FaultKind::OutOfFuel) + machine.faults(FaultKind::UnmappedWrite);
    assert!(stopped > 0);

    let mut machine = Machine::new();
    let target = Surface::rows(A8R8G8B8, 4, TARGET, 4, 4);
    machine.run(&[copies(), target.destination(), target.source()].concat());
    machine.set(TWOD, &[(0x160, 4), (0x161, A8R8G8B8), (0x162, 1), (0x9B, 0)]);
    machine.run(&methods(TWOD, 0x180, &[0, 0, 4, 4]));
    assert_eq!(machine.words(TARGET.into()), [0]);
    machine.set(TWOD, &[(0xB7, 1)]);
    machine.run(&methods(TWOD, 0x180, &[0, 0, 4, 4]));
    assert_eq!(machine.words(TARGET.into()), [1]);
    machine.expect_no_faults();
}
