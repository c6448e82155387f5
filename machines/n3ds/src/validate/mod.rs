//! Checks of draws over the registers of the PICA200: a table of small functions, each for one kind of finding.
//!
//! A check says what is wrong with which register, and what to write instead. The engine checks the result of
//! a draw; [`remedy`] names the register that decides it. Sources are those of the tables in `guest`.

mod input;
mod output;
mod target;

use triglyph_engine::probe::Command;
use triglyph_engine::validate::{Check, FindingKind, Role, Rules};
use triglyph_guest::machine::Machine;
use triglyph_guest::pica::regs;

/// The rules of the 3DS.
pub(crate) static RULES: Rules =
    Rules { machine: Machine::N3ds, role, name, index: |number| number as usize, remedy, checks: CHECKS };

const CHECKS: &[Check] = &[
    Check { kind: FindingKind::NoVertices, find: input::no_vertices },
    Check { kind: FindingKind::IncompletePrimitive, find: input::incomplete_primitive },
    Check { kind: FindingKind::TargetSize, find: target::size },
    Check { kind: FindingKind::NoTarget, find: target::none },
    Check { kind: FindingKind::UnmappedTarget, find: target::unmapped },
    Check { kind: FindingKind::TargetFormat, find: target::format },
    Check { kind: FindingKind::EmptyViewport, find: target::viewport },
    Check { kind: FindingKind::EmptyScissor, find: target::scissor },
    Check { kind: FindingKind::UnmappedArray, find: input::unmapped_array },
    Check { kind: FindingKind::NoPosition, find: input::no_position },
    Check { kind: FindingKind::TestNever, find: output::test_never },
    Check { kind: FindingKind::WritesMasked, find: output::writes_masked },
    Check { kind: FindingKind::BlendKeepsTarget, find: output::blend_keeps_target },
    Check { kind: FindingKind::ConstantZero, find: output::constant_zero },
    Check { kind: FindingKind::UnlinkedInput, find: input::unlinked },
    Check { kind: FindingKind::ConstantAttribute, find: input::attribute_without_source },
    Check { kind: FindingKind::UnusualState, find: input::unusual_arrays },
    Check { kind: FindingKind::UnmappedTexture, find: output::unmapped_texture },
];

fn role(command: &Command) -> Role {
    if command.class != 0 {
        return Role::Other;
    }
    match command.method as usize {
        regs::draw_arrays::ID | regs::draw_elements::ID => Role::Draw,
        // Immediate vertices: they are drawn when other registers are written.
        regs::fixed_attr_index::ID => Role::MayDraw,
        id if regs::fixed_attr_data::IDS.contains(&id) => Role::MayDraw,
        _ => Role::Other,
    }
}

fn name(number: u32) -> String {
    regs::info(number as usize).map_or_else(|| format!("register {number:#x}"), |info| info.name.to_owned())
}

/// The register that decides about an outcome, and what to write instead.
fn remedy(kind: FindingKind) -> Option<(u32, &'static str)> {
    let (register, advice) = match kind {
        FindingKind::AllCulled => (regs::cull::ID, "Write 0 to draw both sides, or exchange 1 and 2."),
        FindingKind::OutsideView => (
            regs::vsh_outmap_mask::ID,
            "Check the projection: x and y lie from -w to w, and z from -w to 0. Check that the outputs under this \
             mask are those that the program writes.",
        ),
        FindingKind::Degenerate => (
            regs::attr_format_lo::ID,
            "Check the format and the arrays of the attribute that is the position, and the viewport.",
        ),
        FindingKind::SamePosition | FindingKind::BadPosition => (
            regs::vsh_opdesc_data::id(0),
            "Check that operand descriptors and code of the vertex program are uploaded, and that the attribute of the \
             position has an array.",
        ),
        FindingKind::NoPixels => {
            (regs::fb_dim::ID, "Write the width to bits 0:10 and the height less 1 to bits 12:21; check the scissor.")
        }
        FindingKind::DepthFailed => (
            regs::depth_color_mask::ID,
            "Write another function to bits 4:6, or 0 to bit 0; fill the depth buffer with 0xFFFFFF before the first \
             draw for the functions LESS and LEQUAL.",
        ),
        FindingKind::StencilFailed => {
            (regs::stencil_test::ID, "Write 0 to bit 0, or another function to bits 4:6; check reference and mask.")
        }
        FindingKind::AlphaFailed => {
            (regs::alpha_test::ID, "Write 0 to bit 0, or another function or reference; check the combiners' alpha.")
        }
        FindingKind::WritesMasked => (regs::depth_color_mask::ID, "Write 1 to bits 8 to 11, one for each channel."),
        _ => return None,
    };
    Some((register as u32, advice))
}
