//! Video instructions: selection of their source bytes and halves. The arithmetic is a libcall, see [`Video`].

use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::libcalls::{Libcall, Video, VideoKind};
use super::{Done, Lower};
use crate::lane::{I32x4, Mask};

impl Lower<'_, '_> {
    /// A byte or half of a word, extended.
    fn video_part(&mut self, word: I32x4, part: VideoPart, signed: bool) -> I32x4 {
        let (above, bits) = match part {
            VideoPart::Byte0 => (24, 8),
            VideoPart::Byte1 => (16, 8),
            VideoPart::Byte2 => (8, 8),
            VideoPart::Byte3 => (0, 8),
            VideoPart::Half0 => (16, 16),
            VideoPart::Half1 => (0, 16),
            VideoPart::Word | VideoPart::Unknown(_) => return word,
        };
        let e = self.e();
        let up = if above == 0 { word } else { e.ishl(word, above) };
        if signed { e.ishr(up, 32 - bits) } else { e.ushr(up, 32 - bits) }
    }

    /// Both sources, as words.
    fn video_sources(&mut self, (a, part): (Reg, VideoPart), b: VideoSrc, signed: [bool; 2]) -> [I32x4; 2] {
        let first = self.reg_int(a);
        let first = self.video_part(first, part, signed[0]);
        // An immediate has 16 bits.
        let part = if matches!(b.value, Operand::Immediate(_)) { VideoPart::Half0 } else { b.part };
        let second = self.operand_int(b.value);
        [first, self.video_part(second, part, signed[1])]
    }

    fn video(&mut self, video: Video, sources: ((Reg, VideoPart), VideoSrc), dst: Reg, c: Reg, cc: bool) -> Done {
        let [a, b] = self.video_sources(sources.0, sources.1, video.signed);
        let c = self.reg_int(c);
        let [result] = self.libcall(Libcall::Video, video.pack(), &[a, b, c]);
        self.set_int_cc(dst, result, cc)
    }
}

impl VideoVisitor for Lower<'_, '_> {
    type Output = Done;

    fn vadd(&mut self, i: VideoAdd) -> Done {
        let plain = Video::new(VideoKind::Add, [i.signed_a, i.signed_b]);
        let neg = [i.neg_a, i.neg_b];
        let video = Video { signed_result: i.signed, sat: i.sat, neg, secondary: i.secondary, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }

    fn vmnmx(&mut self, i: VideoMinMax) -> Done {
        let kind = if i.max { VideoKind::Most } else { VideoKind::Least };
        let plain = Video::new(kind, [i.signed_a, i.signed_b]);
        let video = Video { signed_result: i.signed, sat: i.sat, secondary: i.secondary, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }

    fn vmad(&mut self, i: VideoMad) -> Done {
        let plain = Video::new(VideoKind::Product, [i.signed_a, i.signed_b]);
        let (signed_result, neg) = (i.signed_a || i.signed_b, [i.neg_product, i.neg_c]);
        let video = Video { signed_result, sat: i.sat, neg, scale: i.scale, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }

    fn vset(&mut self, i: VideoSet) -> Done {
        let plain = Video::new(VideoKind::Compare, [i.signed_a, i.signed_b]);
        let video = Video { compare: i.compare, secondary: i.secondary, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }

    fn vsetp(&mut self, i: VideoSetPred) -> Done {
        let video = Video { compare: i.compare, ..Video::new(VideoKind::Compare, [i.signed_a, i.signed_b]) };
        let [a, b] = self.video_sources(i.a, i.b, video.signed);
        let [result] = self.libcall(Libcall::Video, video.pack(), &[a, b]);
        let e = self.e();
        let zero = e.i(0);
        let mask = Mask(e.isub(zero, result).0);
        self.set_predicates((i.dst, i.dst_not), mask, i.bop, i.pred)
    }

    fn vshl(&mut self, i: VideoShift) -> Done {
        self.video_shift(i, VideoKind::Left)
    }

    fn vshr(&mut self, i: VideoShift) -> Done {
        self.video_shift(i, VideoKind::Right)
    }

    fn vabsdiff(&mut self, i: VideoAbsDiff) -> Done {
        let plain = Video::new(VideoKind::Difference, [i.signed_a, i.signed_b]);
        let video = Video { signed_result: i.signed, sat: i.sat, secondary: i.secondary, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }

    fn vabsdiff4(&mut self, _: VideoAbsDiff4) -> Done {
        // Its effect is unknown, in both tiers.
        Ok(())
    }
}

impl Lower<'_, '_> {
    fn video_shift(&mut self, i: VideoShift, kind: VideoKind) -> Done {
        let plain = Video::new(kind, [i.signed_a, false]);
        let video = Video { signed_result: i.signed, sat: i.sat, wrap: i.wrap, secondary: i.secondary, ..plain };
        self.video(video, (i.a, i.b), i.dst, i.c, i.cc)
    }
}
