//! Draws as effects.

use triglyph_guest::kernel::ContentHash;

use super::{Draw, Layout, Role, Stored, Surface};
use crate::device::DroppedPrimitives;
use crate::mem::GuestAddr;
use crate::render::DrawCall;
use crate::render::program::{Primitives, ProgramCall};
use crate::scene::SceneTarget;
use crate::scene::program::{ProgramTarget, Surfaces, TargetSurface};

/// A draw of fixed-function fragments.
pub(crate) fn fixed_draw(call: &DrawCall<'_>, primitives: u64, dropped: DroppedPrimitives) -> Draw {
    let key = call.state.kernel.key();
    let SceneTarget { space, color, depth, color_bytes, depth_bytes, width, rows, block } = call.target;
    let surface = |role, address, bytes, stored| Surface {
        role,
        start: GuestAddr::new(space, address),
        size: call.target.surface_bytes(bytes),
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
        vertices: call.order.len() as u32,
        primitives,
        dropped,
        surfaces: color.into_iter().chain(depth).collect(),
        kernel: ContentHash::of(key),
        textures: call.state.textures.iter().flatten().flat_map(|texture| texture.ranges()).collect(),
        fragments: Vec::new(),
    }
}

/// A draw of programs.
pub(crate) fn program_draw(call: &ProgramCall<'_>, primitives: u64, dropped: DroppedPrimitives) -> Draw {
    let key = call.state.kernel.key();
    let (topology, vertices) = match call.primitives {
        Primitives::Order(topology, order) => (Some(topology), order.len() as u32),
        Primitives::Shapes(shapes) => (None, shapes.iter().map(|(shape, _)| shape.vertices()).sum()),
    };
    let used = call.state.surfaces;
    let colors = call.target.colors.iter().zip(&key.output.colors).zip(0u8..);
    let colors = colors.filter_map(|((surface, format), index)| {
        let surface = surface.as_ref().filter(|_| used.colors >> index & 1 != 0)?;
        let stored = format.as_ref().map_or(Stored::Unknown, |key| Stored::Color(key.format));
        Some(program_surface(call.target, Role::Color(index), surface, stored))
    });
    let depth = call.target.depth.as_ref().filter(|_| used.depth).map(|surface| {
        let stored = key.output.depth.as_ref().map_or(Stored::Unknown, |key| Stored::Depth(key.format, key.big_endian));
        program_surface(call.target, Role::Depth, surface, stored)
    });
    let mut textures: Vec<_> = call.state.images().map(|image| image.range()).collect();
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
