//! Draws of fragment programs.

use std::sync::Arc;

use triglyph_guest::kernel::operations::Compare;
use triglyph_guest::kernel::program::output::{Bits, Channel, ColorFormat, ColorKey, OutputKey};
use triglyph_guest::layout::SurfaceLayout;

use super::observed_surface::ObservedSurface;
use super::{LastDraw, ReplaysFragments, Trials};
use crate::mem::GuestAddr;
use crate::probe::{Layout, Role, Stored, Surface};
use crate::scene::program::{ProgramState, ProgramTarget, Programs, Surfaces, TargetSurface};

/// The colours of an observed surface where the draw has none.
const PLAIN: ColorFormat = {
    const fn byte(shift: u8) -> Channel {
        Channel::Unorm(Bits { shift, bits: 8 })
    }
    ColorFormat { bytes: 4, swap: 1, channels: [byte(0), byte(8), byte(16), byte(24)] }
};

impl ReplaysFragments for Programs {
    fn plain_surface(target: &ProgramTarget) -> Surface {
        let (across, down) = (target.samples.across, target.samples.down);
        let (width, rows) = (target.width * u32::from(across), target.rows * u32::from(down));
        let bytes = u32::from(PLAIN.bytes);
        Surface {
            role: Role::Color(0),
            start: GuestAddr::new(0, ObservedSurface::ADDRESS),
            size: u64::from(width * bytes) * u64::from(rows),
            layout: Layout::Surface(SurfaceLayout::Pitch),
            pitch: width * bytes,
            bytes,
            stored: Stored::Color(PLAIN),
            width,
            rows,
            samples: [across, down],
        }
    }

    /// A draw whose program reaches memory has a scene of its own.
    fn trials(draw: &LastDraw<'_, Self>) -> Option<Trials<Self>> {
        let &LastDraw { memory, kernels, scene, observed } = draw;
        let touched = scene.states.iter().fold(Surfaces::default(), |all, span| all.union(span.state.surfaces));
        let span = scene.states.last().filter(|_| !scene.target.tiles_alias(touched, memory))?;
        let own = Arc::new(ProgramState { count_samples: false, ..(*span.state).clone() });
        if let Some(reach) = own.reach.as_ref().filter(|reach| reach.writes) {
            reach.image_ranges().for_each(|range| memory.keep(range));
        }
        let color = match observed.surface.role {
            Role::Color(number) => usize::from(number),
            Role::Depth => return None,
        };
        let key = own.kernel.key();
        let tested = std::array::from_fn(|tests| {
            let mut key = key.clone();
            with_tests(&mut key.output, color, tests);
            let surfaces = Surfaces { colors: 1 << color, ..own.surfaces };
            Arc::new(ProgramState { kernel: kernels.fragment(&key), surfaces, ..(*own).clone() })
        });
        let depth = key.output.depth.as_ref();
        let can_fail = [
            key.output.alpha_test != Compare::Always,
            depth.is_some_and(|depth| depth.bounds),
            depth.is_some_and(|depth| depth.stencil.is_some()),
            depth.is_some_and(|depth| depth.test.is_some()),
        ];
        Some(Trials {
            samples: scene.target.samples,
            target: with_observed(scene.target, &observed.surface, color),
            tested,
            own,
            can_fail,
            special: None,
        })
    }
}

/// A target with the observed surface as its only colour.
fn with_observed(target: ProgramTarget, observed: &Surface, color: usize) -> ProgramTarget {
    let layout = match observed.layout {
        Layout::Surface(layout) => layout,
        Layout::Tiled(_) => SurfaceLayout::Pitch,
    };
    let (limit, pitch, bytes) = (observed.size, observed.pitch, observed.bytes);
    let mut with = target;
    with.colors = Default::default();
    with.colors[color] = Some(TargetSurface { place: observed.start, limit, layout, pitch, bytes });
    with
}

/// Keeps the first so many tests, and stores the colour as it is. Without tests depth is stored as well.
fn with_tests(output: &mut OutputKey, color: usize, tests: usize) {
    output.alpha_test = if tests > 0 { output.alpha_test } else { Compare::Always };
    (output.logic, output.program) = (None, None);
    let own = output.colors[color];
    if own.is_none() {
        // The mask of samples for colours does not matter to a draw without colours.
        output.color_samples = u16::MAX;
    }
    let plain = ColorKey { format: PLAIN, layout: SurfaceLayout::Pitch, source: 0, mask: 15, blend: None };
    output.colors = Default::default();
    output.colors[color] = Some(ColorKey { mask: 15, blend: None, ..own.unwrap_or(plain) });
    if let Some(depth) = &mut output.depth {
        depth.write = tests == 0;
        depth.bounds &= tests > 1;
        depth.stencil = depth.stencil.filter(|_| tests > 2);
        depth.test = match tests {
            0 => Some(Compare::Always),
            1..=3 => None,
            _ => depth.test,
        };
    }
}
