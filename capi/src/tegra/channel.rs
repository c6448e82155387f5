//! Channels, syncpoints and events: `/dev/nvhost-gpu`, `/dev/nvhost-ctrl`, `/dev/nvhost-ctrl-gpu`. `result` is a
//! `triglyph_tegra_result`.

use triglyph::tegra::{Wait, submit_flags};

use super::{answer, triglyph_tegra, triglyph_tegra_fence, with_tegra};
use crate::error::{Failure, triglyph_status};
use crate::handle::{Gpu, with_device};
use crate::pointer::{Out, put, required, slice};

/// The work begins when the given fence has been reached.
pub const TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT: u32 = 1;
/// The channel's syncpoint counts the end of the work.
pub const TRIGLYPH_TEGRA_SUBMIT_FENCE_GET: u32 = 2;
/// Fences are syncpoints.
pub const TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT: u32 = 4;
/// The end does not wait for the engines.
pub const TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI: u32 = 16;
/// The value of the given fence says how often the work itself counts the channel's syncpoint.
pub const TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE: u32 = 256;

const _: () = {
    assert!(TRIGLYPH_TEGRA_SUBMIT_FENCE_WAIT == submit_flags::FENCE_WAIT);
    assert!(TRIGLYPH_TEGRA_SUBMIT_FENCE_GET == submit_flags::FENCE_GET);
    assert!(TRIGLYPH_TEGRA_SUBMIT_HARDWARE_FORMAT == submit_flags::HARDWARE_FORMAT);
    assert!(TRIGLYPH_TEGRA_SUBMIT_SUPPRESS_WFI == submit_flags::SUPPRESS_WFI);
    assert!(TRIGLYPH_TEGRA_SUBMIT_INCREMENT_VALUE == submit_flags::INCREMENT_VALUE);
};

/// What GET_CHARACTERISTICS tells about the GPU, in its order.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct triglyph_tegra_characteristics {
    /// Architecture, 0x120 for GM20x.
    pub arch: u32,
    /// Implementation, 0xB for the GM20B.
    pub implementation: u32,
    /// Revision.
    pub revision: u32,
    /// Graphics processing clusters.
    pub num_gpc: u32,
    /// Bytes of the second cache.
    pub l2_cache_size: u64,
    /// Bytes of memory of its own.
    pub video_memory_size: u64,
    /// Texture processing clusters of a GPC.
    pub num_tpc_per_gpc: u32,
    /// 0x20: AXI.
    pub bus_type: u32,
    /// Bytes of a big page.
    pub big_page_size: u32,
    /// Bytes of a page of compressed memory.
    pub compression_page_size: u32,
    /// Bits of an address that an entry of the page directory covers.
    pub pde_coverage_bit_count: u32,
    /// Sizes of big pages that can be asked for.
    pub available_big_page_sizes: u32,
    /// Mask of GPCs.
    pub gpc_mask: u32,
    /// Version of the multiprocessors.
    pub sm_version: u32,
    /// Version of shader programs.
    pub spa_version: u32,
    /// Warps of a multiprocessor.
    pub warp_count: u32,
    /// Bits of a GPU virtual address.
    pub va_bit_count: u32,
    /// 0.
    pub reserved: u32,
    /// Flags.
    pub flags: u64,
    /// Class numbers: 2D, 3D, compute, GPFIFO, inline transfers, copies.
    pub classes: [u32; 6],
    /// Frame buffer partitions that are there.
    pub max_fbps_count: u32,
    /// Mask of them.
    pub fbp_en_mask: u32,
    /// Slices of the second cache.
    pub max_ltc_per_fbp: u32,
    /// Slices of such a slice.
    pub max_lts_per_ltc: u32,
    /// Texture units of a TPC.
    pub max_tex_per_tpc: u32,
    /// GPCs at most.
    pub max_gpc_count: u32,
    /// Mask of render output units.
    pub rop_l2_en_mask: [u32; 2],
    /// Name: `gm20b`.
    pub chip_name: u64,
    /// Where compression bits are; 0.
    pub compbit_store_base: u64,
}

/// What EVENT_WAIT came to.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct triglyph_tegra_wait {
    /// 1 when the event of `slot` is armed, which the guest is told as TIMEOUT; 0 when the fence has been reached.
    pub armed: u32,
    /// The slot.
    pub slot: u32,
    /// What the call answers: the syncpoint's value, or what names the event to QueryEvent.
    pub value: u32,
}

/// Opens a channel with a syncpoint of its own.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_channel_open(
    tegra: Option<&triglyph_tegra>,
    channel: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(channel, answer(tegra.channel_open(), result).unwrap_or(0));
        Ok(())
    })
}

/// Closes a channel, with everything it had still to do.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_channel_close(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.channel_close(channel), result);
        Ok(())
    })
}

/// BIND_CHANNEL: the address space of a channel, once.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_channel_bind(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    space: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.channel_bind(channel, space), result);
        Ok(())
    })
}

/// SUBMIT_GPFIFO: appends entries, and works until everything is done or waits. `flags`: `TRIGLYPH_TEGRA_SUBMIT_*`.
/// `fence` goes in as the call has it, null for none, and `after` is the fence after everything that was submitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_channel_submit(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    entries: *const u64,
    count: usize,
    flags: u32,
    fence: Option<&triglyph_tegra_fence>,
    after: Out<'_, triglyph_tegra_fence>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        // SAFETY: the header asks callers for that many entries.
        let entries = unsafe { slice(entries, count, "entries") }?;
        let fence = fence.copied().unwrap_or_default().into();
        let done = answer(tegra.channel_submit(channel, entries, flags, fence), result);
        put(after, done.map_or(Default::default(), triglyph_tegra_fence::from));
        Ok(())
    })
}

/// Appends GPFIFO entries to a channel of the address space of captures, without the driver, and works until everything
/// is done or waits. A recording that is under way contains it.
///
/// Errors: `TRIGLYPH_STATUS_INVALID_ARGUMENT` for a channel beyond those there can be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn triglyph_tegra_submit_entries(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    entries: *const u64,
    count: usize,
) -> triglyph_status {
    with_device(tegra.map(|tegra| &tegra.device), |state| {
        // SAFETY: the header asks callers for that many entries.
        let entries = unsafe { slice(entries, count, "entries") }?;
        let head = u64::from(channel).to_le_bytes();
        let payload: Vec<u8> = head.into_iter().chain(entries.iter().flat_map(|entry| entry.to_le_bytes())).collect();
        let Gpu::Tegra(device) = &mut state.gpu else { return Err(Failure::invalid("the device is no Tegra X1")) };
        Ok(device.submit_with(&payload, |tegra| tegra.submit_entries(channel, entries.iter().copied()))?)
    })
}

/// The syncpoint of a channel.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_channel_syncpoint(
    tegra: Option<&triglyph_tegra>,
    channel: u32,
    syncpoint: Out<'_, u32>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        put(syncpoint, answer(tegra.channel_fence(channel), result).map_or(0, |fence| fence.syncpoint));
        Ok(())
    })
}

/// EVENT_REGISTER, or EVENT_UNREGISTER with `false`.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_event_register(
    tegra: Option<&triglyph_tegra>,
    slot: u32,
    registered: bool,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.event_register(slot, registered), result);
        Ok(())
    })
}

/// EVENT_WAIT with a negative `slot`, EVENT_WAIT_ASYNC if the client chooses it: waits for a fence. Timeouts are the
/// host's affair: 0 asks whether the fence has been reached, others arm an event, which is a
/// `TRIGLYPH_EVENT_KIND_FENCE` when it is.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_event_wait(
    tegra: Option<&triglyph_tegra>,
    fence: Option<&triglyph_tegra_fence>,
    timeout: i32,
    slot: i32,
    wait: Out<'_, triglyph_tegra_wait>,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let fence = (*required(fence, "fence")?).into();
        let came_to = answer(tegra.event_wait(fence, timeout, u32::try_from(slot).ok()), result);
        let told = came_to.map_or(Default::default(), |wait| match wait {
            Wait::Reached(value) => triglyph_tegra_wait { armed: 0, slot: 0, value },
            Wait::Armed { slot, value } => triglyph_tegra_wait { armed: 1, slot, value },
        });
        put(wait, told);
        Ok(())
    })
}

/// EVENT_SIGNAL: nobody waits for this event any more.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_event_cancel(
    tegra: Option<&triglyph_tegra>,
    slot: u32,
    result: Out<'_, u32>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        answer(tegra.event_cancel(slot), result);
        Ok(())
    })
}

/// GET_CHARACTERISTICS.
#[unsafe(no_mangle)]
pub extern "C" fn triglyph_tegra_get_characteristics(
    tegra: Option<&triglyph_tegra>,
    characteristics: Out<'_, triglyph_tegra_characteristics>,
) -> triglyph_status {
    with_tegra(tegra, |tegra| {
        let known = *tegra.characteristics();
        required(characteristics, "characteristics")?.write(triglyph_tegra_characteristics {
            arch: known.arch,
            implementation: known.implementation,
            revision: known.revision,
            num_gpc: known.num_gpc,
            l2_cache_size: known.l2_cache_size,
            video_memory_size: known.video_memory_size,
            num_tpc_per_gpc: known.num_tpc_per_gpc,
            bus_type: known.bus_type,
            big_page_size: known.big_page_size,
            compression_page_size: known.compression_page_size,
            pde_coverage_bit_count: known.pde_coverage_bit_count,
            available_big_page_sizes: known.available_big_page_sizes,
            gpc_mask: known.gpc_mask,
            sm_version: known.sm_version,
            spa_version: known.spa_version,
            warp_count: known.warp_count,
            va_bit_count: known.va_bit_count,
            reserved: 0,
            flags: known.flags,
            classes: known.classes,
            max_fbps_count: known.max_fbps_count,
            fbp_en_mask: known.fbp_en_mask,
            max_ltc_per_fbp: known.max_ltc_per_fbp,
            max_lts_per_ltc: known.max_lts_per_ltc,
            max_tex_per_tpc: known.max_tex_per_tpc,
            max_gpc_count: known.max_gpc_count,
            rop_l2_en_mask: known.rop_l2_en_mask,
            chip_name: known.chip_name,
            compbit_store_base: known.compbit_store_base,
        });
        Ok(())
    })
}
