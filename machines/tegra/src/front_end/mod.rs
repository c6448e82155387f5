//! Channels: GPFIFO entries, push buffers, macros, and what methods do.

pub(crate) mod channel;
mod chunk;
pub(crate) mod classes;
pub(crate) mod condition;
pub(crate) mod host;
pub(crate) mod mme;
pub(crate) mod packet_trace;
pub(crate) mod registers;
pub(crate) mod report;
pub(crate) mod semaphore;
pub(crate) mod unit;
pub(crate) mod work;
