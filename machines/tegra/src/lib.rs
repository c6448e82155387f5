//! The Tegra X1: GPFIFO, channels, macros and the engine classes behind them.
//!
//! ```text
//! host / capture ─► GPFIFO entries ─► Channel: words ─► methods ─┬─► host methods: semaphores, syncpoints
//!                                                               └─► Unit of the subchannel's class
//!                                            MME (macros) ◄───────┘      └─► registers, triggers
//! ```
//! [`Core`] is what every part works on: GPU virtual memory, the renderer, syncpoints, faults, time. A channel has one
//! unit of each class; registers are cells, because macros and what they call work on them at the same time.

mod channel;
mod classes;
mod compute;
mod condition;
mod constant;
mod copy;
mod core;
mod device;
pub mod driver;
mod host;
mod image;
mod inline;
mod kinds;
mod mme;
mod packet;
mod packet_trace;
mod registers;
mod report;
mod semaphore;
mod snapshot;
mod threed;
mod twod;
mod unit;

pub use self::core::Core;
pub use channel::{Blocked, Bound, Channel, Work};
pub use compute::GridParts;
pub use device::TegraX1;
pub use kinds::Kinds;
pub use registers::Registers;
pub use report::Counters;
pub use threed::ThreeD;
pub use unit::Units;
