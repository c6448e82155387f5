//! What was found last, by key: most draws have the key of one shortly before, and comparing keys costs less than hashing one.

/// Keys and what was found for them, the last one first.
#[derive(Debug)]
pub struct Recent<K, V>(Vec<(K, V)>);

/// How many are kept.
const KEPT: usize = 8;

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent(Vec::with_capacity(KEPT))
    }
}

impl<K: PartialEq, V: Clone> Recent<K, V> {
    /// What there is for a key: what was found lately, or else what `find` finds.
    pub fn get(&mut self, key: K, find: impl FnOnce(&K) -> V) -> V {
        match self.0.iter().position(|(known, _)| *known == key) {
            Some(at) => self.0[..=at].rotate_right(1),
            None => {
                let found = find(&key);
                self.0.truncate(KEPT - 1);
                self.0.insert(0, (key, found));
            }
        }
        self.0[0].1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recent_is_not_sought() {
        let mut recent = Recent::default();
        let mut sought = Vec::new();
        let mut get = |key: u32| {
            assert_eq!(recent.get(key, |&key| (sought.push(key), 10 * key).1), 10 * key);
            sought.len()
        };
        assert_eq!([1, 2, 1, 2, 3, 1].map(&mut get), [1, 2, 2, 2, 3, 3]);
        // 2 is the oldest then, and the first that goes.
        assert_eq!([4, 5, 6, 7, 8, 9, 1, 3, 2].map(&mut get), [4, 5, 6, 7, 8, 9, 9, 9, 10]);
    }
}
