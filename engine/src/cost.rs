//! What work costs in fuel: about the nanoseconds that compiled code takes for it, a generous estimate where there are
//! rare and slow cases. These are the prices that all machines have in common.

/// A word of a push buffer or command list, with its share of headers, look-ups of packet traces and registers.
pub const WORD: u64 = 48;
/// A jump, a call or another entry of a push buffer: words are read elsewhere, packet traces are looked for.
pub const JUMP: u64 = 256;
/// A command that does something: a method with an effect, a transfer of nothing.
pub const COMMAND: u64 = 32;
/// A guest fault, counted or kept.
pub const FAULT: u64 = 32;
/// A draw, with derived state, look-ups of kernels and a scene of its own.
pub const DRAW: u64 = 2048;
/// A vertex of a draw besides its program: fetch, transformation, assembly.
pub const VERTEX: u64 = 32;
/// An instruction of a program, for one vertex, primitive or thread.
pub const INSTRUCTION: u64 = 1;
/// An instruction that the lanes of a warp execute together.
pub const WARP_INSTRUCTION: u64 = 4;
/// A primitive, whether it is drawn, clipped or culled.
pub const PRIMITIVE: u64 = 32;
/// Clipping a triangle at so many planes, with records of so many words.
pub const fn clip(planes: u32, words: usize) -> u64 {
    planes as u64 * (64 + 4 * words as u64)
}
/// The same in f64, with copies of the records: primitives of machines whose stages are all programs.
pub const fn clip_in_f64(planes: u32, words: usize) -> u64 {
    512 + planes as u64 * (192 + 4 * words as u64)
}
/// Pixels along a line with a stipple.
pub const STIPPLED_PIXELS: u64 = 2;
/// Pixels of a bounding box that a unit finds uncovered.
pub const UNCOVERED_PIXELS: u64 = 8;
/// A pixel that is written by itself: a clear of some bits, a pixel of an image that is scaled or converted.
pub const PIXEL: u64 = 4;
/// Instructions that quads of pixels execute for a unit, those that are counted one by one.
const QUAD_INSTRUCTIONS: u64 = 2;

/// So many instructions that quads of pixels have executed.
pub const fn quads(instructions: u64) -> u64 {
    instructions / QUAD_INSTRUCTIONS
}

/// A covered pixel with a program of so many instructions, of which four quads go through each together.
pub const fn pixel(instructions: u64) -> u64 {
    1 + instructions.div_ceil(4)
}
/// Bytes of guest memory that are read or written for a unit.
pub const BYTES: u64 = 8;
