//! ETC1 blocks (Khronos Data Format, ETC1; byte order and texel numbering of the 3DS: 3dbrew, GPU/Texture formats).
//!
//! The colour block is a little-endian 64-bit word:
//!
//! | bits | meaning |
//! |---|---|
//! | 0:15 | low bit of the modifier index of texel 4*x + y |
//! | 16:31 | negation of that modifier |
//! | 32 | flip: sub-blocks above each other |
//! | 33 | differential base colours |
//! | 34:36, 37:39 | modifier table of the second, first sub-block |
//! | 40:63 | base colours |

use triglyph_guest::format::pixel::{expand4, expand5};
use triglyph_guest::format::texel::ETC1_MODIFIERS;

/// r, g, b of texel (`x`, `y`), each 0 to 3, of a block. Defined for every block.
pub(super) fn texel(block: u64, x: u32, y: u32) -> [u8; 3] {
    let flip = block >> 32 & 1 != 0;
    let second = if flip { y >= 2 } else { x >= 2 };
    let table = block >> (if second { 34 } else { 37 }) & 7;
    let number = 4 * x + y;
    let pair = ETC1_MODIFIERS[table as usize];
    let magnitude = pair[(block >> number & 1) as usize];
    let modifier = if block >> (16 + number) & 1 != 0 { -magnitude } else { magnitude };
    base(block, second).map(|channel| (i32::from(channel) + modifier).clamp(0, 255) as u8)
}

/// The base colour of a sub-block.
fn base(block: u64, second: bool) -> [u8; 3] {
    let differential = block >> 33 & 1 != 0;
    // Eight bits for each channel, red on top.
    [56, 48, 40].map(|shift| {
        let bits = (block >> shift) as u32 & 0xFF;
        match (differential, second) {
            (false, false) => expand4(bits >> 4),
            (false, true) => expand4(bits),
            (true, false) => expand5(bits >> 3),
            // A sum out of range, which encoders never make, wraps in five bits: unverified.
            (true, true) => expand5((bits >> 3).wrapping_add(sign_extend3(bits))),
        }
    })
}

/// The low three bits as -4..3.
fn sign_extend3(bits: u32) -> u32 {
    (bits & 7 ^ 4).wrapping_sub(4)
}
