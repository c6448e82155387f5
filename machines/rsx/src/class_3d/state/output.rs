//! Output of fragments: tests, blending, masks.

use triglyph_guest::kernel::program::output::{
    BlendEquation, BlendFactor, BlendKey, BlendTerm, ColorKey, Compare, DepthKey, LogicOp, OutputConstants, OutputKey,
    SignedOperand, StencilConstants, StencilKey, StencilOp, TARGETS,
};
use triglyph_guest::num::F16;
use triglyph_guest::rsx::enums::{self, SurfaceColor};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::surface::{is_float, lanes};

use super::target::Target;
use crate::front_end::registers::Registers;
use triglyph_engine::scene::program::Surfaces;

/// The key of a draw's output, the values it needs and the surfaces it touches.
pub(super) struct Output {
    pub key: OutputKey,
    pub constants: OutputConstants,
    pub surfaces: Surfaces,
}

/// Derives it.
pub(super) fn derive(registers: &Registers, target: &Target, big_endian: bool) -> Output {
    let get = |id: usize| registers.get(id as u32);
    let colors = colors(&get, target);
    let depth = depth(&get, target, big_endian);
    let aa = get(m::set_anti_aliasing_control::ID);
    let multisample = m::set_anti_aliasing_control::enable(aa) && target.surfaces.samples.count() > 1;
    let format = target.color.as_ref().map(|(color, _)| *color);
    // Singles are not tested: there is no reference for them (RPCS3; an NV40 keeps 16 bits of it, envytools' hwtest).
    let tested = m::set_alpha_test_enable::enable(get(m::set_alpha_test_enable::ID)) && !format.is_some_and(is_single);
    let alpha_test = match tested {
        true => m::set_alpha_func::function(get(m::set_alpha_func::ID)).map_or(Compare::Always, Compare::from),
        false => Compare::Always,
    };
    let logic = match m::set_logic_op_enable::enable(get(m::set_logic_op_enable::ID)) {
        true => m::set_logic_op::op(get(m::set_logic_op::ID)).map(LogicOp::from),
        false => None,
    };
    // The packer works on 8-bit targets.
    let eight_bits = format.is_some_and(|format| !is_float(format) && !is_narrow(format));
    let surfaces = Surfaces {
        colors: colors.iter().enumerate().fold(0, |set, (i, color)| set | u8::from(color.is_some()) << i),
        depth: depth.is_some(),
    };
    let key = OutputKey {
        depth,
        alpha_test,
        alpha_bytes: alpha_test != Compare::Always && !format.is_some_and(is_float),
        alpha_to_coverage: multisample && m::set_anti_aliasing_control::alpha_to_coverage(aa),
        alpha_to_one: multisample && m::set_anti_aliasing_control::alpha_to_one(aa),
        encode_srgb: eight_bits && m::set_shader_packer::srgb(get(m::set_shader_packer::ID)),
        logic,
        quantised_source: true,
        ..OutputKey::storing(colors)
    };
    let constants = OutputConstants {
        alpha_reference: alpha_reference(get(m::set_alpha_ref::ID), format),
        blend: blend_constant(&get, format),
        depth_range: depth_range(&get),
        depth_bounds: [m::set_depth_bounds_min::ID, m::set_depth_bounds_max::ID].map(|id| f32::from_bits(get(id))),
        stencil: stencil_constants(&get),
    };
    Output { key, constants, surfaces }
}

/// Channels of less than 8 bits.
fn is_narrow(format: SurfaceColor) -> bool {
    matches!(format, SurfaceColor::Z1R5G5B5 | SurfaceColor::O1R5G5B5 | SurfaceColor::R5g6b5)
}

/// The alpha test's reference in the form that the target's format asks for: a byte, which alpha is compared with as
/// it would be stored (RPCS3; piglit's fbo-alphatest-formats with Mesa's driver), or a half.
fn alpha_reference(word: u32, format: Option<SurfaceColor>) -> f32 {
    match format {
        Some(SurfaceColor::Rgba16F) => F16::decode(m::set_alpha_ref::reference(word)),
        _ => (word & 0xFF) as f32,
    }
}

/// Channels of 32 bits.
fn is_single(format: SurfaceColor) -> bool {
    matches!(format, SurfaceColor::Rgba32F | SurfaceColor::R32F)
}

fn blend_constant(get: &impl Fn(usize) -> u32, format: Option<SurfaceColor>) -> [f32; 4] {
    let (word, word2) = (get(m::set_blend_color::ID), get(m::set_blend_color2::ID));
    if format.is_some_and(is_float) {
        return [word, word >> 16, word2, word2 >> 16].map(|half| F16::decode(half & 0xFFFF));
    }
    let channels = [m::set_blend_color::r(word), m::set_blend_color::g(word), m::set_blend_color::b(word)];
    let byte = |v: u32| v as f32 * (1.0 / 255.0);
    [byte(channels[0]), byte(channels[1]), byte(channels[2]), byte(m::set_blend_color::a(word))]
}

/// What depth is clamped to: 0 to 1, and to the ends of the depth range where it is to be clamped.
fn depth_range(get: &impl Fn(usize) -> u32) -> [f32; 2] {
    if m::set_zmin_max_control::clamp(get(m::set_zmin_max_control::ID)) == 0 {
        return [0.0, 1.0];
    }
    let limit = |id: usize| {
        let v = f32::from_bits(get(id));
        if v > 0.0 { v.min(1.0) } else { 0.0 }
    };
    [limit(m::set_clip_min::ID), limit(m::set_clip_max::ID)]
}

/// Lanes of surface `i` that are written, bit 0 = r.
fn color_mask(get: &impl Fn(usize) -> u32, i: usize) -> u8 {
    let bits =
        |r: bool, g: bool, b: bool, a: bool| u8::from(r) | u8::from(g) << 1 | u8::from(b) << 2 | u8::from(a) << 3;
    let word = get(m::set_color_mask_mrt::ID);
    use m::set_color_mask_mrt as mrt;
    match i {
        0 => {
            let word = get(m::set_color_mask::ID);
            use m::set_color_mask as mask;
            bits(mask::r(word), mask::g(word), mask::b(word), mask::a(word))
        }
        1 => bits(mrt::b_r(word), mrt::b_g(word), mrt::b_b(word), mrt::b_a(word)),
        2 => bits(mrt::c_r(word), mrt::c_g(word), mrt::c_b(word), mrt::c_a(word)),
        _ => bits(mrt::d_r(word), mrt::d_g(word), mrt::d_b(word), mrt::d_a(word)),
    }
}

fn colors(get: &impl Fn(usize) -> u32, target: &Target) -> [Option<ColorKey>; TARGETS] {
    let mut keys = [None; TARGETS];
    let Some((format, stored)) = target.color else { return keys };
    let mrt = get(m::set_blend_enable_mrt::ID);
    let enabled = [
        m::set_blend_enable::a(get(m::set_blend_enable::ID)),
        m::set_blend_enable_mrt::b(mrt),
        m::set_blend_enable_mrt::c(mrt),
        m::set_blend_enable_mrt::d(mrt),
    ];
    for (i, surface) in target.surfaces.colors.iter().enumerate().take(4) {
        let Some(surface) = surface else { continue };
        // A lone surface takes output 0, and with it what belongs to that.
        let source = if target.several { i } else { 0 };
        let mask = lanes(&stored, color_mask(get, source));
        if mask == 0 {
            continue;
        }
        // Single floats do not blend.
        let blends = enabled[source] && !is_single(format);
        keys[i] = Some(ColorKey {
            format: stored,
            layout: surface.layout,
            source: source as u8,
            mask,
            blend: blends.then(|| blend(get)),
        });
    }
    keys
}

fn blend(get: &impl Fn(usize) -> u32) -> BlendKey {
    let (sources, destinations) = (get(m::set_blend_func_sfactor::ID), get(m::set_blend_func_dfactor::ID));
    let equations = get(m::set_blend_equation::ID);
    BlendKey {
        color: blend_term(
            m::set_blend_equation::rgb(equations),
            m::set_blend_func_sfactor::rgb(sources),
            m::set_blend_func_dfactor::rgb(destinations),
        ),
        alpha: blend_term(
            m::set_blend_equation::alpha(equations),
            m::set_blend_func_sfactor::alpha(sources),
            m::set_blend_func_dfactor::alpha(destinations),
        ),
    }
}

fn blend_term(
    equation: Option<enums::BlendEquation>,
    source: Option<enums::BlendFactor>,
    destination: Option<enums::BlendFactor>,
) -> BlendTerm {
    let equation = equation.unwrap_or(enums::BlendEquation::Add);
    let (signed, equation) = (equation.signed(), BlendEquation::from(equation));
    if signed != SignedOperand::None {
        return BlendTerm { equation, source: BlendFactor::One, destination: BlendFactor::One, signed };
    }
    let source = source.map_or(BlendFactor::One, BlendFactor::from);
    let destination = destination.map_or(BlendFactor::Zero, BlendFactor::from);
    BlendTerm { equation, source, destination, signed }
}

/// The depth target, if a test looks at it. Without one its memory is not even read: it may be that of a colour target.
fn depth(get: &impl Fn(usize) -> u32, target: &Target, big_endian: bool) -> Option<DepthKey> {
    let surface = target.surfaces.depth?;
    let format = target.depth?;
    let test = match m::set_depth_test_enable::enable(get(m::set_depth_test_enable::ID)) {
        true => Some(m::set_depth_func::function(get(m::set_depth_func::ID)).map_or(Compare::Less, Compare::from)),
        false => None,
    };
    let bounds = m::set_depth_bounds_test_enable::enable(get(m::set_depth_bounds_test_enable::ID));
    let enabled = m::set_stencil_test_enable::enable(get(m::set_stencil_test_enable::ID));
    let stencil = (enabled && format.has_stencil()).then(|| stencil(get));
    if test.is_none() && !bounds && stencil.is_none() {
        return None;
    }
    let write = test.is_some() && m::set_depth_mask::enable(get(m::set_depth_mask::ID));
    Some(DepthKey { format, big_endian, layout: surface.layout, test, write, bounds, stencil })
}

/// The sides whose stencil tests count for front and back, as indices of `IDS`: the front's counts for both unless
/// there are two.
fn sides(get: &impl Fn(usize) -> u32) -> [usize; 2] {
    let two = m::set_two_sided_stencil_test_enable::enable(get(m::set_two_sided_stencil_test_enable::ID));
    [0, usize::from(two)]
}

fn stencil(get: &impl Fn(usize) -> u32) -> [StencilKey; 2] {
    sides(get).map(|side| {
        let function = m::stencil_func::function(get(m::stencil_func::IDS[side]));
        let op = |when: usize| {
            m::stencil_op::op(get(m::stencil_op::IDS[3 * side + when])).map_or(StencilOp::Keep, StencilOp::from)
        };
        StencilKey {
            compare: function.map_or(Compare::Always, Compare::from),
            fail: op(0),
            depth_fail: op(1),
            pass: op(2),
        }
    })
}

fn stencil_constants(get: &impl Fn(usize) -> u32) -> [StencilConstants; 2] {
    sides(get).map(|side| StencilConstants {
        reference: m::stencil_func_ref::reference(get(m::stencil_func_ref::IDS[side])),
        mask: m::stencil_func_mask::mask(get(m::stencil_func_mask::IDS[side])),
        write_mask: m::stencil_mask::mask(get(m::stencil_mask::IDS[side])),
    })
}
