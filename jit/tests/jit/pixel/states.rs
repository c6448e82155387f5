//! Chosen states and scenes: what compiled pixel kernels write, computed by hand, and what they do not support.

use triglyph_guest::format::{DepthFormat, PixelFormat, TexelFormat};
use triglyph_guest::kernel::combine::Source;
use triglyph_guest::kernel::pixel::*;
use triglyph_guest::kernel::window::{Window, buffer};
use triglyph_guest::kernel::{Tier, Unsupported};
use triglyph_guest::layout::{Block, morton, unmorton};
use triglyph_jit::Jit;
use triglyph_testkit::pica::{self, state, take};

/// One stage that gives `source`; everything else off.
fn key(source: Source) -> PixelKey {
    PixelKey { output: Output::Logic(LogicOp::Copy), ..state(0b1111, [0, 1, 2, 3], take(source)) }
}

/// A scene of one block under a primitive whose edge functions are constants: weights 1/4, 1/4, 1/2 everywhere.
struct Scene {
    constants: PixelConstants,
    primitive: Primitive,
    varyings: Vec<[f32; 3]>,
    block: PixelBlock,
    texels: Vec<u32>,
    color: Vec<u8>,
    depth: Vec<u8>,
    width: u32,
}

impl Scene {
    fn new() -> Self {
        Scene {
            constants: PixelConstants {
                stage_color: [0x8040_20C0; 6],
                depth_scale: -1.0,
                texture: [TextureConstants { width: 8, height: 8, ..TextureConstants::default() }; 3],
                ..PixelConstants::default()
            },
            primitive: Primitive {
                edge: [256, 256, 512],
                sum: 1024.0,
                inv_w: [1.0; 3],
                z: [-0.5; 3],
                ..Primitive::default()
            },
            varyings: vec![[0.25; 3], [0.5, 0.5, 1.0], [2.0; 3], [-1.0; 3]],
            block: PixelBlock { primitive: 0, x: 0, row: 0, coverage: u64::MAX },
            texels: vec![0; 68],
            color: vec![0; 256],
            depth: vec![0; 256],
            width: 8,
        }
    }

    /// Runs a kernel and returns both surfaces.
    fn run(&self, key: &PixelKey) -> Result<[Vec<u8>; 2], Unsupported> {
        let kernel = Jit::new().expect("a host with a code generator").pixel(key)?;
        let (color, depth) = (buffer(&self.color), buffer(&self.depth));
        let texture = Texture { format: TexelFormat::Rgba8, decoded: &self.texels, ..Texture::default() };
        kernel.shade(&PixelJob {
            survivors: &[],
            densest: None,
            target: Target { color: Window::new(&color), depth: Window::new(&depth), width: self.width, rows: 8 },
            textures: &[texture; 3],
            constants: &self.constants,
            fog: None,
            lighting: None,
            procedural: None,
            primitives: std::slice::from_ref(&self.primitive),
            varyings: &self.varyings,
            blocks: std::slice::from_ref(&self.block),
        })?;
        Ok([color, depth].map(|s| s.into_iter().map(|b| b.into_inner()).collect()))
    }

    /// The colour words of `bytes` bytes that a kernel leaves.
    fn colors(&self, key: &PixelKey) -> Vec<u32> {
        let [color, _] = self.run(key).expect("a job that compiled code takes");
        words(&color, key.color_format.map_or(4, PixelFormat::bytes))
    }
}

fn words(bytes: &[u8], size: u32) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
    bytes.chunks(size as usize).map(word).take(64).collect()
}

#[test]
fn vertex_colours_round_and_clamp() {
    // 0.25 * 255 + 0.5 = 64.25; (0.5 + 0.5 + 2 * 1) / 4 * 255 + 0.5 = 191.75; 2 and -1 are clamped.
    assert_eq!(Scene::new().colors(&key(Source::Primary)), [64 << 24 | 191 << 16 | 255 << 8; 64]);
}

#[test]
fn every_format_stores_the_constant() {
    let mut scene = Scene::new();
    for format in PixelFormat::ALL {
        scene.color = vec![0x55; 64 * format.bytes() as usize];
        let state = PixelKey { color_format: Some(format), ..key(Source::Constant) };
        let want = format.encode([0x80, 0x40, 0x20, 0xC0]);
        assert_eq!(scene.colors(&state), [want; 64], "{format:?}");
        // Red and alpha only; a format without alpha has nothing else to keep.
        let state = PixelKey { color_mask: 0b1001, ..state };
        let before = words(&scene.color, format.bytes())[0];
        let red_alpha = format.encode([255, 0, 0, 255]);
        assert_eq!(scene.colors(&state), [want & red_alpha | before & !red_alpha; 64], "{format:?} masked");
    }
}

#[test]
fn coverage_is_in_morton_order() {
    let mut scene = Scene::new();
    scene.block.coverage = 0x8000_0010_0000_F001;
    let colors = scene.colors(&key(Source::Constant));
    for (bit, color) in colors.into_iter().enumerate() {
        assert_eq!(color, if scene.block.coverage >> bit & 1 != 0 { 0x8040_20C0 } else { 0 }, "pixel {bit}");
    }
}

#[test]
fn blending_truncates_and_saturates() {
    let mut scene = Scene::new();
    scene.color = [0x10, 0xFF, 0x7F, 0xFE].repeat(64);
    scene.constants.stage_color[0] = 0x01FF_8040;
    let blend = |equation, source, destination| {
        let key = pica::blend(equation, source, destination);
        PixelKey { output: Output::Blend(key), ..self::key(Source::Constant) }
    };
    let (s, d) = ([0x01u32, 0xFF, 0x80, 0x40], [0xFEu32, 0x7F, 0xFF, 0x10]);
    let pixel = |f: &dyn Fn(u32, u32) -> u32| (0..4).fold(0, |w, c| w << 8 | f(s[c], d[c]));
    use BlendEquation::*;
    use BlendFactor::{DestinationColor, InverseSourceAlpha, One, SourceAlpha, SourceColor};
    let cases: [(PixelKey, u32); 6] = [
        (blend(Add, SourceAlpha, InverseSourceAlpha), pixel(&|s, d| (s * 0x40 + d * 0xBF) / 255)),
        (blend(Add, One, One), pixel(&|s, d| (s + d).min(255))),
        (blend(Add, DestinationColor, SourceColor), pixel(&|s, d| (2 * s * d / 255).min(255))),
        (blend(Subtract, One, One), pixel(&|s, d| s.saturating_sub(d))),
        (blend(ReverseSubtract, SourceColor, One), pixel(&|s, d| (d * 255).saturating_sub(s * s) / 255)),
        (blend(Max, SourceColor, One), pixel(&|s, d| (s * s).max(d * 255) / 255)),
    ];
    for (state, want) in cases {
        assert_eq!(scene.colors(&state), [want; 64], "{:?}", state.output);
    }
}

#[test]
fn depth_is_compared_and_stored() {
    let mut scene = Scene::new();
    for (format, max) in [(DepthFormat::D16, 0xFFFF), (DepthFormat::D24, 0xFF_FFFF), (DepthFormat::D24S8, 0xFF_FFFF)] {
        let bytes = format.bytes() as usize;
        let near = max / 2;
        // Stencil 0xAB in the top byte must survive.
        let stored = |v: u32| if bytes == 4 { v | 0xAB00_0000 } else { v };
        let before: Vec<u32> = (0..64).map(|i| stored(near - 1 + i % 3)).collect();
        scene.depth = before.iter().flat_map(|w| w.to_le_bytes()[..bytes].to_vec()).collect();
        let state = PixelKey {
            depth_format: Some(format),
            depth_test: Compare::Less,
            depth_write: true,
            ..key(Source::Constant)
        };
        let [color, depth] = scene.run(&state).expect("a job that compiled code takes");
        for (i, (color, depth)) in words(&color, 4).into_iter().zip(words(&depth, format.bytes())).enumerate() {
            let passes = near < (before[i] & max);
            assert_eq!(color != 0, passes, "{format:?} pixel {i}");
            assert_eq!(depth, if passes { stored(near) } else { before[i] }, "{format:?} pixel {i}");
        }
    }
}

#[test]
fn texels_are_upside_down_and_filtered() {
    let mut scene = Scene::new();
    scene.texels = (0..68).map(|i| i * 0x0101_0101).collect();
    let mut state = key(Source::Texture(0));
    state.textures[0] = TextureKey { kind: TextureKind::Plain, coordinates: [0, 1, 0], ..TextureKey::DISABLED };
    // u = 0.25, v = 0.75: texel (2, 6), stored row 1.
    assert_eq!(scene.colors(&state), [0x0101_0101 * (8 + 2); 64]);
    state.textures[0].magnify = Filter::Linear;
    state.textures[0].minify = Filter::Linear;
    // Half way between columns 1 and 2 and rows 2 and 1: (17 + 18 + 9 + 10) / 4 = 13.5, rounded up.
    assert_eq!(scene.colors(&state), [0x0101_0101 * 14; 64]);
}

#[test]
fn blocks_of_32_are_found() {
    let mut scene = Scene::new();
    (scene.width, scene.color) = (64, vec![0; 64 * 32 * 4]);
    (scene.block.x, scene.block.row) = (40, 24);
    let state = PixelKey { block: Block::B32, ..key(Source::Constant) };
    let [color, _] = scene.run(&state).expect("a job that compiled code takes");
    for (i, bytes) in color.chunks(4).enumerate() {
        let (x, row) = unmorton(i as u32 & 1023);
        let inside = i >= 1024 && morton(x & !7, row & !7) == morton(8, 24);
        assert_eq!(bytes.iter().any(|&b| b != 0), inside, "pixel {i}");
    }
}

#[test]
fn what_would_be_unsound_is_refused() {
    let depth = || PixelKey { depth_format: Some(DepthFormat::D24S8), depth_write: true, ..key(Source::Constant) };
    let textured = || {
        let mut state = key(Source::Texture(0));
        state.textures[0] = TextureKey { kind: TextureKind::Plain, ..TextureKey::DISABLED };
        state
    };
    let unsupported = |state: &PixelKey, change: &dyn Fn(&mut Scene)| {
        let mut scene = Scene::new();
        assert!(scene.run(state).is_ok());
        change(&mut scene);
        assert!(scene.run(state).is_err());
    };
    unsupported(&key(Source::Primary), &|s| s.primitive.flags = WIDE_EDGES);
    unsupported(&key(Source::Primary), &|s| s.primitive.first_varying = 1);
    unsupported(&key(Source::Primary), &|s| s.primitive.first_varying = u32::MAX);
    unsupported(&key(Source::Primary), &|s| s.block.primitive = 1);
    unsupported(&key(Source::Primary), &|s| s.block.x = 8);
    unsupported(&key(Source::Primary), &|s| s.block.row = 4);
    unsupported(&key(Source::Primary), &|s| s.color.truncate(255));
    unsupported(&depth(), &|s| s.depth.truncate(255));
    unsupported(&textured(), &|s| s.texels.truncate(67));
    unsupported(&textured(), &|s| s.constants.texture[0].width = 12);
    unsupported(&textured(), &|s| s.constants.texture[0].height = 0);
    let mut odd = textured();
    odd.textures[0].power_of_two = false;
    assert!(Scene::new().run(&odd).is_err());
}

#[test]
fn overlapping_surfaces_are_refused() {
    let scene = Scene::new();
    let memory = buffer(&[0; 512]);
    let state = PixelKey { depth_format: Some(DepthFormat::D24S8), depth_write: true, ..key(Source::Constant) };
    let kernel = Jit::new().and_then(|jit| jit.pixel(&state)).expect("a kernel");
    for (offset, fits) in [(0, false), (128, false), (256, true)] {
        let job = PixelJob {
            survivors: &[],
            densest: None,
            target: Target { color: Window::new(&memory), depth: Window::new(&memory).from(offset), width: 8, rows: 8 },
            textures: &[Texture::default(); 3],
            constants: &scene.constants,
            fog: None,
            lighting: None,
            procedural: None,
            primitives: std::slice::from_ref(&scene.primitive),
            varyings: &scene.varyings,
            blocks: std::slice::from_ref(&scene.block),
        };
        assert_eq!(kernel.shade(&job).is_ok(), fits, "{offset}");
    }
}
