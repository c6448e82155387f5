//! Source and destination.

use super::Trigger;
use super::values::TextureCaches;
use crate::table::regs::regs;
use crate::tegra::methods::Effect;
use crate::tegra::methods::values::MemoryLayout;

regs! {
    effect Effect<Trigger>;

    /// Format of the destination: codes of colour targets.
    set_dst_format @ 0x080 { v 0:7 };
    /// Layout of the destination.
    set_dst_memory_layout @ 0x081 { v 0:0 MemoryLayout };
    /// Block of the destination, log2 of GOBs.
    set_dst_block_size @ 0x082 { height 4:6, depth 8:10 };
    /// Slices of the destination.
    set_dst_depth @ 0x083 = 1 { v 0:31 };
    /// Slice of the destination that is written.
    set_dst_layer @ 0x084 { v 0:31 };
    /// Bytes from row to row.
    set_dst_pitch @ 0x085 { v 0:31 };
    /// Width in texels.
    set_dst_width @ 0x086 { v 0:31 };
    /// Height in texels.
    set_dst_height @ 0x087 { v 0:31 };
    /// Address, upper bits.
    set_dst_offset_upper @ 0x088 { v 0:7 };
    /// Address, bits 31:0.
    set_dst_offset_lower @ 0x089 { v 0:31 };
    /// Format of the source: codes of colour targets, and 0x1C Y1_8X8, 0x1D AY8.
    set_src_format @ 0x08C { v 0:7 };
    /// Layout of the source.
    set_src_memory_layout @ 0x08D { v 0:0 MemoryLayout };
    /// Block of the source, log2 of GOBs.
    set_src_block_size @ 0x08E { height 4:6, depth 8:10 };
    /// Slices of the source.
    set_src_depth @ 0x08F = 1 { v 0:31 };
    /// Texels may have changed.
    twod_invalidate_texture_data_cache @ 0x090 { v 0:1 TextureCaches };
    /// Bytes from row to row.
    set_src_pitch @ 0x091 { v 0:31 };
    /// Width in texels.
    set_src_width @ 0x092 { v 0:31 };
    /// Height in texels.
    set_src_height @ 0x093 { v 0:31 };
    /// Address, upper bits.
    set_src_offset_upper @ 0x094 { v 0:7 };
    /// Address, bits 31:0.
    set_src_offset_lower @ 0x095 { v 0:31 };
    /// Clip rectangle, signed.
    set_clip_x0 @ 0x0A0 { v 0:31 };
    /// Clip rectangle, signed.
    set_clip_y0 @ 0x0A1 { v 0:31 };
    /// Clip rectangle.
    set_clip_width @ 0x0A2 { v 0:31 };
    /// Clip rectangle.
    set_clip_height @ 0x0A3 { v 0:31 };
    /// Clip rectangle on or off.
    set_clip_enable @ 0x0A4 { v 0:0 bool };
    /// Not used.
    set_dst_color_render_to_zeta_surface @ 0x0AE { v 0:0 bool };
}
