//! The Nintendo 3DS: GSP, transfer engine, PICA200.

mod core;
mod device;
pub mod external;
mod forecast;
pub mod gsp;
pub mod gx;
pub mod lcd;
pub mod pica;
mod recorded;
mod snapshot;

pub use self::core::Core;
pub use device::N3ds;
pub use forecast::Forecast;
