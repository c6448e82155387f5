//! What becomes of all fragments of a draw.

use triglyph_guest::kernel::window::Window;

use super::{Judge, MAX_PRIMITIVES, TESTS};
use crate::mem::Memory;
use crate::probe::{Judged, JudgedPrimitive, Role, Surface, Verdict, area_of};
use crate::scene::{Kind, Rect};

/// Some pixels of the surfaces of a draw.
struct Pixels<'m> {
    surfaces: Vec<PixelsOfSurface<'m>>,
}

/// Some pixels of a surface.
struct PixelsOfSurface<'m> {
    window: Window<'m>,
    /// Bytes of a pixel.
    size: usize,
    offsets: Vec<usize>,
    /// The bytes of all pixels, as they are to be put back.
    kept: Vec<u8>,
}

impl<'m> Pixels<'m> {
    /// `None` if one of them is not in a surface.
    fn new(memory: &'m Memory, surfaces: &[Surface], pixels: &[(u32, u32)]) -> Option<Self> {
        let of_surface = |surface: &Surface| {
            let (window, size) = (memory.writable(surface.start), surface.bytes as usize);
            let offset = |&(x, y): &(u32, u32)| {
                let offset = usize::try_from(surface.offset(x, y)).ok()?;
                (x < surface.width && y < surface.rows && offset + size <= window.len()).then_some(offset)
            };
            let offsets = pixels.iter().map(offset).collect::<Option<Vec<usize>>>()?;
            let mut of_surface = PixelsOfSurface { window, size, offsets, kept: Vec::new() };
            of_surface.kept = of_surface.read();
            Some(of_surface)
        };
        Some(Pixels { surfaces: surfaces.iter().map(of_surface).collect::<Option<_>>()? })
    }

    /// The first surface: a colour.
    fn color(&self) -> &PixelsOfSurface<'m> {
        &self.surfaces[0]
    }

    fn put_back(&self) {
        self.surfaces.iter().for_each(|of_surface| of_surface.write(&of_surface.kept));
    }
}

impl PixelsOfSurface<'_> {
    fn read(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.offsets.len() * self.size);
        for &offset in &self.offsets {
            bytes.extend((0..self.size).map(|at| self.window.read::<1>(offset + at)[0]));
        }
        bytes
    }

    fn write(&self, bytes: &[u8]) {
        for (&offset, pixel) in self.offsets.iter().zip(bytes.chunks_exact(self.size.max(1))) {
            self.window.write(offset, pixel);
        }
    }
}

/// Stored pixels of a rectangle.
fn pixels_of(area: Rect) -> Vec<(u32, u32)> {
    (area.y0..=area.y1).flat_map(|y| (area.x0..=area.x1).map(move |x| (x, y))).collect()
}

impl<K: Kind<Primitive: Copy, Edges: Copy>> Judge<'_, K> {
    /// What becomes of all fragments; `None` if that cannot be seen by the first surface, or there are too many
    /// primitives.
    pub(super) fn everywhere(mut self, surfaces: &[Surface]) -> Option<Judged> {
        let color = |surface: &&Surface| matches!(surface.role, Role::Color(_)) && surface.is_known();
        surfaces.first().filter(color)?;
        let primitives = self.first..self.scene.primitives.len();
        let Some(bounds) = self.scene.bounds_from(self.first) else { return Some(Judged::default()) };
        if primitives.len() > MAX_PRIMITIVES {
            return None;
        }
        let area = bounds.stored(self.samples);
        let before = Pixels::new(self.memory, surfaces, &pixels_of(area))?;
        let count = area.width() as usize * area.height() as usize;
        let mut judged = Judged { verdicts: std::array::from_fn(|_| vec![0; count]), primitives: Vec::new() };
        for index in primitives {
            let bounds = self.scene.bounds[index];
            let covered: Vec<(u32, u32)> = self.covered(index, bounds).collect();
            if covered.is_empty() {
                continue;
            }
            let Some(pixels) = Pixels::new(self.memory, surfaces, &covered) else { continue };
            let verdicts = self.judge_all(index, bounds, &pixels);
            let mut primitive = JudgedPrimitive {
                primitive: (index - self.first) as u32,
                area: area_of(bounds.stored(self.samples)),
                ..JudgedPrimitive::default()
            };
            for (verdict, (x, y)) in verdicts.into_iter().zip(covered) {
                let number = Verdict::ALL.iter().position(|&known| known == verdict).unwrap_or(0);
                primitive.verdicts[number] += 1;
                judged.verdicts[number][((y - area.y0) * area.width() + x - area.x0) as usize] += 1;
            }
            judged.primitives.push(primitive);
        }
        before.put_back();
        Some(judged)
    }

    /// What becomes of the fragments of one primitive at pixels, all that it covers. It is drawn after that.
    fn judge_all(&mut self, index: usize, bounds: Rect, pixels: &Pixels<'_>) -> Vec<Verdict> {
        let (color, size, can_fail) = (pixels.color(), pixels.color().size, self.can_fail);
        let before = &color.kept;
        let mut draw = |tests: usize, over: &[u8]| {
            color.write(over);
            self.draw_alone(index, bounds, Some(tests));
            let drawn = color.read();
            pixels.put_back();
            drawn
        };
        let inverse: Vec<u8> = before.iter().map(|byte| !byte).collect();
        let (plain, inverted) = (draw(0, before), draw(0, &inverse));
        // What differs in every bit from what each fragment stores.
        let over: Vec<u8> = plain.iter().map(|byte| !byte).collect();
        let pixel = |at: usize| at * size..(at + 1) * size;
        let is_stored = |at: usize| plain[pixel(at)] != before[pixel(at)] || inverted[pixel(at)] != inverse[pixel(at)];
        let mut verdicts: Vec<Verdict> = (0..color.offsets.len())
            .map(|at| if is_stored(at) { Verdict::Passed } else { Verdict::Discarded })
            .collect();
        for (tests, test) in (1..).zip(TESTS) {
            if !can_fail[tests - 1] || !verdicts.contains(&Verdict::Passed) {
                continue;
            }
            let drawn = draw(tests, &over);
            for (at, verdict) in verdicts.iter_mut().enumerate() {
                if *verdict == Verdict::Passed && drawn[pixel(at)] == over[pixel(at)] {
                    *verdict = test;
                }
            }
        }
        self.draw_alone(index, bounds, None);
        verdicts
    }
}
