//! Image accesses as functions: addresses of texels, reads and writes. Also the lookup of handles.

use triglyph_guest::kernel::program::environment::{Environment, Image, ImageKey};
use triglyph_guest::kernel::program::output::ColorFormat;
use triglyph_guest::layout::{Blocks, SurfaceLayout};

use super::access::{self, Access, Space};
use super::atomic;
use super::vectors::Vectors;
use crate::program::output::channel;

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

/// Byte offset of an access in the image's window, if it is inside the image.
fn offset(access: ImageAccess, key: &ImageKey, image: &Image<'_>, [x, y, z, layer]: [u32; 4]) -> Option<usize> {
    let texel = u64::from(key.format.bytes.max(1));
    let unit = match access.counting {
        Counting::Texels => texel,
        Counting::Elements => access.bytes.into(),
        Counting::Bytes => 1,
    };
    let column = u64::from(x) * unit;
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
        let place = [3, 4, 5, 6].map(|n| vectors[n][lane]);
        let Some(offset) = offset(access, target.key, target.image, place) else { continue };
        vectors[0][lane] = u32::MAX;
        let data: &mut [[u32; 4]] = &mut vectors[DATA..DATA + 4];
        let old = target.perform(stores, offset, std::array::from_fn(|n| data[n][lane]));
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
    written: u128,
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
        let stores_all = written == all && !matches!(access.action, Action::Load | Action::Atomic | Action::Cas);
        Some(Target { access, number, key, image, bytes, reads: !stores_all, written })
    }

    /// Performs the access of a lane at an offset. Returns the words there, if it reads them.
    fn perform(&self, stores: bool, offset: usize, data: [u32; 4]) -> [u32; 4] {
        let mut old = [0; 16];
        let words_read = if self.reads { self.bytes.div_ceil(4) } else { 0 };
        for (n, word) in old.chunks_exact_mut(4).take(words_read).enumerate() {
            word.copy_from_slice(&self.image.window.read::<4>(offset.saturating_add(4 * n)));
        }
        if stores && let Some(new) = self.stored(&old, data) {
            self.image.window.write(offset, &new[..self.bytes]);
        }
        words(old)
    }

    /// The bytes to write.
    fn stored(&self, old: &[u8; 16], data: [u32; 4]) -> Option<[u8; 16]> {
        let mut bytes = [0; 16];
        bytes.chunks_exact_mut(4).zip(data).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
        match self.access.action {
            Action::Load => None,
            Action::Store | Action::StoreTexel => Some(bytes),
            Action::StoreComponents => {
                let kept = u128::from_le_bytes(*old) & !self.written;
                Some((kept | u128::from_le_bytes(bytes) & self.written).to_le_bytes())
            }
            Action::Atomic | Action::Cas => {
                let cas = self.access.action == Action::Cas;
                let action = if cas { access::Action::Cas } else { access::Action::Atomic };
                let (size, ImageAccess { ty, op, .. }) = (self.access.bytes, self.access);
                atomic::changed(Access { ty, op, ..Access::new(Space::Global, action, size) }, old, &bytes)
            }
        }
    }
}

/// Bytes as little-endian words.
fn words(bytes: [u8; 16]) -> [u32; 4] {
    std::array::from_fn(|n| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[4 * n + byte])))
}

/// The bits of components.
fn components(format: &ColorFormat, mask: u8) -> u128 {
    let wanted = format.channels.iter().enumerate().filter(|(n, _)| mask >> n & 1 != 0);
    wanted
        .filter_map(|(_, &at)| channel::bits_of(at))
        .fold(0, |bits, at| bits | u128::from(channel::low_bits(at.bits)) << at.shift)
}
