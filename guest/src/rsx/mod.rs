//! The PlayStation 3's GPU, the RSX: command words, handles and objects, channel memory, methods, programs.

pub mod fifo;
pub mod objects;
