//! The 3D class.

mod clear;
mod draw;
mod judged;
mod rare_registers;
mod stages;
mod state;
