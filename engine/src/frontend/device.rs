//! Methods that are the same in every machine's [`Device`](crate::Device).

/// Methods of traits that are the same in every machine.
///
/// `device_of_core!(core of machine)` makes those of a [`Device`](crate::Device) that only concern its memory,
/// renderer, faults and budget: those of the field `core`, which has fields of these names. `take_snapshot` and
/// `restore_snapshot` are methods of the machine.
/// `device_of_core!(recorded row)` makes those that record themselves in the field `calls`, for machines with a field
/// `deferred`; `row` finds the row of a call. `device_of_core!(checked map)` makes `map` where nothing has to be drawn
/// before. `device_of_core!(replay calls)` makes those of [`Replay`](crate::device::Replay), of which `replay` is a
/// method of the machine.
#[macro_export]
macro_rules! device_of_core {
    ($core:ident of $machine:expr) => {
        fn machine(&self) -> $crate::device::Machine {
            $machine
        }

        fn write(&mut self, at: $crate::mem::GuestAddr, bytes: &[u8]) -> Result<(), $crate::error::Error> {
            // The drawing of an interrupted run.
            self.$core.renderer.flush(&self.$core.memory);
            self.$core.memory.write(at, bytes)
        }

        fn read(&mut self, at: $crate::mem::GuestAddr, out: &mut [u8]) -> Result<(), $crate::error::Error> {
            self.$core.renderer.flush(&self.$core.memory);
            self.$core.memory.read(at, out)
        }

        fn present(
            &mut self,
            scan: &$crate::transfer::ScanOut,
            rows: &mut $crate::transfer::HostRows<'_>,
            presented: &mut $crate::transfer::Presented,
        ) -> Result<$crate::transfer::Presentation, $crate::error::Error> {
            self.$core.renderer.present(&self.$core.memory, scan, None, rows, presented)
        }

        fn interrupter(&self) -> $crate::sched::Interrupter {
            self.$core.budget.interrupter().clone()
        }

        fn timeline(&self) -> &$crate::sched::Timeline {
            &self.$core.renderer.timeline
        }

        fn set_fault_handler(&mut self, handler: Option<$crate::device::FaultHandler>) {
            self.$core.faults.set_handler(handler);
        }

        fn set_log_handler(&mut self, handler: Option<$crate::log::LogHandler>) {
            self.$core.renderer.set_log_handler(handler);
        }

        fn faults(&self) -> &$crate::device::Faults {
            &self.$core.faults
        }

        fn take_written(&mut self) -> Vec<$crate::mem::GuestRange> {
            self.$core.renderer.flush(&self.$core.memory);
            self.$core.memory.take_written()
        }

        fn set_written_handler(&mut self, handler: Option<$crate::mem::WrittenHandler>) {
            self.$core.memory.set_written_handler(handler);
        }

        fn set_observer(&mut self, observer: Option<Box<dyn $crate::probe::Observer>>) {
            self.$core.renderer.flush(&self.$core.memory);
            self.$core.renderer.set_observer(observer);
        }

        fn take_findings(&mut self) -> Vec<$crate::validate::Finding> {
            self.$core.renderer.take_findings()
        }

        fn set_draw_handler(&mut self, handler: Option<$crate::validate::DrawHandler>) {
            self.$core.renderer.set_draw_handler(handler);
        }

        fn host_wrote(&mut self, range: $crate::mem::GuestRange) {
            self.$core.memory.mark_changed(range);
        }

        fn set_host_writes_announced(&mut self, announced: bool) {
            self.$core.memory.set_host_writes_announced(announced);
        }

        fn mappings(&self) -> (Vec<$crate::mem::Mapping>, Vec<$crate::mem::GuestRange>) {
            (self.$core.memory.mappings().collect(), self.$core.memory.host_ranges().collect())
        }

        fn as_replay(&mut self) -> &mut dyn $crate::device::Replay {
            self
        }

        fn recorded_memory(&self) -> Option<&$crate::mem::Memory> {
            Some(&self.$core.memory)
        }

        fn set_access_listener(
            &mut self,
            listener: std::sync::Arc<dyn triglyph_guest::kernel::access::AccessListener>,
        ) {
            self.$core.memory.set_access_listener(listener);
        }

        fn stats(&self) -> $crate::device::Stats {
            self.$core.renderer.stats()
        }

        fn warm_start(&self) -> Option<&$crate::cache::WarmStart> {
            Some(self.$core.renderer.warm_start())
        }

        fn wait_for_compiler(&self) {
            self.$core.renderer.kernels.wait_for_compiler();
        }

        fn snapshot(&mut self, options: $crate::snapshot::SnapshotOptions) -> Result<Vec<u8>, $crate::error::Error> {
            Ok(self.take_snapshot(options))
        }

        fn restore(&mut self, snapshot: &[u8]) -> Result<(), $crate::error::Error> {
            self.restore_snapshot(snapshot)
        }
    };
    (recorded $row:ident) => {
        fn set_deferred(&mut self, deferred: bool) {
            const KIND: $crate::device::calls::RecordedAs = $crate::device::calls::RecordedAs::of($row("set_deferred"));
            let set = |machine: &mut Self| machine.deferred = deferred;
            $crate::device::calls::RecordsCalls::record(self, KIND, &[deferred.into()], set)
                .unwrap_or_else(|| set(self));
        }

        fn is_deferred(&self) -> bool {
            self.deferred
        }

        fn set_call_recorder(&mut self, recorder: Option<Box<dyn $crate::device::CallRecorder>>) {
            self.calls.set_recorder(recorder);
            if self.core.budget.tank() != $crate::frontend::budget::FUEL {
                self.set_fuel(self.core.budget.tank());
            }
            if self.deferred {
                self.set_deferred(true);
            }
        }
    };
    (checked map) => {
        fn map(
            &mut self,
            range: $crate::mem::GuestRange,
            access: $crate::mem::Access,
        ) -> Result<(), $crate::error::Error> {
            self.check_mapping(range)?;
            self.core.memory.map(range, access)?;
            self.core.renderer.note_mapping(&self.core.memory, range.start);
            Ok(())
        }
    };
    (replay calls) => {
        fn replay_call(&mut self, call: &[u8]) -> Result<(), $crate::error::Error> {
            self.replay(call)
        }
    };
}
