//! Decoded instructions and their operands.

use triglyph_guest::pica::isa::{Dst, SetEmit, Src};
use triglyph_guest::table::{OpInfo, flags};

use super::Lower;
use super::flow::Flow;
use super::tracked::TrackedValue;

/// A source with its swizzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub register: Src,
    /// Component of the register for each component of the source.
    pub select: [u8; 4],
    /// Whether the sign is flipped after the swizzle.
    pub negate: bool,
}

/// How the result of an arithmetic instruction is emitted from its sources.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compute {
    /// Component by component.
    PerComponent(fn(&mut Lower<'_, '_>, &[Operand; 3], usize) -> TrackedValue),
    /// One number for all components.
    Same(fn(&mut Lower<'_, '_>, &[Operand; 3]) -> TrackedValue),
}

/// An instruction with a result for a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arithmetic {
    /// Its row of the table.
    pub row: &'static OpInfo,
    pub compute: Compute,
    /// Number of its sources.
    pub count: usize,
    /// The sources; those beyond `count` are the first one again.
    pub sources: [Operand; 3],
    pub target: Dst,
    pub mask: [bool; 4],
    /// Components of the first source whose signs go to cmp.x and cmp.y, if there are such.
    pub signs: Option<[usize; 2]>,
}

impl Arithmetic {
    /// Components of each source, after the swizzle, that are read for components `needed` of the result and for
    /// `flags`.
    pub fn reads(&self, needed: [bool; 4], flags: [bool; 2]) -> [[bool; 4]; 3] {
        let any = needed.contains(&true);
        let per_component = self.row.has(flags::PER_COMPONENT);
        let mut reads = [[false; 4]; 3];
        for (components, set) in reads.iter_mut().zip(self.row.reads).take(self.count) {
            *components = [0, 1, 2, 3].map(|c| set >> c & 1 != 0 && if per_component { needed[c] } else { any });
        }
        for (component, flag) in self.signs.into_iter().flatten().zip(flags) {
            reads[0][component] |= flag;
        }
        reads
    }
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instruction {
    /// `target = compute(sources)`
    Arithmetic(Arithmetic),
    /// Writes a0.x and a0.y.
    Address { source: Operand, mask: [bool; 2] },
    /// Writes cmp.x and cmp.y with the comparisons of these numbers.
    Compare { sources: [Operand; 2], comparisons: [u8; 2] },
    /// Emits the outputs as a vertex and exchanges their banks.
    Emit,
    /// Says what the next EMITs do.
    SetEmit(SetEmit),
    /// Control flow, or nothing at all.
    Flow(Flow),
}

/// Which products a dot product sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dot {
    Xyz,
    Xyzw,
    /// The w of the first source is 1.
    Homogeneous,
}
