//! Programs in memory, as their headers describe them.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::tegra::header::program::{Words, attribute, fields};
use triglyph_guest::tegra::methods::threed::regs as r;

use super::target::address;
use crate::class_3d::programs::stage_numbers::{GEOMETRY, PIXEL, STAGES, TESS_EVALUATION, VERTEX_B};
use crate::core::ADDRESS_MASK;

/// Bit of the first attribute word in the map of inputs.
const INPUTS: u32 = 160;
/// Bit of the first attribute word in the map of outputs.
const OUTPUTS: u32 = 400;

/// Where the header of a stage's program is.
fn place(draw: &Draw<'_>, stage: usize) -> u64 {
    let region = address(draw, r::set_program_region_a::ID);
    region.wrapping_add(draw.get(r::set_pipeline_program::id(stage)).into()) & ADDRESS_MASK
}

fn header(draw: &Draw<'_>, stage: usize) -> Words {
    draw.words(place(draw, stage))
}

fn is_on(draw: &Draw<'_>, stage: usize) -> bool {
    r::set_pipeline_shader::enable(draw.get(r::set_pipeline_shader::id(stage)))
}

fn bit(header: &Words, bit: u32) -> bool {
    header[bit as usize / 32] >> (bit % 32) & 1 != 0
}

/// Whether the vertex program reads a component of a generic attribute.
pub(super) fn reads_attribute(draw: &Draw<'_>, n: usize) -> bool {
    let header = header(draw, VERTEX_B);
    let first = INPUTS + (attribute::GENERIC + 16 * n as u32) / 4;
    (first..first + 4).any(|at| bit(&header, at))
}

/// Names of the stages, by their numbers.
const NAMES: [&str; STAGES] = ["vertex A", "vertex", "tessellation control", "tessellation", "geometry", "pixel"];

pub(super) fn none(draw: &Draw<'_>) -> Option<Found> {
    if !is_on(draw, PIXEL) {
        let register = r::set_pipeline_shader::id(PIXEL);
        let what = "There is no pixel program";
        return Some(draw.found(register, what, "Write 0x51, and the program's offset to SET_PIPELINE_PROGRAM."));
    }
    for stage in [VERTEX_B, PIXEL] {
        let register = r::set_pipeline_program::id(stage);
        let (name, at) = (NAMES[stage], place(draw, stage));
        if !draw.is_readable(at) {
            let what = format!("Nothing is mapped at {at:#x}, the address of the {name} program");
            let advice = "Write the address of all programs to SET_PROGRAM_REGION, and the distance from there here.";
            return Some(draw.found(register, what, advice));
        }
        if header(draw, stage) == [0; 20] {
            let what = format!("The header of the {name} program at {at:#x} is all zeros");
            return Some(draw.found(
                register,
                what,
                "Store the program's header of 80 bytes there, and its code after it.",
            ));
        }
    }
    None
}

pub(super) fn no_position(draw: &Draw<'_>) -> Option<Found> {
    let last = [GEOMETRY, TESS_EVALUATION].into_iter().find(|stage| is_on(draw, *stage)).unwrap_or(VERTEX_B);
    let header = header(draw, last);
    let first = OUTPUTS + attribute::POSITION / 4;
    if (first..first + 4).any(|at| bit(&header, at)) {
        return None;
    }
    let register = r::set_pipeline_program::id(last);
    let what = format!(
        "The header of the {} program at {:#x} has no position among its outputs",
        NAMES[last],
        place(draw, last)
    );
    Some(draw.found(register, what, "Set bits 12 to 15 of word 13 of the header: outputs 0x70 to 0x7C."))
}

pub(super) fn no_color(draw: &Draw<'_>) -> Option<Found> {
    let header = header(draw, PIXEL);
    let has_outputs = fields::TARGET_MASK.get(&header) != 0 || fields::WRITES_DEPTH.get(&header) != 0;
    if has_outputs || !is_on(draw, PIXEL) {
        return None;
    }
    let register = r::set_pipeline_program::id(PIXEL);
    let what = format!("The header of the pixel program at {:#x} has no outputs", place(draw, PIXEL));
    Some(draw.found(register, what, "Write 0xF to word 18 of the header, for the four channels of target 0."))
}
