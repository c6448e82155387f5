//! Output of fragments: tests, blending, masks.

use triglyph_guest::kernel::program::output::{
    BlendEquation, BlendFactor, BlendKey, BlendTerm, Channel, ColorFormat, ColorKey, Compare, CoverageColor, DepthKey,
    Limit, LogicOp, OutputConstants, OutputKey, SignedOperand, StencilConstants, StencilKey, StencilOp, TARGETS,
};
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::tegra::header::ProgramHeader;
use triglyph_guest::tegra::header::program::fields;
use triglyph_guest::tegra::methods::threed::{self as m, regs as r};

use super::target::{Targets, sample_at};
use crate::class_3d::programs::blend_program;
use crate::front_end::registers::Registers;

/// What a draw does with its fragments.
pub(crate) struct Output {
    /// Without layouts, which the surfaces say.
    pub key: OutputKey,
    pub constants: OutputConstants,
}

/// Derives it for a pixel program with this header; `depth_range` is that of the viewport.
pub(crate) fn derive(
    registers: &Registers,
    targets: &Targets,
    header: &ProgramHeader,
    depth_range: [f32; 2],
    blend_program: &[u32],
) -> Output {
    let get = |id: usize| registers.get(id);
    let float = |id: usize| f32::from_bits(get(id));
    let colors = colors(registers, targets, header);
    let depth = depth(registers, targets);
    let blends = colors.iter().flatten().any(|key| key.blend.is_some());
    let alpha = get(r::set_anti_alias_alpha_control::ID);
    let multisampled = r::set_anti_alias_enable::v(get(r::set_anti_alias_enable::ID));
    let several = targets.samples.count() > 1 && multisampled;
    let alpha_to_coverage = targets.samples.count() > 1
        && r::set_anti_alias_alpha_control::alpha_to_coverage(alpha)
        && alpha_counts(registers, header, multisampled);
    let logic = r::set_logic_op::enable(get(r::set_logic_op::ID));
    let key = OutputKey {
        depth,
        alpha_test: match r::set_alpha_test::enable(get(r::set_alpha_test::ID)) {
            true => compare(get(r::set_alpha_func::ID)),
            false => Compare::Always,
        },
        alpha_bytes: false,
        alpha_to_coverage,
        coverage_dither: alpha_to_coverage && dithers(registers),
        alpha_to_one: several && r::set_anti_alias_alpha_control::alpha_to_one(alpha),
        encode_srgb: false,
        logic: logic.then(|| r::set_logic_op_func::v(get(r::set_logic_op_func::ID)).map(LogicOp::from)).flatten(),
        limits: std::array::from_fn(|output| limit(get(r::set_ps_saturate::ID) >> (4 * output))),
        color_samples: color_samples(registers, targets),
        quantised_source: false,
        zero_products: zero_products(registers, &colors),
        program: blends.then(|| blend_program::derive(registers, blend_program)).flatten(),
        depth_at_center: targets.samples.count() > 1
            && r::set_nonmultisampled_z::v(get(r::set_nonmultisampled_z::ID)) == Some(m::DepthSampling::AtPixelCenter),
        depth_offset: false,
        coverage_color: coverage_color(registers, targets),
        share: None,
        tells_survivors: false,
        colors,
    };
    let constants = OutputConstants {
        alpha_reference: float(r::set_alpha_ref::ID),
        blend: [
            r::set_blend_const_red::ID,
            r::set_blend_const_green::ID,
            r::set_blend_const_blue::ID,
            r::set_blend_const_alpha::ID,
        ]
        .map(float),
        depth_range,
        depth_bounds: [r::set_depth_bounds_min::ID, r::set_depth_bounds_max::ID].map(float),
        stencil: sides(registers).map(|side| StencilConstants {
            reference: r::stencil_func_ref::v(get(r::stencil_func_ref::IDS[side])),
            mask: r::stencil_func_mask::v(get(r::stencil_func_mask::IDS[side])),
            write_mask: r::stencil_mask::v(get(r::stencil_mask::IDS[side])),
        }),
    };
    Output { key, constants }
}

/// Whether alpha to coverage, which is on, may count.
fn alpha_counts(registers: &Registers, header: &ProgramHeader, multisampled: bool) -> bool {
    use r::set_alpha_to_coverage_override as when;
    let word = registers.get(when::ID);
    let needs_samples = when::qualify_by_anti_alias_enable(word);
    // As in D3D11, where the program's own mask counts instead.
    let yields = when::qualify_by_ps_sample_mask_output(word) && fields::WRITES_SAMPLE_MASK.is_set(&header.0);
    (multisampled || !needs_samples) && !yields
}

/// Whether alpha to coverage differs from pixel to pixel. Samples that are not stored are none here, so there is
/// nothing to spread it over in one pixel.
fn dithers(registers: &Registers) -> bool {
    use r::set_alpha_to_coverage_dither_control as dither;
    dither::dither_footprint(registers.get(dither::ID)) == Some(m::DitherFootprint::Pixels2x2)
}

/// The target that takes coverage as its red, if that is an integer.
pub(crate) fn coverage_color(registers: &Registers, targets: &Targets) -> Option<CoverageColor> {
    let word = registers.get(r::set_coverage_to_color::ID);
    let target = r::set_coverage_to_color::ct_select(word);
    let color = targets.colors.get(target as usize).copied().flatten()?;
    let integer = matches!(color.format.pixel().channels[0], Channel::Uint(_) | Channel::Sint(_));
    let bits = std::array::from_fn(|k| if k < targets.samples.count() { sample_at(targets.mode, k) as u8 } else { 0 });
    (r::set_coverage_to_color::enable(word) && integer).then_some(CoverageColor { target: target as u8, bits })
}

/// The sides whose stencil tests count for front and back, as indices of `IDS`: the front's counts for both unless
/// there are two.
fn sides(registers: &Registers) -> [usize; 2] {
    let two = r::set_two_sided_stencil_test::enable(registers.get(r::set_two_sided_stencil_test::ID));
    [0, usize::from(two)]
}

/// A comparison; codes that do not exist always hold.
pub(crate) fn compare(word: u32) -> Compare {
    m::CompareFunc::from_register(word).map_or(Compare::Always, Compare::from)
}

/// The keys of the targets that a program's outputs reach.
fn colors(registers: &Registers, targets: &Targets, header: &ProgramHeader) -> [Option<ColorKey>; TARGETS] {
    let get = |id: usize| registers.get(id);
    let mut keys = [None; TARGETS];
    let several = fields::MRT_ENABLE.is_set(&header.0) && r::set_ct_mrt_enable::v(get(r::set_ct_mrt_enable::ID));
    let single_mask = r::set_single_ct_write_control::enable(get(r::set_single_ct_write_control::ID));
    let single_rop = r::set_single_rop_control::enable(get(r::set_single_rop_control::ID));
    let srgb = r::set_srgb_write::enable(get(r::set_srgb_write::ID));
    let per_format = get(r::set_blend_per_format_enable::ID);
    for output in 0..targets.count {
        let (source, target) = if several { (output, targets.of_output[output]) } else { (0, output) };
        let Some(color) = targets.colors.get(target).copied().flatten() else { continue };
        if header.target_components(source as u32) == 0 {
            continue;
        }
        let format = if srgb { color.format.pixel() } else { linear(color.format.pixel()) };
        let mask = stored(&format, write_mask(get(r::set_ct_write::id(if single_mask { 0 } else { target }))));
        if mask == 0 {
            continue;
        }
        let rop = if single_rop { 0 } else { target };
        let blends = r::set_blend::enable(get(r::set_blend::id(rop)))
            && !color.format.is_integer()
            && (!blends_if_asked(&format) || r::set_blend_per_format_enable::snorm8_unorm16_snorm16(per_format));
        let blend = blends.then(|| blend(registers, rop));
        keys[target] = Some(ColorKey { format, layout: SurfaceLayout::Pitch, source: source as u8, mask, blend });
    }
    // Where output 1 is the second source there is one target (D3D, OpenGL).
    if keys.iter().flatten().any(|key| key.blend.is_some_and(|blend| blend.takes_second())) {
        keys[1..].fill(None);
    }
    keys
}

/// What four bits of SET_PS_SATURATE say.
fn limit(bits: u32) -> Limit {
    match bits & 3 {
        0 | 2 => Limit::None,
        1 => Limit::Unit,
        _ => Limit::Signed,
    }
}

/// Samples by their places in a pixel's cell that colours are written to.
fn color_samples(registers: &Registers, targets: &Targets) -> u16 {
    if !r::set_sample_mask::color_target_enable(registers.get(r::set_sample_mask::ID)) {
        return u16::MAX;
    }
    let mask = registers.get(r::set_color_target_sample_mask::ID);
    let places = 0..targets.samples.count();
    places.fold(0, |set, k| set | ((mask >> sample_at(targets.mode, k) & 1) as u16) << k)
}

/// Whether 0 times anything is 0 in blending, where that makes a difference: targets of unorm have no infinities.
fn zero_products(registers: &Registers, colors: &[Option<ColorKey>; TARGETS]) -> bool {
    let unorm = |channel: &Channel| !matches!(channel, Channel::Float(_) | Channel::FloatCut(_) | Channel::Snorm(_));
    let plain = |key: &ColorKey| key.blend.is_none() || key.format.channels.iter().all(unorm);
    let asked = r::set_blend_float_option::zero_times_anything_is_zero(registers.get(r::set_blend_float_option::ID));
    asked && !colors.iter().flatten().all(plain)
}

/// Whether a format blends only where registers say so: those of snorm, and of 16 bits of unorm.
fn blends_if_asked(format: &ColorFormat) -> bool {
    format.channels.iter().any(|channel| match channel {
        Channel::Snorm(_) => true,
        Channel::Unorm(bits) => bits.bits == 16,
        _ => false,
    })
}

/// The format without the encoding of sRGB.
fn linear(format: ColorFormat) -> ColorFormat {
    let channels = format.channels.map(|channel| match channel {
        Channel::Srgb(bits) => Channel::Unorm(bits),
        other => other,
    });
    ColorFormat { channels, ..format }
}

fn write_mask(word: u32) -> u8 {
    (0..4).fold(0, |mask, i| mask | ((word >> (4 * i) & 1) as u8) << i)
}

/// The channels of a mask that are stored.
fn stored(format: &ColorFormat, mask: u8) -> u8 {
    (0..4).filter(|&i| format.channels[i] != Channel::Absent).fold(0, |set, i| set | mask & 1 << i)
}

fn blend(registers: &Registers, target: usize) -> BlendKey {
    let get = |id: usize| registers.get(id);
    let common = !r::set_blend_state_per_target::enable(get(r::set_blend_state_per_target::ID));
    let [separate, color, alpha] = if common {
        [
            [r::set_blend_separate_for_alpha::ID; 3],
            [r::set_blend_color_op::ID, r::set_blend_color_source_coeff::ID, r::set_blend_color_dest_coeff::ID],
            [r::set_blend_alpha_op::ID, r::set_blend_alpha_source_coeff::ID, r::set_blend_alpha_dest_coeff::ID],
        ]
    } else {
        [
            [r::set_blend_per_target_separate_for_alpha::id(target); 3],
            [
                r::set_blend_per_target_color_op::id(target),
                r::set_blend_per_target_color_source_coeff::id(target),
                r::set_blend_per_target_color_dest_coeff::id(target),
            ],
            [
                r::set_blend_per_target_alpha_op::id(target),
                r::set_blend_per_target_alpha_source_coeff::id(target),
                r::set_blend_per_target_alpha_dest_coeff::id(target),
            ],
        ]
    };
    let alpha = if get(separate[0]) & 1 != 0 { alpha } else { color };
    let term = |ids: [usize; 3]| BlendTerm {
        equation: equation(get(ids[0])),
        source: factor(get(ids[1]), true),
        destination: factor(get(ids[2]), false),
        signed: SignedOperand::None,
    };
    BlendKey { color: term(color), alpha: term(alpha) }
}

fn equation(word: u32) -> BlendEquation {
    m::BlendOp::from_register(word).map_or(BlendEquation::Add, BlendEquation::from)
}

fn factor(word: u32, source: bool) -> BlendFactor {
    m::BlendFactor::from_register(word).map_or(BlendFactor::One, |factor| factor.of(source))
}

fn depth(registers: &Registers, targets: &Targets) -> Option<DepthKey> {
    let get = |id: usize| registers.get(id);
    let format = targets.zeta.as_ref()?.kernel;
    let tests = format.has_depth() && r::set_depth_test::enable(get(r::set_depth_test::ID));
    let bounds = format.has_depth() && r::set_depth_bounds_test::enable(get(r::set_depth_bounds_test::ID));
    // X8Z24 has no stencil though the kernels' format has one.
    let has_stencil = targets.zeta.is_some_and(|zeta| zeta.format.has_stencil());
    let stencil = (has_stencil && r::set_stencil_test::enable(get(r::set_stencil_test::ID))).then(|| {
        sides(registers).map(|side| {
            let op = |when: usize| stencil_op(get(r::stencil_op::IDS[3 * side + when]));
            StencilKey {
                compare: compare(get(r::stencil_func::IDS[side])),
                fail: op(0),
                depth_fail: op(1),
                pass: op(2),
            }
        })
    });
    if !tests && !bounds && stencil.is_none() {
        return None;
    }
    Some(DepthKey {
        format,
        big_endian: false,
        layout: SurfaceLayout::Pitch,
        test: tests.then(|| compare(get(r::set_depth_func::ID))),
        write: tests && r::set_depth_write::enable(get(r::set_depth_write::ID)),
        bounds,
        stencil,
    })
}

fn stencil_op(word: u32) -> StencilOp {
    m::StencilOp::from_register(word).map_or(StencilOp::Keep, StencilOp::from)
}
