//! What inspectors hear of the PICA.

use super::{Host, Pica};
use triglyph_engine::probe::Command;

impl Pica {
    /// Does what a write of `value` to register `id` asks for, for an observer to see if there is one.
    #[inline]
    pub(super) fn observed(
        &mut self,
        host: &mut Host<'_>,
        id: usize,
        value: u32,
        run: impl FnOnce(&mut Self, &mut Host<'_>),
    ) {
        if !host.renderer.is_observed() {
            return run(self, host);
        }
        let command = Command { class: 0, method: id as u32, value, position: self.position };
        host.renderer.begin_command(host.memory, &command, self.registers.live(), host.faults.total());
        run(self, host);
        host.renderer.end_command(host.memory, &command, self.registers.live(), host.faults.total());
    }
}
