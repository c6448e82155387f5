//! Texture instructions: the registers of their coordinates and results.

use triglyph_guest::kernel::maxwell::Unit as ResourceKind;
use triglyph_guest::kernel::program::sampler::Shape;
use triglyph_guest::tegra::shader::isa::*;
use triglyph_guest::tegra::shader::modifiers::Rounding;

use crate::maxwell::context::Context;
use crate::maxwell::lane::Lane;
use crate::maxwell::number::{self, to_half};
use crate::maxwell::program::{Decoder, Op};
use crate::maxwell::warp::lanes_of;
use crate::program::Vector;
use crate::program::sampler::{GatherOffsets, LodSource, Lookup, Reference, TextureUnit};

/// Registers one after the other.
#[derive(Clone, Copy)]
struct Sources<'l> {
    lane: &'l Lane,
    reg: Reg,
    next: u8,
}

impl<'l> Sources<'l> {
    fn new(lane: &'l Lane, reg: Reg) -> Self {
        Sources { lane, reg, next: 0 }
    }

    fn take(&mut self) -> u32 {
        let value = self.lane.read_at(self.reg, self.next);
        self.next += 1;
        value
    }

    fn float(&mut self) -> f32 {
        f32::from_bits(self.take())
    }

    fn take_if(&mut self, wanted: bool) -> Option<u32> {
        wanted.then(|| self.take())
    }
}

/// Where a texture is, and how it is found.
#[derive(Clone, Copy)]
struct Binding {
    unit: Option<ResourceKind>,
    buffer: u8,
    handle: Handle,
}

impl Binding {
    fn is_bindless(&self) -> bool {
        self.handle == Handle::Bindless
    }

    /// The unit; `given` is a handle in a register.
    fn find<'c>(&self, given: Option<u32>, context: &'c Context<'_>) -> Option<TextureUnit<'c>> {
        let index = match self.unit? {
            ResourceKind::Texture(index) => usize::from(index),
            ResourceKind::Image(_) => return None,
            ResourceKind::Dynamic => {
                let handle = handle(self.handle, given, self.buffer, context);
                let known = context.environment.handles.iter().take(context.textures.len());
                known.clone().position(|&known| known == handle)?
            }
        };
        let (key, texture) = context.texture(index)?;
        Some(TextureUnit { key, texture })
    }
}

/// A handle: a register's value or a word of the buffer of handles.
fn handle(handle: Handle, given: Option<u32>, buffer: u8, context: &Context<'_>) -> u32 {
    match handle {
        Handle::Bindless => given.unwrap_or(0),
        Handle::Bound(index) => context.constant(Constant { slot: buffer, offset: index << 2 }),
    }
}

/// The coordinates of an instruction, as words.
#[derive(Clone, Copy, Default)]
struct Coordinates {
    at: [u32; 3],
    layer: u32,
}

fn axes(dim: TextureDim) -> usize {
    match dim {
        TextureDim::D1 | TextureDim::D1Array => 1,
        TextureDim::D2 | TextureDim::D2Array => 2,
        TextureDim::D3 | TextureDim::Cube | TextureDim::CubeArray | TextureDim::Unknown(_) => 3,
    }
}

fn is_array(dim: TextureDim) -> bool {
    dim.bits() & 1 != 0
}

/// Layer, s, t, r.
fn coordinates(sources: &mut Sources<'_>, dim: TextureDim) -> Coordinates {
    let layer = sources.take_if(is_array(dim)).unwrap_or(0) & 0xFFFF;
    let mut at = [0; 3];
    at[..axes(dim)].fill_with(|| sources.take());
    Coordinates { at, layer }
}

impl Coordinates {
    /// Coordinates as the unit's shape wants them.
    fn place(&self, shape: Shape) -> Vector {
        let [s, t, r] = self.at.map(f32::from_bits);
        let layer = self.layer as f32;
        match shape {
            Shape::D1 => [s, 0.0, 0.0, 0.0],
            Shape::D2 => [s, t, 0.0, 0.0],
            Shape::D3 | Shape::Cube => [s, t, r, 0.0],
            Shape::D1Array => [s, layer, 0.0, 0.0],
            Shape::D2Array => [s, t, layer, 0.0],
            Shape::CubeArray => [s, t, r, layer],
        }
    }
}

/// Signed fields of `bits` bits, `distance` apart.
fn offsets(word: u32, bits: u32, distance: u32) -> [i32; 3] {
    [0, 1, 2].map(|axis| ((word >> (axis * distance)) << (32 - bits)) as i32 >> (32 - bits))
}

/// Where the level comes from.
#[derive(Clone, Copy)]
enum Level {
    Implicit,
    Bias(f32),
    Fixed(f32),
}

/// A sample of one lane.
#[derive(Clone, Copy)]
struct Sample {
    coordinates: Coordinates,
    level: Level,
    offset: [i32; 3],
    reference: Reference,
    handle: Option<u32>,
}

/// Reference value of comparisons: a word, if present.
fn reference(word: Option<u32>) -> Reference {
    word.map_or(Reference::Missing, |word| Reference::Operand(f32::from_bits(word)))
}

/// Results are stored by a mask, or as the short forms do.
#[derive(Clone, Copy)]
enum Store {
    Masked { dst: Reg, mask: u8, pred: Pred },
    Short { dst: [Reg; 2], mask: u8, halves: bool },
}

impl Store {
    fn store(self, lane: &mut Lane, value: [u32; 4]) {
        match self {
            Store::Masked { dst, mask, pred } => {
                for (at, i) in lanes_of(u32::from(mask & 15)).enumerate() {
                    lane.write_at(dst, at as u8, value[i]);
                }
                lane.set_pred(pred, false);
            }
            Store::Short { dst, mask, halves } => {
                let mut words = [0; 4];
                let mut count = 0;
                for i in lanes_of(u32::from(mask & 15)) {
                    words[count] = value[i];
                    count += 1;
                }
                let half = |word: u32| to_half(f32::from_bits(word).into(), Rounding::Nearest);
                for pair in 0..count.div_ceil(2) {
                    let [low, high] = [words[2 * pair], words[2 * pair + 1]];
                    if halves {
                        lane.write(dst[pair], half(low) | half(high) << 16);
                        continue;
                    }
                    lane.write(dst[pair], low);
                    if 2 * pair + 1 < count {
                        lane.write_at(dst[pair], 1, high);
                    }
                }
            }
        }
    }
}

/// The components of a short form's code.
fn components(code: u8, one: bool) -> u8 {
    const ONE: [u8; 8] = [0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b1001, 0b1010, 0b1100];
    const TWO: [u8; 8] = [0b0111, 0b1011, 0b1101, 0b1110, 0b1111, 0, 0, 0];
    if one { ONE[usize::from(code & 7)] } else { TWO[usize::from(code & 7)] }
}

fn short(dst: Reg, dst2: Reg, code: u8, halves: bool) -> Store {
    Store::Short { dst: [dst, dst2], mask: components(code, dst2.is_zero()), halves }
}

/// Source of the level of detail of lane `n`. `differs`: levels follow from differences between the lanes of quads,
/// else they are 0 unless they are given; `shared`: differences are those of the whole quad.
fn lod_source(
    lanes: &[Lane],
    n: usize,
    level: Level,
    [differs, shared]: [bool; 2],
    at: impl Fn(&Lane) -> Vector,
) -> LodSource {
    let bias = match level {
        Level::Fixed(level) => return LodSource::Level(level),
        Level::Bias(bias) => bias,
        Level::Implicit => 0.0,
    };
    if !differs {
        return LodSource::Level(0.0);
    }
    let pair = |first: usize, step: usize| {
        let place = |n: usize| lanes.get(n).map_or([0.0; 4], &at);
        Some([place(first), place(first + step)])
    };
    // The lanes on the left and above: of the lane's own row and column, or of the quad.
    let (left, above) = if shared { (n & !3, n & !3) } else { (n & !1, n & !2) };
    LodSource::Neighbours { row: pair(left, 1), column: pair(above, 2), bias }
}

impl Decoder<'_> {
    fn binding(&self, handle: Handle) -> Binding {
        Binding { unit: self.unit(), buffer: self.code.handle_buffer, handle }
    }

    /// Samples whose sources `read` finds. `differs`: levels follow from differences in every stage.
    fn samples(
        &self,
        guard: Guard,
        binding: Binding,
        store: Store,
        differs: bool,
        read: impl Fn(&Lane) -> Sample + Send + Sync + 'static,
    ) -> Op {
        self.warp(guard, move |lanes, set, context| {
            let mut results = [[0; 4]; 32];
            for n in lanes_of(set) {
                let sample = read(&lanes[n]);
                let Some(unit) = binding.find(sample.handle, context) else { continue };
                let place = |lane: &Lane| read(lane).coordinates.place(unit.key.shape);
                let how = [differs || context.stage.is_quad(), unit.shares_differences()];
                let lookup = Lookup {
                    at: sample.coordinates.place(unit.key.shape),
                    lod_source: lod_source(lanes, n, sample.level, how, place),
                    offset: sample.offset,
                    reference: sample.reference,
                };
                results[n] = computed(unit.key.filters(), unit.look_up(&lookup));
            }
            lanes_of(set).for_each(|n| store.store(&mut lanes[n], results[n]));
        })
    }

    /// A lookup that each lane does by itself.
    fn asked(
        &self,
        guard: Guard,
        store: Store,
        ask: impl Fn(&Lane, &Context<'_>) -> Option<[u32; 4]> + Send + Sync + 'static,
    ) -> Op {
        self.lane(guard, move |lane, context| {
            let result = ask(lane, context).unwrap_or([0; 4]);
            store.store(lane, result);
        })
    }
}

impl TextureVisitor for Decoder<'_> {
    type Output = Op;

    fn tex(&mut self, i: TextureSample) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: i.pred };
        self.samples(i.guard, binding, store, i.ndv, move |lane| {
            let coordinates = coordinates(&mut Sources::new(lane, i.a), i.dim);
            let mut b = Sources::new(lane, i.b);
            let handle = b.take_if(binding.is_bindless());
            let level = match i.lod {
                LodMode::Implicit | LodMode::Unknown(_) => Level::Implicit,
                LodMode::Zero => Level::Fixed(0.0),
                LodMode::Bias | LodMode::BiasA => Level::Bias(b.float()),
                LodMode::Level | LodMode::LevelA => Level::Fixed(b.float()),
            };
            let offset = b.take_if(i.aoffi).map_or([0; 3], |word| offsets(word, 4, 4));
            let reference = reference(b.take_if(i.dc));
            Sample { coordinates, level, offset, reference, handle }
        })
    }

    fn texs(&mut self, i: TextureSampleShort) -> Op {
        use TexsTarget as To;
        let store = short(i.dst, i.dst2, i.components, !i.f32);
        self.samples(i.guard, self.binding(i.handle), store, false, move |lane| {
            let word = |reg: Reg, at: u8| lane.read_at(reg, at);
            let (a, b) = (i.a, i.b);
            let zero = Level::Fixed(0.0);
            let (at, layer, level, compared) = match i.target {
                To::D1Lz | To::Unknown(_) => ([word(a, 0), 0, 0], 0, zero, None),
                To::D2 => ([word(a, 0), word(b, 0), 0], 0, Level::Implicit, None),
                To::D2Lz => ([word(a, 0), word(b, 0), 0], 0, zero, None),
                To::D2Ll => ([word(a, 0), word(a, 1), 0], 0, Level::Fixed(f32::from_bits(word(b, 0))), None),
                To::D2Dc => ([word(a, 0), word(a, 1), 0], 0, Level::Implicit, Some(word(b, 0))),
                To::D2LlDc => {
                    ([word(a, 0), word(a, 1), 0], 0, Level::Fixed(f32::from_bits(word(b, 0))), Some(word(b, 1)))
                }
                To::D2LzDc => ([word(a, 0), word(a, 1), 0], 0, zero, Some(word(b, 0))),
                To::A2d => ([word(a, 1), word(b, 0), 0], word(a, 0), Level::Implicit, None),
                To::A2dLz => ([word(a, 1), word(b, 0), 0], word(a, 0), zero, None),
                To::A2dLzDc => ([word(a, 1), word(b, 0), 0], word(a, 0), zero, Some(word(b, 1))),
                To::D3 | To::Cube => ([word(a, 0), word(a, 1), word(b, 0)], 0, Level::Implicit, None),
                To::D3Lz => ([word(a, 0), word(a, 1), word(b, 0)], 0, zero, None),
                To::CubeLl => ([word(a, 0), word(a, 1), word(b, 0)], 0, Level::Fixed(f32::from_bits(word(b, 1))), None),
            };
            let coordinates = Coordinates { at, layer: layer & 0xFFFF };
            Sample { coordinates, level, offset: [0; 3], reference: reference(compared), handle: None }
        })
    }

    fn tld(&mut self, i: TexelFetch) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: i.pred };
        self.asked(i.guard, store, move |lane, context| {
            let at = coordinates(&mut Sources::new(lane, i.a), i.dim);
            let mut b = Sources::new(lane, i.b);
            let handle = b.take_if(binding.is_bindless());
            let level = b.take_if(i.level).unwrap_or(0);
            let offset = b.take_if(i.aoffi).map_or([0; 3], |word| offsets(word, 4, 4));
            let sample = b.take_if(i.multisample).unwrap_or(0);
            Some(fetch(&binding.find(handle, context)?, at, offset, level, sample))
        })
    }

    fn tlds(&mut self, i: TexelFetchShort) -> Op {
        use TldsTarget as To;
        let store = short(i.dst, i.dst2, i.components, !i.f32);
        let binding = self.binding(i.handle);
        self.asked(i.guard, store, move |lane, context| {
            let word = |reg: Reg, at: u8| lane.read_at(reg, at);
            let (a, b) = (i.a, i.b);
            let (at, layer, [level, offset, sample]) = match i.target {
                To::D1Lz | To::Unknown(_) => ([word(a, 0), 0, 0], 0, [0; 3]),
                To::D1Ll => ([word(a, 0), 0, 0], 0, [word(b, 0), 0, 0]),
                To::D2Lz => ([word(a, 0), word(b, 0), 0], 0, [0; 3]),
                To::D2LzAoffi => ([word(a, 0), word(a, 1), 0], 0, [0, word(b, 0), 0]),
                To::D2Ll => ([word(a, 0), word(a, 1), 0], 0, [word(b, 0), 0, 0]),
                To::D2LzMs => ([word(a, 0), word(a, 1), 0], 0, [0, 0, word(b, 0)]),
                To::D3Lz => ([word(a, 0), word(a, 1), word(b, 0)], 0, [0; 3]),
                To::A2dLz => ([word(b, 0), word(b, 1), 0], word(a, 0) & 0xFFFF, [0; 3]),
                To::D2LlAoffi => ([word(a, 0), word(a, 1), 0], 0, [word(b, 0), word(b, 1), 0]),
            };
            Some(fetch(&binding.find(None, context)?, Coordinates { at, layer }, offsets(offset, 4, 4), level, sample))
        })
    }

    fn tld4(&mut self, i: TextureGather) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: i.pred };
        self.asked(i.guard, store, move |lane, context| {
            let at = coordinates(&mut Sources::new(lane, i.a), i.dim);
            let mut b = Sources::new(lane, i.b);
            let handle = b.take_if(binding.is_bindless());
            let mut offset = [0; 3];
            let mut offsets_of = GatherOffsets::Common;
            match i.offset {
                GatherOffset::None | GatherOffset::Unknown(_) => {}
                GatherOffset::Aoffi => offset = offsets(b.take(), 6, 8),
                GatherOffset::Ptp => {
                    let words = [b.take(), b.take()];
                    offsets_of = GatherOffsets::Each([0, 1, 2, 3].map(|n| {
                        let [x, y, _] = offsets(words[n >> 1] >> (16 * (n & 1)), 6, 8);
                        [x, y]
                    }));
                }
            }
            let reference = reference(b.take_if(i.dc));
            Some(gather(&binding.find(handle, context)?, at, offset, reference, offsets_of, i.component))
        })
    }

    fn tld4s(&mut self, i: TextureGatherShort) -> Op {
        let store = Store::Short { dst: [i.dst, i.dst2], mask: 15, halves: i.f16 };
        let binding = self.binding(i.handle);
        self.asked(i.guard, store, move |lane, context| {
            let mut b = Sources::new(lane, i.b);
            let t = if i.dc || i.aoffi { lane.read_at(i.a, 1) } else { b.take() };
            let offset = b.take_if(i.aoffi).map_or([0; 3], |word| offsets(word, 6, 8));
            let reference = reference(b.take_if(i.dc));
            let at = Coordinates { at: [lane.read(i.a), t, 0], layer: 0 };
            Some(gather(&binding.find(None, context)?, at, offset, reference, GatherOffsets::Common, i.component))
        })
    }

    fn txd(&mut self, i: TextureGradient) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: i.pred };
        let axes = axes(i.dim);
        self.asked(i.guard, store, move |lane, context| {
            let mut a = Sources::new(lane, i.a);
            let handle = a.take_if(binding.is_bindless());
            let mut at = [0; 3];
            at[..axes].fill_with(|| a.take());
            // Layer and offsets share a register.
            let packed = a.take_if(is_array(i.dim) || i.aoffi).unwrap_or(0);
            let (bits, shift) = if i.lod_clamp { (12, 12) } else { (16, 16) };
            let layer = if is_array(i.dim) { packed & ((1 << bits) - 1) } else { 0 };
            let offset = if i.aoffi { offsets(packed >> shift & 0xFF, 4, 4) } else { [0; 3] };
            let mut b = Sources::new(lane, i.b);
            let mut gradients = [[0.0; 4]; 2];
            for axis in 0..axes {
                gradients.iter_mut().for_each(|gradient| gradient[axis] = b.float());
            }
            let unit = binding.find(handle, context)?;
            let at = Coordinates { at, layer }.place(unit.key.shape);
            let lod_source = LodSource::Gradients(gradients);
            let lookup = Lookup { at, lod_source, offset, reference: Reference::Missing };
            Some(computed(unit.key.filters(), unit.look_up(&lookup)))
        })
    }

    fn txq(&mut self, i: TextureQuery) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: Pred::PT };
        self.asked(i.guard, store, move |lane, context| {
            let mut a = Sources::new(lane, i.a);
            let handle = a.take_if(binding.is_bindless());
            let level = a.take();
            let unit = binding.find(handle, context)?;
            Some(match i.query {
                QueryKind::Dimension => unit.query_size(level as i32),
                QueryKind::TextureType => [0, 0, unit.texture.samples, 0],
                _ => [0; 4],
            })
        })
    }

    fn tmml(&mut self, i: TextureLevel) -> Op {
        let binding = self.binding(i.handle);
        let store = Store::Masked { dst: i.dst, mask: i.mask, pred: Pred::PT };
        self.warp(i.guard, move |lanes, set, context| {
            let mut results = [[0; 4]; 32];
            let read = |lane: &Lane| coordinates(&mut Sources::new(lane, i.a), i.dim);
            for n in lanes_of(set) {
                let given = binding.is_bindless().then(|| lanes[n].read(i.b));
                let Some(unit) = binding.find(given, context) else { continue };
                let place = |lane: &Lane| read(lane).place(unit.key.shape);
                let how = [i.ndv || context.stage.is_quad(), unit.shares_differences()];
                let lookup = Lookup {
                    at: place(&lanes[n]),
                    lod_source: lod_source(lanes, n, Level::Implicit, how, place),
                    offset: [0; 3],
                    reference: Reference::Missing,
                };
                let [wanted, read] = unit.query_level(&lookup);
                results[n] = [wanted as u32, read as u32, 0, 0];
            }
            lanes_of(set).for_each(|n| store.store(&mut lanes[n], results[n]));
        })
    }

    fn txa(&mut self, _: TextureAddress) -> Op {
        self.nothing()
    }
}

/// The words of a lookup's result. What arithmetic made has the NaN of arithmetic; what was only moved keeps its bits.
fn computed(by_arithmetic: bool, result: [f32; 4]) -> [u32; 4] {
    result.map(|channel| if by_arithmetic { number::bits(channel) } else { channel.to_bits() })
}

fn fetch(unit: &TextureUnit<'_>, at: Coordinates, offset: [i32; 3], level: u32, sample: u32) -> [u32; 4] {
    let texel = std::array::from_fn(|axis| (at.at[axis] as i32).wrapping_add(offset[axis]));
    let samples = unit.texture.samples.max(1);
    // A sample that the texture does not have is no texel.
    let layer = if sample < samples { at.layer * samples + sample } else { u32::MAX };
    computed(unit.key.converts(), unit.fetch(texel, layer, level as i32))
}

fn gather(
    unit: &TextureUnit<'_>,
    at: Coordinates,
    offset: [i32; 3],
    reference: Reference,
    offsets: GatherOffsets,
    component: GatherComponent,
) -> [u32; 4] {
    let lookup = Lookup { at: at.place(unit.key.shape), lod_source: LodSource::Level(0.0), offset, reference };
    computed(unit.key.converts(), unit.gather(&lookup, component.bits().into(), offsets))
}
