//! Results of all fragments of a draw.

use super::pixels::{KeptPixels, Pixels, pixels_of};
use super::{FragmentReplay, MAX_PRIMITIVES};
use crate::probe::{Judged, JudgedPrimitive, MAX_PIXELS, Surface, area_of};
use crate::raster::RasterKind;

impl<K: RasterKind> FragmentReplay<'_, K> {
    /// The results of all fragments; `None` if there are too many primitives or pixels, if surfaces are not all mapped,
    /// or if it is late before all primitives are replayed.
    pub(super) fn everywhere(mut self, surfaces: &[Surface], is_late: impl Fn() -> bool) -> Option<Judged> {
        let primitives = self.first..self.draw.scene.primitives.len();
        let Some(bounds) = self.draw.scene.bounds_from(self.first) else { return Some(Judged::default()) };
        if primitives.len() > MAX_PRIMITIVES {
            return None;
        }
        let area = bounds.stored(self.trials.samples);
        if area.width() as usize * area.height() as usize > MAX_PIXELS {
            return None;
        }
        let memory = self.draw.memory;
        let before = KeptPixels::new(memory, surfaces, &pixels_of(area))?;
        let count = area.width() as usize * area.height() as usize;
        let mut judged = Judged { verdicts: std::array::from_fn(|_| vec![0; count]), primitives: Vec::new() };
        for index in primitives {
            if is_late() {
                before.put_back();
                return None;
            }
            let bounds = self.draw.scene.bounds[index];
            let covered: Vec<(u32, u32)> = self.covered(index, bounds).collect();
            if covered.is_empty() {
                continue;
            }
            let pixels = Pixels::new(memory, self.draw.observed, surfaces, None, &covered);
            let Some(pixels) = pixels else { continue };
            let verdicts = self.replay(index, bounds, None, &pixels).verdicts;
            let mut primitive = JudgedPrimitive {
                primitive: (index - self.first) as u32,
                area: area_of(bounds.stored(self.trials.samples)),
                ..JudgedPrimitive::default()
            };
            for (verdict, (x, y)) in verdicts.into_iter().zip(covered) {
                primitive.verdicts[verdict as usize] += 1;
                judged.verdicts[verdict as usize][((y - area.y0) * area.width() + x - area.x0) as usize] += 1;
            }
            judged.primitives.push(primitive);
        }
        before.put_back();
        Some(judged)
    }
}
