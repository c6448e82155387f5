//! Edge flags: the edges that polygons have when they are drawn as lines or points.
//!
//! The flag is that of the vertices that come while the register has it: drivers bring an attribute that changes as
//! pieces of a draw (Mesa). An edge begins at its vertex. Strips and fans have all of their edges (OpenGL 4.5
//! compatibility profile, 10.3.6).

use triglyph_guest::tegra::methods::threed::{Topology, regs as r};

use super::shapes::Shapes;
use crate::registers::Registers;
use triglyph_engine::draw::program::{RESTART, Shape};

/// Records of vertices from which no edge begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    None,
    All,
    /// By number; those behind the end have their edges.
    Records(Vec<bool>),
}

/// Whether vertices have their edges now.
pub(super) fn flag(registers: &Registers) -> bool {
    registers.get(r::set_edge_flag::ID) & 1 != 0
}

/// Vertices of a draw that came without flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unmarked {
    None,
    All,
    /// By their place in the order.
    Places(Vec<bool>),
}

impl Unmarked {
    /// Those of `count` vertices, of which `turns` has the places from which on the flag is the other one. It is on at
    /// first.
    pub(super) fn of(turns: &[u32], count: usize) -> Self {
        match turns {
            [] => Unmarked::None,
            [0] => Unmarked::All,
            turns => {
                let mut marks = vec![false; count];
                for turn in turns.chunks(2) {
                    let end = turn.get(1).map_or(count, |&end| count.min(end as usize));
                    marks[end.min(turn[0] as usize)..end].fill(true);
                }
                Unmarked::Places(marks)
            }
        }
    }

    /// The same by records, of which `places` has that of each vertex.
    pub(super) fn hidden(self, places: &[u32]) -> Hidden {
        let marks = match self {
            Unmarked::None => return Hidden::None,
            Unmarked::All => return Hidden::All,
            Unmarked::Places(marks) => marks,
        };
        let hidden = places.iter().zip(marks).filter(|&(&place, hidden)| hidden && place != RESTART);
        let mut records = Vec::new();
        for (&place, _) in hidden {
            let place = place as usize;
            if records.len() <= place {
                records.resize(place + 1, false);
            }
            records[place] = true;
        }
        Hidden::Records(records)
    }
}

impl Hidden {
    /// Takes the edges away from triangles of a draw with this topology.
    pub(super) fn apply(&self, topology: Topology, shapes: &mut Shapes) {
        let has_flags = matches!(topology, Topology::Triangles | Topology::Quads | Topology::Polygon);
        if *self == Hidden::None || !has_flags {
            return;
        }
        for (shape, _) in shapes {
            let Shape::Triangle { corners, edges, .. } = shape else { continue };
            for (i, &corner) in corners.iter().enumerate() {
                let hidden = match self {
                    Hidden::Records(records) => records.get(corner as usize).copied().unwrap_or(false),
                    Hidden::None | Hidden::All => true,
                };
                *edges &= !(u8::from(hidden) << i);
            }
        }
    }
}
