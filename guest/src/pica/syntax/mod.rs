//! How the operands of shader instructions are written.
//!
//! ```text
//! add r0.xz, c20[a0.x].wzyx, -r3.y @5    mask, swizzle (the last letter repeats), negation, descriptor 5
//! mova a0.xy, r3          cmp c4, lt, ge, r1          mad r9.xyz, r1, c12[a0.x], -r2
//! breakc !cmp.y           jmpc cmp.x || !cmp.y, 511   jmpu !b4, 9        loop i2, 17
//! call 300..312           callu b15, 64..67           ifc cmp.x, 20..24  setemit 2, prim, inv
//! ```
//! Targets are instruction indices or labels. A range is a called block or the else part, its end exclusive; without an
//! end it is empty. The target of `loop` is the last instruction of the body. `!cmp.y (cmp.x)` is `!cmp.y` with the
//! reference bit of cmp.x set, which has no effect; common assemblers set it.

mod arith;
mod flow;

use super::descriptor::{Descriptor, DescriptorPool, Wanted};
use crate::table::{Cursor, OpInfo, TextError};

/// The context of a listing beyond the word.
pub struct Listing<'a> {
    descriptors: &'a [u32],
    labels: Option<&'a dyn Fn(u16) -> String>,
}

impl<'a> Listing<'a> {
    /// With these descriptors and numeric targets.
    pub fn new(descriptors: &'a [u32]) -> Self {
        Listing { descriptors, labels: None }
    }

    /// With these descriptors and names for targets.
    pub fn with_labels(descriptors: &'a [u32], labels: &'a dyn Fn(u16) -> String) -> Self {
        Listing { descriptors, labels: Some(labels) }
    }

    fn descriptor(&self, index: u8) -> Descriptor {
        Descriptor(self.descriptors.get(index as usize).copied().unwrap_or(0))
    }

    fn target(&self, target: u16) -> String {
        match self.labels {
            Some(name) => name(target),
            None => target.to_string(),
        }
    }

    fn range(&self, target: u16, count: u8, out: &mut String) {
        out.push_str(&self.target(target));
        if count != 0 {
            out.push_str("..");
            out.push_str(&self.target(target + u16::from(count)));
        }
    }
}

/// The instruction indices of a program's labels.
pub type Labels<'a> = &'a dyn Fn(&str) -> Option<u16>;

/// The context of an assembler beyond the line.
pub struct Assembly<'a> {
    pool: &'a mut DescriptorPool,
    labels: Option<Labels<'a>>,
}

impl<'a> Assembly<'a> {
    /// Without labels.
    pub fn new(pool: &'a mut DescriptorPool) -> Self {
        Assembly { pool, labels: None }
    }

    /// With labels.
    pub fn with_labels(pool: &'a mut DescriptorPool, labels: Labels<'a>) -> Self {
        Assembly { pool, labels: Some(labels) }
    }

    /// Reads the number of the descriptor if the line gives one and finds it a place.
    fn descriptor(&mut self, op: &OpInfo, text: &mut Cursor<'_>, wanted: Wanted) -> Result<u8, TextError> {
        let reach = 1 << op.pattern.field_width(b'p');
        let placed = if text.eat("@") {
            self.pool.place(text.number("a descriptor number", 127)? as usize, wanted, reach)
        } else {
            self.pool.intern(wanted, reach)
        };
        placed.map_err(|error| TextError::Rule(error.to_string()))
    }

    fn target(&self, text: &mut Cursor<'_>) -> Result<u16, TextError> {
        match text.name() {
            Some(name) => {
                let label = self.labels.and_then(|labels| labels(name));
                label.ok_or_else(|| TextError::UnknownLabel(name.to_owned()))
            }
            None => Ok(text.number("an instruction index", 0x10FF)? as u16),
        }
    }

    fn range(&self, text: &mut Cursor<'_>) -> Result<(u16, u8), TextError> {
        let start = self.target(text)?;
        let end = if text.eat("..") { self.target(text)? } else { start };
        match end.checked_sub(start).map(u8::try_from) {
            Some(Ok(count)) => Ok((start, count)),
            _ => Err(TextError::Rule(format!("a block of {start}..{end} is not 0 to 255 instructions"))),
        }
    }
}
