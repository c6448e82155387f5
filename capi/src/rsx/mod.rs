//! Functions that only the PS3 has.

pub mod calls;
pub mod lv1;
pub mod present;
pub mod registers;

use std::ffi::c_void;

use triglyph::rsx::{SoftwareHandler, lv1_bit, lv2_bit};
use triglyph::{ChannelId, ContextHandle};
use triglyph::{Event, Machine, Rsx, SoftwareMethod};

use super::callback::Callback;
use super::error::{guard, triglyph_status};
use super::event::{triglyph_event, triglyph_event_kind};
use super::handle::{
    Gpu, MachineHandle, Recording, create, destroy_machine, device_of, machine_handle, triglyph_device, with_machine,
};
use super::options::triglyph_options;
use super::pointer::{Out, put, read_sized};

/// A PlayStation 3's GPU, and the hypervisor's calls in front of it. Everything in its guest memory is big-endian;
/// arguments and results of calls are plain numbers of the host.
pub struct triglyph_rsx {
    device: triglyph_device,
}

machine_handle!(triglyph_rsx: Rsx, Rsx, Ps3);

/// The address space of local memory.
pub const TRIGLYPH_RSX_SPACE_LOCAL: u32 = 0;
/// The address space of main memory as the GPU sees it, by IO offsets; `triglyph_rsx_context_iomap` maps there.
pub const TRIGLYPH_RSX_SPACE_MAIN: u32 = 1;
/// The address space of the hypervisor's pages, by the addresses that its calls return. What the host has mapped there
/// before a call is used; otherwise the call maps memory of the library's own.
pub const TRIGLYPH_RSX_SPACE_PAGES: u32 = 2;
/// The address space of main memory, by the addresses that guests pass to the hypervisor; the host maps it.
pub const TRIGLYPH_RSX_SPACE_XDR: u32 = 3;

/// Where the first context's control page is, 4 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next context follows. A
/// host maps its own memory there, and at the places below, before the context is allocated.
pub const TRIGLYPH_RSX_CONTROL_PAGE: u64 = 0x4400_0022_0000;
/// Where the first context's driver information is, 16 KiB in `TRIGLYPH_RSX_SPACE_PAGES`; that of the next follows.
pub const TRIGLYPH_RSX_DRIVER_INFO: u64 = 0x4000_000F_0000;
/// Where the first context's reports area is, 64 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; that of the next follows.
pub const TRIGLYPH_RSX_REPORTS: u64 = 0x0FE0_0000;
/// Where the page of device 8 is, 4 KiB in `TRIGLYPH_RSX_SPACE_LOCAL`; all contexts share it.
pub const TRIGLYPH_RSX_DEVICE_PAGE: u64 = 0x0FF1_0000;

const _: () = {
    use triglyph_guest::rsx::lv1::page::{DEVICE, control, lpar, reports};
    assert!(TRIGLYPH_RSX_CONTROL_PAGE == lpar::CONTROL && control::BYTES == 0x1000);
    assert!(TRIGLYPH_RSX_DRIVER_INFO == lpar::INFO && lpar::INFO_BYTES == 0x4000);
    assert!(TRIGLYPH_RSX_REPORTS == reports::START as u64 && reports::BYTES == 0x1_0000);
    assert!(TRIGLYPH_RSX_DEVICE_PAGE == DEVICE as u64);
};

const _: () = {
    use triglyph::rsx::{LOCAL, MAIN, PAGES, XDR};
    assert!(TRIGLYPH_RSX_SPACE_LOCAL == LOCAL && TRIGLYPH_RSX_SPACE_MAIN == MAIN);
    assert!(TRIGLYPH_RSX_SPACE_PAGES == PAGES && TRIGLYPH_RSX_SPACE_XDR == XDR);
};

/// Makes a PS3 with nothing mapped and no contexts. It belongs to the caller, who destroys it with
/// `triglyph_rsx_destroy`. `TRIGLYPH_ACCURACY_EXACT` is what hosts need whose guests see the chip's registers or use
/// more than one context. Words in guest memory are big-endian, also those of push buffers that are submitted and of
/// pictures that are recorded, until a player plays a capture that says otherwise.
///
/// Errors: as `triglyph_device_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_create(
    options: *const triglyph_options,
    rsx: Out<'_, *mut triglyph_rsx>,
) -> triglyph_status {
    // SAFETY: the header asks callers for null or a structure that begins with its size.
    unsafe { create(options, rsx, "rsx", |gpu| gpu.device().as_replay().set_big_endian(true)) }
}

/// Destroys a PS3, and with it the device that was borrowed from it. Null is ignored.
///
/// Errors: `TRIGLYPH_STATUS_BUSY` while another call uses it; it stays as it is then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_destroy(rsx: *mut triglyph_rsx) -> triglyph_status {
    // SAFETY: the header asks callers for a handle of this library, used for the last time.
    unsafe { destroy_machine(rsx) }
}

/// The device of a PS3, for the calls that all machines have; null for null. It is borrowed: it is destroyed with the
/// PS3.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_rsx_device(rsx: Option<&triglyph_rsx>) -> *const triglyph_device {
    device_of(rsx)
}

/// A method of the software engine: the host's processor executes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_rsx_software_method {
    /// The channel.
    pub channel: u32,
    /// The subchannel.
    pub subchannel: u32,
    /// Byte address of the method in the subchannel.
    pub method: u32,
    /// Its data.
    pub data: u32,
}

/// Executes software methods, on the thread that makes the call in which they are met. It must not throw or jump out;
/// calls on the same PS3 return `TRIGLYPH_STATUS_BUSY`.
pub type triglyph_rsx_software_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, method: *const triglyph_rsx_software_method)>;

/// Sets the callback for software methods of channels that are none of LV1's, or removes it with null; without one they
/// are events. `user_data` is handed to each call and has to stay valid until the callback is replaced or the PS3
/// destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_set_software_callback(
    rsx: Option<&triglyph_rsx>,
    callback: triglyph_rsx_software_callback,
    user_data: *mut c_void,
) -> triglyph_status {
    with_machine(rsx, |rsx| {
        rsx.set_software_handler(Callback::new(callback, user_data).map(|callback| -> SoftwareHandler {
            Box::new(move |found| {
                let SoftwareMethod { channel, subchannel, method, data } = found;
                let channel = channel.get();
                callback.call(&triglyph_rsx_software_method { channel, subchannel, method, data });
            })
        }));
    })
}

/// The bits of an event: in the hypervisor's interrupt status, and in the word that Lv-2 sends to event ports; 0 where
/// it has none. Either pointer may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_rsx_event_bits(
    event: *const triglyph_event,
    lv1: Out<'_, u64>,
    lv2: Out<'_, u64>,
) -> triglyph_status {
    guard(|| {
        // SAFETY: the header asks callers for a structure that begins with its size.
        let event = facade_event(&unsafe { read_sized(event, triglyph_event::default(), "event") }?);
        put(lv1, event.map_or(0, lv1_bit));
        put(lv2, event.map_or(0, lv2_bit));
        Ok(())
    })
}

/// Events that have bits, back from what C was told.
fn facade_event(event: &triglyph_event) -> Option<Event> {
    use triglyph_event_kind as kind;
    let triglyph_event { context, head, buffer, offset, value, channel, error, address, .. } = *event;
    let (context, channel) = (ContextHandle::new(context), ChannelId::new(channel));
    let events = [
        (kind::Vblank, Event::Vblank { context, head }),
        (kind::SecondVblank, Event::SecondVblank { context, head }),
        (kind::Flip, Event::Flip { context, head, buffer, offset }),
        (kind::Queue, Event::Queue { context, head, buffer }),
        (kind::UserCommand, Event::UserCommand { context, value }),
        (kind::GraphicsError, Event::GraphicsError { channel, error }),
        (kind::UnmappedIo, Event::UnmappedIo { address }),
    ];
    // Heads that there are not would be shifted out.
    let found = events.into_iter().find(|(kind, _)| *kind as u32 == event.kind);
    found.filter(|_| head < 2).map(|(_, event)| event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_those_of_the_facade() {
        let events = [
            Event::Vblank { context: ContextHandle::new(1), head: 1 },
            Event::SecondVblank { context: ContextHandle::new(1), head: 0 },
            Event::Flip { context: ContextHandle::new(1), head: 1, buffer: 2, offset: 3 },
            Event::Queue { context: ContextHandle::new(1), head: 0, buffer: 2 },
            Event::UserCommand { context: ContextHandle::new(1), value: 9 },
            Event::GraphicsError { channel: ChannelId::new(1), error: 4 },
            Event::UnmappedIo { address: 0x1000 },
        ];
        for event in events {
            assert_eq!(facade_event(&event.into()), Some(event));
            assert!(lv1_bit(event) | lv2_bit(event) != 0);
        }
        assert_eq!(facade_event(&triglyph_event { kind: 3, head: 2, ..Default::default() }), None);
    }
}
