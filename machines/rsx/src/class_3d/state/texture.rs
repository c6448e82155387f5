//! Texture units: where images are, how they are sampled.

use std::sync::Arc;

use triglyph_guest::format::{Arrangement, Coding, Form, ImageLayout, LevelLayout};
use triglyph_guest::kernel::Accuracy;
use triglyph_guest::kernel::program::fragment::UNITS;
use triglyph_guest::kernel::program::sampler::{
    Compare, Convert, Filter, Reduction, Rounding, Shape, Source, Texels, TextureKey, Wrap,
};
use triglyph_guest::rsx::chip::Chip;
use triglyph_guest::rsx::enums::{
    self, Aniso, MagFilter, MinFilter, RemapKind, RemapOrder, TexZfunc, TextureDimension, TextureLocation,
    UnsignedRemap,
};
use triglyph_guest::rsx::methods::curie as m;
use triglyph_guest::rsx::texel::{TexelFormat, TexelKind, TextureFormat, pair_remap};

use crate::core::Core;
use crate::front_end::registers::Registers;
use triglyph_engine::cache::Recent;
use triglyph_engine::cache::image::{ImageSource, MAX_WORDS};
use triglyph_engine::device::FaultKind;
use triglyph_engine::frontend::Recycled;
use triglyph_engine::mem::GuestAddr;
use triglyph_engine::scene::program::TextureBinding;

/// The registers of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    offset: u32,
    format: u32,
    address: u32,
    control0: u32,
    control1: u32,
    control3: u32,
    filter: u32,
    rect: u32,
    border: u32,
}

/// The crossbar that changes nothing.
const IDENTITY: u32 = 0xAAE4;

/// Units of fragment programs, as far as they were looked at.
#[derive(Debug, Default)]
pub(in crate::class_3d) struct TextureUnits {
    units: [Option<Option<Unit>>; UNITS],
    /// The units of the last program.
    last: Option<(u16, Used)>,
    known: KnownUnits,
    recycled: Recycled<[Option<TextureBinding>; UNITS]>,
}

/// Units that were derived lately; `None` for images of sizes that do not exist.
type KnownUnits = Recent<Asked, Option<Unit>>;

/// All that a unit is derived from.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asked {
    words: Words,
    /// Where the image is.
    place: GuestAddr,
    /// Bytes of its object from there on.
    allowed: u64,
    chip: Chip,
}

/// A unit that is on.
#[derive(Clone, Debug)]
struct Unit {
    key: TextureKey,
    binding: TextureBinding,
}

/// Units that a program samples.
#[derive(Clone, Debug)]
pub(super) struct Used {
    /// For its key.
    pub keys: [Option<TextureKey>; UNITS],
    /// What they sample.
    pub bindings: Arc<[Option<TextureBinding>; UNITS]>,
}

impl TextureUnits {
    /// Registers of units have changed.
    pub(super) fn forget(&mut self) {
        self.units = Default::default();
        self.last = None;
    }

    /// The units in `used`.
    pub(super) fn get(&mut self, core: &mut Core, registers: &Registers, used: u16) -> Used {
        if let Some((_, last)) = self.last.as_ref().filter(|(set, _)| *set == used) {
            return last.clone();
        }
        let (mut keys, mut bindings) = ([None; UNITS], [const { None }; UNITS]);
        let TextureUnits { units, known, recycled, .. } = self;
        for i in (0..UNITS).filter(|i| used >> i & 1 != 0) {
            let unit = units[i].get_or_insert_with(|| unit(core, registers, fragment_words(registers, i), Some(known)));
            if let Some(unit) = unit {
                keys[i] = Some(unit.key);
                bindings[i] = Some(unit.binding.clone());
            }
        }
        let found = Used { keys, bindings: recycled.share(bindings) };
        self.last = Some((used, found.clone()));
        found
    }
}

/// Units of vertex programs.
#[derive(Debug)]
pub(in crate::class_3d) struct VertexTextures {
    /// For the key.
    pub keys: [Option<TextureKey>; 4],
    /// What they sample.
    pub bindings: [Option<TextureBinding>; 4],
}

impl VertexTextures {
    /// Units in `used`: nearest texels whatever the filter says.
    pub(super) fn new(core: &mut Core, registers: &Registers, used: u8) -> Self {
        let mut textures = VertexTextures { keys: [None; 4], bindings: [const { None }; 4] };
        for i in (0..4).filter(|i| used >> i & 1 != 0) {
            if let Some(Unit { key, binding }) = unit(core, registers, vertex_words(registers, i), None) {
                let nearest = Filter::Nearest;
                textures.keys[i] = Some(TextureKey { magnify: nearest, minify: nearest, compare: None, ..key });
                textures.bindings[i] = Some(binding);
            }
        }
        textures
    }
}

fn fragment_words(registers: &Registers, i: usize) -> Words {
    let get = |id: usize| registers.get(id as u32);
    Words {
        offset: m::set_texture_offset::offset(get(m::set_texture_offset::id(i))),
        format: get(m::set_texture_format::id(i)),
        address: get(m::set_texture_address::id(i)),
        control0: get(m::set_texture_control0::id(i)),
        control1: get(m::set_texture_control1::id(i)),
        control3: get(m::set_texture_control3::id(i)),
        filter: get(m::set_texture_filter::id(i)),
        rect: get(m::set_texture_image_rect::id(i)),
        border: get(m::set_texture_border_color::id(i)),
    }
}

fn vertex_words(registers: &Registers, i: usize) -> Words {
    let get = |id: usize| registers.get(id as u32);
    // Levels are chosen by the instruction, so that there has to be a mipmap filter where there are levels.
    let levels = m::set_vertex_texture_format::levels(get(m::set_vertex_texture_format::id(i)));
    let filter = if levels > 1 { MinFilter::NearestNearest } else { MinFilter::Nearest };
    Words {
        offset: m::set_vertex_texture_offset::offset(get(m::set_vertex_texture_offset::id(i))),
        format: get(m::set_vertex_texture_format::id(i)),
        address: get(m::set_vertex_texture_address::id(i)),
        control0: get(m::set_vertex_texture_control0::id(i)),
        control1: IDENTITY,
        control3: get(m::set_vertex_texture_control3::id(i)) | 1 << 20,
        filter: filter.bits() << 16 | MagFilter::Nearest.bits() << 24,
        rect: get(m::set_vertex_texture_image_rect::id(i)),
        border: get(m::set_vertex_texture_border_color::id(i)),
    }
}

/// Derives a unit; `None` when it is off, or has nothing to sample, which is a fault.
fn unit(core: &mut Core, registers: &Registers, words: Words, known: Option<&mut KnownUnits>) -> Option<Unit> {
    if !m::set_texture_control0::enable(words.control0) {
        return None;
    }
    let fault = |core: &mut Core, kind, what: std::fmt::Arguments<'_>| {
        core.fault(kind, words.offset.into(), what);
        None
    };
    let chip = core.chip();
    let Some(format) =
        m::set_texture_format::format(words.format).filter(|_| m::set_texture_format::is_format(words.format))
    else {
        return fault(
            core,
            FaultKind::BadMethod,
            format_args!("texture format {:#x} does not exist", words.format >> 8 & 0xFF),
        );
    };
    let object = match m::set_texture_format::location(words.format) {
        Some(TextureLocation::Local) => m::set_context_dma_a::ID,
        Some(TextureLocation::Main) => m::set_context_dma_b::ID,
        None => {
            return fault(
                core,
                FaultKind::BadMethod,
                format_args!("location {} of the texture does not exist", words.format & 3),
            );
        }
    };
    let object = core.dma(registers.get(object as u32), "texture")?;
    let Some(place) = object.place(words.offset) else {
        return fault(
            core,
            FaultKind::UnmappedRead,
            format_args!("the texture at {:#x} is beyond the end of its DMA object", words.offset),
        );
    };
    let allowed = (object.limit - u64::from(words.offset)).saturating_add(1);
    let asked = Asked { words, place, allowed, chip };
    let derive = |asked: &Asked| asked.unit(format, core.renderer.accuracy);
    let unit = known.map_or_else(|| derive(&asked), |known| known.get(&asked, derive));
    let Some(unit) = unit else {
        return fault(
            core,
            FaultKind::BadMethod,
            format_args!("SET_TEXTURE_IMAGE_RECT: a texture cannot have the size {:#x}", words.rect),
        );
    };
    let there = core.memory.readable(place).len() as u64;
    if there.min(allowed) < unit.binding.image.layout.bytes() {
        core.fault(FaultKind::UnmappedRead, place.address, format_args!("the texture ends outside mapped memory"));
    }
    Some(unit)
}

impl Asked {
    /// The unit; `None` for sizes that do not exist.
    fn unit(&self, format: TextureFormat, accuracy: Accuracy) -> Option<Unit> {
        let Asked { words, place, allowed, chip } = self;
        let texel = &format.texels(*chip);
        let sampler = sampler(words, format, texel);
        let (layout, shape) = image(words, texel, &sampler, *chip)?;
        let power_of_two = layout.has_powers_of_two();
        let reduction = match sampler.key.reduction {
            // A step of a byte in one pixel of a hundred, for twice the time.
            Reduction::Halves | Reduction::Words if accuracy == Accuracy::Fast => Reduction::Average,
            reduction => reduction,
        };
        let anisotropy = anisotropy(words.control0, shape, &sampler.key);
        let rounding = if accuracy == Accuracy::Exact { Rounding::Coordinates } else { Rounding::None };
        let key = TextureKey { shape, anisotropy, accuracy, rounding, power_of_two, reduction, ..sampler.key };
        let (lod_range, lod_bias) = (sampler.lod_range, sampler.lod_bias);
        let border = border(words.border, texel.coding.texels());
        let image = Arc::new(ImageSource { place: *place, size: layout.bytes().min(*allowed), layout });
        Some(Unit { key, binding: TextureBinding { image, lod_bias, lod_range, border } })
    }
}

/// What a unit does with an image.
struct Sampler {
    key: TextureKey,
    lod_bias: f32,
    lod_range: [f32; 2],
}

fn sampler(words: &Words, format: TextureFormat, texel: &TexelFormat) -> Sampler {
    use m::{set_texture_address as address, set_texture_control0 as control0, set_texture_filter as filter};
    let unnormalized = m::set_texture_format::unnormalized(words.format);
    let (mut minify, mut mipmap) = min_filter(filter::min(words.filter));
    let mut magnify = match filter::mag(words.filter) {
        None | Some(MagFilter::Nearest) => Filter::Nearest,
        Some(MagFilter::Linear | MagFilter::ConvolutionMag) => Filter::Linear,
    };
    // Singles cannot be filtered.
    if matches!(format, TextureFormat::Rgba32Float | TextureFormat::X32Float) {
        (minify, magnify, mipmap) = (Filter::Nearest, Filter::Nearest, mipmap.map(|_| Filter::Nearest));
    }
    let depth = texel.kind == TexelKind::Depth;
    let swizzle = swizzle(words.control1, format, texel);
    let key = TextureKey {
        shape: Shape::D2,
        texels: texel.coding.texels(),
        unnormalized,
        wrap: [address::wrap_s(words.address), address::wrap_t(words.address), address::wrap_r(words.address)]
            .map(wrap),
        magnify,
        minify,
        mipmap: mipmap.filter(|_| !unnormalized),
        compare: address::compare(words.address).filter(|_| depth).and_then(compare),
        swizzle,
        convert: convert(words, texel.kind, swizzle, false),
        expanded: convert(words, texel.kind, swizzle, true),
        seamless: false,
        clamp_reference: false,
        alpha_kill: control0::alpha_kill(words.control0),
        reduction: match (texel.coding.texels(), texel.kind) {
            // HILO8 has eight bits and is filtered more finely (ps3autotests' texture_formats).
            (Texels::Rgba8, TexelKind::Color | TexelKind::Byte) => Reduction::Rounded,
            _ => match format {
                TextureFormat::X16 | TextureFormat::Y16X16 => Reduction::Words,
                TextureFormat::Rgba16Float | TextureFormat::Y16X16Float => Reduction::Halves,
                _ => Reduction::Average,
            },
        },
        anisotropy: 1,
        rounding: Rounding::None,
        accuracy: Accuracy::Exact,
        power_of_two: false,
    };
    let lod = |v: u32| v as f32 * (1.0 / 256.0);
    Sampler {
        key,
        lod_bias: filter::bias(words.filter) as f32 * (1.0 / 256.0),
        lod_range: [lod(control0::min_lod(words.control0)), lod(control0::max_lod(words.control0))],
    }
}

/// Taps of a filter at most: of images with two axes, minified linearly, as on the Tegra X1.
fn anisotropy(control0: u32, shape: Shape, key: &TextureKey) -> u8 {
    let has_two_axes = matches!(shape, Shape::D2 | Shape::Cube) && !key.unnormalized;
    match m::set_texture_control0::max_aniso(control0) {
        Some(most) if has_two_axes && key.minify == Filter::Linear => match most {
            Aniso::X1 => 1,
            Aniso::X2 => 2,
            Aniso::X4 => 4,
            Aniso::X6 => 6,
            Aniso::X8 => 8,
            Aniso::X10 => 10,
            Aniso::X12 => 12,
            Aniso::X16 => 16,
        },
        _ => 1,
    }
}

fn min_filter(filter: Option<MinFilter>) -> (Filter, Option<Filter>) {
    match filter {
        None | Some(MinFilter::Nearest) => (Filter::Nearest, None),
        // The kernels of convolutions are not known.
        Some(MinFilter::Linear | MinFilter::ConvolutionMin) => (Filter::Linear, None),
        Some(MinFilter::NearestNearest) => (Filter::Nearest, Some(Filter::Nearest)),
        Some(MinFilter::LinearNearest) => (Filter::Linear, Some(Filter::Nearest)),
        Some(MinFilter::NearestLinear) => (Filter::Nearest, Some(Filter::Linear)),
        Some(MinFilter::LinearLinear) => (Filter::Linear, Some(Filter::Linear)),
    }
}

fn wrap(wrap: Option<enums::Wrap>) -> Wrap {
    wrap.map_or(Wrap::ClampToEdge, Wrap::from)
}

/// NEVER means that nothing is compared: depth itself is read.
fn compare(function: TexZfunc) -> Option<Compare> {
    (function != TexZfunc::Never).then(|| function.into())
}

/// The crossbar: where r, g, b, a come from.
fn swizzle(control1: u32, format: TextureFormat, texel: &TexelFormat) -> [Source; 4] {
    const FROM: [Source; 4] = [Source::Alpha, Source::Red, Source::Green, Source::Blue];
    if texel.kind == TexelKind::Float4 {
        return [Source::Red, Source::Green, Source::Blue, Source::Alpha];
    }
    let low = match format.has_pair_remap() {
        true => pair_remap(control1 & 0xFF, m::set_texture_control1::order(control1) == Some(RemapOrder::Xxxy)),
        false => control1 & 0xFF,
    };
    // Fields in the order a, r, g, b.
    [1, 2, 3, 0].map(|i| match RemapKind::from_register(control1 >> (8 + 2 * i) & 3) {
        Some(RemapKind::Zero) => Source::Zero,
        Some(RemapKind::One) => Source::One,
        _ => FROM[(low >> (2 * i) & 3) as usize],
    })
}

/// Which of r, g, b, a of a texel are signed.
fn signed(words: &Words, kind: TexelKind) -> [bool; 4] {
    // RPCS3 has the flags in the order a, r, g, b, envytools in b, g, r, a.
    let flags = m::set_texture_filter::signed_flags(words.filter);
    let [r, g, b, a] = [1, 2, 3, 0].map(|bit| flags >> bit & 1 != 0);
    match kind {
        TexelKind::Color | TexelKind::WordPair => [r, g, b, a],
        TexelKind::Byte => [false, false, false, a],
        _ => [false; 4],
    }
}

/// What happens to r, g, b, a after that. Signed comes before gamma, gamma before biased; signed belongs to the texel's
/// channel, gamma to the result's, and constants of the crossbar stay as they are. Where the instruction expands its
/// result that takes the place of gamma and biased, of formats that can be biased. (RPCS3, from tests on a console;
/// expanded depth hangs it, here it stays what it is.)
fn convert(words: &Words, kind: TexelKind, swizzle: [Source; 4], expands: bool) -> [Convert; 4] {
    use m::set_texture_address as address;
    let [r, g, b, a] = signed(words, kind);
    let signed = swizzle.map(|source| match source {
        Source::Red => Some(r),
        Source::Green => Some(g),
        Source::Blue => Some(b),
        Source::Alpha => Some(a),
        Source::Zero | Source::One | Source::OneInteger => None,
    });
    let gamma = [
        address::gamma_r(words.address),
        address::gamma_g(words.address),
        address::gamma_b(words.address),
        address::gamma_a(words.address),
    ];
    let biased = address::unsigned_remap(words.address) == Some(UnsignedRemap::Biased);
    use TexelKind::{Byte, Color, Depth, Pair, Word, WordPair};
    std::array::from_fn(|i| match (kind, signed[i]) {
        (_, None) => Convert::None,
        (Color | Byte, Some(true)) => Convert::Signed,
        (WordPair, Some(true)) => Convert::SignedWord,
        (Color | Byte | Pair | Word | WordPair, _) if expands => Convert::Expanded,
        (Color, _) if gamma[i] => Convert::Srgb,
        (Byte, _) if gamma[i] && i == 0 => Convert::Srgb,
        (Color | Byte | Pair | Depth, _) if biased => Convert::Biased,
        (Word | WordPair, _) if biased => Convert::BiasedWord,
        _ => Convert::None,
    })
}

/// Border colour r, g, b, a in the scale of the texels. Its bytes are those of biased channels where texels are signed,
/// as these are when they are decoded (RPCS3 #18202, after dumps of a console).
fn border(word: u32, texels: Texels) -> [f32; 4] {
    use m::set_texture_border_color as border;
    let scale = if texels == Texels::Rgba8 { 1.0 } else { 1.0 / 255.0 };
    [border::r(word), border::g(word), border::b(word), border::a(word)].map(|byte| byte as f32 * scale)
}

/// Largest edge of an image, and of a volume.
const MAX_EDGE: [u32; 2] = [4096, 512];

/// Layout of a unit's image in memory. `None` for sizes that do not exist.
fn image(words: &Words, texel: &TexelFormat, sampler: &Sampler, chip: Chip) -> Option<(ImageLayout, Shape)> {
    use m::{set_texture_control3 as control3, set_texture_format as format, set_texture_image_rect as rect};
    let cube = format::cube(words.format);
    let dimension = format::dimension(words.format);
    let shape = match (cube, dimension) {
        (true, _) => Shape::Cube,
        (_, Some(TextureDimension::D1)) => Shape::D1,
        (_, Some(TextureDimension::D3)) => Shape::D3,
        _ => Shape::D2,
    };
    let size = [
        rect::width(words.rect),
        if shape == Shape::D1 { 1 } else { rect::height(words.rect) },
        if shape == Shape::D3 { control3::depth(words.control3) } else { 1 },
    ];
    let largest = if shape == Shape::D3 { MAX_EDGE[1] } else { MAX_EDGE[0] };
    if size.iter().any(|&edge| edge == 0 || edge > largest) {
        return None;
    }
    let declared = format::levels(words.format).clamp(1, size.into_iter().max()?.ilog2() + 1);
    let storage = Storage {
        coding: &texel.coding,
        linear: format::linear(words.format),
        pitch: control3::pitch(words.control3),
        border: !format::no_border(words.format),
        shape,
        part: chip.interleaved_bytes(texel.coding.block().2),
    };
    let (mut levels, end) = storage.levels(size, declared);
    // What is never sampled need not be decoded.
    let read = match sampler.key.mipmap {
        None => 1,
        Some(_) => sampler.lod_range[1].max(sampler.lod_range[0]).ceil() as usize + 1,
    };
    levels.truncate(read);
    let layers = if cube { 6 } else { 1 };
    let layer_stride = if storage.linear { end } else { end.next_multiple_of(128) };
    let layout = ImageLayout {
        coding: texel.coding,
        levels,
        layers,
        layer_stride: u32::try_from(layer_stride).unwrap_or(u32::MAX),
        form: match signed(words, texel.kind) {
            [false, false, false, false] => Form::Plain,
            signed => Form::Signed(signed),
        },
    };
    (layout.words() <= MAX_WORDS).then_some((layout, shape))
}

/// How the levels of an image follow each other.
struct Storage<'a> {
    coding: &'a Coding,
    linear: bool,
    pitch: u32,
    border: bool,
    shape: Shape,
    /// Bytes of what is interleaved.
    part: u32,
}

impl Storage<'_> {
    /// The levels of an image and where they end.
    fn levels(&self, size: [u32; 3], count: u32) -> (Vec<LevelLayout>, u64) {
        let mut end = 0u64;
        let mut levels = Vec::new();
        for level in 0..count {
            let size = size.map(|edge| (edge >> level).max(1));
            let Ok(offset) = u32::try_from(end) else { break };
            let (layout, bytes) = self.level(offset, size);
            levels.push(layout);
            end += bytes;
        }
        (levels, end)
    }

    /// A level and its bytes. Blocks are never interleaved. Images with a border have it stored around each level, also
    /// above and below a single row: one texel of linear ones, four of others, whose stored size is the next power of
    /// two (RPCS3 #19226). It is left out.
    fn level(&self, offset: u32, size: [u32; 3]) -> (LevelLayout, u64) {
        let (across, down, bytes) = self.coding.block();
        let interleaved = !self.linear && across == 1;
        let margin = match self.border {
            false => 0,
            true if self.linear && across == 1 => 1,
            true => 4,
        };
        let volume = self.shape == Shape::D3;
        let skip = [margin, if self.shape == Shape::D1 { 0 } else { margin }, if volume { margin } else { 0 }];
        let stored = [0, 1, 2].map(|i| size[i] + 2 * skip[i]);
        if interleaved {
            let mut log2 = stored.map(|edge| edge.next_power_of_two().ilog2() as u8);
            log2[0] += (bytes / self.part).ilog2() as u8;
            let arrangement = Arrangement::Interleaved { log2, part: self.part as u8 };
            let parts = 1u64 << log2.iter().map(|&l| u32::from(l)).sum::<u32>();
            return (LevelLayout { offset, size, skip, arrangement }, parts * u64::from(self.part));
        }
        let (columns, rows) = (stored[0].div_ceil(across), stored[1].div_ceil(down));
        let pitch = if self.linear { self.pitch } else { columns * bytes };
        let slice = pitch.saturating_mul(rows);
        let grouped = volume && !self.linear && across == 4 && !self.border;
        let arrangement = if grouped { Arrangement::GroupedSlices } else { Arrangement::Rows { pitch, slice } };
        (LevelLayout { offset, size, skip, arrangement }, u64::from(slice) * u64::from(stored[2]))
    }
}
