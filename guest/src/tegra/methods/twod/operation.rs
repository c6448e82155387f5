//! How source and destination are combined: operation, pattern, colour key.

use super::Trigger;
use super::values::{BitOrder, ColorKeyFormat, Operation, PatternColorFormat, PatternSelect};
use crate::table::regs::regs;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Format of the colour key.
    set_color_key_format @ 0x0A5 { v 0:2 ColorKeyFormat };
    /// Source pixels of this colour are not written.
    set_color_key @ 0x0A6 { v 0:31 bits };
    /// Colour key on or off.
    set_color_key_enable @ 0x0A7 { v 0:0 bool };
    /// Raster operation: bit `4 * pattern + 2 * source + destination` is the result.
    set_rop @ 0x0A8 { v 0:7 bits };
    /// Factor of alpha blending, 1.31 fixed.
    set_beta1 @ 0x0A9 { v 0:31 ufixed(31) };
    /// Factors of the premultiplied operations.
    set_beta4 @ 0x0AA { b 0:7, g 8:15, r 16:23, a 24:31 };
    /// How source and destination are combined; drivers use SRCCOPY.
    set_operation @ 0x0AB { v 0:2 Operation };
    /// Where the pattern begins.
    set_pattern_offset @ 0x0AC { x 0:5, y 8:13 };
    /// Which pattern.
    set_pattern_select @ 0x0AD { v 0:1 PatternSelect };
    /// Format of the pattern's colours.
    set_monochrome_pattern_color_format @ 0x0BA { v 0:2 PatternColorFormat };
    /// Order of the pattern's bits.
    set_monochrome_pattern_format @ 0x0BB { v 0:0 BitOrder };
    /// Colour of bits 0.
    set_monochrome_pattern_color0 @ 0x0BC { v 0:31 bits };
    /// Colour of bits 1.
    set_monochrome_pattern_color1 @ 0x0BD { v 0:31 bits };
    /// Bits of the pattern.
    set_monochrome_pattern @ [0x0BE set_monochrome_pattern0, 0x0BF set_monochrome_pattern1] { v 0:31 bits };
    /// Pattern of 8x8 colours, one a word.
    color_pattern_x8r8g8b8 @ [0x0C0; 64 step 1] { b0 0:7, g0 8:15, r0 16:23, ignore0 24:31 };
    /// Pattern of 8x8 colours, two a word.
    color_pattern_r5g6b5 @ [0x100; 32 step 1] { b0 0:4, g0 5:10, r0 11:15, b1 16:20, g1 21:26, r1 27:31 };
    /// Pattern of 8x8 colours, two a word.
    color_pattern_x1r5g5b5 @ [0x120; 32 step 1] {
        b0 0:4, g0 5:9, r0 10:14, ignore0 15:15, b1 16:20, g1 21:25, r1 26:30, ignore1 31:31,
    };
    /// Pattern of 8x8 colours, four a word.
    color_pattern_y8 @ [0x140; 16 step 1] { y0 0:7, y1 8:15, y2 16:23, y3 24:31 };
}
