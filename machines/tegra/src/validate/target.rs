//! Surfaces, viewport and clip rectangles.

use triglyph_engine::mem::GuestRange;
use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::tegra::methods::Class;
use triglyph_guest::tegra::methods::threed::regs as r;
use triglyph_guest::tegra::methods::values::MemoryLayout;

use crate::core::ADDRESS_MASK;

/// The number of the target of colour output 0, if there are targets.
pub(super) fn first_target(draw: &Draw<'_>) -> Option<usize> {
    let select = draw.get(r::set_ct_select::ID);
    (r::set_ct_select::target_count(select) > 0).then(|| r::set_ct_select::target0(select) as usize)
}

/// An address of two methods, upper bits first.
pub(super) fn address(draw: &Draw<'_>, upper: usize) -> u64 {
    (u64::from(draw.get(upper)) << 32 | u64::from(draw.get(upper + 1))) & ADDRESS_MASK
}

/// Whether the draw has a depth surface that it writes: it may be meant for that alone.
fn writes_depth(draw: &Draw<'_>) -> bool {
    let has_depth = r::set_zt_select::target_count(draw.get(r::set_zt_select::ID)) > 0;
    let writes = r::set_depth_test::enable(draw.get(r::set_depth_test::ID))
        && r::set_depth_write::enable(draw.get(r::set_depth_write::ID));
    has_depth && writes && draw.is_writable(address(draw, r::set_zt_a::ID))
}

pub(super) fn none(draw: &Draw<'_>) -> Option<Found> {
    if writes_depth(draw) {
        return None;
    }
    let Some(target) = first_target(draw) else {
        let what = "There is no colour target";
        return Some(draw.found(
            r::set_ct_select::ID,
            what,
            "Write the number of targets to bits 0:3; 1 is target 0 alone.",
        ));
    };
    (address(draw, r::set_color_target_a::id(target)) == 0).then_some(())?;
    let register = r::set_color_target_b::id(target);
    let what = format!("Colour target {target} has no address");
    Some(draw.found(register, what, "Write the GPU address, upper bits to SET_COLOR_TARGET_A."))
}

pub(super) fn unmapped(draw: &Draw<'_>) -> Option<Found> {
    let target = first_target(draw)?;
    let place = address(draw, r::set_color_target_a::id(target));
    if place == 0 || draw.is_writable(place) {
        return None;
    }
    let register = r::set_color_target_b::id(target);
    let what = format!("Nothing is mapped at {place:#x}, the address of colour target {target}");
    Some(draw.found(register, what, "Write the GPU address that the address space gave to the buffer."))
}

pub(super) fn format(draw: &Draw<'_>) -> Option<Found> {
    let register = r::set_color_target_format::id(first_target(draw)?);
    (draw.get(register) & 0xFF == 0 && !writes_depth(draw)).then_some(())?;
    let what = "The colour target has no format";
    Some(draw.found(register, what, "Write the format: 0xD5 is A8B8G8R8, 0xCF is A8R8G8B8."))
}

pub(super) fn size(draw: &Draw<'_>) -> Option<Found> {
    let target = first_target(draw)?;
    let sizes = [r::set_color_target_width::id(target), r::set_color_target_height::id(target)];
    let register = sizes.into_iter().find(|register| draw.get(*register) == 0)?;
    let what = "The colour target has no area";
    Some(draw.found(
        register,
        what,
        "Write pixels, or bytes of a row if the target has rows (SET_COLOR_TARGET_MEMORY).",
    ))
}

/// Whether viewports are given by scale and offset.
fn has_scale(draw: &Draw<'_>) -> bool {
    r::set_viewport_scale_offset::enable(draw.get(r::set_viewport_scale_offset::ID))
}

pub(super) fn viewport(draw: &Draw<'_>) -> Option<Found> {
    let scales = [r::set_viewport_scale_x::id(0), r::set_viewport_scale_y::id(0)];
    let is_nothing = |register: &usize| {
        let scale = f32::from_bits(draw.get(*register));
        scale == 0.0 || !scale.is_finite()
    };
    let register = scales.into_iter().find(is_nothing).filter(|_| has_scale(draw))?;
    let what = "The viewport has no area";
    let advice = "Write half the width and half the height, the latter negative to have y upwards, as floats.";
    Some(draw.found(register, what, advice))
}

pub(super) fn scissor(draw: &Draw<'_>) -> Option<Found> {
    let clips = [
        r::set_surface_clip_horizontal::ID,
        r::set_surface_clip_vertical::ID,
        r::set_viewport_clip_horizontal::id(0),
        r::set_viewport_clip_vertical::id(0),
    ];
    if let Some(register) = clips.into_iter().find(|register| draw.get(*register) >> 16 == 0) {
        let what = "A clip rectangle has no pixel";
        return Some(draw.found(register, what, "Write first | size << 16, in pixels."));
    }
    r::set_scissor_enable::v(draw.get(r::set_scissor_enable::id(0))).then_some(())?;
    let scissors = [r::set_scissor_horizontal::id(0), r::set_scissor_vertical::id(0)];
    let is_empty = |register: &usize| {
        let (first, end) = (draw.get(*register) & 0xFFFF, draw.get(*register) >> 16);
        first >= end
    };
    let register = scissors.into_iter().find(is_empty)?;
    let what = "The scissor has no pixel";
    Some(draw.found(register, what, "Write first | end << 16, in pixels, or 0 to SET_SCISSOR_ENABLE."))
}

pub(super) fn viewport_offset(draw: &Draw<'_>) -> Option<Found> {
    let register = r::set_viewport_offset_x::id(0);
    let is_zero = draw.get(register) == 0 && draw.get(r::set_viewport_offset_y::id(0)) == 0;
    (is_zero && has_scale(draw)).then_some(())?;
    let what = "The middle of the viewport is pixel (0, 0), so a quarter of the picture is inside of the target";
    Some(draw.found(register, what, "Write half the width and half the height as floats."))
}

/// A width that would be the bytes of a row, of a target in blocks.
pub(super) fn layout(draw: &Draw<'_>) -> Option<Found> {
    let target = first_target(draw)?;
    let register = r::set_color_target_memory::id(target);
    let is_pitch = r::set_color_target_memory::layout(draw.get(register)) == Some(MemoryLayout::Pitch);
    let width = draw.get(r::set_color_target_width::id(target));
    let clip = r::set_surface_clip_horizontal::width(draw.get(r::set_surface_clip_horizontal::ID));
    (!is_pitch && clip > 0 && width == 4 * clip).then_some(())?;
    let what = format!(
        "The target is in blocks, and its width of {width} is four times that of the surface clip, as the bytes of a row \
         would be"
    );
    Some(draw.found(register, what, "Write 0x1000 for rows, or the width in pixels to SET_COLOR_TARGET_WIDTH."))
}

/// A pitch that was never written.
pub(super) fn pitch(draw: &Draw<'_>) -> Option<Found> {
    let target = first_target(draw)?;
    let register = r::set_color_target_width::id(target);
    let is_pitch = r::set_color_target_memory::layout(draw.get(r::set_color_target_memory::id(target)))
        == Some(MemoryLayout::Pitch);
    let clip = r::set_surface_clip_horizontal::width(draw.get(r::set_surface_clip_horizontal::ID));
    (is_pitch && draw.get(register) == initial(register) && clip > 0 && 4 * clip < initial(register)).then_some(())?;
    let what = format!(
        "The target has rows, and the bytes of one are what a channel begins with, while the surface clip is {clip} \
         pixels wide"
    );
    Some(draw.found(register, what, "Write the bytes of a row."))
}

/// The value of a method when a channel is made.
fn initial(method: usize) -> u32 {
    Class::ThreeD.reset()[method]
}

/// A format that was probably never written. It is a usual one, too: so this is found only where nothing has written
/// the target before.
pub(super) fn initial_format(draw: &Draw<'_>) -> Option<Found> {
    let register = r::set_color_target_format::id(first_target(draw).filter(|target| *target == 0)?);
    let first_byte = GuestRange::new(draw.space, address(draw, r::set_color_target_a::id(0)), 1);
    (draw.get(register) == initial(register) && !draw.was_written(first_byte)).then_some(())?;
    let what = "The colour target has the format that a channel begins with";
    Some(draw.found(register, what, "Write the format: 0xD5 is A8B8G8R8. Blue is the first byte of 0xCF, A8R8G8B8."))
}
