//! Where a picture is stored in the host's rows, and what the host is told of it.

/// How a picture was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// There is no picture, or an impossible one: nothing is stored.
    Nothing,
    /// All of it, pixel by pixel.
    Whole,
    /// Its upper left part.
    Cut,
    /// All of it, smaller or larger.
    Scaled,
}

/// The result of presenting a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Presentation {
    /// Whether it differs from the picture before. It may say so once when it does not, as pictures are not remembered
    /// before they come twice.
    pub changed: bool,
    /// How it was stored.
    pub shown: Shown,
    /// Pixels of a row of the guest's picture.
    pub width: u32,
    /// Rows of the guest's picture.
    pub height: u32,
    /// Pixels of a row that were stored.
    pub stored_width: u32,
    /// Rows that were stored.
    pub stored_height: u32,
    /// Bytes of the picture that are not in memory that the GPU may read: they count as zeros.
    pub missing: u64,
}

impl Presentation {
    /// Nothing to show, or a picture of this size that there cannot be.
    pub const fn nothing(width: u32, height: u32) -> Self {
        let (stored_width, stored_height) = (0, 0);
        Presentation { changed: false, shown: Shown::Nothing, width, height, stored_width, stored_height, missing: 0 }
    }
}

/// The pixels of the rows that a picture is stored in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub shown: Shown,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Placement {
    /// The result for a picture of this size.
    pub fn presentation(self, changed: bool, width: u32, height: u32, missing: u64) -> Presentation {
        let Placement { shown, width: stored_width, height: stored_height } = self;
        Presentation { changed, shown, width, height, stored_width, stored_height, missing }
    }
}
