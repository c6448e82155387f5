//! Validates fills, copies and conversions.

use super::{InvalidKey, Validate, check};
use crate::kernel::transfer::{FillRectKey, RearrangeKey, TransferKey};

impl Validate for TransferKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        match self {
            TransferKey::Fill { bytes } => check((2..=4).contains(bytes), "a pattern has 2 to 4 bytes"),
            TransferKey::Rearrange(RearrangeKey { bytes, .. }) | TransferKey::FillRect(FillRectKey { bytes, .. }) => {
                check(matches!(bytes, 1 | 2 | 4 | 8 | 16), "a unit has 1, 2, 4, 8 or 16 bytes")
            }
            TransferKey::Repack(key) => check(key.is_sound(), "channels lie within words of 2 to 4 bytes"),
            // Every value of every field has a meaning.
            TransferKey::Copy | TransferKey::Convert(_) | TransferKey::Resample(_) | TransferKey::Halve(_) => Ok(()),
        }
    }
}
