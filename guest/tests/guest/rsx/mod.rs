//! The RSX.

mod fragment;
mod tables;
mod vertex;
