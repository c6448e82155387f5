//! Methods that are the same in every machine's [`Device`](crate::Device).

/// The methods of a [`Device`](crate::Device) that only concern its memory, renderer and faults: those of the field
/// `$core`, which has fields of these names.
#[macro_export]
macro_rules! device_of_core {
    ($core:ident) => {
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

        fn host_wrote(&mut self, range: $crate::mem::GuestRange) {
            self.$core.memory.mark_changed(range);
        }

        fn set_host_writes_announced(&mut self, announced: bool) {
            self.$core.memory.set_host_writes_announced(announced);
        }

        fn mappings(&self) -> (Vec<$crate::mem::Mapping>, Vec<$crate::mem::GuestRange>) {
            (self.$core.memory.mappings().collect(), self.$core.memory.host_ranges().collect())
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
    };
}
