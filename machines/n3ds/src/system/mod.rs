//! System software and registers of the processor: GSP, GX commands, external registers, LCD controllers.

pub(crate) mod call_recorder;
pub mod external;
pub(crate) mod forecast;
pub mod gsp;
pub mod gx;
pub mod lcd;
pub(crate) mod spaces;
