//! Methods of a [`Device`](crate::Device) that wraps another one.

/// Makes the methods of a [`Device`](crate::Device) that pass calls on to `$device`, a device that `$self` wraps: all
/// but those that a recording has to know of.
#[macro_export]
macro_rules! passes_on_calls {
    ($self:ident => $device:expr) => {
        $crate::passes_on_calls! { @ $self $device;
            shared {
                machine() -> $crate::device::Machine;
                is_deferred() -> bool;
                interrupter() -> $crate::sched::Interrupter;
                timeline() -> &$crate::sched::Timeline;
                faults() -> &$crate::device::Faults;
                check_mapping(range: $crate::mem::GuestRange) -> Result<(), $crate::error::Error>;
                mappings() -> (Vec<$crate::mem::Mapping>, Vec<$crate::mem::GuestRange>);
                recorded_memory() -> Option<&$crate::mem::Memory>;
                stats() -> $crate::device::Stats;
                warm_start() -> Option<&$crate::cache::WarmStart>;
                wait_for_compiler() -> ();
            }
            exclusive {
                read(at: $crate::mem::GuestAddr, out: &mut [u8]) -> Result<(), $crate::error::Error>;
                finish() -> ();
                set_deferred(deferred: bool) -> ();
                run_for(limit: $crate::device::RunLimit) -> $crate::device::RunEnd;
                present(
                    scan: &$crate::transfer::ScanOut,
                    rows: &mut $crate::transfer::HostRows<'_>,
                    presented: &mut $crate::transfer::Presented
                ) -> Result<$crate::transfer::Presentation, $crate::error::Error>;
                take_events() -> Vec<$crate::device::Event>;
                set_fault_handler(handler: Option<$crate::device::FaultHandler>) -> ();
                set_log_handler(handler: Option<$crate::log::LogHandler>) -> ();
                take_written() -> Vec<$crate::mem::GuestRange>;
                set_written_handler(handler: Option<$crate::mem::WrittenHandler>) -> ();
                set_observer(observer: Option<Box<dyn $crate::probe::Observer>>) -> ();
                take_findings() -> Vec<$crate::validate::Finding>;
                set_draw_handler(handler: Option<$crate::validate::DrawHandler>) -> ();
                host_wrote(range: $crate::mem::GuestRange) -> ();
                set_host_writes_announced(announced: bool) -> ();
                set_call_recorder(recorder: Option<Box<dyn $crate::device::CallRecorder>>) -> ();
                set_access_listener(
                    listener: std::sync::Arc<dyn triglyph_guest::kernel::access::AccessListener>
                ) -> ();
                snapshot(options: $crate::snapshot::SnapshotOptions) -> Result<Vec<u8>, $crate::error::Error>;
            }
        }
    };
    (
        @ $self:ident $device:expr;
        shared { $($get:ident($($asked:ident: $Asked:ty),*) -> $Got:ty;)+ }
        exclusive { $($call:ident($($argument:ident: $Argument:ty),*) -> $Answer:ty;)+ }
    ) => {
        $(fn $get(&$self, $($asked: $Asked),*) -> $Got {
            $device.$get($($asked),*)
        })+

        $(fn $call(&mut $self, $($argument: $Argument),*) -> $Answer {
            $device.$call($($argument),*)
        })+
    };
}
