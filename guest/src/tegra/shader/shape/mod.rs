//! Operands of instructions: one structure for each kind, with the fields' letters.

mod attribute;
mod control;
mod convert;
mod float;
mod half;
mod integer;
mod memory;
mod moves;
mod surface;
mod texture;
mod video;
mod warp;

pub use attribute::*;
pub use control::*;
pub use convert::*;
pub use float::*;
pub use half::*;
pub use integer::*;
pub use memory::*;
pub use moves::*;
pub use surface::*;
pub use texture::*;
pub use video::*;
pub use warp::*;
