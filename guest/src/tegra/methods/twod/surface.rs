//! Source and destination.

use super::Trigger;
use super::values::{SourceFormat, TextureCaches};
use crate::table::regs::regs;
use crate::tegra::format::ColorFormat;
use crate::tegra::methods::Effect;
use crate::tegra::methods::values::MemoryLayout;

regs! {
    effect Effect<Trigger>;

    /// Format of the destination.
    set_dst_format @ 0x080 = 0xCF { v 0:7 ColorFormat };
    /// Format of the source.
    set_src_format @ 0x08C = 0xCF { v 0:7 SourceFormat };
    /// Layout.
    set_memory_layout @ [0x081 set_dst_memory_layout, 0x08D set_src_memory_layout] = 1 { v 0:0 MemoryLayout };
    /// Block, log2 of GOBs.
    set_block_size @ [0x082 set_dst_block_size, 0x08E set_src_block_size] = 0x20 { height 4:6, depth 8:10 };
    /// Slices.
    set_depth @ [0x083 set_dst_depth, 0x08F set_src_depth] = 1 { v 0:31 count };
    /// Slice of the destination that is written.
    set_dst_layer @ 0x084 { v 0:31 count };
    /// Bytes from row to row.
    set_pitch @ [0x085 set_dst_pitch, 0x091 set_src_pitch] = 0x80 { v 0:31 count };
    /// Width in texels.
    set_width @ [0x086 set_dst_width, 0x092 set_src_width] = 0x100 { v 0:31 count };
    /// Height in texels.
    set_height @ [0x087 set_dst_height, 0x093 set_src_height] = 0x100 { v 0:31 count };
    /// Address, upper bits.
    set_offset_upper @ [0x088 set_dst_offset_upper, 0x094 set_src_offset_upper] { v 0:7 };
    /// Address, bits 31:0.
    set_offset_lower @ [0x089 set_dst_offset_lower, 0x095 set_src_offset_lower] { v 0:31 address };
    /// Texels may have changed.
    twod_invalidate_texture_data_cache @ 0x090 { v 0:1 TextureCaches };
    /// Clip rectangle, signed.
    set_clip_origin @ [0x0A0 set_clip_x0, 0x0A1 set_clip_y0] { v 0:31 signed };
    /// Clip rectangle.
    set_clip_size @ [0x0A2 set_clip_width, 0x0A3 set_clip_height] { v 0:31 count };
    /// Clip rectangle on or off.
    set_clip_enable @ 0x0A4 { v 0:0 bool };
    /// Not used.
    set_dst_color_render_to_zeta_surface @ 0x0AE { v 0:0 bool };
}
