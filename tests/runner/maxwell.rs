//! `shader`: a shader program of Tegra X1.
//!
//! The program of the file gets a beginning that loads registers, and an end that stores them; it ends by reaching its
//! last line. What an `exit` ends stores nothing.
//!
//! | setting | |
//! |---|---|
//! | `stage` | `compute` if nothing else is said, `vertex`, `control`, `evaluation`, `geometry`, `pixel` |
//! | `accuracy` | `exact` if nothing else is said, `fast` |
//! | `lanes` | threads, 1 if nothing is said; `pixel` has four |
//! | `r0` to `r249` | a register: a word for all lanes, or one for each |
//! | `p0` to `p6` | a predicate likewise, 0 or 1 |
//! | `cc` | the condition code likewise: letters of z, s, c, o, or - |
//! | `c0` to `c16` | words of a constant buffer |
//! | `g` | words of memory from 0x1000 on |
//! | `in0[0x80]` | words of input vertex 0 from a byte address on |
//! | `patch[0x20]` | words of the patch |
//! | `vertices`, `primitive`, `instances`, `most`, `uv` | as the stage has them |
//! | `plane[0x80]` | `constant`, `linear` or `perspective` and the three numbers of a plane; `depth` and `inv_w` likewise without the word |
//! | `covered` | of each pixel, 0 or 1 |
//! | `tex0`, `image0` | see `runner/maxwell_texture.rs` |
//!
//! Results are `rN`, `pN`, `cc`, of each lane; `g[0..4]`, words of memory; `out0[0x80..0x90]`, words of an output
//! vertex; `patch[0..0x10]`; `emits`; `image0[0..4]`; `exhausted`. Words are hexadecimal, `none` was not stored.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use libtest_mimic::Failed;
use triglyph_guest::kernel::maxwell::{Code, PixelCode, PixelInput, PixelMode, Unit, UnitUse};
use triglyph_guest::kernel::program::environment::{CONSTANT_BUFFERS, Environment, GlobalMemory};
use triglyph_guest::kernel::program::fragment::{
    FragmentCode, FragmentConstants, FragmentJob, FragmentKey, PixelBlock, Plane, Primitive, Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{OutputKey, Surface, TARGETS};
use triglyph_guest::kernel::program::sampler::Texture;
use triglyph_guest::kernel::program::stage::PATCH_WORDS;
use triglyph_guest::kernel::program::stage::{
    Blocks, Emit, Evaluations, Patches, Primitives, ShaderJob, ShaderKey, Stage, Vertices, Work,
};
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::kernel::{Accuracy, Tier};
use triglyph_guest::kernel::{Window, window};
use triglyph_guest::table::Fields;
use triglyph_guest::tegra::shader::isa::{ALL, decode, form};
use triglyph_guest::tegra::shader::unsupported::UNSUPPORTED;
use triglyph_guest::tegra::shader::{assemble_program, disassemble_program};
use triglyph_interp::Interpreter;
use triglyph_testkit::fragment::pixel_code;

use crate::maxwell_texture::Units;
use crate::parse::{Case, File, floats, integer};
use crate::{Engine, Results};

/// Where registers are stored: 1 KiB for each lane.
const RESULTS: u64 = 0x10_0000;
/// Address of `g`.
const MEMORY: u64 = 0x1000;
/// Place of predicates and condition code in a lane's KiB.
const FLAGS: usize = 0x3F0;
/// The byte where nothing was stored.
const UNWRITTEN: u8 = 0xE7;
/// Words of a vertex in either direction.
fn attributes() -> WordSet {
    (0x18..0x40).chain(0xBC..=0xBF).collect()
}

/// Bytes by address; others read as `UNWRITTEN`.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<u64, u8>>);

impl Memory {
    fn word(&self, address: u64) -> u32 {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes);
        u32::from_le_bytes(bytes)
    }
}

impl GlobalMemory for Memory {
    fn read(&self, address: u64, bytes: &mut [u8]) {
        let memory = self.0.lock().expect("no panic before");
        for (byte, address) in bytes.iter_mut().zip(address..) {
            *byte = memory.get(&address).copied().unwrap_or(UNWRITTEN);
        }
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let mut memory = self.0.lock().expect("no panic before");
        memory.extend((address..).zip(bytes.iter().copied()));
    }
}

/// What a case gives to a program.
#[derive(Default)]
struct Inputs {
    stage: String,
    fast: bool,
    lanes: usize,
    /// Per lane: 1 KiB, from which the beginning loads.
    registers: Vec<u8>,
    set: Vec<u8>,
    constants: BTreeMap<usize, Vec<u8>>,
    memory: Memory,
    vertices: BTreeMap<usize, BTreeMap<u8, u32>>,
    patch: BTreeMap<u8, u32>,
    numbers: BTreeMap<String, u32>,
    uv: [f32; 2],
    planes: Vec<(u8, PixelMode, Plane)>,
    primitive: Primitive,
    covered: [u32; 4],
    units: Units,
}

/// Whole numbers, or the bits of floats where there is a point.
fn word(text: &str) -> Result<u32, String> {
    let is_float = !text.starts_with("0x") && text.contains(['.', 'n', 'i']);
    if is_float { text.parse().map(f32::to_bits).map_err(|error| format!("`{text}`: {error}")) } else { integer(text) }
}

fn words(text: &str) -> Result<Vec<u32>, String> {
    text.split_whitespace().map(word).collect()
}

/// `name[address]`
fn indexed<'a>(key: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (before, inside) = key.strip_prefix(name)?.split_once('[')?;
    Some((before, inside.strip_suffix(']')?))
}

fn attribute(text: &str) -> Result<u8, String> {
    Ok((integer(text)? / 4) as u8)
}

fn place(lane: usize, at: usize) -> usize {
    lane * 1024 + at
}

const FLAG_LETTERS: &str = "zsco";

impl Inputs {
    fn read(case: &Case) -> Result<Inputs, String> {
        let stage = case.get("stage").unwrap_or("compute").to_owned();
        let lanes = if stage == "pixel" { 4 } else { case.get("lanes").map_or(Ok(1), integer)? as usize };
        let mut read = Inputs { stage, lanes, registers: vec![0; 1024 * 32], covered: [1; 4], ..Inputs::default() };
        read.primitive.inv_w = [1.0, 0.0, 0.0];
        for item in &case.settings {
            read.set(&item.key, &item.value).map_err(|error| format!("`{}`: {error}", item.key))?;
        }
        Ok(read)
    }

    /// One value for all lanes, or one for each.
    fn each(&mut self, at: usize, values: &[u32], mut store: impl FnMut(&mut [u8], u32)) -> Result<(), String> {
        if values.len() != 1 && values.len() != self.lanes {
            return Err(format!("{} values for {} lanes", values.len(), self.lanes));
        }
        for lane in 0..self.lanes {
            store(&mut self.registers[place(lane, at)..][..4], values[lane % values.len()]);
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if self.units.set(key, value)? {
            return Ok(());
        }
        if let Some((number, address)) = indexed(key, "in") {
            let vertex = self.vertices.entry(integer(number)? as usize).or_default();
            vertex.extend((attribute(address)?..).zip(words(value)?));
            return Ok(());
        }
        if let Some((_, address)) = indexed(key, "patch") {
            self.patch.extend((attribute(address)?..).zip(words(value)?));
            return Ok(());
        }
        if let Some((_, address)) = indexed(key, "plane") {
            let (mode, numbers) = value.split_once(' ').ok_or("a mode and three numbers")?;
            let mode = match mode {
                "constant" => PixelMode::Constant,
                "linear" => PixelMode::Linear,
                "perspective" => PixelMode::Perspective,
                other => return Err(format!("no mode `{other}`")),
            };
            self.planes.push((attribute(address)?, mode, plane(numbers)?));
            return Ok(());
        }
        match key {
            "stage" | "lanes" => return Ok(()),
            "accuracy" => {
                self.fast = match value {
                    "exact" => false,
                    "fast" => true,
                    other => return Err(format!("no accuracy `{other}`")),
                }
            }
            "depth" => self.primitive.depth = plane(value)?,
            "inv_w" => self.primitive.inv_w = plane(value)?,
            "back" => self.primitive.flags = integer(value)?,
            "covered" => self.covered = words(value)?.try_into().map_err(|_| "four pixels")?,
            "uv" => self.uv = floats(value)?.try_into().map_err(|_| "two coordinates")?,
            "vertices" | "primitive" | "instances" | "most" => {
                self.numbers.insert(key.to_owned(), integer(value)?);
            }
            "g" => {
                let bytes: Vec<u8> = words(value)?.into_iter().flat_map(u32::to_le_bytes).collect();
                self.memory.write(MEMORY, &bytes);
            }
            "cc" => {
                let flags = |text: &str| {
                    FLAG_LETTERS.chars().zip(0..).filter(|(c, _)| text.contains(*c)).map(|(_, bit)| 1u32 << bit).sum()
                };
                let values: Vec<u32> = value.split_whitespace().map(flags).collect();
                self.each(FLAGS, &values, |bytes, flags| bytes[1] = flags as u8)?;
            }
            _ => {
                let (kind, number) = key.split_at(1);
                let number = integer(number)? as usize;
                match kind {
                    "r" if number < 250 => {
                        self.set.push(number as u8);
                        self.each(4 * number, &words(value)?, |bytes, word| {
                            bytes.copy_from_slice(&word.to_le_bytes())
                        })?;
                    }
                    "p" if number < 7 => {
                        self.each(FLAGS, &words(value)?, |bytes, truth| bytes[0] |= (truth as u8) << number)?;
                    }
                    "c" if number < CONSTANT_BUFFERS - 1 => {
                        let bytes = words(value)?.into_iter().flat_map(u32::to_le_bytes).collect();
                        self.constants.insert(number, bytes);
                    }
                    _ => return Err("no such setting".to_owned()),
                }
            }
        }
        Ok(())
    }

    fn number(&self, name: &str, default: u32) -> u32 {
        self.numbers.get(name).copied().unwrap_or(default)
    }

    /// Records of the input vertices.
    fn records(&self, count: usize) -> Vec<u32> {
        let vertex = |number| {
            let given = self.vertices.get(&number);
            attributes()
                .iter()
                .map(|word| given.and_then(|given| given.get(&word)).copied().unwrap_or(0))
                .collect::<Vec<_>>()
        };
        (0..count).flat_map(vertex).collect()
    }
}

fn plane(text: &str) -> Result<Plane, String> {
    floats(text)?.try_into().map_err(|_| "three numbers".to_owned())
}

/// The file's program with its beginning and its end.
fn whole(file: &File, inputs: &Inputs, case: &Case) -> Result<Vec<u64>, String> {
    let mut text = String::from("s2r r250, sr_laneid\nshl r250, r250, 0xa\n");
    for number in &inputs.set {
        text += &format!("ldc.plain.b32 r{number}, c[17][r250+{:#x}]\n", 4 * u32::from(*number));
    }
    text += &format!("ldc.plain.b32 r251, c[17][r250+{FLAGS:#x}]\nr2p r251, 0x7f, 0x0\nr2p.to_cc r251, 0xf, 0x1\n");
    text += "mov r250, rz, 0xf\nmov r251, rz, 0xf\n";
    text += &file.program;
    text += "\np2r r251, rz, 0x7f, 0x0\np2r.from_cc r251, r251, 0xf, 0x1\ns2r r250, sr_laneid\nshl r250, r250, 0xa\n";
    let stored = case.expectations.iter().filter_map(|item| item.key.strip_prefix('r')?.parse::<u32>().ok());
    for number in stored {
        text += &format!("stg.b32 r{number}, [r250+{:#x}]\n", RESULTS + 4 * u64::from(number));
    }
    text += &format!("stg.b32 r251, [r250+{:#x}]\nexit\n", RESULTS + FLAGS as u64);
    assemble_program(&text).map_err(|error| format!("{error}: {}", text.lines().nth(error.line - 1).unwrap_or("")))
}

/// The file's own words. Its listing has to read back as the same.
fn assemble(file: &File) -> Result<Vec<u64>, String> {
    let code = assemble_program(&file.program).map_err(|error| format!("[program] {error}"))?;
    let listing = disassemble_program(&code);
    match assemble_program(&listing) {
        Ok(again) if again == code => Ok(code),
        other => Err(format!("the listing is another program: {other:x?}\n{listing}")),
    }
}

/// Units of all texture and surface instructions: bound ones by their index, others by their handle.
fn units(words: &[u64]) -> Vec<UnitUse> {
    let unit = |(index, &word): (usize, &u64)| {
        let form = form(word).filter(|_| index % 4 != 0)?;
        let fields = Fields::new(word, &form.pattern);
        let unit = match (form.family, fields.has(b'h')) {
            ("TextureVisitor", true) => Unit::Texture(fields.get(b'h') as u8),
            ("SurfaceVisitor", true) => Unit::Image(fields.get(b'h') as u8),
            ("TextureVisitor" | "SurfaceVisitor", false) => Unit::Dynamic,
            _ => return None,
        };
        Some(UnitUse { address: index as u32 * 8, unit })
    };
    words.iter().enumerate().filter_map(unit).collect()
}

/// What a run leaves.
#[derive(Default)]
struct Left {
    outputs: Vec<u32>,
    patch: Vec<u32>,
    emits: Vec<Emit>,
}

/// Runs a case; a tier that refuses leaves it to the reference.
pub fn run(file: &File, case: &Case, engine: Engine) -> Results {
    assemble(file)?;
    let inputs = Inputs::read(case)?;
    let words = whole(file, &inputs, case)?;
    let code = Code {
        units: units(&words),
        targets: (0..words.len() as u32).map(|word| 8 * word).collect(),
        words,
        handle_buffer: 2,
        local_bytes: 64,
        accuracy: if inputs.fast { Accuracy::Fast } else { Accuracy::Exact },
    };
    let code = Arc::new(code);
    let mut buffers = inputs.constants.clone();
    buffers.insert(CONSTANT_BUFFERS - 1, inputs.registers.clone());
    let stored: BTreeMap<_, _> = buffers.iter().map(|(slot, bytes)| (*slot, window::buffer(bytes))).collect();
    let constants = std::array::from_fn(|slot| stored.get(&slot).map_or(Window::default(), |bytes| Window::new(bytes)));
    let exhausted = AtomicU32::new(0);
    let images = inputs.units.surfaces();
    let (handles, bound) = (inputs.units.handles(), inputs.units.bound(&images));
    let textures = inputs.units.textures();
    let environment = Environment {
        constants: &constants,
        textures: &textures,
        images: &bound,
        handles: &handles,
        memory: &inputs.memory,
        y_direction: -1.0,
        clock: 0xFFFF_FFF0,
        exhausted: &exhausted,
        reserve: &AtomicU32::new(0),
        ..Environment::NONE
    };
    let tier = engine.tier()?;
    let left = match inputs.stage.as_str() {
        "pixel" => pixels(&*tier, &inputs, code, environment)?,
        _ => stage(&*tier, &inputs, code, environment)?,
    };
    let result = |key: &str| result(key, &inputs, &left, &images, exhausted.load(Relaxed));
    case.expectations.iter().map(|item| result(&item.key)).collect()
}

fn stage(tier: &dyn Tier, inputs: &Inputs, code: Arc<Code>, environment: Environment<'_>) -> Result<Left, String> {
    let stage = match inputs.stage.as_str() {
        "compute" => Stage::Compute,
        "vertex" => Stage::Vertex,
        "control" => Stage::TessControl,
        "evaluation" => Stage::TessEvaluation,
        "geometry" => Stage::Geometry,
        other => return Err(format!("no stage `{other}`")),
    };
    let key = ShaderKey {
        stage,
        code,
        inputs: attributes(),
        outputs: attributes(),
        textures: inputs.units.texture_keys(),
        images: inputs.units.image_keys(),
    };
    let length = attributes().len();
    let vertices = inputs.number("vertices", 3);
    let records = inputs.records(vertices as usize);
    let mut left = Left { outputs: vec![0; length * inputs.lanes], patch: vec![0; PATCH_WORDS], emits: Vec::new() };
    inputs.patch.iter().for_each(|(&word, &value)| left.patch[usize::from(word)] = value);
    let given = left.patch.clone();
    let primitives = [inputs.number("primitive", 0)];
    let mut shared = vec![0xEE; 256];
    let mut emitted = Vec::new();
    let work = match stage {
        Stage::Vertex => Work::Vertices(Vertices { inputs: &records, outputs: &mut left.outputs, count: 1 }),
        Stage::TessControl => Work::Patches(Patches {
            vertices,
            threads: inputs.lanes as u32,
            inputs: &records,
            outputs: &mut left.outputs,
            patches: &mut left.patch,
            primitives: &primitives,
        }),
        Stage::TessEvaluation => Work::Evaluations(Evaluations {
            vertices,
            inputs: &records,
            patch: &given,
            primitive: primitives[0],
            coordinates: &[inputs.uv],
            outputs: &mut left.outputs,
        }),
        Stage::Geometry => Work::Primitives(Primitives {
            vertices,
            inputs: &records,
            primitives: &primitives,
            instances: inputs.number("instances", 1),
            most: inputs.number("most", 8),
            records: &mut emitted,
            emits: &mut left.emits,
        }),
        Stage::Compute => Work::Blocks(Blocks::new(&[[4, 5, 6]], [inputs.lanes as u32, 1, 1], &mut shared)),
    };
    let mut job = ShaderJob { environment, work };
    let done = tier.shader(&key).and_then(|kernel| kernel.run(&mut job));
    if done.is_err() {
        let reference = Interpreter.shader(&key).map_err(|refused| refused.to_string())?;
        reference.run(&mut job).map_err(|refused| refused.to_string())?;
    }
    if stage == Stage::Geometry {
        left.outputs = emitted;
    }
    Ok(left)
}

/// The quad at the upper left of a block.
fn pixels(tier: &dyn Tier, inputs: &Inputs, code: Arc<Code>, environment: Environment<'_>) -> Result<Left, String> {
    let input = |(plane, (word, mode, _)): (usize, &(u8, PixelMode, Plane))| PixelInput {
        word: *word,
        plane: plane as u16,
        mode: *mode,
    };
    let mut read: Vec<PixelInput> = inputs.planes.iter().enumerate().map(input).collect();
    read.sort_by_key(|input| input.word);
    let (textures, images) = (inputs.units.texture_keys(), inputs.units.image_keys());
    let code = PixelCode { textures, images, targets: 0, ..pixel_code(code, read) };
    let output = OutputKey::storing([None; TARGETS]);
    let key = FragmentKey {
        code: FragmentCode::Maxwell(Arc::new(code)),
        textures: [None; UNITS],
        output,
        samples: Samples::ONE,
    };
    let planes: Vec<Plane> = inputs.planes.iter().map(|(.., plane)| *plane).collect();
    let coverage = (0..4).map(|lane| u64::from(inputs.covered[lane] & 1) << lane).sum();
    let job = FragmentJob {
        survivors: &[],
        colors: &[Surface::default(); TARGETS],
        depth: Surface::default(),
        constants: &FragmentConstants::default(),
        program_constants: &[],
        textures: &[Texture::default(); UNITS],
        environment,
        primitives: &[inputs.primitive],
        planes: &planes,
        blocks: &[PixelBlock { primitive: 0, x: 0, row: 0, coverage }],
    };
    let done = tier.fragment(&key).and_then(|kernel| kernel.shade(&job));
    if done.is_err() {
        let reference = Interpreter.fragment(&key).map_err(|refused| refused.to_string())?;
        reference.shade(&job).map_err(|refused| refused.to_string())?;
    }
    Ok(Left::default())
}

/// Words in hexadecimal.
fn show(words: impl IntoIterator<Item = u32>) -> String {
    let one = |word| if word == u32::from_le_bytes([UNWRITTEN; 4]) { "none".to_owned() } else { format!("{word:#x}") };
    words.into_iter().map(one).collect::<Vec<_>>().join(" ")
}

/// `a..b` in bytes: the words between.
fn range(text: &str) -> Result<std::ops::Range<usize>, String> {
    let (first, end) = text.split_once("..").ok_or("a range of bytes")?;
    Ok(integer(first)? as usize / 4..integer(end)? as usize / 4)
}

fn result(key: &str, inputs: &Inputs, left: &Left, images: &[Vec<AtomicU8>], exhausted: u32) -> Result<String, String> {
    let lane_word = |lane: usize, at: usize| inputs.memory.word(RESULTS + place(lane, at) as u64);
    let lanes = 0..inputs.lanes;
    if let Some((number, words)) = indexed(key, "out") {
        let (number, length) = (integer(number)? as usize, attributes().len());
        let word =
            |word| attributes().index(word as u8).and_then(|place| left.outputs.get(number * length + place)).copied();
        return Ok(show(range(words)?.map(|at| word(at).unwrap_or(0))));
    }
    if let Some((number, words)) = indexed(key, "image") {
        let bytes = images.get(integer(number)? as usize).ok_or("no such image")?;
        return Ok(show(range(words)?.map(|at| Window::new(bytes).read_word(4 * at, 4))));
    }
    if let Some((_, words)) = indexed(key, "patch") {
        return Ok(show(range(words)?.map(|at| left.patch.get(at).copied().unwrap_or(0))));
    }
    if let Some((_, words)) = indexed(key, "g") {
        return Ok(show(range(words)?.map(|at| inputs.memory.word(MEMORY + 4 * at as u64))));
    }
    let emit = |emit: &Emit| match emit {
        Emit::Vertex { stream } => format!("v{stream}"),
        Emit::Cut { stream } => format!("c{stream}"),
        Emit::End { .. } => "end".to_owned(),
    };
    match key {
        "emits" => return Ok(left.emits.iter().map(emit).collect::<Vec<_>>().join(" ")),
        "exhausted" => return Ok(exhausted.to_string()),
        "cc" => {
            let flags = |lane| {
                let bits = lane_word(lane, FLAGS) >> 8;
                let set: String =
                    FLAG_LETTERS.chars().zip(0..).filter(|(_, bit)| bits >> bit & 1 != 0).map(|(c, _)| c).collect();
                if set.is_empty() { "-".to_owned() } else { set }
            };
            return Ok(lanes.map(flags).collect::<Vec<_>>().join(" "));
        }
        _ => {}
    }
    let (kind, number) = key.split_at(1);
    let number = integer(number)? as usize;
    match kind {
        "r" => Ok(show(lanes.map(|lane| lane_word(lane, 4 * number)))),
        "p" => Ok(lanes.map(|lane| (lane_word(lane, FLAGS) >> number & 1).to_string()).collect::<Vec<_>>().join(" ")),
        _ => Err(format!("no result `{key}`")),
    }
}

/// Every form of every instruction is in a file, or is one that has no known meaning.
pub fn covered(files: &[Arc<File>]) -> Result<(), Failed> {
    let mut left: BTreeMap<u64, &str> = ALL.iter().map(|row| (row.pattern.value, row.name)).collect();
    for file in files.iter().filter(|file| file.commands.iter().any(|command| command.name == "shader")) {
        let words = assemble(file)?;
        for (_, &word) in words.iter().enumerate().filter(|(index, _)| index % 4 != 0) {
            if let Some(form) = form(word) {
                left.remove(&form.pattern.value);
            }
        }
    }
    let unsupported =
        |value: u64| decode(value).is_some_and(|op| UNSUPPORTED.iter().any(|(unknown, _)| *unknown == op));
    left.retain(|value, _| !unsupported(*value));
    match left.is_empty() {
        true => Ok(()),
        false => Err(format!("no `shader` file has {left:x?}").into()),
    }
}
