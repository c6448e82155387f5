//! The calls of nouveau: parameters, channels, objects, buffers.

use triglyph::ObjectEntry;

use super::abi::{BufferInfo, BufferNew, ChannelAlloc, CpuPrepare, NotifierAlloc, ObjectAlloc, ObjectFree, Parameter};
use super::argument::{Answer, Argument, Errno};
use super::objects::new_object;
use super::{Next, classes, nvif, vm};
use crate::buffers::Wanted;
use crate::chip::{Chip, Domain};
use crate::state::State;

pub fn call(state: &mut State, number: u32, argument: &mut Argument) -> Answer {
    match number {
        0x40 => argument.update(|asked: &mut Parameter| {
            asked.value = parameter(state, asked.parameter)?;
            Ok(())
        }),
        0x43 => state.free_channel(argument.read()),
        0x44 => {
            let ObjectAlloc { channel, handle, class } = argument.read();
            let class = classes::of_old_number(state.chip(), class);
            new_object(state, channel as u32, ObjectEntry { handle, class: class as u32, space: 0, base: 0, limit: 0 })
        }
        0x45 => argument.update(|asked: &mut NotifierAlloc| notifier_alloc(state, asked)),
        0x46 => {
            let ObjectFree { channel, handle } = argument.read();
            let channel = state.channels.get_mut(&(channel as u32)).ok_or(Errno(libc::EINVAL))?;
            channel.new_objects.retain(|object| object.handle != handle);
            Ok(())
        }
        0x47 => nvif::call(state, argument.bytes()),
        // GET_ZCULL_INFO: the kernel's driver has it for chips of which firmware tells it, which these are not.
        0x53 => Err(Errno(libc::ENOTTY)),
        0x80 => argument.update(|asked: &mut BufferNew| {
            let BufferInfo { domain, size, tile_mode, tile_flags, .. } = asked.info;
            let wanted = Wanted { domains: domain, size, align: asked.align, tile_mode, tile_flags };
            let handle = state.create_buffer(wanted)?;
            info(state, handle, &mut asked.info)
        }),
        // GEM_CPU_FINI
        0x83 => Ok(()),
        0x84 => argument.update(|asked: &mut BufferInfo| info(state, asked.handle, asked)),
        _ => Err(Errno(libc::EINVAL)),
    }
}

/// GEM_CPU_PREP: waits until the GPU does not write a buffer, or does not use it if the processor is to write.
pub fn prepare(state: &mut State, argument: &mut Argument) -> Answer<Next> {
    const NO_WAIT: u32 = 1;
    const WRITE: u32 = 4;
    let CpuPrepare { handle, flags } = argument.read();
    let buffer = state.buffers.get(handle).ok_or(Errno(libc::ENOENT))?;
    let waits = state.waits(if flags & WRITE != 0 { &buffer.used } else { &buffer.written });
    Ok(if flags & NO_WAIT != 0 { Next::Check(waits) } else { Next::Wait(waits) })
}

fn parameter(state: &State, number: u64) -> Answer<u64> {
    let chip = state.chip();
    Ok(match number {
        // Vendor, device, bus: PCIe or none.
        3 => 0x10DE,
        4 => match chip {
            Chip::Nv47 => chip.pci_device().into(),
            Chip::Gm20b => 0,
        },
        5 => match chip {
            Chip::Nv47 => 2,
            Chip::Gm20b => 3,
        },
        8 => chip.vram(),
        9 => chip.gart(),
        11 => chip.number().into(),
        // Where VRAM begins in the channel's address space.
        12 => 0,
        13 => chip.graph_units(),
        14 => state.now(),
        // Flags of buffers' use, page flips.
        15 | 16 => 1,
        // Pieces of a submission by addresses, if there are such.
        17 => match chip {
            Chip::Nv47 => 0,
            Chip::Gm20b => vm::MAX_PUSHES.into(),
        },
        // The size of the window through which the processor sees VRAM, and how much of it is taken.
        18 => chip.vram_window(),
        19 => state.buffers.taken(Domain::Vram),
        // Buffers keep a layout where drivers manage addresses.
        20 => 1,
        _ => return Err(Errno(libc::EINVAL)),
    })
}

/// CHANNEL_ALLOC, for a client of the node.
///
/// # Errors
/// `ENOMEM` when there is no room.
pub fn channel_alloc(state: &mut State, client: u32, argument: &mut Argument) -> Answer {
    argument.update(|asked| new_channel(state, client, asked))
}

fn new_channel(state: &mut State, client: u32, asked: &mut ChannelAlloc) -> Answer {
    let number = state.create_channel(client)?;
    let chip = state.chip();
    asked.channel = number as i32;
    asked.pushbuf_domains = chip.pushbuf_domains();
    asked.subchannel_count = 0;
    let Some(channel) = state.channels.get(&number) else { return Err(Errno(libc::ENOENT)) };
    asked.notifier_handle = channel.notifiers;
    if chip == Chip::Nv47 {
        let whole = |handle, domain, size: u64| {
            let space = chip.space(domain);
            ObjectEntry { handle, class: classes::DMA_OBJECT, space, base: 0, limit: size - 1 }
        };
        new_object(state, number, whole(asked.vram_object, Domain::Vram, chip.vram()))?;
        new_object(state, number, whole(asked.gart_object, Domain::Gart, chip.gart()))?;
    }
    Ok(())
}

/// Offsets are handed out in order; the driver relies on the first one being 0.
fn notifier_alloc(state: &mut State, asked: &mut NotifierAlloc) -> Answer {
    const ALIGN: u32 = 32;
    let channel = state.channels.get(&asked.channel).ok_or(Errno(libc::ENOENT))?;
    let buffer = state.buffers.get(channel.notifiers).ok_or(Errno(libc::ENOENT))?;
    let (first, size) = (channel.notifier_bytes, asked.size);
    let end = u64::from(first) + u64::from(size);
    if size == 0 || end > buffer.size {
        return Err(Errno(libc::ENOMEM));
    }
    let range = state.range(buffer.place, buffer.size);
    let (space, base) = (range.start.space, range.start.address + u64::from(first));
    asked.offset = first;
    let object =
        ObjectEntry { handle: asked.handle, class: classes::DMA_OBJECT, space, base, limit: u64::from(size) - 1 };
    if let Some(channel) = state.channels.get_mut(&asked.channel) {
        channel.notifier_bytes = (end as u32).next_multiple_of(ALIGN);
    }
    new_object(state, asked.channel, object)
}

/// What is known of a buffer.
fn info(state: &State, handle: u32, info: &mut BufferInfo) -> Answer {
    let buffer = state.buffers.get(handle).ok_or(Errno(libc::ENOENT))?;
    *info = BufferInfo {
        handle,
        domain: buffer.place.domain.bit(),
        size: buffer.size,
        offset: state.chip().address(buffer.place.domain, buffer.place.offset),
        map_handle: buffer.home.offset,
        tile_mode: buffer.tile_mode,
        tile_flags: buffer.tile_flags,
    };
    Ok(())
}
