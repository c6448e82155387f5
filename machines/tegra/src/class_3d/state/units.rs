//! Textures and images of a program: which handles its instructions have, and what these name.

use std::collections::HashSet;
use std::sync::Arc;

use smallvec::SmallVec;
use triglyph_guest::kernel::maxwell::{Unit, UnitUse};
use triglyph_guest::kernel::program::environment::ImageKey;
use triglyph_guest::kernel::program::sampler::{Shape, TextureKey};

use super::bindings::Buffers;
use super::texture::{self, Pools, TextureKeyInputs, TextureUnits, Wish};
use crate::class_3d::programs::handle::{Formula, HandleSource};
use crate::core::Core;
use triglyph_engine::frontend::Recycled;
use triglyph_engine::mem::Epoch;
use triglyph_engine::scene::program::TextureBinding;
use triglyph_engine::scene::resources::ImageBinding;

/// Textures, and images, of a program at most.
const MAX_TEXTURES: usize = 128;

/// Words of a buffer in which handles are looked for.
const MAX_WORDS: u32 = 4096;

/// An instruction with a texture or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    /// Byte address in the code.
    pub address: u32,
    /// An image; otherwise a texture.
    pub image: bool,
    /// Where its handle is.
    pub handle: HandleSource,
    /// The shape that it reads, if it says one.
    pub shape: Option<Shape>,
    /// Whether it brings a reference to compare with.
    pub reference: bool,
    /// Whether it takes pixels for their samples.
    pub samples: bool,
}

/// The units that a program needs, as its code says: one for each source of handles and way of reading, so that their
/// numbers do not depend on what handles say.
#[derive(Debug, Default)]
pub(crate) struct WantedUnits {
    /// The unit of each instruction.
    pub uses: Vec<UnitUse>,
    textures: Wants,
    images: Wants,
    /// Slots of constant buffers that handles are in, bit by bit; that of the buffer of handles, which registers
    /// choose, is not among them.
    slots: u32,
    /// Whether the buffer of handles is needed.
    bound: bool,
}

/// The units of one kind.
#[derive(Debug, Default)]
struct Wants {
    known: Vec<Wanted>,
    /// Where the handles of instructions come from that are known when they run, and how those read.
    dynamic: Vec<(HandleSource, Option<Shape>)>,
    /// Whether any of those brings a reference, and whether any takes pixels for their samples.
    dynamic_reference: bool,
    dynamic_samples: bool,
}

/// A unit that instructions ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wanted {
    handle: HandleSource,
    shape: Option<Shape>,
    reference: bool,
    samples: bool,
}

impl Wanted {
    /// What an instruction asks for, if it is known before it runs.
    fn of(u: &Use) -> Option<Wanted> {
        let Use { handle, shape, reference, samples, .. } = *u;
        is_known(handle).then_some(Wanted { handle, shape, reference, samples })
    }

    fn rank(&self) -> (HandleSource, u8, bool, bool) {
        (self.handle, self.shape.map_or(0, |shape| 1 + shape as u8), self.reference, self.samples)
    }
}

impl Wants {
    fn of(uses: &[Use], image: bool) -> Self {
        let of_kind = || uses.iter().filter(move |u| u.image == image);
        let mut known: Vec<Wanted> = of_kind().filter_map(Wanted::of).collect();
        known.sort_unstable_by_key(Wanted::rank);
        known.dedup();
        known.truncate(MAX_TEXTURES);
        let dynamic = || of_kind().filter(|u| !is_known(u.handle));
        Wants {
            known,
            dynamic: dynamic().map(|u| (u.handle, u.shape)).collect(),
            dynamic_reference: dynamic().any(|u| u.reference),
            dynamic_samples: dynamic().any(|u| u.samples),
        }
    }

    /// Whether what a handle names is sure to be read so. A program that does not know whether a slice of a volume is
    /// bound has instructions for both.
    fn is_certain(&self, wanted: &Wanted) -> bool {
        !self.known.iter().any(|other| other.handle == wanted.handle && other.shape != wanted.shape)
    }

    fn number(&self, u: &Use) -> Option<u8> {
        let wanted = Wanted::of(u)?;
        self.known.iter().position(|known| *known == wanted).map(|index| index as u8)
    }

    /// Handles, and how what they name is read.
    fn handles(&self, core: &mut Core, pools: &Pools, buffers: &Buffers) -> Few<Wish> {
        let word = |core: &mut Core, slot: u8, offset: u32| buffers.word(core, slot.into(), offset);
        let handle = |core: &mut Core, source| match source {
            HandleSource::Bound(index) => word(core, pools.handle_buffer, 4 * u32::from(index)),
            HandleSource::Made(formula) => formula.value(|slot, offset| word(core, slot, offset), 0),
            HandleSource::Within(..) | HandleSource::Dynamic => 0,
        };
        let mut found: Few<Wish> = Few::new();
        for wanted in &self.known {
            let (handle, certain) = (handle(core, wanted.handle), self.is_certain(wanted));
            let Wanted { shape, reference, samples, .. } = *wanted;
            found.push(Wish { handle, shape, reference, samples, certain });
        }
        if !self.dynamic.is_empty() {
            // Any word of the buffer may be meant.
            let (reference, samples) = (self.dynamic_reference, self.dynamic_samples);
            let wish = |(handle, shape)| Wish { handle, shape, reference, samples, certain: false };
            found.extend(candidates(core, pools, buffers, &self.dynamic).into_iter().map(wish));
            found.truncate(MAX_TEXTURES);
        }
        found
    }
}

impl WantedUnits {
    /// Those of a program's instructions.
    pub(crate) fn of(uses: &[Use]) -> Self {
        let (textures, images) = (Wants::of(uses, false), Wants::of(uses, true));
        let unit = |u: &Use| {
            let unit = match u.image {
                false => textures.number(u).map(Unit::Texture),
                true => images.number(u).map(Unit::Image),
            };
            UnitUse { address: u.address, unit: unit.unwrap_or(Unit::Dynamic) }
        };
        let (mut slots, mut bound) = (0, false);
        for u in uses {
            match u.handle {
                HandleSource::Bound(_) | HandleSource::Dynamic => bound = true,
                HandleSource::Made(formula) | HandleSource::Within(_, formula) => slots |= formula.slots(),
            }
        }
        WantedUnits { uses: uses.iter().map(unit).collect(), textures, images, slots, bound }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// Slots of constant buffers that handles are in, bit by bit.
    pub(crate) fn slots(&self, pools: &Pools) -> u32 {
        self.slots | if self.bound { bit(pools.handle_buffer) } else { 0 }
    }
}

fn bit(slot: u8) -> u32 {
    1u32.checked_shl(slot.into()).unwrap_or(0)
}

/// Something of each unit: most programs have a few.
type Few<T> = SmallVec<[T; 4]>;

/// The units of a program in a draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units {
    /// Keys of textures.
    pub textures: Arc<[Option<TextureKey>]>,
    /// Keys of images.
    pub images: Arc<[Option<ImageKey>]>,
    /// What textures are.
    pub bindings: Arc<[Option<TextureBinding>]>,
    /// What images are.
    pub image_bindings: Arc<[Option<ImageBinding>]>,
    /// Handles of textures, then of images.
    pub handles: Arc<[u32]>,
    /// When all this was made.
    pub made: Epoch,
    /// What the textures were made of.
    key_inputs: Few<Option<TextureKeyInputs>>,
}

/// The memory of the lists of earlier draws.
#[derive(Debug, Default)]
pub(crate) struct UnitPools {
    textures: Recycled<[Option<TextureKey>]>,
    images: Recycled<[Option<ImageKey>]>,
    bindings: Recycled<[Option<TextureBinding>]>,
    image_bindings: Recycled<[Option<ImageBinding>]>,
    handles: Recycled<[u32]>,
}

/// Finds the units of a program. `before` are those that it had before: what is the same stays in its place on the
/// host.
pub(crate) fn units(
    core: &mut Core,
    pools: &Pools,
    buffers: &Buffers,
    cache: &mut TextureUnits,
    wanted: &WantedUnits,
    before: Option<&Units>,
    lists: &mut UnitPools,
) -> Units {
    let made = core.memory.epoch();
    if wanted.is_empty() {
        return Units { made, ..before.cloned().unwrap_or_default() };
    }
    // What is mapped since may be memory of a texture that had none.
    let known = before.filter(|before| !core.memory.mapped_since(before.made));
    let textures = wanted.textures.handles(core, pools, buffers);
    let images = wanted.images.handles(core, pools, buffers);
    let (mut all_inputs, mut keys, mut bindings) = (Few::new(), Few::new(), Few::new());
    for (i, wish) in textures.iter().enumerate() {
        let inputs = TextureUnits::key_inputs(core, pools, wish);
        // Where there was nothing to read, that may be a fault, which counts again.
        let same = |known: &&Units| known.key_inputs.get(i) == Some(&inputs) && known.textures[i].is_some();
        let (key, binding) = match known.filter(same) {
            Some(known) => (known.textures[i], known.bindings[i].clone()),
            None => inputs.as_ref().and_then(|inputs| cache.texture(core, inputs)).unzip(),
        };
        all_inputs.push(inputs);
        keys.push(key);
        bindings.push(binding);
    }
    let found = images.iter().map(|wish| texture::image(core, pools, wish.handle, wish.shape, wish.certain));
    let (image_keys, image_bindings): (Few<_>, Few<_>) = found.map(Option::unzip).unzip();
    let handles: Few<u32> = textures.iter().chain(&images).map(|wish| wish.handle).collect();
    Units {
        textures: keep(keys, before.map(|before| &before.textures), &mut lists.textures),
        images: keep(image_keys, before.map(|before| &before.images), &mut lists.images),
        bindings: lists.bindings.share_list(bindings.into_iter()),
        image_bindings: lists.image_bindings.share_list(image_bindings.into_iter()),
        handles: lists.handles.share_list(handles.into_iter()),
        key_inputs: all_inputs,
        made,
    }
}

/// A list in its place on the host if it is the same as before.
fn keep<T: PartialEq>(now: Few<T>, before: Option<&Arc<[T]>>, recycled: &mut Recycled<[T]>) -> Arc<[T]> {
    match before {
        Some(before) if **before == now[..] => before.clone(),
        _ => recycled.share_list(now.into_iter()),
    }
}

/// Handles that instructions may have that come from some word of a buffer, each once, with the shape out of theirs as
/// which what they name can be read. Of a source that shows no buffer that is the buffer of handles.
fn candidates(
    core: &mut Core,
    pools: &Pools,
    buffers: &Buffers,
    wanted: &[(HandleSource, Option<Shape>)],
) -> Vec<(u32, Option<Shape>)> {
    let mut found: Vec<(u32, Option<Shape>)> = Vec::new();
    let mut sources: Vec<HandleSource> = wanted.iter().map(|(source, _)| *source).collect();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        let shapes: Vec<_> = wanted.iter().filter(|(of, _)| *of == source).map(|(_, shape)| *shape).collect();
        let (slot, formula) = match source {
            HandleSource::Within(slot, formula) => (slot, Some(formula)),
            _ => (pools.handle_buffer, None),
        };
        let mut seen: HashSet<u32> = found.iter().map(|(handle, _)| *handle).collect();
        for word in all_words(core, buffers, slot) {
            let handle = formula.map_or(word, |formula| made(core, buffers, &formula, word));
            if found.len() == MAX_TEXTURES {
                return found;
            }
            if seen.insert(handle) {
                found.extend(texture::named(core, pools, handle, &shapes).map(|shape| (handle, shape)));
            }
        }
    }
    found
}

/// The words of a constant buffer.
fn all_words(core: &mut Core, buffers: &Buffers, slot: u8) -> Vec<u32> {
    let Some(bound) = buffers.get(slot.into()) else { return Vec::new() };
    let mut words = vec![0; (bound.size / 4).min(MAX_WORDS) as usize];
    core.read_words(bound.address, &mut words, "a buffer of handles");
    words
}

fn made(core: &mut Core, buffers: &Buffers, formula: &Formula, word: u32) -> u32 {
    formula.value(|slot, offset| buffers.word(core, slot.into(), offset), word)
}

/// Whether a draw has the handle before its programs run.
fn is_known(source: HandleSource) -> bool {
    matches!(source, HandleSource::Bound(_) | HandleSource::Made(_))
}
