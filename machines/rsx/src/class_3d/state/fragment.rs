//! What the inputs of fragment programs read.

use triglyph_guest::kernel::program::fragment::{FogMode, FragmentInput, Interpolation};
use triglyph_guest::rsx::enums::{self, ShadeMode};
use triglyph_guest::rsx::methods::curie as m;

use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::{Interpolate, Output, PointR, Varying, Varyings};

/// Whether points replace texture coordinates.
pub(super) fn sprites(registers: &Registers) -> bool {
    let word = registers.get(m::set_point_sprite_control::ID as u32);
    m::set_point_sprite_control::enable(word) && m::set_point_sprite_control::replace(word) != 0
}

/// What the inputs of a program read, and the groups of planes that takes.
pub(super) struct Inputs {
    pub inputs: [FragmentInput; 16],
    pub varyings: Varyings,
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

/// What the third coordinate across a point is; anything else makes it 0.
mod r_mode {
    pub const FROM_R: u32 = 1;
    pub const FROM_S: u32 = 2;
}

/// Derives the inputs of a program that reads those in `read`; `offset` says where in a record an output is, if it
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
    let mut found = Inputs { inputs: [FragmentInput::Zero; 16], varyings: Varyings::new() };
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
                    let own = offset(output::COORDINATE0 + which as u32).filter(|_| which < 8);
                    let third = match (m::set_point_sprite_control::r_mode(sprite), own) {
                        (r_mode::FROM_R, Some(at)) => PointR::Record(at + 2),
                        (r_mode::FROM_S, _) => PointR::S,
                        _ => PointR::Zero,
                    };
                    let sprite = Output::PointCoordinate(third);
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
