//! GSP: clients, the rendering right, interrupts, the service's calls.

use triglyph::n3ds::gsp::{CLIENTS, ClientSet};

use super::gsp_values::triglyph_n3ds_completion;
use super::{interrupt, screen, session, triglyph_n3ds, triglyph_n3ds_executed, with_gsp};
use crate::error::triglyph_status;
use crate::handle::{MachineHandle, with_machine, with_state};
use crate::pointer::{Out, array, drain, put, put_found, required};

/// Clients as bits: bit n is the client of index n.
fn bits(clients: ClientSet) -> u32 {
    clients.iter().fold(0, |bits, client| bits | 1 << client)
}

/// The session is gone: everything that it held is free.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_close_session(n3ds: Option<&triglyph_n3ds>, session: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| gsp.close(self::session(session)))
}

/// The client at an index of the shared page: its session and its event. `found` says whether there is one.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_client(
    n3ds: Option<&triglyph_n3ds>,
    index: u32,
    session: Out<'_, u32>,
    event: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| {
        let client = n3ds.gsp().client(index as usize);
        put(session, client.map_or(0, |client| client.session.0));
        put_found(client.map(|client| client.event), event, found);
    })
}

/// The handle of the shared page that registrations are answered with.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_shared_memory_handle(n3ds: Option<&triglyph_n3ds>, handle: u32) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| gsp.set_shared_memory_handle(handle))
}

/// Makes PPF exchange the shown buffers when a client has set nothing new; off at first.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_set_auto_toggle(n3ds: Option<&triglyph_n3ds>, on: bool) -> triglyph_status {
    with_gsp(n3ds, |gsp, _| gsp.set_auto_toggle(on))
}

/// The session with the rendering right; `found` says whether there is one.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_n3ds_right_holder(
    n3ds: Option<&triglyph_n3ds>,
    session: Out<'_, u32>,
    found: Out<'_, bool>,
) -> triglyph_status {
    with_machine(n3ds, |n3ds| put_found(n3ds.gsp().holder().map(|holder| holder.0), session, found))
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
    with_state(n3ds, |state| {
        let count = required(count, "count")?;
        let new = triglyph_n3ds::machine(state)?.with_gsp(|gsp, _| gsp.take_granted());
        state.gsp.granted.extend(new.into_iter().map(|session| session.0));
        // SAFETY: the header asks callers for room for that many.
        count.write(unsafe { drain(&mut state.gsp.granted, sessions, capacity, "sessions") }?);
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
    with_state(n3ds, |state| {
        let count = required(count, "count")?;
        let new = triglyph_n3ds::machine(state)?.with_gsp(|gsp, _| gsp.take_completions());
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
    with_gsp(n3ds, |gsp, hardware| put(clients, bits(gsp.auto_deliver(hardware))))
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

/// Clients that there can be.
pub const TRIGLYPH_N3DS_CLIENTS: u32 = 4;

const _: () = assert!(TRIGLYPH_N3DS_CLIENTS as usize == CLIENTS);
