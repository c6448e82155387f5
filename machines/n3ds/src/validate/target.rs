//! Surfaces, viewport and scissor.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::pica::regs::{self, FragmentMode, ScissorMode};

/// Width, and rows.
fn extent(draw: &Draw<'_>) -> (u32, u32) {
    let word = draw.get(regs::fb_dim::ID);
    (regs::fb_dim::width(word), regs::fb_dim::height_minus_1(word) + 1)
}

/// Whether there is a depth buffer that draws may be meant for alone.
fn has_depth(draw: &Draw<'_>) -> bool {
    let address = regs::depth_addr::address(draw.get(regs::depth_addr::ID));
    let writes = regs::depth_color_mask::write_depth(draw.get(regs::depth_color_mask::ID));
    address != 0 && writes && draw.is_writable(address)
}

fn color_address(draw: &Draw<'_>) -> u64 {
    regs::color_addr::address(draw.get(regs::color_addr::ID))
}

pub(super) fn size(draw: &Draw<'_>) -> Option<Found> {
    (extent(draw).0 == 0).then_some(())?;
    let what = "The target has no width";
    let advice = "Write width | (height - 1) << 12 | 1 << 24; 0x010EF0F0 is 240 x 240.";
    Some(draw.found(regs::fb_dim::ID, what, advice))
}

pub(super) fn none(draw: &Draw<'_>) -> Option<Found> {
    (color_address(draw) == 0 && !has_depth(draw)).then_some(())?;
    let what = "There is no colour buffer";
    let advice = "Write the physical address divided by 8; 0x03000000 is the beginning of VRAM, 0x18000000.";
    Some(draw.found(regs::color_addr::ID, what, advice))
}

pub(super) fn unmapped(draw: &Draw<'_>) -> Option<Found> {
    let address = color_address(draw);
    if address == 0 || draw.is_writable(address) {
        return None;
    }
    let what = format!("{}, and nothing is mapped at {address:#010x}.", draw.show(regs::color_addr::ID));
    let advice = "Write the physical address divided by 8: VRAM is at 0x18000000, the linear heap at 0x20000000.";
    Some(Found::at(regs::color_addr::ID, what, advice))
}

pub(super) fn format(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(regs::color_format::ID);
    (color_address(draw) != 0 && regs::color_format::format(word).is_none()).then_some(())?;
    let what = "The colour buffer has a format that does not exist";
    Some(draw.found(
        regs::color_format::ID,
        what,
        "Write 2 for RGBA8; the format is in bits 16:18, the size in bits 0:1.",
    ))
}

pub(super) fn viewport(draw: &Draw<'_>) -> Option<Found> {
    let halves = [
        (regs::viewport_half_w::ID, regs::viewport_half_w::value(draw.get(regs::viewport_half_w::ID)), "width"),
        (regs::viewport_half_h::ID, regs::viewport_half_h::value(draw.get(regs::viewport_half_h::ID)), "height"),
    ];
    let (register, _, axis) = halves.into_iter().find(|(_, half, _)| *half == 0.0 || !half.is_finite())?;
    let what = format!("Half the viewport's {axis} is no positive number");
    Some(draw.found(
        register,
        what,
        format!("Write half the {axis} in pixels as a float of 24 bits; 0x45E000 is 120.0."),
    ))
}

pub(super) fn scissor(draw: &Draw<'_>) -> Option<Found> {
    let (first, last) = (draw.get(regs::scissor_pos::ID), draw.get(regs::scissor_dim::ID));
    let (x1, y1) = (regs::scissor_pos::x1(first), regs::scissor_pos::y1(first));
    let (x2, y2) = (regs::scissor_dim::x2(last), regs::scissor_dim::y2(last));
    let (width, rows) = extent(draw);
    let is_empty = match regs::scissor_mode::mode(draw.get(regs::scissor_mode::ID))? {
        ScissorMode::Outside => x1 > x2 || y1 > y2 || x1 >= width || y1 >= rows,
        ScissorMode::Inside => x1 == 0 && y1 == 0 && x2 + 1 >= width && y2 + 1 >= rows,
        ScissorMode::Off => false,
    };
    (is_empty && width > 0).then_some(())?;
    let what = format!("The scissor from ({x1}, {y1}) to ({x2}, {y2}) leaves no pixel of the {width} x {rows} target");
    let advice = "Write 0 to turn the scissor off, or corners to scissor_pos and scissor_dim; the second is inclusive.";
    Some(draw.found(regs::scissor_mode::ID, what, advice))
}

/// What fragments do.
pub(super) fn mode(draw: &Draw<'_>) -> Option<FragmentMode> {
    regs::color_operation::mode(draw.get(regs::color_operation::ID))
}
