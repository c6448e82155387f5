//! Clears of targets.

use triglyph_guest::kernel::program::output::DepthFormat;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::surface::{ClearPixel, clear_pixel, in_memory};

use crate::class_3d::Curie;
use crate::class_3d::state::target::Target;
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::TargetSurface;
use triglyph_engine::transfer::Request;

/// What 64 bytes of a clear cost, in nanoseconds of the clock.
const LINE_TIME: u64 = 4;
/// What a pixel costs more that is not simply filled.
const PIXEL_TIME: u64 = 2;

impl Curie {
    /// CLEAR_SURFACE: stores the clear values in the channels, depth and stencil that the word names, within surface
    /// clip, scissor and clear rectangle. Colour and depth masks do not count, the stencil mask does. (RPCS3; Mesa
    /// names channels in the word.)
    pub(crate) fn clear_surface(&mut self, core: &mut Core, word: u32) {
        self.before_change(core, u32::MAX);
        self.registers.set(m::clear_surface::ID as u32, word);
        if !self.renders {
            return;
        }
        self.state.take_dirty(core, &self.registers);
        self.state.refresh_target(core, &self.registers);
        let target = &self.state.target;
        let Some(rect) = rect(&self.registers, target) else { return };
        // What was gathered may have been drawn just now.
        core.renderer.close_scene(&core.memory);
        let channels = [m::clear_surface::r(word), m::clear_surface::g(word), m::clear_surface::b(word)];
        let mask = channels.into_iter().chain([m::clear_surface::a(word)]);
        let mask = mask.enumerate().fold(0, |set, (i, on)| set | u8::from(on) << i);
        if let (Some((_, format)), 1..) = (&target.color, mask) {
            let value = self.registers.get(m::set_color_clear_value::ID as u32);
            let pixel = clear_pixel(format, value, mask);
            for surface in target.surfaces.colors.iter().flatten() {
                clear(core, target, surface, rect, &pixel);
            }
        }
        if let (Some(surface), Some(format)) = (&target.surfaces.depth, target.depth) {
            let pixel = depth_pixel(&self.registers, format, word, core.big_endian);
            if pixel.mask != [0; 16] {
                clear(core, target, surface, rect, &pixel);
            }
        }
    }
}

/// Pixels of the target that a clear touches. The clear rectangle has no window offset (unverified).
fn rect(registers: &Registers, target: &Target) -> Option<Rect> {
    let horizontal = registers.get(m::set_clear_rect_horizontal::ID as u32);
    let vertical = registers.get(m::set_clear_rect_vertical::ID as u32);
    let rect = Rect {
        x0: m::set_clear_rect_horizontal::min(horizontal),
        y0: m::set_clear_rect_vertical::min(vertical),
        x1: m::set_clear_rect_horizontal::max(horizontal),
        y1: m::set_clear_rect_vertical::max(vertical),
    };
    target.clip?.intersect(rect)?.intersect(crate::class_3d::state::scissor(registers)?)
}

/// What a depth buffer stores: the register has the bits as they are stored.
fn depth_pixel(registers: &Registers, format: DepthFormat, word: u32, big_endian: bool) -> ClearPixel {
    let value = registers.get(m::set_zstencil_clear_value::ID as u32);
    let (depth, stencil) = (m::clear_surface::depth(word), m::clear_surface::stencil(word));
    let (value, mask) = if format.has_stencil() {
        let written = m::set_stencil_mask::mask(registers.get(m::set_stencil_mask::ID as u32));
        (value, if depth { 0xFFFF_FF00 } else { 0 } | if stencil { written } else { 0 })
    } else {
        (value & 0xFFFF, if depth { 0xFFFF } else { 0 })
    };
    let swap = if big_endian { format.bytes() as u8 } else { 1 };
    ClearPixel { value: in_memory(value.into(), swap), mask: in_memory(mask.into(), swap) }
}

/// Clears a rectangle of pixels with all their samples.
fn clear(core: &mut Core, target: &Target, surface: &TargetSurface, rect: Rect, pixel: &ClearPixel) {
    let stored = rect.stored(target.surfaces.samples);
    let (width, height) = (stored.width(), stored.height());
    let bytes = surface.bytes as usize;
    let row = u64::from(width) * bytes as u64;
    if !core.budget.spend(LINE_TIME * (row * u64::from(height)).div_ceil(64)) {
        return;
    }
    // Whole pixels of rows or images are as fast as fills; everything else costs more for each pixel.
    let whole = pixel.mask[..bytes].iter().all(|&byte| byte == 0xFF) && bytes <= 4;
    let plain = match surface.layout {
        SurfaceLayout::Pitch => whole,
        SurfaceLayout::Swizzled { log2_width, log2_height } => {
            whole && (stored.x0, stored.y0) == (0, 0) && width >> log2_width == 1 && height >> log2_height == 1
        }
        _ => false,
    };
    let pixels = if plain { 0 } else { u64::from(width) * u64::from(height) };
    if !core.budget.spend(PIXEL_TIME * pixels) || !core.budget.charge(cost::PIXEL * pixels) {
        return;
    }
    core.transfer("clear", &Request::FillRect(surface.fill(stored, pixel.value, pixel.mask)));
}
