//! State of fragments, put together.

use std::sync::Arc;

use triglyph_guest::kernel::program::fragment::{FragmentCode, FragmentConstants, FragmentKey};
use triglyph_guest::rsx::enums::{PixelCenters, WindowOrigin};
use triglyph_guest::rsx::methods::curie as m;

use super::setup::{primitive_offset, sample_mask, sample_positions};
use super::{Pixels, State, fragment, output, setup};
use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::{Interpolate, LineShape, Output, Varying};
use triglyph_engine::scene::Rect;
use triglyph_engine::scene::program::{ProgramState, SamplePosition, Surfaces, Windows};

/// Derives everything from the registers; `None` when a draw changes nothing.
pub(super) fn derive(state: &mut State, core: &mut Core, registers: &Registers) -> Option<Pixels> {
    let get = |id: usize| registers.get(id as u32);
    let target = &state.target;
    let mut output = output::derive(registers, target, core.big_endian);
    let count_samples = m::set_zpass_pixel_count_enable::enable(get(m::set_zpass_pixel_count_enable::ID));
    if output.surfaces == Surfaces::default() && !count_samples {
        return None;
    }
    let vertex = state.vertex.value()?;
    let program = state.programs.current()?;
    let instructions = program.instructions;
    let offset = |register: u32| vertex.key.offset(register);
    let inputs = fragment::inputs(registers, program.summary.inputs, state.points, offset);
    let mut setup = setup::derive(registers, target, inputs.varyings, core.renderer.accuracy, offset);
    setup.clip?;
    output.key.depth_offset = setup.depth_offset.counts();
    if setup.line_shape == LineShape::Smooth {
        // Alpha tells how much of a pixel a line covers, as OpenGL has it (unverified).
        output.key.share = Some(4 * setup.varyings.len() as u16);
        let share = Output::LineShare;
        setup.varyings.push(Varying { front: share, back: share, interpolate: Interpolate::Linear });
    }
    let textures = state.textures.get(core, registers, program.summary.textures);
    let samples = target.surfaces.samples;
    let key = FragmentKey {
        code: FragmentCode::Rsx(program.key(registers, core.renderer.accuracy, inputs.inputs)),
        textures: textures.keys,
        output: output.key,
        samples,
    };
    let sample_positions = sample_positions(registers, target);
    let (position_offset, position_scale_y) = position(registers);
    let constants = FragmentConstants {
        output: output.constants,
        position_offset,
        position_scale_y,
        fog: [0, 1].map(|i| f32::from_bits(get(m::set_fog_params::id(i)))),
        sample_offsets: sample_positions.map(offset_from_center),
    };
    let draw = ProgramState {
        kernel: state.kernels.get(&key, |key| core.renderer.kernels.fragment(key)),
        constants,
        program_constants: program.constants.clone(),
        textures: textures.bindings,
        windows: windows(registers, setup.clip),
        stipple: stipple(registers),
        sample_positions,
        sample_masks: [sample_mask(registers, samples); 4],
        count_samples,
        surfaces: output.surfaces,
        reach: None,
    };
    Some(Pixels { state: state.states.share(draw), setup: state.setups.share(setup), instructions })
}

/// A sample's place relative to the middle of its pixel.
fn offset_from_center(position: SamplePosition) -> [f32; 2] {
    position.map(|v| (f32::from(v) - 128.0) * (1.0 / 256.0))
}

/// What is added to a pixel's coordinates for the position input, and the sign of y. The middle of the lowest row is
/// where that of the first is when rows count from below: at 0 or at a half (RPCS3 8984c2b316). The window offset is
/// taken back: whether the hardware does that is not known.
fn position(registers: &Registers) -> ([f32; 2], f32) {
    let word = registers.get(m::set_shader_window::ID as u32);
    let [x, y] = primitive_offset(registers).map(|v| v as f32);
    let center = if m::set_shader_window::pixel_center(word) == Some(PixelCenters::Integers) { 0.0 } else { 0.5 };
    if m::set_shader_window::origin(word) == Some(WindowOrigin::Bottom) {
        let height = m::set_shader_window::height(word) as f32;
        ([center - x, height - 1.0 + center + y], -1.0)
    } else {
        ([center - x, center - y], 1.0)
    }
}

/// The window clip rectangles, unless they let all of `clip` pass.
fn windows(registers: &Registers, clip: Option<Rect>) -> Option<Windows> {
    let get = |id: usize| registers.get(id as u32);
    let clip = clip?;
    let rects = || {
        (0..8).filter_map(|i| {
            let horizontal = get(m::set_window_clip_horizontal::id(i));
            let vertical = get(m::set_window_clip_vertical::id(i));
            let rect = Rect {
                x0: m::set_window_clip_horizontal::min(horizontal),
                y0: m::set_window_clip_vertical::min(vertical),
                x1: m::set_window_clip_horizontal::max(horizontal),
                y1: m::set_window_clip_vertical::max(vertical),
            };
            (rect.x0 <= rect.x1 && rect.y0 <= rect.y1).then_some(rect)
        })
    };
    let outside = m::set_window_clip_type::outside(get(m::set_window_clip_type::ID));
    if !outside && rects().any(|rect| rect.intersect(clip) == Some(clip)) {
        return None;
    }
    Some(Windows { rects: rects().collect(), outside })
}

/// The polygon stipple, bit n = column n of a row of memory. Words are OpenGL's: rows from below, bytes from the left,
/// the leftmost of eight columns in the highest bit of a byte. Hardware: a console's picture (ps3autotests' primitives,
/// words 1 << n) and pictures of the NV2A (docs/reference/nv2a.md), all of them 480 rows high: from where rows count
/// in others is unverified.
fn stipple(registers: &Registers) -> Option<Arc<[u32; 32]>> {
    let get = |id: usize| registers.get(id as u32);
    m::set_polygon_stipple::enable(get(m::set_polygon_stipple::ID)).then(|| {
        Arc::new(std::array::from_fn(|row| {
            get(m::set_polygon_stipple_pattern::id(31 - row)).swap_bytes().reverse_bits()
        }))
    })
}
