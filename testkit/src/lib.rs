//! What the tests of several crates share: random numbers and seeds.
#![allow(missing_docs, reason = "test support, never published")]

pub mod random;
pub mod transfer;
