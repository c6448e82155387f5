//! Programs of the Tegra X1, compiled and in the reference: 4096 vertices through a transform with a light, sixteen
//! blocks of pixels with a light and a texture, a block of 256 threads with shared memory, one whose threads sum rows
//! of global memory.
//!
//! `cargo bench --bench maxwell`

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::maxwell::*;
use triglyph_guest::kernel::pixel::{Filter, PixelBlock};
use triglyph_guest::kernel::program::environment::*;
use triglyph_guest::kernel::program::fragment::*;
use triglyph_guest::kernel::program::output::*;
use triglyph_guest::kernel::program::sampler::{
    Convert, LEVELS, Level, PADDING, Shape, Source, Texels, Texture, TextureKey, Wrap,
};
use triglyph_guest::kernel::program::stage::*;
use triglyph_guest::kernel::program::words::*;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

const VERTICES: usize = 4096;
const THREADS: u32 = 256;

/// What is around all programs here.
struct World {
    constants: Vec<AtomicU8>,
    memory: Memory,
    exhausted: AtomicU32,
}

/// A megabyte of global memory.
struct Memory(Vec<AtomicU8>);

impl GlobalMemory for Memory {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        let at = address as usize & (self.0.len() - 16);
        for (byte, from) in bytes.iter_mut().zip(&self.0[at..]) {
            *byte = from.load(Ordering::Relaxed);
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let at = address as usize & (self.0.len() - 16);
        for (&byte, to) in bytes.iter().zip(&self.0[at..]) {
            to.store(byte, Ordering::Relaxed);
        }
    }

    fn span(&self, address: u64, _: Usage) -> Option<Span<'_>> {
        let inside = address < self.0.len() as u64;
        inside.then(|| Span { start: 0, window: Window::new(&self.0) })
    }
}

impl World {
    fn new() -> Self {
        let constants: Vec<u8> = (0..256).flat_map(|n| (0.25 + 0.01 * n as f32).to_le_bytes()).collect();
        World { constants: buffer(&constants), memory: Memory(buffer(&vec![1; 1 << 20])), exhausted: AtomicU32::new(0) }
    }

    fn windows(&self) -> [Window<'_>; CONSTANT_BUFFERS] {
        let mut windows = [Window::default(); CONSTANT_BUFFERS];
        windows[3] = Window::new(&self.constants);
        windows
    }

    fn environment<'a>(
        &'a self,
        constants: &'a [Window<'a>; CONSTANT_BUFFERS],
        textures: &'a [Texture<'a>],
    ) -> Environment<'a> {
        let (memory, exhausted) = (&self.memory, &self.exhausted);
        Environment { constants, textures, memory, exhausted, ..Environment::NONE }
    }
}

fn code(text: &str, units: Vec<UnitUse>) -> Arc<Code> {
    let words = assemble_program(text).expect("a program");
    Arc::new(Code { words, units, ..Code::default() })
}

/// Position through a matrix, normal through another one, a light of it, its square for a highlight.
fn vertex_program() -> String {
    let mut text = String::from("ald.w4 r0, [rz+0x80], rz\nald.w4 r4, [rz+0x90], rz\nald.w4 r8, [rz+0xa0], rz\n");
    for row in 0..4 {
        let at = |column: i32| 16 * row + 4 * column;
        text.push_str(&format!("fmul.ftz r{}, r0, c[3][{:#x}]\n", 12 + row, at(0)));
        for column in 1..4 {
            text.push_str(&format!("ffma.ftz r{0}, r{column}, c[3][{1:#x}], r{0}\n", 12 + row, at(column)));
        }
    }
    text.push_str("ast.w4 r12, [rz+0x70], rz\n");
    for row in 0..3 {
        let at = |column: i32| 64 + 16 * row + 4 * column;
        text.push_str(&format!("fmul.ftz r{}, r4, c[3][{:#x}]\n", 16 + row, at(0)));
        for column in 1..3 {
            text.push_str(&format!("ffma.ftz r{0}, r{1}, c[3][{2:#x}], r{0}\n", 16 + row, 4 + column, at(column)));
        }
    }
    text.push_str(
        "fmul.ftz r19, r16, r16\nffma.ftz r19, r17, r17, r19\nffma.ftz r19, r18, r18, r19\nmufu.rsq r19, r19\n",
    );
    text.push_str(
        "fmul.ftz r20, r16, c[3][0x80]\nffma.ftz r20, r17, c[3][0x84], r20\nffma.ftz r20, r18, c[3][0x88], r20\n",
    );
    text.push_str("fmul.sat.ftz r20, r20, r19\nfmul.ftz r21, r20, r20\nfmul.ftz r21, r21, r21\n");
    for c in 0..4 {
        text.push_str(&format!("ffma.ftz r{0}, r20, r{1}, r21\n", 22 + c, 8 + c));
    }
    text.push_str("mov r24, r24, 0xf\nast r22, [rz+0x80], rz\nast r23, [rz+0x84], rz\nast r24, [rz+0x88], rz\nast r25, [rz+0x8c], rz\nexit");
    text
}

/// Inputs with perspective, a light, a texture, a condition on which lanes differ.
const PIXEL_PROGRAM: &str = "ipa.pass.default r4, a[rz+0x7c], rz, rz, pt
    mufu.rcp r4, r4
    ipa.mul.default r5, a[rz+0x80], r4, rz, pt
    ipa.mul.default r6, a[rz+0x84], r4, rz, pt
    ipa.mul.default r8, a[rz+0x88], r4, rz, pt
    ipa.mul.default r9, a[rz+0x8c], r4, rz, pt
    ipa.mul.default r10, a[rz+0x90], r4, rz, pt
    texs.f32.d2 r0, r2, r5, r6, 0x8, 0x4
    fmul.ftz r11, r8, r8
    ffma.ftz r11, r9, r9, r11
    ffma.ftz r11, r10, r10, r11
    mufu.rsq r12, r11
    fmul.ftz r13, r8, c[3][0x0]
    ffma.ftz r13, r9, c[3][0x4], r13
    ffma.ftz r13, r10, c[3][0x8], r13
    fmul.sat.ftz r13, r13, r12
    ffma.ftz r14, r13, c[3][0xc], r11
    fmul.ftz r0, r0, r14
    fmul.ftz r1, r1, r14
    fmul.ftz r2, r2, r14
    fmul.ftz r15, r13, r13
    fmul.ftz r15, r15, r15
    ffma.sat.ftz r0, r15, c[3][0x10], r0
    ffma.sat.ftz r1, r15, c[3][0x14], r1
    ffma.sat.ftz r2, r15, c[3][0x18], r2
    exit";

/// A load, a sum of neighbours through shared memory, a store.
const COMPUTE_PROGRAM: &str = "s2r r0, sr_tid_x
    shl r1, r0, 0x2
    ldg.b32 r2, [r1+0x1000]
    i2f.f32.b32 r2, r2, 0x0
    sts.b32 r2, [r1+0x0]
    bar.sync 0x0, 0x0, pt
    lop.xor r3, pt, r1, 0x4
    lds.b32 r4, [r3+0x0]
    lop.xor r3, pt, r1, 0x8
    lds.b32 r5, [r3+0x0]
    fadd.ftz r4, r4, r5
    ffma.ftz r4, r4, c[3][0x0], r2
    fmul.ftz r6, r4, r4
    mufu.rsq r6, r6
    fmul.ftz r4, r4, r6
    stg.b32 r4, [r1+0x8000]
    exit";

/// A loop over words of global memory, with a sum of products and a constant by index.
const SUM_PROGRAM: &str = "s2r r0, sr_tid_x
    shl r1, r0, 0x6
    mov r2, rz, 0xf
    mov r3, rz, 0xf
    ssy done
top:
    ldg.b128 r4, [r1+0x0]
    lop.and r8, pt, r3, 0x7c
    ldc.b32 r9, c[3][r8+0x0]
    ffma.ftz r2, r4, r9, r2
    ffma.ftz r2, r5, r6, r2
    fadd.ftz r2, r2, r7
    iadd r1, r1, 0x10
    iadd r3, r3, 0x4
    isetp.lt.and p0, pt, r3, 0x40, pt
    @p0 bra top
    sync
done:
    shl r1, r0, 0x2
    stg.b32 r2, [r1+0x80000]
    exit";

fn words(range: std::ops::Range<u8>) -> WordSet {
    range.collect()
}

fn key(stage: Stage, text: &str, inputs: WordSet, outputs: WordSet) -> ShaderKey {
    ShaderKey { stage, code: code(text, Vec::new()), inputs, outputs, textures: Vec::new(), images: Vec::new() }
}

fn vertices(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, tier: &dyn Tier) {
    let key = key(Stage::Vertex, &vertex_program(), words(0x20..0x2C), words(0x1C..0x24));
    let kernel = tier.shader(&key).expect("a kernel");
    let world = World::new();
    let inputs: Vec<u32> = (0..VERTICES * 12).map(|n| (0.001 * n as f32).sin().to_bits()).collect();
    let mut outputs = vec![0; VERTICES * 8];
    group.throughput(Throughput::Elements(VERTICES as u64));
    group.bench_function(format!("vertices/{name}"), |b| {
        b.iter(|| {
            let windows = world.windows();
            let environment = world.environment(&windows, &[]);
            let work = Work::Vertices(Vertices { inputs: &inputs, outputs: &mut outputs, count: VERTICES });
            kernel.run(&mut ShaderJob { environment, work }).expect("a run");
        });
    });
}

fn texture_key() -> TextureKey {
    TextureKey {
        shape: Shape::D2,
        texels: Texels::Rgba8,
        unnormalized: false,
        wrap: [Wrap::Repeat; 3],
        magnify: Filter::Linear,
        minify: Filter::Linear,
        mipmap: None,
        compare: None,
        swizzle: [Source::Red, Source::Green, Source::Blue, Source::Alpha],
        convert: [Convert::None; 4],
        expanded: [Convert::None; 4],
        alpha_kill: false,
        reduction: Default::default(),
        anisotropy: 1,
        rounding: Default::default(),
        accuracy: Accuracy::Exact,
        power_of_two: false,
        seamless: false,
        clamp_reference: false,
    }
}

fn pixels(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, tier: &dyn Tier) {
    const SIZE: u32 = 64;
    let text = PIXEL_PROGRAM;
    let unit = UnitUse { address: 8 * 10, unit: Unit::Texture(0) };
    let inputs = (0..8).map(|n| PixelInput { word: 0x20 + n, plane: n.into(), mode: PixelMode::Perspective }).collect();
    let code = PixelCode {
        code: code(text, vec![unit]),
        textures: vec![Some(texture_key())],
        images: Vec::new(),
        inputs,
        targets: 0xF,
        sample_mask: false,
        depth: false,
        kills: false,
        per_sample: false,
        early_tests: false,
        sample_numbers: SAMPLES_BY_PLACE,
    };
    let unorm = |shift| Channel::Unorm(Bits { shift, bits: 8 });
    let format = ColorFormat { bytes: 4, swap: 1, channels: [unorm(0), unorm(8), unorm(16), unorm(24)] };
    let mut colors = [None; TARGETS];
    colors[0] = Some(ColorKey {
        format,
        layout: SurfaceLayout::BlockLinear { log2_gobs: 0 },
        source: 0,
        mask: 15,
        blend: None,
    });
    let key = FragmentKey {
        code: FragmentCode::Maxwell(Arc::new(code)),
        textures: [None; UNITS],
        output: OutputKey::storing(colors),
        samples: Samples::ONE,
    };
    let kernel = tier.fragment(&key).expect("a kernel");
    let world = World::new();
    let texels: Vec<u32> = (0..SIZE * SIZE + PADDING as u32).map(|n| n.wrapping_mul(0x9E37_79B9)).collect();
    let texture = Texture {
        texels: &texels,
        levels: [Level { offset: 0, width: SIZE, height: SIZE, depth: 1 }; LEVELS],
        ..Texture::default()
    };
    let memory = buffer(&vec![0; 64 * 64 * 4]);
    let mut surfaces = [Surface::default(); TARGETS];
    surfaces[0] = Surface { window: Window::new(&memory), pitch: 4 };
    let planes: Vec<Plane> = (0..8).map(|n| [0.1 * n as f32, 0.01, 0.02]).collect();
    let primitive = Primitive { origin: [0, 0], inv_w: [0.9, 0.001, 0.001], ..Primitive::default() };
    let blocks: Vec<PixelBlock> =
        (0..16).map(|n| PixelBlock { primitive: 0, x: n % 4 * 8, row: n / 4 * 8, coverage: !0 }).collect();
    group.throughput(Throughput::Elements(16 * 64));
    group.bench_function(format!("pixels/{name}"), |b| {
        b.iter(|| {
            let (windows, textures) = (world.windows(), [texture]);
            let environment = world.environment(&windows, &textures);
            let job = FragmentJob {
                survivors: &[],
                colors: &surfaces,
                depth: Surface::default(),
                constants: &FragmentConstants::default(),
                program_constants: &[],
                textures: &[Texture::default(); UNITS],
                environment,
                primitives: &[primitive],
                planes: &planes,
                blocks: &blocks,
            };
            kernel.shade(&job).expect("a run")
        });
    });
}

fn threads(group: &mut BenchmarkGroup<'_, WallTime>, (name, tier): (&str, &dyn Tier), (what, text): (&str, &str)) {
    let key = key(Stage::Compute, text, WordSet::EMPTY, WordSet::EMPTY);
    let kernel = tier.shader(&key).expect("a kernel");
    let world = World::new();
    let mut shared = vec![0; 4 * THREADS as usize];
    group.throughput(Throughput::Elements(THREADS.into()));
    group.bench_function(format!("{what}/{name}"), |b| {
        b.iter(|| {
            let windows = world.windows();
            let environment = world.environment(&windows, &[]);
            let work = Work::Blocks(Blocks::new(&[[0; 3]], [THREADS, 1, 1], &mut shared));
            kernel.run(&mut ShaderJob { environment, work }).expect("a run");
        });
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let jit = Jit::new().expect("a compiler");
    let tiers: [(&str, &dyn Tier); 2] = [("jit", &jit), ("interp", &Interpreter)];
    let mut group = criterion.benchmark_group("maxwell");
    for (name, tier) in tiers {
        vertices(&mut group, name, tier);
        pixels(&mut group, name, tier);
        threads(&mut group, (name, tier), ("threads", COMPUTE_PROGRAM));
        threads(&mut group, (name, tier), ("sums", SUM_PROGRAM));
    }
    group.finish();
    criterion.final_summary();
}
