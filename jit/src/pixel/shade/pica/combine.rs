//! The combiner stages.

use std::mem::offset_of;

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::types::I16X8;
use triglyph_guest::kernel::combine::{AlphaOperand, Channel, ColorChannel, ColorOperand, Function, Source, Stage};
use triglyph_guest::kernel::pixel::TextureKind;
use triglyph_guest::num::ops::Ops;

use crate::lane::{Emit, F32x4, I16x8, I32x4, Pair};
use crate::pixel::args::pica::{ColorPair, PixelArgs, at, scratch_at};
use crate::pixel::plan::pica::{buffer_writer, operands};
use crate::pixel::quad::pica::Quad;

/// Cached operations on channels: keys of `QuadValues::channels`.
#[derive(Clone, Copy, PartialEq)]
enum CachedOp {
    SplatEven,
    SplatOdd,
    Invert,
}

/// Where a primitive's colour is, by offsets from the arguments.
#[derive(Clone, Copy)]
pub struct FlatAt {
    /// A word that is not zero if all pixels have it.
    pub flag: i32,
    /// A [`ColorPair`].
    pub color: i32,
}

impl FlatAt {
    /// Stores a colour.
    pub fn store(self, e: &mut Emit<'_>, color: Pair) {
        let args = e.args;
        e.store(color.br.0, args, self.color);
        e.store(color.ag.0, args, self.color + 16);
    }
}

/// Values that stages read.
#[derive(Default)]
struct Sources {
    primary: Option<Pair>,
    stages: [Option<Pair>; 6],
}

/// An operand of both functions: as blue and red, as green (odd lanes), as alpha (even lanes).
#[derive(Clone, Copy)]
struct Operand {
    br: I16x8,
    green: I16x8,
    alpha: I16x8,
}

impl Quad<'_, '_> {
    /// The result of the last stage.
    pub fn combine(&mut self) -> Pair {
        let mut sources = Sources::default();
        for number in 0..6 {
            if self.plan.stages[number].any() {
                let pair = self.stage(number, &mut sources);
                sources.stages[number] = Some(pair);
            }
        }
        sources.stages[5].unwrap_or_else(|| self.zero())
    }

    pub fn zero(&mut self) -> Pair {
        let zero = self.e.short(0);
        Pair { br: zero, ag: zero }
    }

    fn stage(&mut self, number: usize, sources: &mut Sources) -> Pair {
        let stage = &self.key.combiners.stages[number];
        let need = self.plan.stages[number];
        let dot = matches!(stage.color, Function::Dot3Rgb | Function::Dot3Rgba);
        let alpha_dot = stage.color == Function::Dot3Rgba;
        let dot = (dot && (need.color || alpha_dot)).then(|| self.dot3(number, stage, sources));

        // One vector operation for colour and alpha if their functions are the same.
        let same = stage.color == stage.alpha && stage.color_shift == stage.alpha_shift && dot.is_none();
        if need.color && need.alpha && same {
            let operands = self.both_operands(number, stage, sources);
            let br = self.apply(stage.color, stage.color_shift, operands.map(|o| o.br));
            let merged = operands.map(|o| self.e.merge16(o.alpha, o.green));
            let ag = self.apply(stage.color, stage.color_shift, merged);
            return Pair { br, ag };
        }
        let color = need.color.then(|| match dot {
            Some(dot) => {
                let dot = self.scale(dot, stage.color_shift);
                (dot, dot)
            }
            None => {
                let operands = self.color_operands(number, stage, sources);
                let br = self.apply(stage.color, stage.color_shift, operands.map(|o| o.0));
                (br, self.apply(stage.color, stage.color_shift, operands.map(|o| o.1)))
            }
        });
        let alpha = need.alpha.then(|| match dot {
            Some(dot) if alpha_dot => self.scale(dot, stage.alpha_shift),
            _ if matches!(stage.alpha, Function::Dot3Rgb | Function::Dot3Rgba) => self.e.short(0),
            _ => {
                let operands = self.alpha_operands(number, stage, sources);
                self.apply(stage.alpha, stage.alpha_shift, operands)
            }
        });
        match (color, alpha) {
            (Some((br, green)), Some(alpha)) => Pair { br, ag: self.e.merge16(alpha, green) },
            (Some((br, green)), None) => Pair { br, ag: green },
            (None, Some(alpha)) => Pair { br: alpha, ag: alpha },
            (None, None) => self.zero(),
        }
    }

    // Operands. Missing ones repeat the first, nothing reads them.

    fn both_operands(&mut self, number: usize, stage: &Stage, sources: &mut Sources) -> [Operand; 3] {
        let color = self.color_operands(number, stage, sources);
        let alpha = self.alpha_operands(number, stage, sources);
        [0, 1, 2].map(|i| Operand { br: color[i].0, green: color[i].1, alpha: alpha[i] })
    }

    fn color_operands(&mut self, number: usize, stage: &Stage, sources: &mut Sources) -> [(I16x8, I16x8); 3] {
        let mut result = [self.color_operand(number, &stage.color_operands[0], sources); 3];
        let operands = stage.color_operands.iter().take(operands(stage.color));
        for (result, operand) in result.iter_mut().zip(operands).skip(1) {
            *result = self.color_operand(number, operand, sources);
        }
        result
    }

    fn alpha_operands(&mut self, number: usize, stage: &Stage, sources: &mut Sources) -> [I16x8; 3] {
        let mut result = [self.alpha_operand(number, &stage.alpha_operands[0], sources); 3];
        let operands = stage.alpha_operands.iter().take(operands(stage.alpha));
        for (result, operand) in result.iter_mut().zip(operands).skip(1) {
            *result = self.alpha_operand(number, operand, sources);
        }
        result
    }

    fn color_operand(&mut self, number: usize, operand: &ColorOperand, sources: &mut Sources) -> (I16x8, I16x8) {
        let (br, green) = match operand.channel {
            ColorChannel::Zero => (self.e.short(0), self.e.short(0)),
            ColorChannel::Rgb => {
                let pair = self.source(number, operand.source, sources);
                (pair.br, pair.ag)
            }
            ColorChannel::Splat(channel) => {
                let pair = self.source(number, operand.source, sources);
                let splat = self.splat(pair, channel);
                (splat, splat)
            }
        };
        if operand.invert { (self.invert(br), self.invert(green)) } else { (br, green) }
    }

    fn alpha_operand(&mut self, number: usize, operand: &AlphaOperand, sources: &mut Sources) -> I16x8 {
        let pair = self.source(number, operand.source, sources);
        let value = match operand.channel {
            Channel::A => pair.ag,
            Channel::B => pair.br,
            Channel::R | Channel::G => self.splat(pair, operand.channel),
        };
        if operand.invert { self.invert(value) } else { value }
    }

    /// One channel in all lanes.
    pub fn splat(&mut self, pair: Pair, channel: Channel) -> I16x8 {
        match channel {
            Channel::R => self.remember(pair.br, CachedOp::SplatOdd),
            Channel::G => self.remember(pair.ag, CachedOp::SplatOdd),
            Channel::B => self.remember(pair.br, CachedOp::SplatEven),
            Channel::A => self.remember(pair.ag, CachedOp::SplatEven),
        }
    }

    /// 255 - a
    pub fn invert(&mut self, a: I16x8) -> I16x8 {
        self.remember(a, CachedOp::Invert)
    }

    fn remember(&mut self, a: I16x8, kind: CachedOp) -> I16x8 {
        if let Some(&value) = self.known.channels.get(&(a.0, kind as u8)) {
            return value;
        }
        let value = match kind {
            CachedOp::SplatEven => self.e.splat_even(a),
            CachedOp::SplatOdd => self.e.splat_odd(a),
            CachedOp::Invert => self.e.invert(a),
        };
        self.known.channels.insert((a.0, kind as u8), value);
        if kind == CachedOp::Invert {
            self.known.channels.insert((value.0, kind as u8), a);
        }
        value
    }

    // Sources.

    fn source(&mut self, number: usize, source: Source, sources: &mut Sources) -> Pair {
        match source {
            Source::Primary => match sources.primary {
                Some(pair) => pair,
                None => *sources.primary.insert(self.primary()),
            },
            Source::Texture(unit @ 0..=3) => self.unit(unit.into()),
            Source::FragmentPrimary | Source::FragmentSecondary if self.key.lighting.is_some() => {
                let side = usize::from(source == Source::FragmentSecondary);
                self.fragment_colors()[side].unwrap_or_else(|| self.zero())
            }
            Source::Previous if number > 0 => sources.stages[number - 1].unwrap_or_else(|| self.zero()),
            Source::Buffer if number > 0 => self.buffer(number, sources),
            Source::Constant => {
                self.constant(offset_of!(PixelArgs, stage_color) as i32 + (number * size_of::<ColorPair>()) as i32)
            }
            _ => self.zero(),
        }
    }

    /// A constant colour of the arguments.
    pub fn constant(&mut self, offset: i32) -> Pair {
        if let Some(&pair) = self.known.constants.get(&offset) {
            return pair;
        }
        let args = self.e.args;
        let pair = Pair { br: self.e.load_shorts(args, offset), ag: self.e.load_shorts(args, offset + 16) };
        self.known.constants.insert(offset, pair);
        pair
    }

    /// The colour of texture unit `unit`, 3 being the procedural one.
    pub fn unit(&mut self, unit: usize) -> Pair {
        if let Some(pair) = self.known.textures[unit] {
            return pair;
        }
        let pair = match (self.key.textures.get(unit).map(|texture| texture.kind), &self.key.procedural) {
            (None, Some(_)) => self.procedural(),
            (None, None) | (Some(TextureKind::Disabled), _) => self.zero(),
            (Some(TextureKind::Null), _) => {
                let (zero, alpha) = (self.e.short(0), self.e.i(255));
                Pair { br: zero, ag: I16x8(self.e.cast(alpha.0, cranelift_codegen::ir::types::I16X8)) }
            }
            (Some(_), _) => self.sample(unit),
        };
        *self.known.textures[unit].insert(pair)
    }

    /// The combiner buffer as stage `number` sees it.
    fn buffer(&mut self, number: usize, sources: &Sources) -> Pair {
        let stages = &self.key.combiners.stages;
        let color = buffer_writer(number, |s| stages[s].update_color);
        let alpha = buffer_writer(number, |s| stages[s].update_alpha);
        let mut from = |writer: Option<usize>| match writer {
            Some(stage) => sources.stages[stage].unwrap_or_else(|| self.zero()),
            None => self.constant(at!(buffer_color)),
        };
        if color == alpha {
            return from(color);
        }
        let (color, alpha) = (from(color), from(alpha));
        Pair { br: color.br, ag: self.e.merge16(alpha.ag, color.ag) }
    }

    /// The vertex colour.
    pub fn primary(&mut self) -> Pair {
        if !self.plan.has_flat_color {
            return self.interpolated_primary();
        }
        let at = FlatAt { flag: scratch_at!(has_flat_color), color: scratch_at!(flat_color) };
        self.flat_or(at, Self::interpolated_primary)
    }

    /// The colour of the primitive if that is the same in all pixels, else what `smooth` emits.
    pub fn flat_or(&mut self, at: FlatAt, smooth: impl FnOnce(&mut Self) -> Pair) -> Pair {
        let (flat, other, done) = (self.e.block(&[]), self.e.block(&[]), self.e.block(&[I16X8, I16X8]));
        let args = self.e.args;
        let is_flat = self.e.load_i32(args, at.flag);
        self.e.branch_together(is_flat, (flat, &[]), (other, &[]));

        self.e.switch_to(flat);
        let [br, ag] = [0, 16].map(|half| self.e.load_shorts(args, at.color + half).0);
        self.e.jump(done, &[br, ag]);

        self.e.switch_to(other);
        let (w, varyings) = (self.known.w, self.known.varyings.clone());
        let Pair { br, ag } = smooth(self);
        (self.known.w, self.known.varyings) = (w, varyings);
        self.e.jump(done, &[br.0, ag.0]);

        self.e.switch_to(done);
        let [br, ag] = [0, 1].map(|half| I16x8(self.e.parameter(done, half)));
        Pair { br, ag }
    }

    fn interpolated_primary(&mut self) -> Pair {
        let need = self.plan.primary;
        let values = [0, 1, 2, 3].map(|channel| {
            let needed = if channel == 3 { need.alpha } else { need.color };
            needed.then(|| self.varying(self.key.color_slots[channel]))
        });
        color(self.e, values)
    }

    // Functions.

    /// min(255, function << shift) of 16-bit lanes; not for the dot products.
    fn apply(&mut self, function: Function, shift: u8, [a, b, c]: [I16x8; 3]) -> I16x8 {
        let inverse = (function == Function::Interpolate).then(|| self.invert(c));
        let e = &mut *self.e;
        // Whether the result may exceed 255 before scaling.
        let (value, large) = match function {
            Function::Replace => (a, false),
            Function::Modulate => {
                let p = e.mul16(a, b);
                (e.div255(p), false)
            }
            Function::Add => (e.add16(a, b), true),
            Function::AddSigned => {
                let sum = e.add16(a, b);
                let half = e.short(128);
                (e.sub16_saturate(sum, half), true)
            }
            Function::Interpolate => {
                let p = e.mul16(a, c);
                let q = e.mul16(b, inverse.unwrap_or(c));
                let sum = e.add16(p, q);
                (e.div255(sum), false)
            }
            Function::Subtract => (e.sub16_saturate(a, b), false),
            Function::MultiplyAdd => {
                // (a*b + 255*c) / 255 = a*b/255 + c, exactly.
                let p = e.mul16(a, b);
                let p = e.div255(p);
                (e.add16(p, c), true)
            }
            Function::AddMultiply => {
                let sum = e.add16(a, b);
                let max = e.short(255);
                let sum = e.min16(sum, max);
                let p = e.mul16(sum, c);
                (e.div255(p), false)
            }
            Function::Dot3Rgb | Function::Dot3Rgba => (e.short(0), false),
        };
        if large && shift == 0 {
            let max = e.short(255);
            return e.min16(value, max);
        }
        self.scale(value, shift)
    }

    /// min(255, a << shift) for values below 1024.
    fn scale(&mut self, a: I16x8, shift: u8) -> I16x8 {
        if shift == 0 {
            return a;
        }
        let scaled = self.e.shl16(a, u32::from(shift));
        let max = self.e.short(255);
        self.e.min16(scaled, max)
    }

    /// The dot product of the colour operands, clamped to 0..255, in all lanes.
    fn dot3(&mut self, number: usize, stage: &Stage, sources: &mut Sources) -> I16x8 {
        let operands = self.color_operands(number, stage, sources);
        let mut sum: Option<I32x4> = None;
        for channel in 0..3 {
            let [a, b] = [operands[0], operands[1]].map(|(br, green)| {
                let e = &mut *self.e;
                let value = match channel {
                    0 => e.odd_ints(br),
                    1 => e.odd_ints(green),
                    _ => e.even_ints(br),
                };
                let double = e.iadd(value, value);
                let middle = e.i(255);
                e.isub(double, middle)
            });
            let term = dot3_term(self.e, a, b);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.e.iadd(sum, term),
            });
        }
        let e = &mut *self.e;
        let (zero, max) = (e.i(0), e.i(255));
        let sum = e.imax(sum.unwrap_or(zero), zero);
        let sum = e.imin(sum, max);
        e.join_ints(sum, sum)
    }
}

/// (m(a) * m(b) + 127) / 255 of numbers from -255 to 255, inverted where their signs differ; m(v) is v ^ sign(v).
fn dot3_term(e: &mut Emit<'_>, a: I32x4, b: I32x4) -> I32x4 {
    let signs = [a, b].map(|value| e.ishr(value, 31));
    let (a, b) = (e.ixor(a, signs[0]), e.ixor(b, signs[1]));
    let product = I32x4(e.b.ins().imul(a.0, b.0));
    // v / 255 = (v + 1 + (v >> 8)) >> 8 for v below 65535.
    let half = e.i(127);
    let value = e.iadd(product, half);
    let high = e.ishr(value, 8);
    let sum = e.iadd(value, high);
    let one = e.i(1);
    let sum = e.iadd(sum, one);
    let quotient = e.ishr(sum, 8);
    let sign = e.ixor(signs[0], signs[1]);
    e.ixor(quotient, sign)
}

/// A vertex colour of red, green, blue and alpha, which are 0 where there are none: trunc(clamp(v, 0, 1) * 255 + 0.5).
pub fn color(e: &mut Emit<'_>, channels: [Option<F32x4>; 4]) -> Pair {
    let [r, g, b, a] = channels.map(|value| match value {
        Some(value) => color_channel(e, value),
        None => e.i(0),
    });
    Pair { br: e.join_saturated(b, r), ag: e.join_saturated(a, g) }
}

/// A channel of it, except that what should be 0 may be less. NaN passes the minimum and becomes the smallest integer,
/// or 0.
fn color_channel(e: &mut Emit<'_>, value: F32x4) -> I32x4 {
    let one = e.f(1.0);
    let value = e.min(one, value);
    let scale = e.f(255.0);
    let scaled = e.mul(value, scale);
    let half = e.f(0.5);
    let rounded = e.add(scaled, half);
    e.truncate_to_int(rounded)
}
