//! Textures and images by their headers and samplers in memory.

use triglyph_guest::kernel::maxwell::ImageKey;
use triglyph_guest::kernel::program::sampler::TextureKey;

use crate::device::FaultKind;
use crate::scene::program::TextureBinding;
use crate::scene::reach::ImageBinding;
use crate::tegra::core::Core;
use crate::tegra::registers::Registers;

pub(super) fn unit(core: &mut Core, _registers: &Registers, handle: u32) -> Option<(TextureKey, TextureBinding)> {
    core.fault(FaultKind::Unimplemented, handle.into(), format_args!("textures"));
    None
}

pub(super) fn image(core: &mut Core, _registers: &Registers, handle: u32) -> Option<(ImageKey, ImageBinding)> {
    core.fault(FaultKind::Unimplemented, handle.into(), format_args!("images"));
    None
}
