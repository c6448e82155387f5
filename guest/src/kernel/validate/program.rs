//! Validates vertex and fragment programs of the RSX, and the state of all fragment programs.

use super::{InvalidKey, Validate, check, each};
use crate::kernel::program::fragment::{FragmentCode, FragmentKey, RsxFragmentCode, Samples};
use crate::kernel::program::vertex::{Input, RsxVertexCode, VertexCode, VertexKey};
use crate::rsx::fragment::memory::MAX_SLOTS;

/// Instructions of a vertex program.
const INSTRUCTIONS: usize = 544;

impl Validate for VertexKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        let VertexCode::Rsx(code) = &self.code;
        code.validate()?;
        each(&self.inputs)?;
        check(self.outputs & 1 != 0, "a vertex has a position")?;
        each(self.textures.iter().flatten())
    }
}

impl Validate for RsxVertexCode {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.code.len() <= INSTRUCTIONS, "a vertex program has more instructions than there is room for")
    }
}

impl Validate for Input {
    fn validate(&self) -> Result<(), InvalidKey> {
        match *self {
            Input::Fixed => Ok(()),
            Input::Array { count, .. } => check((1..=4).contains(&count), "a vertex array has 1 to 4 components"),
        }
    }
}

impl Validate for FragmentKey {
    fn validate(&self) -> Result<(), InvalidKey> {
        match &self.code {
            FragmentCode::Rsx(code) => code.validate()?,
            FragmentCode::Maxwell(code) => code.validate()?,
        }
        each(self.textures.iter().flatten())?;
        self.samples.validate()?;
        self.output.validate()?;
        check(
            !self.output.tells_survivors || self.samples == Samples::ONE,
            "survivors are told of pixels with one sample",
        )
    }
}

impl Validate for RsxFragmentCode {
    fn validate(&self) -> Result<(), InvalidKey> {
        check(self.code.len().is_multiple_of(4), "instructions have four words")?;
        check(self.code.len() <= 4 * MAX_SLOTS, "a fragment program is longer than programs may be")
    }
}

impl Validate for Samples {
    fn validate(&self) -> Result<(), InvalidKey> {
        let fits = |samples| matches!(samples, 1 | 2 | 4);
        check(fits(self.across) && fits(self.down), "there are 1, 2 or 4 samples across and down")
    }
}
