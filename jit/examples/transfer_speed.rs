//! Gigabytes per second of fills, copies and conversions.
//!
//! `cargo run --release -p triglyph-jit --example transfer_speed`

use std::time::Instant;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::transfer::{Convert, ConvertKey, Copy, Fill, Layout, Scale, TransferJob, TransferKey};
use triglyph_guest::kernel::{Tier, TransferKernel, Window, window};
use triglyph_guest::layout::Block;
use triglyph_jit::Jit;

/// Bytes per nanosecond, the best of several runs.
fn speed(bytes: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..40).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e9
    });
    bytes as f64 / times.fold(f64::INFINITY, f64::min)
}

fn fills(jit: &Jit) {
    for kib in [16, 256, 1024, 4096, 16384] {
        let mut plain = vec![0u8; kib << 10];
        let memset = speed(kib << 10, || std::hint::black_box(&mut plain).fill(7));
        let memory = window::buffer(&plain);
        let target = Window::new(&memory);
        print!("fill {kib:>6} KiB: memset {memset:6.1}");
        for (bytes, value) in [(4, 0), (4, 0x1234_5678), (3, 0x12_3456), (2, 0x1234)] {
            let kernel = jit.transfer(&TransferKey::Fill { bytes }).expect("a kernel");
            let rate = speed(kib << 10, || kernel.run(&TransferJob::Fill(Fill { target, value })).expect("a fill"));
            print!("  {bytes} bytes {rate:6.1} ({:.2})", rate / memset);
        }
        println!();
    }
}

fn copies(jit: &Jit) {
    let kernel = jit.transfer(&TransferKey::Copy).expect("a kernel");
    for (name, line, gap) in [("contiguous", 0, 0), ("lines of 480, gaps of 32", 480, 32)] {
        let size: usize = 480 * 2000;
        let memory = window::buffer(&vec![1; 3 << 20]);
        let (source, target) = (Window::new(&memory).first(3 << 19), Window::new(&memory).from(3 << 19));
        let line = if gap == 0 { size } else { line };
        let job = Copy { source, target, size, source_line: line, source_gap: gap, target_line: size, target_gap: 0 };
        let rate = speed(size, || kernel.run(&TransferJob::Copy(job)).expect("a copy"));
        println!("copy {name}: {rate:.1}");
    }
}

fn conversions(jit: &Jit) {
    use PixelFormat::{Rgb8, Rgb565, Rgba4, Rgba8};
    let (linear, tiled) = (Layout::Linear, Layout::Tiled(Block::B8));
    for (input, output, input_layout, output_layout, scale) in [
        (Rgba8, Rgba8, tiled, linear, Scale::None),
        (Rgba8, Rgb8, tiled, linear, Scale::None),
        (Rgba8, Rgb565, tiled, linear, Scale::None),
        (Rgb8, Rgb8, tiled, linear, Scale::None),
        (Rgb565, Rgb565, tiled, linear, Scale::None),
        (Rgb565, Rgba4, tiled, linear, Scale::None),
        (Rgba8, Rgb8, tiled, linear, Scale::Half),
        (Rgba8, Rgb8, tiled, linear, Scale::Quarter),
        (Rgba8, Rgba8, linear, tiled, Scale::None),
        (Rgb565, Rgb565, linear, tiled, Scale::None),
        (Rgba8, Rgba8, tiled, tiled, Scale::Quarter),
    ] {
        let key = ConvertKey { input, output, input_layout, output_layout, scale };
        let start = Instant::now();
        let kernel = jit.transfer(&TransferKey::Convert(key)).expect("a kernel");
        let compile = start.elapsed().as_micros();
        print!("{input:?} {} -> {output:?} {} {scale:?}:", name(input_layout), name(output_layout));
        for (width, height) in [(240, 400), (512, 512), (1024, 1024)] {
            print!("  {width}x{height} {:5.1}", convert(&*kernel, &key, width, height));
        }
        println!("  compiled in {compile} us, {} bytes", kernel.code_bytes());
    }
}

fn name(layout: Layout) -> &'static str {
    if layout == Layout::Linear { "linear" } else { "tiled" }
}

/// GB/s of source.
fn convert(kernel: &dyn TransferKernel, key: &ConvertKey, source_width: u32, source_height: u32) -> f64 {
    let pixels = (source_width * source_height) as usize;
    let (from, to) = (window::buffer(&vec![5; pixels * 4]), window::buffer(&vec![0; pixels * 4]));
    let (shift_x, shift_y) = key.scale.shifts();
    let (width, height) = (source_width >> shift_x, source_height >> shift_y);
    let job = TransferJob::Convert(Convert {
        source: Window::new(&from),
        target: Window::new(&to),
        source_width,
        target_width: width,
        width,
        height,
        rows: 0..height & !7,
        flip: false,
    });
    speed(pixels * key.input.bytes() as usize, || kernel.run(&job).expect("a conversion"))
}

fn main() {
    let jit = Jit::new().expect("a code generator");
    fills(&jit);
    copies(&jit);
    conversions(&jit);
}
