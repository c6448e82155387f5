//! The tables of fragment lighting: words as they are uploaded, decoded for draws.

use std::sync::Arc;

use triglyph_engine::frontend::Recycled;
use triglyph_guest::kernel::lighting::{LightTables, decode_entry};

/// Uploaded words by table. Of the tables, 24 can be used.
pub(crate) type Words = [[u32; 256]; 32];

/// Uploaded tables, and what draws have of them.
#[derive(Debug)]
pub(crate) struct UploadedTables {
    words: Box<Words>,
    /// Decoded as a whole when a draw first needs them.
    decoded: Option<Box<LightTables>>,
    /// What the last draw had, unless words have changed since.
    shared: Option<Arc<LightTables>>,
    recycled: Recycled<LightTables>,
}

impl Default for UploadedTables {
    fn default() -> Self {
        UploadedTables::new(Box::new([[0; 256]; 32]))
    }
}

impl UploadedTables {
    pub(crate) fn new(words: Box<Words>) -> Self {
        UploadedTables { words, decoded: None, shared: None, recycled: Recycled::default() }
    }

    pub(crate) fn words(&self) -> &Words {
        &self.words
    }

    /// Stores a word. Returns whether it is another one than before.
    pub(crate) fn store(&mut self, table: usize, index: usize, word: u32) -> bool {
        if std::mem::replace(&mut self.words[table][index], word) == word {
            return false;
        }
        self.shared = None;
        if let Some(entry) = self.decoded.as_mut().and_then(|tables| tables.get_mut(table)?.get_mut(index)) {
            *entry = decode_entry(word);
        }
        true
    }

    /// The tables as a draw gets them.
    pub(crate) fn share(&mut self) -> Arc<LightTables> {
        let UploadedTables { words, decoded, shared, recycled } = self;
        let decoded = decoded.get_or_insert_with(|| decode(words));
        shared.get_or_insert_with(|| recycled.share_copy(decoded)).clone()
    }
}

fn decode(words: &Words) -> Box<LightTables> {
    let mut tables = Box::new([[[0.0; 2]; 256]; 24]);
    for (table, words) in tables.iter_mut().zip(words) {
        for (entry, &word) in table.iter_mut().zip(words) {
            *entry = decode_entry(word);
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_keep_the_tables_as_they_were() {
        let mut tables = UploadedTables::default();
        let before = tables.share();
        assert!(tables.store(3, 7, 0xFFF) && !tables.store(3, 7, 0xFFF) && tables.store(31, 0, 1));
        let after = tables.share();
        assert_eq!((before[3][7][0], after[3][7][0]), (0.0, 1.0));
        assert!(Arc::ptr_eq(&after, &tables.share()));
        assert_eq!(*after, *decode(tables.words()));
    }
}
