//! The 3D class.

mod blending;
mod clear;
mod derived_state;
mod draw;
mod fuel;
mod handles;
mod judged;
mod rare_registers;
mod segments;
mod stages;
mod state;
