//! Differences between fragments and texture lookups: one method per operation.

use cranelift_codegen::ir::InstBuilder;
use triglyph_guest::kernel::program::sampler::{Convert, Shape, Source as Channel, Texels, TextureKey};
use triglyph_guest::num::ops::Ops;
use triglyph_guest::rsx::fragment::{QuadVisitor, Source};

use super::context::{Alu, Components};
use super::registers::Number;
use crate::lane::{Emit, F32x4};
use crate::pixel::args::programs::{at, quad_scratch_at};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::pixel::sample::programs::{LodSource, Lookup, TextureUnit, both_together, sample};

/// Coordinates that a lookup reads.
fn coordinates(key: &TextureKey) -> usize {
    let used = match key.shape {
        Shape::D1 => 1,
        Shape::D2 | Shape::D1Array => 2,
        Shape::D3 | Shape::Cube | Shape::D2Array => 3,
        Shape::CubeArray => 4,
    };
    // The value to compare with comes after them.
    (used + usize::from(key.compare.is_some())).min(4)
}

/// What the level of detail follows from.
enum Lod<'s> {
    /// Differences to the neighbours.
    Implicit,
    /// The same and a bias: a component of a source.
    Biased(&'s Source, usize),
    /// A component of a source.
    Level(&'s Source, usize),
    /// d/dx and d/dy.
    Gradients(&'s Source, &'s Source),
}

/// Where a lookup reads: at source a.
struct Coordinates<'s> {
    a: &'s Source,
    /// Moves x and y as BEM does.
    bump: Option<[&'s Source; 2]>,
    /// Divides x, y and z by w.
    projected: bool,
}

impl<'s> From<&'s Source> for Coordinates<'s> {
    fn from(a: &'s Source) -> Self {
        Coordinates { a, bump: None, projected: false }
    }
}

impl<'x> QuadVisitor for Alu<'x, '_, '_, '_> {
    type Source = &'x Source;
    type Output = Components;

    fn ddx(&mut self, a: &Source) -> Components {
        self.difference(a, 0, |e, a| e.difference_x(a))
    }
    fn ddy(&mut self, a: &Source) -> Components {
        self.difference(a, 1, |e, a| e.difference_y(a))
    }
    fn tex(&mut self, a: &Source) -> Components {
        self.lookup(a.into(), Lod::Implicit)
    }
    fn txp(&mut self, a: &Source) -> Components {
        self.lookup(Coordinates { projected: true, ..a.into() }, Lod::Implicit)
    }
    fn txd(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        self.lookup(a.into(), Lod::Gradients(b, c))
    }
    fn txl(&mut self, a: &Source, b: &Source) -> Components {
        let (source, component) = self.b_or_w(a, b);
        self.lookup(a.into(), Lod::Level(source, component))
    }
    fn txb(&mut self, a: &Source, b: &Source) -> Components {
        let (source, component) = self.b_or_w(a, b);
        self.lookup(a.into(), Lod::Biased(source, component))
    }
    fn texbem(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        self.lookup(Coordinates { bump: Some([b, c]), ..a.into() }, Lod::Implicit)
    }
    fn txpbem(&mut self, a: &Source, b: &Source, c: &Source) -> Components {
        self.lookup(Coordinates { a, bump: Some([b, c]), projected: true }, Lod::Implicit)
    }
}

impl Alu<'_, '_, '_, '_> {
    /// Differences to the neighbour along an axis; 0 where that does not execute the instruction.
    fn difference(&mut self, a: &Source, axis: usize, of: impl Fn(&mut Emit<'_>, F32x4) -> F32x4) -> Components {
        let together = self.together;
        self.each(|this, c| {
            let a = this.read(a, c).value;
            let e = this.e();
            let difference = of(e, a);
            Number::new(match together {
                Some(together) => both_together(e, together, axis, difference),
                None => difference,
            })
        })
    }

    /// Component x of source b, or w of source a if b is unused.
    fn b_or_w<'s>(&self, a: &'s Source, b: &'s Source) -> (&'s Source, usize) {
        if self.compute.reads_source(1) { (b, 0) } else { (a, 3) }
    }

    fn lookup(&mut self, at: Coordinates<'_>, lod: Lod<'_>) -> Components {
        let plan = self.lower.quad.plan;
        let Some((index, key)) = plan.texture(self.compute.texture.into()) else {
            let zero = Number::simple(self.e().f(0.0), 0.0);
            return self.same(zero);
        };
        let key = &key.for_instruction(self.compute.expand);
        let coordinates = self.coordinates(&at, coordinates(key));
        let lod_source = self.lod_source(lod, key);
        let mut needed = self.wanted;
        needed[3] |= key.alpha_kill;
        let together = self.together;
        let e = self.e();
        let args = e.args;
        let textures = e.load_i64(args, at!(textures));
        let offset = TextureArgs::at(index, 0);
        let unit = if offset == 0 { textures } else { e.b.ins().iadd_imm_u(textures, i64::from(offset)) };
        let unit = TextureUnit { key, args: unit, scratch: quad_scratch_at!(indices) };
        let result = sample(e, unit, &Lookup { together, ..Lookup::new(coordinates, lod_source, needed) });
        if key.alpha_kill {
            let zero = e.f(0.0);
            let mut lanes = e.feq(result[3], zero);
            if let Some(exec) = self.lower.exec {
                lanes = self.e().and(lanes, exec);
            }
            self.lower.kill(lanes);
        }
        self.each(|_, c| Number::new(result[c]).within(bound(key, c)))
    }

    /// The first `count` coordinates.
    fn coordinates(&mut self, at: &Coordinates<'_>, count: usize) -> [F32x4; 4] {
        let divisor = at.projected.then(|| self.read(at.a, 3).value);
        std::array::from_fn(|c| {
            if c >= count {
                return self.e().f(0.0);
            }
            let coordinate = match at.bump.filter(|_| c < 2) {
                Some([b, matrix]) => self.bumped(at.a, b, matrix, c).value,
                None => self.read(at.a, c).value,
            };
            match divisor.filter(|_| c < 3) {
                Some(divisor) => self.e().div(coordinate, divisor),
                None => coordinate,
            }
        })
    }

    fn lod_source(&mut self, lod: Lod<'_>, key: &TextureKey) -> LodSource {
        if !key.needs_lod() {
            return LodSource::Implicit { bias: None };
        }
        match lod {
            Lod::Implicit => LodSource::Implicit { bias: None },
            Lod::Biased(source, c) => LodSource::Implicit { bias: Some(self.read(source, c).value) },
            Lod::Level(source, c) => LodSource::Level(self.read(source, c).value),
            Lod::Gradients(x, y) => {
                LodSource::Gradients([x, y].map(|source| [0, 1, 2].map(|c| self.read(source, c).value)))
            }
        }
    }
}

/// Largest magnitude of a channel of the result.
fn bound(key: &TextureKey, channel: usize) -> f32 {
    let known = key.texels == Texels::Rgba8
        || key.compare.is_some()
        || matches!(key.swizzle[channel], Channel::Zero | Channel::One | Channel::OneInteger);
    match key.convert[channel] {
        _ if !known => f32::INFINITY,
        Convert::Biased | Convert::BiasedWord => 1.1,
        Convert::Signed | Convert::SignedWord | Convert::Expanded => 1.01,
        _ => 1.001,
    }
}
