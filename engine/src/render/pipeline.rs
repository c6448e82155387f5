//! The trait of a renderer's pipeline, which is one of fixed-function fragments ([`Fixed`](crate::scene::Fixed)) or of
//! programs ([`Programs`](crate::scene::program::Programs)).

use std::fmt::Debug;

use crate::mem::{GuestRange, Memory};
use crate::raster::RasterKind;
use crate::scene::Scene;
use crate::sched::Scheduler;

/// A pipeline: a kind of scene, and the functions of a renderer for such scenes.
pub trait Pipeline: RasterKind {
    /// State of its renderer beside the scene.
    type Extra: Debug + Default;
    /// A large draw that is set up after its command.
    type Setup: Debug;
    /// The result of such a draw for the machine, once it is set up.
    type Outcome: Debug;

    /// A target without pixels.
    const NOWHERE: Self::Target;

    /// The memory of a target's surfaces.
    fn surfaces(target: &Self::Target) -> impl Iterator<Item = GuestRange>;

    /// Whether the draws of the open scene touch any byte of a range, there or where else it is mapped.
    fn touches(target: &Self::Target, extra: &Self::Extra, memory: &Memory, range: GuestRange) -> bool;

    /// Whether the draws of the open scene read any byte of a range.
    fn reads(extra: &Self::Extra, memory: &Memory, range: GuestRange) -> bool;

    /// Notes that the open scene was drawn, or is closed.
    fn end_scene(extra: &mut Self::Extra);

    /// Sets up the rest of a draw. Returns the number of primitives, and whether all of it is set up: false if that was
    /// interrupted.
    fn set_up(
        setup: &mut Self::Setup,
        scene: &mut Scene<Self>,
        extra: &mut Self::Extra,
        scheduler: &Scheduler,
        is_interrupted: impl Fn() -> bool + Sync,
    ) -> (u64, bool);

    /// Ends the setup of a draw.
    fn finish(setup: Self::Setup, extra: &mut Self::Extra) -> Option<Self::Outcome>;
}
