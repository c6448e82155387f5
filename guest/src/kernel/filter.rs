//! The filters of textures, of images and of the procedural unit.

use borsh::{BorshDeserialize, BorshSerialize};

/// A filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Filter {
    /// The closest one.
    Nearest,
    /// A weighted mean.
    Linear,
}
