//! Calls of every DRM device: versions, capabilities, handles and their sharing.

use super::abi::{Capability, Flink, OpenName, Prime, Version};
use super::argument::{Answer, Argument, Errno, write_array};
use crate::shared_file::SharedFile;
use crate::state::State;

/// Version 1.3.1: the first one in which objects are made through NVIF.
const VERSION: [i32; 3] = [1, 3, 1];

/// Name, date and description of the driver, as the kernel's has them.
const TEXTS: [&str; 3] = ["nouveau", "20120801", "nVidia Riva/TNT/GeForce/Quadro/Tesla/Tegra K1+"];

pub fn call(state: &mut State, client: u32, number: u32, argument: &mut Argument) -> Answer {
    match number {
        0x00 => argument.update(version),
        // GET_UNIQUE: none, as long as there is no master. SET_VERSION, AUTH_MAGIC, SET_MASTER, DROP_MASTER succeed.
        0x01 => {
            argument.write(&0u64);
            Ok(())
        }
        0x02 => {
            argument.write(&1u32);
            Ok(())
        }
        0x07 | 0x11 | 0x1E | 0x1F => Ok(()),
        0x09 => state.close_buffer(argument.read::<Flink>().handle),
        0x0A => argument.update(|flink: &mut Flink| {
            state.buffers.get_mut(flink.handle)?.named = true;
            flink.name = flink.handle;
            Ok(())
        }),
        0x0B => argument.update(|open: &mut OpenName| {
            let buffer = state.buffers.get(open.name).filter(|buffer| buffer.named).ok_or(Errno(libc::ENOENT))?;
            open.size = buffer.size;
            open.handle = open.name;
            state.buffers.open(open.name)
        }),
        0x0C => argument.update(|asked: &mut Capability| {
            asked.value = capability(asked.capability);
            Ok(())
        }),
        0x0D => set_client_capability(state, client, argument.read()),
        0x2D => argument.update(|prime: &mut Prime| {
            prime.fd = state.share_buffer(prime.handle)?.hand_out(prime.flags)?;
            Ok(())
        }),
        0x2E => argument.update(|prime: &mut Prime| {
            prime.handle = state.open_file(SharedFile::received(prime.fd)?)?;
            Ok(())
        }),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// Called twice: for the lengths, then with room for the texts.
fn version(version: &mut Version) -> Answer {
    [version.major, version.minor, version.patch] = VERSION;
    for ([length, address], text) in version.texts.iter_mut().zip(TEXTS) {
        let room = text.len().min(*length as usize);
        write_array(*address, &text.as_bytes()[..room]);
        *length = text.len() as u64;
    }
    Ok(())
}

/// SET_CLIENT_CAP: what a client knows of.
fn set_client_capability(state: &mut State, client: u32, asked: Capability) -> Answer {
    let display = &mut state.display;
    let clients = match (asked.capability, asked.value) {
        (2, 0..=1) => vec![&mut display.all_planes],
        // Atomic mode setting, which includes all kinds of planes.
        (3, 0..=2) => vec![&mut display.atomic, &mut display.all_planes],
        // Pictures of two eyes, aspect ratios, connectors that write back, cursors with a hot spot: there are none.
        (1 | 4..=6, 0..=1) => Vec::new(),
        _ => return Err(Errno(libc::EINVAL)),
    };
    for list in clients {
        match asked.value {
            0 => list.remove(&client),
            _ => list.insert(client),
        };
    }
    Ok(())
}

fn capability(number: u64) -> u64 {
    match number {
        // Dumb buffers, monotonic time stamps, flips that do not wait.
        1 | 6 | 7 => 1,
        // Import and export of buffers.
        5 => 3,
        // The depth of dumb buffers.
        3 => 24,
        // Synchronisation objects, and timelines of them.
        0x13 | 0x14 => 1,
        // The cursor's width and height.
        8 | 9 => 64,
        _ => 0,
    }
}
