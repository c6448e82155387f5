//! The units that fill and copy memory.

pub(crate) mod fill;
pub(crate) mod transfer;
