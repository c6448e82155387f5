//! Packets that recur with the same headers: finding them, counting them, compiling them, running the code.
//!
//! ```text
//! words ─► advance ── may a trace begin here? ──► PacketTraces::find, by the first header
//!            │                                      ├─ seen often: PacketSource::analyze ─► kernel cache ─► code
//!            │◄── PacketSource::store ◄── nothing ◄─┤
//!            │◄── packet after the trace ◄── run ◄──┴─ code is ready
//!            └──► a packet that is the machine's
//! ```
//! Traces begin where segments and lists begin, after draws, after other traces, and otherwise every [`MAX_WORDS`]
//! words: at the same words whether code runs or not. Nothing is hashed on the way: the code compares its headers
//! itself, and where one differs the machine continues packet by packet. A header that ends a run early may begin a
//! trace of its own, so what several traces have in common is compiled once.

mod driver;
mod table;
mod trace;

pub use driver::{Next, PacketSource, advance};
pub use table::{PacketTraces, THRESHOLD};
pub use trace::{Before, MAX_WORDS, PacketTrace, Shape};

#[cfg(test)]
mod tests;
