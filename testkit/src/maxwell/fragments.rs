//! Random pixel programs in random scenes, on both tiers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode, SAMPLES_BY_PLACE};
use triglyph_guest::kernel::program::FragmentKernel;
use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentJob, FragmentKey};
use triglyph_guest::kernel::program::random_fragment::{RandomFragment, Surfaces};
use triglyph_guest::kernel::{Unsupported, window};
use triglyph_guest::rsx::fragment::random::Options as RsxOptions;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, program};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

use crate::random::Random;

use super::units::{ImageMemory, Units};
use super::{CLOCK, Memory, Outcome, accuracy, listing, tame, windows};

const PLAIN: RsxOptions = RsxOptions { length: 1, ..RsxOptions::PLAIN };

const REGISTERS: u8 = 16;

/// A kernel with an environment put around its jobs.
struct Surrounded<'a> {
    kernel: &'a dyn FragmentKernel,
    case: &'a Case,
    image_memory: &'a ImageMemory,
    memory: &'a Memory,
    exhausted: &'a AtomicU32,
    excess: &'a AtomicU64,
    reserve: &'a AtomicU32,
}

impl FragmentKernel for Surrounded<'_> {
    fn shade(&self, job: &FragmentJob<'_>) -> Result<u64, Unsupported> {
        let &Surrounded { case: Case { units, constants, .. }, memory, exhausted, excess, reserve, .. } = self;
        let environment = Environment {
            constants: &windows(constants),
            textures: &units.job_textures(),
            images: &units.job_images(self.image_memory),
            handles: &units.handles,
            memory,
            clock: CLOCK,
            exhausted,
            excess,
            reserve,
            ..Environment::NONE
        };
        self.kernel.shade(&FragmentJob { environment, ..*job })
    }
}

/// Instructions that fill the registers from inputs.
fn prologue(rng: &mut Random) -> String {
    let mut text = String::new();
    for n in 0..REGISTERS {
        let word = match rng.word() % 8 {
            0 => 0x70 + 4 * (rng.word() % 4),
            1 => 0x3FC,
            _ => 0x80 + 4 * (rng.word() % 40),
        };
        let mode = ["pass", "pass", "constant", "mul"][rng.word() as usize % 4];
        text.push_str(&format!("ipa.{mode} r{n}, a[rz+{word:#x}], r{}, rz, pt\n", rng.word() % 16));
    }
    text.push_str("lop.xor r20, pt, r3, r5\nr2p r20, 0x7f, 0x0\nr2p.to_cc r20, 0xf, 0x1\n");
    while !text.lines().count().is_multiple_of(3) {
        text.push_str("mov r21, rz, 0xf\n");
    }
    text
}

/// Effects of a run.
struct Left {
    surfaces: Surfaces,
    memory: Vec<u8>,
    images: Vec<Vec<u8>>,
    /// Quads without end, instructions in excess, units of the reserve that are left.
    fuel: (u32, u64, u32),
}

struct Case {
    scene: RandomFragment,
    units: Units,
    constants: Vec<Vec<std::sync::atomic::AtomicU8>>,
    memory: Vec<u8>,
    words: Vec<u64>,
    /// Units of fuel in reserve.
    reserve: u32,
}

fn tested(op: Op) -> bool {
    let family = op.info().family;
    let plain = matches!(family, "MoveVisitor" | "FloatVisitor" | "IntVisitor" | "LogicVisitor" | "ConvertVisitor");
    plain
        || family == "VideoVisitor"
        || family == "TextureVisitor"
        || matches!(op, Op::ipa | Op::pixld | Op::shfl | Op::vote | Op::ldc | Op::ldl | Op::stl)
}

fn with_memory(op: Op) -> bool {
    tested(op) || matches!(op.info().family, "MemoryVisitor" | "SurfaceVisitor")
}

impl Case {
    fn new(seed: u64) -> Case {
        let mut rng = Random::new(seed);
        let mut scene = RandomFragment::new(&mut || rng.word(), PLAIN);
        let units = Units::new(6, 2, &mut || rng.word());
        let allowed: &dyn Fn(Op) -> bool = if rng.word().is_multiple_of(4) { &with_memory } else { &tested };
        let textures_only: &dyn Fn(Op) -> bool =
            &|op| tested(op) && op.info().family == "TextureVisitor" || matches!(op, Op::mov | Op::fadd | Op::ipa);
        let options = Options {
            allowed: if rng.word().is_multiple_of(4) { textures_only } else { allowed },
            length: 12 + rng.word() as usize % 20,
            registers: REGISTERS,
            constant_buffers: 3,
            ragged: rng.word().is_multiple_of(8),
            ..Options::default()
        };
        let mut body = program(&mut || rng.word(), options);
        for (_, word) in body.iter_mut().enumerate().filter(|(n, _)| n % 4 != 0) {
            *word = tame(*word);
            if decode(*word).is_some_and(|op| op.info().family != "ControlVisitor") && rng.word().is_multiple_of(40) {
                // KIL where a predicate holds.
                *word = 0xE330_0000_0000_000F | u64::from(rng.word() % 7) << 16;
            }
        }
        let mut words = assemble_program(&prologue(&mut rng)).expect("a prologue");
        words.extend(&body);
        let uses = units.uses(&words, &mut || rng.word());
        let inputs = (0x20..0x48).filter(|_| !rng.word().is_multiple_of(8)).collect::<Vec<u8>>();
        let inputs = inputs
            .into_iter()
            .map(|word| PixelInput {
                word,
                plane: (rng.word() % 44) as u16,
                mode: [PixelMode::Constant, PixelMode::Perspective, PixelMode::Linear][rng.word() as usize % 3],
            })
            .collect();
        let code = PixelCode {
            code: Arc::new(Code {
                words: words.clone(),
                units: uses,
                local_bytes: 32,
                accuracy: accuracy(&mut rng),
                ..Code::default()
            }),
            textures: units.texture_keys(),
            images: units.image_keys(),
            inputs,
            targets: if rng.word().is_multiple_of(4) { rng.word() } else { 0xFFFF },
            sample_mask: rng.word().is_multiple_of(6),
            depth: rng.word().is_multiple_of(6),
            kills: !rng.word().is_multiple_of(4),
            per_sample: rng.word().is_multiple_of(6),
            early_tests: rng.word().is_multiple_of(5),
            sample_numbers: {
                let turned = if rng.word().is_multiple_of(3) { rng.word() as u8 & 15 } else { 0 };
                SAMPLES_BY_PLACE.map(|place| place ^ turned)
            },
        };
        scene.key.code = FragmentCode::Maxwell(Arc::new(code));
        let constants = (0..3).map(|_| {
            let bytes: Vec<u8> = (0..70).flat_map(|_| (rng.word() >> (rng.word() & 31)).to_le_bytes()).collect();
            window::buffer(&bytes)
        });
        let constants = constants.collect();
        let memory = (0..4096).map(|_| rng.word() as u8).collect();
        // None, few, or enough for many quads. A program without an end uses it up, which takes the interpreter long.
        let reserve = [0, 3, 12, 48][seed as usize % 4];
        Case { scene, units, constants, memory, words, reserve }
    }

    fn run(&self, tier: &dyn Tier) -> Result<Left, Unsupported> {
        let kernel = tier.fragment(&self.scene.key)?;
        let memory = Memory::new(self.memory.clone());
        let (exhausted, excess, reserve) = (AtomicU32::new(0), AtomicU64::new(0), AtomicU32::new(self.reserve));
        let image_memory = self.units.memory();
        let surrounded = Surrounded {
            kernel: &*kernel,
            case: self,
            image_memory: &image_memory,
            memory: &memory,
            exhausted: &exhausted,
            excess: &excess,
            reserve: &reserve,
        };
        let surfaces = self.scene.run(&surrounded)?;
        let fuel = (exhausted.into_inner(), excess.into_inner(), reserve.into_inner());
        let memory = memory.into_bytes();
        Ok(Left { surfaces, memory, images: image_memory.bytes(), fuel })
    }
}

/// The key of a random program in a scene.
pub fn key(seed: u64) -> FragmentKey {
    Case::new(seed).scene.key
}

/// A program in a scene.
pub fn check(jit: &Jit, seed: u64) -> Outcome {
    let case = Case::new(seed);
    let got = match case.run(jit) {
        Ok(got) => got,
        Err(unsupported) => return Outcome::Unsupported(unsupported),
    };
    let want = case.run(&Interpreter).expect("the reference supports everything");
    let mut report = String::new();
    if let Some(differs) = case.scene.compare(["jit", "interp"], [&got.surfaces, &want.surfaces]) {
        report.push_str(&differs);
    }
    if got.memory != want.memory || got.images != want.images {
        report.push_str("memory differs\n");
    }
    if got.fuel != want.fuel {
        report.push_str(&format!("exhausted, excess and reserve: {:?}, {:?}\n", got.fuel, want.fuel));
    }
    if !report.is_empty() {
        let dump = match std::env::var_os("TRIGLYPH_DUMP") {
            Some(_) => jit.dump_fragment(&case.scene.key),
            None => String::new(),
        };
        let key = &case.scene.key;
        return Outcome::Different(format!("seed {seed}\n{}\n{report}\n{key:#?}\n{dump}", listing(&case.words)));
    }
    Outcome::Same
}
