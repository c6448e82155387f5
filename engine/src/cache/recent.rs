//! The last few look-ups: most draws have the key of a recent one, and comparing keys costs less than hashing one.

/// Keys and what was found for them.
#[derive(Debug)]
pub struct Recent<K, V> {
    entries: Vec<(K, V)>,
    /// The number of each entry, most recent first: entries are large, and are not moved.
    order: Vec<u8>,
}

/// Look-ups that are remembered.
const MAX_RECENT: usize = 16;

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent { entries: Vec::new(), order: Vec::new() }
    }
}

impl<K: PartialEq + Clone, V: Clone> Recent<K, V> {
    /// The value of a key: a recent one, or else what `find` returns.
    pub fn get(&mut self, key: &K, find: impl FnOnce(&K) -> V) -> V {
        let entry = |number: u8| usize::from(number);
        let known = self.order.iter().position(|&number| self.entries[entry(number)].0 == *key);
        let at = known.unwrap_or_else(|| {
            let found = (key.clone(), find(key));
            if self.entries.len() < MAX_RECENT {
                self.order.push(self.entries.len() as u8);
                self.entries.push(found);
            } else if let Some(&oldest) = self.order.last() {
                self.entries[entry(oldest)] = found;
            }
            self.order.len() - 1
        });
        self.order[..=at].rotate_right(1);
        self.entries[entry(self.order[0])].1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_key_is_not_looked_up_again() {
        let mut recent = Recent::default();
        let mut found = Vec::new();
        let mut get = |key: u32| {
            assert_eq!(recent.get(&key, |&key| (found.push(key), 10 * key).1), 10 * key);
            found.len()
        };
        assert_eq!([1, 2, 1, 2, 3, 1].map(&mut get), [1, 2, 2, 2, 3, 3]);
        // 2 is the least recent by then, and is replaced first.
        (4..4 + MAX_RECENT as u32 - 2).for_each(|key| assert_eq!(get(key), key as usize));
        let found = MAX_RECENT + 1;
        assert_eq!([1, 3, 2].map(&mut get), [found, found, found + 1]);
    }
}
