//! The tables of procedural textures: words as they are uploaded, decoded for draws.

use std::sync::Arc;

use triglyph_engine::frontend::Recycled;
use triglyph_guest::kernel::procedural::{ProceduralData, decode_entry};

use super::procedural::Values;

/// Uploaded words by table.
pub(crate) type Words = [[u32; 256]; 16];

/// Table numbers of PROCTEX_LUT_INDEX (3dbrew: GPU/Internal Registers).
mod table {
    pub const NOISE: usize = 0;
    pub const RGB_MAP: usize = 2;
    pub const ALPHA_MAP: usize = 3;
    pub const COLOR: usize = 4;
    pub const DIFFERENCE: usize = 5;
}

/// Uploaded tables, and what draws have of them.
#[derive(Debug)]
pub(crate) struct ProceduralTables {
    words: Box<Words>,
    /// Decoded as a whole when a draw first needs them, with the values of the last draw.
    data: Option<Box<ProceduralData>>,
    /// What the last draw had, unless words have changed since.
    shared: Option<(Values, Arc<ProceduralData>)>,
    recycled: Recycled<ProceduralData>,
}

impl Default for ProceduralTables {
    fn default() -> Self {
        ProceduralTables::new(Box::new([[0; 256]; 16]))
    }
}

impl ProceduralTables {
    pub(crate) fn new(words: Box<Words>) -> Self {
        ProceduralTables { words, data: None, shared: None, recycled: Recycled::default() }
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
        if let Some(data) = &mut self.data {
            decode(data, table, index, word);
        }
        true
    }

    /// The tables and values as a draw gets them.
    pub(crate) fn share(&mut self, values: Values) -> Arc<ProceduralData> {
        if let Some((_, shared)) = self.shared.as_ref().filter(|(of, _)| *of == values) {
            return shared.clone();
        }
        let data = self.data.get_or_insert_with(|| decoded(&self.words));
        values.set(data);
        let shared = self.recycled.share_copy(data);
        self.shared = Some((values, shared.clone()));
        shared
    }
}

fn decoded(words: &Words) -> Box<ProceduralData> {
    let mut data = Box::new(ProceduralData {
        amplitude: [0.0; 2],
        phase: [0.0; 2],
        frequency: [0.0; 2],
        bias: 0.0,
        lod: [0.0; 2],
        width: 0,
        offset: [0; 8],
        noise: [[0.0; 2]; 128],
        rgb_map: [[0.0; 2]; 128],
        alpha_map: [[0.0; 2]; 128],
        color: [[0.0; 4]; 256],
        difference: [[0.0; 4]; 256],
    });
    for (table, words) in words.iter().enumerate() {
        words.iter().enumerate().for_each(|(index, &word)| decode(&mut data, table, index, word));
    }
    data
}

/// Decodes a word into its place, if it has one.
fn decode(data: &mut ProceduralData, table: usize, index: usize, word: u32) {
    let map = |map: &mut [[f32; 2]; 128]| map.get_mut(index).into_iter().for_each(|entry| *entry = decode_entry(word));
    match table {
        table::NOISE => map(&mut data.noise),
        table::RGB_MAP => map(&mut data.rgb_map),
        table::ALPHA_MAP => map(&mut data.alpha_map),
        table::COLOR => data.color[index] = word.to_le_bytes().map(f32::from),
        // Stored are halves of the differences.
        table::DIFFERENCE => data.difference[index] = word.to_le_bytes().map(|d| 2.0 * f32::from(d as i8)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front_end::registers;

    #[test]
    fn draws_keep_the_tables_as_they_were() {
        let mut tables = ProceduralTables::default();
        let share = |tables: &mut ProceduralTables| tables.share(Values::of(&registers::at_reset()));
        let before = share(&mut tables);
        assert!(tables.store(0, 7, 0xFFF) && !tables.store(0, 7, 0xFFF) && tables.store(5, 255, 0x8000_0001));
        let after = share(&mut tables);
        assert_eq!(
            (before.noise[7], after.noise[7], after.difference[255]),
            ([0.0; 2], [1.0, 0.0], [2.0, 0.0, 0.0, -256.0])
        );
        assert!(Arc::ptr_eq(&after, &share(&mut tables)));
        let mut whole = decoded(tables.words());
        Values::of(&registers::at_reset()).set(&mut whole);
        assert_eq!(*after, *whole);
    }
}
