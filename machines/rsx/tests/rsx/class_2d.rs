//! The 2D objects against plain loops over bytes.

use std::time::Duration;

use crate::support::*;
use arbtest::arbitrary::{self, Unstructured};
use triglyph_engine::Device;
use triglyph_engine::device::{FaultKind, ObjectEntry, Replay};
use triglyph_engine::mem::GuestAddr;
use triglyph_guest::layout::surface::swizzle;
use triglyph_guest::rsx::objects::class;
use triglyph_guest::rsx::two_d::format::{Bits, ImageFormat, ImagePixels, SurfaceFormat};
use triglyph_rsx::{Rsx, RsxMode};
use triglyph_testkit::random::noise;

/// Where sources and targets are.
const FROM: u32 = 0x2_0000;
const TO: u32 = 0x20_0000;

/// A machine with noise in both memories, and copies of them.
fn noisy(mode: RsxMode, big_endian: bool) -> (Rsx, Vec<u8>, Vec<u8>) {
    let mut gpu = capture_machine(mode, big_endian);
    let (local, main) = (noise(0x24_0000, 1), noise(0x4_0000, 2));
    gpu.write(GuestAddr::new(LOCAL, 0), &local).unwrap();
    gpu.write(GuestAddr::new(MAIN, 0), &main).unwrap();
    (gpu, local, main)
}

fn check(gpu: &mut Rsx, local: &[u8], what: &str) {
    let found = read(gpu, LOCAL, 0, local.len());
    if let Some(at) = (0..local.len()).find(|&at| found[at] != local[at]) {
        panic!("{what}: at {at:#x} {:02x?}, not {:02x?}", &found[at..at + 8], &local[at..at + 8]);
    }
}

/// A copy of lines.
fn copy(from: (u32, i32, u32), to: (u32, i32, u32), length: u32, lines: u32, notify: u32) -> Push {
    let format = from.2 | to.2 << 8;
    let data = [from.0, to.0, from.1 as u32, to.1 as u32, length, lines, format, notify];
    Push::new().bind(2, M2MF).methods(2, 0x180, &[NOTIFIER, DMA_MAIN, DMA_LOCAL]).methods(2, 0x30C, &data)
}

#[test]
fn lines_are_copied_with_any_pitch_and_increment() {
    for mode in MODES {
        for (from, to, length, lines) in [
            ((FROM, 64, 1), (TO, 128, 1), 60, 20),
            ((FROM, 64, 1), (TO, 64, 1), 64, 20),
            // Upside down, lines that overlap, one line again and again.
            ((FROM + 0x1000, -64, 1), (TO, 64, 1), 64, 20),
            ((FROM, 16, 1), (TO, 100, 1), 64, 20),
            ((FROM, 0, 1), (TO, 64, 1), 64, 20),
            ((FROM, 64, 1), (TO, 16, 1), 64, 20),
            // Every second byte to every fourth.
            ((FROM, 128, 2), (TO, 256, 4), 50, 7),
            ((FROM, 64, 4), (TO, 64, 1), 9, 3),
            // Increments of 3 (RPCS3's tests on the console).
            ((FROM, 192, 3), (TO, 192, 3), 40, 5),
            ((FROM, 64, 3), (TO, 64, 1), 20, 3),
            ((FROM, 64, 1), (TO, 64, 1), 1, 1),
        ] {
            let (mut gpu, mut local, main) = noisy(mode, false);
            submit(&mut gpu, &copy(from, to, length, lines, 0));
            for line in 0..lines as i64 {
                for i in 0..i64::from(length) {
                    let at = |(offset, pitch, step): (u32, i32, u32)| {
                        (i64::from(offset) + line * i64::from(pitch) + i * i64::from(step)) as usize
                    };
                    local[at(to)] = main[at(from)];
                }
            }
            check(&mut gpu, &local, &format!("{from:?} {to:?} {length} {lines}"));
            assert_eq!(faults(&gpu), []);
        }
    }
}

#[test]
fn overlapping_copies_read_each_line_first() {
    // Lines with gaps one by one, lines without as one: what RPCS3 does.
    for (pitch, whole) in [(0x180, false), (0x100, true)] {
        let (mut gpu, mut local, _) = noisy(RsxMode::Exact, false);
        let memory = Push::new().bind(2, M2MF).methods(2, 0x184, &[DMA_LOCAL, DMA_LOCAL]);
        submit(&mut gpu, &memory.methods(2, 0x30C, &[TO, TO + 0x80, pitch, pitch, 0x100, 3, 0x101, 0]));
        let (start, pitch) = (TO as usize, pitch as usize);
        let (lines, length) = if whole { (1, 0x300) } else { (3, 0x100) };
        for line in 0..lines {
            let start = start + line * pitch;
            local.copy_within(start..start + length, start + 0x80);
        }
        check(&mut gpu, &local, "overlapping lines");
    }
}

#[test]
fn copies_leave_records() {
    for (mode, big_endian) in MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        let (mut gpu, ..) = noisy(mode, big_endian);
        gpu.set_clock(Duration::from_nanos(0x1_0000_0000));
        let push = copy((FROM, 64, 1), (TO, 64, 1), 64, 1, 1).methods(2, 0x104, &[0]).methods(2, 0x328, &[0]);
        submit_on(&mut gpu, 1, &push, big_endian);
        for at in [0, 0x10] {
            let words = [0, 4, 8, 12].map(|offset| word(&mut gpu, MAIN, NOTIFIER_AT + at + offset, big_endian));
            let (high, low) = if big_endian { (words[0], words[1]) } else { (words[1], words[0]) };
            assert_eq!((high, words[2], words[3]), (1, 0, 0));
            assert!(low > 0 && low < 10_000, "{low} nanoseconds");
        }
    }
}

#[test]
fn copies_beyond_their_objects_or_memory_are_faults() {
    for mode in MODES {
        let (mut gpu, local, main) = noisy(mode, false);
        let small = ObjectEntry { handle: 0x77, class: class::DMA_IN_MEMORY, space: MAIN, base: 0x1000, limit: 0xFFF };
        let read_only =
            ObjectEntry { handle: 0x78, class: class::DMA_FROM_MEMORY, space: LOCAL, base: 0, limit: 0xFFF };
        gpu.object(small).unwrap();
        gpu.object(read_only).unwrap();
        let mut tried = 0;
        let mut refused = |gpu: &mut Rsx, memory: [u32; 2], data: [u32; 8], kind: FaultKind| {
            let before = gpu.faults().count(kind);
            submit(gpu, &Push::new().bind(2, M2MF).methods(2, 0x184, &memory).methods(2, 0x30C, &data));
            assert_eq!(gpu.faults().count(kind), before + 1, "{data:x?}");
            tried += 1;
        };
        let lines = |from, to, pitch: u32, length, lines| [from, to, pitch, pitch, length, lines, 0x101, 0];
        refused(&mut gpu, [0x77, DMA_LOCAL], lines(0xFC1, TO, 64, 64, 1), FaultKind::UnmappedRead);
        refused(&mut gpu, [0x77, DMA_LOCAL], lines(0, TO, u32::MAX, 64, 2), FaultKind::UnmappedRead);
        refused(&mut gpu, [DMA_MAIN, 0x78], lines(0, 0, 64, 64, 1), FaultKind::UnmappedWrite);
        refused(&mut gpu, [DMA_MAIN, DMA_LOCAL], lines(0, 0x0FFF_FFC1, 64, 64, 1), FaultKind::UnmappedWrite);
        if mode == RsxMode::Fast {
            // In exact mode the handle does not reach the object, which keeps the one before.
            refused(&mut gpu, [0x99, DMA_LOCAL], lines(0, 0, 64, 64, 1), FaultKind::BadMethod);
        }
        for increments in [0x105, 0x001, 0x601] {
            let mut data = lines(FROM, TO, 64, 64, 1);
            data[6] = increments;
            refused(&mut gpu, [DMA_MAIN, DMA_LOCAL], data, FaultKind::BadMethod);
        }
        check(&mut gpu, &local, "nothing is copied");
        assert!(tried >= 5);
        assert_eq!(read(&mut gpu, MAIN, 0, 0x1_0000), main[..0x1_0000]);
        // Where objects allow it and memory ends: zeros are read, writes are dropped.
        submit(&mut gpu, &copy((BYTES as u32 - 32, 64, 1), (TO, 64, 1), 64, 1, 0));
        assert_eq!(read(&mut gpu, LOCAL, u64::from(TO) + 32, 32), [0; 32]);
        assert_eq!(gpu.faults().count(FaultKind::UnmappedRead), 3);
    }
}

/// A swizzled target.
fn swizzled(format: SurfaceFormat, log2: [u32; 2], offset: u32) -> Push {
    let format = format as u32 | log2[0] << 16 | log2[1] << 24;
    Push::new().bind(4, SWIZZLED).methods(4, 0x184, &[DMA_LOCAL]).methods(4, 0x300, &[format, offset])
}

/// A linear target.
fn linear(format: SurfaceFormat, pitch: u32, offset: u32) -> Push {
    let data = [format as u32, pitch << 16 | 64, 0, offset];
    Push::new().bind(3, SURFACES).methods(3, 0x184, &[DMA_LOCAL, DMA_LOCAL]).methods(3, 0x300, &data)
}

/// What a scaled image is made of.
#[derive(Clone, Copy, Debug)]
struct Image {
    format: u32,
    clip: ([i32; 2], [u32; 2]),
    out: ([i32; 2], [u32; 2]),
    step: [i32; 2],
    size: [u32; 2],
    pitch: u32,
    origin: u32,
    filter: u32,
    start: [u32; 2],
}

impl Image {
    fn push(&self, target: &Push, surface: u32) -> Push {
        let both = |[low, high]: [u32; 2]| low & 0xFFFF | high << 16;
        let signed = |at: [i32; 2]| both(at.map(|at| at as u32));
        let mut push = target.clone().bind(5, SCALED).methods(5, 0x184, &[DMA_MAIN]).methods(5, 0x198, &[surface]);
        push = push.methods(5, 0x2FC, &[1, self.format, 3]);
        let [dx, dy] = self.step.map(|step| step as u32);
        let rectangles = [signed(self.clip.0), both(self.clip.1), signed(self.out.0), both(self.out.1), dx, dy];
        push = push.methods(5, 0x308, &rectangles);
        let layout = self.pitch | self.origin << 16 | self.filter << 24;
        push.methods(5, 0x400, &[both(self.size), layout, FROM, both(self.start)])
    }

    /// Fixed-point coordinate in the source of column or row `at` of the target.
    fn coordinate(&self, axis: usize, at: i32) -> i64 {
        let start = i64::from(self.start[axis]) << 16;
        let start = if self.origin == 1 { start.max(1 << 19) - (1 << 19) } else { start };
        start + i64::from(at - self.out.0[axis]) * i64::from(self.step[axis])
    }

    /// The pixels written, as (x, y, coordinates).
    fn pixels(&self, limit: [i32; 2]) -> impl Iterator<Item = (i32, i32, [i64; 2])> + '_ {
        let range = move |axis: usize| {
            let first = self.out.0[axis].max(self.clip.0[axis]).max(0);
            let end = (self.out.0[axis] + self.out.1[axis] as i32).min(self.clip.0[axis] + self.clip.1[axis] as i32);
            first..end.min(limit[axis])
        };
        let rows = range(1);
        rows.flat_map(move |y| range(0).map(move |x| (x, y, [self.coordinate(0, x), self.coordinate(1, y)])))
    }
}

fn unit(bytes: &[u8], big_endian: bool) -> u32 {
    let fold = |word: u32, byte: &u8| word << 8 | u32::from(*byte);
    if big_endian { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) }
}

/// A target's pixel as it is in memory.
fn store(local: &mut [u8], at: usize, word: u32, bytes: usize, big_endian: bool) {
    let all = if big_endian { (word << (32 - 8 * bytes)).to_be_bytes() } else { word.to_le_bytes() };
    local[at..at + bytes].copy_from_slice(&all[..bytes]);
}

/// What a scaled image leaves in local memory, the target being pixels at `place`.
fn expect(
    local: &mut [u8],
    main: &[u8],
    image: &Image,
    target: SurfaceFormat,
    limit: [i32; 2],
    big_endian: bool,
    place: impl Fn(u32, u32) -> usize,
) {
    let ImagePixels::Single(from) = *ImageFormat::from_register(image.format).unwrap().row() else { panic!("pairs") };
    let to = *target.row();
    let texel = |x: i64, y: i64| {
        let [x, y] = [(x, 0), (y, 1)].map(|(at, axis)| at.clamp(0, i64::from(image.size[axis]) - 1) as usize);
        let start = FROM as usize + y * image.pitch as usize + x * from.bytes() as usize;
        unit(&main[start..start + from.bytes() as usize], big_endian)
    };
    for (x, y, [s, t]) in image.pixels(limit) {
        let word = if image.filter == 1 {
            let (fx, fy) = ((s >> 12 & 255) as u32, (t >> 12 & 255) as u32);
            let mut sums = [0x8000; 4];
            for (dx, dy, weight) in
                [(0, 0, (256 - fx) * (256 - fy)), (1, 0, fx * (256 - fy)), (0, 1, (256 - fx) * fy), (1, 1, fx * fy)]
            {
                let color = from.decode(texel((s >> 20) + dx, (t >> 20) + dy));
                sums.iter_mut().zip(color).for_each(|(sum, channel)| *sum += u32::from(channel) * weight);
            }
            to.encode(sums.map(|sum| (sum >> 16) as u8))
        } else {
            let word = texel(s >> 20, t >> 20);
            let same_kind = |a: Bits, b: Bits| {
                a.bytes() == b.bytes()
                    && (a.bytes() != 2 || (a == Bits::R5G6B5) == (b == Bits::R5G6B5) || b == Bits::Y16)
            };
            if same_kind(from, to) { word } else { to.encode(from.decode(word)) }
        };
        store(local, place(x as u32, y as u32), word, to.bytes() as usize, big_endian);
    }
}

fn whole(format: u32, size: [u32; 2], pitch: u32) -> Image {
    let rectangle = ([0, 0], size);
    Image {
        format,
        clip: rectangle,
        out: rectangle,
        step: [1 << 20; 2],
        size,
        pitch,
        origin: 1,
        filter: 0,
        start: [0; 2],
    }
}

#[test]
fn uploads_to_swizzled_images_are_the_identity() {
    for (mode, big_endian) in MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        for (format, target, log2) in [
            (3, SurfaceFormat::A8R8G8B8, [6, 6]),
            (7, SurfaceFormat::R5G6B5, [3, 7]),
            (9, SurfaceFormat::Y8, [7, 2]),
            (1, SurfaceFormat::X1R5G5B5Z, [1, 1]),
        ] {
            let (mut gpu, mut local, main) = noisy(mode, big_endian);
            let size = log2.map(|log2| 1 << log2);
            let image = whole(format, size, 0x200);
            submit_on(&mut gpu, 1, &image.push(&swizzled(target, log2, TO), SWIZZLED), big_endian);
            let bytes = target.row().bytes();
            let place = |x, y| (TO + swizzle(x, y, log2[0], log2[1]) * bytes) as usize;
            expect(&mut local, &main, &image, target, size.map(|size| size as i32), big_endian, place);
            check(&mut gpu, &local, &format!("{format} {log2:?}"));
            assert_eq!(faults(&gpu), []);
        }
    }
}

fn random_image(u: &mut Unstructured<'_>) -> arbitrary::Result<Image> {
    let size = [u.int_in_range(1..=24)?, u.int_in_range(1..=24)?];
    let axis = |u: &mut Unstructured<'_>| -> arbitrary::Result<i32> {
        Ok(match u.int_in_range(0..=4)? {
            0 | 1 => 1 << 20,
            2 => -(1 << 20),
            3 => u.int_in_range(-0x40_0000..=0x40_0000)?,
            _ => u.int_in_range(0..=0x20_0000)?,
        })
    };
    let step = [axis(u)?, axis(u)?];
    Ok(Image {
        format: *u.choose(&[1, 2, 3, 4, 7, 8, 9, 12, 13])?,
        clip: ([u.int_in_range(-4..=8)?, u.int_in_range(-4..=8)?], [u.int_in_range(0..=40)?, u.int_in_range(0..=40)?]),
        out: ([u.int_in_range(-8..=8)?, u.int_in_range(-8..=8)?], [u.int_in_range(0..=32)?, u.int_in_range(0..=32)?]),
        step,
        size,
        pitch: u.int_in_range(0..=200)?,
        origin: u.int_in_range(1..=2)?,
        filter: u.int_in_range(0..=1)?,
        start: [u.int_in_range(0..=100)?, u.int_in_range(0..=100)?],
    })
}

#[test]
fn random_scaled_images_match_plain_loops() {
    let formats: Vec<SurfaceFormat> = (1..=11).filter_map(SurfaceFormat::from_register).collect();
    let mut machines = [false, true].map(|big_endian| noisy(RsxMode::Fast, big_endian));
    arbtest::arbtest(|u| {
        let image = random_image(u)?;
        let target = *u.choose(&formats)?;
        let big_endian = u.arbitrary()?;
        let (gpu, local, main) = &mut machines[usize::from(big_endian)];
        let bytes = target.row().bytes();
        // The low bits of offsets and pitches do not reach the memory.
        let offset = TO | u.int_in_range(0..=63)?;
        let submitted = if u.arbitrary()? {
            let log2 = [u.int_in_range(1..=5)?, u.int_in_range(1..=5)?];
            let place = |x, y| (TO + swizzle(x, y, log2[0], log2[1]) * bytes) as usize;
            expect(local, main, &image, target, log2.map(|log2| 1 << log2), big_endian, place);
            image.push(&swizzled(target, log2, offset), SWIZZLED)
        } else {
            let pitch: u32 = u.int_in_range(0..=300)?;
            let place = |x, y| (TO + y * (pitch & !63) + x * bytes) as usize;
            expect(local, main, &image, target, [1 << 16; 2], big_endian, place);
            image.push(&linear(target, pitch, offset), SURFACES)
        };
        submit_on(gpu, 1, &submitted, big_endian);
        check(gpu, local, &format!("{image:?} to {target:?}"));
        assert_eq!(faults(gpu), []);
        Ok(())
    })
    .budget_ms(3000);
}

#[test]
fn pairs_of_pixels_become_colours() {
    let (mut gpu, ..) = noisy(RsxMode::Exact, false);
    // Cr Yb Cb Ya: black and white, then red twice.
    gpu.write(GuestAddr::new(MAIN, FROM.into()), &bytes(&[0x80EB_8010, 0xF051_5A51], false)).unwrap();
    let image = whole(5, [4, 1], 8);
    submit(&mut gpu, &image.push(&linear(SurfaceFormat::A8R8G8B8, 64, TO), SURFACES));
    let found = [0, 4, 8, 12].map(|offset| word(&mut gpu, LOCAL, u64::from(TO) + offset, false));
    assert_eq!(found, [0xFF00_0000, 0xFFFF_FFFF, 0xFFFF_0000, 0xFFFF_0000]);
    assert_eq!(faults(&gpu), []);
}

#[test]
fn surfaces_are_found_by_their_class() {
    // The object that SURFACE names was never bound; another one of its class was.
    for mode in MODES {
        let (mut gpu, mut local, main) = noisy(mode, false);
        let other = ObjectEntry { handle: 0x1234, class: class::SURFACES_2D, space: 0, base: 0, limit: 0 };
        gpu.object(other).unwrap();
        let image = whole(3, [16, 4], 64);
        submit(&mut gpu, &image.push(&linear(SurfaceFormat::A8R8G8B8, 64, TO), 0x1234));
        let place = |x, y| (TO + y * 64 + x * 4) as usize;
        expect(&mut local, &main, &image, SurfaceFormat::A8R8G8B8, [1 << 16; 2], false, place);
        check(&mut gpu, &local, "a surface by class");
        // Of no class at all.
        submit(&mut gpu, &image.push(&Push::new(), DMA_LOCAL));
        assert_eq!(faults(&gpu), [(FaultKind::BadMethod, 1)]);
    }
}

/// An image from the processor.
fn from_cpu(format: u32, at: [i32; 2], size_out: [u32; 2], size_in: [u32; 2]) -> Push {
    let both = |[low, high]: [u32; 2]| low & 0xFFFF | high << 16;
    let point = both(at.map(|at| at as u32));
    Push::new().bind(6, FROM_CPU).methods(6, 0x19C, &[SURFACES]).methods(
        6,
        0x2FC,
        &[3, format, point, both(size_out), both(size_in)],
    )
}

#[test]
fn images_from_the_processor_are_packed_by_rows() {
    for (mode, big_endian) in MODES.into_iter().flat_map(|mode| [(mode, false), (mode, true)]) {
        for (format, target, size_in, size_out, at) in [
            (4, SurfaceFormat::A8R8G8B8, [7, 5], [7, 5], [3, 2]),
            (1, SurfaceFormat::R5G6B5, [7, 5], [7, 5], [3, 2]),
            (1, SurfaceFormat::R5G6B5, [7, 5], [4, 3], [-2, -1]),
            (5, SurfaceFormat::R5G6B5, [6, 4], [6, 4], [0, 0]),
            (2, SurfaceFormat::A8R8G8B8, [3, 3], [9, 9], [1, 1]),
        ] {
            let (mut gpu, mut local, _) = noisy(mode, big_endian);
            let from =
                [Bits::R5G6B5, Bits::A1R5G5B5, Bits::X1R5G5B5, Bits::A8R8G8B8, Bits::X8R8G8B8][format as usize - 1];
            let (to, pitch) = (target.row(), 128);
            let row_words = (size_in[0] * from.bytes()).div_ceil(4);
            let words: Vec<u32> = noise(4 * (row_words * size_in[1]) as usize, 5)
                .chunks(4)
                .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
                .collect();
            for y in 0..size_in[1].min(size_out[1]) as i32 {
                for x in 0..size_in[0].min(size_out[0]) as i32 {
                    let (column, row) = (x + at[0], y + at[1]);
                    if column < 0 || row < 0 {
                        continue;
                    }
                    let word = words[(y as u32 * row_words + x as u32 * from.bytes() / 4) as usize];
                    let pixel = match from.bytes() {
                        2 => word >> (16 * (x % 2)) & 0xFFFF,
                        _ => word,
                    };
                    let pixel = if from.bytes() == to.bytes() { pixel } else { to.encode(from.decode(pixel)) };
                    let place = (TO as i32 + row * pitch + column * to.bytes() as i32) as usize;
                    store(&mut local, place, pixel, to.bytes() as usize, big_endian);
                }
            }
            // The words come in parts, by methods that go on, start again or stay.
            let third = words.len() / 3;
            let push = linear(target, pitch as u32, TO).0.into_iter().chain(from_cpu(format, at, size_out, size_in).0);
            let push = Push(push.collect()).methods(6, 0x400, &words[..third]);
            let push = push.methods(6, 0x400, &words[third..2 * third]).same(6, 0x1FFC, &words[2 * third..]);
            submit_on(&mut gpu, 1, &push, big_endian);
            check(&mut gpu, &local, &format!("{format} {size_in:?} {size_out:?} {at:?}"));
            assert_eq!(faults(&gpu), []);
        }
    }
}

#[test]
fn formats_and_operations_that_there_are_not_are_faults() {
    for mode in MODES {
        let (mut gpu, local, _) = noisy(mode, false);
        let image = Image { format: 0xE, ..whole(3, [4, 4], 64) };
        submit(&mut gpu, &image.push(&linear(SurfaceFormat::A8R8G8B8, 64, TO), SURFACES));
        submit(
            &mut gpu,
            &whole(3, [4, 4], 64).push(&linear(SurfaceFormat::A8R8G8B8, 64, TO).methods(3, 0x300, &[99]), SURFACES),
        );
        submit(&mut gpu, &from_cpu(9, [0, 0], [1, 1], [1, 1]).methods(6, 0x400, &[1]));
        // No such method.
        submit(&mut gpu, &Push::new().methods(2, 0x400, &[1]).bind(2, M2MF).methods(2, 0x400, &[1]));
        assert_eq!(gpu.faults().count(FaultKind::BadMethod), 5);
        check(&mut gpu, &local, "nothing is drawn");
        // Raster operations need objects that the machine does not have.
        let push = whole(3, [4, 4], 64).push(&linear(SurfaceFormat::A8R8G8B8, 64, TO), SURFACES);
        submit(&mut gpu, &Push(push.0).methods(5, 0x304, &[1]).methods(5, 0x40C, &[0]));
        assert_eq!(gpu.faults().count(FaultKind::Unimplemented), 1);
    }
}
