//! Saves, compares and restores the stored pixels of a draw's surfaces.

use triglyph_guest::kernel::window::Window;

use super::observed_surface::ObservedSurface;
use crate::mem::Memory;
use crate::probe::Surface;
use crate::scene::Rect;

/// Saved pixels of the surfaces of a draw.
pub(super) struct KeptPixels<'m>(Vec<PixelsOfSurface<'m>>);

/// Some pixels of the surfaces of a draw and of the observed surface.
pub(super) struct Pixels<'m> {
    /// Those of the observed surface, with the content of the surface that it replaces.
    pub observed: PixelsOfSurface<'m>,
    surfaces: KeptPixels<'m>,
    /// The surface that is asked about, if the observed surface does not replace it.
    pub other: Option<usize>,
}

/// Some pixels of a surface.
pub(super) struct PixelsOfSurface<'m> {
    window: Window<'m>,
    /// Bytes of a pixel.
    pub size: usize,
    offsets: Vec<usize>,
    /// The saved bytes of all pixels.
    pub kept: Vec<u8>,
}

impl<'m> KeptPixels<'m> {
    /// `None` if one of them is not in a surface.
    pub fn new(memory: &'m Memory, surfaces: &[Surface], pixels: &[(u32, u32)]) -> Option<Self> {
        let of_surface = |surface: &Surface| PixelsOfSurface::new(memory, surface, pixels);
        Some(KeptPixels(surfaces.iter().map(of_surface).collect::<Option<_>>()?))
    }

    pub fn put_back(&self) {
        self.0.iter().for_each(|of_surface| of_surface.write(&of_surface.kept));
    }
}

impl<'m> Pixels<'m> {
    /// `None` if one of them is not in a surface.
    pub fn new(
        memory: &'m Memory,
        observed: &ObservedSurface,
        surfaces: &[Surface],
        asked: Option<usize>,
        pixels: &[(u32, u32)],
    ) -> Option<Self> {
        let surfaces = KeptPixels::new(memory, surfaces, pixels)?;
        let mut seen = PixelsOfSurface::new(memory, &observed.surface, pixels)?;
        if let Some(of) = observed.of {
            seen.kept.clone_from(&surfaces.0[of].kept);
        }
        Some(Pixels { observed: seen, surfaces, other: asked.filter(|_| asked != observed.of) })
    }

    /// The number of pixels.
    pub fn len(&self) -> usize {
        self.observed.offsets.len()
    }

    /// The content of the surface that is asked about, if the observed surface does not replace it.
    pub fn read_other(&self) -> Vec<u8> {
        self.other.map_or_else(Vec::new, |other| self.surfaces.0[other].read())
    }

    /// Restores the draw's surfaces.
    pub fn put_back(&self) {
        self.surfaces.put_back();
    }
}

impl<'m> PixelsOfSurface<'m> {
    fn new(memory: &'m Memory, surface: &Surface, pixels: &[(u32, u32)]) -> Option<Self> {
        let (window, size) = (memory.writable(surface.start), surface.bytes as usize);
        let offset = |&(x, y): &(u32, u32)| {
            let offset = usize::try_from(surface.offset(x, y)).ok()?;
            (x < surface.width && y < surface.rows && offset + size <= window.len()).then_some(offset)
        };
        let offsets = pixels.iter().map(offset).collect::<Option<Vec<usize>>>()?;
        let mut of_surface = PixelsOfSurface { window, size, offsets, kept: Vec::new() };
        of_surface.kept = of_surface.read();
        Some(of_surface)
    }

    pub fn read(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.offsets.len() * self.size);
        for &offset in &self.offsets {
            bytes.extend((0..self.size).map(|at| self.window.read::<1>(offset + at)[0]));
        }
        bytes
    }

    pub fn write(&self, bytes: &[u8]) {
        for (&offset, pixel) in self.offsets.iter().zip(bytes.chunks_exact(self.size.max(1))) {
            self.window.write(offset, pixel);
        }
    }
}

/// Stored pixels of a rectangle.
pub(super) fn pixels_of(area: Rect) -> Vec<(u32, u32)> {
    (area.y0..=area.y1).flat_map(|y| (area.x0..=area.x1).map(move |x| (x, y))).collect()
}
