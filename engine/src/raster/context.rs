//! The resources with which scenes are drawn.

use super::cost::may_overlap;
use super::undo::Undo;
use crate::cache::{Kernels, Removal};
use crate::mem::Memory;
use crate::scene::{Scene, SceneKind};
use crate::sched::{Interrupter, Scheduler};

/// The resources with which scenes are drawn.
#[derive(Clone, Copy, Debug)]
pub struct DrawContext<'a> {
    /// Guest memory.
    pub memory: &'a Memory,
    /// Threads.
    pub scheduler: &'a Scheduler,
    /// Interrupts drawing; without it all of the scene is drawn.
    pub interrupter: Option<&'a Interrupter>,
    /// When hidden surfaces are removed, and the kernels for that.
    pub removal: (Removal, &'a Kernels),
    /// Copies of the surfaces of scenes that may have to be drawn again; without it their tiles are drawn in order.
    pub undo: Option<&'a Undo>,
}

impl DrawContext<'_> {
    #[inline]
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupter.is_some_and(Interrupter::is_set)
    }

    /// When hidden surfaces of a scene are removed, whose tiles are independent or not.
    pub(super) fn removal_of<K: SceneKind>(&self, scene: &Scene<K>, independent: bool) -> Removal {
        let (removal, kernels) = self.removal;
        match removal {
            Removal::WhenFaster if !may_overlap(scene) => Removal::Never,
            // A watcher gets all fragments that are shaded.
            _ if !independent || kernels.is_watched() => Removal::Never,
            removal => removal,
        }
    }
}
