//! 2D objects in a snapshot.

use triglyph_guest::rsx::fifo::METHODS;

use super::{MAX_OBJECTS, Object, TwoD, class_effects};
use crate::front_end::registers::Registers;
use triglyph_engine::snapshot::state;

state! {
    /// The 2D objects of a channel.
    pub(in crate) struct SavedTwoD { objects: Vec<SavedObject> }
    pub(in crate) struct SavedObject {
        name: u32,
        class: u32,
        registers: Box<[u32; METHODS]>,
        notify: bool,
        words: u32,
    }
}

impl TwoD {
    pub(crate) fn save(&self) -> SavedTwoD {
        let save = |object: &Object| {
            let Object { name, class, registers, notify, words } = object;
            SavedObject { name: *name, class: *class, registers: registers.save(), notify: *notify, words: *words }
        };
        SavedTwoD { objects: self.objects.iter().map(save).collect() }
    }

    /// The objects that were saved; `None` when there are more than ever are, or some of no 2D class.
    pub(crate) fn restore(saved: SavedTwoD) -> Option<TwoD> {
        if saved.objects.len() > MAX_OBJECTS || saved.objects.iter().any(|object| !TwoD::has(object.class)) {
            return None;
        }
        let restore = |saved: SavedObject| {
            let SavedObject { name, class, registers, notify, words } = saved;
            let registers = Registers::with_words(class_effects(class), &registers);
            Object { name, class, registers, notify, words }
        };
        Some(TwoD { objects: saved.objects.into_iter().map(restore).collect() })
    }
}
