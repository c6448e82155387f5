//! System software and registers of the processor: GSP, GX commands, external registers, LCD controllers.

pub mod external;
pub(crate) mod forecast;
pub mod gsp;
pub mod gx;
pub mod lcd;
