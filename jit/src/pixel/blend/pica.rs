//! Blending and logic operations.

use triglyph_guest::kernel::combine::Channel;
use triglyph_guest::kernel::pixel::{BlendEquation, BlendFactor, BlendKey, LogicOp};

use crate::lane::{I16x8, Pair};
use crate::pixel::args::pica::at;
use crate::pixel::plan::pica::passes_source;
use crate::pixel::quad::pica::Quad;

/// Source and destination factor vectors of some lanes.
#[derive(Clone, Copy)]
struct Terms {
    source: I16x8,
    destination: I16x8,
    source_factor: I16x8,
    destination_factor: I16x8,
}

/// What is known about the factors of an equation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    equation: BlendEquation,
    source: BlendFactor,
    destination: BlendFactor,
}

impl Shape {
    /// Whether the factors add up to at most 255, so that P + Q stays below 65536.
    fn bounded(self) -> bool {
        use BlendFactor::*;
        matches!(
            (self.source, self.destination),
            (Zero, _)
                | (_, Zero)
                | (SourceColor, InverseSourceColor)
                | (InverseSourceColor, SourceColor)
                | (DestinationColor, InverseDestinationColor)
                | (InverseDestinationColor, DestinationColor)
                | (SourceAlpha, InverseSourceAlpha)
                | (InverseSourceAlpha, SourceAlpha)
                | (DestinationAlpha, InverseDestinationAlpha)
                | (InverseDestinationAlpha, DestinationAlpha)
                | (ConstantColor, InverseConstantColor)
                | (InverseConstantColor, ConstantColor)
                | (ConstantAlpha, InverseConstantAlpha)
                | (InverseConstantAlpha, ConstantAlpha)
        )
    }

    /// Whether one vector operation can serve both: the same steps on different factors.
    fn same_steps(self, other: Shape) -> bool {
        let simple = |s: Shape| {
            let has_constant =
                [s.source, s.destination].iter().any(|f| matches!(f, BlendFactor::Zero | BlendFactor::One));
            s.equation == BlendEquation::Add && has_constant || passes_source(s.equation, s.source, s.destination)
        };
        self == other || self.equation == other.equation && !simple(self) && !simple(other)
    }
}

impl Quad<'_, '_> {
    /// The blended colour of source `s` over destination `d`.
    pub fn blend(&mut self, key: &BlendKey, s: Pair, d: Pair) -> Pair {
        let color = Shape { equation: key.color, source: key.color_source, destination: key.color_destination };
        let alpha = Shape { equation: key.alpha, source: key.alpha_source, destination: key.alpha_destination };
        let [sf, df] = [color.source, color.destination].map(|f| self.color_factor(f, s, d));
        let terms = |source, destination, source_factor, destination_factor| Terms {
            source,
            destination,
            source_factor,
            destination_factor,
        };
        let br = self.equation(color, color.bounded(), terms(s.br, d.br, sf.br, df.br));
        if self.plan.color_mask & 8 == 0 {
            return Pair { br, ag: self.equation(color, color.bounded(), terms(s.ag, d.ag, sf.ag, df.ag)) };
        }
        let [sa, da] = [alpha.source, alpha.destination].map(|f| self.alpha_factor(f, s, d));
        let ag = if color.same_steps(alpha) {
            let (source, destination) = (self.e.merge16(sa, sf.ag), self.e.merge16(da, df.ag));
            self.equation(color, color.bounded() && alpha.bounded(), terms(s.ag, d.ag, source, destination))
        } else {
            let green = self.equation(color, color.bounded(), terms(s.ag, d.ag, sf.ag, df.ag));
            let alpha = self.equation(alpha, alpha.bounded(), terms(s.ag, d.ag, sa, da));
            self.e.merge16(alpha, green)
        };
        Pair { br, ag }
    }

    /// min(255, max(0, equation)) on 16-bit lanes; `bounded` promises P + Q below 65536.
    fn equation(&mut self, shape: Shape, bounded: bool, t: Terms) -> I16x8 {
        use BlendFactor::{One, Zero};
        if passes_source(shape.equation, shape.source, shape.destination) {
            return t.source;
        }
        let e = &mut *self.e;
        let max = |e: &mut crate::lane::Emit<'_>, v| {
            let max = e.short(255);
            e.min16(v, max)
        };
        // (255*a + q) / 255 = a + q / 255, exactly.
        match (shape.equation, shape.source, shape.destination) {
            (BlendEquation::Add, Zero, Zero) => return e.short(0),
            (BlendEquation::Add, Zero, One) => return t.destination,
            (BlendEquation::Add, One, One) => {
                let sum = e.add16(t.source, t.destination);
                return max(e, sum);
            }
            (BlendEquation::Add, One, _) => {
                let q = e.mul16(t.destination, t.destination_factor);
                let q = e.div255(q);
                let sum = e.add16(t.source, q);
                return max(e, sum);
            }
            (BlendEquation::Add, _, One) => {
                let p = e.mul16(t.source, t.source_factor);
                let p = e.div255(p);
                let sum = e.add16(t.destination, p);
                return max(e, sum);
            }
            (BlendEquation::Add, _, Zero) => {
                let p = e.mul16(t.source, t.source_factor);
                return e.div255(p);
            }
            (BlendEquation::Add, Zero, _) => {
                let q = e.mul16(t.destination, t.destination_factor);
                return e.div255(q);
            }
            _ => {}
        }
        let p = e.mul16(t.source, t.source_factor);
        let q = e.mul16(t.destination, t.destination_factor);
        let value = match shape.equation {
            BlendEquation::Add if bounded => e.add16(p, q),
            BlendEquation::Add => {
                let sum = e.add16_saturate(p, q);
                let limit = e.short(255 * 255);
                e.min16(sum, limit)
            }
            BlendEquation::Subtract => e.sub16_saturate(p, q),
            BlendEquation::ReverseSubtract => e.sub16_saturate(q, p),
            BlendEquation::Min => e.min16(p, q),
            BlendEquation::Max => e.max16(p, q),
        };
        e.div255(value)
    }

    /// A factor for blue and red, and for green in the odd lanes.
    fn color_factor(&mut self, factor: BlendFactor, s: Pair, d: Pair) -> Pair {
        use BlendFactor::*;
        let constant = |q: &mut Self| q.constant(at!(blend_color));
        match factor {
            Zero | One => self.zero_or_one(factor),
            SourceColor => s,
            InverseSourceColor => self.inverse(s),
            DestinationColor => d,
            InverseDestinationColor => self.inverse(d),
            ConstantColor => constant(self),
            InverseConstantColor => {
                let c = constant(self);
                self.inverse(c)
            }
            SourceAlpha | InverseSourceAlpha => self.alpha_of(s, factor == InverseSourceAlpha),
            DestinationAlpha | InverseDestinationAlpha => self.alpha_of(d, factor == InverseDestinationAlpha),
            ConstantAlpha | InverseConstantAlpha => {
                let c = constant(self);
                self.alpha_of(c, factor == InverseConstantAlpha)
            }
            SourceAlphaSaturate => {
                let source = self.splat(s, Channel::A);
                let destination = self.splat(d, Channel::A);
                let rest = self.invert(destination);
                let value = self.e.min16(source, rest);
                Pair { br: value, ag: value }
            }
        }
    }

    /// A factor for alpha, in the even lanes.
    fn alpha_factor(&mut self, factor: BlendFactor, s: Pair, d: Pair) -> I16x8 {
        use BlendFactor::*;
        match factor {
            SourceAlphaSaturate => self.zero_or_one(One).ag,
            // Where the colour takes alpha as well, the splat vector is there already.
            _ => self.color_factor(factor, s, d).ag,
        }
    }

    fn zero_or_one(&mut self, factor: BlendFactor) -> Pair {
        let value = self.e.short(if factor == BlendFactor::One { 255 } else { 0 });
        Pair { br: value, ag: value }
    }

    fn inverse(&mut self, pair: Pair) -> Pair {
        Pair { br: self.invert(pair.br), ag: self.invert(pair.ag) }
    }

    fn alpha_of(&mut self, pair: Pair, inverse: bool) -> Pair {
        let alpha = self.splat(pair, Channel::A);
        let value = if inverse { self.invert(alpha) } else { alpha };
        Pair { br: value, ag: value }
    }

    /// A bitwise operation on all channels.
    pub fn logic(&mut self, op: LogicOp, s: Pair, d: Pair) -> Pair {
        Pair { br: self.logic_lanes(op, s.br, d.br), ag: self.logic_lanes(op, s.ag, d.ag) }
    }

    fn logic_lanes(&mut self, op: LogicOp, s: I16x8, d: I16x8) -> I16x8 {
        let ones = self.e.short(255);
        I16x8(self.e.logic_op(op, s.0, d.0, ones.0))
    }
}
