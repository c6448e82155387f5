//! What becomes of the fragments of one pixel.

use super::pixels::{Pixels, pixels_of};
use super::{Judge, shows_fragments};
use crate::probe::{Fragment, Surface, Verdict};
use crate::scene::{Kind, Rect};

impl<K: Kind<Primitive: Copy, Edges: Copy>> Judge<'_, K> {
    /// What becomes of the fragments at a stored pixel; nothing if there is no colour to see them by, or it is in no
    /// surface.
    pub(super) fn at_pixel(mut self, surfaces: &[Surface], [x, y]: [u32; 2]) -> Vec<Fragment> {
        let (sx, sy) = (x / u32::from(self.samples.across), y / u32::from(self.samples.down));
        let only = Rect { x0: sx, y0: sy, x1: sx, y1: sy };
        // With the other samples of the pixel, which are drawn as well.
        let before = Pixels::new(self.memory, surfaces, &pixels_of(only.stored(self.samples)));
        let Some(before) = before.filter(|_| shows_fragments(surfaces)) else { return Vec::new() };
        let mut fragments = Vec::new();
        for index in self.first..self.scene.primitives.len() {
            let Some(bounds) = self.scene.bounds[index].intersect(only) else { continue };
            let covered: Vec<(u32, u32)> = self.covered(index, bounds).collect();
            let Some(number) = covered.iter().position(|&covered| covered == (x, y)) else { continue };
            let Some(pixels) = Pixels::new(self.memory, surfaces, &covered) else { continue };
            let judged = self.judge(index, bounds, &pixels);
            let verdict = judged.verdicts[number];
            let size = pixels.color().size;
            let shaded = (verdict != Verdict::Discarded).then(|| judged.shaded[number * size..][..size].to_vec());
            fragments.push(Fragment { primitive: (index - self.first) as u32, shaded, verdict });
        }
        before.put_back();
        fragments
    }
}
