//! What the units of a channel have besides registers.

use super::condition::Conditions;
use super::host::Blocked;
use super::mme::Mme;
use super::report::Counters;
use crate::class_2d::TwoD;
use crate::class_3d::ThreeD;
use crate::compute::Compute;
use crate::copy::inline::InlineTransfer;

/// Methods from here on call macros.
pub const MACROS: u32 = 0xE00;

/// What units have besides registers.
#[derive(Debug, Default)]
pub struct Work {
    /// Macros.
    pub mme: Mme,
    /// Of the classes that have inline transfers: 3D, compute, inline.
    pub inline: [InlineTransfer; 3],
    /// Conditional rendering.
    pub conditions: Conditions,
    /// 2D.
    pub twod: TwoD,
    /// 3D.
    pub threed: ThreeD,
    /// Grids.
    pub compute: Compute,
    /// What reports report.
    pub counters: Counters,
    /// What a method found the channel has to wait for.
    pub blocked: Option<Blocked>,
}
