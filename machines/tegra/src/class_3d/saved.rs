//! The 3D engine in a snapshot.

use triglyph_guest::tegra::methods::threed::Topology;

use super::ThreeD;
use super::draw::feedback::Feedback;
use super::draw::indices::{MAX_VERTICES, Numbers, Order};
use super::draw::open_draw::Open;
use super::state::bindings::{Bindings, SavedBound};
use super::state::pixels::Pixels;
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
    /// A draw that has begun; its topology may be none.
    pub(in crate) struct SavedOpen { topology: u32, vertices: SavedOrder, indices: Vec<u32>, turns: Vec<u32> }
    /// Vertices of a draw.
    pub(in crate) struct SavedOrder { numbers: Vec<u32>, base: u32, id_offset: u32, indexed: bool }
}

impl ThreeD {
    pub(crate) fn save(&self) -> SavedThreeD {
        SavedThreeD {
            bindings: self.bindings.save(),
            open: self.open.as_ref().map(|open| SavedOpen {
                topology: open.topology.map_or(u32::MAX, Topology::bits),
                vertices: SavedOrder::new(&open.vertices),
                indices: open.indices.clone(),
                turns: open.turns.clone(),
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
        let open = open.map(|SavedOpen { topology, vertices, indices, turns }| {
            let SavedOrder { numbers, base, id_offset, indexed } = vertices;
            let vertices = Order { numbers: Numbers::List(numbers), base, id_offset, indexed };
            Open { topology: Topology::from_register(topology), vertices, indices, turns }
        });
        let sound = open.as_ref().is_none_or(|open| {
            let lengths = [open.vertices.numbers.len(), open.indices.len(), open.turns.len()];
            lengths.into_iter().all(|length| length <= MAX_VERTICES as usize + 4)
        });
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

impl SavedOrder {
    fn new(order: &Order) -> Self {
        let &Order { ref numbers, base, id_offset, indexed } = order;
        SavedOrder { numbers: numbers.clone().into_list(Vec::new), base, id_offset, indexed }
    }
}
