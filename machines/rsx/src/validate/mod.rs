//! Checks of draws over the methods of the 3D class: a table of small functions, each for one kind of finding.
//!
//! A check says what is wrong with which method, and what to write instead. The engine checks the result of
//! a draw; [`remedy`] names the method that decides it. Sources are those of the tables in `guest`.

mod input;
mod output;
mod target;

pub(crate) use input::note_program;

use triglyph_engine::probe::Command;
use triglyph_engine::validate::{Check, FindingKind, Role, Rules};
use triglyph_guest::machine::Machine;
use triglyph_guest::rsx::methods::{CURIE, curie as m};
use triglyph_guest::rsx::objects::class;

/// The rules of the PlayStation 3.
pub(crate) static RULES: Rules =
    Rules { machine: Machine::Ps3, role, name, index: |number| number as usize / 4, remedy, checks: CHECKS };

const CHECKS: &[Check] = &[
    Check { kind: FindingKind::NoVertices, find: input::no_vertices },
    Check { kind: FindingKind::IncompletePrimitive, find: input::incomplete_primitive },
    Check { kind: FindingKind::RenderingDisabled, find: output::rendering_disabled },
    Check { kind: FindingKind::NoTarget, find: target::none },
    Check { kind: FindingKind::TargetFormat, find: target::format },
    Check { kind: FindingKind::TargetSize, find: target::size },
    Check { kind: FindingKind::EmptyViewport, find: target::viewport },
    Check { kind: FindingKind::EmptyScissor, find: target::scissor },
    Check { kind: FindingKind::OutsideView, find: target::depth_range },
    Check { kind: FindingKind::NoProgram, find: input::no_program },
    Check { kind: FindingKind::TestNever, find: output::test_never },
    Check { kind: FindingKind::WritesMasked, find: output::writes_masked },
    Check { kind: FindingKind::BlendKeepsTarget, find: output::blend_keeps_target },
    Check { kind: FindingKind::ConstantZero, find: output::constant_zero },
    Check { kind: FindingKind::UnlinkedInput, find: input::unlinked },
    Check { kind: FindingKind::ConstantAttribute, find: input::attribute_without_array },
    Check { kind: FindingKind::UnusualState, find: target::viewport_offset },
    Check { kind: FindingKind::UnusualState, find: input::array_in_target },
    Check { kind: FindingKind::UnusualState, find: input::short_stride },
    Check { kind: FindingKind::UnusualState, find: output::shader_control },
    Check { kind: FindingKind::UnusualState, find: output::shade_mode },
];

fn role(command: &Command) -> Role {
    if command.class != class::CURIE {
        return Role::Other;
    }
    match command.method as usize {
        m::set_begin_end::ID if command.value == 0 => Role::End,
        m::set_begin_end::ID => Role::Begin,
        m::draw_arrays::ID
        | m::draw_index_array::ID
        | m::array_element16::ID
        | m::array_element32::ID
        | m::inline_array::ID => Role::Vertices(true),
        // Attribute 0 gives a vertex; which one of the methods for it ends one does not matter here.
        method if is_vertex_data(method) => Role::Vertices(true),
        _ => Role::Other,
    }
}

/// Whether a method gives a value of an attribute.
fn is_vertex_data(method: usize) -> bool {
    CURIE.find(method as u32).is_some_and(|found| found.method.name.starts_with("SET_VERTEX_DATA") && found.index == 0)
        && !(m::set_vertex_data_array_offset::ID..=m::set_vertex_data_array_format::id(15)).contains(&method)
}

fn name(number: u32) -> String {
    CURIE.find(number).map_or_else(|| format!("method {number:#x}"), |found| found.to_string())
}

/// The method that decides about an outcome, and what to write instead.
fn remedy(kind: FindingKind) -> Option<(u32, &'static str)> {
    let (method, advice) = match kind {
        FindingKind::AllCulled => {
            (m::set_cull_face_enable::ID, "Write 0 to draw both sides, or exchange CW and CCW in SET_FRONT_FACE.")
        }
        FindingKind::OutsideView => (
            m::set_viewport_scale::id(2),
            "Check the projection: x, y and z lie from -w to w. Check the depth range in SET_CLIP_MIN and SET_CLIP_MAX.",
        ),
        FindingKind::Degenerate => {
            (m::set_viewport_scale::id(0), "Write half the width, half the height (negative: y upwards) and 0.5.")
        }
        FindingKind::SamePosition | FindingKind::BadPosition => (
            m::set_vertex_attrib_input_mask::ID,
            "Write a bit for each attribute that the program reads, and set the format and offset of their arrays; \
             check that the vertex program writes o[HPOS].",
        ),
        FindingKind::ConstantAttribute => (
            m::set_vertex_attrib_input_mask::ID,
            "Write a bit for each attribute that the program reads, and set the format and offset of their arrays.",
        ),
        FindingKind::NoPixels => {
            (m::set_scissor_horizontal::ID, "Write x | width << 16; check window clip and viewport.")
        }
        FindingKind::DepthFailed => {
            (m::set_depth_func::ID, "Write another function (0x203 is LEQUAL), and clear depth before the first draw.")
        }
        FindingKind::BoundsFailed => (m::set_depth_bounds_test_enable::ID, "Write 0 to turn the test off."),
        FindingKind::StencilFailed => {
            (m::set_stencil_func::ID, "Write another function (0x207 is ALWAYS); check reference and mask.")
        }
        FindingKind::AlphaFailed => (m::set_alpha_func::ID, "Write another function (0x207 is ALWAYS) or reference."),
        FindingKind::WritesMasked => (m::set_color_mask::ID, "Write 0x01010101 for all four channels."),
        _ => return None,
    };
    Some((method as u32, advice))
}
