//! The tables of procedural textures: words as they are uploaded, decoded for draws.

use triglyph_guest::kernel::procedural::{ProceduralData, decode_entry};

use super::procedural::Values;
use super::uploaded_tables::{Decoded, UploadedTables};

/// Tables of the port.
const TABLES: usize = 16;

/// The tables of procedural textures.
pub(crate) type ProceduralTables = UploadedTables<ProceduralData, TABLES>;

/// Table numbers of PROCTEX_LUT_INDEX (3dbrew: GPU/Internal Registers).
mod table {
    pub const NOISE: usize = 0;
    pub const RGB_MAP: usize = 2;
    pub const ALPHA_MAP: usize = 3;
    pub const COLOR: usize = 4;
    pub const DIFFERENCE: usize = 5;
}

impl Decoded<TABLES> for ProceduralData {
    type Values = Values;

    const EMPTY: Self = ProceduralData {
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
    };

    fn store(&mut self, table: usize, index: usize, word: u32) {
        let map = |map: &mut [[f32; 2]; 128]| map.get_mut(index).into_iter().for_each(|at| *at = decode_entry(word));
        match table {
            table::NOISE => map(&mut self.noise),
            table::RGB_MAP => map(&mut self.rgb_map),
            table::ALPHA_MAP => map(&mut self.alpha_map),
            table::COLOR => self.color[index] = word.to_le_bytes().map(f32::from),
            // Stored are halves of the differences.
            table::DIFFERENCE => self.difference[index] = word.to_le_bytes().map(|d| 2.0 * f32::from(d as i8)),
            _ => {}
        }
    }

    fn set(&mut self, values: Values) {
        values.set(self);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        let mut whole = ProceduralData::of_words(tables.words());
        Values::of(&registers::at_reset()).set(&mut whole);
        assert_eq!(*after, *whole);
    }
}
