//! Attributes: values that a stage passes to the next.

use triglyph_guest::tegra::shader::isa::*;

use crate::maxwell::context::{Attribute, Interpolated, InterpolationPoint};
use crate::maxwell::lane::Lane;
use crate::maxwell::number::{self, flush_if, saturate};
use crate::maxwell::program::{Decoder, Op};

/// Where an access goes.
fn attribute(lane: &Lane, i: &AttributeAccess) -> Attribute {
    let address = lane.read(i.address.base).wrapping_add(i.address.offset as u32);
    let vertex = (!i.vertex.is_zero()).then(|| lane.read(i.vertex));
    Attribute { patch: i.patch, output: i.output, address, vertex }
}

impl AttributeVisitor for Decoder<'_> {
    type Output = Op;

    fn ipa(&mut self, i: Interpolate) -> Op {
        let ftz = self.flushes(true);
        self.lane(i.guard, move |lane, context| {
            let index = if i.address.indexed { lane.read(i.address.index) } else { 0 };
            let word = (index.wrapping_add(i.address.offset.into()) >> 2) as u8;
            let offset = lane.read(i.c);
            let place = InterpolationPoint {
                sample: i.sample,
                offset: [offset, offset >> 16].map(|half| (half << 4) as i16 >> 4),
            };
            let bits = match (context.stage.interpolate(lane, word, place), i.mode) {
                (Interpolated::Bits(bits), _) => bits,
                (Interpolated::Value { flat, .. }, IpaMode::Constant) => flat,
                (Interpolated::Value { value, .. }, IpaMode::Pass) => number::bits(value),
                (Interpolated::Value { value, .. }, IpaMode::Mul | IpaMode::Sc) => {
                    let factor = flush_if(ftz, f32::from_bits(lane.read(i.b)));
                    number::bits(flush_if(ftz, flush_if(ftz, value) * factor))
                }
            };
            let bits = if i.sat { saturate(f32::from_bits(bits)).to_bits() } else { bits };
            lane.write(i.dst, bits);
        })
    }

    fn ald(&mut self, i: AttributeAccess) -> Op {
        self.lane(i.guard, move |lane, context| {
            let attribute = attribute(lane, &i);
            for index in 0..=i.size.bits() {
                let value = context.stage.load(lane, &attribute, attribute.word(index));
                lane.write_at(i.data, index, value);
            }
        })
    }

    fn ast(&mut self, i: AttributeAccess) -> Op {
        self.lane(i.guard, move |lane, context| {
            if lane.helper {
                return;
            }
            let attribute = attribute(lane, &i);
            for index in 0..=i.size.bits() {
                let value = lane.read_at(i.data, index);
                context.stage.store(lane, &attribute, attribute.word(index), value);
            }
        })
    }

    fn al2p(&mut self, i: AttributePhysical) -> Op {
        self.lane(i.guard, move |lane, _| {
            lane.write(i.dst, lane.read(i.address.base).wrapping_add(i.address.offset as u32));
            lane.set_pred(i.pred, false);
        })
    }

    fn isberd(&mut self, i: StageBuffer) -> Op {
        self.lane(i.guard, move |lane, _| lane.write(i.dst, lane.read(i.a)))
    }

    fn out(&mut self, i: EmitVertex) -> Op {
        self.lane(i.guard, move |lane, context| {
            let stream = (lane.operand(i.b, context) & 3) as u8;
            if !lane.helper {
                context.stage.emit(i.kind, stream);
            }
            lane.write(i.dst, lane.read(i.a));
        })
    }

    fn pixld(&mut self, i: PixelInfo) -> Op {
        self.lane(i.guard, move |lane, context| {
            let sample = lane.read(i.sample.base).wrapping_add(i.sample.offset as u32);
            lane.write(i.dst, context.stage.pixel_info(lane, i.mode, sample));
            lane.set_pred(i.pred, false);
        })
    }
}
