//! Draws of fixed-function fragments.

use std::sync::Arc;

use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::operations::{Compare, LogicOp};
use triglyph_guest::kernel::pixel::{Output, PixelKey};
use triglyph_guest::kernel::program::fragment::Samples;

use super::observed_surface::ObservedSurface;
use super::{LastDraw, ReplaysFragments, Special, Trials};
use crate::cache::Kernels;
use crate::mem::GuestAddr;
use crate::probe::{Layout, Role, Stored, Surface};
use crate::scene::{DrawState, Fixed, SceneTarget};

/// The colours of an observed surface where the draw has none.
const PLAIN: PixelFormat = PixelFormat::Rgba8;

impl ReplaysFragments for Fixed {
    fn plain_surface(target: &SceneTarget) -> Surface {
        Surface {
            role: Role::Color(0),
            start: GuestAddr::new(target.space, ObservedSurface::ADDRESS),
            size: target.surface_bytes(PLAIN.bytes()),
            layout: Layout::Tiled(target.block),
            pitch: target.width,
            bytes: PLAIN.bytes(),
            stored: Stored::PicaColor(PLAIN),
            width: target.width,
            rows: target.rows,
            samples: [1, 1],
        }
    }

    fn trials(draw: &LastDraw<'_, Self>) -> Option<Trials<Self>> {
        let &LastDraw { memory, kernels, scene, observed } = draw;
        let is_ordered = scene.target.tiles_alias(memory);
        let span = scene.states.last().filter(|_| !is_ordered)?;
        // The machine is told which densities are drawn.
        let densest = span.state.densest.as_ref().map(|_| Arc::default());
        let own = Arc::new(DrawState { densest, ..(*span.state).clone() });
        let key = own.kernel.key();
        let can_fail = match key.shadow.is_some() || key.density.is_some() {
            false => {
                [key.alpha_test != Compare::Always, false, key.stencil.is_some(), key.depth_test != Compare::Always]
            }
            true => [false, false, false, true],
        };
        Some(Trials {
            samples: Samples::ONE,
            target: SceneTarget {
                color: Some(observed.surface.start.address),
                color_bytes: observed.surface.bytes,
                ..scene.target
            },
            tested: std::array::from_fn(|tests| with_tests(kernels, &own, tests)),
            special: special(kernels, &own),
            own,
            can_fail,
        })
    }
}

/// A state with another key.
fn with_key(kernels: &Kernels, state: &DrawState, key: &PixelKey) -> DrawState {
    DrawState { kernel: kernels.pixel(key), simpler: None, ..state.clone() }
}

/// A state with the first so many tests, which stores colours as they are. Without tests depth is stored as well.
fn with_tests(kernels: &Kernels, state: &DrawState, tests: usize) -> Arc<DrawState> {
    let mut key = state.kernel.key().clone();
    if key.shadow.is_some() && tests > 3 {
        return Arc::new(shown_shadow(state));
    }
    key.output = Output::Logic(LogicOp::Copy);
    (key.color_format, key.color_mask) = (key.color_format.or(Some(PLAIN)), 15);
    key.depth_write = tests == 0 && key.depth_format.is_some();
    let is_special = key.shadow.take().is_some() || key.density.is_some();
    key.alpha_test = if tests > 0 && !is_special { key.alpha_test } else { Compare::Always };
    key.stencil = key.stencil.filter(|_| tests > 2 && !is_special);
    let compare = key.density.take().map_or(key.depth_test, |density| density.compare);
    key.depth_test = if tests > 3 { compare } else { Compare::Always };
    Arc::new(with_key(kernels, state, &key))
}

/// The values that shadows and densities store.
fn special(kernels: &Kernels, state: &DrawState) -> Option<Special<Fixed>> {
    let key = state.kernel.key();
    if key.shadow.is_some() {
        // The value that is stored in an empty map.
        return Some(Special { shade: Arc::new(state.clone()), shade_over: u8::MAX, over: Some(unshadowed) });
    }
    let mut key = key.clone();
    key.density.as_mut()?.compare = Compare::Always;
    // The value that is added.
    Some(Special { shade: Arc::new(with_key(kernels, state, &key)), shade_over: 0, over: None })
}

/// Shadow rendering that stores shadow 0 if it stores any, whatever its strength.
fn shown_shadow(state: &DrawState) -> DrawState {
    let mut state = state.clone();
    (state.constants.shadow_constant, state.constants.shadow_linear) = (f32::INFINITY, 0.0);
    state
}

/// A shadow map with the depths of another one and shadow 255, so that any shadow less than that shows.
fn unshadowed(map: &[u8]) -> Vec<u8> {
    map.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], u8::MAX]).collect()
}
