//! Video instructions after source selection: sums, products and comparisons of words of either sign, and the second
//! operation.

use triglyph_guest::tegra::shader::isa::{SecondaryOp, VideoScale};
use triglyph_guest::tegra::shader::modifiers::IntCompare;

/// Operation on the two sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoKind {
    Add,
    Least,
    Most,
    Product,
    /// 1 where the comparison holds.
    Compare,
    Left,
    Right,
    Difference,
}

const KINDS: [VideoKind; 8] = [
    VideoKind::Add,
    VideoKind::Least,
    VideoKind::Most,
    VideoKind::Product,
    VideoKind::Compare,
    VideoKind::Left,
    VideoKind::Right,
    VideoKind::Difference,
];

/// An instruction. Sources are words, extended as their signs say.
#[derive(Clone, Copy, Debug)]
pub struct Video {
    pub kind: VideoKind,
    pub signed: [bool; 2],
    /// Sign of the result: sums saturate to its range, the second operation compares in it.
    pub signed_result: bool,
    pub sat: bool,
    /// Negation of both sources; of a product its own and the addend's.
    pub neg: [bool; 2],
    pub wrap: bool,
    pub scale: VideoScale,
    pub compare: IntCompare,
    pub secondary: SecondaryOp,
}

impl Video {
    /// Without signs, saturation and second operation.
    pub const fn new(kind: VideoKind, signed: [bool; 2]) -> Video {
        Video {
            kind,
            signed,
            signed_result: false,
            sat: false,
            neg: [false; 2],
            wrap: false,
            scale: VideoScale::None,
            compare: IntCompare::False,
            secondary: SecondaryOp::None,
        }
    }

    /// As a number.
    pub fn pack(self) -> u32 {
        let flags = [self.signed[0], self.signed[1], self.signed_result, self.sat, self.neg[0], self.neg[1], self.wrap];
        let flags = flags.iter().rev().fold(0, |bits, &flag| bits << 1 | u32::from(flag));
        flags
            | (self.kind as u32) << 8
            | u32::from(self.scale.bits()) << 12
            | u32::from(self.compare.bits()) << 16
            | u32::from(self.secondary.bits()) << 20
    }

    fn unpack(code: u32) -> Video {
        let flag = |bit: u32| code >> bit & 1 != 0;
        Video {
            kind: KINDS[(code >> 8 & 7) as usize],
            signed: [flag(0), flag(1)],
            signed_result: flag(2),
            sat: flag(3),
            neg: [flag(4), flag(5)],
            wrap: flag(6),
            scale: VideoScale::from_bits((code >> 12 & 3) as u8),
            compare: IntCompare::from_bits((code >> 16 & 7) as u8),
            secondary: SecondaryOp::from_bits((code >> 20 & 7) as u8),
        }
    }

    /// The result as a word.
    fn word(&self, value: i128) -> u32 {
        let range = if self.signed_result { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
        if self.sat { value.max(range.0).min(range.1) as u32 } else { value as u32 }
    }
}

fn extended(word: u32, signed: bool) -> i64 {
    if signed { i64::from(word as i32) } else { i64::from(word) }
}

/// With both signs 1 is added instead of negating anything.
fn signed_sum([a, b]: [i128; 2], [neg_a, neg_b]: [bool; 2]) -> i128 {
    if neg_a && neg_b {
        return a + b + 1;
    }
    (if neg_a { -a } else { a }) + (if neg_b { -b } else { b })
}

fn holds(compare: IntCompare, a: i64, b: i64) -> bool {
    // Bits of the code: less, equal, greater.
    let relation = match a.cmp(&b) {
        std::cmp::Ordering::Less => 1,
        std::cmp::Ordering::Equal => 2,
        std::cmp::Ordering::Greater => 4,
    };
    compare.bits() & relation != 0
}

/// See [`Video`].
pub fn video(code: u32, [a, b, c, ..]: [u32; 8]) -> [u32; 2] {
    let video = Video::unpack(code);
    let [wide_a, wide_b] = [extended(a, video.signed[0]), extended(b, video.signed[1])];
    let [x, y] = [i128::from(wide_a), i128::from(wide_b)];
    // A shift's distance has no sign.
    let distance = if video.wrap { b & 31 } else { b.min(32) };
    let result = match video.kind {
        VideoKind::Add => video.word(signed_sum([x, y], video.neg)),
        VideoKind::Least => video.word(x.min(y)),
        VideoKind::Most => video.word(x.max(y)),
        VideoKind::Product => {
            let addend = i128::from(extended(c, video.signed[0] || video.signed[1]));
            let shift = match video.scale {
                VideoScale::Shr7 => 7,
                VideoScale::Shr15 => 15,
                VideoScale::None | VideoScale::Unknown(_) => 0,
            };
            return [video.word(signed_sum([x * y, addend], video.neg) >> shift), 0];
        }
        VideoKind::Compare => holds(video.compare, wide_a, wide_b).into(),
        VideoKind::Left => video.word(x << distance),
        VideoKind::Right => video.word(x >> distance),
        VideoKind::Difference => video.word((x - y).abs()),
    };
    [second(&video, result, c), 0]
}

fn second(video: &Video, r: u32, c: u32) -> u32 {
    let less = extended(r, video.signed_result) < extended(c, video.signed_result);
    let merged = |at: u32, bits: u32| {
        let field = ((1u32 << bits) - 1) << at;
        c & !field | r << at & field
    };
    match video.secondary {
        SecondaryOp::Merge16High => merged(16, 16),
        SecondaryOp::Merge16Low => merged(0, 16),
        SecondaryOp::Merge8Byte0 => merged(0, 8),
        SecondaryOp::Merge8Byte2 => merged(16, 8),
        SecondaryOp::Add => r.wrapping_add(c),
        SecondaryOp::Min => {
            if less {
                r
            } else {
                c
            }
        }
        SecondaryOp::Max => {
            if less {
                c
            } else {
                r
            }
        }
        SecondaryOp::None => r,
    }
}
