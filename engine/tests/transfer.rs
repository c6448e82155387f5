//! Fills, copies, conversions and changes of layout against plain loops over bytes.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use arbtest::arbitrary::{self, Unstructured};
use triglyph_engine::transfer::{Convert, Copy, Fill, FillRect, Lines, Outcome, Rearrange, Request};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::transfer::{ConvertKey, Corner, Layout, Scale};
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::layout::{Block, SurfaceLayout};
use triglyph_testkit::random::noise;
use triglyph_testkit::transfer::{Bench, at};

/// Memory with holes, byte by byte.
#[derive(Clone, Debug, Default)]
struct Plain {
    bytes: BTreeMap<u64, u8>,
    written: Vec<u64>,
    outcome: Outcome,
}

impl Plain {
    fn of(bench: &Bench, ranges: &[(u64, u64)]) -> Self {
        let bytes = ranges.iter().flat_map(|&(start, size)| (start..).zip(bench.read(start, size as usize))).collect();
        Plain { bytes, ..Plain::default() }
    }

    fn read(&self, address: u64) -> u8 {
        self.bytes.get(&address).copied().unwrap_or(0)
    }

    fn write(&mut self, address: u64, value: u8) {
        match self.bytes.get_mut(&address) {
            Some(byte) => {
                *byte = value;
                self.written.push(address);
            }
            None => self.outcome.dropped += 1,
        }
    }

    fn fill(&mut self, request: &Fill) {
        for i in 0..request.size {
            let byte = request.value.to_le_bytes()[(i % u64::from(request.bytes)) as usize];
            self.write(request.target.address + i, byte);
        }
    }

    fn copy(&mut self, request: &Copy) {
        let offset = |lines: Lines, i: u64| if lines.gap == 0 { i } else { i + i / lines.line * lines.gap };
        let before = self.clone();
        for i in 0..request.size {
            let byte = before.read(request.source.address + offset(request.source_lines, i));
            self.write(request.target.address + offset(request.target_lines, i), byte);
        }
    }

    fn convert(&mut self, request: &Convert) {
        let key = request.key;
        let (sx, sy) = key.scale.shifts();
        let (inputs, outputs) = (u64::from(key.input.bytes()), u64::from(key.output.bytes()));
        let before = self.clone();
        let read = |index: u64| {
            let word = (0..inputs).fold(0, |word, i| {
                word | u32::from(before.read(request.source.address + index * inputs + i)) << (8 * i)
            });
            key.input.decode(word)
        };
        for y in 0..request.height {
            for x in 0..request.width {
                let index = |dx: u32, dy: u32| {
                    let (x, y) = ((x << sx) + dx, (y << sy) + dy);
                    u64::from(key.input_layout.index(x, y, request.source_width))
                };
                let mut sum = [0; 4];
                for dy in 0..1 << sy {
                    for dx in 0..1 << sx {
                        let color = read(index(dx, dy));
                        sum.iter_mut().zip(color).for_each(|(sum, c)| *sum += u32::from(c));
                    }
                }
                let word = key.output.encode(sum.map(|sum| (sum >> (sx + sy)) as u8));
                let row = if request.flip { request.height - 1 - y } else { y };
                let index = u64::from(key.output_layout.index(x, row, request.target_width));
                for i in 0..outputs {
                    let byte = (word >> (8 * i)) as u8;
                    self.write(request.target.address + index * outputs + i, byte);
                }
            }
        }
    }

    fn rearrange(&mut self, request: &Rearrange) {
        let bytes = u32::from(request.bytes);
        let before = self.clone();
        for y in 0..request.height {
            for x in 0..request.width {
                let (from, to) = (request.from.offset(x, y, bytes), request.to.offset(x, y, bytes));
                for i in 0..u64::from(bytes) {
                    self.write(request.target.address + to + i, before.read(request.source.address + from + i));
                }
            }
        }
    }

    fn fill_rect(&mut self, request: &FillRect) {
        for (x, y) in (0..request.height).flat_map(|y| (0..request.width).map(move |x| (x, y))) {
            let offset = request.to.offset(x, y, request.bytes.into());
            if offset + u64::from(request.bytes) > request.limit {
                self.outcome.dropped += u64::from(request.bytes);
                continue;
            }
            for i in 0..request.bytes.into() {
                let at = request.target.address + offset + i;
                let (value, mask) = (request.value[i as usize], request.mask[i as usize]);
                let stored = self.bytes.get(&at).copied().unwrap_or(0);
                self.write(at, stored & !mask | value & mask);
            }
        }
    }

    fn run(&mut self, request: &Request) {
        match request {
            Request::Fill(fill) => self.fill(fill),
            Request::Copy(copy) => self.copy(copy),
            Request::Convert(convert) => self.convert(convert),
            Request::Rearrange(rearrange) => self.rearrange(rearrange),
            Request::FillRect(fill) => self.fill_rect(fill),
        }
    }

    /// Sorted, merged.
    fn written(&self) -> Vec<(u64, u64)> {
        let mut all = self.written.clone();
        all.sort_unstable();
        all.dedup();
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for address in all {
            match ranges.last_mut() {
                Some((start, size)) if *start + *size == address => *size += 1,
                _ => ranges.push((address, 1)),
            }
        }
        ranges
    }
}

/// Runs a request on real memory and on the plain one and compares everything.
fn check(threads: usize, ranges: &[(u64, u64)], request: &Request) {
    let mut bench = Bench::new(threads, ranges);
    for (i, &(start, size)) in ranges.iter().enumerate() {
        bench.write(start, &noise(size as usize, i as u64 + 1));
    }
    let mut plain = Plain::of(&bench, ranges);
    let outcome = bench.run(request);
    plain.run(request);
    assert_eq!(outcome.dropped, plain.outcome.dropped, "dropped by {request:?} in {ranges:?}");
    for &(start, size) in ranges {
        let found = bench.read(start, size as usize);
        let wrong = (start..).zip(&found).find(|&(address, &byte)| plain.read(address) != byte);
        assert_eq!(wrong, None, "{request:?} in {ranges:?}");
    }
    let (found, wanted) = (bench.written(), plain.written());
    match request {
        // The bytes between two units of an image count as written.
        Request::Rearrange(_) | Request::FillRect(_) => {
            let covered = |&(start, size): &(u64, u64)| {
                found.iter().any(|&(first, length)| first <= start && start + size <= first + length)
            };
            assert!(wanted.iter().all(covered), "written by {request:?} in {ranges:?}");
        }
        _ => assert_eq!(found, wanted, "written by {request:?} in {ranges:?}"),
    }
}

fn key(input: PixelFormat, output: PixelFormat, input_layout: Layout, output_layout: Layout) -> ConvertKey {
    ConvertKey { input, output, input_layout, output_layout, scale: Scale::None }
}

const TILED: Layout = Layout::Tiled(Block::B8);

#[test]
fn fills_keep_their_phase_over_borders_and_holes() {
    let ranges = [(0x1000, 0x1001), (0x2001, 0x100), (0x2201, 0x1000)];
    for bytes in 2..=4 {
        for (target, size) in [(0x1000, 0x1000), (0x1003, 0x1FFF), (0xF01, 0x3000), (0x8000, 5), (0x1000, 0)] {
            check(1, &ranges, &Request::Fill(Fill { target: at(target), size, bytes, value: 0x4433_2211 }));
        }
    }
}

#[test]
fn large_fills_are_the_same_on_several_threads() {
    let size = 3 << 19;
    for bytes in 2..=4 {
        let request = Request::Fill(Fill { target: at(0x1008), size: size - 8 - 5, bytes, value: 0x8899_AABB });
        check(3, &[(0x1000, size)], &request);
    }
}

#[test]
fn large_copies_are_split_at_lines() {
    let lines = |line, gap| Lines { line, gap };
    for (source_lines, target_lines) in [
        (Lines::CONTIGUOUS, Lines::CONTIGUOUS),
        (lines(48, 16), Lines::CONTIGUOUS),
        (Lines::CONTIGUOUS, lines(32, 48)),
        (lines(1920, 128), lines(960, 64)),
    ] {
        let request = Copy { source: at(0x1000), target: at(0x41_0000), size: 0x5_0010, source_lines, target_lines };
        check(3, &[(0x1000, 0xD_0000), (0x41_0000, 0xD_0000)], &Request::Copy(request));
    }
}

#[test]
fn overlapping_copies_read_each_run_first() {
    let ranges = [(0x1000, 0x8_0000)];
    for (source, target) in [(0x1000, 0x1020), (0x1020, 0x1000)] {
        let copy = Copy {
            source: at(source),
            target: at(target),
            size: 0x7_0000,
            source_lines: Lines::CONTIGUOUS,
            target_lines: Lines::CONTIGUOUS,
        };
        check(2, &ranges, &Request::Copy(copy));
    }
    // Lines: each is read before it is written, but after the one before it was.
    let bench = Bench::new(2, &ranges);
    bench.write(0x1000, &noise(0x40, 1));
    let lines = Lines { line: 16, gap: 16 };
    let source_lines = Lines { line: 16, gap: 16 };
    bench.run(&Request::Copy(Copy {
        source: at(0x1000),
        target: at(0x1020),
        size: 64,
        source_lines,
        target_lines: lines,
    }));
    for line in 1..5 {
        assert_eq!(bench.read(0x1000 + line * 0x20, 16), noise(0x40, 1)[..16]);
    }
}

#[test]
fn copies_without_lines_do_nothing() {
    let bench = Bench::new(1, &[(0x1000, 0x1000)]);
    let endless = Lines { line: 0, gap: 16 };
    for (source_lines, target_lines) in [(endless, Lines::CONTIGUOUS), (Lines::CONTIGUOUS, endless)] {
        let copy = Copy { source: at(0x1000), target: at(0x1800), size: 64, source_lines, target_lines };
        assert_eq!(bench.run(&Request::Copy(copy)), Outcome::default());
    }
}

#[test]
fn endless_copies_into_nothing_are_short() {
    let bench = Bench::new(1, &[(0x2000_0000, 0x1000)]);
    let lines = Lines { line: 16, gap: 16 };
    let copy = Copy { source: at(0), target: at(0), size: 0xFFFF_FFF0, source_lines: lines, target_lines: lines };
    let outcome = bench.run(&Request::Copy(copy));
    assert_eq!(outcome.dropped, 0xFFFF_FFF0 - 0x800);
    assert_eq!(outcome.unread, 0);
}

#[test]
fn large_conversions_are_the_same_on_several_threads() {
    let ranges = [(0x10_0000, 0x4_0000), (0x20_0000, 0x3_0000)];
    for flip in [false, true] {
        for (input_layout, output_layout) in [(TILED, Layout::Linear), (Layout::Linear, TILED), (TILED, TILED)] {
            for height in [256, 260] {
                let request = Convert {
                    key: key(PixelFormat::Rgba8, PixelFormat::Rgb8, input_layout, output_layout),
                    source: at(0x10_0000),
                    target: at(0x20_0000),
                    source_width: 240,
                    target_width: 240,
                    width: 240,
                    height,
                    flip,
                };
                check(3, &ranges, &Request::Convert(request));
            }
        }
    }
}

#[test]
fn rows_beyond_memory_cost_nothing() {
    let bench = Bench::new(2, &[(0x1800_0000, 0x60_0000)]);
    let request = Convert {
        key: key(PixelFormat::Rgba8, PixelFormat::Rgba8, TILED, Layout::Linear),
        source: at(0x1800_0000),
        target: at(0x185F_FF00),
        source_width: 65535,
        target_width: 65535,
        width: 65535,
        height: 65535,
        flip: false,
    };
    let start = std::time::Instant::now();
    let outcome = bench.run(&Request::Convert(request));
    assert_eq!(outcome.dropped, 65535 * 65535 * 4 - 0x100);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn overlapping_conversions_do_not_depend_on_threads() {
    let convert = |source, target, output_layout| Convert {
        key: key(PixelFormat::Rgba8, PixelFormat::Rgba8, TILED, output_layout),
        source: at(source),
        target: at(target),
        source_width: 128,
        target_width: 128,
        width: 128,
        height: 256,
        flip: false,
    };
    for (source, target) in [(0x1000, 0x1000), (0x1000, 0x2000), (0x2000, 0x1000)] {
        for layout in [Layout::Linear, TILED] {
            let results = [1, 4].map(|threads| {
                let bench = Bench::new(threads, &[(0x1000, 0x3_0000)]);
                bench.write(0x1000, &noise(0x3_0000, 9));
                bench.run(&Request::Convert(convert(source, target, layout)));
                bench.read(0x1000, 0x3_0000)
            });
            assert!(results[0] == results[1]);
        }
    }
    // In place each row of blocks is read before it is written.
    let bench = Bench::new(1, &[(0x1000, 0x3_0000)]);
    bench.write(0x1000, &noise(0x3_0000, 9));
    let elsewhere = Bench::new(1, &[(0x1000, 0x3_0000), (0x10_0000, 0x3_0000)]);
    elsewhere.write(0x1000, &noise(0x3_0000, 9));
    bench.run(&Request::Convert(convert(0x1000, 0x1000, Layout::Linear)));
    elsewhere.run(&Request::Convert(convert(0x1000, 0x10_0000, Layout::Linear)));
    assert!(bench.read(0x1000, 128 * 256 * 4) == elsewhere.read(0x10_0000, 128 * 256 * 4));
}

#[test]
fn sizes_that_make_no_sense_do_nothing() {
    let bench = Bench::new(1, &[(0x1000, 0x1000)]);
    for (width, height) in [(0, 8), (8, 0), (u32::MAX, 8), (8, u32::MAX)] {
        let request = Convert {
            key: key(PixelFormat::Rgba8, PixelFormat::Rgba8, TILED, TILED),
            source: at(0x1000),
            target: at(0x1800),
            source_width: 8,
            target_width: 8,
            width,
            height,
            flip: true,
        };
        assert_eq!(bench.run(&Request::Convert(request)), Outcome::default());
    }
}

fn random_corner(u: &mut Unstructured<'_>, width: u32, height: u32) -> arbitrary::Result<Corner> {
    let [x, y] = [u.int_in_range(0..=9)?, u.int_in_range(0..=9)?];
    let log2 = |size: u32| size.next_power_of_two().trailing_zeros() as u8;
    let (layout, pitch) = match u.int_in_range(0..=2)? {
        0 => (SurfaceLayout::Pitch, u.int_in_range(0..=200)?),
        1 => {
            let (log2_width, log2_height) = (log2(x + width), log2(y + height));
            (SurfaceLayout::Swizzled { log2_width, log2_height }, 0)
        }
        _ => (SurfaceLayout::BlockLinear { log2_gobs: u.int_in_range(0..=3)? }, u.int_in_range(8..=10)?),
    };
    Ok(Corner { layout, pitch, x, y })
}

fn random_fill_rect(u: &mut Unstructured<'_>) -> arbitrary::Result<FillRect> {
    let (width, height) = (u.int_in_range(1..=40)?, u.int_in_range(1..=40)?);
    Ok(FillRect {
        target: at(0x8000 + u.int_in_range(0..=0x400)?),
        limit: if u.ratio(1, 4)? { u.int_in_range(0..=0x2000)? } else { u64::MAX },
        to: random_corner(u, width, height)?,
        bytes: *u.choose(&[1, 2, 4, 8, 16])?,
        width,
        height,
        value: u.arbitrary()?,
        mask: if u.arbitrary()? { [0xFF; 16] } else { u.arbitrary()? },
    })
}

fn random_rearrange(u: &mut Unstructured<'_>) -> arbitrary::Result<Rearrange> {
    let (width, height) = (u.int_in_range(1..=20)?, u.int_in_range(1..=20)?);
    Ok(Rearrange {
        source: at(0x1000 + u.int_in_range(0..=0x400)?),
        target: at(0x8000 + u.int_in_range(0..=0x400)?),
        from: random_corner(u, width, height)?,
        to: random_corner(u, width, height)?,
        bytes: *u.choose(&[1, 2, 4, 8, 16])?,
        width,
        height,
    })
}

#[test]
fn large_images_change_their_layout_on_several_threads() {
    let ranges = [(0x10_0000, 0x12_0000), (0x30_0000, 0x12_0000)];
    let swizzled = SurfaceLayout::Swizzled { log2_width: 9, log2_height: 9 };
    let corner = |layout, pitch| Corner { layout, pitch, x: 0, y: 0 };
    for (from, to) in [
        (corner(SurfaceLayout::Pitch, 2048), corner(swizzled, 0)),
        (corner(swizzled, 0), corner(SurfaceLayout::Pitch, 2112)),
        (corner(SurfaceLayout::Pitch, 2112), corner(SurfaceLayout::BlockLinear { log2_gobs: 4 }, 32)),
        // Rows that share bytes: the later ones win.
        (corner(SurfaceLayout::Pitch, 2048), corner(SurfaceLayout::Pitch, 1000)),
    ] {
        let (source, target) = (at(0x10_0000), at(0x30_0000));
        let request = Rearrange { source, target, from, to, bytes: 4, width: 512, height: 512 };
        check(3, &ranges, &Request::Rearrange(request));
        // Into itself: everything is read first.
        let request = Rearrange { target: at(0x10_0040), ..request };
        check(3, &ranges, &Request::Rearrange(request));
    }
}

#[test]
fn images_that_make_no_sense_are_left_alone() {
    let bench = Bench::new(1, &[(0x1000, 0x1000)]);
    let corner = Corner { layout: SurfaceLayout::Pitch, pitch: 64, x: 0, y: 0 };
    let swizzled = |x| Corner { layout: SurfaceLayout::Swizzled { log2_width: 3, log2_height: 3 }, pitch: 0, x, y: 0 };
    let good =
        Rearrange { source: at(0x1000), target: at(0x1800), from: corner, to: corner, bytes: 4, width: 8, height: 8 };
    for bad in [
        Rearrange { bytes: 3, ..good },
        Rearrange { width: 0, ..good },
        Rearrange { height: 0, ..good },
        Rearrange { width: u32::MAX, height: u32::MAX, ..good },
        Rearrange { from: Corner { x: u32::MAX, ..corner }, ..good },
        Rearrange { to: swizzled(1), ..good },
    ] {
        assert_eq!(bench.run(&Request::Rearrange(bad)), Outcome::default());
    }
    assert!(bench.read(0x1000, 0x1000).iter().all(|&byte| byte == 0));
}

fn random_lines(u: &mut Unstructured<'_>) -> arbitrary::Result<Lines> {
    Ok(Lines { line: u.int_in_range(1..=70)?, gap: if u.arbitrary()? { 0 } else { u.int_in_range(1..=50)? } })
}

fn random_convert(u: &mut Unstructured<'_>) -> arbitrary::Result<Convert> {
    const LAYOUTS: [Layout; 3] = [Layout::Linear, TILED, Layout::Tiled(Block::B32)];
    let input_layout = *u.choose(&LAYOUTS)?;
    let key = ConvertKey {
        input: *u.choose(&PixelFormat::ALL)?,
        output: *u.choose(&PixelFormat::ALL)?,
        input_layout,
        output_layout: *u.choose(&LAYOUTS)?,
        scale: *u.choose(&[Scale::None, Scale::Half, Scale::Quarter])?,
    };
    // Rows of tiles whose stride is no multiple of the block share bytes: what wins is the kernel's affair.
    let width = u.int_in_range(1..=6)? * if key.output_layout == Layout::Linear { 3 } else { 32 };
    Ok(Convert {
        key,
        source: at(0x1000 + u.int_in_range(0..=0x400)?),
        target: at(0x8000 + u.int_in_range(0..=0x400)?),
        source_width: u.int_in_range(1..=100)?,
        target_width: width,
        width: width - if u.arbitrary()? { 1 } else { 0 },
        height: u.int_in_range(1..=70)?,
        flip: u.arbitrary()?,
    })
}

/// Requests of all kinds from [0x1000, 0x8000) to [0x8000, ..), over mappings that end and begin anywhere.
#[test]
fn random_requests_match_plain_loops() {
    arbtest::arbtest(|u| {
        let mut ranges = Vec::new();
        let mut address = 0x1000_u64;
        while address < 0x1_8000 {
            let size = u.int_in_range(1..=0x7000)?.min(0x1_8000 - address);
            if u.ratio(4, 5)? {
                ranges.push((address, size));
            }
            address += size;
        }
        let request = match u.int_in_range(0..=4)? {
            0 => Request::Fill(Fill {
                target: at(u.int_in_range(0..=0x1_0000)?),
                size: u.int_in_range(0..=0x1_0000)?,
                bytes: u.int_in_range(2..=4)?,
                value: u.arbitrary()?,
            }),
            1 => Request::Copy(Copy {
                source: at(u.int_in_range(0..=0x3000)?),
                target: at(0x8000 + u.int_in_range(0..=0x9000)?),
                size: u.int_in_range(0..=0x1000)?,
                source_lines: random_lines(u)?,
                target_lines: random_lines(u)?,
            }),
            2 => Request::Rearrange(random_rearrange(u)?),
            3 => Request::FillRect(random_fill_rect(u)?),
            _ => Request::Convert(random_convert(u)?),
        };
        // A source that reaches into the target is another test's matter.
        if let Request::Convert(convert) = &request {
            let (sx, sy) = convert.key.scale.shifts();
            let columns = u64::from(convert.source_width.max(convert.width << sx)) + 64;
            if columns * (u64::from(convert.height << sy) + 64) * 4 > 0x6C00 {
                return Ok(());
            }
        }
        if let Request::Copy(copy) = &request {
            let end = copy.source.address + copy.size / copy.source_lines.line * copy.source_lines.gap + copy.size;
            if end > 0x8000 {
                return Ok(());
            }
        }
        check(2, &ranges, &request);
        Ok(())
    })
    .budget_ms(2000);
}

/// A change of layout by way of a buffer is the same as one straight from memory to memory.
#[test]
fn images_go_through_buffers_unchanged() {
    arbtest::arbtest(|u| {
        let request = random_rearrange(u)?;
        let end = 0x4000 + u.int_in_range(0..=0x8000)?;
        let (mut direct, mut buffered) = (Bench::new(2, &[(0x1000, end)]), Bench::new(2, &[(0x1000, end)]));
        let bytes = noise(end as usize, 5);
        direct.write(0x1000, &bytes);
        buffered.write(0x1000, &bytes);
        let outcome = direct.run(&Request::Rearrange(request));
        let pitch = request.width * u32::from(request.bytes) + 3;
        let buffer = buffer(&vec![0; (request.height * pitch) as usize + 7]);
        let corner = Corner { layout: SurfaceLayout::Pitch, pitch, x: 0, y: 0 };
        let loaded =
            buffered.transfers().load_image(&Rearrange { target: at(7), to: corner, ..request }, Window::new(&buffer));
        let stored = buffered
            .transfers()
            .store_image(Window::new(&buffer), &Rearrange { source: at(7), from: corner, ..request });
        assert_eq!((loaded.unread, loaded.dropped), (outcome.unread, 0));
        assert_eq!((stored.unread, stored.dropped), (0, outcome.dropped));
        assert!(direct.read(0x1000, end as usize) == buffered.read(0x1000, end as usize), "{request:?}");
        assert_eq!(direct.written(), buffered.written());
        Ok(())
    })
    .budget_ms(500);
}
