//! Viewports, clipping, facing, lines, points: what primitives depend on.

use std::sync::Arc;

use triglyph_guest::kernel::program::output::DepthFormat;
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{self as m, regs as r};

use super::target::{Targets, between, sample_positions, sized};
use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::{
    ClipDistance, CullFace, DepthOffset, Fill, Keep, LineShape, LineStipple, Planes, PointSize, PolygonMode,
    ProgramSetup, Projection, Provoking, Single, Varyings, Viewport, Winding, WordPlanes,
};
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::Windows;

/// Viewports.
pub(crate) const VIEWPORTS: usize = 16;

fn float(registers: &Registers, id: usize) -> f32 {
    f32::from_bits(registers.get(id))
}

fn flag(registers: &Registers, id: usize) -> bool {
    registers.get(id) & 1 != 0
}

/// The word of a record that an attribute address has.
pub(crate) fn at(outputs: &WordSet, address: u32) -> Option<usize> {
    outputs.index((address / 4) as u8)
}

/// Derives setup for primitives of a viewport. Records hold the words `outputs`, of which the position's are some.
pub(crate) fn derive(
    registers: &Registers,
    targets: &Targets,
    viewport: usize,
    outputs: &WordSet,
    words: Arc<WordPlanes>,
) -> ProgramSetup {
    let positions = sample_positions(registers, targets);
    let positions = &positions[..targets.samples.count()];
    let span =
        |pick: fn(u8, u8) -> u8| [0, 1].map(|axis| positions.iter().map(|at| at[axis]).reduce(pick).unwrap_or(128));
    let stipple = registers.get(r::set_line_stipple_parameters::ID);
    let (distances, cull_distances) = distances(registers, outputs);
    ProgramSetup {
        projection: projection(registers, viewport, outputs, distances),
        front: front(registers),
        cull: cull(registers),
        modes: [r::set_front_polygon_mode::ID, r::set_back_polygon_mode::ID].map(|id| polygon_mode(registers.get(id))),
        edges: true,
        depth_offset: depth_offset(registers, targets),
        provoking: provoking(registers),
        varyings: Varyings::new(),
        planes: Planes::Nearest,
        words: Some(words),
        cull_distances,
        fill: fill(registers),
        line_width: line_width(registers),
        line_shape: line_shape(registers, targets),
        line_stipple: flag(registers, r::set_line_stipple::ID).then(|| LineStipple {
            // The register has one less than OpenGL's factor: Mesa's driver.
            factor: r::set_line_stipple_parameters::factor(stipple) + 1,
            pattern: r::set_line_stipple_parameters::pattern(stipple) as u16,
        }),
        point_size: point_size(registers, outputs),
        // Smooth points may be smaller than a pixel (OpenGL).
        smallest_point: if flag(registers, r::set_anti_aliased_point::ID) { 0.0 } else { 1.0 },
        right_edges: false,
        round_points: flag(registers, r::set_anti_aliased_point::ID) && !flag(registers, r::set_point_sprite::ID),
        sample_span: match fill(registers) {
            // Pixels count wherever they are touched.
            Fill::Touched => [[0; 2], [255; 2]],
            _ => [span(u8::min), span(u8::max)],
        },
        clip: clip(registers, targets, viewport),
    }
}

/// What triangles fill.
pub(crate) fn fill(registers: &Registers) -> Fill {
    match r::set_fill_via_triangle::mode(registers.get(r::set_fill_via_triangle::ID)) {
        Some(m::FillViaTriangle::FillAll) => Fill::Everything,
        Some(m::FillViaTriangle::FillBbox) => Fill::Box,
        _ if flag(registers, r::set_conservative_raster::ID) => Fill::Touched,
        _ => Fill::Inside,
    }
}

/// The vertex that flat values come from.
pub(crate) fn provoking(registers: &Registers) -> Provoking {
    match registers.get(r::set_provoking_vertex::ID) & 1 {
        0 => Provoking::First,
        _ => Provoking::Last,
    }
}

/// The front's winding, rows counted downwards; FLIP_Y turns the decision over.
fn front(registers: &Registers) -> Winding {
    let clockwise = registers.get(r::ogl_set_front_face::ID) == m::FrontFace::Cw.bits();
    let flipped = r::set_window_origin::flip_y(registers.get(r::set_window_origin::ID));
    if clockwise != flipped { Winding::Clockwise } else { Winding::CounterClockwise }
}

fn cull(registers: &Registers) -> CullFace {
    if !flag(registers, r::ogl_set_cull::ID) {
        return CullFace::default();
    }
    match r::ogl_set_cull_face::v(registers.get(r::ogl_set_cull_face::ID)) {
        Some(m::CullFace::Front) => CullFace { front: true, back: false },
        Some(m::CullFace::FrontAndBack) => CullFace { front: true, back: true },
        Some(m::CullFace::Back) | None => CullFace { front: false, back: true },
    }
}

/// Whether polygons are drawn as points, on either side.
pub(crate) fn fills_with_points(registers: &Registers) -> bool {
    let modes = [r::set_front_polygon_mode::ID, r::set_back_polygon_mode::ID];
    modes.map(|id| polygon_mode(registers.get(id))).contains(&PolygonMode::Point)
}

fn polygon_mode(word: u32) -> PolygonMode {
    match m::PolygonMode::from_register(word) {
        Some(m::PolygonMode::Point) => PolygonMode::Point,
        Some(m::PolygonMode::Line) => PolygonMode::Line,
        Some(m::PolygonMode::Fill) | None => PolygonMode::Fill,
    }
}

fn line_width(registers: &Registers) -> f32 {
    let smooth = flag(registers, r::set_anti_aliased_line::ID);
    let separate = flag(registers, r::set_aliased_line_width_enable::ID);
    let width = match smooth || !separate {
        true => float(registers, r::set_line_width_float::ID),
        // Lines that are not smooth are whole pixels wide.
        false => float(registers, r::set_aliased_line_width_float::ID).round(),
    };
    if width.is_finite() { width.clamp(if smooth { 0.0 } else { 1.0 }, 64.0) } else { 1.0 }
}

/// Lines with several samples are rectangles along the line; smooth ones cover parts of pixels instead, if there is one
/// sample.
fn line_shape(registers: &Registers, targets: &Targets) -> LineShape {
    let several = targets.samples.count() > 1
        && flag(registers, r::set_anti_alias_enable::ID)
        && !flag(registers, r::set_line_multisample_override::ID);
    match flag(registers, r::set_anti_aliased_line::ID) {
        _ if several => LineShape::Rectangle,
        true if targets.samples.count() > 1 => LineShape::Rectangle,
        true => LineShape::Smooth,
        false => LineShape::Steps,
    }
}

fn point_size(registers: &Registers, outputs: &WordSet) -> PointSize {
    let word = registers.get(r::set_attribute_point_size::ID);
    let slot = r::set_attribute_point_size::slot(word);
    // The slot is the word of the attribute space; drivers leave it as that of the point size or 0.
    let address = if slot == 0 { attribute::POINT_SIZE } else { 4 * slot };
    match at(outputs, address).filter(|_| r::set_attribute_point_size::enable(word)) {
        Some(register) => PointSize::Register(register),
        None => PointSize::Fixed(float(registers, r::set_point_size::ID)),
    }
}

/// The unit of the constant is that of the depth format. OpenGL's is two of them, which always make a difference where
/// positions are f32. Source: Mesa's nvc0, which writes D3D9's offsets in whole units and OpenGL's doubled.
fn depth_offset(registers: &Registers, targets: &Targets) -> DepthOffset {
    let (unit, float_units) = match targets.zeta.map(|zeta| zeta.kernel) {
        Some(DepthFormat::Z16) => (1.0 / 65_536.0, false),
        Some(DepthFormat::F32 | DepthFormat::F32S8) => (1.0, true),
        _ => (1.0 / 16_777_216.0, false),
    };
    DepthOffset {
        factor: float(registers, r::set_slope_scale_depth_bias::ID),
        constant: float(registers, r::set_depth_bias::ID) * unit,
        enabled: [r::set_poly_offset_fill::ID, r::set_poly_offset_line::ID, r::set_poly_offset_point::ID]
            .map(|id| flag(registers, id)),
        float_units,
        clamp: float(registers, r::set_depth_bias_clamp::ID),
    }
}

/// Clip distances that cut, and records' words of those that drop whole primitives: enabled and written.
fn distances(registers: &Registers, outputs: &WordSet) -> ([Option<ClipDistance>; 8], Vec<usize>) {
    let enabled = registers.get(r::set_user_clip_enable::ID);
    let operations = registers.get(r::set_user_clip_op::ID);
    let (mut clip, mut cull) = ([None; 8], Vec::new());
    for (i, clip) in clip.iter_mut().enumerate().filter(|(i, _)| enabled >> i & 1 != 0) {
        let Some(word) = at(outputs, attribute::CLIP_DISTANCE + 4 * i as u32) else { continue };
        match operations >> (4 * i) & 1 {
            0 => *clip = Some(ClipDistance { at: word, keep: Keep::NotNegative }),
            _ => cull.push(word),
        }
    }
    (clip, cull)
}

/// The depth range that pixels are clamped to or lost outside of, the lower end first.
pub(crate) fn depth_range(registers: &Registers, viewport: usize) -> [f32; 2] {
    if r::set_viewport_clip_control::min_z_zero_max_z_one(registers.get(r::set_viewport_clip_control::ID)) {
        return [0.0, 1.0];
    }
    let [a, b] = [r::set_viewport_clip_min_z::id(viewport), r::set_viewport_clip_max_z::id(viewport)]
        .map(|id| float(registers, id));
    if b < a { [b, a] } else { [a, b] }
}

fn projection(
    registers: &Registers,
    viewport: usize,
    outputs: &WordSet,
    distances: [Option<ClipDistance>; 8],
) -> Projection {
    let transforms = flag(registers, r::set_viewport_scale_offset::ID);
    let origin = registers.get(r::set_window_origin::ID);
    let mirrored = r::set_window_origin::mode(origin) == Some(m::WindowOrigin::LowerLeft);
    let height = r::set_surface_clip_vertical::height(registers.get(r::set_surface_clip_vertical::ID)) as f32;
    // With centres at whole numbers the centre of pixel 0 is what position 0 means.
    let centre = if registers.get(r::set_viewport_pixel::ID) & 1 != 0 { 0.5 } else { 0.0 };
    let shift = [
        r::set_window_offset_x::v(registers.get(r::set_window_offset_x::ID)) as f32 + centre,
        r::set_window_offset_y::v(registers.get(r::set_window_offset_y::ID)) as f32 + centre,
    ];
    let own = if transforms {
        let scale = [
            r::set_viewport_scale_x::id(viewport),
            r::set_viewport_scale_y::id(viewport),
            r::set_viewport_scale_z::id(viewport),
        ];
        let offset = [
            r::set_viewport_offset_x::id(viewport),
            r::set_viewport_offset_y::id(viewport),
            r::set_viewport_offset_z::id(viewport),
        ];
        Viewport { scale: scale.map(|id| float(registers, id)), offset: offset.map(|id| float(registers, id)) }
    } else {
        Viewport { scale: [1.0; 3], offset: [0.0; 3] }
    };
    let mirror = mirrored.then_some(height);
    let sign = if mirrored { -1.0 } else { 1.0 };
    let folded = Viewport {
        scale: [own.scale[0], sign * own.scale[1], own.scale[2]],
        offset: [own.offset[0] + shift[0], mirror.unwrap_or(0.0) + sign * own.offset[1] + shift[1], own.offset[2]],
    };
    let swizzle = registers.get(r::set_viewport_coordinate_swizzle::id(viewport));
    let swizzle = [0, 4, 8, 12].map(|shift| {
        let source = (swizzle >> shift & 7) as u8;
        (source >> 1, source & 1 != 0)
    });
    Projection {
        viewport: folded,
        depth_clip: if transforms { depth_clip(registers, viewport, &own) } else { [None; 2] },
        ignore_w_sign: false,
        divided: !transforms,
        distances,
        position: at(outputs, attribute::POSITION).unwrap_or(0),
        single: Some(Single {
            swizzle: if transforms { swizzle } else { [(0, false), (1, false), (2, false), (3, false)] },
            viewport: own,
            mirror,
            shift,
        }),
    }
}

/// Window depths that geometry is cut at. Where the pixels outside of the depth range are lost, cutting there gives the
/// same picture; besides, the clip volume in z counts if registers say so.
fn depth_clip(registers: &Registers, viewport: usize, own: &Viewport) -> [Option<f32>; 2] {
    let control = registers.get(r::set_viewport_clip_control::ID);
    use m::GeometryClip::{FrustumXyz, FrustumZ};
    let volume = matches!(r::set_viewport_clip_control::geometry_clip(control), Some(FrustumXyz | FrustumZ));
    let lost = |mode: Option<m::PixelZ>| mode == Some(m::PixelZ::Clip);
    let [low, high] = depth_range(registers, viewport);
    let mut limits = [
        lost(r::set_viewport_clip_control::pixel_min_z(control)).then_some(low),
        lost(r::set_viewport_clip_control::pixel_max_z(control)).then_some(high),
    ];
    if volume {
        let zero = r::set_viewport_z_clip::range(registers.get(r::set_viewport_z_clip::ID))
            == Some(m::DepthClipRange::ZeroToW);
        let near = if zero { own.offset[2] } else { own.offset[2] - own.scale[2] };
        let far = own.offset[2] + own.scale[2];
        let (near, far) = if far < near { (far, near) } else { (near, far) };
        limits[0] = Some(limits[0].map_or(near, |low| low.max(near)));
        limits[1] = Some(limits[1].map_or(far, |high| high.min(far)));
    }
    limits
}

/// Pixels that primitives of a viewport may touch.
fn clip(registers: &Registers, targets: &Targets, viewport: usize) -> Option<Rect> {
    let get = |id: usize| registers.get(id);
    let (x, y) = (get(r::set_viewport_clip_horizontal::id(viewport)), get(r::set_viewport_clip_vertical::id(viewport)));
    let rect = sized(
        [r::set_viewport_clip_horizontal::x0(x), r::set_viewport_clip_vertical::y0(y)],
        [r::set_viewport_clip_horizontal::width(x), r::set_viewport_clip_vertical::height(y)],
    );
    targets.clip?.intersect(mirrored(registers, rect?)?)?.intersect(scissor(registers, viewport)?)
}

/// A viewport's clip rectangle alone, for clears.
pub(crate) fn viewport_rect(registers: &Registers, viewport: usize) -> Option<Rect> {
    let get = |id: usize| registers.get(id);
    let (x, y) = (get(r::set_viewport_clip_horizontal::id(viewport)), get(r::set_viewport_clip_vertical::id(viewport)));
    let rect = sized(
        [r::set_viewport_clip_horizontal::x0(x), r::set_viewport_clip_vertical::y0(y)],
        [r::set_viewport_clip_horizontal::width(x), r::set_viewport_clip_vertical::height(y)],
    );
    mirrored(registers, rect?)
}

/// The scissor of a viewport; all pixels when it is off.
pub(crate) fn scissor(registers: &Registers, viewport: usize) -> Option<Rect> {
    let get = |id: usize| registers.get(id);
    if !r::set_scissor_enable::v(get(r::set_scissor_enable::id(viewport))) {
        return Some(Rect { x0: 0, y0: 0, x1: u32::MAX, y1: u32::MAX });
    }
    let (x, y) = (get(r::set_scissor_horizontal::id(viewport)), get(r::set_scissor_vertical::id(viewport)));
    let rect = between(
        [r::set_scissor_horizontal::xmin(x), r::set_scissor_vertical::ymin(y)],
        [r::set_scissor_horizontal::xmax(x), r::set_scissor_vertical::ymax(y)],
    );
    mirrored(registers, rect?)
}

/// A rectangle whose rows count from below if the window's do.
pub(crate) fn mirrored(registers: &Registers, rect: Rect) -> Option<Rect> {
    if r::set_window_origin::mode(registers.get(r::set_window_origin::ID)) != Some(m::WindowOrigin::LowerLeft) {
        return Some(rect);
    }
    let height = r::set_surface_clip_vertical::height(registers.get(r::set_surface_clip_vertical::ID));
    let last = height.checked_sub(1)?;
    let y1 = last.checked_sub(rect.y0)?;
    Some(Rect { y0: last.saturating_sub(rect.y1), y1, ..rect })
}

/// The window rectangles, if they count.
pub(crate) fn windows(registers: &Registers) -> Option<Windows> {
    if !flag(registers, r::set_window_clip_enable::ID) {
        return None;
    }
    let get = |id: usize| registers.get(id);
    let rects: Vec<Rect> = (0..r::set_window_clip_horizontal::COUNT)
        .filter_map(|i| {
            let (x, y) = (get(r::set_window_clip_horizontal::id(i)), get(r::set_window_clip_vertical::id(i)));
            between(
                [r::set_window_clip_horizontal::xmin(x), r::set_window_clip_vertical::ymin(y)],
                [r::set_window_clip_horizontal::xmax(x), r::set_window_clip_vertical::ymax(y)],
            )
        })
        .collect();
    Some(match r::set_window_clip_type::v(get(r::set_window_clip_type::ID)) {
        Some(m::WindowClipType::Exclusive) => Windows { rects: rects.into(), outside: true },
        Some(m::WindowClipType::ClipAll) => Windows { rects: [].into(), outside: false },
        Some(m::WindowClipType::Inclusive) | None => Windows { rects: rects.into(), outside: false },
    })
}

/// Rows of the polygon stipple, bit n = column n. Registers have the leftmost of eight columns in the highest bit of a
/// byte (Mesa).
pub(crate) fn stipple(registers: &Registers) -> [u32; 32] {
    std::array::from_fn(|row| registers.get(r::set_polygon_stipple_pattern::id(row)).swap_bytes().reverse_bits())
}
