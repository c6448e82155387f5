//! Objects, synchronisation, reports, and what has no visible effect.

use crate::rsx::enums::{RenderMode, ReportType};
use crate::rsx::methods::effect::dirty::{
    FRAGMENT_PROGRAM, INDEX, QUERY, SURFACE, TEXTURE, VERTEX_ARRAY, VERTEX_TEXTURE,
};
use crate::rsx::methods::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Binds an object. The puller takes this one.
    set_object @ 0x0000 = 0x3133_7000 { handle 0:31 bits } Trigger(Trigger::Object);
    /// Nothing.
    no_operation @ 0x0100 { value 0:31 bits } Ignored;
    /// Writes a notifier record (time, 0, 0) at the start of DMA_NOTIFIES; with style 1 an interrupt follows.
    notify @ 0x0104 { style 0:31 count } Trigger(Trigger::Notify);
    /// Later methods wait until all rendering is complete.
    wait_for_idle @ 0x0110 { value 0:31 bits } Trigger(Trigger::WaitForIdle);
    /// Index of the buffer that is shown; GCM flips otherwise.
    flip_set_read @ 0x0120 { index 0:31 count };
    /// Index of the buffer that is drawn to; GCM flips otherwise.
    flip_set_write @ 0x0124 { index 0:31 count };
    /// Number of buffers; GCM flips otherwise.
    flip_max @ 0x0128 { modulo 0:31 count };
    /// Next buffer to draw to; GCM flips otherwise.
    flip_incr_write @ 0x012C { value 0:31 count } Ignored;
    /// Waits for a flip; GCM flips otherwise.
    flip_wait @ 0x0130 { value 0:31 count } Ignored;
    /// Performance counters.
    pm_trigger @ 0x0140 { value 0:31 bits } Ignored;
    /// Object of NOTIFY.
    set_context_dma_notifies @ 0x0180 = 0x6660_4200 { handle 0:31 bits };
    /// Object of textures and fragment programs at location 1, local memory.
    set_context_dma_a @ 0x0184 = 0xFEED_0000 { handle 0:31 bits } Dirty(TEXTURE | VERTEX_TEXTURE | FRAGMENT_PROGRAM);
    /// Object of textures and fragment programs at location 2, main memory.
    set_context_dma_b @ 0x0188 = 0xFEED_0001 { handle 0:31 bits } Dirty(TEXTURE | VERTEX_TEXTURE | FRAGMENT_PROGRAM);
    /// Object of colour target B.
    set_context_dma_color_b @ 0x018C = 0xFEED_0000 { handle 0:31 bits } Dirty(SURFACE);
    /// State object, unused.
    set_context_dma_state @ 0x0190 { handle 0:31 bits } Ignored;
    /// Object of colour target A.
    set_context_dma_color_a @ 0x0194 = 0xFEED_0000 { handle 0:31 bits } Dirty(SURFACE);
    /// Object of the depth and stencil target.
    set_context_dma_zeta @ 0x0198 = 0xFEED_0000 { handle 0:31 bits } Dirty(SURFACE);
    /// Object of vertices and indices at location 0, local memory.
    set_context_dma_vertex_a @ 0x019C = 0xFEED_0000 { handle 0:31 bits } Dirty(VERTEX_ARRAY | INDEX);
    /// Object of vertices and indices at location 1, main memory.
    set_context_dma_vertex_b @ 0x01A0 = 0xFEED_0001 { handle 0:31 bits } Dirty(VERTEX_ARRAY | INDEX);
    /// Object that semaphore releases of this class write.
    set_context_dma_semaphore @ 0x01A4 = 0x6660_6660 { handle 0:31 bits };
    /// Object of reports and conditional rendering.
    set_context_dma_report @ 0x01A8 = 0x6662_6660 { handle 0:31 bits };
    /// Clip identifiers, unused.
    set_context_dma_clip_id @ 0x01AC { handle 0:31 bits } Ignored;
    /// Depth culling data.
    set_context_dma_cull_data @ 0x01B0 { handle 0:31 bits } Ignored;
    /// Object of colour target C.
    set_context_dma_color_c @ 0x01B4 = 0xFEED_0000 { handle 0:31 bits } Dirty(SURFACE);
    /// Object of colour target D.
    set_context_dma_color_d @ 0x01B8 = 0xFEED_0000 { handle 0:31 bits } Dirty(SURFACE);
    /// Depth culling: empties it.
    invalidate_zcull @ 0x0234 { value 0:31 bits } Ignored;
    /// Depth culling.
    zcull_sync @ 0x0A1C { value 0:31 bits } Ignored;
    /// Depth culling: clears it.
    clear_zcull_surface @ 0x1438 { stencil 0:0 bool, depth 1:1 bool } Ignored;
    /// Unknown; GCM writes 0x80003, Mesa 4.
    set_performance_params @ 0x1450 = 0x0008_0003 { value 0:31 bits } Ignored;
    /// Empties the cache of vertices in memory.
    invalidate_vertex_cache_file @ 0x1710 { value 0:31 bits } Ignored;
    /// Empties the cache of transformed vertices.
    invalidate_vertex_file @ 0x1714 { value 0:31 bits } Ignored;
    /// Nothing.
    pipe_nop @ 0x1718 { value 0:31 bits } Ignored;
    /// Sets a counter to zero.
    clear_report_value @ 0x17C8 { kind 0:31 ReportType } Trigger(Trigger::ClearReportValue);
    /// Counts samples that pass the depth and stencil tests.
    set_zpass_pixel_count_enable @ 0x17CC { enable 0:0 bool } Dirty(QUERY);
    /// Writes a report of 16 bytes (time, value, 0) at the offset in DMA_REPORT when what was drawn before is
    /// complete.
    get_report @ 0x1800 { offset 0:23 address, kind 24:31 ReportType } Trigger(Trigger::GetReport);
    /// Depth culling: counts.
    set_zcull_stats_enable @ 0x1804 { enable 0:0 bool } Ignored;
    /// Offset in bytes, a multiple of 16, that the next release writes.
    set_semaphore_offset @ 0x1D6C { offset 0:31 address };
    /// Writes the value when what was drawn before is complete:
    /// [`Chip::back_end_semaphore`](crate::rsx::chip::Chip::back_end_semaphore).
    back_end_write_semaphore_release @ 0x1D70 { value 0:31 bits } Trigger(Trigger::BackEndWriteSemaphoreRelease);
    /// Writes the value when earlier textures have been read.
    texture_read_semaphore_release @ 0x1D74 { value 0:31 bits } Trigger(Trigger::TextureReadSemaphoreRelease);
    /// Compression of targets; not visible.
    set_surface_compression @ 0x1D80 = 0x0000_0003 { flags 0:31 bits } Ignored;
    /// Depth culling: switches.
    set_zcull_en @ 0x1D84 = 0x0000_0003 { flags 0:1 bits } Ignored;
    /// Clip identifiers, unused.
    set_clip_id_test_enable @ 0x1DA4 { enable 0:0 bool } Ignored;
    /// Conditional rendering: reads the report at the offset when it is executed. Until it is executed again, draws and
    /// clears happen if the report's value was not zero (a DECR console: RPCS3 #5466, commit db784556aa).
    set_render_enable @ 0x1E98 = 0x0100_0000 {
        offset 0:23 address, mode 24:31 RenderMode,
    } Trigger(Trigger::RenderEnable);
    /// Depth culling.
    set_zcull_control0 @ 0x1EA4 = 0x0000_0010 { flags 0:31 bits } Ignored;
    /// Depth culling.
    set_zcull_control1 @ 0x1EA8 = 0x0100_0100 { flags 0:31 bits } Ignored;
    /// Stencil culling.
    set_scull_control @ 0x1EAC = 0xFF00_0002 { function 0:7, reference 16:23, mask 24:31 bits } Ignored;
    /// Texels may have changed: 1 those of textures, 2 those of vertex textures.
    invalidate_l2 @ 0x1FD8 { caches 0:1 bits } Trigger(Trigger::InvalidateTextures);
    /// Saves reads of the target where blending allows it.
    set_reduce_dst_color @ 0x1FE0 = 0x0000_0001 { enable 0:0 bool } Ignored;
    /// Order of texture reads.
    set_no_paranoid_texture_fetches @ 0x1FE8 { enable 0:0 bool } Ignored;
}
