//! How shader instructions are written.
//!
//! ```text
//! @!p2 fadd.ftz.sat r0, -r1, |c[1][0x10]|     guard, modifiers, destination, sources
//! ffma.fmz r4, r5, 0x3f800000, -r6            immediates are the 32 bits that the unit sees, of f64 the upper ones
//! iadd.cc r0, r1, -r2                         lop.and.b r0, r1, ~r2
//! isetp.lt.and.s32 p0, pt, r0, 0x10, !p3      hfma2 r0, r1.h0_h0, r2.f32, r3
//! ldg.e.b32 r0, [r2+0x10]                     ldc.b32 r0, c[3][r1+0x20]
//! tex.d2 r0, r4, rz, 0x8, 0xf, pt             bra.cc_ne target          ssy +0x18
//! ```
//! Registers are `r0` to `r254` and `rz`, predicates `p0` to `p6` and `pt`. Targets are labels or distances in bytes
//! from the following word; `label.bundle` is the control word in front of the label.

use crate::table::{Cursor, TextError};

/// The context of a listing beyond the word.
#[derive(Clone, Copy, Default)]
pub struct Listing<'a> {
    address: u32,
    label: Option<&'a dyn Fn(u32) -> Option<String>>,
}

impl<'a> Listing<'a> {
    /// With distances as targets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the instruction at byte `address` of the code; `label` names targets by address.
    pub fn with_labels(address: u32, label: &'a dyn Fn(u32) -> Option<String>) -> Self {
        Listing { address, label: Some(label) }
    }

    /// The text of a target at this distance from the following word.
    pub(super) fn target(&self, distance: i32) -> String {
        let address = self.address.wrapping_add(8).wrapping_add(distance as u32);
        let bundle = address.is_multiple_of(32);
        let named = self.label.and_then(|label| label(if bundle { address.wrapping_add(8) } else { address }));
        match named {
            Some(name) if bundle => name + ".bundle",
            Some(name) => name,
            None if distance < 0 => format!("-{:#x}", distance.unsigned_abs()),
            None => format!("+{distance:#x}"),
        }
    }
}

/// The addresses of a program's labels.
pub type Labels<'a> = &'a dyn Fn(&str) -> Option<u32>;

/// The context of an assembler beyond the line.
#[derive(Clone, Copy, Default)]
pub struct Assembly<'a> {
    address: u32,
    labels: Option<Labels<'a>>,
}

impl<'a> Assembly<'a> {
    /// Without labels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of the instruction at byte `address` of the code; `labels` gives the address of a label.
    pub fn with_labels(address: u32, labels: Labels<'a>) -> Self {
        Assembly { address, labels: Some(labels) }
    }

    /// Reads a target and returns its distance from the following word.
    pub(super) fn target(&self, text: &mut Cursor<'_>) -> Result<i32, TextError> {
        if let Some(name) = text.name() {
            let address = self.labels.and_then(|labels| labels(name));
            let address = address.ok_or_else(|| TextError::UnknownLabel(name.to_owned()))?;
            let bundle = if eat_suffix(text, "bundle") { 8 } else { 0 };
            return Ok(address.wrapping_sub(bundle).wrapping_sub(self.address).wrapping_sub(8) as i32);
        }
        text.distance("a distance in bytes", 0x80_0000)
    }
}

/// Steps over `.name` if it comes next.
pub(super) fn eat_suffix(text: &mut Cursor<'_>, name: &str) -> bool {
    let mut ahead = text.clone();
    let found = ahead.eat(".") && ahead.name() == Some(name);
    if found {
        *text = ahead;
    }
    found
}
