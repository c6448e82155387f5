//! Checks of keys that come from outside, field by field.
//!
//! Both tiers take for granted what the documentation of a key's fields says: that slots are below 64, that units name
//! textures which the key has, that channels lie within their pixels. Keys that machines make are so by construction.
//! Those of files only have to decode, so that they are checked here before a tier sees them. A check refuses nothing
//! that a machine makes, and what passes may be compiled and run by both tiers.
//!
//! | file | keys |
//! |---|---|
//! | `pica` | vertex and geometry programs of the 3DS |
//! | `pixel`, `lighting` | 3DS pixels |
//! | `transfer` | fills, copies, conversions |
//! | `front_end` | macros, packet traces |
//! | `texture` | texture and image units of programs |
//! | `output` | targets, tests and blending |
//! | `program` | vertex and fragment programs of the RSX |
//! | `maxwell` | programs of the Tegra X1 |

mod front_end;
mod lighting;
mod maxwell;
mod output;
mod pica;
mod pixel;
mod program;
mod texture;
mod transfer;

/// Why a key is none that a machine makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidKey(
    /// The rule that it breaks, in words.
    pub &'static str,
);

/// Keys that can be checked.
pub trait Validate {
    /// Checks all fields, and what they have to do with each other.
    ///
    /// # Errors
    /// The first rule that does not hold.
    fn validate(&self) -> Result<(), InvalidKey>;
}

/// Fails with `rule` unless it holds.
fn check(holds: bool, rule: &'static str) -> Result<(), InvalidKey> {
    if holds { Ok(()) } else { Err(InvalidKey(rule)) }
}

/// Validates all of some parts of a key.
fn each<'k, T: Validate + 'k>(parts: impl IntoIterator<Item = &'k T>) -> Result<(), InvalidKey> {
    parts.into_iter().try_for_each(Validate::validate)
}

/// Whether numbers become larger from one to the next.
fn ascend<T: PartialOrd>(numbers: impl Iterator<Item = T>) -> bool {
    numbers.is_sorted_by(|a, b| a < b)
}
