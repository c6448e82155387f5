//! Records of attributes.

use borsh::{BorshDeserialize, BorshSerialize};

/// A set of attribute words: word w is byte address 4w of the attribute space, 0 to 255. A record of a set holds its
/// words ascending, without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct WordSet(pub [u64; 4]);

impl WordSet {
    /// No words.
    pub const EMPTY: WordSet = WordSet([0; 4]);

    /// Adds a word.
    pub fn insert(&mut self, word: u8) {
        self.0[usize::from(word >> 6)] |= 1 << (word & 63);
    }

    /// Whether a word is in the set.
    pub const fn contains(&self, word: u8) -> bool {
        self.0[(word >> 6) as usize] >> (word & 63) & 1 != 0
    }

    /// Number of words, which is the length of a record.
    pub fn len(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Index of a word in a record.
    pub fn index(&self, word: u8) -> Option<usize> {
        let part = usize::from(word >> 6);
        let below: u32 = self.0[..part].iter().map(|bits| bits.count_ones()).sum();
        let within = self.0[part] & ((1 << (word & 63)) - 1);
        self.contains(word).then_some((below + within.count_ones()) as usize)
    }

    /// The words, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().zip([0, 64, 128, 192]).flat_map(|(&part, first)| {
            let mut rest = part;
            std::iter::from_fn(move || {
                let next = (rest != 0).then(|| first + rest.trailing_zeros() as u8);
                rest &= rest.wrapping_sub(1);
                next
            })
        })
    }

    /// Words of either set.
    pub fn union(&self, other: &WordSet) -> WordSet {
        WordSet(std::array::from_fn(|part| self.0[part] | other.0[part]))
    }
}

impl FromIterator<u8> for WordSet {
    fn from_iter<I: IntoIterator<Item = u8>>(words: I) -> Self {
        let mut set = WordSet::EMPTY;
        words.into_iter().for_each(|word| set.insert(word));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_holds_the_words_of_its_set_in_order() {
        let set: WordSet = [200, 28, 29, 63, 64].into_iter().collect();
        assert_eq!(set.len(), 5);
        assert_eq!(set.iter().collect::<Vec<_>>(), [28, 29, 63, 64, 200]);
        for (index, word) in set.iter().enumerate() {
            assert_eq!(set.index(word), Some(index));
        }
        assert_eq!(set.index(30), None);
        assert!(WordSet::EMPTY.is_empty() && !set.is_empty());
    }
}
