//! Image accesses as functions: addresses of texels, reads and writes. Also the lookup of handles.

use triglyph_guest::kernel::program::environment::{Environment, Image, ImageKey};
use triglyph_guest::kernel::program::output::ColorFormat;
use triglyph_guest::layout::{Blocks, SurfaceLayout};

use super::access::{self, Access, Space};
use super::atomic;
use super::vectors::Vectors;
use crate::pixel::target::channel;

/// Most formats of images, or keys of textures, that an instruction selects from at run time.
pub const MAX_KINDS: usize = 8;

/// Index of the first data vector. Before it: lanes that load, lanes that store, the image's index, column, row, slice,
/// layer.
pub const DATA: usize = 7;

/// An image access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageAccess {
    pub action: Action,
    pub counting: Counting,
    /// Of raw accesses and atomics: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// Components that are stored.
    pub mask: u8,
    /// Of atomics.
    pub ty: u8,
    pub op: u8,
}

/// Operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Load,
    Store,
    /// The bits of components.
    StoreComponents,
    /// As many bytes as a texel has.
    StoreTexel,
    Atomic,
    Cas,
}

/// Unit of the first coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    Texels,
    /// Of the access.
    Elements,
    Bytes,
}

const ACTIONS: [Action; 6] =
    [Action::Load, Action::Store, Action::StoreComponents, Action::StoreTexel, Action::Atomic, Action::Cas];
const COUNTINGS: [Counting; 3] = [Counting::Texels, Counting::Elements, Counting::Bytes];

impl ImageAccess {
    /// Of texels.
    pub const fn new(action: Action, bytes: u8) -> ImageAccess {
        ImageAccess { action, counting: Counting::Texels, bytes, mask: 0, ty: 0, op: 0 }
    }

    /// As a number.
    pub const fn pack(self) -> u64 {
        u64::from_le_bytes([self.action as u8, self.counting as u8, self.bytes, self.mask, self.ty, self.op, 0, 0])
    }

    /// From a number.
    pub fn unpack(bits: u64) -> ImageAccess {
        let [action, counting, bytes, mask, ty, op, ..] = bits.to_le_bytes();
        ImageAccess {
            action: ACTIONS[usize::from(action) % ACTIONS.len()],
            counting: COUNTINGS[usize::from(counting) % COUNTINGS.len()],
            bytes,
            mask,
            ty,
            op,
        }
    }
}

/// The formats of a key's images, each once.
pub fn formats(images: &[Option<ImageKey>]) -> Vec<ColorFormat> {
    let mut formats = Vec::new();
    for key in images.iter().flatten() {
        if !formats.contains(&key.format) {
            formats.push(key.format);
        }
    }
    formats
}

/// A texture or image by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleEntry {
    pub handle: u32,
    /// Its index; negative if it is unusable.
    pub index: i32,
    /// Its kind's index; negative if it has none.
    pub kind: i32,
}

/// Replaces the lanes' handles by indices and kinds.
pub fn find(known: &[HandleEntry], vectors: &mut Vectors) {
    let [handles, kinds, ..] = vectors;
    for (handle, kind) in handles.iter_mut().zip(kinds) {
        let found = known.iter().find(|known| known.handle == *handle);
        let (place, found) = found.map_or((-1, -1), |found| (found.index, found.kind));
        (*handle, *kind) = (place as u32, found as u32);
    }
}

/// Bytes that the first coordinate counts.
fn unit(access: ImageAccess, texel: u64) -> u64 {
    match access.counting {
        Counting::Texels => texel,
        Counting::Elements => access.bytes.into(),
        Counting::Bytes => 1,
    }
}

/// Byte offset of an access in the image's window, if it is inside the image.
#[inline]
fn offset(access: ImageAccess, key: &ImageKey, image: &Image<'_>, [x, y, z, layer]: [u32; 4]) -> Option<usize> {
    let texel = u64::from(key.format.bytes.max(1));
    let column = u64::from(x) * unit(access, texel);
    let outside =
        column >= u64::from(image.width) * texel || y >= image.height || z >= image.depth || layer >= image.layers;
    if outside {
        return None;
    }
    let within = match key.layout {
        SurfaceLayout::Pitch => {
            let row = u64::from(z) * u64::from(image.height) + u64::from(y);
            row * u64::from(image.pitch) + column
        }
        SurfaceLayout::BlockLinear { log2_gobs } | SurfaceLayout::BlockSlice { log2_gobs, .. } => {
            let blocks = Blocks {
                gobs_across: image.pitch,
                rows: image.height,
                slices: image.depth,
                log2_gobs,
                log2_slices: image.log2_depth.min(5),
            };
            blocks.offset(column as u32, y, z)
        }
        layout @ SurfaceLayout::Swizzled { .. } => {
            let (number, byte) = (column / texel, column % texel);
            let slice = u64::from(image.width) * u64::from(image.height) * texel;
            u64::from(z) * slice + layout.offset(number as u32, y, texel as u32, image.pitch) + byte
        }
    };
    let layers = u64::from(layer).checked_mul(image.layer_bytes)?;
    usize::try_from(layers.checked_add(within)?).ok()
}

/// Performs an access, lane after lane. The first vector becomes the lanes that were inside their image.
pub fn perform(access: ImageAccess, vectors: &mut Vectors, environment: &Environment<'_>, keys: &[Option<ImageKey>]) {
    let mut last: Option<Target<'_>> = None;
    for lane in 0..4 {
        let (loads, stores) = (vectors[0][lane] != 0, vectors[1][lane] != 0);
        vectors[0][lane] = 0;
        let number = vectors[2][lane] as usize;
        if !loads {
            continue;
        }
        if last.as_ref().is_none_or(|last| last.number != number) {
            last = Target::new(access, number, environment, keys);
        }
        let Some(target) = &last else { continue };
        let place = [vectors[3][lane], vectors[4][lane], vectors[5][lane], vectors[6][lane]];
        let Some(offset) = offset(access, target.key, target.image, place) else { continue };
        vectors[0][lane] = u32::MAX;
        target.note(place, stores, environment);
        let Some(data) = vectors[DATA..].first_chunk_mut::<4>() else { continue };
        let words = [data[0][lane], data[1][lane], data[2][lane], data[3][lane]];
        let old = target.perform(stores, offset, words);
        data.iter_mut().zip(old).for_each(|(vector, word)| vector[lane] = word);
    }
}

/// The image of a lane, and what an access does to its texels.
struct Target<'k> {
    access: ImageAccess,
    number: usize,
    key: &'k ImageKey,
    image: &'k Image<'k>,
    /// Bytes that are accessed, at most 16.
    bytes: usize,
    /// Whether they are read.
    reads: bool,
    /// The bits of those that a store writes.
    written: [u32; 4],
}

impl<'k> Target<'k> {
    /// `None` if there is no such image.
    fn new(
        access: ImageAccess,
        number: usize,
        environment: &'k Environment<'k>,
        keys: &'k [Option<ImageKey>],
    ) -> Option<Target<'k>> {
        let key = keys.get(number)?.as_ref()?;
        let image = environment.images.get(number)?;
        let whole_texel = match access.action {
            Action::StoreTexel | Action::StoreComponents => true,
            Action::Load => access.counting == Counting::Texels,
            Action::Store | Action::Atomic | Action::Cas => false,
        };
        let bytes = usize::from(if whole_texel { key.format.bytes } else { access.bytes });
        let bytes = bytes.min(16);
        let all = u128::MAX.checked_shr(128 - 8 * bytes as u32).unwrap_or(0);
        let written = match access.action {
            Action::StoreComponents => components(&key.format, access.mask) & all,
            _ => all,
        };
        let words = |bits: u128| [0, 32, 64, 96].map(|at| (bits >> at) as u32);
        let stores_all = written == all && !matches!(access.action, Action::Load | Action::Atomic | Action::Cas);
        Some(Target { access, number, key, image, bytes, reads: !stores_all, written: words(written) })
    }

    /// Notes the access of a lane. Stores of some components do not count as loads.
    fn note(&self, [x, y, z, layer]: [u32; 4], stores: bool, environment: &Environment<'_>) {
        let texel = u64::from(self.key.format.bytes.max(1));
        let column = u64::from(x) * unit(self.access, texel);
        let slice = u64::from(layer) * u64::from(self.image.depth) + u64::from(z);
        let row = slice * u64::from(self.image.height) + u64::from(y);
        let first = row.wrapping_mul(u64::from(self.image.width) * texel).wrapping_add(column);
        let texels = first..first.saturating_add(self.bytes as u64);
        let is_store = matches!(self.access.action, Action::Store | Action::StoreTexel | Action::StoreComponents);
        if !is_store {
            environment.memory.note_image(self.number, texels.clone(), false);
        }
        if stores && self.access.action != Action::Load {
            environment.memory.note_image(self.number, texels, true);
        }
    }

    /// Performs the access of a lane at an offset. Returns the words there, if it reads them.
    #[inline]
    fn perform(&self, stores: bool, offset: usize, data: [u32; 4]) -> [u32; 4] {
        let window = &self.image.window;
        let places = [0, 4, 8, 12].map(|at| offset.saturating_add(at));
        let words = self.bytes.div_ceil(4);
        let mut old = [0; 4];
        if self.reads {
            old.iter_mut().zip(places).take(words).for_each(|(word, at)| *word = window.read_word(at, 4));
        }
        if stores && let Some(new) = self.stored(old, data) {
            let last = self.bytes + 4 - 4 * words;
            for (n, (&word, at)) in new.iter().zip(places).take(words).enumerate() {
                window.write_word(at, if n + 1 == words { last as u32 } else { 4 }, word);
            }
        }
        old
    }

    /// The words to write.
    #[inline]
    fn stored(&self, old: [u32; 4], data: [u32; 4]) -> Option<[u32; 4]> {
        match self.access.action {
            Action::Load => None,
            Action::Store | Action::StoreTexel => Some(data),
            Action::StoreComponents => {
                let mut new = data;
                let kept = old.iter().zip(self.written);
                new.iter_mut().zip(kept).for_each(|(new, (old, written))| *new = old & !written | *new & written);
                Some(new)
            }
            Action::Atomic | Action::Cas => {
                let cas = self.access.action == Action::Cas;
                let action = if cas { access::Action::Cas } else { access::Action::Atomic };
                let ImageAccess { ty, op, bytes, .. } = self.access;
                let access = Access { ty, op, ..Access::new(Space::Global, action, bytes) };
                let [old, data] = [old, data].map(|words| bytemuck::cast(words.map(u32::to_le)));
                let new: [u32; 4] = bytemuck::cast(atomic::changed(access, &old, &data)?);
                Some(new.map(u32::from_le))
            }
        }
    }
}

/// The bits of components.
pub fn components(format: &ColorFormat, mask: u8) -> u128 {
    let wanted = format.channels.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0);
    wanted
        .filter_map(|(_, &at)| channel::bits_of(at))
        .fold(0, |bits, at| bits | u128::from(channel::low_bits(at.bits)) << at.shift)
}
