//! Checks of draws over the methods of the 3D class: a table of small functions, each for one kind of finding.
//!
//! A check says what is wrong with which method, and what to write instead. The engine checks the result of
//! a draw; [`remedy`] names the method that decides it. Sources are those of the tables in `guest`.

mod input;
mod output;
mod program;
mod target;

use triglyph_engine::probe::Command;
use triglyph_engine::validate::{Check, FindingKind, Role, Rules};
use triglyph_guest::machine::Machine;
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::methods::threed::regs as r;

/// The rules of the Tegra X1.
pub(crate) static RULES: Rules =
    Rules { machine: Machine::TegraX1, role, name, index: |number| number as usize, remedy, checks: CHECKS };

const CHECKS: &[Check] = &[
    Check { kind: FindingKind::NoVertices, find: input::no_vertices },
    Check { kind: FindingKind::IncompletePrimitive, find: input::incomplete_primitive },
    Check { kind: FindingKind::RenderingDisabled, find: output::rendering_disabled },
    Check { kind: FindingKind::NoTarget, find: target::none },
    Check { kind: FindingKind::UnmappedTarget, find: target::unmapped },
    Check { kind: FindingKind::TargetFormat, find: target::format },
    Check { kind: FindingKind::TargetSize, find: target::size },
    Check { kind: FindingKind::EmptyViewport, find: target::viewport },
    Check { kind: FindingKind::EmptyScissor, find: target::scissor },
    Check { kind: FindingKind::NoProgram, find: program::none },
    Check { kind: FindingKind::NoPosition, find: program::no_position },
    Check { kind: FindingKind::NoColorOutput, find: program::no_color },
    Check { kind: FindingKind::UnmappedArray, find: input::unmapped_array },
    Check { kind: FindingKind::TestNever, find: output::test_never },
    Check { kind: FindingKind::WritesMasked, find: output::writes_masked },
    Check { kind: FindingKind::BlendKeepsTarget, find: output::blend_keeps_target },
    Check { kind: FindingKind::ConstantZero, find: output::constant_zero },
    Check { kind: FindingKind::ConstantAttribute, find: input::attribute_without_stream },
    Check { kind: FindingKind::UnusualState, find: target::viewport_offset },
    Check { kind: FindingKind::UnusualState, find: target::initial_format },
    Check { kind: FindingKind::UnusualState, find: target::layout },
    Check { kind: FindingKind::UnusualState, find: target::pitch },
    Check { kind: FindingKind::UnusualState, find: input::short_stride },
];

fn role(command: &Command) -> Role {
    if command.class != Class::ThreeD.id() {
        return Role::Other;
    }
    match command.method as usize {
        r::begin::ID => Role::Begin,
        r::end::ID => Role::End,
        r::draw_vertex_array::ID | r::draw_index_buffer::ID | r::draw_zero_index::ID | r::draw_auto::ID => {
            Role::Vertices(command.value > 0)
        }
        r::draw_inline_index::ID | r::draw_inline_index2x16::ID | r::draw_inline_index4x8::ID => Role::Vertices(true),
        r::draw_vertex_array_begin_end_instance_first::ID
        | r::draw_vertex_array_begin_end_instance_subsequent::ID
        | r::draw_index_buffer32_begin_end_instance_first::ID
        | r::draw_index_buffer32_begin_end_instance_subsequent::ID
        | r::draw_index_buffer16_begin_end_instance_first::ID
        | r::draw_index_buffer16_begin_end_instance_subsequent::ID
        | r::draw_index_buffer8_begin_end_instance_first::ID
        | r::draw_index_buffer8_begin_end_instance_subsequent::ID => Role::Draw,
        r::draw_texture_src_y0::ID => Role::MayDraw,
        _ => Role::Other,
    }
}

fn name(number: u32) -> String {
    Class::ThreeD.method(number).map_or_else(|| format!("method {number:#x}"), |found| found.to_string())
}

/// The method that decides about an outcome, and what to write instead.
fn remedy(kind: FindingKind) -> Option<(u32, &'static str)> {
    let (method, advice) = match kind {
        FindingKind::AllCulled => {
            (r::ogl_set_cull::ID, "Write 0 to draw both sides, or exchange CW and CCW in OGL_SET_FRONT_FACE.")
        }
        FindingKind::OutsideView => (
            r::set_viewport_z_clip::ID,
            "Check the projection: x and y lie from -w to w, z from 0 to w, or from -w to w if this is 0.",
        ),
        FindingKind::Degenerate => (
            r::set_viewport_scale_x::id(0),
            "Write half the width, half the height (negative: y upwards) and 1.0 to the viewport's scale.",
        ),
        FindingKind::SamePosition | FindingKind::BadPosition => (
            r::set_vertex_attribute_a::id(0),
            "Write stream, offset, component widths and type of the attribute that is the position.",
        ),
        FindingKind::ConstantAttribute => (
            r::set_vertex_stream_a_format::id(0),
            "Write the stride | 0x1000 to switch the stream on, and its address and limit.",
        ),
        FindingKind::NoPixels => {
            (r::set_surface_clip_horizontal::ID, "Write first | size << 16; check the scissor and the viewport's clip.")
        }
        FindingKind::DepthFailed => {
            (r::set_depth_func::ID, "Write another function (0x203 is LEQUAL), and clear depth before the first draw.")
        }
        FindingKind::BoundsFailed => (r::set_depth_bounds_test::ID, "Write 0 to turn the test off."),
        FindingKind::StencilFailed => {
            (r::set_stencil_func::ID, "Write another function (0x207 is ALWAYS); check reference and mask.")
        }
        FindingKind::AlphaFailed => (r::set_alpha_func::ID, "Write another function (0x207 is ALWAYS) or reference."),
        FindingKind::WritesMasked => (r::set_ct_write::id(0), "Write 0x1111 for all four channels."),
        _ => return None,
    };
    Some((method as u32, advice))
}
