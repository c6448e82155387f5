//! The Tegra X1: GPFIFO, channels, macros and the engine classes.
//!
//! ```text
//! host / capture ─► GPFIFO entries ─► Channel: words ─► methods ─┬─► host methods: semaphores, syncpoints
//!                                                               └─► Unit of the subchannel's class
//!                                            MME (macros) ◄───────┘      └─► registers, triggers
//! ```
//! [`Core`] is what every part works on: GPU virtual memory, the renderer, syncpoints, faults, time. A channel has one
//! unit of each class; registers are cells, because macros and what they call work on them at the same time.

mod class_2d;
mod class_3d;
mod compute;
mod copy;
mod core;
mod device;
mod front_end;
mod recorded;
mod snapshot;
pub mod system;
mod validate;

pub use self::core::Core;
pub use class_3d::ThreeD;
pub use compute::GridParts;
pub use device::TegraX1;
pub use front_end::channel::{Blocked, Bound, Channel, Work};
pub use front_end::registers::Registers;
pub use front_end::report::Counters;
pub use front_end::unit::Units;
pub use system::driver;
pub use system::kinds::Kinds;
