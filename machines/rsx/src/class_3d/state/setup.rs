//! Viewport, facing, lines, points: what primitives depend on.

use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::program::fragment::{MAX_SAMPLES, Samples};
use triglyph_guest::kernel::program::output::DepthFormat;
use triglyph_guest::rsx::enums::{self, Antialias, ClipPlane, FrontFace};
use triglyph_guest::rsx::methods::curie as m;

use super::target::Target;
use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::{
    ClipDistance, CullFace, DepthOffset, Fill, Keep, LineShape, LineStipple, Planes, PointSize, PolygonMode,
    ProgramSetup, Projection, Provoking, Varyings, Viewport, Winding,
};
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::SamplePosition;

/// Derives setup; `offset` says where in a record an output is.
pub(super) fn derive(
    registers: &Registers,
    target: &Target,
    varyings: Varyings,
    accuracy: Accuracy,
    offset: impl Fn(u32) -> Option<usize>,
) -> ProgramSetup {
    let get = |id: usize| registers.get(id as u32);
    let float = |id: usize| f32::from_bits(get(id));
    let flag = |id: usize| get(id) & 1 != 0;
    let positions = sample_positions(registers, target);
    let positions = &positions[..target.surfaces.samples.count()];
    let span = |pick: fn(u8, u8) -> u8| {
        [0, 1].map(|axis| positions.iter().map(|at| at[axis]).reduce(pick).unwrap_or(CENTER[axis]))
    };
    let width = m::set_line_width::width(get(m::set_line_width::ID));
    let stipple = get(m::set_line_stipple_pattern::ID);
    let outputs = get(m::set_vertex_attrib_output_mask::ID);
    let point_size = match offset(POINT_SIZE).filter(|_| m::set_vertex_attrib_output_mask::point_size(outputs)) {
        Some(at) => PointSize::Register(at),
        None => PointSize::Fixed(float(m::set_point_size::ID)),
    };
    ProgramSetup {
        projection: projection(registers, &offset),
        front: match m::set_front_face::winding(get(m::set_front_face::ID)) {
            Some(FrontFace::Cw) => Winding::Clockwise,
            _ => Winding::CounterClockwise,
        },
        cull: cull(registers),
        modes: [m::set_front_polygon_mode::ID, m::set_back_polygon_mode::ID].map(|id| polygon_mode(get(id))),
        edges: flag(m::set_edge_flag::ID),
        depth_offset: DepthOffset {
            factor: float(m::set_polygon_offset_scale_factor::ID),
            constant: float(m::set_polygon_offset_bias::ID) * depth_unit(target.depth),
            enabled: [
                m::set_poly_offset_fill_enable::ID,
                m::set_poly_offset_line_enable::ID,
                m::set_poly_offset_point_enable::ID,
            ]
            .map(flag),
            float_units: false,
            clamp: 0.0,
        },
        provoking: match m::set_flat_shade_op::first(get(m::set_flat_shade_op::ID)) {
            true => Provoking::FirstExceptQuads,
            false => Provoking::Last,
        },
        varyings,
        planes: match accuracy {
            Accuracy::Exact => Planes::CutFromCorner,
            Accuracy::Fast => Planes::Nearest,
        },
        words: None,
        cull_distances: Vec::new(),
        fill: fill(registers, target),
        line_shape: line_shape(registers, target),
        // Mesa's blits leave 0 and expect lines to be seen.
        line_width: if width == 0 { 1.0 } else { width as f32 / 8.0 },
        line_stipple: m::set_line_stipple::enable(get(m::set_line_stipple::ID)).then(|| LineStipple {
            factor: m::set_line_stipple_pattern::factor_minus_1(stipple) + 1,
            pattern: m::set_line_stipple_pattern::pattern(stipple) as u16,
        }),
        point_size,
        smallest_point: 0.0,
        round_points: false,
        right_edges: true,
        sample_span: [span(u8::min), span(u8::max)],
        clip: clip(registers, target),
    }
}

/// Each triangle of a smooth polygon covers the pixels of which one of four samples is inside, as a console's picture
/// shows (ps3autotests' `primitives`, outer and inner edges). The resulting alpha is not known. With several samples
/// they are as others, which is unverified.
fn fill(registers: &Registers, target: &Target) -> Fill {
    let smooth = m::set_poly_smooth_enable::enable(registers.get(m::set_poly_smooth_enable::ID as u32));
    if smooth && target.surfaces.samples.count() == 1 { Fill::Smooth } else { Fill::Inside }
}

/// Smooth lines of width 1 are two pixels wide and stick out by half a pixel, as a console's picture shows (RPCS3's
/// test `primitives`); with several samples they are lines as others, which is unverified.
fn line_shape(registers: &Registers, target: &Target) -> LineShape {
    let smooth = m::set_line_smooth_enable::enable(registers.get(m::set_line_smooth_enable::ID as u32));
    if smooth && target.surfaces.samples.count() == 1 { LineShape::Smooth } else { LineShape::Steps }
}

/// The output that holds the point size, and clip distances 3 to 5.
const POINT_SIZE: u32 = 6;
/// The output that holds the fog coordinate, and clip distances 0 to 2.
const FOG: u32 = 5;

/// A step of the depth buffer, 2^-24 or 2^-16, which is the unit of the register. RPCS3 #12788 found so with titles;
/// Mesa's nv30 writes OpenGL's units doubled, which are two steps.
fn depth_unit(format: Option<DepthFormat>) -> f32 {
    match format {
        Some(DepthFormat::Z16 | DepthFormat::F16) => 1.0 / 65_536.0,
        _ => 1.0 / 16_777_216.0,
    }
}

/// The window offset, pixels.
fn window_offset(registers: &Registers) -> [i32; 2] {
    let word = registers.get(m::set_window_offset::ID as u32);
    [m::set_window_offset::x(word), m::set_window_offset::y(word)]
}

/// The same for primitives: none where programs give positions in the window. Mesa's copies between textures draw so,
/// and leave the offset of the surface before them.
pub(super) fn primitive_offset(registers: &Registers) -> [i32; 2] {
    let mode = registers.get(m::set_transform_execution_mode::ID as u32);
    if m::set_transform_execution_mode::divided(mode) { [0; 2] } else { window_offset(registers) }
}

fn projection(registers: &Registers, offset: &impl Fn(u32) -> Option<usize>) -> Projection {
    let get = |id: usize| registers.get(id as u32);
    let float = |id: usize| f32::from_bits(get(id));
    let [x, y] = primitive_offset(registers).map(|v| v as f32);
    let at = |i: usize| float(m::set_viewport_offset::id(i));
    let control = get(m::set_zmin_max_control::ID);
    let planes = get(m::set_user_clip_plane_control::ID);
    let outputs = m::set_vertex_attrib_output_mask::clip_distances(get(m::set_vertex_attrib_output_mask::ID));
    let mut distances = [None; 8];
    for (i, distance) in distances.iter_mut().enumerate().take(6).filter(|(i, _)| outputs >> i & 1 != 0) {
        let keep = match ClipPlane::from_register(planes >> (4 * i) & 15) {
            Some(ClipPlane::Below) => Keep::Negative,
            Some(ClipPlane::Above) => Keep::NotNegative,
            None | Some(ClipPlane::Off) => continue,
        };
        let output = offset(if i < 3 { FOG } else { POINT_SIZE });
        *distance = output.map(|start| ClipDistance { at: start + 1 + i % 3, keep });
    }
    Projection {
        viewport: Viewport {
            scale: [0, 1, 2].map(|i| float(m::set_viewport_scale::id(i))),
            offset: [at(0) + x, at(1) + y, at(2)],
        },
        depth_clip: [m::set_clip_min::ID, m::set_clip_max::ID]
            .map(|id| (m::set_zmin_max_control::clip(control) != 0).then(|| float(id))),
        divided: m::set_transform_execution_mode::divided(get(m::set_transform_execution_mode::ID)),
        ignore_w_sign: m::set_zmin_max_control::ignore_w(control) != 0,
        distances,
        position: 0,
        single: None,
    }
}

fn cull(registers: &Registers) -> CullFace {
    let get = |id: usize| registers.get(id as u32);
    if !m::set_cull_face_enable::enable(get(m::set_cull_face_enable::ID)) {
        return CullFace::default();
    }
    match m::set_cull_face::face(get(m::set_cull_face::ID)) {
        Some(enums::CullFace::Front) => CullFace { front: true, back: false },
        Some(enums::CullFace::FrontAndBack) => CullFace { front: true, back: true },
        None | Some(enums::CullFace::Back) => CullFace { front: false, back: true },
    }
}

fn polygon_mode(word: u32) -> PolygonMode {
    match enums::PolygonMode::from_register(word) {
        Some(enums::PolygonMode::Point) => PolygonMode::Point,
        Some(enums::PolygonMode::Line) => PolygonMode::Line,
        None | Some(enums::PolygonMode::Fill) => PolygonMode::Fill,
    }
}

/// The middle of a pixel.
const CENTER: SamplePosition = [128, 128];

/// Where the samples of a pixel lie. The positions are the usual ones of the modes' names; the hardware's are not
/// known. Without multisampling all samples of a multisampled target lie in the middle.
pub(super) fn sample_positions(registers: &Registers, target: &Target) -> [SamplePosition; MAX_SAMPLES] {
    let mut positions = [CENTER; MAX_SAMPLES];
    let control = registers.get(m::set_anti_aliasing_control::ID as u32);
    if m::set_anti_aliasing_control::enable(control) {
        let at: &[SamplePosition] = match target.antialias {
            Antialias::Center1 => &[CENTER],
            Antialias::DiagonalCentered2 => &[[64, 64], [192, 192]],
            Antialias::SquareCentered4 => &[[64, 64], [192, 64], [64, 192], [192, 192]],
            Antialias::SquareRotated4 => &[[96, 32], [224, 96], [32, 160], [160, 224]],
        };
        positions[..at.len()].copy_from_slice(at);
    }
    positions
}

/// Samples that may be covered.
pub(super) fn sample_mask(registers: &Registers, samples: Samples) -> u16 {
    let control = registers.get(m::set_anti_aliasing_control::ID as u32);
    match m::set_anti_aliasing_control::enable(control) && samples.count() > 1 {
        true => m::set_anti_aliasing_control::sample_mask(control) as u16,
        false => u16::MAX,
    }
}

/// A rectangle from its first pixel and its size, moved by the window offset, as far as pixels can be there.
fn moved(start: [u32; 2], size: [u32; 2], by: [i32; 2]) -> Option<Rect> {
    let range = |axis: usize| {
        let first = i64::from(start[axis]) + i64::from(by[axis]);
        let last = first + i64::from(size[axis]) - 1;
        (last >= first.max(0)).then(|| (first.max(0) as u32, last as u32))
    };
    let ((x0, x1), (y0, y1)) = (range(0)?, range(1)?);
    Some(Rect { x0, y0, x1, y1 })
}

/// The scissor of clears in pixels of the target.
pub(in crate::class_3d) fn scissor(registers: &Registers) -> Option<Rect> {
    scissor_at(registers, window_offset(registers))
}

fn scissor_at(registers: &Registers, offset: [i32; 2]) -> Option<Rect> {
    let [horizontal, vertical] =
        [m::set_scissor_horizontal::ID, m::set_scissor_vertical::ID].map(|id| registers.get(id as u32));
    let start = [m::set_scissor_horizontal::x(horizontal), m::set_scissor_vertical::y(vertical)];
    let size = [m::set_scissor_horizontal::width(horizontal), m::set_scissor_vertical::height(vertical)];
    moved(start, size, offset)
}

/// Pixels that primitives may touch: viewport rectangle and scissor, both before the window offset, and surface clip.
fn clip(registers: &Registers, target: &Target) -> Option<Rect> {
    let [horizontal, vertical] =
        [m::set_viewport_horizontal::ID, m::set_viewport_vertical::ID].map(|id| registers.get(id as u32));
    let start = [m::set_viewport_horizontal::x(horizontal), m::set_viewport_vertical::y(vertical)];
    let size = [m::set_viewport_horizontal::width(horizontal), m::set_viewport_vertical::height(vertical)];
    let offset = primitive_offset(registers);
    let viewport = moved(start, size, offset)?;
    target.clip?.intersect(viewport)?.intersect(scissor_at(registers, offset)?)
}
