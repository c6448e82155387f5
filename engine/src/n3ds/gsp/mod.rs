//! GSP, the system process that owns the GPU.

pub mod interrupt;
mod raw;
pub mod shared;

pub use interrupt::Interrupt;
pub use shared::SharedPage;
