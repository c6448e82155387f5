//! Time of pixel kernels: nanoseconds a pixel on one thread, microseconds to compile, bytes of code.
//!
//! `cargo run --release -p triglyph-jit --example pixel_speed [filter]`

use std::time::Instant;

use triglyph_guest::format::{DepthFormat, PixelFormat, TexelFormat};
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::combine::{Function, Source};
use triglyph_guest::kernel::pixel::*;
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_jit::{Effort, Jit};
use triglyph_testkit::pica::{ALPHA_BLEND, large_triangle, stage, state, take};

const SIZE: u32 = 512;
const TEXTURE: u32 = 256;

fn plain() -> PixelKey {
    state(0xFFF, [4, 5, 6, 7], take(Source::Primary))
}

fn alpha_blend() -> Output {
    Output::Blend(ALPHA_BLEND)
}

fn states() -> Vec<(&'static str, PixelKey)> {
    let texture = |magnify| TextureKey {
        kind: TextureKind::Plain,
        coordinates: [8, 9, 10],
        wrap: [Wrap::Repeat; 2],
        magnify,
        minify: magnify,
        ..TextureKey::DISABLED
    };
    let depth = |key: PixelKey| PixelKey {
        depth_test: Compare::GreaterEqual,
        depth_write: true,
        depth_format: Some(DepthFormat::D24S8),
        ..key
    };
    let textured = |filter| {
        let mut key = plain();
        key.textures[0] = texture(filter);
        key.combiners.stages[0] = stage(Function::Modulate, Source::Texture(0), Source::Primary);
        key
    };
    let mut copy = plain();
    copy.combiners.stages[0] = stage(Function::Replace, Source::Constant, Source::Constant);
    let mut stages3 = plain();
    let add = stage(Function::Add, Source::Previous, Source::Constant);
    let modulate = stage(Function::Modulate, Source::Previous, Source::Constant);
    stages3.combiners.stages[1] = add;
    stages3.combiners.stages[2] = modulate;
    let mut full = depth(textured(Filter::Linear));
    full.combiners.stages[1] = add;
    full.combiners.stages[2] = modulate;
    full.alpha_test = Compare::Greater;
    full.output = alpha_blend();
    let mut mip = textured(Filter::Linear);
    mip.textures[0].mipmap = Some(Filter::Nearest);
    let mut trilinear = textured(Filter::Linear);
    trilinear.textures[0].mipmap = Some(Filter::Linear);
    let mut edge = textured(Filter::Linear);
    edge.textures[0].wrap = [Wrap::Edge; 2];
    let format = |format| PixelKey { color_format: Some(format), output: alpha_blend(), ..plain() };
    vec![
        ("constant colour", copy),
        ("vertex colour", plain()),
        ("vertex colour, 3 stages", stages3),
        ("vertex colour, depth", depth(plain())),
        ("vertex colour, depth, blend", PixelKey { output: alpha_blend(), ..depth(plain()) }),
        ("vertex colour, blend, RGB565", format(PixelFormat::Rgb565)),
        ("vertex colour, blend, RGB8", format(PixelFormat::Rgb8)),
        ("nearest texture * colour", textured(Filter::Nearest)),
        ("linear texture * colour", textured(Filter::Linear)),
        ("linear texture * colour, edge", edge),
        ("linear, nearest mipmap", mip),
        ("linear, linear mipmap", trilinear),
        ("linear, 3 stages, alpha, depth, blend", full),
    ]
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let texels: Vec<u32> = (0..TEXTURE * TEXTURE * 2).map(|i| i.wrapping_mul(0x9E37_79B1) | 0x80).collect();
    println!("{:40} {:>22} {:>22}", "ns/pixel, masked ns/pixel; us; bytes", "quick", "hot");
    for (name, key) in states().into_iter().filter(|(name, _)| name.contains(&filter)) {
        print!("{name:40}");
        for effort in [Effort::Baseline, Effort::Optimized] {
            let jit = Jit::with_effort(effort).expect("a host with a code generator");
            let mut compile = f64::MAX;
            for _ in 0..20 {
                let start = Instant::now();
                let _ = jit.pixel(&key);
                compile = compile.min(start.elapsed().as_secs_f64());
            }
            let kernel = jit.pixel(&key).expect("a kernel");
            let run = |coverage| measure(&*kernel, &key, &texels, coverage);
            let (interior, masked) = (run(u64::MAX), run(0x7FFF_FFFF_FFFF_FFFF));
            print!(" {interior:5.2} {masked:5.2} {:5.0} {:6}", compile * 1e6, kernel.code().bytes);
        }
        println!();
    }
    if std::env::var_os("TRIGLYPH_DUMP").is_some() {
        let jit = Jit::with_effort(Effort::Optimized).expect("a host with a code generator");
        for (_, key) in states().into_iter().filter(|(name, _)| name.contains(&filter)) {
            println!("{}", jit.dump_pixel(&key));
        }
    }
}

/// Best nanoseconds a pixel.
fn measure(kernel: &dyn triglyph_guest::kernel::PixelKernel, key: &PixelKey, texels: &[u32], coverage: u64) -> f64 {
    let bytes = vec![0u8; (SIZE * SIZE * 4) as usize];
    let (color, depth) = (buffer(&bytes), buffer(&bytes));
    let texture = Texture { format: TexelFormat::Rgba8, decoded: texels, ..Texture::default() };
    let textures = [texture; 3];
    let levels = TextureConstants {
        width: TEXTURE,
        height: TEXTURE,
        lod_max: if key.textures[0].mipmap.is_some() { 5.0 } else { 0.0 },
        ..TextureConstants::default()
    };
    let constants = PixelConstants {
        stage_color: [0x1020_30C0; 6],
        alpha_reference: 1,
        depth_scale: -1.0,
        texture: [levels; 3],
        ..PixelConstants::default()
    };
    let (primitive, blocks) = large_triangle(SIZE, coverage);
    let varyings: Vec<[f32; 3]> = (0..12).map(|i| [0.1 * i as f32, 0.7, 0.3 * i as f32]).collect();
    // Tiles of 64 blocks, as the engine hands them out; of each the best time, others use the machine too.
    let tiles: Vec<&[PixelBlock]> = blocks.chunks(64).collect();
    let mut best = vec![f64::MAX; tiles.len()];
    for _ in 0..40 {
        for (best, blocks) in best.iter_mut().zip(&tiles) {
            let job = PixelJob {
                survivors: &[],
                densest: None,
                target: Target { color: Window::new(&color), depth: Window::new(&depth), width: SIZE, rows: SIZE },
                textures: &textures,
                constants: &constants,
                fog: None,
                primitives: std::slice::from_ref(&primitive),
                varyings: &varyings,
                lighting: None,
                procedural: None,
                blocks,
            };
            let start = Instant::now();
            kernel.shade(&job).expect("a job that fits");
            *best = best.min(start.elapsed().as_secs_f64());
        }
    }
    best.iter().sum::<f64>() * 1e9 / f64::from(SIZE * SIZE)
}
