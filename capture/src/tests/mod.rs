//! Captures from end to end: written, read, broken, played, recorded.

mod broken;
mod mock;
mod play;
mod real;
mod round_trip;
