//! The version of key files, computed from the encoding of keys.
//!
//! What bytes decode to, names of fields and variants included, is hashed for many thousand byte strings of each kind:
//! a few that are whole keys, with each byte set to many values. A field that is added, moved, renamed or of another
//! type gives another hash, and so does a variant, at any depth.

use std::fmt::Write;

use xxhash_rust::xxh3::Xxh3;

use super::kinds::{self, KernelKind, KeyKind, kernel_kinds};
use super::store::ENCODING;

/// Bytes of a sample; the bytes after them are 0.
const MAX_LENGTH: usize = 2048;

/// A key of more bytes is not used as a sample.
const MAX_DECODED: usize = 1 << 16;

/// Bytes and then zeros, up to [`MAX_DECODED`], counted.
struct Endless<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl std::io::Read for Endless<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = out.len().min(MAX_DECODED - self.at.min(MAX_DECODED));
        for byte in &mut out[..count] {
            *byte = self.bytes.get(self.at).copied().unwrap_or(0);
            self.at += 1;
        }
        Ok(count)
    }
}

/// The key that bytes decode to, and how many of them were used.
fn decode<K: KernelKind>(bytes: &[u8]) -> Option<(K::Key, usize)> {
    let mut reader = Endless { bytes, at: 0 };
    let key = borsh::BorshDeserialize::deserialize_reader(&mut reader).ok()?;
    Some((key, reader.at))
}

struct Text<'h>(&'h mut Xxh3);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Byte strings from which keys of a kind are decoded: all zeros, and random ones with few bits set.
fn samples<K: KernelKind>() -> Vec<Vec<u8>> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) % below
    };
    let mut found = vec![vec![0; MAX_LENGTH]];
    for _ in 0..4000 {
        let sparse = 3 + random(24);
        let bytes: Vec<u8> = (0..MAX_LENGTH).map(|_| u8::from(random(sparse) == 0)).collect();
        // Longer keys have longer lists, and no other fields.
        if found.len() < 5 && decode::<K>(&bytes).is_some_and(|(_, length)| length < MAX_LENGTH) {
            found.push(bytes);
        }
    }
    found
}

fn hash<K: KernelKind>() -> u64 {
    let mut hash = Xxh3::new();
    let samples = samples::<K>();
    assert!(samples.len() > 3, "{:?}: too few samples", K::STORED);
    for bytes in samples {
        let (_, length) = decode::<K>(&bytes).expect("a sample");
        for at in 0..length {
            let mut changed = bytes.clone();
            for value in (0..24).chain([64, 255]) {
                changed[at] = value;
                let decoded = decode::<K>(&changed).filter(|(_, length)| *length < MAX_LENGTH);
                hash.update(&[decoded.is_some().into()]);
                if let Some((key, length)) = decoded {
                    hash.update(&length.to_le_bytes());
                    write!(Text(&mut hash), "{key:?}").expect("a hash takes any text");
                }
            }
        }
    }
    hash.digest()
}

macro_rules! hashes_of_kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal, $method:ident: $key:ty => $kernel:ty;)*) => {
        [$((KeyKind::$kind, hash::<kinds::$kind>())),*]
    };
}

#[test]
fn the_version_of_files_follows_the_encoding_of_keys() {
    let hashes = kernel_kinds!(hashes_of_kinds);
    let mut all = Xxh3::new();
    hashes.iter().for_each(|(kind, hash)| all.update(&[&[*kind as u8][..], &hash.to_le_bytes()].concat()));
    let found = all.digest() as u32;
    assert_eq!(
        ENCODING, found,
        "keys are not encoded as in files of this version: set ENCODING in cache/store/record.rs to {found:#010x}"
    );
}
