//! What the front ends of all machines share. A machine adds what only its hardware has.
//!
//! ```text
//! budget.rs              work and time that the guest may still spend
//! memory_dependency.rs   the guest memory that a value was derived from, and whether it is still the same
//! non_aliasing_range.rs  array elements that draws to the current target cannot write
//! packet_trace/          packets that recur with the same headers: recorded, compiled, run
//! ```

pub mod budget;
mod device;
mod memory_dependency;
mod non_aliasing_range;
pub mod packet_trace;

pub use memory_dependency::MemoryDependency;
pub use non_aliasing_range::NonAliasingRange;
