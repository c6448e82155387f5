//! What becomes of the fragments of one pixel.

use super::{Judge, TESTS};
use crate::mem::{GuestAddr, Memory};
use crate::probe::{Fragment, Role, Surface, Verdict};
use crate::scene::{Kind, Rect};

/// The pixel in the surfaces of a draw.
#[derive(Clone)]
struct Pixel<'m> {
    memory: &'m Memory,
    /// Where it is in each surface, and its bytes; a colour is first.
    stored: Vec<(GuestAddr, Vec<u8>)>,
}

impl<'m> Pixel<'m> {
    /// `None` if there is no colour to see the fragment by, or the pixel is not in a surface.
    fn new(memory: &'m Memory, surfaces: &[Surface], [x, y]: [u32; 2]) -> Option<Self> {
        let color = |surface: &&Surface| matches!(surface.role, Role::Color(_)) && surface.is_known();
        surfaces.first().filter(color)?;
        let pixel = |surface: &Surface| {
            let at = surface.start.after(surface.offset(x, y));
            let bytes = read(memory, at, surface.bytes as usize);
            (x < surface.width && y < surface.rows && bytes.len() == surface.bytes as usize).then_some((at, bytes))
        };
        let stored: Option<Vec<_>> = surfaces.iter().map(pixel).collect();
        Some(Pixel { memory, stored: stored? })
    }

    /// The colour that is there now.
    fn color(&self) -> Vec<u8> {
        let (at, bytes) = &self.stored[0];
        read(self.memory, *at, bytes.len())
    }

    fn put_back(&self) {
        self.stored.iter().for_each(|(at, bytes)| self.memory.writable(*at).write(0, bytes));
    }

    /// Takes what is there now as what is to be put back.
    fn keep(&mut self) {
        for (at, bytes) in &mut self.stored {
            *bytes = read(self.memory, *at, bytes.len());
        }
    }

    /// What a fragment stores as its colour, drawn by `draw`; `None` if it stores nothing.
    fn stored_by(&self, mut draw: impl FnMut()) -> Option<Vec<u8>> {
        let (at, before) = &self.stored[0];
        draw();
        let plain = self.color();
        self.put_back();
        let inverse: Vec<u8> = before.iter().map(|byte| !byte).collect();
        self.memory.writable(*at).write(0, &inverse);
        draw();
        let inverted = self.color();
        self.put_back();
        (plain != *before || inverted != inverse).then_some(plain)
    }
}

/// Bytes that the GPU may write; fewer where less is mapped.
fn read(memory: &Memory, at: GuestAddr, count: usize) -> Vec<u8> {
    let window = memory.writable(at).first(count);
    (0..window.len()).map(|at| window.read::<1>(at)[0]).collect()
}

impl<K: Kind<Primitive: Copy, Edges: Copy>> Judge<'_, K> {
    /// What becomes of the fragments at a stored pixel.
    pub(super) fn at_pixel(mut self, surfaces: &[Surface], [x, y]: [u32; 2]) -> Vec<Fragment> {
        let Some(mut pixel) = Pixel::new(self.memory, surfaces, [x, y]) else { return Vec::new() };
        let before = pixel.clone();
        let mut fragments = Vec::new();
        let (sx, sy) = (x / u32::from(self.samples.across), y / u32::from(self.samples.down));
        let only = Rect { x0: sx, y0: sy, x1: sx, y1: sy };
        for index in self.first..self.scene.primitives.len() {
            let Some(bounds) = self.scene.bounds[index].intersect(only) else { continue };
            if self.covered(index, bounds).any(|covered| covered == (x, y)) {
                fragments.push(self.judge(index, bounds, &mut pixel));
            }
        }
        before.put_back();
        fragments
    }

    /// What becomes of the fragment of one primitive, which is drawn after that.
    fn judge(&mut self, index: usize, bounds: Rect, pixel: &mut Pixel<'_>) -> Fragment {
        let shaded = pixel.stored_by(|| self.draw_alone(index, bounds, Some(0)));
        let mut fails = |tests: usize| pixel.stored_by(|| self.draw_alone(index, bounds, Some(tests))).is_none();
        let verdict = match shaded {
            None => Verdict::Discarded,
            Some(_) => (1..=TESTS.len()).find(|&tests| fails(tests)).map_or(Verdict::Passed, |tests| TESTS[tests - 1]),
        };
        self.draw_alone(index, bounds, None);
        pixel.keep();
        Fragment { primitive: (index - self.first) as u32, shaded, verdict }
    }
}
