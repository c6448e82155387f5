//! Results of the fragments of one pixel.

use super::FragmentReplay;
use super::pixels::{KeptPixels, Pixels, pixels_of};
use crate::probe::{AskedPixel, Fragment, Surface, Verdict};
use crate::raster::RasterKind;
use crate::scene::Rect;

impl<K: RasterKind> FragmentReplay<'_, K> {
    /// The results of the fragments at a stored pixel, as far as they are replayed before the deadline.
    pub(super) fn at_pixel(
        mut self,
        surfaces: &[Surface],
        AskedPixel { surface, at: [x, y] }: AskedPixel,
        is_late: impl Fn() -> bool,
    ) -> Vec<Fragment> {
        let (sx, sy) = (x / u32::from(self.trials.samples.across), y / u32::from(self.trials.samples.down));
        let only = Rect { x0: sx, y0: sy, x1: sx, y1: sy };
        let memory = self.draw.memory;
        // With the other samples of the pixel, which are drawn as well.
        let before = KeptPixels::new(memory, surfaces, &pixels_of(only.stored(self.trials.samples)));
        let (Some(before), Some(asked)) = (before, surfaces.get(surface)) else { return Vec::new() };
        let size = asked.bytes as usize;
        let mut fragments = Vec::new();
        for index in self.first..self.draw.scene.primitives.len() {
            let Some(bounds) = self.draw.scene.bounds[index].intersect(only) else { continue };
            if is_late() {
                break;
            }
            let covered: Vec<(u32, u32)> = self.covered(index, bounds).collect();
            let Some(number) = covered.iter().position(|&covered| covered == (x, y)) else { continue };
            let pixels = Pixels::new(memory, self.draw.observed, surfaces, Some(surface), &covered);
            let Some(pixels) = pixels else { continue };
            let judged = self.replay(index, bounds, Some(asked), &pixels);
            let verdict = judged.verdicts[number];
            let shaded = judged.shaded.filter(|_| verdict != Verdict::Discarded);
            let shaded = shaded.map(|shaded| shaded[number * size..][..size].to_vec());
            fragments.push(Fragment { primitive: (index - self.first) as u32, shaded, verdict });
        }
        before.put_back();
        fragments
    }
}
