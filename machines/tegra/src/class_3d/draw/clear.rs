//! Clears of targets.

use triglyph_guest::kernel::program::output::{Channel, ColorFormat, DepthFormat};
use triglyph_guest::num::half;
use triglyph_guest::num::ops::{Scalar, linear_to_srgb};
use triglyph_guest::tegra::methods::threed::regs as r;

use crate::class_3d::ThreeD;
use crate::class_3d::state::setup;
use crate::class_3d::state::target::{Targets, between};
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::frontend::budget::cost;
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::TargetSurface;
use triglyph_engine::transfer::Request;

/// What 64 bytes of a clear cost, in nanoseconds of the clock.
const LINE_TIME: u64 = 4;

/// What a stored pixel becomes: value, and the bits that are written.
struct Pixel {
    value: u128,
    mask: u128,
}

impl ThreeD {
    /// CLEAR_SURFACE: clears one layer of a colour target, of depth and stencil, within the surface clip and what
    /// SET_CLEAR_SURFACE_CONTROL names. Colour and depth masks do not count.
    pub(crate) fn clear(&mut self, core: &mut Core, registers: &Registers, word: u32) {
        self.take_dirty(registers);
        let targets = self.targets(core, registers);
        let Some(rect) = rect(registers, &targets) else { return };
        core.renderer.close_scene(&core.memory);
        let layer = r::clear_surface::rt_array_index(word);
        let components = (word >> 2 & 15) as u8;
        if components != 0 {
            let number = r::clear_surface::mrt_select(word) as usize;
            if let Some(color) = targets.cleared(core, registers, number)
                && let Some(rect) = targets.area(&color.image).and_then(|area| area.intersect(rect))
                && let Some(surface) = color.image.surface(core, layer)
            {
                let pixel = color_pixel(registers, &color.format.pixel(), components);
                clear(core, &targets, &surface, rect, &pixel);
            }
        }
        let (depth, stencil) = (r::clear_surface::z_enable(word), r::clear_surface::stencil_enable(word));
        if let Some(zeta) = targets.zeta.filter(|_| depth || stencil)
            && let Some(surface) = zeta.image.surface(core, layer)
        {
            let pixel = depth_pixel(registers, zeta.kernel, depth, stencil && zeta.format.has_stencil());
            clear(core, &targets, &surface, rect, &pixel);
        }
    }
}

/// Pixels of the targets that a clear touches.
fn rect(registers: &Registers, targets: &Targets) -> Option<Rect> {
    let get = |id: usize| registers.get(id);
    let control = get(r::set_clear_surface_control::ID);
    let mut rect = targets.clip?;
    if r::set_clear_surface_control::use_clear_rect(control) {
        let (x, y) = (get(r::set_clear_rect_horizontal::ID), get(r::set_clear_rect_vertical::ID));
        let clear = between(
            [r::set_clear_rect_horizontal::xmin(x), r::set_clear_rect_vertical::ymin(y)],
            [r::set_clear_rect_horizontal::xmax(x), r::set_clear_rect_vertical::ymax(y)],
        );
        rect = rect.intersect(clear?)?;
    }
    if r::set_clear_surface_control::use_scissor0(control) {
        rect = rect.intersect(setup::scissor(registers, 0)?)?;
    }
    if r::set_clear_surface_control::use_viewport_clip0(control) {
        rect = rect.intersect(setup::viewport_rect(registers, 0)?)?;
    }
    Some(rect)
}

/// What a colour target stores.
fn color_pixel(registers: &Registers, format: &ColorFormat, components: u8) -> Pixel {
    let srgb = r::set_srgb_write::enable(registers.get(r::set_srgb_write::ID));
    let (mut value, mut mask) = (0u128, 0u128);
    for (i, &channel) in format.channels.iter().enumerate() {
        let word = registers.get(r::set_color_clear_value::id(i));
        let (bits, stored) = match channel {
            Channel::Absent => continue,
            Channel::Zeros(bits) => (bits, 0),
            Channel::Ones(bits) => (bits, u32::MAX),
            Channel::Uint(bits) => (bits, word.min(low(bits.bits))),
            Channel::Sint(bits) => {
                let largest = (low(bits.bits) >> 1) as i32;
                (bits, (word as i32).clamp(-largest - 1, largest) as u32)
            }
            Channel::Srgb(bits) if srgb => {
                let linear = unit(f32::from_bits(word));
                (bits, unorm(linear_to_srgb(&mut Scalar, linear), bits.bits))
            }
            Channel::Unorm(bits) | Channel::UnormHalfUp(bits) | Channel::UnormRsx(bits) | Channel::Srgb(bits) => {
                (bits, unorm(f32::from_bits(word), bits.bits))
            }
            Channel::Snorm(bits) => (bits, snorm(f32::from_bits(word), bits.bits)),
            Channel::Float(bits) => (bits, word),
            Channel::FloatCut(bits) => (bits, cut_float(f32::from_bits(word), bits.bits)),
        };
        let always = matches!(channel, Channel::Zeros(_) | Channel::Ones(_));
        if always || components >> i & 1 != 0 {
            let field = u128::from(low(bits.bits)) << bits.shift;
            value |= u128::from(stored) << bits.shift & field;
            mask |= field;
        }
    }
    Pixel { value, mask }
}

const fn low(bits: u8) -> u32 {
    u32::MAX >> (32 - bits as u32)
}

fn unit(v: f32) -> f32 {
    let v = if v > 0.0 { v } else { 0.0 };
    if v < 1.0 { v } else { 1.0 }
}

fn unorm(v: f32, bits: u8) -> u32 {
    (unit(v) * low(bits) as f32 - 0.5).ceil() as u32
}

fn snorm(v: f32, bits: u8) -> u32 {
    let v = if v > -1.0 { v } else { -1.0 };
    let v = if v < 1.0 { v } else { 1.0 };
    (v * (low(bits) >> 1) as f32 - 0.5).ceil() as i32 as u32
}

/// A float of 16, 11 or 10 bits, without the places that do not fit. The shorter ones are halves without sign and
/// without the low bits.
fn cut_float(v: f32, bits: u8) -> u32 {
    if bits < 16 {
        return cut_float(if v < 0.0 { 0.0 } else { v.abs() }, 16) >> (15 - u32::from(bits));
    }
    let sign = v.to_bits() >> 16 & 0x8000;
    let magnitude = match v.abs() {
        nan if nan.is_nan() => 0x7FFF,
        infinite if infinite.is_infinite() => 0x7C00,
        large if large >= 65536.0 => 0x7BFF,
        finite => half::bits(&mut Scalar, half::cut(&mut Scalar, finite)) as u32,
    };
    sign | magnitude
}

/// What a depth target stores.
fn depth_pixel(registers: &Registers, format: DepthFormat, depth: bool, stencil: bool) -> Pixel {
    let z = f32::from_bits(registers.get(r::set_z_clear_value::ID));
    let s = u128::from(registers.get(r::set_stencil_clear_value::ID) & 0xFF);
    let control = registers.get(r::set_clear_surface_control::ID);
    let write = match r::set_clear_surface_control::respect_stencil_mask(control) {
        true => u128::from(registers.get(r::set_stencil_mask::ID) & 0xFF),
        false => 0xFF,
    };
    let fixed = |max: f32| u128::from((unit(z) * max).round_ties_even() as u32);
    // Positions of depth and stencil, the depth as stored, and its bits.
    let (value, bits, at, stencil_at) = match format {
        DepthFormat::Z16 | DepthFormat::F16 => (fixed(65_535.0), 16, 0, None),
        DepthFormat::Z24S8 | DepthFormat::F24S8 => (fixed(16_777_215.0), 24, 8, Some(0)),
        DepthFormat::S8Z24 => (fixed(16_777_215.0), 24, 0, Some(24)),
        DepthFormat::F32 => (u128::from(z.to_bits()), 32, 0, None),
        DepthFormat::F32S8 => (u128::from(z.to_bits()), 32, 0, Some(32)),
        DepthFormat::Z24X8S8 => (fixed(16_777_215.0), 24, 0, Some(32)),
        DepthFormat::S8 => (0, 0, 0, Some(0)),
    };
    let mut pixel = Pixel { value: 0, mask: 0 };
    if depth {
        pixel.value |= value << at;
        pixel.mask |= ((1u128 << bits) - 1) << at;
    }
    if let Some(at) = stencil_at.filter(|_| stencil) {
        pixel.value |= (s & write) << at;
        pixel.mask |= write << at;
    }
    pixel
}

/// Clears a rectangle of pixels with all their samples.
fn clear(core: &mut Core, targets: &Targets, surface: &TargetSurface, rect: Rect, pixel: &Pixel) {
    if pixel.mask == 0 {
        return;
    }
    let stored = rect.stored(targets.samples);
    let pixels = u64::from(stored.width()) * u64::from(stored.height());
    if !core.budget.spend(LINE_TIME * (pixels * u64::from(surface.bytes)).div_ceil(64)) {
        return;
    }
    // Parts of pixels are stored one by one.
    let whole = pixel.mask == u128::MAX >> (128 - 8 * surface.bytes.clamp(1, 16));
    if !core.budget.charge(cost::COMMAND + if whole { 0 } else { cost::PIXEL * pixels }) {
        return;
    }
    let (value, mask) = (pixel.value.to_le_bytes(), pixel.mask.to_le_bytes());
    core.transfer("clear", &Request::FillRect(surface.fill(stored, value, mask)));
}
