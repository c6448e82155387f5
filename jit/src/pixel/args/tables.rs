//! Constant tables of fragment kernels.

/// Constant tables that the code reads.
#[repr(C, align(16))]
pub struct Tables {
    /// Columns and rows of the pixels of each quad of a block.
    pub inside: [[[i32; 4]; 2]; 16],
    /// Lanes for each four bits of coverage.
    pub masks: [[i32; 4]; 16],
}

/// See [`Tables`].
pub static TABLES: Tables = {
    let mut tables = Tables { inside: [[[0; 4]; 2]; 16], masks: [[0; 4]; 16] };
    let mut i = 0;
    while i < 16 {
        let (x, y) = triglyph_guest::layout::unmorton(i as u32);
        let (x, y) = (2 * x as i32, 2 * y as i32);
        tables.inside[i] = [[x, x + 1, x, x + 1], [y, y, y + 1, y + 1]];
        tables.masks[i] = [-(i as i32 & 1), -(i as i32 >> 1 & 1), -(i as i32 >> 2 & 1), -(i as i32 >> 3 & 1)];
        i += 1;
    }
    tables
};
