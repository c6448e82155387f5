//! Vertex fetch: attributes and streams become records of words. Where attributes come from is remembered between
//! draws.

use smallvec::SmallVec;
use triglyph_guest::kernel::Window;
use triglyph_guest::kernel::program::words::WordSet;
use triglyph_guest::num::F16;
use triglyph_guest::tegra::format::{VertexFormat, VertexType};
use triglyph_guest::tegra::header::program::attribute;
use triglyph_guest::tegra::methods::threed::{AttributeSource, dirty, regs as r};

use crate::core::{ADDRESS_MASK, Core};
use crate::front_end::registers::Registers;
use triglyph_engine::device::FaultKind;
use triglyph_engine::mem::{GuestAddr, GuestRange, copy_out};
use triglyph_engine::probe::{self, Fetch, Input, MAX_VERTICES, Vertices};

/// Vertices of a draw, as fetch sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a> {
    /// Elements of streams that are not instanced, at least one.
    pub elements: &'a [u32],
    /// The lowest and the highest of them.
    pub ends: (u32, u32),
    /// Added to an element for the number that programs see.
    pub id_offset: u32,
    /// The instance counter.
    pub instance: u32,
}

/// Where the words of an attribute come from.
#[derive(Debug)]
enum Source {
    /// The same for all vertices.
    Constant([u32; 4]),
    /// A stream.
    Stream(Stream),
}

#[derive(Debug)]
struct Stream {
    /// GPU address of the attribute in element 0.
    address: u64,
    /// Bytes from there on that may be read.
    room: u64,
    stride: u32,
    /// The element of the first instances and how many have the same one, 0 all, if the stream is instanced.
    instanced: Option<(u32, u32)>,
    format: VertexFormat,
    kind: VertexType,
    exchanged: bool,
}

/// An attribute and the words of a record that it fills, by component.
#[derive(Debug)]
struct Attribute {
    source: Source,
    words: [Option<usize>; 4],
}

/// Attributes.
const ATTRIBUTES: usize = 32;

/// Elements of a stream that are copied whatever is needed of them.
const SMALL: u64 = 64;

/// Bytes of a stream that are copied at most.
const MAX_COPIED: u64 = 16 << 20;

/// What attributes that nothing provides hold.
const DEFAULT: [u32; 4] = [0, 0, 0, 0x3F80_0000];

/// The attributes of a record; most have a few.
type Attributes = SmallVec<[Attribute; 4]>;

/// Where the words of records come from.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Words of a record.
    pub inputs: WordSet,
    attributes: Attributes,
    /// The word with the number of the instance.
    instance: Option<usize>,
    /// The words with the number of the vertex. One may be of an attribute, which has that instead of what its stream
    /// has.
    numbers: [Option<usize>; 2],
}

impl Layout {
    /// Groups of registers that it is derived from.
    pub(crate) const GROUPS: u32 = dirty::VERTEX_INPUT;

    /// That of records of the words `inputs`.
    pub(crate) fn new(core: &mut Core, registers: &Registers, inputs: WordSet) -> Self {
        let copy = registers.get(r::set_vertex_id_copy::ID);
        // That the slot is a word of the attribute space, as other slots are, is unverified.
        let slot = 4 * r::set_vertex_id_copy::attribute_slot(copy);
        let copy = r::set_vertex_id_copy::enable(copy).then_some(slot);
        let at = |address: u32| inputs.index((address / 4) as u8);
        Layout {
            inputs,
            attributes: attributes(core, registers, &inputs),
            instance: at(attribute::INSTANCE_ID),
            numbers: [at(attribute::VERTEX_ID), copy.and_then(at)],
        }
    }
}

/// Fetches into records, which are zeros. `room` is for copies of streams.
pub(crate) fn fetch(core: &mut Core, layout: &Layout, numbers: &Numbers<'_>, records: &mut [u32], room: &mut Vec<u8>) {
    let stride = records.len().checked_div(numbers.elements.len()).unwrap_or(0);
    if stride == 0 {
        return;
    }
    for attribute in &layout.attributes {
        match &attribute.source {
            Source::Constant(values) => {
                let places = attribute.words.iter().zip(values).filter_map(|(at, value)| at.map(|at| (at, *value)));
                for (at, value) in places {
                    records.iter_mut().skip(at).step_by(stride).for_each(|word| *word = value);
                }
            }
            Source::Stream(stream) => stream.fill(core, &attribute.words, numbers, (stride, records), room),
        }
    }
    if let Some(at) = layout.instance {
        records.iter_mut().skip(at).step_by(stride).for_each(|word| *word = numbers.instance);
    }
    for at in layout.numbers.into_iter().flatten() {
        let places = records.iter_mut().skip(at).step_by(stride).zip(numbers.elements);
        places.for_each(|(word, &element)| *word = element.wrapping_add(numbers.id_offset));
    }
}

/// The attributes that a set of words has any of.
fn attributes(core: &mut Core, registers: &Registers, inputs: &WordSet) -> Attributes {
    let mut found = Attributes::new();
    let mut last = None;
    for (at, word) in inputs.iter().enumerate() {
        let address = 4 * u32::from(word);
        let source = match address {
            attribute::GENERIC..attribute::FRONT_DIFFUSE => {
                Some(((address - attribute::GENERIC) / 16) as usize).filter(|&n| n < ATTRIBUTES)
            }
            // Fixed-function colours and texture coordinates have no attributes of their own; programs that read them
            // get defaults.
            attribute::FRONT_DIFFUSE..0x2C0 | attribute::TEXTURE_COORDINATE..0x3A0 => None,
            _ => continue,
        };
        if last != Some(word / 4) {
            last = Some(word / 4);
            let source = source.map_or(Source::Constant(DEFAULT), |n| self::source(core, registers, n));
            found.push(Attribute { source, words: [None; 4] });
        }
        if let Some(attribute) = found.last_mut() {
            attribute.words[usize::from(word % 4)] = Some(at);
        }
    }
    found
}

fn source(core: &mut Core, registers: &Registers, n: usize) -> Source {
    use r::set_vertex_attribute_a as a;
    let get = |id: usize| registers.get(id);
    let word = if n < 16 { get(a::id(n)) } else { get(r::set_vertex_attribute_b::id(n - 16)) };
    if a::source(word) == Some(AttributeSource::Inactive) {
        return Source::Constant(DEFAULT);
    }
    let stream = a::stream(word) as usize;
    let pick = |low: fn(usize) -> usize, high: fn(usize) -> usize| match stream < 16 {
        true => low(stream),
        false => high(stream - 16),
    };
    let format = get(pick(r::set_vertex_stream_a_format::id, r::set_vertex_stream_b_format::id));
    if !r::set_vertex_stream_a_format::enable(format) {
        return Source::Constant(DEFAULT);
    }
    let (Some(widths), Some(kind)) = (a::component_bit_widths(word), a::numerical_type(word)) else {
        let what = format_args!("vertex attribute {n}: {word:#010x}");
        core.fault(FaultKind::BadMethod, (a::id(0) + n) as u64, what);
        return Source::Constant(DEFAULT);
    };
    let location = pick(r::set_vertex_stream_a_location_a::id, r::set_vertex_stream_b_location_a::id);
    let limit = pick(r::set_vertex_stream_limit_a_a::id, r::set_vertex_stream_limit_b_a::id);
    let base = registers.address(location).wrapping_add(registers.address(r::set_vertex_global_base_offset_a::ID));
    let address = base.wrapping_add(a::offset(word).into()) & ADDRESS_MASK;
    // The limit is the last byte.
    let room = (registers.address(limit) + 1).saturating_sub(address);
    let instanced = get(pick(r::set_vertex_stream_instance_a::id, r::set_vertex_stream_instance_b::id)) & 1 != 0;
    let frequency = get(pick(r::set_vertex_stream_a_frequency::id, r::set_vertex_stream_b_frequency::id));
    let first = get(r::set_global_base_instance_index::ID);
    Source::Stream(Stream {
        address,
        room,
        stride: r::set_vertex_stream_a_format::stride(format),
        instanced: instanced.then_some((first, frequency)),
        format: widths,
        kind,
        exchanged: a::swap_r_and_b(word) && widths.count() > 2,
    })
}

impl Stream {
    fn fill(
        &self,
        core: &mut Core,
        words: &[Option<usize>; 4],
        numbers: &Numbers<'_>,
        (stride, records): (usize, &mut [u32]),
        room: &mut Vec<u8>,
    ) {
        let elements = numbers.elements;
        let instance = numbers.instance;
        let one = self.instanced.map(|(first, each)| first.wrapping_add(instance.checked_div(each).unwrap_or(0)));
        let last = one.unwrap_or(numbers.ends.1);
        let reads = self.span(last);
        core.renderer.flush_overlapping(&core.memory, GuestRange::new(core.space, self.address, reads));
        let window = core.memory.readable(GuestAddr::new(core.space, self.address));
        let mut missing = 0;
        if let Some(element) = one {
            // Vertices of one instance all have the same.
            let value = self.element(core, window, element, &mut missing);
            records.chunks_exact_mut(stride).for_each(|record| store(record, words, value));
        } else if reads <= self.room.min(window.len() as u64) && self.is_worth_copying(numbers) {
            let copied = self.copy(window, numbers.ends, room);
            self.fill_from(&copied, words, elements, records.chunks_exact_mut(stride));
        } else {
            for (record, &element) in records.chunks_exact_mut(stride).zip(elements) {
                store(record, words, self.element(core, window, element, &mut missing));
            }
        }
        if missing != 0 {
            let what = format_args!("{missing} elements of a vertex stream outside memory");
            core.fault(FaultKind::UnmappedRead, self.address, what);
        }
    }

    /// Whether so little of a stream lies between elements that all of it may be copied.
    fn is_worth_copying(&self, numbers: &Numbers<'_>) -> bool {
        let apart = u64::from(numbers.ends.1 - numbers.ends.0);
        apart <= 4 * numbers.elements.len() as u64 + SMALL && apart * u64::from(self.stride) <= MAX_COPIED
    }

    /// A copy of the bytes that the elements from `low` to `high` lie in: reading guest memory as a whole is much
    /// faster than byte by byte.
    fn copy<'r>(&self, window: Window<'_>, (low, high): (u32, u32), room: &'r mut Vec<u8>) -> Copied<'r> {
        let apart = (high - low) as usize * self.stride as usize;
        let size = apart + self.format.bytes() as usize;
        room.resize(apart + 16, 0);
        let first = low as usize * self.stride as usize;
        copy_out(window.from(first).first(size), &mut room[..size]);
        let row = self.format.row();
        let whole = self.kind == VertexType::Float && row.components.iter().all(|part| matches!(part.bits, 0 | 32));
        Copied { bytes: room, first, words: whole.then(|| self.format.count() as usize) }
    }

    /// Fills an attribute of records from a copy.
    fn fill_from(&self, copied: &Copied<'_>, words: &[Option<usize>; 4], elements: &[u32], records: Rows<'_>) {
        let rows = records.zip(elements);
        // What most attributes are: floats, to words of a record side by side.
        match (copied.words.filter(|_| !self.exchanged), side_by_side(words)) {
            (Some(count), Some((first, 4))) => copied.floats::<4>(self, count, rows, first),
            (Some(count), Some((first, 3))) => copied.floats::<3>(self, count, rows, first),
            (Some(count), Some((first, 2))) => copied.floats::<2>(self, count, rows, first),
            _ => rows.for_each(|(record, &element)| store(record, words, self.value(copied.raw(self, element)))),
        }
    }

    /// Bytes from the address on that elements up to `last` lie in.
    fn span(&self, last: u32) -> u64 {
        u64::from(last) * u64::from(self.stride) + u64::from(self.format.bytes())
    }

    /// The words of an element. One that does not lie within the limit whole is 0 (robust access).
    fn element(&self, core: &Core, window: Window<'_>, element: u32, missing: &mut u32) -> [u32; 4] {
        let start = u64::from(element) * u64::from(self.stride);
        let bytes = u64::from(self.format.bytes());
        if start + bytes > self.room {
            return [0; 4];
        }
        let mut raw = [0; 16];
        if start + bytes <= window.len() as u64 {
            raw = window.read::<16>(start as usize);
        } else {
            let address = self.address.wrapping_add(start) & ADDRESS_MASK;
            let absent = core.memory.read_pieces(GuestAddr::new(core.space, address), &mut raw[..bytes as usize]);
            *missing += u32::from(absent != 0);
        }
        self.value(raw)
    }

    /// The words of an element from its bytes.
    fn value(&self, raw: [u8; 16]) -> [u32; 4] {
        let mut value = decode(self.format, self.kind, u128::from_le_bytes(raw));
        if self.exchanged {
            value.swap(0, 2);
        }
        value
    }
}

/// A copy of a part of a stream.
struct Copied<'r> {
    /// The bytes, and some more.
    bytes: &'r [u8],
    /// The first one's offset in the stream.
    first: usize,
    /// Components of elements that are f32.
    words: Option<usize>,
}

/// Records, one after the other.
type Rows<'r> = std::slice::ChunksExactMut<'r, u32>;

impl Copied<'_> {
    /// The bytes of an element of `stream`.
    #[inline(always)]
    fn raw(&self, stream: &Stream, element: u32) -> [u8; 16] {
        let at = element as usize * stream.stride as usize - self.first;
        self.bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default()
    }

    /// Stores the first components of elements of `count` floats at `first` in their records.
    #[inline]
    fn floats<'r, const COMPONENTS: usize>(
        &self,
        stream: &Stream,
        count: usize,
        rows: impl Iterator<Item = (&'r mut [u32], &'r u32)>,
        first: usize,
    ) {
        // Two words at once, by masks instead of choices.
        let mask = |i: usize| if i < count { u64::from(u32::MAX) } else { 0 };
        let kept = [mask(0) | mask(1) << 32, mask(2) | mask(3) << 32];
        let defaults = [0, u64::from(DEFAULT[3]) << 32 & !kept[1]];
        for (record, &element) in rows {
            let Some(place) = record.get_mut(first..).and_then(<[u32]>::first_chunk_mut::<COMPONENTS>) else { return };
            let raw = u128::from_le_bytes(self.raw(stream, element));
            let [low, high] = [raw as u64 & kept[0] | defaults[0], (raw >> 64) as u64 & kept[1] | defaults[1]];
            let words = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
            place.copy_from_slice(&words[..COMPONENTS]);
        }
    }
}

/// Where an attribute's first components lie in a record, and how many, if they lie side by side.
fn side_by_side(words: &[Option<usize>; 4]) -> Option<(usize, usize)> {
    let first = words[0]?;
    let count = words.iter().flatten().count();
    words[..count].iter().enumerate().all(|(i, at)| *at == Some(first + i)).then_some((first, count))
}

/// Stores the components of an attribute that a record has.
#[inline]
fn store(record: &mut [u32], words: &[Option<usize>; 4], value: [u32; 4]) {
    for (at, value) in words.iter().zip(value) {
        if let Some(at) = at {
            record[*at] = value;
        }
    }
}

/// The words of an element's components.
pub(crate) fn decode(format: VertexFormat, kind: VertexType, raw: u128) -> [u32; 4] {
    let integer = matches!(kind, VertexType::Sint | VertexType::Uint);
    let mut words = [0, 0, 0, if integer { 1 } else { DEFAULT[3] }];
    for (word, bits) in words.iter_mut().zip(format.row().components) {
        if bits.bits == 0 {
            continue;
        }
        let (count, value) = (u32::from(bits.bits), (raw >> bits.shift) as u32);
        let unused = 32 - count;
        let (unsigned, signed) = (value << unused >> unused, (value << unused) as i32 >> unused);
        *word = match kind {
            VertexType::Uint => unsigned,
            VertexType::Sint => signed as u32,
            VertexType::Unorm => (unsigned as f32 * (1.0 / (u32::MAX >> unused) as f32)).to_bits(),
            VertexType::Snorm => snorm(signed, count).to_bits(),
            VertexType::Uscaled => (unsigned as f32).to_bits(),
            VertexType::Sscaled => (signed as f32).to_bits(),
            VertexType::Float => match count {
                16 => F16::decode(unsigned).to_bits(),
                _ if format == VertexFormat::B10G11R11 => small_float(unsigned, count),
                _ => unsigned,
            },
        };
    }
    words
}

fn snorm(value: i32, bits: u32) -> f32 {
    // A single bit besides the sign gives -1, 0 and 1.
    let largest = ((1u32 << (bits - 1)) - 1).max(1);
    let v = value as f32 * (1.0 / largest as f32);
    if v > -1.0 { v } else { -1.0 }
}

/// Unsigned floats of 11 and 10 bits are halves without sign and with a shorter mantissa.
fn small_float(value: u32, bits: u32) -> u32 {
    F16::decode(value << (15 - bits)).to_bits()
}

/// Tells the observer of the vertices of a draw.
#[cold]
pub(crate) fn note(core: &mut Core, layout: &Layout, numbers: &Numbers<'_>) {
    let elements: Vec<u32> = numbers.elements.iter().copied().take(MAX_VERTICES).collect();
    let noted = |attribute: &Attribute| {
        let word = attribute.words.iter().flatten().next().and_then(|&at| layout.inputs.iter().nth(at))?;
        let number = (4 * u32::from(word)).checked_sub(attribute::GENERIC)? / 16;
        let name = format!("{number}");
        let stream = match &attribute.source {
            Source::Constant(value) => {
                let fetch = Fetch::Constant(value.map(f32::from_bits));
                return Some(probe::Attribute { name, fetch, array: None, raw: Vec::new() });
            }
            Source::Stream(stream) => stream,
        };
        let start = GuestAddr::new(core.space, stream.address);
        let window = core.memory.readable(start);
        let bytes = stream.format.bytes();
        let mut raw = Vec::with_capacity(elements.len() * bytes as usize);
        let values = elements.iter().map(|&element| {
            let first = |(first, each): (u32, u32)| first.wrapping_add(numbers.instance.checked_div(each).unwrap_or(0));
            let element = stream.instanced.map_or(element, first);
            let at = u64::from(element) * u64::from(stream.stride);
            let mut all = [0; 16];
            core.memory.read_pieces(start.after(at), &mut all[..bytes as usize]);
            raw.extend_from_slice(&all[..bytes as usize]);
            stream.element(core, window, element, &mut 0)
        });
        let values = values.collect();
        let is_integer = matches!(stream.kind, VertexType::Sint | VertexType::Uint);
        let divisor = stream.instanced.map(|(_, each)| each);
        let array = probe::Array { start: Some(start), stride: stream.stride, bytes, divisor };
        let fetch = Fetch::Words(format!("{:?} {:?}", stream.format, stream.kind), values, is_integer);
        Some(probe::Attribute { name, fetch, array: Some(array), raw })
    };
    let attributes = layout.attributes.iter().filter_map(noted).collect();
    let vertices = Vertices { count: numbers.elements.len(), elements, attributes };
    core.renderer.note_input(&Input::Vertices(&vertices));
}
