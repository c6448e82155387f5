//! Texels that share bits with others: compressed blocks, pairs that share colour, single bits, a common exponent; and
//! depths of 16 bits.

use super::{BlockCoding, Coding, Piece, bytes_at};
use crate::format::block;
use crate::kernel::program::sampler::Texels;
use crate::num::depth16;
use crate::num::ops::Scalar;

/// Texels of a block in words, one or four each.
struct Block {
    bytes: [u32; block::MAX_TEXELS],
    floats: [[u32; 4]; block::MAX_TEXELS],
}

/// Decodes a piece.
pub(super) fn decode(piece: &mut Piece<'_, '_>) {
    let (coding, level, source, z, rows) = (piece.coding, piece.level, piece.source, piece.z, piece.rows.clone());
    let (across, down, _) = coding.block();
    let width = level.size[0];
    let words = coding.texels().words();
    let line = width as usize * words;
    let mut block = Block { bytes: [0; block::MAX_TEXELS], floats: [[0; 4]; block::MAX_TEXELS] };
    for (y, out) in rows.zip(piece.out.chunks_mut(line * down as usize)) {
        for x in 0..width.div_ceil(across) {
            block.decode(coding, source, level.block_offset(coding, [x, y, z]));
            let texels = match coding.texels() {
                Texels::Rgba8 | Texels::Srgb8 => &block.bytes,
                Texels::Float4 => block.floats.as_flattened(),
            };
            let first = (x * across) as usize * words;
            let columns = across.min(width - x * across) as usize * words;
            for (out, texels) in out.chunks_exact_mut(line).zip(texels.chunks_exact(across as usize * words)) {
                out[first..first + columns].copy_from_slice(&texels[..columns]);
            }
        }
    }
}

impl Block {
    /// Decodes the block at `at`, row by row.
    fn decode(&mut self, coding: &Coding, source: &[u8], at: u64) {
        match *coding {
            Coding::Block(coding) => self.compressed(coding, source, at),
            Coding::Pair { red, green, blue } => {
                let bytes: [u8; 4] = bytes_at(source, at);
                let byte = |which: u8| u32::from(bytes[usize::from(which & 3)]);
                for i in 0..2 {
                    self.bytes[i] = byte(red[i]) | byte(green[i]) << 8 | byte(blue[i]) << 16 | 0xFF00_0000;
                }
            }
            Coding::Bits => {
                let [byte] = bytes_at(source, at);
                for (i, texel) in self.bytes[..8].iter_mut().enumerate() {
                    *texel = (u32::from(byte >> i & 1) * 255) | 0xFF00_0000;
                }
            }
            Coding::SharedExponent => {
                let word = u32::from_le_bytes(bytes_at(source, at));
                let scale = exact_power(word >> 27);
                let channel = |shift: u32| ((word >> shift & 0x1FF) as f32 * scale).to_bits();
                self.floats[0] = [channel(0), channel(9), channel(18), 1f32.to_bits()];
            }
            Coding::Depth16 { big_endian } => {
                let bytes = bytes_at(source, at);
                let word = if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
                self.floats[0] = [depth16::value(&mut Scalar, word.into()).to_bits(); 4];
            }
            Coding::Packed(_) => {}
        }
    }

    fn compressed(&mut self, coding: BlockCoding, source: &[u8], at: u64) {
        let mut block = [0; 16];
        match coding.codec.bytes() {
            8 => block[..8].copy_from_slice(&bytes_at::<8>(source, at)),
            _ => block = bytes_at(source, at),
        }
        if coding.codec.texels() == Texels::Float4 {
            for (out, texel) in self.floats.iter_mut().zip(coding.codec.decode_floats(block)) {
                *out = texel.map(f32::to_bits);
            }
            return;
        }
        coding.codec.decode_bytes(block, coding.srgb, &mut self.bytes);
    }
}

/// `2^(exponent - 24)`, exponent 0 to 31.
fn exact_power(exponent: u32) -> f32 {
    f32::from_bits((exponent + 127 - 24) << 23)
}
