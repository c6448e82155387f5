//! Pixel kernels alone, and the renderer around them: a scene that covers a 512x512 target once.
//!
//! `cargo bench --bench pixel`

mod support;

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use support::pixels::{self, Canvas};
use triglyph::Tier as Mode;
use triglyph_engine::cache::Removal;
use triglyph_engine::cache::texture_cache::TextureCache;
use triglyph_engine::raster::{DrawContext, Drawing, RasterKind};
use triglyph_engine::scene::Fixed;
use triglyph_engine::sched::Scheduler;
use triglyph_guest::kernel::pixel::PixelKey;

/// Pixels along an edge of the target.
const SIZE: u32 = 512;

fn main() {
    let mut criterion = support::criterion();
    for (state, key) in pixels::states() {
        kernels(&mut criterion, state, &key);
        renderer(&mut criterion, state, &key);
    }
    small_triangles(&mut criterion);
    criterion.final_summary();
}

fn group<'c>(criterion: &'c mut Criterion, name: &str, state: &str) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(format!("{name}/{state}"));
    group.throughput(Throughput::Elements((SIZE * SIZE).into()));
    group
}

/// Two triangles, handed to kernels tile by tile.
fn kernels(criterion: &mut Criterion, state: &str, key: &PixelKey) {
    let mut group = group(criterion, "pixel kernel", state);
    let reference = pixels::kernels(Mode::InterpreterOnly).expect("the reference is always there");
    let mut expected = None;
    for (name, tier) in support::tiers() {
        let Some(kernel) = support::kernel_or_note(name, tier.pixel(key)) else { continue };
        let canvas = Canvas::new(key, &reference, SIZE, 1);
        let (tiles, decoded) = (canvas.tiles(), canvas.decode(&*kernel));
        canvas.shade(&*kernel, &decoded, &tiles);
        let surfaces = canvas.surfaces();
        assert!(*expected.get_or_insert_with(|| surfaces.clone()) == surfaces, "{name} differs from the reference");
        group.bench_function(name, |b| b.iter(|| canvas.shade(&*kernel, &decoded, &tiles)));
    }
    group.finish();
}

/// The same as a scene: textures validated, tiles walked, coverage found.
fn renderer(criterion: &mut Criterion, state: &str, key: &PixelKey) {
    let mut group = group(criterion, "renderer", state);
    for (name, mode, threads) in
        [("interp/1", Mode::InterpreterOnly, 1), ("jit/1", Mode::JitOnly, 1), ("jit/2", Mode::JitOnly, 2)]
    {
        scene(&mut group, name, mode, threads, key, 1);
    }
    group.finish();
}

/// The full state once more, in triangles of half an 8x8 block.
fn small_triangles(criterion: &mut Criterion) {
    let mut group = group(criterion, "renderer", "8192 triangles of 32 pixels");
    for (name, key) in [("colour/jit/1", pixels::color()), ("all/jit/1", pixels::full())] {
        scene(&mut group, name, Mode::JitOnly, 1, &key, SIZE / 8);
    }
    group.finish();
}

fn scene(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mode: Mode, threads: usize, key: &PixelKey, cells: u32) {
    let Some(kernels) = pixels::kernels(mode) else { return };
    let canvas = Canvas::new(key, &kernels, SIZE, cells);
    let scheduler = Scheduler::new(threads).expect("threads");
    let mut textures = TextureCache::default();
    group.bench_function(name, |b| {
        let context = DrawContext {
            memory: &canvas.memory,
            scheduler: &scheduler,
            interrupter: None,
            removal: (Removal::Never, &kernels),
            undo: None,
        };
        b.iter(|| Fixed::draw(&canvas.scene, &mut Drawing::default(), &context, &mut textures));
    });
}
