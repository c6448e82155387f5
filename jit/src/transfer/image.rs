//! The code of a conversion: a loop over squares of 8x8 pixels of the target.
//!
//! ```text
//! for each square, for each pair of its rows:
//!   source rows  quads (2x2 pixels, neighbours in Morton order) or rows -> vectors of 4 pixels
//!   row          average, decode, encode
//!   store        rows, or quads again
//! ```
//!
//! Scaling takes the next pixels in Morton order from a tiled source. Those of an even pixel are its neighbours to the
//! right and below, so rows serve both layouts.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, Value};
use triglyph_guest::format::PixelFormat;
use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::transfer::{ConvertKey, Layout, Scale};
use triglyph_guest::layout::{Block, morton};
use triglyph_guest::num::ops::Ops;

use super::args::ConversionArgs;
use crate::lane::{Emit, I32x4, Pair};
use crate::pixel::target::pica::{decode, encode};

/// Low or high 64 bits of two vectors: the upper or lower row of two quads, and back.
const LOW_HALVES: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALVES: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];
/// Even and odd 32-bit lanes of two vectors.
const EVEN: [u8; 16] = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD: [u8; 16] = [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31];
/// 32-bit lanes of two vectors in turn, from the low and the high halves.
const LOW_TURNS: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const HIGH_TURNS: [u8; 16] = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31];

/// Eight pixels of a row.
#[derive(Clone, Copy)]
enum Row {
    /// A word for each pixel; bits above the pixel's are zero or, where that is said, anything.
    Words([I32x4; 2]),
    /// 16 bits for each pixel.
    Shorts(Value),
}

/// Emits the conversion. `flip`: both sides are tiled and rows are exchanged inside of squares.
pub(super) fn build(e: &mut Emit<'_>, key: &ConvertKey, flip: bool) -> Result<(), Unsupported> {
    let args = e.args;
    let (rows, columns) = (e.block(&[I32]), e.block(&[I32, I32]));
    let (next_row, done) = (e.block(&[I32]), e.block(&[]));
    let first = e.load_i32(args, ConversionArgs::FIRST);
    e.jump(rows, &[first]);

    e.switch_to(rows);
    let zero = e.i32(0);
    let y = e.parameter(rows, 0);
    e.jump(columns, &[zero, y]);

    e.switch_to(columns);
    let (x, y) = (e.parameter(columns, 0), e.parameter(columns, 1));
    Square { e, key, flip, x, y, quads: HashMap::new() }.emit();
    let x = e.b.ins().iadd_imm_u(x, 1);
    let count = e.load_i32(args, ConversionArgs::COLUMNS);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, x, count);
    e.branch(more, (columns, &[x, y]), (next_row, &[y]));

    e.switch_to(next_row);
    let y = e.parameter(next_row, 0);
    let y = e.b.ins().iadd_imm_u(y, 1);
    let end = e.load_i32(args, ConversionArgs::END);
    let more = e.b.ins().icmp(IntCC::UnsignedLessThan, y, end);
    e.branch(more, (rows, &[y]), (done, &[]));

    e.switch_to(done);
    e.succeed();
    Ok(())
}

/// Emits one square.
struct Square<'s, 'a> {
    e: &'s mut Emit<'a>,
    key: &'s ConvertKey,
    flip: bool,
    x: Value,
    y: Value,
    /// Eight pixels of two quads by address and offset: both of their rows use them.
    quads: HashMap<(Value, i32), [I32x4; 2]>,
}

impl Square<'_, '_> {
    fn emit(&mut self) {
        let (shift_x, shift_y) = self.key.scale.shifts();
        let source = Side {
            layout: self.key.input_layout,
            format: self.key.input,
            base: ConversionArgs::SOURCE,
            pitch: ConversionArgs::SOURCE_PITCH,
        };
        let target = Side {
            layout: self.key.output_layout,
            format: self.key.output,
            base: ConversionArgs::TARGET,
            pitch: ConversionArgs::TARGET_PITCH,
        };
        let starts = self.source_starts(&source, shift_x, shift_y);
        let (y, args) = (self.y, self.e.args);
        let target_y = if self.flip {
            let last = self.e.load_i32(args, ConversionArgs::LAST);
            self.e.b.ins().isub(last, y)
        } else {
            y
        };
        let to = self.start(&target, self.x, target_y);
        for pair in 0..4 {
            let rows = [0, 1].map(|row| {
                let lines = (0..1 << shift_y).map(|line| {
                    let from = ((2 * pair + row) << shift_y) + line;
                    self.source_row(&source, &starts, from, shift_x)
                });
                let lines: Vec<Vec<Row>> = lines.collect();
                self.convert(&lines)
            });
            self.store(&target, to, pair, rows);
        }
    }

    /// Where the parts of the source begin that this square needs: for a tiled source its squares, one row of them
    /// after the other, for a linear one its first row.
    fn source_starts(&mut self, source: &Side, shift_x: u32, shift_y: u32) -> Vec<Value> {
        if source.layout == Layout::Linear {
            let args = self.e.args;
            let (base, step) = (self.e.load_i64(args, source.base), self.e.load_i64(args, ConversionArgs::SOURCE_STEP));
            let start = self.along(base, self.y, step, 3);
            let x = self.e.b.ins().uextend(I64, self.x);
            let size = self.e.i64(i64::from(source.format.bytes() * 8) << shift_x);
            let offset = self.e.b.ins().imul(x, size);
            return vec![self.e.b.ins().iadd(start, offset)];
        }
        let mut starts = Vec::new();
        for down in 0..1 << shift_y {
            for right in 0..1 << shift_x {
                let [x, y] = [(self.x, shift_x, right), (self.y, shift_y, down)].map(|(at, shift, plus)| {
                    let at = self.e.b.ins().ishl_imm_u(at, i64::from(shift));
                    self.e.b.ins().iadd_imm_u(at, plus)
                });
                starts.push(self.start(source, x, y));
            }
        }
        starts
    }

    /// base + (n << shift) * step
    fn along(&mut self, base: Value, n: Value, step: Value, shift: u32) -> Value {
        let n = self.e.b.ins().uextend(I64, n);
        let n = self.e.b.ins().ishl_imm_u(n, i64::from(shift));
        let offset = self.e.b.ins().imul(n, step);
        self.e.b.ins().iadd(base, offset)
    }

    /// The address of the square in column `x` and row `y` of squares.
    fn start(&mut self, side: &Side, x: Value, y: Value) -> Value {
        let args = self.e.args;
        let (base, pitch) = (self.e.load_i64(args, side.base), self.e.load_i64(args, side.pitch));
        let bytes = side.format.bytes();
        let (base, pixels) = match side.layout {
            Layout::Linear => {
                let row = self.along(base, y, pitch, 3);
                let x = self.e.b.ins().ishl_imm_u(x, 3);
                (row, x)
            }
            Layout::Tiled(Block::B8) => {
                let row = self.along(base, y, pitch, 0);
                let x = self.e.b.ins().ishl_imm_u(x, 6);
                (row, x)
            }
            Layout::Tiled(Block::B32) => {
                let block = self.e.b.ins().ushr_imm_u(y, 2);
                let row = self.along(base, block, pitch, 0);
                (row, self.square_in_blocks(x, y))
            }
        };
        let pixels = self.e.b.ins().uextend(I64, pixels);
        let bytes = self.e.i64(bytes.into());
        let offset = self.e.b.ins().imul(pixels, bytes);
        self.e.b.ins().iadd(base, offset)
    }

    /// Pixels before square (x, y) in its row of 32x32 blocks: whole blocks, then squares in Morton order.
    fn square_in_blocks(&mut self, x: Value, y: Value) -> Value {
        let mut take = |from: Value, bit: i64, to: i64| {
            let bit = self.e.b.ins().band_imm_u(from, bit);
            self.e.b.ins().ishl_imm_u(bit, to)
        };
        let parts = [take(x, !3 & 0xFFFF_FFFF, 8), take(x, 1, 6), take(y, 1, 7), take(x, 2, 7), take(y, 2, 8)];
        let [first, rest @ ..] = parts;
        rest.into_iter().fold(first, |sum, part| self.e.b.ins().bor(sum, part))
    }

    /// The pixels of row `row` of the part of the source for this square, eight to an element.
    fn source_row(&mut self, source: &Side, starts: &[Value], row: u32, shift_x: u32) -> Vec<Row> {
        let bytes = source.format.bytes();
        match source.layout {
            Layout::Linear => {
                // Rows of neighbouring target rows are a step apart, others a pitch.
                let args = self.e.args;
                let shift_y = self.key.scale.shifts().1;
                let step = self.e.load_i64(args, ConversionArgs::SOURCE_STEP);
                let count = self.e.i64(i64::from(row >> shift_y));
                let offset = self.e.b.ins().imul(step, count);
                let mut address = self.e.b.ins().iadd(starts[0], offset);
                if row & ((1 << shift_y) - 1) != 0 {
                    let pitch = self.e.load_i64(args, source.pitch);
                    address = self.e.b.ins().iadd(address, pitch);
                }
                (0..1 << shift_x).map(|i| self.load_row(address, i * 8 * bytes as i32, bytes)).collect()
            }
            Layout::Tiled(_) => {
                let squares = (row as usize / 8) << shift_x..(row as usize / 8 + 1) << shift_x;
                starts[squares].iter().map(|&start| self.load_tiled_row(start, row % 8, bytes)).collect()
            }
        }
    }

    /// Eight pixels in a row.
    fn load_row(&mut self, address: Value, at: i32, bytes: u32) -> Row {
        match bytes {
            4 => Row::Words([0, 16].map(|offset| self.e.load_ints(address, at + offset))),
            3 => Row::Words(self.load_8x24(address, at)),
            _ => Row::Shorts(self.e.load_shorts(address, at).0),
        }
    }

    /// Eight pixels of a square, row `row` of it.
    fn load_tiled_row(&mut self, start: Value, row: u32, bytes: u32) -> Row {
        let upper = row.is_multiple_of(2);
        if bytes == 2 {
            let at = (morton(0, row & !1) * bytes) as i32;
            let [left, right] = self.load_quads(start, at, bytes);
            return Row::Shorts(self.e.shuffle(left.0, right.0, if upper { EVEN } else { ODD }));
        }
        let half = if upper { LOW_HALVES } else { HIGH_HALVES };
        Row::Words([0, 4].map(|x| {
            let [left, right] = self.load_quads(start, (morton(x, row & !1) * bytes) as i32, bytes);
            I32x4(self.e.shuffle(left.0, right.0, half))
        }))
    }

    /// Two neighbouring quads, or four of 16 bits.
    fn load_quads(&mut self, start: Value, at: i32, bytes: u32) -> [I32x4; 2] {
        if let Some(&quads) = self.quads.get(&(start, at)) {
            return quads;
        }
        let quads = match bytes {
            3 => self.load_8x24(start, at),
            // The quads to the right of x = 4 begin 16 pixels further on.
            2 => [0, 32].map(|offset| self.e.load_ints(start, at + offset)),
            _ => [0, 16].map(|offset| self.e.load_ints(start, at + offset)),
        };
        self.quads.insert((start, at), quads);
        quads
    }

    /// Reduces the source rows of one target row (all with as many elements as the scale is wide) to eight pixels of
    /// the target's format.
    fn convert(&mut self, lines: &[Vec<Row>]) -> Row {
        let ConvertKey { input, output, scale, .. } = *self.key;
        if scale == Scale::None && input == output {
            return lines[0][0];
        }
        let lines: Vec<Vec<I32x4>> =
            lines.iter().map(|line| line.iter().flat_map(|&row| self.words(row)).collect()).collect();
        if scale == Scale::None {
            return Row::Words([0, 1].map(|i| self.recode(lines[0][i])));
        }
        Row::Words([0, 1].map(|i| {
            let mut sum: Option<Pair> = None;
            for line in &lines {
                for order in [EVEN, ODD] {
                    let words = I32x4(self.e.shuffle(line[2 * i].0, line[2 * i + 1].0, order));
                    let pair = decode(self.e, input, words);
                    sum = Some(match sum {
                        None => pair,
                        Some(sum) => Pair { br: self.e.add16(sum.br, pair.br), ag: self.e.add16(sum.ag, pair.ag) },
                    });
                }
            }
            let Some(sum) = sum else { return self.e.i(0) };
            let shift = if scale == Scale::Quarter { 2 } else { 1 };
            let mean = Pair { br: self.e.shr16(sum.br, shift), ag: self.e.shr16(sum.ag, shift) };
            encode(self.e, output, mean)
        }))
    }

    /// Four pixels in the target's format.
    fn recode(&mut self, words: I32x4) -> I32x4 {
        match (self.key.input, self.key.output) {
            (PixelFormat::Rgba8, PixelFormat::Rgb8) => self.e.ushr(words, 8),
            (PixelFormat::Rgb8, PixelFormat::Rgba8) => {
                let (shifted, alpha) = (self.e.ishl(words, 8), self.e.i(255));
                self.e.ior(shifted, alpha)
            }
            (input, output) => {
                let pair = decode(self.e, input, words);
                encode(self.e, output, pair)
            }
        }
    }

    /// A word for each pixel.
    fn words(&mut self, row: Row) -> [I32x4; 2] {
        match row {
            Row::Words(words) => words,
            Row::Shorts(shorts) => {
                let shorts = self.e.cast(shorts, I16X8);
                [I32x4(self.e.b.ins().uwiden_low(shorts)), I32x4(self.e.b.ins().uwiden_high(shorts))]
            }
        }
    }

    /// 16 bits for each pixel, as four words.
    fn shorts(&mut self, row: Row) -> Value {
        let shorts = match row {
            Row::Words([low, high]) => self.e.b.ins().unarrow(low.0, high.0),
            Row::Shorts(shorts) => shorts,
        };
        self.e.cast(shorts, I32X4)
    }

    /// Stores two rows of the square that begins at `to`.
    fn store(&mut self, target: &Side, to: Value, pair: u32, rows: [Row; 2]) {
        let bytes = target.format.bytes();
        if target.layout != Layout::Linear {
            let (pair, rows) = if self.flip { (3 - pair, [rows[1], rows[0]]) } else { (pair, rows) };
            return self.store_quads(to, pair, rows, bytes);
        }
        let args = self.e.args;
        let pitch = self.e.load_i64(args, target.pitch);
        for (i, row) in rows.into_iter().enumerate() {
            let count = self.e.i64(i64::from(2 * pair) + i as i64);
            let offset = self.e.b.ins().imul(pitch, count);
            let address = self.e.b.ins().iadd(to, offset);
            match bytes {
                2 => {
                    let shorts = self.shorts(row);
                    self.e.store(shorts, address, 0);
                }
                _ => {
                    let words = self.words(row);
                    self.store_words(address, 0, words, bytes);
                }
            }
        }
    }

    /// Stores rows `2 * pair` and the next as quads.
    fn store_quads(&mut self, to: Value, pair: u32, [upper, lower]: [Row; 2], bytes: u32) {
        let at = |x: u32| (morton(x, 2 * pair) * bytes) as i32;
        if bytes == 2 {
            let (upper, lower) = (self.shorts(upper), self.shorts(lower));
            for (x, turns) in [(0, LOW_TURNS), (4, HIGH_TURNS)] {
                let quads = self.e.shuffle(upper, lower, turns);
                self.e.store(quads, to, at(x));
            }
            return;
        }
        let (upper, lower) = (self.words(upper), self.words(lower));
        for i in 0..2 {
            let quads = [LOW_HALVES, HIGH_HALVES].map(|half| I32x4(self.e.shuffle(upper[i].0, lower[i].0, half)));
            self.store_words(to, at(4 * i as u32), quads, bytes);
        }
    }

    /// Stores eight pixels of 3 or 4 bytes, one after the other.
    fn store_words(&mut self, address: Value, at: i32, [low, high]: [I32x4; 2], bytes: u32) {
        if bytes == 3 {
            return self.store_8x24(address, at, [low, high]);
        }
        self.e.store(low.0, address, at);
        self.e.store(high.0, address, at + 16);
    }

    /// Eight pixels of 24 bits, exactly their 24 bytes.
    fn load_8x24(&mut self, address: Value, at: i32) -> [I32x4; 2] {
        const Z: u8 = NOTHING;
        [
            (0, [0, 1, 2, Z, 3, 4, 5, Z, 6, 7, 8, Z, 9, 10, 11, Z]),
            (8, [4, 5, 6, Z, 7, 8, 9, Z, 10, 11, 12, Z, 13, 14, 15, Z]),
        ]
        .map(|(offset, order)| {
            let words = self.e.load_ints(address, at + offset);
            I32x4(self.permute(words.0, order))
        })
    }

    /// Stores the low 24 bits of eight words, exactly 24 bytes.
    fn store_8x24(&mut self, address: Value, at: i32, [low, high]: [I32x4; 2]) {
        const Z: u8 = NOTHING;
        let first = self.permute(low.0, [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, Z, Z, Z, Z]);
        let second = self.permute(high.0, [Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, Z, 0, 1, 2, 4]);
        let both = self.e.b.ins().bor(first, second);
        self.e.store(both, address, at);
        let rest = self.permute(high.0, [5, 6, 8, 9, 10, 12, 13, 14, Z, Z, Z, Z, Z, Z, Z, Z]);
        let rest = self.e.cast(rest, I64X2);
        let rest = self.e.b.ins().extractlane(rest, 0);
        self.e.store(rest, address, at + 16);
    }

    /// Bytes of a vector in another order, zero for [`NOTHING`].
    fn permute(&mut self, words: Value, order: [u8; 16]) -> Value {
        if self.e.caps.x86 {
            let order = self.e.bytes(order);
            let bytes = self.e.cast(words, cranelift_codegen::ir::types::I8X16);
            let bytes = self.e.b.ins().x86_pshufb(bytes, order);
            return self.e.cast(bytes, I32X4);
        }
        let zero = self.e.i(0);
        self.e.shuffle(words, zero.0, order.map(|byte| if byte == NOTHING { 16 } else { byte }))
    }
}

/// In an order of bytes: a zero byte.
const NOTHING: u8 = 0x80;

/// One of the images.
struct Side {
    layout: Layout,
    format: PixelFormat,
    /// Where the arguments have its address and pitch.
    base: i32,
    pitch: i32,
}
