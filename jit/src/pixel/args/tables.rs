//! Constant tables of fragment kernels.

/// Constant tables that the code reads.
#[repr(C, align(16))]
pub struct Tables {
    /// Columns and rows of the pixels of each quad of a block.
    pub inside: [[[i32; 4]; 2]; 16],
    /// Lanes for each four bits of coverage.
    pub masks: [[i32; 4]; 16],
}

/// The mask of each set of covered pixels.
pub const MASKS: [[i32; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut pixels = 0;
    while pixels < 16 {
        let mut lane = 0;
        while lane < 4 {
            masks[pixels][lane] = -(pixels as i32 >> lane & 1);
            lane += 1;
        }
        pixels += 1;
    }
    masks
};

/// Where the pixels of a block are, in Morton order: the column in 16 bits, and the row above.
pub const PLACES: [u32; 64] = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (x, y) = triglyph_guest::layout::unmorton(i as u32);
        places[i] = x | y << 16;
        i += 1;
    }
    places
};

/// See [`Tables`].
pub static TABLES: Tables = {
    let mut tables = Tables { inside: [[[0; 4]; 2]; 16], masks: MASKS };
    let mut i = 0;
    while i < 16 {
        let (x, y) = triglyph_guest::layout::unmorton(i as u32);
        let (x, y) = (2 * x as i32, 2 * y as i32);
        tables.inside[i] = [[x, x + 1, x, x + 1], [y, y, y + 1, y + 1]];
        i += 1;
    }
    tables
};
