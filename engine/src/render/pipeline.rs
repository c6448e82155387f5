//! The trait of a renderer's pipeline, which is one of fixed-function fragments ([`Fixed`](crate::scene::Fixed)) or of
//! programs ([`Programs`](crate::scene::program::Programs)).

use std::fmt::Debug;

use crate::mem::{GuestRange, Memory};
use crate::raster::RasterKind;
use crate::scene::Scene;
use crate::sched::Scheduler;

/// A pipeline: a kind of scene, and what a renderer needs to make such scenes.
pub trait Pipeline: RasterKind {
    /// What its renderer keeps beside the scene.
    type Extra: Debug + Default;
    /// A large draw that is set up after its command.
    type Setup: Debug;
    /// What a machine asks of such a draw once it is set up.
    type Outcome: Debug;

    /// A target without pixels.
    const NOWHERE: Self::Target;

    /// The memory of a target's surfaces.
    fn surfaces(target: &Self::Target) -> impl Iterator<Item = GuestRange>;

    /// Whether the draws of the open scene touch any byte of a range, there or where else it is mapped.
    fn touches(target: &Self::Target, extra: &Self::Extra, memory: &Memory, range: GuestRange) -> bool;

    /// Whether the draws of the open scene read any byte of a range.
    fn reads(extra: &Self::Extra, memory: &Memory, range: GuestRange) -> bool;

    /// The open scene was drawn, or is closed.
    fn end_scene(extra: &mut Self::Extra);

    /// Sets up what is left of a draw. Returns how many primitives it has, and whether all of it is set up: false if
    /// that was interrupted.
    fn set_up(
        setup: &mut Self::Setup,
        scene: &mut Scene<Self>,
        extra: &mut Self::Extra,
        scheduler: &Scheduler,
        is_interrupted: impl Fn() -> bool + Sync,
    ) -> (u64, bool);

    /// All of a draw is set up.
    fn finish(setup: Self::Setup, extra: &mut Self::Extra) -> Option<Self::Outcome>;
}
