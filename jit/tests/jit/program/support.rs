//! Random scenes for fragment kernels of programs, run on both tiers and compared byte for byte.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::pixel::{Filter, PixelBlock};
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::*;
use triglyph_guest::kernel::program::output::*;
use triglyph_guest::kernel::program::sampler::*;
use triglyph_guest::kernel::{Accuracy, Unsupported, Window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::fragment::program::{clear_constants, constants};
use triglyph_guest::rsx::fragment::random::{Options, program};
use triglyph_testkit::random::Random;

/// A texture with its texels.
pub struct TextureData {
    texels: Vec<u32>,
    texture: Texture<'static>,
}

/// A job with the memory it works on.
pub struct Case {
    pub key: FragmentKey,
    constants: FragmentConstants,
    program_constants: Vec<[f32; 4]>,
    textures: Vec<TextureData>,
    primitives: Vec<Primitive>,
    planes: Vec<Plane>,
    blocks: Vec<PixelBlock>,
    memory: Vec<u8>,
    /// Offset and pitch of each colour target and of the depth buffer.
    surfaces: [(usize, u32); TARGETS + 1],
    listing: String,
}

const FILTERS: [Filter; 2] = [Filter::Nearest, Filter::Linear];

fn unorm(shift: u8, bits: u8) -> Channel {
    Channel::Unorm(Bits { shift, bits })
}

fn float(shift: u8, bits: u8) -> Channel {
    Channel::Float(Bits { shift, bits })
}

fn layout(rng: &mut Random) -> SurfaceLayout {
    match rng.below(5) {
        0 | 1 => SurfaceLayout::Pitch,
        3 => SurfaceLayout::BlockSlice { log2_gobs: rng.below(3) as u8, log2_slices: 1 + rng.below(2) as u8 },
        2 => SurfaceLayout::Swizzled { log2_width: 5 + rng.below(2) as u8, log2_height: 5 + rng.below(2) as u8 },
        _ => SurfaceLayout::BlockLinear { log2_gobs: rng.below(4) as u8 },
    }
}

fn color_format(rng: &mut Random) -> ColorFormat {
    let of = |bytes, swap, channels| ColorFormat { bytes, swap, channels };
    let absent = Channel::Absent;
    let bits = |shift, bits| Bits { shift, bits };
    let cut = |shift, count| Channel::FloatCut(bits(shift, count));
    match rng.below(17) {
        0..=3 => of(4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), unorm(24, 8)]),
        4 => of(4, 1, [unorm(0, 8), unorm(8, 8), unorm(16, 8), unorm(24, 8)]),
        5 => of(2, 2, [unorm(11, 5), unorm(5, 6), unorm(0, 5), absent]),
        6 => of(2, 2, [unorm(10, 5), unorm(5, 5), unorm(0, 5), Channel::Ones(bits(15, 1))]),
        7 => of(4, 4, [unorm(16, 8), unorm(8, 8), unorm(0, 8), Channel::Zeros(bits(24, 8))]),
        8 => of(1, 1, [absent, absent, unorm(0, 8), absent]),
        9 => of(2, 2, [absent, unorm(8, 8), unorm(0, 8), absent]),
        10 => of(8, 2, [float(0, 16), float(16, 16), float(32, 16), float(48, 16)]),
        11 => of(16, 4, [float(0, 32), float(32, 32), float(64, 32), float(96, 32)]),
        12 => of(4, 4, [float(0, 32), absent, absent, absent]),
        13 => of(4, 1, [float(0, 11), float(11, 11), float(22, 10), absent]),
        14 => of(8, 1, [cut(0, 16), cut(16, 16), cut(32, 16), cut(48, 16)]),
        15 => of(4, 1, [cut(0, 11), cut(11, 11), cut(22, 10), absent]),
        _ => {
            let kind = |rng: &mut Random, at: Bits| match rng.below(6) {
                0 => Channel::Srgb(at),
                1 => Channel::Snorm(at),
                2 => Channel::Uint(at),
                3 => Channel::Sint(at),
                4 => Channel::UnormHalfUp(at),
                _ => Channel::Unorm(at),
            };
            let at = [bits(0, 10), bits(10, 10), bits(20, 10), bits(30, 2)];
            let wide = [bits(0, 16), bits(16, 16), bits(32, 16), bits(48, 16)];
            let one = kind(rng, bits(0, 1));
            let same = |at: Bits| match one {
                Channel::Srgb(_) => Channel::Srgb(at),
                Channel::Snorm(_) => Channel::Snorm(at),
                Channel::Uint(_) => Channel::Uint(at),
                Channel::Sint(_) => Channel::Sint(at),
                Channel::UnormHalfUp(_) => Channel::UnormHalfUp(at),
                _ => Channel::Unorm(at),
            };
            if rng.one_in(2) { of(4, 1, at.map(same)) } else { of(8, 1, wide.map(same)) }
        }
    }
}

fn blend_term(rng: &mut Random) -> BlendTerm {
    BlendTerm {
        equation: rng.pick(&BlendEquation::ALL),
        source: rng.pick(&BlendFactor::ALL),
        destination: rng.pick(&BlendFactor::ALL),
        signed: rng.pick(&SignedOperand::ALL),
    }
}

fn stencil(rng: &mut Random) -> StencilKey {
    StencilKey {
        compare: rng.pick(&Compare::ALL),
        fail: rng.pick(&StencilOp::ALL),
        depth_fail: rng.pick(&StencilOp::ALL),
        pass: rng.pick(&StencilOp::ALL),
    }
}

fn depth_key(rng: &mut Random) -> DepthKey {
    const FORMATS: [DepthFormat; 10] = [
        DepthFormat::Z16,
        DepthFormat::Z24S8,
        DepthFormat::Z24S8,
        DepthFormat::S8Z24,
        DepthFormat::F24S8,
        DepthFormat::F16,
        DepthFormat::F32,
        DepthFormat::F32S8,
        DepthFormat::Z24X8S8,
        DepthFormat::S8,
    ];
    let format = rng.pick(&FORMATS);
    let test = (!rng.one_in(4)).then(|| rng.pick(&Compare::ALL));
    let tests_stencil = format.has_stencil() && rng.one_in(2);
    DepthKey {
        format,
        big_endian: rng.one_in(2),
        layout: layout(rng),
        test,
        write: test.is_some() && !rng.one_in(3),
        bounds: rng.one_in(4),
        stencil: tests_stencil.then(|| {
            let front = stencil(rng);
            [front, if rng.one_in(2) { front } else { stencil(rng) }]
        }),
    }
}

fn output_key(rng: &mut Random) -> OutputKey {
    let mut colors = [None; TARGETS];
    let targets = if rng.one_in(4) { 4 } else { 1 };
    for color in colors.iter_mut().take(targets) {
        if rng.one_in(12) {
            continue;
        }
        *color = Some(ColorKey {
            format: color_format(rng),
            layout: layout(rng),
            source: rng.pick(&[0, 0, 0, 1, 2, 3]),
            mask: if rng.one_in(4) { rng.below(16) as u8 } else { 15 },
            blend: rng.one_in(2).then(|| BlendKey { color: blend_term(rng), alpha: blend_term(rng) }),
        });
    }
    OutputKey {
        colors,
        depth: (!rng.one_in(3)).then(|| depth_key(rng)),
        alpha_test: if rng.one_in(4) { rng.pick(&Compare::ALL) } else { Compare::Always },
        alpha_bytes: rng.one_in(4),
        alpha_to_coverage: rng.one_in(8),
        alpha_to_one: rng.one_in(8),
        limits: [(); TARGETS]
            .map(|()| if rng.one_in(6) { rng.pick(&[Limit::Unit, Limit::Signed]) } else { Limit::None }),
        color_samples: if rng.one_in(12) { rng.word() as u16 } else { u16::MAX },
        quantised_source: rng.one_in(2),
        zero_products: rng.one_in(4),
        coverage_dither: rng.one_in(2),
        depth_at_center: rng.one_in(4),
        depth_offset: rng.one_in(3),
        coverage_color: None,
        tells_survivors: false,
        share: rng.one_in(8).then(|| rng.below(4 * GROUPS as u32 - 3) as u16),
        program: None,
        encode_srgb: rng.one_in(8),
        logic: rng.one_in(6).then(|| rng.pick(&LogicOp::ALL)),
    }
}

fn input(rng: &mut Random) -> FragmentInput {
    let group = rng.below(GROUPS as u32) as u8;
    const MODES: [FogMode; 6] =
        [FogMode::Linear, FogMode::LinearAbs, FogMode::Exp, FogMode::ExpAbs, FogMode::Exp2, FogMode::Exp2Abs];
    match rng.below(12) {
        0 => FragmentInput::Zero,
        1 => FragmentInput::Position,
        2 => FragmentInput::Varying2d { group },
        3 => FragmentInput::Fog { group, mode: rng.pick(&MODES) },
        4 => FragmentInput::PointCoordinate { group, two_dimensional: rng.one_in(2) },
        5 => FragmentInput::Facing,
        _ => FragmentInput::Varying {
            group,
            interpolation: if rng.one_in(4) { Interpolation::Linear } else { Interpolation::Perspective },
            clamp: rng.one_in(4),
        },
    }
}

/// Groups of planes of a primitive.
const GROUPS: usize = 6;

pub fn texture_key(rng: &mut Random) -> TextureKey {
    const SHAPES: [Shape; 10] = [
        Shape::D1,
        Shape::D2,
        Shape::D2,
        Shape::D2,
        Shape::D2,
        Shape::D3,
        Shape::Cube,
        Shape::D1Array,
        Shape::D2Array,
        Shape::CubeArray,
    ];
    const SOURCES: [Source; 6] = [Source::Zero, Source::One, Source::Red, Source::Green, Source::Blue, Source::Alpha];
    let same = rng.one_in(2);
    let magnify = rng.pick(&FILTERS);
    let unnormalized = rng.one_in(8);
    TextureKey {
        shape: rng.pick(&SHAPES),
        texels: rng.pick(&[Texels::Float4, Texels::Float4, Texels::Srgb8, Texels::Rgba8, Texels::Rgba8, Texels::Rgba8]),
        unnormalized,
        wrap: [(); 3].map(|()| rng.pick(&Wrap::ALL)),
        magnify,
        minify: if same { magnify } else { rng.pick(&FILTERS) },
        mipmap: (!rng.one_in(3) && !unnormalized).then(|| rng.pick(&FILTERS)),
        compare: rng.one_in(6).then(|| rng.pick(&Compare::ALL)),
        swizzle: if rng.one_in(2) {
            [Source::Red, Source::Green, Source::Blue, Source::Alpha]
        } else {
            [(); 4].map(|()| rng.pick(&SOURCES))
        },
        convert: if rng.one_in(3) { [(); 4].map(|()| rng.pick(&Convert::ALL)) } else { [Convert::None; 4] },
        expanded: [(); 4].map(|()| rng.pick(&Convert::ALL)),
        seamless: false,
        clamp_reference: false,
        alpha_kill: rng.one_in(12),
        reduction: Reduction::Average,
        anisotropy: 1,
        rounding: rng.pick(&[Rounding::None, Rounding::Coordinates, Rounding::Subtexels, Rounding::Subtexels]),
        accuracy: Accuracy::Exact,
        power_of_two: false,
    }
}

pub fn texture(rng: &mut Random, key: &TextureKey) -> TextureData {
    let power = rng.one_in(2);
    let size = |rng: &mut Random| if power { 1 << rng.below(6) } else { 1 + rng.below(20) };
    let (width, height, depth) = match key.shape {
        Shape::D1 | Shape::D1Array => (size(rng), 1, 1),
        Shape::D3 => (size(rng), size(rng), 1 + rng.below(8)),
        Shape::Cube | Shape::CubeArray => {
            let side = size(rng);
            (side, side, 1)
        }
        _ => (size(rng), size(rng), 1),
    };
    let depth = if power { u32::next_power_of_two(depth) } else { depth };
    let layers = match key.shape {
        Shape::Cube => 6,
        Shape::CubeArray => 12,
        Shape::D1Array | Shape::D2Array => 1 + rng.below(3),
        _ => 1,
    };
    let level_count = if key.unnormalized { 1 } else { 1 + rng.below(5) };
    let mut levels = [Level::default(); LEVELS];
    let mut offset = rng.below(2) * 3;
    for (i, level) in levels.iter_mut().enumerate() {
        let shift = (i as u32).min(level_count - 1);
        let part = |v: u32| (v >> shift).max(1);
        *level = Level { offset, width: part(width), height: part(height), depth: part(depth) };
        if (i as u32) + 1 < level_count {
            offset += level.width * level.height * level.depth;
        }
    }
    let last = levels[level_count as usize - 1];
    let layer_texels = last.offset + last.width * last.height * last.depth + rng.below(3);
    let words = (layer_texels * layers) as usize * key.texels.words() + PADDING;
    let wild = rng.one_in(8);
    let texels = (0..words)
        .map(|_| match key.texels {
            Texels::Rgba8 | Texels::Srgb8 => rng.word() & if rng.one_in(8) { 0x00FF_FFFF } else { u32::MAX },
            Texels::Float4 if wild => rng.float().to_bits(),
            Texels::Float4 => (rng.unit() * 3.0).to_bits(),
        })
        .collect();
    let border = match key.texels {
        Texels::Rgba8 => [(); 4].map(|()| rng.below(256) as f32),
        Texels::Srgb8 | Texels::Float4 => [(); 4].map(|()| rng.unit()),
    };
    let lod_min = rng.below(3) as f32 * 0.75;
    let texture = Texture {
        layer_texels,
        layers,
        level_count,
        levels,
        lod_bias: rng.unit() * 2.0,
        lod_min: if rng.one_in(2) { 0.0 } else { lod_min },
        lod_max: if rng.one_in(4) { lod_min } else { 12.0 },
        border,
        ..Texture::default()
    };
    TextureData { texels, texture }
}

impl TextureData {
    pub fn texture(&self) -> Texture<'_> {
        Texture { texels: &self.texels, ..self.texture }
    }
}

fn plane(rng: &mut Random, wild: bool) -> Plane {
    if wild {
        return [rng.float(), rng.float(), rng.float()];
    }
    let scale = rng.pick(&[0.0, 0.01, 0.1, 1.0]);
    [rng.unit() * 2.0, rng.unit() * scale, rng.unit() * scale]
}

impl Case {
    pub fn new(seed: u64, options: Options) -> Case {
        let rng = &mut Random::new(seed);
        let mut words = program(&mut || rng.word(), options);
        let program_constants = constants(&words).map(|bits| bits.map(f32::from_bits)).collect();
        let listing = triglyph_guest::rsx::fragment::disassemble_program(&words);
        clear_constants(&mut words);
        let code = RsxFragmentCode {
            code: words,
            inputs: [(); 16].map(|()| input(rng)),
            export_float: rng.one_in(2),
            export_depth: rng.one_in(6),
            accuracy: if rng.one_in(2) { Accuracy::Exact } else { Accuracy::Fast },
        };
        let mut textures = Vec::new();
        let mut keys = [None; UNITS];
        for unit in &mut keys {
            let key = texture_key(rng);
            textures.push(texture(rng, &key));
            *unit = (!rng.one_in(12)).then_some(key);
        }
        let key = FragmentKey {
            code: FragmentCode::Rsx(Arc::new(code)),
            textures: keys,
            output: output_key(rng),
            samples: Samples::ONE,
        };
        let mut case = Case {
            key,
            constants: fragment_constants(rng),
            program_constants,
            textures,
            primitives: Vec::new(),
            planes: Vec::new(),
            blocks: Vec::new(),
            memory: Vec::new(),
            surfaces: [(0, 0); TARGETS + 1],
            listing,
        };
        case.geometry(rng);
        case.place(rng);
        case
    }

    fn geometry(&mut self, rng: &mut Random) {
        let corner = [rng.below(2) * 32, rng.below(2) * 32];
        for _ in 0..1 + rng.below(3) {
            let wild = rng.one_in(12);
            let origin = corner.map(|c| c as i32 + rng.below(40) as i32 - 4);
            let mut inv_w = plane(rng, wild);
            if !wild {
                inv_w = [inv_w[0].abs() + 0.2, inv_w[1] * 0.01, inv_w[2] * 0.01];
            }
            let depth = [rng.unit() * 0.5 + 0.5, rng.unit() * 0.02, rng.unit() * 0.02];
            self.primitives.push(Primitive {
                origin,
                depth: if rng.one_in(16) { plane(rng, true) } else { depth },
                depth_offset: rng.unit() * 0.1 - 0.05,
                inv_w,
                first_plane: self.planes.len() as u32,
                flags: rng.below(2),
            });
            for _ in 0..4 * GROUPS {
                let wild = rng.one_in(64);
                self.planes.push(plane(rng, wild));
            }
        }
        for _ in 0..1 + rng.below(5) {
            let coverage = match rng.below(4) {
                0 => u64::MAX,
                1 => u64::from(rng.word()) << 32 | u64::from(rng.word()),
                2 => 0xFFFF_0F0F_00FF_F000u64.rotate_left(rng.below(64)),
                _ => u64::MAX << rng.below(64),
            };
            self.blocks.push(PixelBlock {
                primitive: rng.below(self.primitives.len() as u32),
                x: (corner[0] + 8 * rng.below(4)) as u16,
                row: (corner[1] + 8 * rng.below(4)) as u16,
                coverage,
            });
        }
    }

    /// Puts the surfaces of 64x64 pixels into memory.
    fn place(&mut self, rng: &mut Random) {
        let mut at = 0;
        let layouts: Vec<Option<(SurfaceLayout, u32)>> = (self.key.output.colors.iter())
            .map(|color| color.map(|c| (c.layout, u32::from(c.format.bytes))))
            .chain([self.key.output.depth.map(|d| (d.layout, d.format.bytes()))])
            .collect();
        for (surface, layout) in self.surfaces.iter_mut().zip(layouts) {
            let Some((layout, bytes)) = layout else { continue };
            let (pitch, size) = match layout {
                SurfaceLayout::Pitch => {
                    let pitch = 64 * bytes + rng.below(3) * 16;
                    (pitch, 64 * pitch)
                }
                SurfaceLayout::Swizzled { log2_width, log2_height } => (0, bytes << (log2_width + log2_height)),
                SurfaceLayout::BlockLinear { log2_gobs } => {
                    let across = bytes + rng.below(2);
                    (across, across * (64 << log2_gobs).max(64) * 64)
                }
                SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => {
                    let across = bytes + rng.below(2);
                    (across, (across * (64 << log2_gobs) * 64) << log2_slices)
                }
            };
            *surface = (at, pitch);
            at += size as usize;
        }
        self.memory = (0..at + 64).map(|_| rng.word() as u8).collect();
        if rng.one_in(3) {
            // Depths and colours that are not all different.
            let byte = rng.pick(&[0, 0x3C, 0xFF]);
            self.memory.fill(byte);
        }
    }

    /// Runs a kernel on a copy of the memory.
    pub fn run(&self, kernel: &dyn FragmentKernel) -> Result<(Vec<u8>, u64), Unsupported> {
        let memory: Vec<AtomicU8> = self.memory.iter().map(|&b| AtomicU8::new(b)).collect();
        let surface = |(offset, pitch): (usize, u32)| Surface { window: Window::new(&memory).from(offset), pitch };
        let colors: [Surface<'_>; TARGETS] = std::array::from_fn(|i| surface(self.surfaces[i]));
        let textures: [Texture<'_>; UNITS] = std::array::from_fn(|i| self.textures[i].texture());
        let passed = kernel.shade(&FragmentJob {
            survivors: &[],
            colors: &colors,
            depth: surface(self.surfaces[TARGETS]),
            constants: &self.constants,
            program_constants: &self.program_constants,
            textures: &textures,
            environment: Environment::NONE,
            primitives: &self.primitives,
            planes: &self.planes,
            blocks: &self.blocks,
        })?;
        Ok((memory.into_iter().map(AtomicU8::into_inner).collect(), passed))
    }

    /// A report of how two results differ.
    pub fn compare(&self, got: &(Vec<u8>, u64), want: &(Vec<u8>, u64)) -> Option<String> {
        if got == want {
            return None;
        }
        let mut text = format!("{} samples passed, not {}\n", got.1, want.1);
        let differing: Vec<usize> = (0..got.0.len()).filter(|&i| got.0[i] != want.0[i]).collect();
        let _ = writeln!(text, "{} bytes differ", differing.len());
        for &at in differing.iter().take(12) {
            let surface = (0..=TARGETS).rfind(|&i| self.surfaces[i].0 <= at && self.uses(i)).unwrap_or(0);
            let _ = writeln!(
                text,
                "surface {surface}, byte {:#x}: {:02x}, not {:02x} (was {:02x})",
                at - self.surfaces[surface].0,
                got.0[at],
                want.0[at],
                self.memory[at]
            );
        }
        let _ = writeln!(text, "{}", self.listing);
        let Some(code) = self.key.code.rsx() else { return Some(text) };
        for unit in (0..UNITS).filter(|unit| {
            self.listing.contains(&format!("tex{unit}\n")) || self.listing.contains(&format!("tex{unit} "))
        }) {
            let texture = &self.textures[unit].texture;
            let levels = &texture.levels[..texture.level_count as usize];
            let _ = writeln!(text, "tex{unit} {:?}", self.key.textures[unit]);
            let _ = writeln!(
                text,
                "  {} layers, {levels:?} lod {} {} {}",
                texture.layers, texture.lod_bias, texture.lod_min, texture.lod_max
            );
        }
        let _ = writeln!(text, "depth {} float {} inputs {:?}", code.export_depth, code.export_float, code.inputs);
        let output = &self.key.output;
        for (number, color) in output.colors.iter().enumerate().filter(|(_, color)| color.is_some()) {
            let _ = writeln!(text, "color {number}: {color:?}");
        }
        let _ = writeln!(text, "depth {:?}", output.depth);
        let _ = writeln!(
            text,
            "alpha test {:?}, logic {:?}, sRGB {}, alpha to one {}, share {:?}",
            output.alpha_test, output.logic, output.encode_srgb, output.alpha_to_one, output.share
        );
        let _ = writeln!(text, "{:?}\nconstants {:?}", self.blocks, self.constants);
        Some(text)
    }

    /// The same without output stages: all results of the program as floats.
    pub fn bare(mut self) -> Case {
        let format = ColorFormat { bytes: 16, swap: 1, channels: [0, 32, 64, 96].map(|shift| float(shift, 32)) };
        let color = ColorKey { format, layout: SurfaceLayout::Pitch, source: 0, mask: 15, blend: None };
        let output = &mut self.key.output;
        output.colors = std::array::from_fn(|i| (i < 4).then_some(ColorKey { source: i as u8, ..color }));
        (output.depth, output.alpha_test, output.encode_srgb) = (None, Compare::Always, false);
        (output.alpha_to_one, output.logic, output.share) = (false, None, None);
        self.surfaces = std::array::from_fn(|i| (i.min(3) * 0x10000, 64 * 16));
        self.memory = vec![0; 4 * 0x10000];
        self
    }

    /// The first pixel in which bare results differ.
    pub fn first_difference(&self, got: &(Vec<u8>, u64), want: &(Vec<u8>, u64)) -> String {
        let mut text = String::new();
        let pixels = got.0.as_chunks::<16>().0.iter().zip(want.0.as_chunks::<16>().0).enumerate();
        let Some((at, _)) = pixels.filter(|(_, (a, b))| a != b).min_by_key(|(at, _)| at % 0x1000) else {
            return "the program's results are the same".into();
        };
        let at = at % 0x1000;
        let _ = writeln!(text, "pixel {}, {}", at % 64, at / 64);
        for output in 0..4 {
            for (name, result) in [("got ", got), ("want", want)] {
                let bytes = result.0[output * 0x10000 + 16 * at..][..16].as_chunks::<4>().0;
                let values: Vec<f32> = bytes.iter().map(|&b| f32::from_le_bytes(b)).collect();
                let bits: Vec<String> = bytes.iter().map(|&b| format!("{:08x}", u32::from_le_bytes(b))).collect();
                let _ = writeln!(text, "output {output} {name} {values:?} {bits:?}");
            }
        }
        text
    }

    fn uses(&self, surface: usize) -> bool {
        match self.key.output.colors.get(surface) {
            Some(color) => color.is_some(),
            None => self.key.output.depth.is_some(),
        }
    }
}

fn fragment_constants(rng: &mut Random) -> FragmentConstants {
    let low = if rng.one_in(4) { 0.25 } else { 0.0 };
    let side = |rng: &mut Random| StencilConstants {
        reference: rng.below(256),
        mask: if rng.one_in(2) { 255 } else { rng.below(256) },
        write_mask: if rng.one_in(2) { 255 } else { rng.below(256) },
    };
    FragmentConstants {
        output: OutputConstants {
            alpha_reference: rng.unit(),
            blend: [(); 4].map(|()| rng.unit() * 1.5),
            depth_range: [low, if rng.one_in(4) { 0.75 } else { 1.0 }],
            depth_bounds: [rng.unit() * 0.5 + 0.25, rng.unit() * 0.5 + 0.75],
            stencil: [side(rng), side(rng)],
        },
        position_offset: [0.5, 0.5],
        position_scale_y: if rng.one_in(2) { 1.0 } else { -1.0 },
        fog: [rng.unit() * 2.0, rng.unit()],
        sample_offsets: [[0.0; 2]; MAX_SAMPLES],
    }
}
