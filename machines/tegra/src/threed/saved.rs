//! The 3D engine in a snapshot.

use triglyph_guest::tegra::methods::threed::Topology;

use super::bindings::{Bindings, SavedBound};
use super::feedback::Feedback;
use super::indices::MOST_VERTICES;
use super::pixels::Pixels;
use super::{Open, ThreeD};
use triglyph_engine::snapshot::state;

state! {
    /// The 3D engine of a channel.
    pub(in crate) struct SavedThreeD {
        bindings: Vec<SavedBound>,
        open: Option<SavedOpen>,
        instance: u32,
        primitive: u32,
        pointers: [u32; 4],
        blend_program: Vec<u32>,
    }
    /// A draw that has begun: topology, which may be none, indices, and those without edge flag.
    pub(in crate) struct SavedOpen { topology: u32, indices: Vec<u32>, unmarked: Vec<u32> }
}

impl ThreeD {
    pub(crate) fn save(&self) -> SavedThreeD {
        SavedThreeD {
            bindings: self.bindings.save(),
            open: self.open.as_ref().map(|open| SavedOpen {
                topology: open.topology.map_or(u32::MAX, Topology::bits),
                indices: open.indices.clone(),
                unmarked: open.unmarked.clone(),
            }),
            instance: self.instance,
            primitive: self.primitive,
            pointers: self.feedback.pointers,
            blend_program: self.blend_program.clone(),
        }
    }

    /// What was saved; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedThreeD) -> Option<Self> {
        let SavedThreeD { bindings, open, instance, primitive, pointers, blend_program } = saved;
        let open = open.map(|SavedOpen { topology, indices, unmarked }| {
            let topology = Topology::from_register(topology);
            Open { topology, indices, unmarked }
        });
        let sound =
            open.as_ref().is_none_or(|open| open.indices.len().max(open.unmarked.len()) <= MOST_VERTICES as usize + 4);
        (sound && blend_program.len() <= 256).then_some(())?;
        let mut pixels = Pixels::default();
        pixels.set_blend_program(&blend_program);
        Some(ThreeD {
            pixels,
            bindings: Bindings::restore(&bindings)?,
            open,
            instance,
            primitive,
            feedback: Feedback { pointers },
            blend_program,
            ..ThreeD::default()
        })
    }
}
