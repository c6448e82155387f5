//! Transfer kernels: fills, copies and conversions, beside memset and memcpy of the same memory.
//!
//! `cargo bench --bench transfer`
//!
//! Bytes a second count what is filled, copied or converted. Conversions are of square images of RGBA8 pixels. The
//! interpreter goes one pixel at a time, at the same speed for every size, so it is measured for small ones only.

#![allow(unsafe_code)]

mod support;

use std::sync::atomic::AtomicU8;

use criterion::{Criterion, Throughput};
use triglyph::{
    Access, Device, GuestAddr, GuestRange, HostFormat, HostRows, Machine, Options, Presented, ScanLayout, ScanOut,
    Tier, new_device, scan_format,
};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::TransferKernel;
use triglyph_guest::kernel::transfer::{Convert, ConvertKey, Copy, Fill, Layout, Scale, TransferJob, TransferKey};
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_guest::layout::Block;

/// Bytes, by name; square images of four bytes a pixel.
const SIZES: [(&str, usize); 5] =
    [("16K", 16 << 10), ("256K", 256 << 10), ("1M", 1 << 20), ("4M", 4 << 20), ("16M", 16 << 20)];

/// The largest size the interpreter is measured with.
const INTERPRETER: usize = 256 << 10;

const TILED: Layout = Layout::Tiled(Block::B8);

fn main() {
    let mut criterion = support::criterion();
    let (_, largest) = SIZES[SIZES.len() - 1];
    let mut numbers = support::Numbers::new(3);
    let source: Vec<u8> = (0..largest).map(|_| numbers.word() as u8).collect();
    let (source, target) = (buffer(&source), buffer(&vec![1; largest]));
    fills(&mut criterion, &target);
    copies(&mut criterion, &source, &target);
    for (name, output, layouts) in [
        ("untile RGBA8", PixelFormat::Rgba8, [TILED, Layout::Linear]),
        ("untile RGBA8 to RGB8", PixelFormat::Rgb8, [TILED, Layout::Linear]),
        ("untile RGBA8 to RGB565", PixelFormat::Rgb565, [TILED, Layout::Linear]),
        ("tile RGBA8", PixelFormat::Rgba8, [Layout::Linear, TILED]),
    ] {
        conversions(&mut criterion, name, output, layouts, &source, &target);
    }
    presents(&mut criterion);
    criterion.final_summary();
}

/// A picture of 1920 x 1080 pixels to the host's rows, on one thread and compiled.
fn presents(criterion: &mut Criterion) {
    const AT: GuestAddr = GuestAddr::new(0, 0);
    let (width, height, pitch) = (1920, 1080, 7680);
    let mut gpu = new_device(Machine::TegraX1, &Options::new(Tier::JitOnly, 1)).expect("a Tegra X1");
    gpu.map(GuestRange::new(0, 0, 16 << 20), Access::READ_WRITE).expect("memory");
    let mut numbers = support::Numbers::new(5);
    let bytes: Vec<u8> = (0..16 << 20).map(|_| numbers.word() as u8).collect();
    gpu.write(AT, &bytes).expect("mapped");
    let mut rows = vec![0; 8 * 1920 * 1080];
    let mut group = criterion.benchmark_group("present 1080p");
    for (name, format, layout) in [
        ("rows", scan_format::X8R8G8B8.big_endian(), ScanLayout::Rows { pitch }),
        ("rows RGB565", scan_format::RGB565, ScanLayout::Rows { pitch }),
        ("block-linear", scan_format::A8B8G8R8, ScanLayout::BlockLinear { log2_gobs: 4, pitch }),
    ] {
        let scan = ScanOut { at: AT, width, height, format, layout };
        for (to, format) in [("RGBA8", HostFormat::Rgba8), ("BGRA8", HostFormat::Bgra8), ("RGB565", HostFormat::Rgb565)]
        {
            group.bench_function(format!("{name} to {to}"), |b| {
                b.iter(|| {
                    let mut rows = HostRows::new(&mut rows, 1920 * format.bytes(), format);
                    gpu.present(&scan, &mut rows, &mut Presented::default()).expect("a picture")
                });
            });
        }
    }
    group.finish();
}

/// The kernels of a key that take `job`, by tier.
fn kernels(key: &TransferKey, job: &TransferJob<'_>, size: usize) -> Vec<(&'static str, Kernel)> {
    let mut kernels = Vec::new();
    for (name, tier) in support::tiers() {
        // There is nothing in these kernels that the register allocator could be good at.
        if name == "jit-quick" || name == "interp" && size > INTERPRETER {
            continue;
        }
        let Some(kernel) = support::kernel_or_note(name, tier.transfer(key)) else { continue };
        match kernel.run(job) {
            Ok(()) => kernels.push((name, kernel)),
            Err(refused) => eprintln!("{name}: {refused}"),
        }
    }
    kernels
}

type Kernel = std::sync::Arc<dyn TransferKernel>;

fn fills(criterion: &mut Criterion, target: &[AtomicU8]) {
    for (name, size) in SIZES {
        let mut group = criterion.benchmark_group(format!("fill/{name}"));
        group.throughput(Throughput::Bytes(size as u64));
        let window = Window::new(&target[..size]);
        group.bench_function("memset", |b| {
            b.iter(|| {
                // SAFETY: the window is `size` bytes of atomics, which nothing else accesses meanwhile.
                unsafe { std::ptr::write_bytes(window.as_ptr(), 0x5A, size) };
                std::hint::black_box(window.as_ptr());
            });
        });
        for bytes in [2, 3, 4u8] {
            let job = TransferJob::Fill(Fill { target: window, value: 0x1122_3344 });
            for (tier, kernel) in kernels(&TransferKey::Fill { bytes }, &job, size) {
                group.bench_function(format!("{} bit/{tier}", 8 * bytes), |b| b.iter(|| kernel.run(&job)));
            }
        }
        group.finish();
    }
}

fn copies(criterion: &mut Criterion, source: &[AtomicU8], target: &[AtomicU8]) {
    for (name, size) in SIZES {
        let mut group = criterion.benchmark_group(format!("copy/{name}"));
        group.throughput(Throughput::Bytes(size as u64));
        let (from, to) = (Window::new(&source[..size]), Window::new(&target[..size]));
        group.bench_function("memcpy", |b| {
            b.iter(|| {
                // SAFETY: both windows are `size` bytes of atomics, disjoint, which nothing else accesses meanwhile.
                unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), size) };
                std::hint::black_box(to.as_ptr());
            });
        });
        let plain =
            Copy { source: from, target: to, size, source_line: size, source_gap: 0, target_line: size, target_gap: 0 };
        // Every other KiB: what a texture copy does with a part of a surface.
        let gaps = Copy { size: size / 2, source_line: 1024, source_gap: 1024, target_line: size / 2, ..plain };
        for (lines, copy) in [("plain", plain), ("half of 2K lines", gaps)] {
            let job = TransferJob::Copy(copy);
            group.throughput(Throughput::Bytes(copy.size as u64));
            for (tier, kernel) in kernels(&TransferKey::Copy, &job, size) {
                group.bench_function(format!("{lines}/{tier}"), |b| b.iter(|| kernel.run(&job)));
            }
        }
        group.finish();
    }
}

fn conversions(
    criterion: &mut Criterion,
    name: &str,
    output: PixelFormat,
    [input_layout, output_layout]: [Layout; 2],
    source: &[AtomicU8],
    target: &[AtomicU8],
) {
    let key = ConvertKey { input: PixelFormat::Rgba8, output, input_layout, output_layout, scale: Scale::None };
    for (label, size) in SIZES {
        let edge = ((size / 4) as u32).isqrt();
        let job = TransferJob::Convert(Convert {
            source: Window::new(&source[..size]),
            target: Window::new(target),
            source_width: edge,
            target_width: edge,
            width: edge,
            height: edge,
            rows: 0..edge,
            flip: false,
        });
        let mut group = criterion.benchmark_group(format!("{name}/{label}"));
        group.throughput(Throughput::Bytes(size as u64));
        for (tier, kernel) in kernels(&TransferKey::Convert(key), &job, size) {
            group.bench_function(tier, |b| b.iter(|| kernel.run(&job)));
        }
        group.finish();
    }
}
