//! The GPU driver of the console's system (nvdrv), and page kinds.

pub mod driver;
pub(crate) mod kinds;
