//! NVIF, a protocol of its own within one call: objects by numbers of the client's, and methods of the device object.

use triglyph::ObjectEntry;

use super::abi::nvif_kind as kind;
use super::abi::{DeviceInfo, DeviceTime, Nvif, NvifClass, NvifClasses, NvifMethod, NvifNew};
use super::argument::{Answer, Errno, read_prefix, write_prefix};
use super::classes;
use super::objects::new_object;
use crate::state::State;

/// The class of the device object.
const DEVICE: i32 = 0x80;

/// The route of messages whose token is a channel.
const OF_CHANNEL: u8 = 0xFF;

/// Answers a message.
///
/// # Errors
/// `EINVAL` for a message that is too short or that the kernel does not know, for channels that are not there and for
/// classes that they do not have.
pub fn call(state: &mut State, message: &mut [u8]) -> Answer {
    let header: Nvif = read_prefix(message);
    let Some(data) = message.get_mut(size_of::<Nvif>()..) else { return Err(Errno(libc::EINVAL)) };
    match header.kind {
        _ if header.version != 0 => Err(Errno(libc::EINVAL)),
        // Handles of the hardware's are never used again.
        kind::NOP | kind::DEL => Ok(()),
        kind::SCLASS => list_classes(state, &header, data),
        kind::NEW => create(state, &header, data),
        kind::MTHD => method(state, data),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// The channel of a message about one.
fn channel(state: &State, header: &Nvif) -> Answer<u32> {
    let channel = u32::try_from(header.token).ok().filter(|channel| state.channels.contains_key(channel));
    channel.filter(|_| header.route == OF_CHANNEL).ok_or(Errno(libc::EINVAL))
}

/// As many of a channel's classes as there is room for, and how many there are.
fn list_classes(state: &State, header: &Nvif, data: &mut [u8]) -> Answer {
    let asked: NvifClasses = read_prefix(data);
    let room = data.get_mut(size_of::<NvifClasses>()..).ok_or(Errno(libc::EINVAL))?;
    if room.len() != usize::from(asked.count) * size_of::<NvifClass>() {
        return Err(Errno(libc::EINVAL));
    }
    channel(state, header)?;
    let all = classes::of(state.chip());
    for (place, &class) in room.chunks_exact_mut(size_of::<NvifClass>()).zip(all) {
        write_prefix(place, &NvifClass { class, smallest: -1, largest: -1 });
    }
    write_prefix(data, &NvifClasses { count: all.len() as u8, ..asked });
    Ok(())
}

fn create(state: &mut State, header: &Nvif, data: &[u8]) -> Answer {
    if data.len() < size_of::<NvifNew>() {
        return Err(Errno(libc::EINVAL));
    }
    let new: NvifNew = read_prefix(data);
    if header.route != OF_CHANNEL {
        // The device, of which the client is the parent.
        return if new.class == DEVICE { Ok(()) } else { Err(Errno(libc::EINVAL)) };
    }
    let channel = channel(state, header)?;
    let object = ObjectEntry { handle: new.handle, class: new.class as u32, space: 0, base: 0, limit: 0 };
    new_object(state, channel, object)
}

fn method(state: &State, data: &mut [u8]) -> Answer {
    let NvifMethod { method, .. } = read_prefix(data);
    let Some(data) = data.get_mut(size_of::<NvifMethod>()..) else { return Err(Errno(libc::EINVAL)) };
    let needed = match method {
        0 => size_of::<DeviceInfo>(),
        1 => size_of::<DeviceTime>(),
        _ => return Err(Errno(libc::EINVAL)),
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
