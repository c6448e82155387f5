//! Textures and images of a program: which handles its instructions have, and what is behind them.

use triglyph_guest::kernel::maxwell::{ImageKey, Unit, UnitUse};
use triglyph_guest::kernel::program::sampler::TextureKey;
use triglyph_guest::tegra::methods::threed::regs as r;

use super::bindings::Bindings;
use super::program::{HandleSource, Loaded};
use super::texture;
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
    // One unit for each source, so that the numbers do not depend on what handles say.
    let sources = |image: bool| {
        let mut sources: Vec<HandleSource> = loaded
            .uses
            .iter()
            .filter(|u| u.image == image && u.handle != HandleSource::Dynamic)
            .map(|u| u.handle)
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources.truncate(MOST);
        sources
    };
    let (textures, images) = (sources(false), sources(true));
    let mut texture_handles: Vec<u32> = textures.iter().filter_map(|&source| handle(core, source)).collect();
    let mut image_handles: Vec<u32> = images.iter().filter_map(|&source| handle(core, source)).collect();
    if loaded.uses.iter().any(|u| u.handle == HandleSource::Dynamic) {
        // Any word of the buffer of handles may be meant.
        let all = candidates(core, bindings, group, handle_buffer);
        let more = |known: &mut Vec<u32>| {
            let fresh: Vec<u32> = all.iter().copied().filter(|handle| !known.contains(handle)).collect();
            known.extend(fresh);
            known.truncate(MOST);
        };
        more(&mut texture_handles);
        if loaded.uses.iter().any(|u| u.image && u.handle == HandleSource::Dynamic) {
            more(&mut image_handles);
        }
    }
    for &handle in &texture_handles {
        let unit = texture::unit(core, registers, handle);
        units.textures.push(unit.as_ref().map(|(key, _)| *key));
        units.bindings.push(unit.map(|(_, binding)| binding));
    }
    for &handle in &image_handles {
        let unit = texture::image(core, registers, handle);
        units.images.push(unit.as_ref().map(|(key, _)| *key));
        units.image_bindings.push(unit.map(|(_, binding)| binding));
    }
    let number = |list: &[HandleSource], source| list.binary_search(&source).ok().map(|index| index as u8);
    units.uses = loaded
        .uses
        .iter()
        .map(|u| {
            let unit = match u.image {
                false => number(&textures, u.handle).map(Unit::Texture),
                true => number(&images, u.handle).map(Unit::Image),
            };
            UnitUse { address: u.address, unit: unit.unwrap_or(Unit::Dynamic) }
        })
        .collect();
    units.handles = texture_handles.into_iter().chain(image_handles).collect();
    units
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
