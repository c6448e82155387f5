//! NVIF, a protocol of its own within one call: objects by numbers of the client's, and methods of the device object.

use triglyph::ObjectEntry;

use super::abi::{DeviceInfo, DeviceTime, Nvif, NvifMethod, NvifNew};
use super::argument::{Answer, Errno, read_prefix, write_prefix};
use super::nouveau::new_object;
use crate::state::State;

/// The class of the device object.
const DEVICE: i32 = 0x80;

/// The route of messages whose token is a channel.
const OF_CHANNEL: u8 = 0xFF;

/// Answers a message.
///
/// # Errors
/// `EINVAL` for a message that is too short, `ENOSYS` for one that is not known.
pub fn call(state: &mut State, message: &mut [u8]) -> Answer {
    let header: Nvif = read_prefix(message);
    let Some(data) = message.get_mut(size_of::<Nvif>()..) else { return Err(Errno(libc::EINVAL)) };
    match header.kind {
        // NOP; DEL: handles of the hardware's are never used again.
        0 | 3 => Ok(()),
        // SCLASS: no optional classes.
        1 => data.get_mut(1).map(|count| *count = 0).ok_or(Errno(libc::EINVAL)),
        2 => create(state, &header, data),
        4 => method(state, data),
        _ => Err(Errno(libc::ENOSYS)),
    }
}

fn create(state: &mut State, header: &Nvif, data: &[u8]) -> Answer {
    if data.len() < size_of::<NvifNew>() {
        return Err(Errno(libc::EINVAL));
    }
    let new: NvifNew = read_prefix(data);
    if new.class == DEVICE || header.route != OF_CHANNEL {
        return Ok(());
    }
    let object = ObjectEntry { handle: new.handle, class: new.class as u32, space: 0, base: 0, limit: 0 };
    new_object(state, header.token as u32, object)
}

fn method(state: &State, data: &mut [u8]) -> Answer {
    let NvifMethod { method, .. } = read_prefix(data);
    let Some(data) = data.get_mut(size_of::<NvifMethod>()..) else { return Err(Errno(libc::EINVAL)) };
    let needed = match method {
        0 => size_of::<DeviceInfo>(),
        1 => size_of::<DeviceTime>(),
        _ => return Err(Errno(libc::ENOSYS)),
    };
    if data.len() < needed {
        return Err(Errno(libc::EINVAL));
    }
    match method {
        0 => write_prefix(data, &info(state)),
        _ => write_prefix(data, &DeviceTime { version: 0, pad: [0; 7], nanoseconds: state.now() }),
    }
    Ok(())
}

fn info(state: &State) -> DeviceInfo {
    const REVISION: u8 = 0xA1;
    let chip = state.chip();
    let (platform, family) = chip.platform_and_family();
    let text = |text: &str| {
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        bytes
    };
    let (chip_name, name) = chip.names();
    DeviceInfo {
        version: 0,
        platform,
        chipset: chip.number(),
        revision: REVISION,
        family,
        pad: [0; 2],
        ram_size: chip.vram(),
        ram_user: chip.vram(),
        chip: text(chip_name),
        name: [text(name), [0; 16], [0; 16], [0; 16]],
    }
}
