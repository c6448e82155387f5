//! Surfaces, viewport and clip rectangles.

use triglyph_engine::validate::{Draw, Found};
use triglyph_guest::rsx::enums::SurfaceLayout;
use triglyph_guest::rsx::methods::curie as m;

/// Colour surfaces: the bit that selects one, pitch, offset, DMA object.
pub(super) const COLORS: [(u32, usize, usize, usize); 4] = [
    (0, m::set_surface_pitch_a::ID, m::set_surface_color_aoffset::ID, m::set_context_dma_color_a::ID),
    (1, m::set_surface_pitch_b::ID, m::set_surface_color_boffset::ID, m::set_context_dma_color_b::ID),
    (2, m::set_surface_pitch_c::ID, m::set_surface_color_coffset::ID, m::set_context_dma_color_c::ID),
    (3, m::set_surface_pitch_d::ID, m::set_surface_color_doffset::ID, m::set_context_dma_color_d::ID),
];

/// Whether the draw has a depth surface that it writes: it may be meant for that alone.
pub(super) fn writes_depth(draw: &Draw<'_>) -> bool {
    let is_on = m::set_depth_test_enable::enable(draw.get(m::set_depth_test_enable::ID));
    is_on && m::set_depth_mask::enable(draw.get(m::set_depth_mask::ID)) && draw.get(m::set_context_dma_zeta::ID) != 0
}

/// The first selected colour surface.
fn selected(draw: &Draw<'_>) -> Option<(u32, usize, usize, usize)> {
    let targets = draw.get(m::set_surface_color_target::ID);
    COLORS.into_iter().find(|(bit, ..)| targets >> bit & 1 != 0)
}

pub(super) fn none(draw: &Draw<'_>) -> Option<Found> {
    let (register, advice) = match selected(draw) {
        None if writes_depth(draw) => return None,
        None => (m::set_surface_color_target::ID, "Write 1 for surface A, 2 for B, 0x13 for both."),
        Some((.., object)) if draw.get(object) == 0 => {
            (object, "Write the handle of a DMA object: 0xFEED0000 is local memory with GCM.")
        }
        Some(_) => return None,
    };
    Some(draw.found(register, "There is no colour surface to draw to", advice))
}

pub(super) fn format(draw: &Draw<'_>) -> Option<Found> {
    let word = draw.get(m::set_surface_format::ID);
    (selected(draw).is_some() && m::set_surface_format::color(word).is_none()).then_some(())?;
    let what = "The surfaces have a colour format that does not exist";
    Some(draw.found(m::set_surface_format::ID, what, "Write 0x148 for A8R8G8B8, Z24S8 and rows."))
}

pub(super) fn size(draw: &Draw<'_>) -> Option<Found> {
    let [horizontal, vertical] =
        [m::set_surface_clip_horizontal::ID, m::set_surface_clip_vertical::ID].map(|id| draw.get(id));
    let width = m::set_surface_clip_horizontal::width(horizontal);
    let empty = [
        (width, m::set_surface_clip_horizontal::ID, "width"),
        (m::set_surface_clip_vertical::height(vertical), m::set_surface_clip_vertical::ID, "height"),
    ];
    if let Some((_, register, axis)) = empty.into_iter().find(|(size, ..)| *size == 0) {
        let what = format!("The surfaces have no {axis}");
        return Some(draw.found(register, what, format!("Write the {axis} to bits 16:31.")));
    }
    let (_, pitch, ..) = selected(draw)?;
    let layout = m::set_surface_format::layout(draw.get(m::set_surface_format::ID));
    let is_linear = layout != Some(SurfaceLayout::Swizzled);
    // One byte is the least that a pixel has; 64 stands for a surface that is not used.
    if !is_linear || draw.get(pitch) > 64 || draw.get(pitch) >= 4 * width {
        return None;
    }
    let what = format!("The pitch is too small for rows of {width} pixels");
    Some(draw.found(pitch, what, format!("Write the bytes of a row: {} for pixels of four bytes.", 4 * width)))
}

pub(super) fn viewport(draw: &Draw<'_>) -> Option<Found> {
    let scale = |axis: usize| f32::from_bits(draw.get(m::set_viewport_scale::id(axis)));
    if m::set_transform_execution_mode::divided(draw.get(m::set_transform_execution_mode::ID)) {
        return None;
    }
    if let Some(axis) = (0..2).find(|&axis| scale(axis) == 0.0 || !scale(axis).is_finite()) {
        let register = m::set_viewport_scale::id(axis);
        let what = "The viewport has no area";
        let advice = "Write half the width and half the height, the latter negative to have y upwards, as floats.";
        return Some(draw.found(register, what, advice));
    }
    let rect = [m::set_viewport_horizontal::ID, m::set_viewport_vertical::ID];
    let register = rect.into_iter().find(|id| draw.get(*id) >> 16 == 0)?;
    Some(draw.found(register, "The rectangle of the viewport is empty", "Write first | size << 16, in pixels."))
}

pub(super) fn scissor(draw: &Draw<'_>) -> Option<Found> {
    let rect = [
        (m::set_scissor_horizontal::ID, m::set_surface_clip_horizontal::ID),
        (m::set_scissor_vertical::ID, m::set_surface_clip_vertical::ID),
    ];
    let is_empty = |(scissor, clip): &(usize, usize)| {
        let (scissor, clip) = (draw.get(*scissor), draw.get(*clip));
        scissor >> 16 == 0 || scissor & 0xFFFF >= (clip & 0xFFFF) + (clip >> 16)
    };
    let (register, _) = rect.into_iter().find(|rect| draw.get(rect.1) >> 16 != 0 && is_empty(rect))?;
    let what = "No pixel of the surfaces is inside of the scissor";
    Some(draw.found(register, what, "Write first | size << 16, in pixels; 0x10000000 lets all pixels pass."))
}

pub(super) fn depth_range(draw: &Draw<'_>) -> Option<Found> {
    let [near, far] = [m::set_clip_min::ID, m::set_clip_max::ID].map(|id| f32::from_bits(draw.get(id)));
    let clips = m::set_zmin_max_control::clip(draw.get(m::set_zmin_max_control::ID)) != 0;
    (clips && near >= far).then_some(())?;
    let what = format!(
        "Depth is clipped to a range from {near} to {far}, in which nothing lies: {}, {}.",
        draw.show(m::set_clip_min::ID),
        draw.show(m::set_clip_max::ID)
    );
    Some(Found::at(m::set_clip_max::ID, what, "Write the floats 0.0 and 1.0, or 0 to SET_ZMIN_MAX_CONTROL."))
}

pub(super) fn viewport_offset(draw: &Draw<'_>) -> Option<Found> {
    let word = |axis: usize| draw.get(m::set_viewport_offset::id(axis));
    let is_divided = m::set_transform_execution_mode::divided(draw.get(m::set_transform_execution_mode::ID));
    (!is_divided && word(0) == 0 && word(1) == 0).then_some(())?;
    let register = m::set_viewport_offset::id(0);
    let what = "The middle of the viewport is pixel (0, 0), so a quarter of the picture is inside of the surface";
    Some(draw.found(register, what, "Write half the width and half the height as floats."))
}
