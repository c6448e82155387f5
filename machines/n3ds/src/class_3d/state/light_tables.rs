//! The tables of fragment lighting: words as they are uploaded, decoded for draws.

use triglyph_guest::kernel::lighting::{self, decode_entry};

use super::uploaded_tables::{Decoded, UploadedTables};

/// Tables of the port. Of them, 24 can be used.
const TABLES: usize = 32;

/// The tables of fragment lighting.
pub(crate) type LightTables = UploadedTables<lighting::LightTables, TABLES>;

impl Decoded<TABLES> for lighting::LightTables {
    type Values = ();

    const EMPTY: Self = [[[0.0; 2]; 256]; 24];

    fn store(&mut self, table: usize, index: usize, word: u32) {
        if let Some(table) = self.get_mut(table) {
            table[index] = decode_entry(word);
        }
    }

    fn set(&mut self, (): ()) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn draws_keep_the_tables_as_they_were() {
        let mut tables = LightTables::default();
        let before = tables.share(());
        assert!(tables.store(3, 7, 0xFFF) && !tables.store(3, 7, 0xFFF) && tables.store(31, 0, 1));
        let after = tables.share(());
        assert_eq!((before[3][7][0], after[3][7][0]), (0.0, 1.0));
        assert!(Arc::ptr_eq(&after, &tables.share(())));
        assert_eq!(*after, *lighting::LightTables::of_words(tables.words()));
    }
}
