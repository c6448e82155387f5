//! The Tegra X1: GPFIFO, channels, macros and the engine classes behind them.
//!
//! ```text
//! host / capture ─► GPFIFO entries ─► Channel: words ─► methods ─┬─► host methods: semaphores, syncpoints
//!                                                               └─► Unit of the subchannel's class
//!                                            Expander (macros) ◄──┘      └─► registers, triggers
//! ```
//! [`Core`] is what every part works on: GPU virtual memory, the renderer, syncpoints, faults, time. A channel has one unit
//! of each class; registers are cells, because macros and what they call work on them at the same time.

mod channel;
mod core;
mod device;
mod expander;
mod host;
mod inline;
mod registers;
mod report;
mod unit;

pub use channel::{Blocked, Channel};
pub use core::Core;
pub use device::TegraX1;
pub use expander::Expander;
pub use registers::Registers;
pub use unit::Units;
