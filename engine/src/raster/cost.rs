//! Estimates of the time that drawing takes, corrected by measurements.

use super::tile_renderer::TileRenderer;
use crate::cache::PixelCost;
use crate::scene::{Rect, Scene, SceneKind};

/// Cost of a primitive besides its pixels, in nanoseconds.
pub(super) const PRIMITIVE: u64 = 120;

/// Maximum number of primitives whose sizes are added up; a scene with more counts as large.
pub(super) const LOOKED_AT: usize = 4096;

/// Estimated cost of drawing a scene, in nanoseconds.
pub(super) fn cost<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P) -> u64 {
    pixel_costs(scene, renderer) / PixelCost::PARTS + scene.primitives.len() as u64 * PRIMITIVE
}

/// Estimated cost of the pixels of a scene, in parts of a nanosecond.
pub(super) fn pixel_costs<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P) -> u64 {
    (0..scene.states.len()).map(|state| pixels_of_state(scene, renderer, state)).fold(0, u64::saturating_add)
}

/// The same of a state's pixels, by some of its primitives: no more than [`LOOKED_AT`] and one of each state.
pub(super) fn pixels_of_state<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P, state: usize) -> u64 {
    let step = scene.bounds.len() / LOOKED_AT + 1;
    let end = scene.states.get(state + 1).map_or(scene.bounds.len(), |next| next.first as usize);
    let bounds = scene.bounds.get(scene.states[state].first as usize..end).unwrap_or_default();
    let kernel = renderer.kernel(state);
    pixels_of(bounds, step).saturating_mul(kernel.pixel_cost().get(kernel.is_compiled()))
}

/// Estimates how many pixels rectangles have together, from one in `step` of them.
pub(super) fn pixels_of(bounds: &[Rect], step: usize) -> u64 {
    let pixels = |bounds: &Rect| u64::from(bounds.width()) * u64::from(bounds.height());
    let looked_at = bounds.len().div_ceil(step).max(1) as u64;
    let found: u64 = bounds.iter().step_by(step).map(pixels).sum();
    found.saturating_mul(bounds.len() as u64) / looked_at
}

/// Corrects the estimates of all states by the expected and the measured time of a scene.
pub(super) fn correct<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P, expected: u64, measured: u64) {
    for state in 0..scene.states.len() {
        let kernel = renderer.kernel(state);
        kernel.pixel_cost().correct(kernel.is_compiled(), expected, measured);
    }
}

/// Divides the measured time of a scene among the kernels of its states, in proportion to their estimates.
pub(super) fn note_times<P: TileRenderer>(scene: &Scene<P::Kind>, renderer: &P, measured: u64) {
    let all = pixel_costs(scene, renderer).max(1);
    for state in (0..scene.states.len()).filter(|&state| renderer.kernel(state).is_compiled()) {
        let part = u128::from(pixels_of_state(scene, renderer, state));
        renderer.kernel(state).note_time((u128::from(measured) * part / u128::from(all)) as u64);
    }
}

/// Whether primitives may hide each other in a scene: they have more pixels than the tiles that they touch.
pub(super) fn may_overlap<K: SceneKind>(scene: &Scene<K>) -> bool {
    let busy = scene.bins.iter().filter(|bin| !bin.is_empty()).count() as u64;
    pixels_of(&scene.bounds, scene.bounds.len() / LOOKED_AT + 1) > busy * u64::from(K::TILE * K::TILE) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_many_primitives_are_estimated() {
        let square = |edge: u32| Rect { x0: 5, y0: 9, x1: 4 + edge, y1: 8 + edge };
        assert_eq!(pixels_of(&[], 3), 0);
        assert_eq!(pixels_of(&[square(7)], 3), 49);
        let many: Vec<Rect> = (0..10_000).map(|n| square(4 + n % 5)).collect();
        let exact = pixels_of(&many, 1);
        assert_eq!(exact, 2000 * (16 + 25 + 36 + 49 + 64));
        assert!(pixels_of(&many, 3).abs_diff(exact) < exact / 100);
    }
}
