//! Keys whose encodings were changed at random.

use borsh::{BorshDeserialize, BorshSerialize};
use triglyph_guest::kernel::{InvalidKey, Validate};

use crate::random::Random;

/// Results of mutants of keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mutants {
    /// No encodings.
    pub undecodable: u32,
    /// Keys that no machine makes.
    pub invalid: u32,
    /// Keys that tiers may see.
    pub valid: u32,
}

impl Mutants {
    /// Changes a key's encoding once, and gives what can be decoded of that and is valid.
    ///
    /// # Panics
    /// When the key itself is not valid: machines make such.
    pub fn of<K: BorshSerialize + BorshDeserialize + Validate + std::fmt::Debug>(
        &mut self,
        random: &mut Random,
        key: &K,
    ) -> Option<K> {
        assert_eq!(key.validate(), Ok(()), "{key:?}");
        let mut bytes = borsh::to_vec(key).expect("memory");
        for _ in 0..1 + random.below(3) {
            mutate(random, &mut bytes);
        }
        match borsh::from_slice::<K>(&bytes).ok().map(|key| (key.validate(), key)) {
            None => self.undecodable += 1,
            Some((Err(InvalidKey(_)), _)) => self.invalid += 1,
            Some((Ok(()), key)) => {
                self.valid += 1;
                return Some(key);
            }
        }
        None
    }
}

/// Changes a byte, most often to a small number, as most fields hold small numbers; rarely the length.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    // Half of the time within the last bytes: a program's code comes first, and would take nearly all changes.
    let from_the_end = random.one_in(2) && bytes.len() > 400;
    let range = if from_the_end { bytes.len() - 400..bytes.len() } else { 0..bytes.len() };
    let at = range.start + random.below(range.len() as u32) as usize;
    match random.below(8) {
        0 => bytes[at] = random.word() as u8,
        1 => bytes[at] ^= 1 << random.below(8),
        2 => bytes[at] = random.pick(&[31, 32, 63, 64, 127, 128, 255]),
        3 if random.one_in(4) => bytes.truncate(at),
        4 if random.one_in(4) => bytes.insert(at, random.word() as u8),
        _ => bytes[at] = random.below(17) as u8,
    }
}
