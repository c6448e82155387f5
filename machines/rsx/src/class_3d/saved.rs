//! The 3D state in a snapshot.

use std::sync::Arc;

use triglyph_guest::kernel::program::vertex::RSX_CONSTANTS;
use triglyph_guest::rsx::enums::Primitive;
use triglyph_guest::rsx::fifo::METHODS;
use triglyph_guest::rsx::vertex::STORE;

use super::Curie;
use super::draw::gather::{Gather, MAX_VERTICES};
use super::effects::WRITES;
use super::programs::upload::Uploads;
use crate::front_end::registers::Registers;
use triglyph_engine::snapshot::state;

state! {
    /// The 3D state of a channel.
    pub(in crate) struct SavedCurie {
        registers: Box<[u32; METHODS]>,
        store: Box<[[u32; 4]; STORE]>,
        constants: Box<[[u32; 4]; RSX_CONSTANTS]>,
        attributes: [[u32; 4]; 16],
        gather: Option<SavedGather>,
        samples: u64,
        renders: bool,
    }
    /// A draw between BEGIN and END: primitive, vertices.
    pub(in crate) struct SavedGather {
        primitive: u32,
        order: Vec<u32>,
        indexed: bool,
        inline: Vec<u32>,
        immediate: Vec<[[u32; 4]; 16]>,
    }
}

fn bits<const N: usize>(values: &[[f32; 4]; N]) -> [[u32; 4]; N] {
    values.map(|value| value.map(f32::to_bits))
}

fn floats<const N: usize>(values: &[[u32; 4]; N]) -> [[f32; 4]; N] {
    values.map(|value| value.map(f32::from_bits))
}

impl Curie {
    pub(crate) fn save(&self) -> SavedCurie {
        let Curie { registers, uploads, gather, samples, renders, .. } = self;
        let Uploads { store, constants, attributes } = uploads;
        let gather = gather.as_ref().map(|gather| SavedGather {
            primitive: gather.primitive.bits(),
            order: gather.order.clone(),
            indexed: gather.indexed,
            inline: gather.inline.clone(),
            immediate: gather.immediate.iter().map(bits).collect(),
        });
        SavedCurie {
            registers: registers.save(),
            store: store.clone(),
            constants: Box::new(bits(constants)),
            attributes: bits(attributes),
            gather,
            samples: *samples,
            renders: *renders,
        }
    }

    /// The 3D state that was saved; `None` when there is no such state.
    pub(crate) fn restore(saved: SavedCurie) -> Option<Self> {
        let SavedCurie { registers, store, constants, attributes, gather, samples, renders } = saved;
        let gather = match gather {
            None => None,
            Some(saved) => Some(restore_gather(saved)?),
        };
        let uploads = Uploads { store, constants: Arc::new(floats(&constants)), attributes: floats(&attributes) };
        Some(Curie {
            registers: Registers::with_words(&WRITES, &registers),
            uploads,
            gather,
            samples,
            renders,
            ..Curie::default()
        })
    }
}

fn restore_gather(saved: SavedGather) -> Option<Gather> {
    let mut gather = Gather::new(Primitive::from_register(saved.primitive)?, Vec::new())?;
    gather.order = saved.order;
    gather.indexed = saved.indexed;
    gather.inline = saved.inline;
    gather.immediate = saved.immediate.iter().map(floats).collect();
    (gather.held() <= MAX_VERTICES).then_some(gather)
}
