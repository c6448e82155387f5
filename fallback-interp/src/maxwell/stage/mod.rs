//! Stages: invocations of a program, and their stage-specific state.

pub mod compute;
pub mod geometry;
pub mod patch;
pub mod pixel;
pub mod vertex;

use triglyph_guest::kernel::program::words::WordSet;

/// Positions of a set's words in a record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Place of each word, plus 1.
    places: [u16; 256],
    /// Words of a record.
    pub len: usize,
}

impl Record {
    /// The record of a set.
    pub fn new(words: &WordSet) -> Record {
        let mut places = [0; 256];
        for (place, word) in words.iter().enumerate() {
            places[usize::from(word)] = place as u16 + 1;
        }
        Record { places, len: words.len() }
    }

    /// Whether records have a word.
    pub fn has(&self, word: u8) -> bool {
        self.places[usize::from(word)] != 0
    }

    /// A word of record number `number`; 0 if it does not exist.
    pub fn read(&self, records: &[u32], number: usize, word: u8) -> u32 {
        self.place(number, word).and_then(|place| records.get(place)).copied().unwrap_or(0)
    }

    /// Sets a word of record number `number`, if it exists.
    pub fn write(&self, records: &mut [u32], number: usize, word: u8, value: u32) {
        if let Some(place) = self.place(number, word).and_then(|place| records.get_mut(place)) {
            *place = value;
        }
    }

    /// Records as they start: 0, and 1.0 as the position's w.
    pub fn clear(&self, records: &mut [u32]) {
        records.fill(0);
        if self.len != 0 {
            for record in records.chunks_mut(self.len) {
                self.write(record, 0, POSITION_W, 1f32.to_bits());
            }
        }
    }

    fn place(&self, number: usize, word: u8) -> Option<usize> {
        let place = usize::from(self.places[usize::from(word)]).checked_sub(1)?;
        number.checked_mul(self.len)?.checked_add(place)
    }
}

/// w of the position.
const POSITION_W: u8 = 0x1F;
/// The primitive's number.
const PRIMITIVE: u8 = 0x18;
/// The vertex's number.
const VERTEX: u8 = 0xBF;
/// Tessellation coordinates.
const COORDINATES: [u8; 2] = [0xBC, 0xBD];
