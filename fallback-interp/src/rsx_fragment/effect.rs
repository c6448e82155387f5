//! Operations without a result: one method per operation.

use triglyph_guest::rsx::fragment::{Compute, EffectVisitor};

use super::Quad;
use super::lanes::Lanes;

/// An operation that the lanes of a set execute.
pub(super) struct Effect<'q, 'a> {
    pub(super) quad: &'q mut Quad<'a>,
    pub(super) compute: &'q Compute,
    pub(super) lanes: Lanes,
}

impl EffectVisitor for Effect<'_, '_> {
    type Source = ();
    type Output = ();

    fn nop(&mut self) {}
    fn kil(&mut self) {
        let compute = self.compute;
        self.quad.each(self.lanes, |lane| {
            let holds = lane.holds(compute.condition, compute.condition_register);
            lane.discarded |= holds.contains(&true);
        });
    }
    fn fenct(&mut self) {}
    fn fencb(&mut self) {}
}
