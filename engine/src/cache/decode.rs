//! Decoding of keys from key files.

use borsh::BorshDeserialize;
use triglyph_guest::kernel::{InvalidKey, Validate};

/// Why an intact record of a known kind is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Its bytes are not the encoding of one.
    #[error("the bytes are not those of a key")]
    Encoding,
    /// A key that no machine makes, and that tiers need not support.
    #[error(transparent)]
    Invalid(#[from] InvalidKey),
}

/// Decodes a key of a file and checks all of its fields.
///
/// # Errors
/// The reason.
pub(super) fn decode<K: BorshDeserialize + Validate>(bytes: &[u8]) -> Result<K, KeyError> {
    let key: K = borsh::from_slice(bytes).map_err(|_| KeyError::Encoding)?;
    key.validate()?;
    Ok(key)
}
