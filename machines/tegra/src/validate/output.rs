//! What becomes of fragments: switches, tests, masks, blending.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::tegra::methods::threed::{BlendFactor, BlendOp, CompareFunc, LogicOp, regs as r};

use super::target::first_target;

pub(super) fn rendering_disabled(draw: &Draw<'_>) -> Option<Found> {
    (!r::set_raster_enable::v(draw.get(r::set_raster_enable::ID))).then_some(())?;
    let what = "The rasterizer is off";
    Some(draw.found(r::set_raster_enable::ID, what, "Write 1, unless the draw is for transform feedback alone."))
}

pub(super) fn test_never(draw: &Draw<'_>) -> Option<Found> {
    let tests = [
        ("depth", r::set_depth_test::ID, r::set_depth_func::ID),
        ("alpha", r::set_alpha_test::ID, r::set_alpha_func::ID),
        ("stencil", r::set_stencil_test::ID, r::set_stencil_func::ID),
    ];
    let is_never = |word: u32| CompareFunc::from_register(word) == Some(CompareFunc::Never);
    draw.test_never(tests, is_never, "Write another function: 0x207 is ALWAYS, 0x203 is LEQUAL.")
}

pub(super) fn writes_masked(draw: &Draw<'_>) -> Option<Found> {
    let target = first_target(draw)?;
    let is_single = r::set_single_ct_write_control::enable(draw.get(r::set_single_ct_write_control::ID));
    let register = r::set_ct_write::id(if is_single { 0 } else { target });
    let only_one = r::set_ct_select::target_count(draw.get(r::set_ct_select::ID)) == 1;
    let writes_depth = draw.get(r::set_depth_test::ID) & draw.get(r::set_depth_write::ID) & 1 != 0;
    (draw.get(register) & 0x1111 == 0 && only_one && !writes_depth).then_some(())?;
    let what = "No channel of the colour target is written";
    Some(draw.found(register, what, "Write 0x1111 for all four channels."))
}

/// Factors of source and target, of colours, if blending is on for the first target and adds.
fn factors(draw: &Draw<'_>) -> Option<[BlendFactor; 2]> {
    let is_per_target = r::set_blend_state_per_target::enable(draw.get(r::set_blend_state_per_target::ID));
    let is_on = r::set_blend::enable(draw.get(r::set_blend::id(first_target(draw)?)));
    let adds = BlendOp::from_register(draw.get(r::set_blend_color_op::ID)) == Some(BlendOp::Add);
    (is_on && adds && !is_per_target).then_some(())?;
    let source = BlendFactor::from_register(draw.get(r::set_blend_color_source_coeff::ID))?;
    Some([source, BlendFactor::from_register(draw.get(r::set_blend_color_dest_coeff::ID))?])
}

pub(super) fn blend_keeps_target(draw: &Draw<'_>) -> Option<Found> {
    (factors(draw)? == [BlendFactor::Zero, BlendFactor::One]).then_some(())?;
    let register = r::set_blend_color_source_coeff::ID;
    let what = "Blending takes nothing of the source and all of the target";
    Some(draw.found(register, what, "Write 0x4001 (ONE), and 0x4000 (ZERO) for the target, or turn blending off."))
}

pub(super) fn constant_zero(draw: &Draw<'_>) -> Option<Found> {
    if factors(draw) == Some([BlendFactor::Zero; 2]) {
        let register = r::set_blend_color_source_coeff::ID;
        let what = "Blending multiplies source and target by 0";
        return Some(draw.found(register, what, "Write 0x4001 (ONE), or turn blending off."));
    }
    let is_logic = r::set_logic_op::enable(draw.get(r::set_logic_op::ID));
    let is_clear = LogicOp::from_register(draw.get(r::set_logic_op_func::ID)) == Some(LogicOp::Clear);
    (is_logic && is_clear).then_some(())?;
    let register = r::set_logic_op_func::ID;
    let what = "The logic operation is CLEAR, which stores 0";
    Some(draw.found(register, what, "Write 0x1503 (COPY), or turn logic operations off."))
}
