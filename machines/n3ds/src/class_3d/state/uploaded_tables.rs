//! Tables that a data port uploads: words as they are uploaded, decoded for draws.

use std::fmt::Debug;
use std::sync::Arc;

use triglyph_engine::frontend::Recycled;

/// What draws have of `TABLES` tables of words.
pub(crate) trait Decoded<const TABLES: usize>: Clone + Debug {
    /// What draws have beside the words.
    type Values: Copy + PartialEq + Debug;

    /// Nothing but zeros.
    const EMPTY: Self;

    /// All tables, decoded from the words.
    fn of_words(words: &Words<TABLES>) -> Box<Self> {
        let mut decoded = Box::new(Self::EMPTY);
        for (table, words) in words.iter().enumerate() {
            words.iter().enumerate().for_each(|(index, &word)| decoded.store(table, index, word));
        }
        decoded
    }

    /// Decodes a word into its place, if it has one.
    fn store(&mut self, table: usize, index: usize, word: u32);

    /// Takes the values of a draw.
    fn set(&mut self, values: Self::Values);
}

/// Uploaded words by table.
pub(crate) type Words<const TABLES: usize> = [[u32; 256]; TABLES];

/// Uploaded tables, and what draws have of them.
#[derive(Debug)]
pub(crate) struct UploadedTables<D: Decoded<TABLES>, const TABLES: usize> {
    words: Box<Words<TABLES>>,
    /// Decoded as a whole when a draw first needs them, with the values of the last draw.
    decoded: Option<Box<D>>,
    /// What the last draw had, unless words have changed since.
    shared: Option<(D::Values, Arc<D>)>,
    recycled: Recycled<D>,
}

impl<D: Decoded<TABLES>, const TABLES: usize> Default for UploadedTables<D, TABLES> {
    fn default() -> Self {
        Self::new(Box::new([[0; 256]; TABLES]))
    }
}

impl<D: Decoded<TABLES>, const TABLES: usize> UploadedTables<D, TABLES> {
    pub(crate) fn new(words: Box<Words<TABLES>>) -> Self {
        UploadedTables { words, decoded: None, shared: None, recycled: Recycled::default() }
    }

    pub(crate) fn words(&self) -> &Words<TABLES> {
        &self.words
    }

    /// Stores a word. Returns whether it is another one than before.
    pub(crate) fn store(&mut self, table: usize, index: usize, word: u32) -> bool {
        if std::mem::replace(&mut self.words[table][index], word) == word {
            return false;
        }
        self.shared = None;
        if let Some(decoded) = &mut self.decoded {
            decoded.store(table, index, word);
        }
        true
    }

    /// The tables and values as a draw gets them.
    pub(crate) fn share(&mut self, values: D::Values) -> Arc<D> {
        if let Some((_, shared)) = self.shared.as_ref().filter(|(of, _)| *of == values) {
            return shared.clone();
        }
        let decoded = self.decoded.get_or_insert_with(|| D::of_words(&self.words));
        decoded.set(values);
        let shared = self.recycled.share_copy(decoded);
        self.shared = Some((values, shared.clone()));
        shared
    }
}
