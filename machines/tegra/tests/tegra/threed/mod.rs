//! The 3D class.

mod clear;
mod draw;
mod rare_registers;
mod stages;
mod state;
