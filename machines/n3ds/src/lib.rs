//! The Nintendo 3DS: GSP, transfer engine, PICA200.

pub mod class_3d;
mod copy;
mod core;
mod device;
mod front_end;
mod observed;
mod recorded;
mod snapshot;
pub mod system;
mod validate;

pub use self::core::Core;
pub use device::N3ds;
pub use system::forecast::Forecast;
pub use system::{external, gsp, gx, lcd};
