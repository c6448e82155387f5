//! Random programs of the stages between vertices and pixels, and of compute, on both tiers.

use std::sync::Arc;

use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{Blocks, Emit, Evaluations, Patches, Primitives, ShaderKey, Stage, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{Unsupported, window};
use triglyph_guest::table::flags;
use triglyph_guest::tegra::shader::assemble_program;
use triglyph_guest::tegra::shader::isa::Op;
use triglyph_guest::tegra::shader::random::{Options, program};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

use crate::random::{Random, seeds};

use super::noted::Noted;
use super::units::Units;
use super::{Effects, Outcome, World, accuracy, all_same, listing, plain, tame};

const REGISTERS: u8 = 12;
const VERTICES: u32 = 3;

/// All that is not the generator's or the test's own.
fn any(op: Op) -> bool {
    !matches!(op.info().family, "ControlVisitor" | "AttributeVisitor")
}

/// Without effects that others see.
fn private(op: Op) -> bool {
    any(op) && (!op.info().has(flags::STORES) || op == Op::stl)
}

/// Accesses of attributes in between, as a stage has them.
fn access(rng: &mut Random, stage: Stage) -> String {
    let reg = rng.below(REGISTERS.into());
    let address = 0x60 + 4 * rng.below(16);
    let vertex = ["rz", "r20", "r21"][rng.below(3) as usize];
    let size = ["", ".w2", ".w3", ".w4"][rng.below(4) as usize];
    let index = ["rz", "rz", "rz", "r20", "r21"][rng.below(5) as usize];
    let load = match rng.below(4) {
        0 => format!("ald.o{size} r{reg}, [{index}+{address:#x}], {vertex}"),
        1 => format!("ald.p{size} r{reg}, [{index}+{:#x}], rz", 4 * rng.below(20)),
        _ => format!("ald{size} r{reg}, [{index}+{address:#x}], {vertex}"),
    };
    match (rng.below(3), stage) {
        (0, Stage::Compute) => "bar.sync 0x0, 0x0, pt".to_owned(),
        (1, Stage::Compute) => {
            let join = ["", ".and", ".or"][rng.below(3) as usize];
            format!("bar.red{join} {:#x}, rz, p{}", rng.below(3), rng.below(7))
        }
        (_, Stage::Compute) => format!("b2r.result r{reg}, pt, rz"),
        (0, _) => load,
        (1, Stage::Geometry) => {
            format!("out.{} r{reg}, rz, {:#x}", ["emit", "cut", "emit_cut"][rng.below(3) as usize], rng.below(4))
        }
        (1, Stage::TessControl) => format!("ast.p{size} r{reg}, [{index}+{:#x}], rz", 4 * rng.below(20)),
        _ => format!("ast{size} r{reg}, [{index}+{address:#x}], rz"),
    }
}

fn code(rng: &mut Random, stage: Stage, units: &Units) -> Code {
    let mut lines = vec!["pexit epilogue".to_owned(), "s2r r20, sr_invocation_id".to_owned()];
    lines.push("mov r21, 0x4, 0xf".to_owned());
    for n in 0..REGISTERS {
        lines.push(match stage {
            Stage::Compute => match n {
                0 => "s2r r0, sr_tid_x".to_owned(),
                1 => "s2r r1, sr_tid_y".to_owned(),
                2 => "s2r r2, sr_laneid".to_owned(),
                3 => "s2r r3, sr_ctaid_z".to_owned(),
                4 => "s2r r4, sr_ltmask".to_owned(),
                5 => "shl r5, r0, 0x2".to_owned(),
                6 => "s2r r6, sr_tid".to_owned(),
                n => format!("ldg.b32 r{n}, [r5+{:#x}]", 0x100 * u32::from(n)),
            },
            _ => format!("ald r{n}, [rz+{:#x}], r20", 0x70 + 4 * u32::from(n)),
        });
    }
    lines.push("lop.xor r22, pt, r0, r7".to_owned());
    lines.push("r2p r22, 0x7f, 0x0".to_owned());
    while !lines.len().is_multiple_of(3) {
        lines.push("mov r23, rz, 0xf".to_owned());
    }
    let allowed: &dyn Fn(Op) -> bool = match (stage, rng.below(4)) {
        (_, 0) => &plain,
        (Stage::Compute, _) | (_, 1) => &any,
        _ => &private,
    };
    let options = Options {
        allowed,
        length: 15 + rng.below(25) as usize,
        registers: REGISTERS,
        ragged: rng.below(8) == 0,
        ..Options::default()
    };
    let body = program(&mut || rng.word(), options);
    for (_, &word) in body.iter().enumerate().filter(|(n, _)| n % 4 != 0) {
        let plain = triglyph_guest::tegra::shader::isa::decode(word).is_some_and(plain);
        // Barriers are where all threads arrive: at the beginning.
        let wanted = if stage == Stage::Compute { 40 } else { 5 };
        lines.push(match plain && rng.below(wanted) == 0 {
            true => access(rng, stage),
            false => format!(".word {:#018x}", tame(word)),
        });
    }
    lines.push("epilogue:".to_owned());
    for n in 0..REGISTERS {
        lines.push(match stage {
            Stage::Compute => format!("stg.b32 r{n}, [r5+{:#x}]", 0x200 * u32::from(n)),
            _ => format!("ast r{n}, [rz+{:#x}], rz", 0x70 + 4 * u32::from(n)),
        });
    }
    if stage == Stage::Geometry {
        lines.push("out.emit_cut r0, rz, 0x0".to_owned());
    }
    lines.push("exit".to_owned());
    let text = lines.join("\n");
    let words = assemble_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let uses = units.uses(&words, &mut || rng.word());
    Code { words, units: uses, local_bytes: 48, accuracy: accuracy(rng), ..Code::default() }
}

/// All effects of a run.
#[derive(Debug, PartialEq)]
struct Left {
    outputs: Vec<u32>,
    patches: Vec<u32>,
    emits: Vec<Emit>,
    memory: Vec<u8>,
    shared: Vec<u8>,
    images: Vec<Vec<u8>>,
    /// Warps without end, and instructions beyond those of the code.
    counted: (u32, u64),
}

struct Case {
    key: ShaderKey,
    world: World,
    threads: [u32; 3],
    instances: u32,
    most: u32,
    count: usize,
}

impl Case {
    fn new(seed: u64, stage: Stage) -> Case {
        let mut rng = Random::new(seed);
        let units = Units::new(3, 3, &mut || rng.word());
        let code = Arc::new(code(&mut rng, stage, &units));
        let mut words = |most: u32| -> WordSet { (0x18..0x38).filter(|_| rng.below(most) != 0).collect() };
        let (inputs, outputs) = (words(6), words(5));
        let key =
            ShaderKey { stage, code, inputs, outputs, textures: units.texture_keys(), images: units.image_keys() };
        let count = 1 + rng.below(6) as usize;
        let constants = (0..2).map(|_| {
            let bytes: Vec<u8> = (0..70).flat_map(|_| (rng.word() >> (rng.word() & 31)).to_le_bytes()).collect();
            window::buffer(&bytes)
        });
        let constants = constants.collect();
        let memory = (0..8192).map(|_| rng.word() as u8).collect();
        let inputs =
            (0..count * VERTICES as usize * key.inputs.len()).map(|_| rng.word() >> (rng.word() & 31)).collect();
        let threads = [1 + rng.below(50), 1 + rng.below(3), 1];
        let world = World { constants, memory, inputs, count, units };
        Case { key, world, threads, instances: 1 + rng.below(3), most: 1 + rng.below(5), count }
    }

    fn run(&self, tier: &dyn Tier) -> Result<(Left, Noted), Unsupported> {
        let kernel = tier.shader(&self.key)?;
        let primitives: Vec<u32> = (0..self.count as u32).map(|n| 10 + n).collect();
        let coordinates: Vec<[f32; 2]> = (0..self.count).map(|n| [0.25 * n as f32, 1.0 - 0.1 * n as f32]).collect();
        let lanes = 1 + self.threads[0] % 32;
        let vertices = if self.key.stage == Stage::TessControl { lanes as usize } else { 1 };
        let mut outputs = vec![7; self.count * vertices * self.key.outputs.len()];
        let mut patches: Vec<u32> = (0..self.count * PATCH_WORDS).map(|n| n as u32).collect();
        let (mut emits, mut records, mut shared) = (Vec::new(), Vec::new(), vec![9; 1024]);
        let inputs = &self.world.inputs;
        let work = match self.key.stage {
            Stage::TessControl => Work::Patches(Patches {
                vertices: VERTICES,
                threads: lanes,
                inputs,
                outputs: &mut outputs,
                patches: &mut patches,
                primitives: &primitives,
            }),
            Stage::TessEvaluation => Work::Evaluations(Evaluations {
                vertices: VERTICES,
                inputs,
                patch: &patches[..PATCH_WORDS],
                primitive: 5,
                coordinates: &coordinates,
                outputs: &mut outputs,
            }),
            Stage::Geometry => Work::Primitives(Primitives {
                vertices: VERTICES,
                inputs,
                primitives: &primitives,
                instances: self.instances,
                most: self.most,
                records: &mut records,
                emits: &mut emits,
            }),
            _ => Work::Blocks(Blocks::new(&[[1, 2, 3]], self.threads, &mut shared)),
        };
        let Effects { memory, images, counted, noted, .. } = self.world.run(&*kernel, work, (1.0, 0))?;
        outputs.extend(records);
        Ok((Left { outputs, patches, emits, memory, shared, images, counted }, noted))
    }
}

/// The key of a case, that of a random program of a stage.
pub fn key(seed: u64, stage: Stage) -> ShaderKey {
    Case::new(seed, stage).key
}

/// Makes the kernel of a key, and runs it on the work of the case that the key was derived from, if it fits: if the key
/// is of the same stage and has the same textures and images. Returns whether it was run.
pub fn try_key(tier: &dyn Tier, seed: u64, stage: Stage, key: ShaderKey) -> Result<bool, Unsupported> {
    let mut case = Case::new(seed, stage);
    let same =
        |other: &ShaderKey| (other.stage, &other.textures, &other.images) == (key.stage, &key.textures, &key.images);
    if !same(&case.key) {
        return tier.shader(&key).map(|_| false);
    }
    case.world.inputs.resize(case.count * VERTICES as usize * key.inputs.len(), 1);
    case.key = key;
    case.run(tier).map(|_| true)
}

/// A program of a stage.
pub fn check(jit: &Jit, seed: u64, stage: Stage) -> Outcome {
    let case = Case::new(seed, stage);
    let (got, noted) = match case.run(jit) {
        Ok(got) => got,
        Err(unsupported) => return Outcome::Unsupported(unsupported),
    };
    let (want, all) = case.run(&Interpreter).expect("the reference supports everything");
    // In grids compiled code notes what it uses, and may note more.
    let missed = if stage == Stage::Compute { noted.misses(all) } else { None };
    if got == want && missed.is_none() {
        return Outcome::Same;
    }
    let mut report = format!("seed {seed}, {stage:?}\n{}", listing(&case.key.code.words));
    if let Some(missed) = missed {
        report.push_str(&format!("not noted: {missed}\n"));
    }
    let words: Vec<u8> = case.key.outputs.iter().collect();
    let differ = got.outputs.iter().zip(&want.outputs).enumerate().filter(|(_, (a, b))| a != b);
    for (at, (got, want)) in differ.take(8) {
        let (record, word) = (at / words.len(), words[at % words.len()]);
        report.push_str(&format!("record {record} word {word:#x}: jit {got:#x}, interp {want:#x}\n"));
    }
    let bytes = |name: &str, got: &[u8], want: &[u8]| match got.iter().zip(want).position(|(a, b)| a != b) {
        Some(at) => format!("{name} at {at:#x}: jit {:#x}, interp {:#x}\n", got[at], want[at]),
        None => String::new(),
    };
    report.push_str(&bytes("memory", &got.memory, &want.memory));
    report.push_str(&bytes("shared", &got.shared, &want.shared));
    if got.images != want.images {
        report.push_str("images differ\n");
    }
    for (at, (got, want)) in got.patches.iter().zip(&want.patches).enumerate().filter(|(_, (a, b))| a != b).take(8) {
        let (patch, word) = (at / PATCH_WORDS, at % PATCH_WORDS);
        report.push_str(&format!("patch {patch} word {word:#x}: jit {got:#x}, interp {want:#x}\n"));
    }
    if got.emits != want.emits {
        report.push_str(&format!("emits: {:?}\n{:?}\n", got.emits, want.emits));
    }
    if got.counted != want.counted {
        report.push_str(&format!("exhausted and excess: {:?}, {:?}\n", got.counted, want.counted));
    }
    let dump = if std::env::var_os("TRIGLYPH_DUMP").is_some() { jit.dump_shader(&case.key) } else { String::new() };
    Outcome::Different(format!("{report}threads {:?}\n{dump}", case.threads))
}

/// Runs programs of a stage: a hundred, or as many as `TRIGLYPH_SEEDS=first:count` says.
pub fn run(stage: Stage) {
    all_same(&format!("{stage:?}"), seeds(100), 4, |jit, seed| check(jit, seed, stage));
}
