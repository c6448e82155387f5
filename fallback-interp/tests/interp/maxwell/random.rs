//! Random shader words of Tegra X1: every stage ends, and gives the same result twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode, SAMPLES_BY_PLACE, Unit, UnitUse};
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::environment::{Environment, GlobalMemory, Image};
use triglyph_guest::kernel::program::fragment::{FragmentCode, PixelBlock, Samples};
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat};
use triglyph_guest::kernel::program::sampler::{Filter, LEVELS, Level, Shape, Texels, Texture, TextureKey, Wrap};
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{
    Blocks, Emit, Evaluations, Patches, Primitives, ShaderJob, ShaderKey, Stage, Vertices, Work,
};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::window::buffer;
use triglyph_guest::kernel::{Accuracy, Tier, Window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::shader::random::{Options, program};
use triglyph_interp::Interpreter;
use triglyph_testkit::fragment::NEAREST;
use triglyph_testkit::fragment::{RGBA32F, Scene, copy_input};
use triglyph_testkit::random::Random;

/// Memory of a page that repeats.
struct Page(Mutex<Vec<u8>>);

impl GlobalMemory for Page {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        let page = self.0.lock().expect("no panic before");
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = page[(address as usize + i) % page.len()];
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let mut page = self.0.lock().expect("no panic before");
        let length = page.len();
        for (i, byte) in bytes.iter().enumerate() {
            page[(address as usize + i) % length] = *byte;
        }
    }
}

const STAGES: [Stage; 5] = [Stage::Vertex, Stage::TessControl, Stage::TessEvaluation, Stage::Geometry, Stage::Compute];

const SHAPES: [Shape; 7] =
    [Shape::D1, Shape::D2, Shape::D3, Shape::Cube, Shape::D1Array, Shape::D2Array, Shape::CubeArray];

fn texture_key(noise: &mut Random) -> TextureKey {
    let filter = |noise: &mut Random| if noise.below(2) == 0 { Filter::Nearest } else { Filter::Linear };
    let wraps = [Wrap::Repeat, Wrap::Mirror, Wrap::ClampToEdge, Wrap::Border, Wrap::Clamp, Wrap::MirrorOnceClamp];
    let wrap = std::array::from_fn(|_| wraps[noise.below(6) as usize]);
    TextureKey {
        shape: SHAPES[noise.below(7) as usize],
        texels: if noise.below(2) == 0 { Texels::Rgba8 } else { Texels::Float4 },
        wrap,
        magnify: filter(noise),
        minify: filter(noise),
        mipmap: Some(filter(noise)),
        ..NEAREST
    }
}

/// Everything that a program can touch, from one number.
fn run(seed: u32, words: &[u64], stage: impl Into<Option<Stage>>) -> (Vec<u32>, Vec<Emit>, Vec<u8>, u32) {
    let mut noise = Random::new(seed.into());
    let mut units = Vec::new();
    for i in 0..words.len() as u32 {
        let unit = match noise.below(4) {
            0 => Unit::Texture(noise.below(5) as u8),
            1 => Unit::Image(noise.below(5) as u8),
            _ => Unit::Dynamic,
        };
        units.push(UnitUse { address: 8 * i, unit });
    }
    let targets: BTreeSet<u32> = (0..8).map(|_| noise.below(1024)).collect();
    let code = Code {
        words: words.to_vec(),
        targets: targets.into_iter().collect(),
        units,
        handle_buffer: 1,
        local_bytes: 64,
        accuracy: if noise.below(2) == 0 { Accuracy::Exact } else { Accuracy::Fast },
    };
    let attributes: WordSet = (0x18..0x30).chain(0xBC..=0xBF).collect();
    let textures: Vec<_> = (0..4).map(|_| Some(texture_key(&mut noise))).collect();
    let word = Channel::Uint(Bits { shift: 0, bits: 32 });
    let absent = Channel::Absent;
    let image = |shape, layout| ImageKey {
        shape,
        format: ColorFormat { bytes: 4, swap: 1, channels: [word, absent, absent, absent] },
        layout,
    };
    let images = vec![
        Some(image(Shape::D2, SurfaceLayout::Pitch)),
        Some(image(Shape::D3, SurfaceLayout::BlockLinear { log2_gobs: 1 })),
        Some(image(Shape::D2, SurfaceLayout::Swizzled { log2_width: 3, log2_height: 3 })),
        None,
    ];
    let code = Arc::new(code);
    let bytes: Vec<u8> = (0..4096).map(|_| noise.word() as u8).collect();
    let constants = buffer(&bytes);
    let windows =
        std::array::from_fn(|slot| if slot < 3 { Window::new(&constants).from(slot * 8) } else { Window::default() });
    let texels: Vec<u32> = (0..4096).map(|_| noise.word()).collect();
    let mut levels = [Level { offset: 84, width: 1, height: 1, depth: 1 }; LEVELS];
    levels[0] = Level { offset: 0, width: 4, height: 4, depth: 4 };
    levels[1] = Level { offset: 64, width: 2, height: 2, depth: 2 };
    let texture = Texture {
        texels: &texels,
        layer_texels: 85,
        layers: 6,
        level_count: 3,
        levels,
        lod_max: 2.0,
        ..Texture::default()
    };
    let surface = buffer(&bytes);
    let image = Image {
        window: Window::new(&surface),
        pitch: 32,
        width: 8,
        height: 8,
        depth: 2,
        log2_depth: 1,
        layers: 2,
        layer_bytes: 512,
    };
    let memory = Page(Mutex::new(bytes.clone()));
    let exhausted = AtomicU32::new(0);
    let environment = Environment {
        constants: &windows,
        textures: &[texture; 4],
        images: &[image; 4],
        handles: &[0, 1, 2, 3, 4, 5, 6, 7],
        memory: &memory,
        y_direction: -1.0,
        clock: 0xFFFF_FFF0,
        exhausted: &exhausted,
        excess: Environment::NONE.excess,
        reserve: &AtomicU32::new(0),
    };
    let result = |outputs, emits| {
        let memory = memory.0.lock().expect("no panic before").clone();
        (outputs, emits, memory, exhausted.load(Relaxed))
    };
    let Some(stage) = stage.into() else {
        return result(pixels(&mut noise, code, textures, images, environment), Vec::new());
    };
    let key = ShaderKey { stage, code, inputs: attributes, outputs: attributes, textures, images };
    let length = attributes.len();
    let inputs: Vec<u32> = (0..length * 3).map(|_| noise.word()).collect();
    let mut outputs = vec![7; length * 4];
    let mut patches = vec![0; PATCH_WORDS];
    let (mut records, mut emits, mut shared) = (Vec::new(), Vec::new(), vec![1; 256]);
    let work = match stage {
        Stage::Vertex => Work::Vertices(Vertices { inputs: &inputs, outputs: &mut outputs, count: 3 }),
        Stage::TessControl => Work::Patches(Patches {
            vertices: 3,
            threads: 4,
            inputs: &inputs,
            outputs: &mut outputs,
            patches: &mut patches,
            primitives: &[9],
        }),
        Stage::TessEvaluation => Work::Evaluations(Evaluations {
            vertices: 3,
            inputs: &inputs,
            patch: &patches,
            primitive: 9,
            coordinates: &[[0.25, 0.5], [1.0, 0.0]],
            outputs: &mut outputs,
        }),
        Stage::Geometry => Work::Primitives(Primitives {
            vertices: 3,
            inputs: &inputs,
            primitives: &[9],
            instances: 2,
            most: 5,
            records: &mut records,
            emits: &mut emits,
        }),
        Stage::Compute => Work::Blocks(Blocks::new(&[[1, 2, 3]], [10, 4, 1], &mut shared)),
    };
    let kernel = Interpreter.shader(&key).expect("the reference takes everything");
    kernel.run(&mut ShaderJob { environment, work }).expect("the work is that of the stage");
    outputs.extend(records);
    outputs.extend(patches);
    result(outputs, emits)
}

/// Two covered pixels and two that only help, each sample by itself or not.
fn pixels(
    noise: &mut Random,
    code: Arc<Code>,
    textures: Vec<Option<TextureKey>>,
    images: Vec<Option<ImageKey>>,
    environment: Environment<'_>,
) -> Vec<u32> {
    let mut scene = Scene::new(RGBA32F, &copy_input());
    let modes = [PixelMode::Constant, PixelMode::Perspective, PixelMode::Linear];
    let input = |i: u8| PixelInput { word: 0x20 + i, plane: i.into(), mode: modes[usize::from(i) % 3] };
    let code = PixelCode {
        code,
        textures,
        images,
        inputs: (0..16).map(input).collect(),
        targets: 0xF,
        sample_mask: noise.below(2) == 0,
        depth: noise.below(2) == 0,
        kills: noise.below(2) == 0,
        per_sample: noise.below(2) == 0,
        early_tests: noise.below(2) == 0,
        sample_numbers: SAMPLES_BY_PLACE,
    };
    scene.key.code = FragmentCode::Maxwell(Arc::new(code));
    scene.key.samples = Samples { across: 2, down: 1 };
    scene.planes.iter_mut().flatten().for_each(|plane| *plane = noise.below(64) as f32 / 16.0);
    scene.blocks = vec![PixelBlock { primitive: 0, x: 0, row: 0, coverage: 0b0110 }; 2];
    scene.draw_in(environment);
    (0..4).flat_map(|x| scene.floats(x, 0)).map(f32::to_bits).collect()
}

fn check(seed: u32, words: &[u64]) {
    for stage in STAGES {
        let first = run(seed, words, stage);
        assert!(first.1.iter().filter(|emit| matches!(emit, Emit::Vertex { .. })).count() <= 10);
        assert!(first == run(seed, words, stage), "seed {seed}, {stage:?}: not the same twice");
    }
}

#[test]
fn programs_of_random_words_end() {
    for seed in 0..300u32 {
        let mut noise = Random::new(u64::from(seed) * 77 + 1);
        let words: Vec<u64> = (0..64).map(|_| u64::from(noise.word()) << 32 | u64::from(noise.word())).collect();
        check(seed, &words);
    }
}

#[test]
fn random_programs_end() {
    let mut exhausted = 0;
    for seed in 0..200u32 {
        let mut noise = Random::new(u64::from(seed) * 31 + 5);
        let mut rng = || noise.word();
        let ragged = seed % 4 == 0;
        let words = program(&mut rng, Options { ragged, constant_buffers: 4, ..Options::default() });
        check(seed, &words);
        if !ragged {
            exhausted += run(seed, &words, Stage::Vertex).3;
        }
    }
    assert_eq!(exhausted, 0, "structured programs end by themselves");
}

#[test]
fn a_loop_without_end_is_ended() {
    // bra to itself.
    let words = [0, 0xE240_0FFF_FF87_000F, 0xE240_0FFF_FF87_000F, 0];
    assert_eq!(run(1, &words, Stage::Vertex).3, 3);
    assert_eq!(run(1, &words, Stage::Compute).3, 2);
    let (_, emits, ..) = run(1, &words, Stage::Geometry);
    assert_eq!(emits, [Emit::End { primitive: 0 }; 2]);
}
