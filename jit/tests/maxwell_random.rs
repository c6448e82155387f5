//! Random Maxwell programs: compiled kernels against the reference, bit for bit.
//!
//! `TRIGLYPH_SEEDS=first:count` runs that many programs, `TRIGLYPH_OPS=1` prints which operations are refused.

mod maxwell_support;

use std::collections::BTreeMap;

use maxwell_support::units::Units;
use maxwell_support::{OUTPUTS, World, key_with, listing, run, surrounded};
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::window;
use triglyph_guest::tegra::shader::isa::{Op, decode};
use triglyph_guest::tegra::shader::random::{Options, instruction, program};
use triglyph_interp::Interpreter;
use triglyph_jit::Jit;

/// SplitMix64, upper half.
struct Rng(u64);

impl Rng {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    /// Numbers as registers hold them.
    fn value(&mut self) -> u32 {
        const SPECIAL: [u32; 24] = [
            0,
            1,
            2,
            31,
            32,
            0x80,
            0xFF,
            0x7FFF,
            0x8000,
            0xFFFF,
            0x1_0000,
            0x7FFF_FFFF,
            0x8000_0000,
            0xFFFF_FFFF,
            0x3F80_0000,
            0xBF80_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x0080_0000,
            0x007F_FFFF,
            0x8000_0001,
            0x3C00_7BFF,
            0x7C00_FC01,
        ];
        match self.word() % 8 {
            0 | 1 => SPECIAL[self.word() as usize % SPECIAL.len()],
            2 => self.word(),
            3 => self.word() % 64,
            4 => (self.word() as i32 as f32 / 2f32.powi(31)).to_bits(),
            5 => (self.word() as i32 as f32 / 2f32.powi(20)).to_bits(),
            6 => self.word() & 0x7FFF_7FFF,
            _ => ((self.word() as i32) >> (self.word() & 31)) as u32,
        }
    }
}

/// Vertices of a run: a whole group and a part of one.
const COUNT: usize = 6;
/// Registers that begin with random values.
const REGISTERS: usize = 16;

fn world(rng: &mut Rng, units: bool) -> World {
    let constants = (0..3).map(|n| {
        let bytes: Vec<u8> = (0..64 - 7 * n).flat_map(|_| rng.value().to_le_bytes()).collect();
        window::buffer(&bytes[..bytes.len() - n])
    });
    let constants = constants.collect();
    let memory = (0..1024).map(|_| rng.word() as u8).collect();
    let mut world = World { constants, memory, inputs: Vec::new(), count: COUNT, units: Units::default() };
    if units {
        world.units = Units::new(4, 3, &mut || rng.word());
    }
    // Where there are units many numbers are small: coordinates, handles.
    let mut value = || if units && rng.word() & 1 != 0 { rng.word() % 7 } else { rng.value() };
    world.inputs = (0..COUNT * (REGISTERS + 2)).map(|_| value()).collect();
    world
}

/// Whether a test makes sense of an operation: control flow is the generator's.
fn tested(op: Op) -> bool {
    op.info().family != "ControlVisitor"
}

/// Whether an instruction has a texture or an image.
fn has_unit(word: u64) -> bool {
    decode(word).is_some_and(|op| matches!(op.info().family, "TextureVisitor" | "SurfaceVisitor"))
}

/// What is wrong with a program, or why it is refused.
enum Outcome {
    Same,
    Refused(String),
    Different(String),
}

fn compare(jit: &Jit, seed: u64, words: Vec<u64>, rng: &mut Rng) -> Outcome {
    let world = world(rng, words.iter().any(|&word| has_unit(word)));
    let words = surrounded(REGISTERS, &words);
    let units = world.units.uses(&words, &mut || rng.word());
    let code = Code { words, units, local_bytes: 64, ..Code::default() };
    let key = key_with(code, REGISTERS + 2, &world.units);
    let got = match run(jit, &key, &world) {
        Ok(got) => got,
        Err(refused) => return Outcome::Refused(refused.0.to_owned()),
    };
    let want = run(&Interpreter, &key, &world).expect("the reference never refuses");
    if got == want {
        return Outcome::Same;
    }
    let mut report = format!("seed {seed}\n{}", listing(&key.code.words));
    for (at, (got, want)) in got.outputs.iter().zip(&want.outputs).enumerate().filter(|(_, (a, b))| a != b).take(8) {
        let (vertex, output) = (at / OUTPUTS, at % OUTPUTS);
        report.push_str(&format!("vertex {vertex} output {output}: jit {got:#010x}, interp {want:#010x}\n"));
    }
    if got.memory != want.memory || got.images != want.images {
        report.push_str("memory differs\n");
    }
    if got.exhausted != want.exhausted {
        report.push_str(&format!("exhausted: {} and {}\n", got.exhausted, want.exhausted));
    }
    for vertex in 0..COUNT {
        let inputs = &world.inputs[vertex * (REGISTERS + 2)..][..REGISTERS + 2];
        report.push_str(&format!("inputs of {vertex}: {inputs:08x?}\n"));
    }
    if std::env::var_os("TRIGLYPH_DUMP").is_some() {
        report.push_str(&jit.dump_shader(&key));
    }
    Outcome::Different(report)
}

/// Whether the code of single operations is what the reference does.
fn single(jit: &Jit, seeds: u64) -> (u64, BTreeMap<String, u64>) {
    let (mut same, mut refused) = (0, BTreeMap::new());
    let mut failures: BTreeMap<Op, (u64, String)> = BTreeMap::new();
    for op in Op::all().filter(|&op| tested(op)) {
        for seed in 0..seeds {
            let mut rng = Rng(seed << 16 | u64::from(op as u16));
            let options = Options { constant_buffers: 4, constant_bytes: 300, ..Options::default() };
            let words: Vec<u64> = (0..4).map(|_| instruction(op, &mut || rng.word(), &options)).collect();
            debug_assert!(words.iter().all(|&word| decode(word) == Some(op)));
            match compare(jit, seed, words, &mut rng) {
                Outcome::Same => same += 1,
                Outcome::Refused(why) => *refused.entry(format!("{:10} {why}", op.info().name)).or_insert(0) += 1,
                Outcome::Different(report) => {
                    failures.entry(op).or_insert((0, report)).0 += 1;
                }
            }
        }
    }
    for (op, (count, report)) in &failures {
        println!("{} differs in {count} programs; one of them:\n{report}", op.info().name);
    }
    assert!(failures.is_empty(), "{:?}", failures.keys().map(|op| op.info().name).collect::<Vec<_>>());
    (same, refused)
}

#[test]
fn single_operations() {
    let (same, refused) = single(&Jit::new().unwrap(), 12);
    if std::env::var_os("TRIGLYPH_OPS").is_some() {
        refused.iter().for_each(|(why, count)| println!("{count:6} {why}"));
    }
    let refusals: u64 = refused.values().sum();
    assert!(20 * refusals < same, "{refusals} of {} refused: {refused:?}", same + refusals);
}

/// Operations on registers and on what is around a program.
fn usual(op: Op) -> bool {
    tested(op) && op.info().family != "AttributeVisitor"
}

fn programs(jit: &Jit, seeds: std::ops::Range<u64>, options: Options<'_>) {
    let (mut same, mut refused) = (0u64, BTreeMap::new());
    for seed in seeds {
        let mut rng = Rng(seed);
        let words = program(&mut || rng.word(), options);
        let words = words.iter().enumerate().filter(|(n, _)| n % 4 != 0).map(|(_, &word)| word).collect();
        match compare(jit, seed, words, &mut rng) {
            Outcome::Same => same += 1,
            Outcome::Refused(why) => *refused.entry(why).or_insert(0) += 1,
            Outcome::Different(report) => panic!("{report}"),
        }
    }
    println!("{same} the same, refused {refused:?}");
    let refusals: u64 = refused.values().sum();
    assert!(4 * refusals < same, "{same} the same, refused {refused:?}");
}

fn seeds(count: u64) -> std::ops::Range<u64> {
    let given = std::env::var("TRIGLYPH_SEEDS").ok();
    let given = given.as_deref().and_then(|text| text.split_once(':'));
    let given = given.and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
    let (first, count): (u64, u64) = given.unwrap_or((0, count));
    first..first + count
}

/// Operations that are never refused: programs of them say most about control flow.
fn plain(op: Op) -> bool {
    matches!(
        op,
        Op::mov
            | Op::sel
            | Op::iadd
            | Op::lop
            | Op::isetp
            | Op::fadd
            | Op::fmul
            | Op::fsetp
            | Op::shl
            | Op::imnmx
            | Op::psetp
    )
}

#[test]
fn structured_programs() {
    programs(&Jit::new().unwrap(), seeds(150), Options { allowed: &plain, length: 50, ..Options::default() });
}

#[test]
fn ragged_programs() {
    let options = Options { allowed: &plain, length: 30, ragged: true, ..Options::default() };
    programs(&Jit::new().unwrap(), seeds(100), options);
}

#[test]
fn programs_of_all_operations() {
    programs(&Jit::new().unwrap(), seeds(150), Options { allowed: &usual, length: 25, ..Options::default() });
}
