//! Texture lookups.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::program::sampler::{Convert, Shape, Source, Texels, TextureKey};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::Op;

use super::Lower;
use super::alu::Operands;
use super::registers::Number;
use crate::lane::{F32x4, Mask};
use crate::program::args::{at, scratch_at};
use crate::program::sampler::{LodSource, Lookup, TextureUnit, sample};
use crate::program::texture_args::TextureArgs;

/// Coordinates that a lookup reads.
fn coordinates(key: &TextureKey) -> usize {
    let used = match key.shape {
        Shape::D1 => 1,
        Shape::D2 | Shape::D1Array => 2,
        Shape::D3 | Shape::Cube | Shape::D2Array => 3,
        Shape::CubeArray => 4,
    };
    // The reference comes after them.
    (used + usize::from(key.compare.is_some())).min(4)
}

impl Lower<'_, '_, '_> {
    /// The components `wanted` of a lookup.
    pub fn texture(&mut self, of: Operands<'_>, wanted: [bool; 4], together: Option<Mask>) -> [Option<Number>; 4] {
        let plan = self.quad.plan;
        let Some((index, key)) = plan.texture(of.compute.texture.into()) else {
            let zero = Number::simple(self.quad.e.f(0.0), 0.0);
            return wanted.map(|wanted| wanted.then_some(zero));
        };
        let coordinates = self.coordinates(of, coordinates(key));
        let lod_source = self.lod_source(of, key);
        let mut needed = wanted;
        needed[3] |= key.alpha_kill;
        let e = &mut *self.quad.e;
        let args = e.args;
        let textures = e.load_i64(args, at!(textures));
        let offset = TextureArgs::at(index, 0);
        let unit = if offset == 0 { textures } else { e.b.ins().iadd_imm_u(textures, i64::from(offset)) };
        let unit = TextureUnit { key, args: unit, scratch: scratch_at!(indices) };
        let result = sample(e, unit, &Lookup { together, ..Lookup::new(coordinates, lod_source, needed) });
        if key.alpha_kill {
            let zero = self.quad.e.f(0.0);
            let mut lanes = self.quad.e.feq(result[3], zero);
            if let Some(exec) = self.exec {
                lanes = self.quad.e.and(lanes, exec);
            }
            self.kill(lanes);
        }
        std::array::from_fn(|c| wanted[c].then(|| Number::new(result[c]).within(bound(key, c))))
    }

    /// The first `count` coordinates.
    fn coordinates(&mut self, of: Operands<'_>, count: usize) -> [F32x4; 4] {
        let op = of.compute.op;
        let bumps = matches!(op, Op::Texbem | Op::Txpbem);
        let projected = matches!(op, Op::Txp | Op::Txpbem);
        let divisor = projected.then(|| self.a(of, 3).value);
        std::array::from_fn(|c| {
            if c >= count {
                return self.quad.e.f(0.0);
            }
            let coordinate = if bumps && c < 2 { self.bumped(of, c).value } else { self.a(of, c).value };
            match divisor.filter(|_| c < 3) {
                Some(divisor) => self.quad.e.div(coordinate, divisor),
                None => coordinate,
            }
        })
    }

    fn lod_source(&mut self, of: Operands<'_>, key: &TextureKey) -> LodSource {
        if !key.needs_lod() {
            return LodSource::Implicit { bias: None };
        }
        match of.compute.op {
            Op::Txd => {
                let gradient =
                    |this: &mut Self, n: usize| [0, 1, 2].map(|c| this.source(of.step, of.compute, n, c).value);
                LodSource::Gradients([gradient(self, 1), gradient(self, 2)])
            }
            Op::Txl | Op::Txb => {
                let level = match of.compute.reads_source(1) {
                    true => self.b(of, 0).value,
                    false => self.a(of, 3).value,
                };
                if of.compute.op == Op::Txl {
                    LodSource::Level(level)
                } else {
                    LodSource::Implicit { bias: Some(level) }
                }
            }
            _ => LodSource::Implicit { bias: None },
        }
    }
}

/// Largest magnitude of a channel of the result.
fn bound(key: &TextureKey, channel: usize) -> f32 {
    let known = key.texels == Texels::Rgba8
        || key.compare.is_some()
        || matches!(key.swizzle[channel], Source::Zero | Source::One | Source::OneInteger);
    match key.convert[channel] {
        _ if !known => f32::INFINITY,
        Convert::Biased => 1.1,
        _ => 1.001,
    }
}
