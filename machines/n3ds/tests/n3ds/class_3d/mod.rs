//! The PICA200.

mod derived_state;
mod disputed;
mod disputed_pixels;
mod gas;
mod judged;
mod large_draws;
