//! Validates programs of the Tegra X1.

use super::{InvalidKey, Validate, ascend, check, each};
use crate::kernel::maxwell::{Code, PixelCode, Unit};
use crate::kernel::program::environment::ImageKey;
use crate::kernel::program::fragment::MAX_SAMPLES;
use crate::kernel::program::sampler::TextureKey;
use crate::kernel::program::stage::ShaderKey;
use crate::tegra::shader::program::MAX_WORDS;

/// Bytes of local memory of a lane.
const LOCAL: u32 = 512 << 10;
/// Numbers that the field for a constant buffer can hold; buffers that do not exist read 0.
const BUFFERS: u8 = 32;
/// Textures, and images: as many as a unit can name.
const RESOURCES: usize = 256;

impl Validate for ShaderKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        program(&self.code, &self.textures, &self.images)
    }
}

impl Validate for PixelCode {
    fn validate(&self) -> Result<(), InvalidKey> {
        program(&self.code, &self.textures, &self.images)?;
        check(ascend(self.inputs.iter().map(|input| input.word)), "inputs ascend by word")?;
        let numbers =
            self.sample_numbers.iter().fold(0, |set, &number| set | 1u32.checked_shl(number.into()).unwrap_or(0));
        check(numbers == (1 << MAX_SAMPLES) - 1, "samples have numbers of their own")
    }
}

/// A program and what its units name.
fn program(code: &Code, textures: &[Option<TextureKey>], images: &[Option<ImageKey>]) -> Result<(), InvalidKey> {
    code.validate()?;
    check(textures.len() <= RESOURCES && images.len() <= RESOURCES, "there are more textures or images than numbers")?;
    each(textures.iter().flatten())?;
    each(images.iter().flatten())?;
    let exists = |unit: Unit| match unit {
        Unit::Texture(number) => usize::from(number) < textures.len(),
        Unit::Image(number) => usize::from(number) < images.len(),
        Unit::Dynamic => true,
    };
    check(code.units.iter().all(|entry| exists(entry.unit)), "an instruction's texture or image is not there")
}

impl Validate for Code {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.words.len() <= MAX_WORDS, "a program is longer than programs may be")?;
        check(ascend(self.targets.iter()), "targets of branches ascend")?;
        check(ascend(self.units.iter().map(|entry| entry.address)), "units ascend by instruction")?;
        check(self.local_bytes <= LOCAL, "a lane has at most 512 KiB of local memory")?;
        check(self.handle_buffer < BUFFERS, "the constant buffer of handles has no number")
    }
}
