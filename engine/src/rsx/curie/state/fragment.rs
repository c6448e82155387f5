//! The fragment program: from guest memory to code, constants, and what its inputs read.

use std::sync::Arc;

use triglyph_guest::kernel::program::fragment::{FUEL, FogMode, FragmentInput, Interpolation, RsxFragmentCode};
use triglyph_guest::rsx::enums::{self, ShadeMode};
use triglyph_guest::rsx::fragment::memory::{self, Order};
use triglyph_guest::rsx::fragment::program::{clear_constants, constants};
use triglyph_guest::rsx::fragment::{FlowOp, Instruction, Program, Step, Summary};
use triglyph_guest::rsx::methods::curie as m;

use crate::device::FaultKind;
use crate::draw::program::{Interpolate, Output, Varying};
use crate::rsx::core::Core;
use crate::rsx::dma::DmaObject;
use crate::rsx::registers::Registers;

/// A program as it was last read.
#[derive(Clone, Debug)]
pub(in crate::rsx::curie) struct FragmentProgram {
    /// Where it stands.
    object: DmaObject,
    offset: u32,
    /// The bytes that were read.
    bytes: Vec<u8>,
    /// Words with the constants cleared.
    pub code: Arc<Vec<u32>>,
    /// Inline constants.
    pub constants: Arc<[[f32; 4]]>,
    /// What it uses.
    pub summary: Summary,
    /// Instructions that a fragment executes at most.
    pub instructions: u64,
}

/// Bytes of a slot.
const SLOT: usize = 16;

impl FragmentProgram {
    /// Reads the program that the registers name. `before` is the one before, whose code is kept if it is the same.
    pub(super) fn read(core: &mut Core, registers: &Registers, before: Option<Self>) -> Option<Self> {
        let word = registers.get(m::set_shader_program::ID as u32);
        let object = match m::set_shader_program::location(word) {
            1 => m::set_context_dma_a::ID,
            2 => m::set_context_dma_b::ID,
            other => {
                let what = format_args!("location {other} of a fragment program");
                core.fault(FaultKind::BadMethod, word.into(), what);
                return None;
            }
        };
        let object = core.dma(registers.get(object as u32), "fragment program")?;
        // Programs are aligned to 64 bytes; the bits below are not known to reach the memory.
        let offset = m::set_shader_program::address(word) << 2 & !63;
        if let Some(place) = object.place(offset) {
            let most = (memory::MAX_SLOTS * SLOT) as u64;
            core.renderer.flush_overlapping(&core.memory, place.space, place.address, most);
        }
        let order = if core.big_endian { Order::Big } else { Order::Little };
        let mut bytes = Vec::new();
        let mut code = match memory::read(order, |slot| {
            let found = slot_bytes(core, &object, offset, slot)?;
            bytes.extend_from_slice(&found);
            Some(found)
        }) {
            Ok(code) => code,
            Err(error) => {
                core.fault(FaultKind::BadShader, offset.into(), format_args!("{error}"));
                return None;
            }
        };
        let values: Arc<[[f32; 4]]> = constants(&code).map(|words| words.map(f32::from_bits)).collect();
        clear_constants(&mut code);
        // A game patches constants far more often than instructions.
        if let Some(before) = before.filter(|before| *before.code == code) {
            return Some(FragmentProgram { object, offset, bytes, constants: values, ..before });
        }
        let program = Program::decode(&code, |at, unknown| {
            let what = format_args!("fragment program at {offset:#x}, word {at}: {unknown}");
            core.fault(FaultKind::BadShader, offset.into(), what);
        });
        let (summary, instructions) = (program.summary, longest(&program));
        Some(FragmentProgram { object, offset, bytes, code: Arc::new(code), constants: values, summary, instructions })
    }

    /// Whether memory still holds what was read.
    pub(super) fn is_current(&self, core: &mut Core) -> bool {
        let Some(place) = self.object.range(self.offset.into(), self.bytes.len() as u64) else { return false };
        core.renderer.flush_overlapping(&core.memory, place.space, place.address, self.bytes.len() as u64);
        let window = core.memory.readable(place.space, place.address);
        self.bytes.chunks_exact(SLOT).enumerate().all(|(slot, bytes)| window.read::<SLOT>(SLOT * slot) == *bytes)
    }

    /// What the key of its kernel says about the program.
    pub(super) fn key(&self, registers: &Registers, inputs: [FragmentInput; 16]) -> RsxFragmentCode {
        let control = registers.get(m::set_shader_control::ID as u32);
        RsxFragmentCode {
            code: self.code.to_vec(),
            inputs,
            export_float: m::set_shader_control::export_float(control),
            export_depth: m::set_shader_control::depth_export(control) == DEPTH_EXPORT,
        }
    }
}

/// The value of SHADER_CONTROL's field with which depth is exported.
const DEPTH_EXPORT: u32 = 0xE;

fn slot_bytes(core: &Core, object: &DmaObject, offset: u32, slot: usize) -> Option<[u8; SLOT]> {
    let place = object.range(u64::from(offset) + (slot * SLOT) as u64, SLOT as u64)?;
    let window = core.memory.readable(place.space, place.address);
    (window.len() >= SLOT).then(|| window.read(0))
}

/// Instructions that a fragment executes at most: those of repetitions count as often as these go round.
fn longest(program: &Program) -> u64 {
    if program.summary.repeats && program.code.iter().any(is_call) {
        return FUEL.into();
    }
    // Ends of the repetitions around an instruction, and how often they go round together.
    let mut around: Vec<(usize, u64)> = Vec::new();
    let mut count = 0u64;
    for (index, step) in program.code.iter().enumerate() {
        around.retain(|&(end, _)| index < end);
        let passes = around.last().map_or(1, |&(_, passes)| passes);
        count = count.saturating_add(passes);
        if let Instruction::Flow(flow) = &step.instruction
            && matches!(flow.op, FlowOp::Loop | FlowOp::Rep)
        {
            around.push((step.end.into(), passes.saturating_mul(flow.count.into())));
        }
    }
    count.min(FUEL.into())
}

fn is_call(step: &Step) -> bool {
    matches!(&step.instruction, Instruction::Flow(flow) if flow.op == FlowOp::Cal)
}

/// Whether points replace texture coordinates.
pub(super) fn sprites(registers: &Registers) -> bool {
    let word = registers.get(m::set_point_sprite_control::ID as u32);
    m::set_point_sprite_control::enable(word) && m::set_point_sprite_control::replace(word) != 0
}

/// What the inputs of a program read, and the groups of planes that takes.
pub(super) struct Inputs {
    pub inputs: [FragmentInput; 16],
    pub varyings: Vec<Varying>,
}

/// What a vertex program leaves in an output that it does not write, or that the mask takes away.
const MISSING: Output = Output::Constant([0.0, 0.0, 0.0, 1.0]);

/// Inputs of fragment programs.
mod input {
    pub const POSITION: usize = 0;
    pub const COLOR0: usize = 1;
    pub const COLOR1: usize = 2;
    pub const FOG: usize = 3;
    pub const COORDINATE0: usize = 4;
    pub const COORDINATE9: usize = 13;
    pub const FACING: usize = 14;
}

/// Outputs of vertex programs.
mod output {
    pub const COLOR0: u32 = 1;
    pub const BACK_COLOR0: u32 = 3;
    pub const FOG: u32 = 5;
    pub const COORDINATE0: u32 = 7;
    pub const COORDINATE8: u32 = 15;
    /// Shared with the point size and clip distances.
    pub const COORDINATE9: u32 = 6;
}

/// Derives the inputs of a program that reads those in `read`; `offset` says where in a record an output stands, if it
/// is there.
pub(super) fn inputs(registers: &Registers, read: u16, points: bool, offset: impl Fn(u32) -> Option<usize>) -> Inputs {
    let get = |id: usize| registers.get(id as u32);
    let register = |output: u32| offset(output).map_or(MISSING, Output::Register);
    let flat = m::set_shade_mode::mode(get(m::set_shade_mode::ID)) == Some(ShadeMode::Flat);
    let two_sided = m::set_two_side_light_en::enable(get(m::set_two_side_light_en::ID));
    let mask = get(m::set_vertex_attrib_output_mask::ID);
    let sprite = get(m::set_point_sprite_control::ID);
    let replaced = match points && m::set_point_sprite_control::enable(sprite) {
        true => m::set_point_sprite_control::replace(sprite),
        false => 0,
    };
    let mut found = Inputs { inputs: [FragmentInput::Zero; 16], varyings: Vec::new() };
    for number in (0..16).filter(|number| read >> number & 1 != 0) {
        found.inputs[number] = match number {
            input::POSITION => FragmentInput::Position,
            input::FACING => FragmentInput::Facing,
            input::COLOR0 | input::COLOR1 => {
                let which = (number - input::COLOR0) as u32;
                let front = register(output::COLOR0 + which);
                let back = if two_sided { register(output::BACK_COLOR0 + which) } else { front };
                let interpolate = if flat { Interpolate::Flat } else { Interpolate::Perspective };
                found.varying(Varying { front, back, interpolate }, true)
            }
            input::FOG => {
                let shown = if m::set_vertex_attrib_output_mask::fog(mask) { register(output::FOG) } else { MISSING };
                let group = found.group(Varying { front: shown, back: shown, interpolate: Interpolate::Perspective });
                FragmentInput::Fog { group, mode: fog_mode(get(m::set_fog_mode::ID)) }
            }
            input::COORDINATE0..=input::COORDINATE9 => {
                let which = number - input::COORDINATE0;
                let control = get(m::set_tex_coord_control::id(which));
                let two_dimensional = m::set_tex_coord_control::is_2d(control);
                if replaced >> which & 1 != 0 {
                    let interpolate = Interpolate::Linear;
                    let sprite = Output::PointCoordinate;
                    let group = found.group(Varying { front: sprite, back: sprite, interpolate });
                    FragmentInput::PointCoordinate { group, two_dimensional }
                } else {
                    let shown = match which {
                        0..8 => register(output::COORDINATE0 + which as u32),
                        8 => register(output::COORDINATE8),
                        _ if m::set_vertex_attrib_output_mask::coordinate9(mask) => register(output::COORDINATE9),
                        _ => MISSING,
                    };
                    let varying = Varying { front: shown, back: shown, interpolate: Interpolate::Perspective };
                    if two_dimensional {
                        FragmentInput::Varying2d { group: found.group(varying) }
                    } else {
                        found.varying(varying, false)
                    }
                }
            }
            _ => FragmentInput::Zero,
        };
    }
    found
}

impl Inputs {
    fn group(&mut self, varying: Varying) -> u8 {
        self.varyings.push(varying);
        (self.varyings.len() - 1) as u8
    }

    /// An ordinary varying. What is the same everywhere is not divided by w.
    fn varying(&mut self, mut varying: Varying, clamp: bool) -> FragmentInput {
        if matches!((varying.front, varying.back), (Output::Constant(_), Output::Constant(_))) {
            varying.interpolate = Interpolate::Linear;
        }
        let interpolation = match varying.interpolate {
            Interpolate::Perspective => Interpolation::Perspective,
            Interpolate::Linear | Interpolate::Flat => Interpolation::Linear,
        };
        FragmentInput::Varying { group: self.group(varying), interpolation, clamp }
    }
}

/// How the fog factor follows; after reset it is EXP.
fn fog_mode(word: u32) -> FogMode {
    match m::set_fog_mode::mode(word) {
        None | Some(enums::FogMode::Exp) => FogMode::Exp,
        Some(enums::FogMode::Exp2) => FogMode::Exp2,
        Some(enums::FogMode::ExpAbs) => FogMode::ExpAbs,
        Some(enums::FogMode::Exp2Abs) => FogMode::Exp2Abs,
        Some(enums::FogMode::LinearAbs) => FogMode::LinearAbs,
        Some(enums::FogMode::Linear) => FogMode::Linear,
    }
}
