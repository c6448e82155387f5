//! Random fragment keys and scenes for differential tests.

use crate::kernel::Accuracy;
use crate::kernel::program::environment::Environment;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::FragmentKernel;
use super::fragment::{
    BACK_FACING, FogMode, FragmentCode, FragmentConstants, FragmentInput, FragmentJob, FragmentKey, Interpolation,
    MAX_SAMPLES, PixelBlock, Plane, Primitive, RsxFragmentCode, Samples, UNITS,
};
use super::output::{Surface, TARGETS};
use super::random_output;
use super::random_texture::{self, RandomTexture};
use super::sampler::TextureKey;
use crate::kernel::divided::Survivors;
use crate::kernel::random::Random;
use crate::kernel::unsupported::Unsupported;
use crate::kernel::window::{Window, buffer};
use crate::layout::SurfaceLayout;
use crate::rsx::fragment::random::{self, Options};
use crate::rsx::fragment::{disassemble_program, program};

/// Groups of planes of a primitive.
const GROUPS: u32 = 11;

/// A state, a scene and the memory they work on.
#[derive(Clone, Debug)]
pub struct RandomFragment {
    /// The state.
    pub key: FragmentKey,
    /// The values that go with it.
    pub constants: FragmentConstants,
    /// Inline constants.
    pub program_constants: Vec<[f32; 4]>,
    textures: [Option<RandomTexture>; UNITS],
    /// The scene.
    pub primitives: Vec<Primitive>,
    planes: Vec<Plane>,
    /// Blocks in submission order, one for each sample.
    pub blocks: Vec<PixelBlock>,
    colors: [Memory; TARGETS],
    depth: Memory,
}

/// The initial content of a target, and its pitch.
#[derive(Clone, Debug, Default)]
struct Memory {
    bytes: Vec<u8>,
    pitch: u32,
}

/// The results of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surfaces {
    /// Colour targets.
    pub colors: Vec<Vec<u8>>,
    /// The depth target.
    pub depth: Vec<u8>,
    /// Samples that passed.
    pub passed: u64,
    /// The pixels of each block that passed all tests, of kernels that tell them.
    pub survivors: Vec<u64>,
}

/// A copy of the targets.
struct Targets {
    colors: Vec<Vec<AtomicU8>>,
    depth: Vec<AtomicU8>,
}

impl Targets {
    fn of(case: &RandomFragment) -> Targets {
        Targets {
            colors: case.colors.iter().map(|memory| buffer(&memory.bytes)).collect(),
            depth: buffer(&case.depth.bytes),
        }
    }

    fn surfaces(self, passed: u64, survivors: Vec<u64>) -> Surfaces {
        let plain = |bytes: Vec<AtomicU8>| bytes.into_iter().map(AtomicU8::into_inner).collect();
        Surfaces { colors: self.colors.into_iter().map(plain).collect(), depth: plain(self.depth), passed, survivors }
    }
}

impl RandomFragment {
    /// A random case with a program as `options` say, [`Options::textures`] aside; fragments are discarded in a quarter
    /// of the cases at most. `word` gives 32 random bits a call.
    pub fn new(word: &mut impl FnMut() -> u32, options: Options) -> Self {
        let (keys, textures) = units(&mut Random { word: &mut *word });
        // Units without a texture are read now and then.
        let present = keys.iter().enumerate().fold(0, |set, (i, key)| set | u16::from(key.is_some()) << i);
        let units = if word().is_multiple_of(4) { u16::MAX } else { present };
        let kill = options.kill && word().is_multiple_of(4);
        let mut code = random::program(word, Options { textures: units, kill, ..options });
        let program_constants: Vec<_> = program::constants(&code).map(|words| words.map(f32::from_bits)).collect();
        program::clear_constants(&mut code);

        let r = &mut Random { word };
        let [one, two, four] = [Samples::ONE, Samples { across: 2, down: 1 }, Samples { across: 2, down: 2 }];
        let [eight, sixteen] = [2, 4].map(|down| Samples { across: 4, down });
        let several = r.pick(&[two, two, four, four, eight, sixteen]);
        let samples = if r.one_in(6) { several } else { one };
        let log2_blocks = blocks(r);
        let log2 = edges(log2_blocks, samples);
        let output = random_output::key(r, log2, samples);
        let code = RsxFragmentCode {
            code,
            inputs: [(); 16].map(|()| input(r)),
            export_float: r.one_in(2),
            export_depth: r.one_in(6),
            accuracy: if r.one_in(2) { Accuracy::Exact } else { Accuracy::Fast },
        };
        let key = FragmentKey { code: FragmentCode::Rsx(Arc::new(code)), textures: keys, output, samples };
        Self::with(r, log2_blocks, (key, program_constants, textures))
    }

    /// A random scene for a key, whose program reads a few constants at most.
    pub fn of(word: &mut impl FnMut() -> u32, key: FragmentKey) -> Self {
        let r = &mut Random { word };
        let program_constants = (0..16).map(|_| [(); 4].map(|()| r.float(-2.0, 2.0))).collect();
        let textures = key.textures.each_ref().map(|key| key.map(|key| random_texture::texture(r, &key)));
        let log2_blocks = blocks(r);
        Self::with(r, log2_blocks, (key, program_constants, textures))
    }

    fn with<R: FnMut() -> u32>(
        r: &mut Random<'_, R>,
        log2_blocks: [u8; 2],
        (key, program_constants, textures): (FragmentKey, Vec<[f32; 4]>, [Option<RandomTexture>; UNITS]),
    ) -> Self {
        let log2 = edges(log2_blocks, key.samples);
        let colors = key
            .output
            .colors
            .map(|target| target.map_or_else(Memory::default, |t| memory(r, t.layout, t.format.bytes.into(), log2)));
        let depth = key.output.depth.map_or_else(Memory::default, |d| memory(r, d.layout, d.format.bytes(), log2));
        let (primitives, planes, blocks) = Default::default();
        let constants = constants(r);
        let mut case =
            RandomFragment { key, constants, program_constants, textures, primitives, planes, blocks, colors, depth };
        for _ in 0..1 + r.below(4) {
            case.add_primitive(r, log2_blocks);
        }
        case
    }

    fn add_primitive<R: FnMut() -> u32>(&mut self, r: &mut Random<'_, R>, log2_blocks: [u8; 2]) {
        let index = self.primitives.len() as u32;
        let perspective = r.one_in(2);
        let plane = |r: &mut Random<'_, R>, low, high, slope: f32| -> Plane {
            [r.float(low, high), r.float(-slope, slope), r.float(-slope, slope)]
        };
        self.primitives.push(Primitive {
            origin: [r.below(40) as i32 - 8, r.below(24) as i32 - 8],
            depth: plane(r, 0.0, 1.0, 0.02),
            depth_offset: r.float(-0.1, 0.1),
            inv_w: if perspective { plane(r, 0.3, 2.0, 0.01) } else { [1.0, 0.0, 0.0] },
            first_plane: self.planes.len() as u32,
            flags: if r.one_in(2) { BACK_FACING } else { 0 },
        });
        for _ in 0..GROUPS {
            let (scale, slope) = r.pick(&[(1.0, 0.05), (1.0, 0.05), (1.0, 0.5), (4.0, 0.01), (30.0, 2.0)]);
            for _ in 0..4 {
                self.planes.push(plane(r, -0.2 * scale, scale, slope));
            }
        }
        let [across, down] = log2_blocks.map(|log2| 1u16 << log2);
        for (x, row) in (0..down).flat_map(|row| (0..across).map(move |x| (8 * x, 8 * row))) {
            for _ in 0..self.key.samples.count() {
                let random = u64::from(r.word()) << 32 | u64::from(r.word());
                let coverage = match r.below(5) {
                    0 => u64::MAX,
                    1 => 0,
                    2 => random & (u64::from(r.word()) << 32 | u64::from(r.word())),
                    _ => random,
                };
                self.blocks.push(PixelBlock { primitive: index, x, row, coverage });
            }
        }
    }

    /// Runs `kernel` on a fresh copy of the memory.
    ///
    /// # Errors
    /// The kernel refuses the job.
    pub fn run(&self, kernel: &dyn FragmentKernel) -> Result<Surfaces, Unsupported> {
        let targets = Targets::of(self);
        let (passed, survivors) = self.shade(kernel, &targets, &self.blocks)?;
        Ok(targets.surfaces(passed, if self.key.output.tells_survivors { survivors } else { Vec::new() }))
    }

    /// Runs the kernels of a divided key, one after the other, on a fresh copy of the memory.
    ///
    /// # Errors
    /// A kernel refuses its job.
    pub fn run_divided(
        &self,
        tests: Option<&dyn FragmentKernel>,
        shading: Option<&dyn FragmentKernel>,
    ) -> Result<Surfaces, Unsupported> {
        let targets = Targets::of(self);
        let mut blocks = self.blocks.clone();
        if let Some(tests) = tests {
            let (_, survivors) = self.shade(tests, &targets, &blocks)?;
            blocks.iter_mut().zip(survivors).for_each(|(block, survivors)| block.coverage = survivors);
        }
        let passed = match shading {
            Some(shading) => self.shade(shading, &targets, &blocks)?.0,
            None => blocks.iter().map(|block| u64::from(block.coverage.count_ones())).sum(),
        };
        Ok(targets.surfaces(passed, Vec::new()))
    }

    /// Runs `kernel`. Returns how many samples have passed, and what it tells of survivors.
    fn shade(
        &self,
        kernel: &dyn FragmentKernel,
        targets: &Targets,
        blocks: &[PixelBlock],
    ) -> Result<(u64, Vec<u64>), Unsupported> {
        let surface = |bytes, pitch| Surface { window: Window::new(bytes), pitch };
        let colors = std::array::from_fn(|i| surface(&targets.colors[i], self.colors[i].pitch));
        let survivors: Vec<Survivors> = blocks.iter().map(|_| Survivors::default()).collect();
        let passed = kernel.shade(&FragmentJob {
            survivors: &survivors,
            colors: &colors,
            depth: surface(&targets.depth, self.depth.pitch),
            constants: &self.constants,
            program_constants: &self.program_constants,
            textures: &random_texture::textures(&self.textures),
            environment: Environment::NONE,
            primitives: &self.primitives,
            planes: &self.planes,
            blocks,
        })?;
        Ok((passed, survivors.iter().map(Survivors::coverage).collect()))
    }

    /// Where two results differ, side by side; `None` when they are equal.
    pub fn compare(&self, names: [&str; 2], results: [&Surfaces; 2]) -> Option<String> {
        if results[0] == results[1] {
            return None;
        }
        let mut report = disassemble_program(&self.code_with_constants());
        let _ = writeln!(report, "{:?}\n{:#?}", self.key.textures, self.key.output);
        if let Some(code) = self.key.code.rsx() {
            let _ = writeln!(report, "{:?}", code.inputs);
            let _ = writeln!(report, "float {}, depth {}", code.export_float, code.export_depth);
        }
        let _ = writeln!(report, "{:?}\n{:#?}", self.key.samples, self.constants);
        let _ = writeln!(report, "passed: {} {}, {} {}", names[0], results[0].passed, names[1], results[1].passed);
        for target in 0..TARGETS {
            let bytes = self.key.output.colors[target].map_or(1, |key| usize::from(key.format.bytes));
            let pair = results.map(|result| &result.colors[target][..]);
            differences(&mut report, &format!("colour {target}"), bytes, &self.colors[target].bytes, names, pair);
        }
        let bytes = self.key.output.depth.map_or(1, |key| key.format.bytes() as usize);
        let pair = results.map(|result| &result.depth[..]);
        differences(&mut report, "depth", bytes, &self.depth.bytes, names, pair);
        Some(report)
    }
}

impl RandomFragment {
    /// The program with its constants in place.
    fn code_with_constants(&self) -> Vec<u32> {
        let Some(code) = self.key.code.rsx() else { return Vec::new() };
        let mut words = code.code.clone();
        for step in program::Program::decode(&code.code, |_, _| {}).code {
            let Some(constant) = step.constant.and_then(|i| self.program_constants.get(usize::from(i))) else {
                continue;
            };
            let place = words.get_mut(4 * usize::from(step.slot) + 4..).unwrap_or_default();
            for (word, value) in place.iter_mut().zip(constant) {
                *word = value.to_bits();
            }
        }
        words
    }
}

/// The first pixels in which two surfaces differ.
fn differences(report: &mut String, what: &str, bytes: usize, before: &[u8], names: [&str; 2], results: [&[u8]; 2]) {
    let pixels = before.chunks(bytes).zip(results[0].chunks(bytes)).zip(results[1].chunks(bytes)).enumerate();
    for (index, ((before, a), b)) in pixels.filter(|(_, ((_, a), b))| a != b).take(12) {
        let _ = writeln!(
            report,
            "{what}, byte {:#x}: before {before:02x?}, {} {a:02x?}, {} {b:02x?}",
            index * bytes,
            names[0],
            names[1]
        );
    }
}

/// The size of a scene, log2 of blocks across and down.
fn blocks<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> [u8; 2] {
    [r.below(3) as u8, r.below(2) as u8]
}

/// Edges of its surfaces, log2.
fn edges(log2_blocks: [u8; 2], samples: Samples) -> [u8; 2] {
    let log2_samples = [samples.across, samples.down].map(|n| n.trailing_zeros() as u8);
    [0, 1].map(|axis| 3 + log2_blocks[axis] + log2_samples[axis])
}

type Units = ([Option<TextureKey>; UNITS], [Option<RandomTexture>; UNITS]);

fn units<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> Units {
    let (mut keys, mut textures): Units = Default::default();
    for _ in 0..r.below(5) {
        let unit = r.below(UNITS as u32) as usize;
        let (key, texture) = random_texture::unit(r);
        (keys[unit], textures[unit]) = (Some(key), Some(texture));
    }
    (keys, textures)
}

fn input<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> FragmentInput {
    // The last group does not exist.
    let group = if r.one_in(400) { GROUPS as u8 } else { r.below(GROUPS) as u8 };
    let mode =
        r.pick(&[FogMode::Linear, FogMode::LinearAbs, FogMode::Exp, FogMode::ExpAbs, FogMode::Exp2, FogMode::Exp2Abs]);
    match r.below(16) {
        0 => FragmentInput::Zero,
        1 => FragmentInput::Position,
        2 => FragmentInput::Varying2d { group },
        3 => FragmentInput::Fog { group, mode },
        4 => FragmentInput::PointCoordinate { group, two_dimensional: r.one_in(2) },
        5 => FragmentInput::Facing,
        _ => {
            let interpolation =
                r.pick(&[Interpolation::Perspective, Interpolation::Perspective, Interpolation::Linear]);
            FragmentInput::Varying { group, interpolation, clamp: r.one_in(4) }
        }
    }
}

fn constants<R: FnMut() -> u32>(r: &mut Random<'_, R>) -> FragmentConstants {
    FragmentConstants {
        output: random_output::constants(r),
        position_offset: [r.pick(&[0.0, 0.5]), r.pick(&[0.0, 0.5, 719.5])],
        position_scale_y: r.pick(&[1.0, -1.0]),
        fog: [r.float(-1.0, 2.0), r.float(-1.0, 1.0)],
        sample_offsets: [(); MAX_SAMPLES].map(|()| [r.between(-0.5, 0.5), r.between(-0.5, 0.5)]),
    }
}

/// Random contents of a surface of 2^`log2` pixels, now and then too short.
fn memory<R: FnMut() -> u32>(r: &mut Random<'_, R>, layout: SurfaceLayout, bytes: u32, log2: [u8; 2]) -> Memory {
    let [width, height] = log2.map(|log2| 1u32 << log2);
    let (pitch, size) = match layout {
        SurfaceLayout::Pitch => {
            let pitch = width * bytes + r.pick(&[0, 0, 64, 4]);
            (pitch, pitch * height)
        }
        SurfaceLayout::Swizzled { .. } => (0, width * height * bytes),
        SurfaceLayout::BlockLinear { log2_gobs } => {
            let gobs = (width * bytes).div_ceil(64);
            let rows = height.div_ceil(8 << log2_gobs) << log2_gobs;
            (gobs, gobs * rows * 512)
        }
        SurfaceLayout::BlockSlice { log2_gobs, log2_slices } => {
            let gobs = (width * bytes).div_ceil(64);
            let rows = height.div_ceil(8 << log2_gobs) << (log2_gobs + log2_slices);
            (gobs, gobs * rows * 512)
        }
    };
    let size = if r.one_in(48) { r.below(size + 1) } else { size };
    let flat = r.one_in(2).then(|| r.word().to_le_bytes());
    let bytes = (0..size as usize).map(|i| flat.map_or_else(|| r.word() as u8, |f| f[i % 4])).collect();
    Memory { bytes, pitch }
}
