//! The observed surface: a colour surface outside of guest memory, in which each trial's stores are detected.

use crate::mem::{GuestAddr, Memory, ShadowMemory};
use crate::probe::{Role, Surface};

/// See the module's documentation.
pub struct ObservedSurface {
    /// Its address, format and layout.
    pub surface: Surface,
    /// Index of the draw's surface that it replaces, if the draw has colours.
    pub of: Option<usize>,
}

impl ObservedSurface {
    /// Address of observed surfaces: no guest has memory there.
    pub const ADDRESS: u64 = 1 << 62;

    /// The observed surface of a draw: it replaces the surface that is asked about, or the first colour, or is `plain`.
    pub fn new(surfaces: &[Surface], asked: Option<usize>, plain: Surface) -> Self {
        let is_color = |surface: &Surface| matches!(surface.role, Role::Color(_)) && surface.is_known();
        let of = asked.filter(|&number| surfaces.get(number).is_some_and(is_color));
        let of = of.or_else(|| surfaces.iter().position(is_color));
        let surface = of.map_or(plain, |of| Surface { start: plain.start, ..surfaces[of] });
        ObservedSurface { surface, of }
    }

    /// Calls `replay` with memory that has the observed surface in it; `None` if the host has none for it.
    pub fn with<T>(&self, memory: &Memory, replay: impl FnOnce(&ShadowMemory<'_>) -> Option<T>) -> Option<T> {
        let GuestAddr { space, address } = self.surface.start;
        let scratch = memory.shadow(GuestAddr::new(space, address), self.surface.size).ok()?;
        replay(&scratch)
    }
}
