//! Code that the front ends of all machines share. A machine adds what only its hardware has.
//!
//! ```text
//! budget.rs              work and time that the guest may still spend
//! write_effects.rs       what a write to each register does, from the register tables of `guest`
//! register_file.rs       the registers of a class, stored in runs, with dirty groups and shadow copies
//! derived.rs             values derived from registers, kept while these stay the same
//! memory_dependency.rs   the guest memory that a value was derived from, and whether it is still the same
//! core.rs, device.rs      methods that the cores and devices of all machines have
//! non_aliasing_range.rs  array elements that draws to the current target cannot write
//! recycled.rs            a pool of reference-counted values, for the states of draws
//! packet_trace/          packets that recur with the same headers: recorded, compiled, run
//! ```

pub mod budget;
mod core;
mod derived;
mod device;
mod memory_dependency;
mod non_aliasing_range;
pub mod packet_trace;
mod recycled;
mod register_file;
mod write_effects;

pub use derived::{DeriveContext, Derived, RegisterDependency};
pub use memory_dependency::MemoryDependency;
pub use non_aliasing_range::NonAliasingRange;
pub use recycled::Recycled;
pub use register_file::{DirtyOnChange, DirtyOnWrite, DirtyPolicy, RegisterFile, RegisterSnapshot};
pub use write_effects::{TRIGGER, WriteEffects};
