//! Draws as effects: what observers are told of a draw call.

use triglyph_guest::kernel::ContentHash;

use super::DrawCall;
use super::program::{Primitives, ProgramCall};
use crate::device::DroppedPrimitives;
use crate::mem::GuestAddr;
use crate::probe::{Draw, Layout, Role, Stored, Surface};
use crate::scene::SceneTarget;
use crate::scene::program::{ProgramTarget, Surfaces, TargetSurface};

impl DrawCall<'_> {
    /// The draw as an effect.
    pub(super) fn effect(&self, primitives: u64, dropped: DroppedPrimitives) -> Draw {
        let key = self.state.kernel.key();
        let SceneTarget { space, color, depth, color_bytes, depth_bytes, width, rows, block } = self.target;
        let surface = |role, address, bytes, stored| Surface {
            role,
            start: GuestAddr::new(space, address),
            size: self.target.surface_bytes(bytes),
            layout: Layout::Tiled(block),
            pitch: width,
            bytes,
            stored,
            width,
            rows,
            samples: [1, 1],
        };
        let color_format = match key.color_format {
            None => Stored::Unknown,
            Some(_) if key.shadow.is_some() => Stored::PicaShadow,
            Some(_) if key.density.is_some() => Stored::PicaDensities,
            Some(format) => Stored::PicaColor(format),
        };
        let depth_format = key.depth_format.map_or(Stored::Unknown, Stored::PicaDepth);
        let color = color.map(|address| surface(Role::Color(0), address, color_bytes, color_format));
        let depth = depth.map(|address| surface(Role::Depth, address, depth_bytes, depth_format));
        Draw {
            topology: None,
            vertices: self.order.len() as u32,
            primitives,
            dropped,
            surfaces: color.into_iter().chain(depth).collect(),
            kernel: ContentHash::of(key),
            textures: self.state.textures.iter().flatten().flat_map(|texture| texture.ranges()).collect(),
            fragments: Vec::new(),
        }
    }
}

impl ProgramCall<'_> {
    /// The draw as an effect.
    pub(super) fn effect(&self, primitives: u64, dropped: DroppedPrimitives) -> Draw {
        let key = self.state.kernel.key();
        let (topology, vertices) = match self.primitives {
            Primitives::Order(topology, order) => (Some(topology), order.len() as u32),
            Primitives::Shapes(shapes) => (None, shapes.iter().map(|(shape, _)| shape.vertices()).sum()),
        };
        let used = self.state.surfaces;
        let colors = self.target.colors.iter().zip(&key.output.colors).zip(0u8..);
        let colors = colors.filter_map(|((surface, format), index)| {
            let surface = surface.as_ref().filter(|_| used.colors >> index & 1 != 0)?;
            let stored = format.as_ref().map_or(Stored::Unknown, |key| Stored::Color(key.format));
            Some(program_surface(self.target, Role::Color(index), surface, stored))
        });
        let depth = self.target.depth.as_ref().filter(|_| used.depth).map(|surface| {
            let stored =
                key.output.depth.as_ref().map_or(Stored::Unknown, |key| Stored::Depth(key.format, key.big_endian));
            program_surface(self.target, Role::Depth, surface, stored)
        });
        let mut textures: Vec<_> = self.state.images().map(|image| image.range()).collect();
        textures.sort_by_key(|range| (range.start.space, range.start.address, range.size));
        textures.dedup();
        Draw {
            topology,
            vertices,
            primitives,
            dropped,
            surfaces: colors.chain(depth).collect(),
            kernel: ContentHash::of(key),
            textures,
            fragments: Vec::new(),
        }
    }
}

fn program_surface(target: &ProgramTarget, role: Role, surface: &TargetSurface, stored: Stored) -> Surface {
    let only = match role {
        Role::Color(index) => Surfaces { colors: 1 << index, depth: false },
        Role::Depth => Surfaces { colors: 0, depth: true },
    };
    let size = target.ranges(only, 0, target.rows.saturating_sub(1)).next().map_or(0, |range| range.size);
    let (across, down) = (target.samples.across, target.samples.down);
    Surface {
        role,
        start: surface.place,
        size,
        layout: Layout::Surface(surface.layout),
        pitch: surface.pitch,
        bytes: surface.bytes,
        stored,
        width: target.width * u32::from(across),
        rows: target.rows * u32::from(down),
        samples: [across, down],
    }
}
