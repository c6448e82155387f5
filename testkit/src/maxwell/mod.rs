//! Maxwell programs as vertex programs: registers, predicates and condition code at the end.

pub mod block;
pub mod fragments;
pub mod noted;
pub mod quad;
pub mod stages;
pub mod units;
pub mod vertices;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use noted::Noted;
use triglyph_guest::kernel::Tier;
use triglyph_guest::kernel::maxwell::Code;
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, GlobalMemory, Span, Usage};
use triglyph_guest::kernel::program::sampler::Shape;
use triglyph_guest::kernel::program::stage::{ShaderJob, ShaderKernel, ShaderKey, Stage, Vertices, Work};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{Accuracy, Unsupported, Window, window};
use triglyph_guest::tegra::shader::isa::Op;
use triglyph_guest::tegra::shader::{assemble_program, disassemble};
use triglyph_jit::{Effort, Jit};
use units::Units;

use crate::random::Random;

/// The words of a word of generic attributes: 0x20 is x of the first one.
pub const FIRST_WORD: u8 = 0x20;

/// Registers that are seen at the end.
pub const SEEN: usize = 32;

/// Words of an output record: the registers, predicates, condition code.
pub const OUTPUTS: usize = SEEN + 2;

/// Either contract of arithmetic.
pub fn accuracy(rng: &mut Random) -> Accuracy {
    if rng.word() & 1 == 0 { Accuracy::Exact } else { Accuracy::Fast }
}

/// A program to run.
pub struct Program {
    pub code: Code,
    /// Words of each vertex's input record.
    pub inputs: usize,
}

/// Memory of a few kilobytes from address 0 on, and what is said about its use. A part of it may be reached directly.
pub struct Memory(Vec<AtomicU8>, Noted);

impl Memory {
    pub fn new(bytes: Vec<u8>) -> Memory {
        Memory(window::buffer(&bytes), Noted::default())
    }

    /// The parts of it and of images that a program has used.
    pub fn take_noted(&mut self) -> Noted {
        std::mem::take(&mut self.1)
    }

    /// Its content.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_iter().map(AtomicU8::into_inner).collect()
    }
}

impl GlobalMemory for Memory {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        self.note(address & 0xFF_FFFF_FFFF, bytes.len() as u64, Usage::Load);
        for (n, byte) in bytes.iter_mut().enumerate() {
            let at = address.wrapping_add(n as u64) & 0xFF_FFFF_FFFF;
            *byte = self.0.get(at as usize).map_or(0, |byte| byte.load(Ordering::Relaxed));
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        self.note(address & 0xFF_FFFF_FFFF, bytes.len() as u64, Usage::Store);
        for (n, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(n as u64) & 0xFF_FFFF_FFFF;
            if let Some(place) = self.0.get(at as usize) {
                place.store(byte, Ordering::Relaxed);
            }
        }
    }

    fn span(&self, address: u64, _: Usage) -> Option<Span<'_>> {
        // Two mappings with a gap between them.
        let half = self.0.len() as u64 / 2;
        let start = if address < half { 32 } else { half + 7 };
        let length = (half as usize).saturating_sub(64);
        let inside = (start..start + length as u64).contains(&address);
        let window = Window::new(&self.0).from(start as usize).first(length);
        inside.then_some(Span { start, window })
    }

    fn note(&self, address: u64, size: u64, usage: Usage) {
        self.1.add_memory(address, size, usage);
    }

    fn note_image(&self, image: usize, texels: Range<u64>, stores: bool) {
        self.1.add(Some(image), texels, stores);
    }
}

/// A compiler that the seed chooses: every second one hurries, whatever the size of a program.
pub fn compiler(seed: u64) -> Jit {
    let jit = if seed.is_multiple_of(2) { Jit::new() } else { Jit::with_effort(Effort::Baseline) };
    jit.expect("a host with a code generator")
}

/// Fails if a check differs, or if less than `least` times as many are the same as are unsupported.
pub fn all_same(name: &str, seeds: Range<u64>, least: u64, check: impl Fn(&Jit, u64) -> Outcome) {
    let (mut same, mut unsupported) = (0, BTreeMap::new());
    for seed in seeds {
        match check(&compiler(seed), seed) {
            Outcome::Same => same += 1,
            Outcome::Unsupported(why) => *unsupported.entry(why.0).or_insert(0) += 1,
            Outcome::Different(report) => panic!("{report}"),
        }
    }
    println!("{name}: {same} the same, unsupported {unsupported:?}");
    let unsupported_count: u64 = unsupported.values().sum();
    assert!(same > least * unsupported_count, "{same} the same, unsupported {unsupported:?}");
}

/// The result of a random program.
pub enum Outcome {
    /// Both tiers did the same.
    Same,
    /// The compiler does not support it.
    Unsupported(Unsupported),
    /// The report on the difference.
    Different(String),
}

/// Effects of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    pub outputs: Vec<u32>,
    pub memory: Vec<u8>,
    pub images: Vec<Vec<u8>>,
    /// Warps without end, and instructions beyond those of the code.
    pub counted: (u32, u64),
}

fn words(first: u8, count: usize) -> WordSet {
    (first..first + count as u8).collect()
}

/// A program of instruction words between what loads its registers and what stores them.
pub fn harness(prologue: &str, words: &[u64]) -> Vec<u64> {
    let mut text = format!("{prologue}\n");
    for word in words {
        text.push_str(&format!(".word {word:#018x}\n"));
    }
    text.push_str(EPILOGUE);
    assemble_program(&with_stores(&text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Marks where registers are stored.
pub const EPILOGUE: &str = "epilogue\n";

/// Instructions that store what is seen.
pub fn stores() -> String {
    let mut text = String::from("p2r r252, rz, 0x7f, 0x0\np2r.from_cc r253, rz, 0xf, 0x0\n");
    for n in 0..SEEN {
        text.push_str(&format!("ast r{n}, [rz+{:#x}], rz\n", 4 * (usize::from(FIRST_WORD) + n)));
    }
    for (n, reg) in [(SEEN, 252), (SEEN + 1, 253)] {
        text.push_str(&format!("ast r{reg}, [rz+{:#x}], rz\n", 4 * (usize::from(FIRST_WORD) + n)));
    }
    text + "exit\n"
}

fn with_stores(text: &str) -> String {
    text.replace(EPILOGUE, &stores())
}

/// The key of a vertex program.
pub fn key(code: Code, inputs: usize) -> ShaderKey {
    key_with(code, inputs, &Units::default())
}

/// The key of a vertex program with textures and images.
pub fn key_with(code: Code, inputs: usize, units: &Units) -> ShaderKey {
    ShaderKey {
        stage: Stage::Vertex,
        code: Arc::new(code),
        inputs: words(FIRST_WORD, inputs),
        outputs: words(FIRST_WORD, OUTPUTS),
        textures: units.texture_keys(),
        images: units.image_keys(),
    }
}

/// The environment of a program.
pub struct World {
    pub constants: Vec<Vec<AtomicU8>>,
    pub memory: Vec<u8>,
    pub inputs: Vec<u32>,
    pub count: usize,
    pub units: Units,
}

/// What a run leaves in a world.
pub struct Effects {
    pub memory: Vec<u8>,
    pub images: Vec<Vec<u8>>,
    /// Warps without end, and instructions beyond those of the code.
    pub counted: (u32, u64),
    /// Units of fuel that are left in reserve.
    pub reserve: u32,
    pub noted: Noted,
}

/// Windows of constant buffers.
pub fn windows(constants: &[Vec<AtomicU8>]) -> [Window<'_>; CONSTANT_BUFFERS] {
    std::array::from_fn(|slot| constants.get(slot).map_or(Window::default(), |bytes| Window::new(bytes)))
}

impl World {
    /// Runs a kernel in a copy of the world, with so many units of fuel in reserve.
    pub fn run(
        &self,
        kernel: &dyn ShaderKernel,
        work: Work<'_>,
        (y_direction, reserve): (f32, u32),
    ) -> Result<Effects, Unsupported> {
        let mut memory = Memory::new(self.memory.clone());
        let (exhausted, excess, reserve) = (AtomicU32::new(0), AtomicU64::new(0), AtomicU32::new(reserve));
        let image_memory = self.units.memory();
        let environment = Environment {
            constants: &windows(&self.constants),
            textures: &self.units.job_textures(),
            images: &self.units.job_images(&image_memory),
            handles: &self.units.handles,
            memory: &memory,
            y_direction,
            clock: CLOCK,
            exhausted: &exhausted,
            excess: &excess,
            reserve: &reserve,
        };
        kernel.run(&mut ShaderJob { environment, work })?;
        let noted = memory.take_noted();
        let counted = (exhausted.into_inner(), excess.into_inner());
        let (memory, images) = (memory.into_bytes(), image_memory.bytes());
        Ok(Effects { memory, images, counted, reserve: reserve.into_inner(), noted })
    }
}

/// What clocks say when a program begins.
const CLOCK: u64 = 0xFFFF_FFF0;

/// Runs a vertex program on a tier.
pub fn run(tier: &dyn Tier, key: &ShaderKey, world: &World) -> Result<Results, Unsupported> {
    let kernel = tier.shader(key)?;
    let mut outputs = vec![0xDEAD_BEEF; world.count * key.outputs.len()];
    let work = Work::Vertices(Vertices { inputs: &world.inputs, outputs: &mut outputs, count: world.count });
    let Effects { memory, images, counted, .. } = world.run(&*kernel, work, (-1.0, 0))?;
    Ok(Results { outputs, memory, images, counted })
}

/// A constant buffer of words at byte offsets.
pub fn constants(words: &[(u32, u32)]) -> Vec<AtomicU8> {
    let length = words.iter().map(|&(at, _)| at as usize + 4).max().unwrap_or(0);
    let mut bytes = vec![0; length];
    for &(at, word) in words {
        bytes[at as usize..at as usize + 4].copy_from_slice(&word.to_le_bytes());
    }
    window::buffer(&bytes)
}

/// The text of a program's words.
pub fn listing(words: &[u64]) -> String {
    let lines = words.iter().enumerate().filter(|(n, _)| n % 4 != 0);
    lines.map(|(n, &word)| format!("{:#06x}  {word:#018x}  {}\n", 8 * n, disassemble(word))).collect()
}

/// A program of instruction words after loads of its first registers, predicates and condition code, wherever it ends
/// followed by what stores what is seen. Distances in it stay what they are.
pub fn surrounded(registers: usize, words: &[u64]) -> Vec<u64> {
    let mut lines = vec!["pexit epilogue".to_owned()];
    let at = |n: usize| 4 * (usize::from(FIRST_WORD) + n);
    for n in 0..registers {
        lines.push(format!("ald r{n}, [rz+{:#x}], rz", at(n)));
    }
    for (n, instruction) in ["r2p r250, 0x7f, 0x0", "r2p.to_cc r250, 0xf, 0x0"].into_iter().enumerate() {
        lines.push(format!("ald r250, [rz+{:#x}], rz", at(registers + n)));
        lines.push(instruction.to_owned());
    }
    while !lines.len().is_multiple_of(3) {
        lines.push("mov r250, rz, 0xf".to_owned());
    }
    lines.extend(words.iter().map(|word| format!(".word {word:#018x}")));
    let text = format!("{}\nepilogue:\n{}", lines.join("\n"), stores());
    assemble_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The word, or if it has a modifier without a name an instruction that does nothing.
pub fn tame(word: u64) -> u64 {
    const NOTHING: u64 = 0x50B0_0000_0007_0F00;
    let text = disassemble(word);
    let named = |at: usize| !text[at + 1..].starts_with(|c: char| c.is_ascii_uppercase());
    if text.match_indices('.').all(|(at, _)| named(at)) { word } else { NOTHING }
}

/// Shapes of textures that an instruction may read; none for those that read no texture.
pub fn shapes(word: u64) -> Vec<Shape> {
    use Shape::{Cube, CubeArray, D1, D1Array, D2, D2Array, D3};
    let text = disassemble(word);
    let mut words = text.split([' ', '.']).skip_while(|part| part.starts_with('@'));
    let name = words.next().unwrap_or("").trim_end_matches("_b");
    let dim = words.find_map(|part| match part {
        "d1" | "d1_lz" | "d1_ll" => Some(vec![D1]),
        "a1d" => Some(vec![D1Array]),
        "d2" | "d2_lz" | "d2_ll" | "d2_dc" | "d2_ll_dc" | "d2_lz_dc" | "d2_lz_aoffi" | "d2_ll_aoffi" => Some(vec![D2]),
        "a2d" | "a2d_lz" | "a2d_lz_dc" => Some(vec![D2Array]),
        "d3" | "d3_lz" => Some(vec![D3]),
        "cube" | "cube_ll" => Some(vec![Cube]),
        "acube" => Some(vec![CubeArray]),
        _ => None,
    });
    match name {
        "tex" | "texs" | "tld" | "tlds" | "txd" | "tmml" => dim.unwrap_or_default(),
        // Of shapes that have no second coordinate as well.
        "tld4" => dim.map_or_else(Vec::new, |dim| [dim, vec![D1, D3]].concat()),
        "tld4s" => vec![D2],
        "txq" => vec![D1, D1Array, D2, D2Array, D3, Cube, CubeArray],
        _ => Vec::new(),
    }
}

/// Operations that the compiler always supports: programs of them say most about control flow.
pub fn plain(op: Op) -> bool {
    matches!(
        op,
        Op::mov
            | Op::sel
            | Op::iadd
            | Op::lop
            | Op::isetp
            | Op::fadd
            | Op::fmul
            | Op::ffma
            | Op::fsetp
            | Op::shl
            | Op::imnmx
            | Op::psetp
    )
}
