//! Requests to the service `gsp::Gpu`: one row each, of [`table::calls`](crate::table::calls), followed by what clients
//! make the call with.
//!
//! A request is `@ Name header { "name" } (gsp, hardware, io) => what it does;`. The header is that of the command
//! buffer, `id << 16 | words << 6 | words of descriptors`; `io` has the words of the buffer, the session and the
//! client's memory (`machines/n3ds/src/system/gsp/ipc.rs`). Source: 3dbrew GSPGPU services.
//!
//! [`gsp_calls!`](crate::gsp_calls) hands the rows to a macro.

use crate::listed;
use crate::table::calls::describe_calls;

/// Hands the rows of the table to the macro `$then`.
#[macro_export]
macro_rules! gsp_calls {
    ($then:ident) => {
        $then! {
            /// WriteHWRegs: consecutive registers from `offset`, counted from physical address 0x10000000. What
            /// finishes is queued for delivery.
            ///
            /// # Errors
            /// [`ResultCode::NO_RIGHT`] without the rendering right; [`ResultCode::BAD_OFFSET`] for other registers;
            /// [`ResultCode::BAD_SIZE`] for more than 32 words; [`ResultCode::MISALIGNED_SIZE`].
            inner - write_registers(hardware: (&mut dyn Hardware), session: Session, offset: u32, words: [u32])
                -> Result<(), ResultCode>;
                @ WriteHwRegs 0x0001_0082 { "WriteHWRegs" } (gsp, hardware, io) => {
                    let words = io.registers(gsp, 4)?;
                    gsp.write_registers(hardware, io.session, io.word(1), &words)?
                };

            /// WriteHWRegsWithMask: as [`Self::write_registers`], but only the bits that are set in `masks`; words
            /// without a mask are not written.
            ///
            /// # Errors
            /// As [`Self::write_registers`].
            inner - write_registers_with_mask(
                hardware: (&mut dyn Hardware), session: Session, offset: u32, words: [u32], masks: [u32]
            ) -> Result<(), ResultCode>;
                @ WriteHwRegsWithMask 0x0002_0084 { "WriteHWRegsWithMask" } (gsp, hardware, io) => {
                    let (words, masks) = (io.registers(gsp, 4)?, io.registers(gsp, 6)?);
                    gsp.write_registers_with_mask(hardware, io.session, io.word(1), &words, &masks)?
                };

            /// WriteHWRegRepeat: all words into one register.
            ///
            /// # Errors
            /// As [`Self::write_registers`].
            inner - write_register_repeat(hardware: (&mut dyn Hardware), session: Session, offset: u32, words: [u32])
                -> Result<(), ResultCode>;
                @ WriteHwRegRepeat 0x0003_0082 { "WriteHWRegRepeat" } (gsp, hardware, io) => {
                    let words = io.registers(gsp, 4)?;
                    gsp.write_register_repeat(hardware, io.session, io.word(1), &words)?
                };

            /// ReadHWRegs: consecutive registers into `words`.
            ///
            /// # Errors
            /// As [`Self::write_registers`].
            inner - read_registers(hardware: (&mut dyn Hardware), session: Session, offset: u32, words: (&mut [u32]))
                -> Result<(), ResultCode>;
                @ ReadHwRegs 0x0004_0080 { "ReadHWRegs" } (gsp, hardware, io) => {
                    let mut words = io.room(gsp)?;
                    gsp.read_registers(hardware, io.session, io.word(1), &mut words)?;
                    io.give(&words)?
                };

            /// SetBufferSwap: shows a picture, for clients that draw without the GPU. It takes effect at once; the real
            /// GSP waits for the next VBlank when the beam is in the picture.
            ///
            /// # Errors
            /// [`ResultCode::NO_RIGHT`] without the rendering right.
            inner - set_buffer_swap(
                hardware: (&mut dyn Hardware), session: Session, screen: Screen, framebuffer: (&FramebufferInfo)
            ) -> Result<(), ResultCode>;
                @ SetBufferSwap 0x0005_0200 { "SetBufferSwap" } (gsp, hardware, io) => {
                    let framebuffer = FramebufferInfo::from_words(std::array::from_fn(|i| io.word(2 + i)));
                    gsp.set_buffer_swap(hardware, io.session, Screen::ALL[io.word(1) as usize & 1], &framebuffer)?
                };

            /// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint, which
            /// any session may give.
            inner - flush_data_cache(hardware: (&mut dyn Hardware), address: u32, size: u32);
                @ FlushDataCache 0x0008_0082 { "FlushDataCache" } (gsp, hardware, io) =>
                    gsp.flush_data_cache(hardware, io.word(1), io.word(2));
                @ StoreDataCache 0x001F_0082 { "StoreDataCache" } (gsp, hardware, io) =>
                    gsp.flush_data_cache(hardware, io.word(1), io.word(2));

            /// SetLcdForceBlack: covers both screens with black, or uncovers them.
            inner - set_lcd_force_black(hardware: (&mut dyn Hardware), black: bool);
                @ SetLcdForceBlack 0x000B_0040 { "SetLcdForceBlack" } (gsp, hardware, io) =>
                    gsp.set_lcd_force_black(hardware, io.word(1) & 1 != 0);

            /// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right, whichever
            /// client calls. Queues of the others wait, also when the right passes on: until the next trigger, or until
            /// a command of the new holder ends. Interrupts wait until the host delivers them.
            ///
            /// While submissions are deferred nothing happens: bounded runs execute the queue.
            inner - trigger(hardware: (&mut dyn Hardware));
                @ TriggerCmdReqQueue 0x000C_0000 { "TriggerCmdReqQueue" } (gsp, hardware, _io) => gsp.trigger(hardware);

            /// RegisterInterruptRelayQueue: makes a session a client; `event` is the handle that the host signals for
            /// it. Its relay queue is empty afterwards. A session that is a client already keeps its index; a new one
            /// finds its part of the page cleared (unverified; clients are known to empty their command queue
            /// themselves).
            ///
            /// # Errors
            /// [`ResultCode::RIGHT_TAKEN`] when there are four others (the code is unverified).
            inner - register_relay_queue(session: Session, flags: u32, event: u32)
                -> Result<Registration, ResultCode> as registration;
                @ RegisterInterruptRelayQueue 0x0013_0042 { "RegisterInterruptRelayQueue" } (gsp, _hardware, io) => {
                    let done = gsp.register_relay_queue(io.session, io.word(1), io.word(3))?;
                    io.answer_with(&[done.result.0, done.client as u32], &[0, done.shared_memory])
                };

            /// UnregisterInterruptRelayQueue: the session's place in the shared page is free again. It keeps the
            /// rendering right, but what waits in its queue is not executed, and completion interrupts are delivered to
            /// no client.
            inner - unregister_relay_queue(session: Session);
                @ UnregisterInterruptRelayQueue 0x0014_0000 { "UnregisterInterruptRelayQueue" } (gsp, _hardware, io) =>
                    gsp.unregister_relay_queue(io.session);

            /// TryAcquireRight: takes the rendering right if it is free.
            ///
            /// # Errors
            /// [`ResultCode::RIGHT_TAKEN`] when another session has it.
            inner - try_acquire_right(session: Session) -> Result<ResultCode, ResultCode>;
                @ TryAcquireRight 0x0015_0002 { "TryAcquireRight" } (gsp, _hardware, io) => {
                    let result = gsp.try_acquire_right(io.session)?;
                    io.answer_with(&[result.0], &[])
                };

            /// AcquireRight: takes the rendering right or waits for it; who waits is told later that it has it. The
            /// call's flag, which asks for extra initialisation, is the host's affair.
            inner - acquire_right(session: Session) -> Acquire as acquired;
                @ AcquireRight 0x0016_0042 { "AcquireRight" } (gsp, _hardware, io) => {
                    match gsp.acquire_right(io.session) {
                        Acquire::Granted => (),
                        Acquire::AlreadyHeld => io.answer_with(&[ResultCode::ALREADY_DONE.0], &[]),
                        Acquire::Waiting => io.reply = Reply::Blocked,
                    }
                };

            /// ReleaseRight: gives the rendering right to the next who waits. Without effect for others than its
            /// holder.
            inner - release_right(session: Session);
                @ ReleaseRight 0x0017_0000 { "ReleaseRight" } (gsp, _hardware, io) => gsp.release_right(io.session);

            /// ImportDisplayCaptureInfo: what both screens show, or what the holder of the right has set for the next
            /// VBlank, which the real GSP loads when it is asked (Azahar #2273). Addresses are those that the client
            /// gave, where it did.
            inner - display_capture_info(hardware: (&mut dyn Hardware)) -> [CaptureInfo; 2] as (top, bottom);
                @ ImportDisplayCaptureInfo 0x0018_0000 { "ImportDisplayCaptureInfo" } (gsp, hardware, io) => {
                    let screens = gsp.display_capture_info(hardware).map(|s| [s.left, s.right, s.format, s.stride]);
                    io.answer_with(&[&[ResultCode::SUCCESS.0], screens.as_flattened()].concat(), &[])
                };

            /// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM. Requests to the
            /// service need flag 1 of the session's registration.
            inner - save_vram_area(hardware: (&mut dyn Hardware));
                @ SaveVramSysArea 0x0019_0000 { "SaveVramSysArea" } (gsp, hardware, io) => {
                    gsp.check_vram_save(io.session)?;
                    gsp.save_vram_area(hardware)
                };

            /// RestoreVramSysArea: copies it back; otherwise as [`Self::save_vram_area`].
            inner - restore_vram_area(hardware: (&mut dyn Hardware));
                @ RestoreVramSysArea 0x001A_0000 { "RestoreVramSysArea" } (gsp, hardware, io) => {
                    gsp.check_vram_save(io.session)?;
                    gsp.restore_vram_area(hardware)
                };

            /// Requests without a visible effect: the processor's cache, priorities, performance counters, a
            /// reset of the GPU, the LED.
            none - invisible();
                @ InvalidateDataCache 0x0009_0082 { "InvalidateDataCache" } (_gsp, _hardware, _io) => ();
                @ SetAxiConfigQosMode 0x0010_0040 { "SetAxiConfigQoSMode" } (_gsp, _hardware, _io) => ();
                @ SetPerfLogMode 0x0011_0040 { "SetPerfLogMode" } (_gsp, _hardware, _io) => ();
                @ GetPerfLog 0x0012_0000 { "GetPerfLog" } (_gsp, _hardware, _io) => ();
                @ ResetGpuCore 0x001B_0000 { "ResetGpuCore" } (_gsp, _hardware, _io) => ();
                @ SetLedForceOff 0x001C_0040 { "SetLedForceOff" } (_gsp, _hardware, _io) => ();
                @ SetInternalPriorities 0x001E_0080 { "SetInternalPriorities" } (_gsp, _hardware, _io) => ();
        }
    };
}

macro_rules! describe {
    ($($row:tt)+) => {
        describe_calls!($($row)+);
    };
}
gsp_calls!(describe);

macro_rules! list_requests {
    ($(
        $(#[$doc:meta])*
        $kind:ident $number:tt $name:ident($($argument:ident: $ty:tt),*) $(-> $answer:ty $(as $out:tt)?)?;
        $(@ $Request:ident $header:literal { $service_name:literal } ($($names:tt)*) => $body:expr;)*
    )+) => {
        listed! {
            /// A request that is known.
            pub enum Request: u32 { $($(#[doc = $service_name] $Request = $header),*),+ }
        }

        impl Request {
            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Request::$Request => $service_name),*),+
                }
            }
        }
    };
}
gsp_calls!(list_requests);

impl Request {
    /// Its header.
    pub const fn header(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn requests_are_known_by_their_headers() {
        assert_eq!(Request::from_number(0x0016_0042).map(Request::name), Some("AcquireRight"));
        assert_eq!(Request::from_number(0x0016_0040), None);
        let ids: BTreeSet<_> = Request::ALL.iter().map(|request| request.header() >> 16).collect();
        assert_eq!(ids.len(), Request::ALL.len());
    }
}
