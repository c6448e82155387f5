//! Packets that recur with the same headers: finding them, counting them, compiling them, running the code.
//!
//! ```text
//! words ─► advance ─► PacketTraces::find, by the first header
//!            │          ├─ met often: PacketSource::analyze ─► kernel cache ─► code
//!            │          └─ code is ready, headers match: run
//!            ├──► PacketSource::store, for what is left
//!            └──► a packet that is the machine's
//! ```
//! A trace has packets that only store, and ends before one that does more. So traces begin after packets that the
//! machine executes, where segments and lists begin, and after a trace of the greatest length.

mod driver;
mod table;
mod trace;

pub use driver::{PacketSource, advance};
pub use table::{PacketTraces, THRESHOLD};
pub use trace::{Guard, MAX_WORDS, Packet, PacketTrace};

#[cfg(test)]
mod tests;
