//! `fragment`: an RSX fragment program on the four pixels (0, 0), (1, 0), (0, 1), (1, 1).
//!
//! | setting | |
//! |---|---|
//! | `COL0`, `COL1`, `FOGC`, `TC0` to `TC9` | an input at pixel (0, 0) |
//! | `TC0.dx`, `TC0.dy` | what is added to it for each column, each row |
//! | `TC0.kind` | `2d`, `point`, `point2d`, `linear`; perspective without |
//! | `inv_w` | 1/w at (0, 0), its step by column, by row; inputs are divided by w |
//! | `depth` | the same of depth |
//! | `fog` | mode (`linear`, `exp`, `exp2`, `linear-abs` ...) and two parameters |
//! | `position` | what is added to x and to y, what y is multiplied with |
//! | `accuracy` | `exact` if nothing else is said, `fast` |
//! | `back` | `1`: the primitive shows its back |
//! | `covered` | the covered lanes, 0 to 3; all of them without |
//! | `texN...` | see `runner/rsx_texture.rs` |
//!
//! | result | |
//! |---|---|
//! | `r0`, `r2`, `r3`, `r4` | these registers of lane 0 at the end; `r0@3` those of another lane; `r0.bits` their bits |
//! | `h0`, `h4`, `h6`, `h8` | likewise; a case asks for one kind |
//! | `depth@0` | the depth of a lane that wrote R1.z, between 0 and 1 |
//! | `written` | the lanes that were written |

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use triglyph_guest::kernel::program::environment::Environment;
use triglyph_guest::kernel::program::fragment::{
    BACK_FACING, FogMode, FragmentCode, FragmentConstants, FragmentInput, FragmentJob, FragmentKey, Interpolation,
    PixelBlock, Plane, Primitive, RsxFragmentCode, Samples, UNITS,
};
use triglyph_guest::kernel::program::output::{
    Bits, Channel, ColorFormat, ColorKey, Compare, OutputKey, Surface, TARGETS,
};
use triglyph_guest::kernel::{Accuracy, Window, window};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::fragment::syntax::INPUTS;
use triglyph_guest::rsx::fragment::{assemble_program, disassemble_program, program};

use crate::names::{named, names};
use crate::parse::{Case, File, floats, integer, show, vector};
use crate::rsx_texture::Units;
use crate::{Engine, Results};
use triglyph_testkit::fragment;

names! {
    FOG_MODES FogMode {
        Linear "linear", LinearAbs "linear-abs", Exp "exp", ExpAbs "exp-abs", Exp2 "exp2", Exp2Abs "exp2-abs",
    }
}

/// The bits of a register, so that nothing happens to them.
const BITS: ColorFormat = {
    const fn word(shift: u8) -> Channel {
        Channel::Uint(Bits { shift, bits: 32 })
    }
    ColorFormat { bytes: 16, swap: 1, channels: [word(0), word(32), word(64), word(96)] }
};

/// Pixels of a row of the surfaces.
const WIDTH: usize = 8;
/// The initial byte of the targets.
const UNWRITTEN: u8 = 0xEE;

/// The words of the program. Its listing has to read back as the same words.
pub fn assemble(file: &File) -> Result<Vec<u32>, String> {
    let code = assemble_program(&file.program).map_err(|error| format!("[program] {error}"))?;
    let listing = disassemble_program(&code);
    match assemble_program(&listing) {
        Ok(again) if again == code => Ok(code),
        other => Err(format!("the listing is another program: {other:x?}\n{listing}")),
    }
}

/// What a case gives to a program.
pub struct Inputs {
    inputs: [FragmentInput; 16],
    planes: Vec<Plane>,
    primitive: Primitive,
    constants: FragmentConstants,
    covered: u64,
    accuracy: Accuracy,
    textures: Units<UNITS>,
}

impl Default for Inputs {
    fn default() -> Self {
        let mut inputs = [FragmentInput::Zero; 16];
        for (number, input) in inputs.iter_mut().enumerate() {
            let group = number as u8;
            *input = match INPUTS[number] {
                "WPOS" => FragmentInput::Position,
                "COL0" | "COL1" => {
                    FragmentInput::Varying { group, interpolation: Interpolation::Perspective, clamp: true }
                }
                "FOGC" => FragmentInput::Fog { group, mode: FogMode::Linear },
                "SSA" => FragmentInput::Facing,
                "X15" => FragmentInput::Zero,
                _ => FragmentInput::Varying { group, interpolation: Interpolation::Perspective, clamp: false },
            };
        }
        let mut constants = FragmentConstants { position_scale_y: 1.0, ..Default::default() };
        constants.output.depth_range = [0.0, 1.0];
        let primitive = Primitive { inv_w: [1.0, 0.0, 0.0], ..Default::default() };
        let planes = vec![[0.0; 3]; 4 * INPUTS.len()];
        Inputs {
            inputs,
            planes,
            primitive,
            constants,
            covered: 15,
            accuracy: Accuracy::Exact,
            textures: Units::default(),
        }
    }
}

impl Inputs {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let three = |value: &str| -> Result<[f32; 3], String> {
            floats(value)?.try_into().map_err(|_| format!("`{value}` are not three numbers"))
        };
        match key {
            "inv_w" => self.primitive.inv_w = three(value)?,
            "depth" => self.primitive.depth = three(value)?,
            "back" => self.primitive.flags = if integer(value)? != 0 { BACK_FACING } else { 0 },
            "accuracy" => {
                self.accuracy = match value {
                    "exact" => Accuracy::Exact,
                    "fast" => Accuracy::Fast,
                    other => return Err(format!("no accuracy `{other}`")),
                }
            }
            "covered" => {
                self.covered = 0;
                for word in value.split_whitespace() {
                    self.covered |= 1 << (integer(word)? & 3);
                }
            }
            "position" => {
                let [x, y, scale] = three(value)?;
                (self.constants.position_offset, self.constants.position_scale_y) = ([x, y], scale);
            }
            "fog" => {
                let (mode, parameters) = value.split_once(' ').ok_or("a mode and two parameters")?;
                let mode = named(FOG_MODES, mode)?;
                self.constants.fog = floats(parameters)?.try_into().map_err(|_| "two parameters")?;
                self.inputs[3] = FragmentInput::Fog { group: 3, mode };
            }
            _ => return self.set_input(key, value),
        }
        Ok(())
    }

    fn set_input(&mut self, key: &str, value: &str) -> Result<(), String> {
        let (name, part) = key.split_once('.').unwrap_or((key, ""));
        let number = INPUTS.iter().position(|input| *input == name).ok_or_else(|| format!("no setting `{key}`"))?;
        let group = number as u8;
        if part == "kind" {
            self.inputs[number] = match value {
                "2d" => FragmentInput::Varying2d { group },
                "point" => FragmentInput::PointCoordinate { group, two_dimensional: false },
                "point2d" => FragmentInput::PointCoordinate { group, two_dimensional: true },
                "linear" => FragmentInput::Varying { group, interpolation: Interpolation::Linear, clamp: false },
                _ => return Err(format!("no kind `{value}`")),
            };
            return Ok(());
        }
        let of_plane = match part {
            "" => 0,
            "dx" => 1,
            "dy" => 2,
            _ => return Err(format!("no setting `{key}`")),
        };
        for (plane, value) in self.planes[4 * number..].iter_mut().zip(vector(value)?) {
            plane[of_plane] = value;
        }
        Ok(())
    }
}

/// Colour and depth of the four pixels, `None` where nothing was written.
type Lanes = [Option<([[u32; 4]; 4], f32)>; 4];

/// The key of a program whose results are of these kinds: `h` halves, `d` depth.
pub fn key(given: &Inputs, code: Vec<u32>, kinds: &str) -> FragmentKey {
    let (export_float, export_depth) = (!kinds.contains('h'), kinds.contains('d'));
    let code = RsxFragmentCode { code, inputs: given.inputs, export_float, export_depth, accuracy: given.accuracy };
    FragmentKey {
        code: FragmentCode::Rsx(Arc::new(code)),
        textures: given.textures.keys(),
        output: output(),
        samples: Samples::ONE,
    }
}

/// Four pixels.
pub fn run(file: &File, case: &Case, engine: Engine) -> Results {
    let mut code = assemble(file)?;
    let mut given = Inputs::default();
    for item in &case.settings {
        if !given.textures.set(&item.key, &item.value)? {
            given.set(&item.key, &item.value)?;
        }
    }
    let kinds: String = case.expectations.iter().filter_map(|item| item.key.chars().next()).collect();
    if kinds.contains('r') && kinds.contains('h') {
        return Err("a case asks for R or for H registers".to_owned());
    }
    let constants: Vec<_> = program::constants(&code).map(|words| words.map(f32::from_bits)).collect();
    program::clear_constants(&mut code);
    let key = key(&given, code, &kinds);
    let lanes = draw(&key, &given, &constants, engine)?;
    case.expectations.iter().map(|item| result(&lanes, &item.key)).collect()
}

/// Four targets that take bits, and a depth buffer.
fn output() -> OutputKey {
    let mut colors = [None; TARGETS];
    for (source, color) in colors.iter_mut().enumerate().take(4) {
        let source = source as u8;
        *color = Some(ColorKey { format: BITS, layout: SurfaceLayout::Pitch, source, mask: 15, blend: None });
    }
    OutputKey { depth: Some(fragment::depth(Compare::Always)), ..OutputKey::storing(colors) }
}

fn draw(key: &FragmentKey, given: &Inputs, constants: &[[f32; 4]], engine: Engine) -> Result<Lanes, String> {
    let tier = engine.tier()?;
    let kernel = tier.fragment(key).map_err(|refused| refused.to_string())?;
    let memory: Vec<Vec<AtomicU8>> = (0..5).map(|_| window::buffer(&[UNWRITTEN; 16 * WIDTH * 8])).collect();
    let surface = |i: usize, bytes: usize| Surface { window: Window::new(&memory[i]), pitch: (WIDTH * bytes) as u32 };
    let mut colors = [Surface::default(); TARGETS];
    for (i, color) in colors.iter_mut().enumerate().take(4) {
        *color = surface(i, 16);
    }
    let passed = given.textures.with(|textures| {
        kernel.shade(&FragmentJob {
            survivors: &[],
            colors: &colors,
            depth: surface(4, 4),
            constants: &given.constants,
            program_constants: constants,
            textures,
            environment: Environment::NONE,
            primitives: &[given.primitive],
            planes: &fragment::planes_from_centres(&key.code, &given.planes),
            blocks: &[PixelBlock { primitive: 0, x: 0, row: 0, coverage: given.covered }],
        })
    });
    let passed = passed.map_err(|refused| refused.to_string())?;
    let word = |i: usize, offset: usize| u32::from_le_bytes(Window::new(&memory[i]).read(offset));
    let untouched = u32::from_ne_bytes([UNWRITTEN; 4]);
    let lanes: Lanes = std::array::from_fn(|lane| {
        let pixel = lane % 2 + lane / 2 * WIDTH;
        let depth = word(4, 4 * pixel);
        let register = |i| [0, 1, 2, 3].map(|component| word(i, 16 * pixel + 4 * component));
        (depth != untouched).then(|| ([0, 1, 2, 3].map(register), f32::from_bits(depth)))
    });
    match lanes.iter().flatten().count() as u64 == passed {
        true => Ok(lanes),
        false => Err(format!("{passed} samples passed, others were written")),
    }
}

fn result(lanes: &Lanes, key: &str) -> Result<String, String> {
    if key == "written" {
        let written = lanes.iter().enumerate().filter(|(_, lane)| lane.is_some());
        let written: Vec<String> = written.map(|(i, _)| i.to_string()).collect();
        return Ok(if written.is_empty() { "none".to_owned() } else { written.join(" ") });
    }
    let (key, bits) = key.strip_suffix(".bits").map_or((key, false), |key| (key, true));
    let (name, lane) = key.split_once('@').unwrap_or((key, "0"));
    let lane = lanes.get(integer(lane)? as usize).ok_or_else(|| format!("no lane {lane}"))?;
    let Some((colors, depth)) = lane else { return Ok("discarded".to_owned()) };
    let register = match name {
        "depth" => return Ok(show(&[*depth])),
        "r0" | "h0" => colors[0],
        "r2" | "h4" => colors[1],
        "r3" | "h6" => colors[2],
        "r4" | "h8" => colors[3],
        _ => return Err(format!("no result `{key}`")),
    };
    Ok(match bits {
        true => register.map(|word| format!("{word:08x}")).join(" "),
        false => show(&register.map(f32::from_bits)),
    })
}
