//! Textures and images of a program: which handles its instructions have, and what is behind them.

use triglyph_guest::kernel::maxwell::{ImageKey, Unit, UnitUse};
use triglyph_guest::kernel::program::sampler::{Shape, TextureKey};
use triglyph_guest::tegra::methods::threed::regs as r;

use super::bindings::Bindings;
use super::program::{HandleSource, Loaded, Use};
use super::texture::{self, TextureUnits};
use crate::scene::program::TextureBinding;
use crate::scene::reach::ImageBinding;
use crate::tegra::core::Core;
use crate::tegra::registers::Registers;

/// The units of a program in a draw.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// The unit of each instruction.
    pub uses: Vec<UnitUse>,
    /// Keys of textures.
    pub textures: Vec<Option<TextureKey>>,
    /// Keys of images.
    pub images: Vec<Option<ImageKey>>,
    /// What textures are.
    pub bindings: Vec<Option<TextureBinding>>,
    /// What images are.
    pub image_bindings: Vec<Option<ImageBinding>>,
    /// Handles of textures, then of images.
    pub handles: Vec<u32>,
}

/// Textures, and images, of a program at most.
const MOST: usize = 128;

/// Finds the units of a program whose constant buffers are those of a group.
pub(super) fn units(
    core: &mut Core,
    registers: &Registers,
    bindings: &Bindings,
    cache: &mut TextureUnits,
    loaded: &Loaded,
    group: usize,
) -> Units {
    let mut units = Units::default();
    if loaded.uses.is_empty() {
        return units;
    }
    let handle_buffer =
        r::set_bindless_texture::constant_buffer_slot_select(registers.get(r::set_bindless_texture::ID)) as usize;
    let handle = |core: &mut Core, source: HandleSource| {
        let mut word = |slot: usize, offset: u32| bindings.word(core, group, slot, offset);
        match source {
            HandleSource::Bound(index) => Some(word(handle_buffer, 4 * u32::from(index))),
            HandleSource::Constant(slot, offset) => Some(word(slot.into(), offset)),
            HandleSource::Joined([a, b]) => Some(word(a.0.into(), a.1) | word(b.0.into(), b.1)),
            HandleSource::Dynamic => None,
        }
    };
    // One unit for each source and way of reading, so that the numbers do not depend on what handles say.
    let wanted = |image: bool| {
        let mut wanted: Vec<Wanted> = loaded.uses.iter().filter(|u| u.image == image).filter_map(Wanted::of).collect();
        wanted.sort_unstable_by_key(Wanted::rank);
        wanted.dedup();
        wanted.truncate(MOST);
        wanted
    };
    let (textures, images) = (wanted(false), wanted(true));
    let mut all = Vec::new();
    for (image, list) in [(false, &textures), (true, &images)] {
        let found = list.iter().map(|w| (handle(core, w.handle).unwrap_or(0), w.shape, w.reference));
        let mut found: Vec<(u32, Option<Shape>, bool)> = found.collect();
        let dynamic: Vec<&Use> =
            loaded.uses.iter().filter(|u| u.image == image && u.handle == HandleSource::Dynamic).collect();
        if let Some(first) = dynamic.first() {
            // Any word of the buffer of handles may be meant.
            let reference = dynamic.iter().any(|u| u.reference);
            for candidate in candidates(core, bindings, group, handle_buffer) {
                found.push((candidate, first.shape, reference));
            }
            found.truncate(MOST);
        }
        all.push(found);
    }
    for &(handle, shape, reference) in &all[0] {
        let unit = cache.texture(core, registers, handle, shape, reference);
        units.textures.push(unit.as_ref().map(|(key, _)| *key));
        units.bindings.push(unit.map(|(_, binding)| binding));
    }
    for &(handle, shape, _) in &all[1] {
        let unit = texture::image(core, registers, handle, shape);
        units.images.push(unit.as_ref().map(|(key, _)| *key));
        units.image_bindings.push(unit.map(|(_, binding)| binding));
    }
    let number = |list: &[Wanted], wanted| list.iter().position(|known| *known == wanted).map(|index| index as u8);
    units.uses = loaded
        .uses
        .iter()
        .map(|u| {
            let unit = Wanted::of(u).and_then(|wanted| match u.image {
                false => number(&textures, wanted).map(Unit::Texture),
                true => number(&images, wanted).map(Unit::Image),
            });
            UnitUse { address: u.address, unit: unit.unwrap_or(Unit::Dynamic) }
        })
        .collect();
    units.handles = all.concat().into_iter().map(|(handle, ..)| handle).collect();
    units
}

/// A unit that instructions ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wanted {
    handle: HandleSource,
    shape: Option<Shape>,
    reference: bool,
}

impl Wanted {
    /// What an instruction asks for, if it is known before it runs.
    fn of(u: &Use) -> Option<Wanted> {
        let Use { handle, shape, reference, .. } = *u;
        (handle != HandleSource::Dynamic).then_some(Wanted { handle, shape, reference })
    }

    fn rank(&self) -> (HandleSource, u8, bool) {
        (self.handle, self.shape.map_or(0, |shape| 1 + shape as u8), self.reference)
    }
}

/// Words of the buffer of handles that may be handles, each once.
fn candidates(core: &mut Core, bindings: &Bindings, group: usize, slot: usize) -> Vec<u32> {
    let Some(bound) = bindings.get(group, slot) else { return Vec::new() };
    let mut words = vec![0; (bound.size / 4).min(4096) as usize];
    core.read_words(bound.address, &mut words, "a buffer of handles");
    let mut found: Vec<u32> = Vec::new();
    for word in words {
        if word != 0 && !found.contains(&word) && found.len() < MOST {
            found.push(word);
        }
    }
    found
}
