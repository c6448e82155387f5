//! What becomes of fragments: tests, masks, blending, combiners.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::pica::regs::{self, BlendEquation, BlendFactor, Compare, FragmentMode, LogicOp};

use super::target::mode;

pub(super) fn test_never(draw: &Draw<'_>) -> Option<Found> {
    let [depth, alpha, stencil] =
        [regs::depth_color_mask::ID, regs::alpha_test::ID, regs::stencil_test::ID].map(|id| draw.get(id));
    let tests = [
        ("depth", regs::depth_color_mask::ID, regs::depth_color_mask::depth_test(depth), {
            regs::depth_color_mask::depth_func(depth)
        }),
        ("alpha", regs::alpha_test::ID, regs::alpha_test::enable(alpha), regs::alpha_test::func(alpha)),
        ("stencil", regs::stencil_test::ID, regs::stencil_test::enable(stencil), regs::stencil_test::func(stencil)),
    ];
    let (test, register, ..) =
        tests.into_iter().find(|(_, _, is_on, function)| *is_on && *function == Some(Compare::Never))?;
    let what = format!("The {test} test is on, and its function is NEVER");
    Some(draw.found(register, what, "Write another function to bits 4:6 (1 is ALWAYS), or 0 to bit 0 to turn it off."))
}

pub(super) fn writes_masked(draw: &Draw<'_>) -> Option<Found> {
    (mode(draw) == Some(FragmentMode::Default)).then_some(())?;
    let word = draw.get(regs::depth_color_mask::ID);
    let writes_depth = regs::depth_color_mask::write_depth(word) && draw.get(regs::depth_write_allow::ID) & 15 != 0;
    let (register, advice) = match word >> 8 & 15 {
        0 => (regs::depth_color_mask::ID, "Write 1 to bits 8 to 11, one for each channel."),
        _ if draw.get(regs::color_write_allow::ID) & 15 == 0 => {
            (regs::color_write_allow::ID, "Write 15 to allow writes to the colour buffer.")
        }
        _ => return None,
    };
    (!writes_depth).then_some(())?;
    Some(Found::at(register, format!("No channel of the colour buffer is written: {}.", draw.show(register)), advice))
}

/// Factors of source and target, of colours, if blending is on and adds.
fn factors(draw: &Draw<'_>) -> Option<[BlendFactor; 2]> {
    let is_on = regs::color_operation::blend(draw.get(regs::color_operation::ID));
    let word = draw.get(regs::blend_func::ID);
    let adds = regs::blend_func::rgb_equation(word) == Some(BlendEquation::Add);
    (is_on && adds && mode(draw) == Some(FragmentMode::Default)).then_some(())?;
    Some([regs::blend_func::rgb_src(word)?, regs::blend_func::rgb_dst(word)?])
}

pub(super) fn blend_keeps_target(draw: &Draw<'_>) -> Option<Found> {
    (factors(draw)? == [BlendFactor::Zero, BlendFactor::One]).then_some(())?;
    let what = "Blending takes nothing of the source and all of the target";
    Some(draw.found(
        regs::blend_func::ID,
        what,
        "Write 0x01010000, which replaces, or 0x76760000, which blends by alpha.",
    ))
}

pub(super) fn constant_zero(draw: &Draw<'_>) -> Option<Found> {
    if factors(draw) == Some([BlendFactor::Zero; 2]) {
        let what = "Blending multiplies source and target by 0";
        return Some(draw.found(
            regs::blend_func::ID,
            what,
            "Write 0x01010000, which replaces the target by the source.",
        ));
    }
    let operation = draw.get(regs::color_operation::ID);
    let is_logic = !regs::color_operation::blend(operation) && mode(draw) == Some(FragmentMode::Default);
    if is_logic && regs::logic_op::op(draw.get(regs::logic_op::ID)) == Some(LogicOp::Clear) {
        let what = format!(
            "Blending is off, and the logic operation is CLEAR, which stores 0: {}, {}.",
            draw.show(regs::color_operation::ID),
            draw.show(regs::logic_op::ID)
        );
        let advice = "Write 0x00E40100 to color_operation to turn blending on, or 3 (COPY) to logic_op.";
        return Some(Found::at(regs::color_operation::ID, what, advice));
    }
    None
}

pub(super) fn unmapped_texture(draw: &Draw<'_>) -> Option<Found> {
    let config = draw.get(regs::tex_config::ID);
    let address = |unit: usize| regs::tex_addr::address(draw.get(regs::tex_addr::IDS[unit]));
    let is_missing = |unit: &usize| config & 1 << unit != 0 && !draw.is_readable(address(*unit));
    let unit = (0..3).find(is_missing)?;
    let register = regs::tex_addr::IDS[unit];
    let what = format!("Texture unit {unit} is on, and nothing is mapped at {:#010x}", address(unit));
    Some(draw.found(register, what, "Write the physical address divided by 8, or turn the unit off in tex_config."))
}
