//! Fills, copies and conversions against the byte vectors.

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::transfer::{Convert, ConvertKey, Copy, Fill, Layout, Scale, TransferJob, TransferKey};
use triglyph_guest::kernel::{Tier, Window, window};
use triglyph_guest::layout::Block;
use triglyph_guest::pica::external::TransferFormat;
use triglyph_interp::Interpreter;
use triglyph_testkit::data::{bytes, color, items, json, number, numbers};
use triglyph_testkit::pica::format_named;

fn run(key: TransferKey, job: TransferJob<'_>) {
    Interpreter.transfer(&key).expect("a kernel").run(&job).expect("supported");
}

/// A window's bytes.
fn contents(window: Window<'_>) -> Vec<u8> {
    (0..window.len()).map(|at| window.read::<1>(at)[0]).collect()
}

#[test]
fn fills_repeat_their_pattern_and_cut_the_last() {
    for (size, want) in [
        (2, vec![0x11, 0x22, 0x11, 0x22, 0x11, 0x22, 0x11, 0x22]),
        (3, vec![0x11, 0x22, 0x33, 0x11, 0x22, 0x33, 0x11, 0x22]),
        (4, vec![0x11, 0x22, 0x33, 0x44, 0x11, 0x22, 0x33, 0x44]),
    ] {
        let memory = window::buffer(&[0; 8]);
        let target = Window::new(&memory);
        run(TransferKey::Fill { bytes: size }, TransferJob::Fill(Fill { target, value: 0x4433_2211 }));
        assert_eq!(contents(target), want);
    }
}

#[test]
fn copies_in_runs() {
    for case in items(&json("3ds/vectors/texture_copy.json")["cases"]) {
        let Some(runs) = case["runs"].as_array() else { continue };
        let field = |name: &str| number(&case[name]) as usize;
        // What the transfer engine's registers mean (3dbrew: GPU/External Registers, texture copy).
        let size = field("size") & !15;
        let side = |width: &str, gap: &str| match field(gap) {
            0 => (size, 0),
            gap => (field(width) * 16, gap * 16),
        };
        let (source_line, source_gap) = side("in_width", "in_gap");
        let (target_line, target_gap) = side("out_width", "out_gap");
        let source: Vec<u8> = (0..512).map(|at| (at * 7 + at / 256) as u8).collect();
        let mut want = vec![0xEE; 512];
        for run in runs {
            let [to, from, length] = numbers::<3>(run).map(|v| v as usize);
            want[to..to + length].copy_from_slice(&source[from..from + length]);
        }
        let (source, target) = (window::buffer(&source), window::buffer(&[0xEE; 512]));
        let (source, target) = (Window::new(&source), Window::new(&target));
        run(
            TransferKey::Copy,
            TransferJob::Copy(Copy { source, target, size, source_line, source_gap, target_line, target_gap }),
        );
        assert_eq!(contents(target), want, "{case}");
    }
}

#[test]
fn copies_end_with_their_windows() {
    let (source, target) = (window::buffer(&[1, 2, 3, 4]), window::buffer(&[9; 6]));
    let (source, target) = (Window::new(&source), Window::new(&target));
    let job = Copy {
        source,
        target,
        size: usize::MAX,
        source_line: 3,
        source_gap: 0,
        target_line: usize::MAX,
        target_gap: usize::MAX,
    };
    run(TransferKey::Copy, TransferJob::Copy(job));
    assert_eq!(contents(target), [1, 2, 3, 4, 0, 0]);
    run(TransferKey::Copy, TransferJob::Copy(Copy { source_line: 0, ..job }));
}

#[test]
fn overlapping_copies_read_a_run_before_writing_it() {
    let memory = window::buffer(&[1, 2, 3, 4, 5, 6, 7, 8]);
    let all = Window::new(&memory);
    let job = Copy {
        source: all,
        target: all.from(2),
        size: 6,
        source_line: 6,
        source_gap: 0,
        target_line: 6,
        target_gap: 0,
    };
    run(TransferKey::Copy, TransferJob::Copy(job));
    assert_eq!(contents(all), [1, 2, 1, 2, 3, 4, 5, 6]);
}

/// What the flags of a display transfer ask for (3dbrew: GPU/External Registers), and how far the target is displaced.
fn display_transfer<'m>(
    flags: u32,
    [iw, _]: [u32; 2],
    [ow, oh]: [u32; 2],
    source: Window<'m>,
    target: Window<'m>,
) -> (ConvertKey, Convert<'m>) {
    let bit = |n: u32| flags >> n & 1 != 0;
    let format =
        |shift: u32| -> PixelFormat { TransferFormat::from_register(flags >> shift & 7).expect("a format").into() };
    let (tiled, scale) = (Layout::Tiled(Block::B8), [Scale::None, Scale::Half, Scale::Quarter][(flags >> 24) as usize]);
    let (to_tiled, no_convert, output) = (bit(1), bit(5), format(12));
    let (shift_x, shift_y) = scale.shifts();
    let displaced = if bit(0) && bit(2) { (iw - ow) * (oh - 1) * output.bytes() } else { 0 };
    let key = ConvertKey {
        input: format(8),
        output,
        input_layout: if to_tiled { Layout::Linear } else { tiled },
        output_layout: if to_tiled != no_convert { tiled } else { Layout::Linear },
        scale,
    };
    let job = Convert {
        source,
        target: target.from(displaced as usize),
        source_width: iw,
        target_width: ow >> shift_x,
        width: ow >> shift_x,
        height: oh >> shift_y,
        rows: 0..oh >> shift_y,
        flip: bit(0),
    };
    (key, job)
}

#[test]
fn display_transfers() {
    for case in items(&json("3ds/vectors/display_transfer.json")["cases"]) {
        let (source, want) = (window::buffer(&bytes(&case["src"])), bytes(&case["dst"]));
        let target = window::buffer(&vec![0; want.len()]);
        let target = Window::new(&target);
        let [input, output] = ["in_dim", "out_dim"].map(|name| numbers::<2>(&case[name]).map(|v| v as u32));
        let (key, job) = display_transfer(number(&case["flags"]) as u32, input, output, Window::new(&source), target);
        // In two parts, as several threads would.
        let half = job.rows.end / 2;
        let kernel = Interpreter.transfer(&TransferKey::Convert(key)).expect("a kernel");
        for rows in [half..job.rows.end, 0..half] {
            kernel.run(&TransferJob::Convert(Convert { rows, ..job.clone() })).expect("supported");
        }
        assert_eq!(contents(target), want, "{}", case["name"]);
    }
}

/// Converts one pixel.
fn convert_pixel(input: PixelFormat, output: PixelFormat, pixel: &[u8]) -> Vec<u8> {
    let (source, target) = (window::buffer(pixel), window::buffer(&vec![0; output.bytes() as usize]));
    let (source, target) = (Window::new(&source), Window::new(&target));
    let layout = Layout::Linear;
    let key = ConvertKey { input, output, input_layout: layout, output_layout: layout, scale: Scale::None };
    let job =
        Convert { source, target, source_width: 1, target_width: 1, width: 1, height: 1, rows: 0..1, flip: false };
    run(TransferKey::Convert(key), TransferJob::Convert(job));
    contents(target)
}

#[test]
fn colors_are_expanded_and_cut() {
    let vectors = json("3ds/vectors/color_convert.json");
    for case in items(&vectors["expand"]) {
        let word = number(&case["word"]) as u16;
        let [r, g, b, a] = color(&case["rgba8"]);
        let got = convert_pixel(
            format_named(case["format"].as_str().expect("a name")),
            PixelFormat::Rgba8,
            &word.to_le_bytes(),
        );
        assert_eq!(got, [a, b, g, r], "{case}");
    }
    for case in items(&vectors["encode_memory_bytes"]) {
        let [r, g, b, a] = color(&case["rgba8"]);
        let output = format_named(case["format"].as_str().expect("a name"));
        assert_eq!(convert_pixel(PixelFormat::Rgba8, output, &[a, b, g, r]), bytes(&case["bytes"]), "{case}");
    }
}

/// Neighbours in a linear source are neighbours by coordinates: unverified on hardware, but defined.
#[test]
fn linear_sources_scale_by_coordinates() {
    let pixels: Vec<u8> = [10, 20, 30, 41].iter().flat_map(|&v| [v; 4]).collect();
    let (source, target) = (window::buffer(&pixels), window::buffer(&[0; 4]));
    let format = PixelFormat::Rgba8;
    for (scale, want) in [(Scale::Half, 15), (Scale::Quarter, 25)] {
        let layout = Layout::Linear;
        let key = ConvertKey { input: format, output: format, input_layout: layout, output_layout: layout, scale };
        let (source, target) = (Window::new(&source), Window::new(&target));
        let job =
            Convert { source, target, source_width: 2, target_width: 1, width: 1, height: 1, rows: 0..1, flip: false };
        run(TransferKey::Convert(key), TransferJob::Convert(job));
        assert_eq!(contents(target), [want; 4]);
    }
}

#[test]
fn conversions_outside_of_their_windows() {
    let (source, target) = (window::buffer(&[7; 6]), window::buffer(&[9; 7]));
    let (source, target) = (Window::new(&source), Window::new(&target));
    let format = PixelFormat::Rgba8;
    let layout = Layout::Linear;
    let scale = Scale::None;
    let key = ConvertKey { input: format, output: format, input_layout: layout, output_layout: layout, scale };
    let job = Convert {
        source,
        target,
        source_width: 1,
        target_width: 1,
        width: 1,
        height: u32::MAX,
        rows: 0..100_000,
        flip: false,
    };
    run(TransferKey::Convert(key), TransferJob::Convert(job));
    assert_eq!(contents(target), [7, 7, 7, 7, 7, 7, 0]);
}
