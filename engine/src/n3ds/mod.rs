//! The Nintendo 3DS: GSP, transfer engine, PICA200.

pub mod external;
pub mod gsp;
pub mod gx;
pub mod lcd;
pub mod pica;
