//! Texture instructions: their operands and results. The lookups are the sampler's.
//!
//! Source of the operands' positions: Mesa, Ryujinx and yuzu agree.

use triglyph_guest::kernel::Unsupported;
use triglyph_guest::kernel::program::sampler::Shape;
use triglyph_guest::num::ops::Ops;
use triglyph_guest::tegra::shader::isa::*;

use super::handle::{HandleSource, bound};
use super::{Done, LaneValue, Lanes, Loc, Lower};
use crate::lane::{F32x4, I32x4, Mask};
use crate::pixel::sample::programs::args::TextureArgs;
use crate::pixel::sample::programs::{
    Fetch, Gather, GatherOffsets, LodSource, Lookup, Reference, TextureUnit, fetch, gather, query_level, query_size,
    sample,
};

/// Takes consecutive registers.
struct RegisterList {
    next: Reg,
}

impl RegisterList {
    const fn at(next: Reg) -> RegisterList {
        RegisterList { next }
    }

    fn take(&mut self) -> Reg {
        let reg = self.next;
        self.next = if reg.is_zero() { reg } else { Reg(reg.0.saturating_add(1)) };
        reg
    }
}

/// Coordinates, and whether the first register is a layer.
const fn axes(dim: TextureDim) -> (usize, bool) {
    match dim {
        TextureDim::D1 => (1, false),
        TextureDim::D1Array => (1, true),
        TextureDim::D2 => (2, false),
        TextureDim::D2Array => (2, true),
        TextureDim::D3 | TextureDim::Cube => (3, false),
        TextureDim::CubeArray | TextureDim::Unknown(_) => (3, true),
    }
}

/// The coordinates of a lookup.
#[derive(Clone, Copy)]
struct Coordinates {
    axes: [Option<Reg>; 3],
    layer: Option<Reg>,
    /// Bits of the layer in its register.
    layer_bits: u32,
}

impl Coordinates {
    fn new(from: &mut RegisterList, (count, array): (usize, bool)) -> Coordinates {
        let layer = array.then(|| from.take());
        let mut axes = [None; 3];
        axes.iter_mut().take(count).for_each(|axis| *axis = Some(from.take()));
        Coordinates { axes, layer, layer_bits: 16 }
    }

    fn of(coordinates: &[Reg], layer: Option<Reg>) -> Coordinates {
        Coordinates { axes: std::array::from_fn(|n| coordinates.get(n).copied()), layer, layer_bits: 16 }
    }
}

/// Operands of a sample beside its coordinates.
#[derive(Clone, Copy)]
struct Modifiers {
    level: Level,
    /// Register with an offset for each axis: the bits of each, and their distance.
    offset: Option<(Reg, [u32; 2])>,
    reference: Option<Reg>,
    /// Whether levels follow from differences in every stage.
    differs: bool,
}

#[derive(Clone, Copy)]
enum Level {
    Implicit,
    Zero,
    Bias(Reg),
    Given(Reg),
}

/// Operands of a fetch beside its coordinates.
#[derive(Clone, Copy)]
struct Texel {
    level: Option<Reg>,
    offset: Option<Reg>,
    sample: Option<Reg>,
}

/// Bits and distance of offsets in a register: for samples, and for gathers.
const OFFSETS: [u32; 2] = [4, 4];
const GATHER_OFFSETS: [u32; 2] = [6, 8];

impl Lower<'_, '_> {
    /// A register as floats; `of_all` includes inactive lanes, for differences between lanes.
    fn coordinate(&mut self, reg: Option<Reg>, of_all: bool) -> F32x4 {
        match reg {
            None => self.e().f(0.0),
            Some(reg) if of_all && !reg.is_zero() => {
                let bits = self.int_of_all(Loc::Reg(reg.0));
                self.e().float_of_bits(bits)
            }
            Some(reg) => self.reg_float(reg),
        }
    }

    fn layer(&mut self, coordinates: &Coordinates) -> I32x4 {
        match coordinates.layer {
            None => self.e().i(0),
            Some(reg) => {
                let bits = self.reg_int(reg);
                let e = self.e();
                let mask = e.i((1 << coordinates.layer_bits) - 1);
                e.iand(bits, mask)
            }
        }
    }

    /// The coordinates in the order that a shape defines.
    fn placed(&mut self, coordinates: &Coordinates, shape: Shape, of_all: bool) -> [F32x4; 4] {
        let [s, t, r] = coordinates.axes.map(|reg| self.coordinate(reg, of_all));
        let zero = self.e().f(0.0);
        let layer = |this: &mut Self| {
            let layer = this.layer(coordinates);
            this.e().to_float(layer)
        };
        match shape {
            Shape::D1 => [s, zero, zero, zero],
            Shape::D2 => [s, t, zero, zero],
            Shape::D3 | Shape::Cube => [s, t, r, zero],
            Shape::D1Array => [s, layer(self), zero, zero],
            Shape::D2Array => [s, t, layer(self), zero],
            Shape::CubeArray => [s, t, r, layer(self)],
        }
    }

    /// A signed field of a register.
    fn signed_field(&mut self, reg: Reg, at: u32, bits: u32) -> I32x4 {
        let value = self.reg_int(reg);
        let e = self.e();
        let up = e.ishl(value, 32 - at - bits);
        e.ishr(up, 32 - bits)
    }

    fn reference(&mut self, reg: Option<Reg>) -> Reference {
        match reg {
            Some(reg) => Reference::Operand(self.reg_float(reg)),
            None => Reference::Missing,
        }
    }

    /// A sample.
    fn sampled(
        &mut self,
        handle: HandleSource,
        coordinates: &Coordinates,
        modifiers: Modifiers,
        needed: [bool; 4],
    ) -> Result<[LaneValue; 4], Unsupported> {
        self.lookup(handle, &mut |this, unit| Ok(this.sample_of(unit, coordinates, modifiers, needed)))
    }

    fn sample_of(
        &mut self,
        unit: TextureUnit<'_>,
        coordinates: &Coordinates,
        modifiers: Modifiers,
        needed: [bool; 4],
    ) -> [LaneValue; 4] {
        let differs = self.lanes == Lanes::Quad || modifiers.differs && self.lanes != Lanes::Alone;
        let implicit = differs && matches!(modifiers.level, Level::Implicit | Level::Bias(_)) && unit.key.needs_lod();
        let coordinates = self.placed(coordinates, unit.key.shape, implicit);
        let lod_source = match modifiers.level {
            Level::Implicit if differs => LodSource::Implicit { bias: None },
            Level::Bias(reg) if differs => LodSource::Implicit { bias: Some(self.reg_float(reg)) },
            Level::Implicit | Level::Bias(_) | Level::Zero => LodSource::Level(self.e().f(0.0)),
            Level::Given(reg) => LodSource::Level(self.reg_float(reg)),
        };
        let offset = self.offsets(modifiers.offset);
        let reference = self.reference(modifiers.reference);
        let lookup = Lookup { coordinates, lod_source, offset, reference, together: None, needed };
        values(unit.key.filters(), sample(self.e(), unit, &lookup))
    }

    /// A field for each of s, t, r, whatever the instruction's dimensions.
    fn offsets(&mut self, offset: Option<(Reg, [u32; 2])>) -> [Option<I32x4>; 3] {
        let Some((reg, [bits, apart])) = offset else { return [None; 3] };
        std::array::from_fn(|axis| Some(self.signed_field(reg, axis as u32 * apart, bits)))
    }

    pub(super) fn nothing(&mut self) -> [LaneValue; 4] {
        let zero = self.e().i(0);
        [LaneValue::int(zero); 4]
    }

    /// Stores the components of a mask in consecutive registers.
    fn set_masked(&mut self, dst: Reg, mask: u8, values: [LaneValue; 4]) {
        let mut to = RegisterList::at(dst);
        for (n, value) in values.into_iter().enumerate() {
            if mask >> n & 1 != 0 {
                let reg = to.take();
                self.set_reg(reg, value);
            }
        }
    }

    fn resident(&mut self, pred: Pred) {
        let none = Mask(self.e().i(0).0);
        self.set_predicate(pred, none);
    }

    /// Stores components in one or two pairs of registers, or as halves in one or two registers.
    fn set_short(&mut self, (dst, dst2): (Reg, Reg), components: &[usize], values: [LaneValue; 4], f32: bool) {
        let values: Vec<LaneValue> = components.iter().map(|&n| values[n]).collect();
        if f32 {
            let places = [dst, Self::following(dst, 1), dst2, Self::following(dst2, 1)];
            for (reg, value) in places.into_iter().zip(values) {
                self.set_reg(reg, value);
            }
            return;
        }
        let packed: Vec<I32x4> = values
            .chunks(2)
            .map(|pair| {
                let halves: Vec<I32x4> = pair
                    .iter()
                    .map(|&number| {
                        let value = self.value_float(number);
                        self.half_bits(value)
                    })
                    .collect();
                match halves[..] {
                    [low, high] => {
                        let e = self.e();
                        let high = e.ishl(high, 16);
                        e.ior(low, high)
                    }
                    _ => halves[0],
                }
            })
            .collect();
        for (reg, value) in [dst, dst2].into_iter().zip(packed) {
            self.set_int(reg, value);
        }
    }

    fn fetched(
        &mut self,
        handle: HandleSource,
        coordinates: &Coordinates,
        texel: Texel,
        needed: [bool; 4],
    ) -> Result<[LaneValue; 4], Unsupported> {
        self.lookup(handle, &mut |this, unit| Ok(this.fetch_of(unit, coordinates, texel, needed)))
    }

    fn fetch_of(
        &mut self,
        unit: TextureUnit<'_>,
        coordinates: &Coordinates,
        texel: Texel,
        needed: [bool; 4],
    ) -> [LaneValue; 4] {
        let Texel { level, offset, sample } = texel;
        let offsets = self.offsets(offset.map(|reg| (reg, OFFSETS)));
        let mut at = [self.e().i(0); 3];
        for axis in 0..3 {
            if let Some(reg) = coordinates.axes[axis] {
                at[axis] = self.reg_int(reg);
            }
            if let Some(offset) = offsets[axis] {
                at[axis] = self.e().iadd(at[axis], offset);
            }
        }
        // Samples are consecutive layers.
        let layer = self.layer(coordinates);
        let sample = sample.map(|reg| self.reg_int(reg));
        let e = self.e();
        let samples = e.load_splat_i32(unit.args, std::mem::offset_of!(TextureArgs, samples) as i32);
        let mut layer = e.imul(layer, samples);
        if let Some(sample) = sample {
            let (none, before) = (e.i(-1), e.i(-1));
            let last = e.iadd(samples, before);
            let there = e.umin(sample, last);
            let exists = e.ieq(there, sample);
            let number = e.iadd(layer, sample);
            layer = e.iselect(exists, number, none);
        }
        let layer = Some(layer);
        let level = level.map(|reg| self.reg_int(reg));
        values(unit.key.converts(), fetch(self.e(), unit, &Fetch { at, layer, level, needed }))
    }

    fn gathered(
        &mut self,
        handle: HandleSource,
        coordinates: &Coordinates,
        (component, offsets, reference): (GatherComponent, GatherOffsets, Option<Reg>),
        needed: [bool; 4],
    ) -> Result<[LaneValue; 4], Unsupported> {
        self.lookup(handle, &mut |this, unit| {
            let coordinates = this.placed(coordinates, unit.key.shape, false);
            let reference = this.reference(reference);
            let channel = component.bits().into();
            let request = Gather { coordinates, channel, offsets, reference, needed };
            Ok(values(unit.key.converts(), gather(this.e(), unit, &request)))
        })
    }
}

/// The channels of a lookup: results of arithmetic, or words that were only moved.
fn values(by_arithmetic: bool, channels: [F32x4; 4]) -> [LaneValue; 4] {
    channels.map(if by_arithmetic { LaneValue::float } else { LaneValue::loaded })
}

/// An offset of a sample with gradients: a register has eight bits of them, for s and t.
fn gradient_offset(lower: &mut Lower<'_, '_>, reg: Reg, first: u32, axis: usize) -> I32x4 {
    match axis {
        0 | 1 => lower.signed_field(reg, first + 4 * axis as u32, 4),
        _ => lower.e().i(0),
    }
}

/// The components of a mask.
fn masked(mask: u8) -> [bool; 4] {
    std::array::from_fn(|n| mask >> n & 1 != 0)
}

/// The components that the code of a short form encodes.
const fn components(code: u8, dst2: Reg) -> &'static [usize] {
    match (code, dst2.is_zero()) {
        (0, true) => &[0],
        (1, true) => &[1],
        (2, true) => &[2],
        (3, true) => &[3],
        (4, true) => &[0, 1],
        (5, true) => &[0, 3],
        (6, true) => &[1, 3],
        (7, true) => &[2, 3],
        (0, false) => &[0, 1, 2],
        (1, false) => &[0, 1, 3],
        (2, false) => &[0, 2, 3],
        (3, false) => &[1, 2, 3],
        (4, false) => &[0, 1, 2, 3],
        _ => &[],
    }
}

fn listed(components: &[usize]) -> [bool; 4] {
    std::array::from_fn(|n| components.contains(&n))
}

impl TextureVisitor for Lower<'_, '_> {
    type Output = Done;

    fn tex(&mut self, i: TextureSample) -> Done {
        let coordinates = Coordinates::new(&mut RegisterList::at(i.a), axes(i.dim));
        let mut more = RegisterList::at(i.b);
        let handle = HandleSource::take(i.handle, || more.take());
        let level = match i.lod {
            LodMode::Implicit | LodMode::Unknown(_) => Level::Implicit,
            LodMode::Zero => Level::Zero,
            LodMode::Bias | LodMode::BiasA => Level::Bias(more.take()),
            LodMode::Level | LodMode::LevelA => Level::Given(more.take()),
        };
        let offset = i.aoffi.then(|| (more.take(), OFFSETS));
        let reference = i.dc.then(|| more.take());
        if !i.dst.is_zero() {
            let modifiers = Modifiers { level, offset, reference, differs: i.ndv };
            let values = self.sampled(handle, &coordinates, modifiers, masked(i.mask))?;
            self.set_masked(i.dst, i.mask, values);
        }
        self.resident(i.pred);
        Ok(())
    }

    fn texs(&mut self, i: TextureSampleShort) -> Done {
        use TexsTarget as T;
        let (a, b) = (i.a, i.b);
        let [a1, b1] = [a, b].map(|reg| Self::following(reg, 1));
        let zero = Level::Zero;
        let (coordinates, level, reference) = match i.target {
            T::D1Lz | T::Unknown(_) => (Coordinates::of(&[a], None), zero, None),
            T::D2 => (Coordinates::of(&[a, b], None), Level::Implicit, None),
            T::D2Lz => (Coordinates::of(&[a, b], None), zero, None),
            T::D2Ll => (Coordinates::of(&[a, a1], None), Level::Given(b), None),
            T::D2Dc => (Coordinates::of(&[a, a1], None), Level::Implicit, Some(b)),
            T::D2LlDc => (Coordinates::of(&[a, a1], None), Level::Given(b), Some(b1)),
            T::D2LzDc => (Coordinates::of(&[a, a1], None), zero, Some(b)),
            T::A2d => (Coordinates::of(&[a1, b], Some(a)), Level::Implicit, None),
            T::A2dLz => (Coordinates::of(&[a1, b], Some(a)), zero, None),
            T::A2dLzDc => (Coordinates::of(&[a1, b], Some(a)), zero, Some(b1)),
            T::D3 => (Coordinates::of(&[a, a1, b], None), Level::Implicit, None),
            T::D3Lz => (Coordinates::of(&[a, a1, b], None), zero, None),
            T::Cube => (Coordinates::of(&[a, a1, b], None), Level::Implicit, None),
            T::CubeLl => (Coordinates::of(&[a, a1, b], None), Level::Given(b1), None),
        };
        let components = components(i.components, i.dst2);
        let values = self.sampled(
            bound(i.handle),
            &coordinates,
            Modifiers { level, offset: None, reference, differs: false },
            listed(components),
        )?;
        self.set_short((i.dst, i.dst2), components, values, i.f32);
        Ok(())
    }

    fn tld(&mut self, i: TexelFetch) -> Done {
        let coordinates = Coordinates::new(&mut RegisterList::at(i.a), axes(i.dim));
        let mut more = RegisterList::at(i.b);
        let handle = HandleSource::take(i.handle, || more.take());
        let level = i.level.then(|| more.take());
        let offset = i.aoffi.then(|| more.take());
        let sample = i.multisample.then(|| more.take());
        if !i.dst.is_zero() {
            let values = self.fetched(handle, &coordinates, Texel { level, offset, sample }, masked(i.mask))?;
            self.set_masked(i.dst, i.mask, values);
        }
        self.resident(i.pred);
        Ok(())
    }

    fn tlds(&mut self, i: TexelFetchShort) -> Done {
        use TldsTarget as T;
        let (a, b) = (i.a, i.b);
        let [a1, b1] = [a, b].map(|reg| Self::following(reg, 1));
        let sample = (i.target == T::D2LzMs).then_some(b);
        let (coordinates, level, offset) = match i.target {
            T::D1Lz | T::Unknown(_) => (Coordinates::of(&[a], None), None, None),
            T::D1Ll => (Coordinates::of(&[a], None), Some(b), None),
            T::D2Lz => (Coordinates::of(&[a, b], None), None, None),
            T::D2LzAoffi => (Coordinates::of(&[a, a1], None), None, Some(b)),
            T::D2Ll => (Coordinates::of(&[a, a1], None), Some(b), None),
            T::D3Lz => (Coordinates::of(&[a, a1, b], None), None, None),
            T::A2dLz => (Coordinates::of(&[b, b1], Some(a)), None, None),
            T::D2LlAoffi => (Coordinates::of(&[a, a1], None), Some(b), Some(b1)),
            T::D2LzMs => (Coordinates::of(&[a, a1], None), None, None),
        };
        let components = components(i.components, i.dst2);
        let values =
            self.fetched(bound(i.handle), &coordinates, Texel { level, offset, sample }, listed(components))?;
        self.set_short((i.dst, i.dst2), components, values, i.f32);
        Ok(())
    }

    fn tld4(&mut self, i: TextureGather) -> Done {
        let coordinates = Coordinates::new(&mut RegisterList::at(i.a), axes(i.dim));
        let mut more = RegisterList::at(i.b);
        let handle = HandleSource::take(i.handle, || more.take());
        let offsets = match i.offset {
            GatherOffset::None | GatherOffset::Unknown(_) => GatherOffsets::Common([None; 2]),
            GatherOffset::Aoffi => {
                let reg = more.take();
                let [s, t, _] = self.offsets(Some((reg, GATHER_OFFSETS)));
                GatherOffsets::Common([s, t])
            }
            GatherOffset::Ptp => {
                let regs = [more.take(), more.take()];
                GatherOffsets::Each(std::array::from_fn(|n| {
                    let (reg, at) = (regs[n / 2], 16 * (n as u32 % 2));
                    [0, 8].map(|axis| self.signed_field(reg, at + axis, 6))
                }))
            }
        };
        let reference = i.dc.then(|| more.take());
        if !i.dst.is_zero() {
            let values = self.gathered(handle, &coordinates, (i.component, offsets, reference), masked(i.mask))?;
            self.set_masked(i.dst, i.mask, values);
        }
        self.resident(i.pred);
        Ok(())
    }

    fn tld4s(&mut self, i: TextureGatherShort) -> Done {
        let plain = !i.dc && !i.aoffi;
        let coordinates = if plain {
            Coordinates::of(&[i.a, i.b], None)
        } else {
            Coordinates::of(&[i.a, Self::following(i.a, 1)], None)
        };
        let mut more = RegisterList::at(i.b);
        let offsets = match i.aoffi {
            true => {
                let reg = more.take();
                let [s, t, _] = self.offsets(Some((reg, GATHER_OFFSETS)));
                GatherOffsets::Common([s, t])
            }
            false => GatherOffsets::Common([None; 2]),
        };
        let reference = i.dc.then(|| more.take());
        let values = self.gathered(bound(i.handle), &coordinates, (i.component, offsets, reference), [true; 4])?;
        self.set_short((i.dst, i.dst2), &[0, 1, 2, 3], values, !i.f16);
        Ok(())
    }

    fn txd(&mut self, i: TextureGradient) -> Done {
        let (count, array) = axes(i.dim);
        let mut from = RegisterList::at(i.a);
        let handle = HandleSource::take(i.handle, || from.take());
        let mut coordinates = Coordinates::new(&mut from, (count, false));
        let packed = (array || i.aoffi).then(|| from.take());
        if array {
            coordinates.layer = packed;
            // The packed LOD clamp takes bits from both.
            coordinates.layer_bits = if i.lod_clamp { 12 } else { 16 };
        }
        let first_offset = if i.lod_clamp { 12 } else { 16 };
        if !i.dst.is_zero() {
            let values = self.lookup(handle, &mut |this, unit| {
                let mut more = RegisterList::at(i.b);
                let zero = this.e().f(0.0);
                let mut gradients = [[zero; 3]; 2];
                for axis in 0..count {
                    for gradient in &mut gradients {
                        gradient[axis] = this.reg_float(more.take());
                    }
                }
                let coordinates = this.placed(&coordinates, unit.key.shape, false);
                let mut offset = [None; 3];
                if let Some(reg) = packed.filter(|_| i.aoffi) {
                    for (axis, offset) in offset.iter_mut().enumerate() {
                        *offset = Some(gradient_offset(this, reg, first_offset, axis));
                    }
                }
                let (lod_source, reference) = (LodSource::Gradients(gradients), Reference::Missing);
                let lookup =
                    Lookup { coordinates, lod_source, offset, reference, together: None, needed: masked(i.mask) };
                Ok(values(unit.key.filters(), sample(this.e(), unit, &lookup)))
            })?;
            self.set_masked(i.dst, i.mask, values);
        }
        self.resident(i.pred);
        Ok(())
    }

    fn txq(&mut self, i: TextureQuery) -> Done {
        let mut from = RegisterList::at(i.a);
        let handle = HandleSource::take(i.handle, || from.take());
        let level = from.take();
        let values = self.lookup(handle, &mut |this, unit| {
            let zero = LaneValue::int(this.e().i(0));
            Ok(match i.query {
                QueryKind::Dimension => {
                    let level = this.reg_int(level);
                    query_size(this.e(), unit, level).map(LaneValue::int)
                }
                QueryKind::TextureType => {
                    let at = std::mem::offset_of!(TextureArgs, samples) as i32;
                    let samples = this.e().load_splat_i32(unit.args, at);
                    [zero, zero, LaneValue::int(samples), zero]
                }
                _ => [zero; 4],
            })
        })?;
        self.set_masked(i.dst, i.mask, values);
        Ok(())
    }

    fn tmml(&mut self, i: TextureLevel) -> Done {
        let coordinates = Coordinates::new(&mut RegisterList::at(i.a), axes(i.dim));
        let handle = HandleSource::take(i.handle, || i.b);
        let values = self.lookup(handle, &mut |this, unit| {
            let differs = this.lanes == Lanes::Quad || i.ndv && this.lanes != Lanes::Alone;
            let coordinates = this.placed(&coordinates, unit.key.shape, differs);
            let lod_source = match differs {
                true => LodSource::Implicit { bias: None },
                false => LodSource::Level(this.e().f(0.0)),
            };
            let lookup = Lookup::new(coordinates, lod_source, [true; 4]);
            let [lod, level] = query_level(this.e(), unit, &lookup);
            let zero = this.e().i(0);
            Ok([lod, level, zero, zero].map(LaneValue::int))
        })?;
        self.set_masked(i.dst, i.mask, values);
        Ok(())
    }

    fn txa(&mut self, _: TextureAddress) -> Done {
        // Its result is unknown, in both tiers.
        Ok(())
    }
}
