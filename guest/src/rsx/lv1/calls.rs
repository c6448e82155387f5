//! The calls of the hypervisor's GPU and of its hosts: one row each, of
//! [`table::calls`](crate::table::calls). The number of a row of the kind `guest` is what the guest passes in r11; its
//! arguments are r3 and up, its answer r4 and up (Linux `lv1call.h`, wiki).

use std::time::Duration;

use crate::id::{ChannelId, ContextHandle, MemoryHandle};
use crate::table::calls::describe_calls;

/// Words that a recorded hypercall has for its arguments, used or not.
pub const ARGUMENTS: usize = 8;

/// Hands the rows of the table to the macro `$then`.
#[macro_export]
macro_rules! rsx_calls {
    ($then:ident) => {
        $then! {
            /// `lv1_gpu_device_map`: the address of a device's page, and its bytes. Device 8 is a page of local memory;
            /// what the others hold is not documented, they read 0.
            ///
            /// # Errors
            /// [`Status::IllegalParameterValue`] for devices that cannot be mapped.
            guest 212 device_map(device: u64) -> Result<(u64, u64), Status> as (lpar, size);

            /// `lv1_gpu_device_unmap`.
            ///
            /// # Errors
            /// [`Status::NoEntry`] for a device that is not mapped.
            guest 213 device_unmap(device: u64) -> Result<(), Status>;

            /// `lv1_gpu_memory_allocate`: `size` bytes of local memory, a multiple of 1 MiB, and four limited
            /// resources. Memory that the host has not mapped is mapped.
            ///
            /// # Errors
            /// [`Status::IllegalParameterValue`] for sizes and resources beyond the limits,
            /// [`Status::ResourceShortage`] when there is not enough left.
            guest 214 memory_allocate(size: u64, resources: [u64; 4])
                -> Result<MemoryAllocation, Status> as (handle, lpar);

            /// `lv1_gpu_memory_free`.
            ///
            /// # Errors
            /// [`Status::NoEntry`] for a handle without an allocation, [`Status::Busy`] while a context works on it.
            guest 216 memory_free(handle: MemoryHandle) -> Result<(), Status>;

            /// `lv1_gpu_context_allocate`: a channel with its objects and pages. For `flags` see
            /// [`flags`](triglyph_guest::rsx::lv1::flags).
            ///
            /// # Errors
            /// [`Status::IllegalParameterValue`] for an unknown memory handle; [`Status::ResourceShortage`] when there
            /// are three contexts (one in fast mode).
            guest 217 context_allocate(memory: MemoryHandle, flags: u64)
                -> Result<ContextAllocation, Status> as context;

            /// `lv1_gpu_context_free`.
            ///
            /// # Errors
            /// [`Status::NoEntry`] for a handle without a context, as for all calls that take one.
            guest 218 context_free(context: ContextHandle) -> Result<(), Status>;

            /// `lv1_gpu_context_iomap`: `size` bytes of main memory at `lpar` appear at IO offset `io`; size 0 or
            /// address 0 unmaps. Main memory is what the host has mapped in the space of main memory, by the same
            /// addresses. The GPU may write it with bit 63 of `flags`, read it with bit 62.
            ///
            /// # Errors
            /// [`Status::AlignmentError`] unless all are multiples of 1 MiB (64 KiB with that flag);
            /// [`Status::IllegalParameterValue`] beyond the IO space or where there is no main memory.
            guest 221 context_iomap(context: ContextHandle, io: u64, lpar: u64, size: u64, flags: u64)
                -> Result<(), Status>;

            /// `lv1_gpu_context_attribute`: an operation with four parameters, such as 0x001, which sets GET and PUT;
            /// those of [`Operation`](triglyph_guest::rsx::lv1::attribute::Operation) in Rust.
            ///
            /// # Errors
            /// [`Status::NoEntry`] for an unknown operation or context; [`Status::IllegalParameterValue`] for numbers
            /// beyond what there is; [`Status::WrongState`] for frame-buffer copies without a frame buffer or while the
            /// channel is busy.
            guest 225 context_attribute(context: ContextHandle, operation: u64, parameters: [u64; 4])
                -> Result<(), Status>;

            /// `lv1_gpu_context_intr`: the interrupts that have happened since the last call.
            ///
            /// # Errors
            /// As [`Self::context_free`].
            guest 227 context_intr(context: ContextHandle) -> Result<u64, Status> as interrupts;

            /// `lv1_gpu_attribute`: what its operations do is not documented; they succeed, as with RPCS3.
            ///
            /// # Errors
            /// None so far.
            guest 228 attribute(operation: u64, parameters: [u64; 4]) -> Result<(), Status>;

            /// A call by its number, for hosts that dispatch on r11: `arguments` are r3 and up.
            own_work 0 hypercall(number: u32, arguments: [u64; 8]) -> Answer as outputs;

            /// Executes the commands of all channels: reads PUT of every context, and runs until all channels are idle,
            /// wait for a semaphore or are stopped. Then memory shows everything, and the control pages show GET and
            /// REF. To be called when the guest has written PUT, and when something has happened that a channel may
            /// wait for.
            ///
            /// A run that does not end is ended, with a fault;
            /// [`Device::run_for`](triglyph_engine::device::Device::run_for) bounds it instead.
            work 1 run();

            /// A bounded run, by the words that it did; all ones if it went on until nothing could.
            device_work 2 run_for(words: u64);

            /// A head (0 or 1) has begun to show a frame, at `time` in ticks of the processor's time base: flips that
            /// wait are done. For every context; the host calls this as often as its screen shows one.
            call 3 vblank(head: u32, time: u64);

            /// The frame of the second handler of vertical blanks, for hosts that keep its rate; with the screen's own
            /// rate [`Self::vblank`] does it.
            call 4 second_vblank(head: u32, time: u64);

            /// Sets the time since power on that reports, notifiers and PTIMER show, in nanoseconds. By itself it moves
            /// with the work that is done, so that runs can be repeated.
            call 5 set_clock(time: Duration);

            /// Writes a register of BAR0; the two low bits of the address are ignored. A push buffer does not run
            /// before [`Self::run`].
            work 6 mmio_write(address: u32, word: u32);

            /// Reads a register of BAR0; the two low bits of the address are ignored.
            call 7 mmio_read(address: u32) -> u32 as word;

            /// Writes a word of instance memory; nothing happens beyond its end.
            call 8 pramin_write(offset: u32, word: u32);

            /// Clears the error of a channel: it goes on at PUT, as drivers have it.
            call 9 clear_error(channel: ChannelId);

            /// Whether submissions wait for a bounded run.
            device 10 set_deferred(deferred: bool);

            /// Everything is in memory: work that was deferred, too.
            device_work 11 finish();

            /// Writes a word of the bus: recorded so is only what goes to local memory.
            own 12 bus_write(address: u64, word: u32) -> bool as found;

            /// Sets what each submission may cost, in units of fuel: see
            /// [`Options::fuel`](triglyph_options::Options::fuel), with which it begins. A recording has it.
            call 13 set_fuel(fuel: u64);
        }
    };
}

macro_rules! describe {
    ($($row:tt)+) => {
        describe_calls!($($row)+);
    };
}
rsx_calls!(describe);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_their_numbers() {
        assert_eq!(call("context_allocate").number, Some(217));
        assert_eq!((call("context_allocate").recorded_number(), call("hypercall").recorded_number()), (None, Some(0)));
        let words = |name: &str| call(name).recorded().map(|argument| argument.words()).sum::<usize>();
        assert_eq!((words("context_attribute"), words("hypercall")), (6, 1 + ARGUMENTS));
        assert!(CALLS.iter().filter(|call| call.is_guest()).all(|call| words(call.name) <= ARGUMENTS));
    }
}
