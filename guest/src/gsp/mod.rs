//! GSP, the 3DS's system process in front of the GPU: requests of its clients, and what recordings contain of the
//! hardware.

pub mod calls;
pub mod ipc;
