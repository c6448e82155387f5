//! What is the same in every machine's core: the part that owns memory, renderer, faults and budget.

/// Methods of a machine's core, which has the fields `memory`, `renderer`, `faults` and `budget`.
///
/// `core_of_machine!(draws)` makes the methods that draw what is in the scene, after which `settle_accounts` is called.
/// `core_of_machine!(runs)` makes the two methods of bounded runs. `core_of_machine!(faults)` makes those that report
/// to the host; they need a field `position`, the address of the command that is being executed.
#[macro_export]
macro_rules! core_of_machine {
    (draws) => {
        /// Draws what is still in the scene, so that memory shows it.
        pub fn flush(&mut self) {
            self.renderer.flush(&self.memory);
            self.settle_accounts();
        }

        /// The same, before a command that looks at it. False when a bounded run was interrupted: the command has to be
        /// executed another time.
        pub fn draw_all(&mut self) -> bool {
            let is_drawn = self.renderer.draw_all(&self.memory);
            self.settle_accounts();
            is_drawn
        }
    };
    (runs) => {
        /// Begins a bounded run, whose drawing may be interrupted.
        pub(crate) fn begin_slice(&mut self, limit: $crate::device::RunLimit) {
            self.budget.begin_slice(limit);
            self.renderer.set_interrupter(Some(self.budget.interrupter().clone()));
        }

        /// Ends a bounded run.
        pub(crate) fn end_slice(&mut self) -> $crate::frontend::budget::SliceEnd {
            self.renderer.set_interrupter(None);
            self.budget.end_slice()
        }
    };
    (faults) => {
        /// Counts a fault at a guest address or method. The text is only made when it is kept.
        #[cold]
        pub fn fault(&mut self, kind: $crate::device::FaultKind, address: u64, what: std::fmt::Arguments<'_>) {
            self.budget.charge($crate::frontend::budget::cost::FAULT);
            self.faults.record(kind, address, self.position, what);
        }

        /// Reports to the observer that the current command has stored bytes.
        #[inline]
        pub(crate) fn note_store(&mut self, place: $crate::mem::GuestAddr, bytes: u64) {
            if self.renderer.is_observed() {
                self.renderer.note_effect($crate::probe::Effect::Store(place.range(bytes)));
            }
        }

        /// Reports the start of a command to the observer.
        #[cold]
        pub(crate) fn begin_command(&mut self, command: &$crate::probe::Command, registers: &[std::cell::Cell<u32>]) {
            self.renderer.begin_command(&self.memory, command, registers, self.faults.mark());
        }

        /// Reports the end of a command to the observer.
        #[cold]
        pub(crate) fn end_command(&mut self, command: &$crate::probe::Command, registers: &[std::cell::Cell<u32>]) {
            self.renderer.end_command(&self.memory, command, registers, &self.faults);
        }
    };
}
