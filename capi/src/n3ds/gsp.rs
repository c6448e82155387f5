//! GSP: clients, the rendering right, interrupts, the service's calls.

use std::collections::VecDeque;

use triglyph::n3ds::gsp::{Acquire, CLIENTS, ClientSet, FramebufferInfo, Registration, ResultCode};

use super::{interrupt, machine, screen, session, triglyph_n3ds, with_gsp, with_n3ds};
use crate::error::triglyph_status;
use crate::handle::with_device;
use crate::n3ds::triglyph_n3ds_executed;
use crate::pointer::{Out, array, drain, put, required};

/// What a screen is to show: GSP's framebuffer information.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_framebuffer {
    /// Which pair of addresses is set: 0 the first, 1 the second.
    pub active: u32,
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// Bytes between columns.
    pub stride: u32,
    /// The controller's format register.
    pub format: u32,
    /// The controller's select register.
    pub select: u32,
    /// Not used by the hardware.
    pub attribute: u32,
}

impl From<triglyph_n3ds_framebuffer> for FramebufferInfo {
    fn from(info: triglyph_n3ds_framebuffer) -> Self {
        let triglyph_n3ds_framebuffer { active, left, right, stride, format, select, attribute } = info;
        FramebufferInfo { active, left, right, stride, format, select, attribute }
    }
}

/// An interrupt that the host is to deliver.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_completion {
    /// The `triglyph_n3ds_interrupt`.
    pub interrupt: u32,
    /// Index of the client that held the rendering right when the work was done, -1 for nobody. Who gets the interrupt
    /// is decided when it is delivered.
    pub client: i32,
    /// After how many ticks of the main processor from the call that caused it: an estimate.
    pub ticks: u64,
}

/// The answer to RegisterInterruptRelayQueue.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_registration {
    /// The result code: 0x2A07 for the first client since the console was switched on, then 0, or an error.
    pub result: u32,
    /// The client's index in the shared page.
    pub client: u32,
    /// Handle of the shared page, as the host has set it.
    pub shared_memory: u32,
}

/// What asking for the rendering right came to.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum triglyph_n3ds_acquire {
    /// The caller has it now.
    Granted = 0,
    /// The caller had it before.
    AlreadyHeld = 1,
    /// Another has it; the caller waits in line, and turns up in `triglyph_n3ds_take_granted`.
    Waiting = 2,
}

/// What a screen shows, for ImportDisplayCaptureInfo.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_n3ds_capture_info {
    /// Virtual address of the left or only picture.
    pub left: u32,
    /// Virtual address of the right eye's picture.
    pub right: u32,
    /// The format register.
    pub format: u32,
    /// Bytes between columns.
    pub stride: u32,
}

/// What the host has not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    completions: VecDeque<triglyph_n3ds_completion>,
    granted: VecDeque<u32>,
}

/// Clients as bits: bit n is the client of index n.
fn bits(clients: ClientSet) -> u32 {
    clients.iter().fold(0, |bits, client| bits | 1 << client)
}

/// RegisterInterruptRelayQueue: makes a session, which the host names by a number, a client. `event` is the handle
/// that the host signals for it.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_register_relay_queue(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    flags: u32,
    event: u32,
    registration: Out<'_, triglyph_n3ds_registration>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        let answer = match gsp.register_relay_queue(self::session(session), flags, event) {
            Ok(Registration { result, client, shared_memory }) => {
                triglyph_n3ds_registration { result: result.0, client: client as u32, shared_memory }
            }
            Err(result) => triglyph_n3ds_registration { result: result.0, ..Default::default() },
        };
        put(registration, answer);
        Ok(())
    })
}

/// UnregisterInterruptRelayQueue: the session's place in the shared page is free again.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_unregister_relay_queue(n3ds: Option<&triglyph_n3ds>, session: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        gsp.unregister_relay_queue(self::session(session));
        Ok(())
    })
}

/// The session is gone: everything that it held is free.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_close_session(n3ds: Option<&triglyph_n3ds>, session: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        gsp.close(self::session(session));
        Ok(())
    })
}

/// Who is registered at an index of the shared page: the session and its event. `found` says whether anybody is.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_client(
    n3ds: Option<&triglyph_n3ds>,
    index: u32,
    session: Out<'_, u32>,
    event: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_n3ds(n3ds, |n3ds| {
        let client = n3ds.gsp().client(index as usize);
        put(session, client.map_or(0, |client| client.session.0));
        put(event, client.map_or(0, |client| client.event));
        put(found, client.is_some());
        Ok(())
    })
}

/// The handle of the shared page that registrations are answered with.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_shared_memory_handle(n3ds: Option<&triglyph_n3ds>, handle: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        gsp.set_shared_memory_handle(handle);
        Ok(())
    })
}

/// Makes PPF exchange the shown buffers when a client has set nothing new; off at first.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_auto_toggle(n3ds: Option<&triglyph_n3ds>, on: bool) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        gsp.set_auto_toggle(on);
        Ok(())
    })
}

/// AcquireRight: takes the rendering right or waits for it. `acquired` is a `triglyph_n3ds_acquire`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_acquire_right(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    acquired: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        let outcome = match gsp.acquire_right(self::session(session)) {
            Acquire::Granted => triglyph_n3ds_acquire::Granted,
            Acquire::AlreadyHeld => triglyph_n3ds_acquire::AlreadyHeld,
            Acquire::Waiting => triglyph_n3ds_acquire::Waiting,
        };
        put(acquired, outcome as u32);
        Ok(())
    })
}

/// TryAcquireRight: takes the rendering right if it is free. `result` is the result code of the call.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_try_acquire_right(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        put(result, gsp.try_acquire_right(self::session(session)).unwrap_or_else(|error| error).0);
        Ok(())
    })
}

/// ReleaseRight: gives the rendering right to the next who waits.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_release_right(n3ds: Option<&triglyph_n3ds>, session: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| {
        gsp.release_right(self::session(session));
        Ok(())
    })
}

/// Who has the rendering right; `found` says whether anybody has.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_right_holder(
    n3ds: Option<&triglyph_n3ds>,
    session: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_n3ds(n3ds, |n3ds| {
        let holder = n3ds.gsp().holder();
        put(session, holder.map_or(0, |holder| holder.0));
        put(found, holder.is_some());
        Ok(())
    })
}

/// Takes the sessions that waited in AcquireRight and hold the right now. `count` is how many were stored in
/// `sessions`; if that is `capacity`, there may be more to take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_take_granted(
    n3ds: Option<&triglyph_n3ds>,
    sessions: *mut u32,
    capacity: usize,
    count: Out<'_, usize>,
) -> triglyph_status {
    with_device(n3ds.map(|n3ds| &n3ds.device), |state| {
        let count = required(count, "count")?;
        let new = machine(state)?.with_gsp(|gsp, _| gsp.take_granted());
        state.gsp.granted.extend(new.into_iter().map(|session| session.0));
        // SAFETY: the header asks callers for room for that many.
        count.write(unsafe { drain(&mut state.gsp.granted, sessions, capacity, "sessions") }?);
        Ok(())
    })
}

/// TriggerCmdReqQueue: executes what waits in the queue of the client with the rendering right. Interrupts wait in
/// `triglyph_n3ds_take_completions` until the host delivers them.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_trigger(n3ds: Option<&triglyph_n3ds>) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        gsp.trigger(hardware);
        Ok(())
    })
}

/// As `triglyph_n3ds_execute`, for a session that may not have the rendering right.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_execute_for(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    words: *const u32,
    executed: Out<'_, triglyph_n3ds_executed>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        // SAFETY: the header asks callers for eight words.
        let words: [u32; 8] = unsafe { array(words, "words") }?;
        put(executed, gsp.execute_for(hardware, self::session(session), &words).into());
        Ok(())
    })
}

/// Takes the interrupts that the host is to deliver, oldest first: after their ticks it calls `triglyph_n3ds_deliver`
/// with each. `count` is how many were stored in `completions`; if that is `capacity`, there may be more to take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_n3ds_take_completions(
    n3ds: Option<&triglyph_n3ds>,
    completions: *mut triglyph_n3ds_completion,
    capacity: usize,
    count: Out<'_, usize>,
) -> triglyph_status {
    with_device(n3ds.map(|n3ds| &n3ds.device), |state| {
        let count = required(count, "count")?;
        let new = machine(state)?.with_gsp(|gsp, _| gsp.take_completions());
        state.gsp.completions.extend(new.into_iter().map(|completion| triglyph_n3ds_completion {
            interrupt: completion.interrupt as u32,
            client: completion.client.map_or(-1, |client| client as i32),
            ticks: completion.ticks,
        }));
        // SAFETY: the header asks callers for room for that many.
        count.write(unsafe { drain(&mut state.gsp.completions, completions, capacity, "completions") }?);
        Ok(())
    })
}

/// Delivers a `triglyph_n3ds_interrupt`: VBlanks to every client, others to the one with the rendering right. Bit n of
/// `clients` says that the host is to signal the event of client n. Executes what waits in the queue then.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_deliver(
    n3ds: Option<&triglyph_n3ds>,
    interrupt: u32,
    clients: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        put(clients, bits(gsp.deliver(hardware, self::interrupt(interrupt)?)));
        Ok(())
    })
}

/// Delivers everything that has completed, at once and in order, for hosts without a clock. `clients` as in
/// `triglyph_n3ds_deliver`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_auto_deliver(n3ds: Option<&triglyph_n3ds>, clients: Out<'_, u32>) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        put(clients, bits(gsp.auto_deliver(hardware)));
        Ok(())
    })
}

/// A `triglyph_n3ds_screen` has shown a frame: moves its controller on and delivers PDC0 or PDC1. `clients` as in
/// `triglyph_n3ds_deliver`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_vblank(
    n3ds: Option<&triglyph_n3ds>,
    screen: u32,
    clients: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        put(clients, bits(gsp.vblank(hardware, self::screen(screen)?)));
        Ok(())
    })
}

/// SetBufferSwap: shows a picture at once, for clients that draw without the GPU. `result` is the result code.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_buffer_swap(
    n3ds: Option<&triglyph_n3ds>,
    session: u32,
    screen: u32,
    framebuffer: Option<&triglyph_n3ds_framebuffer>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        let info = (*required(framebuffer, "framebuffer")?).into();
        let done = gsp.set_buffer_swap(hardware, self::session(session), self::screen(screen)?, &info);
        put(result, done.err().unwrap_or(ResultCode::SUCCESS).0);
        Ok(())
    })
}

/// FlushDataCache and StoreDataCache: the processor wrote these bytes, at a virtual address. A hint.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_flush_data_cache(
    n3ds: Option<&triglyph_n3ds>,
    address: u32,
    size: u32,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        gsp.flush_data_cache(hardware, address, size);
        Ok(())
    })
}

/// SetLcdForceBlack: covers both screens with black, or uncovers them.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_lcd_force_black(n3ds: Option<&triglyph_n3ds>, black: bool) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        gsp.set_lcd_force_black(hardware, black);
        Ok(())
    })
}

/// ImportDisplayCaptureInfo: what the top and the bottom screen show, or are to show from the next VBlank on.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_display_capture_info(
    n3ds: Option<&triglyph_n3ds>,
    top: Out<'_, triglyph_n3ds_capture_info>,
    bottom: Out<'_, triglyph_n3ds_capture_info>,
) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        let screens = gsp.display_capture_info(hardware);
        for (out, info) in [top, bottom].into_iter().zip(screens) {
            let (left, right, format, stride) = (info.left, info.right, info.format, info.stride);
            put(out, triglyph_n3ds_capture_info { left, right, format, stride });
        }
        Ok(())
    })
}

/// SaveVramSysArea: copies what the screens show to where the system keeps it in VRAM.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_save_vram_area(n3ds: Option<&triglyph_n3ds>) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        gsp.save_vram_area(hardware);
        Ok(())
    })
}

/// RestoreVramSysArea: copies it back.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_restore_vram_area(n3ds: Option<&triglyph_n3ds>) -> triglyph_status {
    with_gsp(n3ds, |gsp, hardware| {
        gsp.restore_vram_area(hardware);
        Ok(())
    })
}

/// Clients that there can be.
pub const TRIGLYPH_N3DS_CLIENTS: u32 = 4;

const _: () = assert!(TRIGLYPH_N3DS_CLIENTS as usize == CLIENTS);
