//! Addresses of the four pixels of a quad in a surface; loads and stores.
//!
//! Within a block of 8x8 pixels all layouts are alike for a quad: the pixel on the right is a constant number of bytes
//! further on, and so is the row below, or, in linear layouts, an argument. The caller of the code computes the
//! addresses of blocks and of quads in them. With several samples a pixel the four "pixels" are one sample of each:
//! their distance is a multiple of the surface's pixels.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64, F64X2, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::fragment::Samples;
use triglyph_guest::layout::SurfaceLayout;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, I32x4, Mask, memory};

/// Distances between the pixels of a quad.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Bytes of a pixel: 1, 2, 3, 4, 8 or 16.
    pub bytes: u32,
    /// Bytes to the pixel on the right.
    across: i32,
    /// Bytes to the row below, unless it is an argument.
    down: Option<i32>,
}

impl Grid {
    /// For a surface of pixels of `bytes` bytes. Swizzled surfaces smaller than a block are unsupported.
    pub fn new(layout: SurfaceLayout, bytes: u32, samples: Samples) -> Result<Grid, Unsupported> {
        let (across, down) = (u32::from(samples.across), u32::from(samples.down));
        if let SurfaceLayout::Swizzled { log2_width, log2_height } = layout
            && (1 << log2_width < 8 * across || 1 << log2_height < 8 * down || log2_width > 12 || log2_height > 12)
        {
            return Err(Unsupported("swizzled surfaces of less than eight pixels a side"));
        }
        let down = match layout {
            SurfaceLayout::Pitch => None,
            _ => Some(layout.offset(0, down, bytes, 1) as i32),
        };
        Ok(Grid { bytes, across: layout.offset(across, 0, bytes, 1) as i32, down })
    }

    /// Of pixels of 2, 3 or 4 bytes, with the four of a quad one after the other.
    fn contiguous(bytes: u32) -> Grid {
        Grid { bytes, across: bytes as i32, down: Some(2 * bytes as i32) }
    }

    /// Of pixels of 2, 3 or 4 bytes anywhere in a block.
    fn scattered(bytes: u32) -> Grid {
        Grid { bytes, across: 0, down: Some(0) }
    }

    /// Whether the surface consists of rows of pixels.
    fn has_rows(self) -> bool {
        self.down.is_none()
    }

    /// Whether the quad is contiguous in memory, in the order of lanes.
    fn whole(self) -> bool {
        self.rows_whole() && self.down == Some(2 * self.bytes as i32)
    }

    /// Whether the two pixels of a row are contiguous.
    fn rows_whole(self) -> bool {
        self.across == self.bytes as i32
    }
}

/// The quad's four pixels.
#[derive(Clone, Copy, Debug)]
pub struct QuadAddress {
    pub grid: Grid,
    /// Addresses of the pixels, with what is to be added to each.
    lanes: [(Value, i32); 4],
}

impl QuadAddress {
    /// A quad at `address`. `down` loads the bytes from row to row.
    pub fn new(e: &mut Emit<'_>, grid: Grid, address: Value, down: impl FnOnce(&mut Emit<'_>) -> Value) -> QuadAddress {
        let below = match grid.down {
            Some(known) => (address, known),
            None => {
                let down = down(e);
                (e.b.ins().iadd(address, down), 0)
            }
        };
        QuadAddress::of_rows(grid, [(address, 0), below])
    }

    /// A quad whose rows are here.
    fn of_rows(grid: Grid, [first, second]: [(Value, i32); 2]) -> QuadAddress {
        let right = |(address, offset)| (address, offset + grid.across);
        QuadAddress { grid, lanes: [first, right(first), second, right(second)] }
    }

    /// A quad at `address` whose pixels, of 2, 3 or 4 bytes, are contiguous.
    pub fn contiguous(bytes: u32, address: Value) -> QuadAddress {
        QuadAddress::of_rows(Grid::contiguous(bytes), [(address, 0), (address, 2 * bytes as i32)])
    }

    /// Four pixels of 2, 3 or 4 bytes at these addresses. More than one may be at the first one's: it wins where all
    /// are stored.
    pub fn scattered(bytes: u32, addresses: [Value; 4]) -> QuadAddress {
        QuadAddress { grid: Grid::scattered(bytes), lanes: addresses.map(|address| (address, 0)) }
    }

    /// Addresses of the first pixels of both rows.
    fn rows(&self) -> [(Value, i32); 2] {
        [self.lanes[0], self.lanes[2]]
    }

    /// The pixels as stored, in the low bits of as many words as they need.
    pub fn load(&self, e: &mut Emit<'_>) -> Vec<I32x4> {
        let [(a, _), (b, at)] = self.rows();
        match self.grid.bytes {
            _ if !self.grid.rows_whole() => self.load_apart(e),
            1 => vec![self.load_bytes(e)],
            2 if self.grid.whole() => vec![e.load_4x16(a)],
            2 => {
                let (low, high) = (e.load_i32(a, 0), e.load_i32(b, at));
                let (low, high) = (e.b.ins().uextend(I64, low), e.b.ins().uextend(I64, high));
                let high = e.b.ins().ishl_imm_u(high, 32);
                let both = e.b.ins().bor(low, high);
                let vector = e.b.ins().scalar_to_vector(I64X2, both);
                let vector = e.cast(vector, I16X8);
                vec![I32x4(e.b.ins().uwiden_low(vector))]
            }
            3 => vec![e.load_4x24(a)],
            4 if self.grid.whole() => vec![e.load_ints(a, 0)],
            4 => {
                let low = e.b.ins().load(F64, memory(), a, 0);
                let high = e.b.ins().load(F64, memory(), b, at);
                let vector = e.b.ins().scalar_to_vector(F64X2, low);
                let vector = e.b.ins().insertlane(vector, high, 1);
                vec![I32x4(e.cast(vector, I32X4))]
            }
            8 => {
                let (low, high) = (e.load_ints(a, 0), e.load_ints(b, at));
                e.unzip(low.0, high.0).map(|half| e.bits(half)).to_vec()
            }
            _ => {
                let rows = self.lanes.map(|(address, offset)| e.load_floats(address, offset));
                e.transpose(rows).map(|word| e.bits(word)).to_vec()
            }
        }
    }

    /// Loads pixels one by one.
    fn load_apart(&self, e: &mut Emit<'_>) -> Vec<I32x4> {
        let word = |e: &mut Emit<'_>, lane: usize, index: usize| {
            let (address, offset) = self.lanes[lane];
            let offset = offset + 4 * index as i32;
            match self.grid.bytes {
                1 => e.b.ins().uload8(I32, memory(), address, offset),
                2 => e.b.ins().uload16(I32, memory(), address, offset),
                3 => {
                    let low = e.b.ins().uload16(I32, memory(), address, offset);
                    let high = e.b.ins().uload8(I32, memory(), address, offset + 2);
                    let high = e.b.ins().ishl_imm_u(high, 16);
                    e.b.ins().bor(low, high)
                }
                _ => e.load_i32(address, offset),
            }
        };
        let words = self.grid.bytes.div_ceil(4) as usize;
        let mut apart = |index: usize| {
            let first = word(e, 0, index);
            let mut all = e.b.ins().scalar_to_vector(I32X4, first);
            for lane in 1..4 {
                let next = word(e, lane, index);
                all = e.b.ins().insertlane(all, next, lane as u8);
            }
            I32x4(all)
        };
        (0..words).map(&mut apart).collect()
    }

    fn load_bytes(&self, e: &mut Emit<'_>) -> I32x4 {
        let [(a, _), (b, at)] = self.rows();
        let word = if self.grid.whole() {
            e.load_i32(a, 0)
        } else {
            let low = e.b.ins().uload16(I32, memory(), a, 0);
            let high = e.b.ins().uload16(I32, memory(), b, at);
            let high = e.b.ins().ishl_imm_u(high, 16);
            e.b.ins().bor(low, high)
        };
        let vector = e.b.ins().scalar_to_vector(I32X4, word);
        let bytes = e.cast(vector, I8X16);
        let shorts = e.b.ins().uwiden_low(bytes);
        I32x4(e.b.ins().uwiden_low(shorts))
    }

    /// Stores all four pixels; bits above those of a pixel must be zero.
    pub fn store_all(&self, e: &mut Emit<'_>, words: &[I32x4]) {
        let [(a, _), (b, at)] = self.rows();
        if !self.grid.rows_whole() {
            return (0..4).rev().for_each(|lane| self.store_one(e, words, lane));
        }
        match (self.grid.bytes, words) {
            (1, &[word]) => {
                let shorts = e.b.ins().unarrow(word.0, word.0);
                let bytes = e.b.ins().unarrow(shorts, shorts);
                let vector = e.cast(bytes, I32X4);
                let word = e.b.ins().extractlane(vector, 0);
                if self.grid.whole() {
                    return e.store(word, a, 0);
                }
                e.b.ins().istore16(memory(), word, a, 0);
                let high = e.b.ins().ushr_imm_u(word, 16);
                e.b.ins().istore16(memory(), high, b, at);
            }
            (2, &[word]) if self.grid.whole() => e.store_4x16(word, a),
            (2, &[word]) => {
                let shorts = e.b.ins().unarrow(word.0, word.0);
                let vector = e.cast(shorts, I32X4);
                for (row, (address, offset)) in self.rows().into_iter().enumerate() {
                    let pair = e.b.ins().extractlane(vector, row as u8);
                    e.store(pair, address, offset);
                }
            }
            (3, &[word]) => e.store_4x24(word, a),
            (4, &[word]) if self.grid.whole() => e.store(word.0, a, 0),
            (4, &[word]) => {
                let vector = e.cast(word.0, F64X2);
                for (row, (address, offset)) in self.rows().into_iter().enumerate() {
                    let pair = e.b.ins().extractlane(vector, row as u8);
                    e.store(pair, address, offset);
                }
            }
            (8, &[low, high]) => {
                let [first, second] = e.zip(low.0, high.0);
                e.store(first, a, 0);
                e.store(second, b, at);
            }
            (_, &[x, y, z, w]) => {
                let columns = [x, y, z, w].map(|word| e.float_of_bits(word));
                for (row, (address, offset)) in e.transpose(columns).into_iter().zip(self.lanes) {
                    e.store(row.0, address, offset);
                }
            }
            _ => {}
        }
    }

    /// Stores one pixel.
    fn store_one(&self, e: &mut Emit<'_>, words: &[I32x4], lane: usize) {
        let (address, offset) = self.lanes[lane];
        for (i, word) in words.iter().enumerate() {
            let word = e.lane(*word, lane as u8);
            let offset = offset + 4 * i as i32;
            match self.grid.bytes {
                1 => e.b.ins().istore8(memory(), word, address, offset),
                2 => e.b.ins().istore16(memory(), word, address, offset),
                3 => {
                    e.b.ins().istore16(memory(), word, address, offset);
                    let high = e.b.ins().ushr_imm_u(word, 16);
                    e.b.ins().istore8(memory(), high, address, offset + 2)
                }
                _ => e.b.ins().store(memory(), word, address, offset),
            };
        }
    }

    /// Stores words that differ from what is stored in pixels of `live` only. As in [`Self::store`], others are written
    /// or not touched.
    pub fn store_over(&self, e: &mut Emit<'_>, words: &[I32x4], live: Mask, cover: Value) {
        if !self.grid.has_rows() {
            return self.store_all(e, words);
        }
        let (all, some, done) = (e.block(&[]), e.cold_block(&[]), e.block(&[]));
        let full = equal(e, cover, 15);
        e.branch(full, (all, &[]), (some, &[]));
        e.switch_to(all);
        self.store_all(e, words);
        e.jump(done, &[]);
        e.switch_to(some);
        let bits = e.mask_bits(live);
        self.store_each(e, words, bits);
        e.jump(done, &[]);
        e.switch_to(done);
    }

    /// Stores the pixels whose bits are set.
    fn store_each(&self, e: &mut Emit<'_>, words: &[I32x4], bits: Value) {
        for lane in 0..4 {
            let (store, next) = (e.block(&[]), e.block(&[]));
            let bit = e.b.ins().band_imm_u(bits, 1 << lane);
            e.branch(bit, (store, &[]), (next, &[]));
            e.switch_to(store);
            self.store_one(e, words, lane);
            e.jump(next, &[]);
            e.switch_to(next);
        }
    }

    /// Stores the pixels of `live`, and the others as they are.
    fn store_merged(&self, e: &mut Emit<'_>, words: &[I32x4], live: Mask) {
        let stored = self.load(e);
        let words: Vec<I32x4> = words.iter().zip(&stored).map(|(&new, &old)| e.iselect(live, new, old)).collect();
        self.store_all(e, &words);
    }

    /// Stores the pixels of `live`. In surfaces of rows, others are not touched: uncovered pixels may lie in another
    /// tile, or outside the surface. Where all four are covered (`cover` is 15), and in surfaces made of blocks, which
    /// have all of a quad, the other pixels are written back unchanged. `often_partial`: that is so often the case that
    /// to do it always is faster than to ask.
    pub fn store(&self, e: &mut Emit<'_>, words: &[I32x4], live: Mask, cover: Value, often_partial: bool) {
        if often_partial && !self.grid.has_rows() {
            return self.store_merged(e, words, live);
        }
        let bits = e.mask_bits(live);
        let (all, some, done) = (e.block(&[]), e.block(&[]), e.block(&[]));
        let full = equal(e, bits, 15);
        e.branch(full, (all, &[]), (some, &[]));

        e.switch_to(all);
        self.store_all(e, words);
        e.jump(done, &[]);

        e.switch_to(some);
        if !self.grid.has_rows() {
            self.store_merged(e, words, live);
            e.jump(done, &[]);
            return e.switch_to(done);
        }
        let (merged, single) = (e.block(&[]), e.cold_block(&[]));
        let full = equal(e, cover, 15);
        e.branch(full, (merged, &[]), (single, &[]));

        e.switch_to(merged);
        self.store_merged(e, words, live);
        e.jump(done, &[]);

        e.switch_to(single);
        self.store_each(e, words, bits);
        e.jump(done, &[]);
        e.switch_to(done);
    }
}

/// Whether a scalar is `value`.
pub fn equal(e: &mut Emit<'_>, scalar: Value, value: i64) -> Value {
    e.b.ins().icmp_imm_u(IntCC::Equal, scalar, value)
}
