//! What is remembered of the picture that was presented last.

use super::host_format::HostFormat;
use super::placement::Placement;
use super::scan_out::ScanOut;
use crate::mem::{Epoch, FoundPages};

/// The picture that was presented to some rows last, so that the next call detects an unchanged picture. Rows of the
/// host's that get pictures by turns have one each.
#[derive(Debug, Default)]
pub struct Presented {
    pub(crate) last: Option<LastPicture>,
    pub(crate) pages: FoundPages,
    /// A colour instead of a picture, and where it was stored.
    pub(crate) filled: Option<(Placement, [u8; 4], HostFormat)>,
}

impl Presented {
    /// Whatever is presented next is new.
    pub(crate) fn forget(&mut self) {
        (self.last, self.filled) = (None, None);
    }
}

/// The last picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastPicture {
    pub scan: ScanOut,
    pub place: Placement,
    pub format: HostFormat,
    pub gamma: u64,
    pub epoch: Epoch,
    /// Of all bytes that were stored, if it was wanted.
    pub hash: Option<u64>,
    /// Bytes that were not in memory.
    pub missing: u64,
}
