//! Channels of colours that are read.

/// The channels of a colour that are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsedChannels {
    /// Red, green or blue.
    pub color: bool,
    /// Alpha.
    pub alpha: bool,
}

impl UsedChannels {
    /// Whether anything is read.
    pub fn any(self) -> bool {
        self.color || self.alpha
    }
}
