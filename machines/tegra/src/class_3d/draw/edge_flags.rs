//! Edge flags: the edges that polygons have when they are drawn as lines or points.
//!
//! The flag is that of the vertices that come while the register has it: drivers bring an attribute that changes as
//! pieces of a draw (Mesa). An edge begins at its vertex. Strips and fans have all of their edges (OpenGL 4.5
//! compatibility profile, 10.3.6).

use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

use super::shapes::Shapes;
use crate::front_end::registers::Registers;
use triglyph_engine::draw::program::Shape;

/// Vertices from which no edge begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hidden {
    None,
    All,
    /// By their positions in an order.
    Positions(Vec<bool>),
}

/// Whether vertices have their edges now.
pub(crate) fn flag(registers: &Registers) -> bool {
    registers.get(r::set_edge_flag::ID) & 1 != 0
}

impl Hidden {
    /// Those of a segment of a draw, of whose vertices `places` are the places in the draw. `turns` has the places from
    /// which on the flag is the other one. It is on at first.
    pub(crate) fn of(turns: &[u32], places: impl Iterator<Item = usize>) -> Self {
        match turns {
            [] => return Hidden::None,
            [0] => return Hidden::All,
            _ => {}
        }
        let is_off = |place: usize| !turns.partition_point(|&turn| turn as usize <= place).is_multiple_of(2);
        Hidden::Positions(places.map(is_off).collect())
    }

    /// Whether any edges of primitives of this topology may be hidden.
    pub(crate) fn counts(&self, topology: Topology) -> bool {
        let has_flags = matches!(topology, Topology::Triangles | Topology::Quads | Topology::Polygon);
        *self != Hidden::None && has_flags
    }

    /// Takes the edges away from triangles, whose corners are positions in the order.
    pub(crate) fn apply(&self, shapes: &mut Shapes) {
        for (shape, _) in shapes {
            let Shape::Triangle { corners, edges, .. } = shape else { continue };
            for (i, &corner) in corners.iter().enumerate() {
                let hidden = match self {
                    Hidden::None => false,
                    Hidden::All => true,
                    Hidden::Positions(hidden) => hidden.get(corner as usize).copied().unwrap_or(false),
                };
                *edges &= !(u8::from(hidden) << i);
            }
        }
    }
}
