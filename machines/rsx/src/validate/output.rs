//! What becomes of fragments: conditions, tests, masks, blending.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::rsx::enums::{BlendEquation, BlendFactor, Compare, LogicOp, ShadeMode};
use triglyph_guest::rsx::methods::curie as m;

use super::target::writes_depth;

pub(super) fn rendering_disabled(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(m::set_render_enable::ID);
    let is_conditional = word != 0 && word >> 24 != 1;
    (is_conditional && draw.facts.vertices == 0 && draw.has_vertices).then_some(())?;
    Some(draw.found(m::set_render_enable::ID, "Draws depend on a report", "Write 0x01000000 to draw always."))
}

pub(super) fn test_never(draw: &Draw<'_>) -> Option<Found> {
    let tests = [
        ("depth", m::set_depth_test_enable::ID, m::set_depth_func::ID),
        ("alpha", m::set_alpha_test_enable::ID, m::set_alpha_func::ID),
        ("stencil", m::set_stencil_test_enable::ID, m::set_stencil_func::ID),
    ];
    let is_never = |word: u32| Compare::from_register(word) == Some(Compare::Never);
    draw.test_never(tests, is_never, "Write another function: 0x207 is ALWAYS, 0x203 is LEQUAL.")
}

pub(super) fn writes_masked(draw: &Draw<'_>) -> Option<Found> {
    let others = draw.get(m::set_surface_color_target::ID) & 0xE;
    (draw.get(m::set_color_mask::ID) & 0x0101_0101 == 0 && others == 0 && !writes_depth(draw)).then_some(())?;
    let what = "No channel of the colour surface is written";
    Some(draw.found(m::set_color_mask::ID, what, "Write 0x01010101 for all four channels."))
}

/// Factors of source and target, of colours, if blending is on and adds.
fn factors(draw: &Draw<'_>) -> Option<[BlendFactor; 2]> {
    let is_on = m::set_blend_enable::a(draw.get(m::set_blend_enable::ID));
    let adds = m::set_blend_equation::rgb(draw.get(m::set_blend_equation::ID)) == Some(BlendEquation::Add);
    (is_on && adds).then_some(())?;
    let source = m::set_blend_func_sfactor::rgb(draw.get(m::set_blend_func_sfactor::ID))?;
    Some([source, m::set_blend_func_dfactor::rgb(draw.get(m::set_blend_func_dfactor::ID))?])
}

pub(super) fn blend_keeps_target(draw: &Draw<'_>) -> Option<Found> {
    (factors(draw)? == [BlendFactor::Zero, BlendFactor::One]).then_some(())?;
    let register = m::set_blend_func_sfactor::ID;
    let what = "Blending takes nothing of the source and all of the target";
    Some(draw.found(register, what, "Write 0x00010001 (ONE) to SFACTOR and 0 to DFACTOR, or turn blending off."))
}

pub(super) fn constant_zero(draw: &Draw<'_>) -> Option<Found> {
    if factors(draw) == Some([BlendFactor::Zero; 2]) {
        let register = m::set_blend_func_sfactor::ID;
        let what = "Blending multiplies source and target by 0";
        return Some(draw.found(register, what, "Write 0x00010001 (ONE) to SFACTOR, or turn blending off."));
    }
    let is_logic = m::set_logic_op_enable::enable(draw.get(m::set_logic_op_enable::ID));
    let is_clear = m::set_logic_op::op(draw.get(m::set_logic_op::ID)) == Some(LogicOp::Clear);
    (is_logic && is_clear).then_some(())?;
    let what = "The logic operation is CLEAR, which stores 0";
    Some(draw.found(m::set_logic_op::ID, what, "Write 0x1503 (COPY), or turn logic operations off."))
}

pub(super) fn shader_control(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(m::set_shader_control::ID);
    (m::set_shader_control::registers(word) == 0).then_some(())?;
    let what = "The fragment program has no registers, and its result is h0, not r0";
    let advice = "Write registers << 24, | 0x40 if the result is in r0; 0x02000040 for a program with r0 and r1.";
    Some(draw.found(m::set_shader_control::ID, what, advice))
}

pub(super) fn shade_mode(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(m::set_shade_mode::ID);
    ShadeMode::from_register(word).is_none().then_some(())?;
    let what = "The shade mode does not exist";
    Some(draw.found(m::set_shade_mode::ID, what, "Write 0x1D01 (SMOOTH) or 0x1D00 (FLAT)."))
}
