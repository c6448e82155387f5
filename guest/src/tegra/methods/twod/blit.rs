//! Blits from memory and from the push buffer.

use super::Trigger;
use super::values::{
    BitOrder, BlitFilter, BlockShape, CpuDataType, CpuIndexFormat, CpuWrap, HorizontalDirection, MonoOpacity,
    SampleOrigin, SectorPromotion, VerticalDirection,
};
use crate::table::regs::regs;
use crate::tegra::format::ColorFormat;
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// Caches; without visible effect.
    set_pixels_from_memory_sector_promotion @ 0x096 { v 0:1 SectorPromotion };
    /// Order of work.
    set_pixels_from_memory_direction @ 0x0B8 { horizontal 0:1 HorizontalDirection, vertical 4:5 VerticalDirection };
    /// Pixels from the push buffer: colours or indices.
    set_pixels_from_cpu_data_type @ 0x200 { v 0:0 CpuDataType };
    /// Format of colours.
    set_pixels_from_cpu_color_format @ 0x201 { v 0:7 ColorFormat };
    /// Bits of an index.
    set_pixels_from_cpu_index_format @ 0x202 { v 0:1 CpuIndexFormat };
    /// Order of the bits of 1-bit indices.
    set_pixels_from_cpu_mono_format @ 0x203 { v 0:0 BitOrder };
    /// Where a row begins.
    set_pixels_from_cpu_wrap @ 0x204 { v 0:1 CpuWrap };
    /// Colour of bits 0.
    set_pixels_from_cpu_color0 @ 0x205 { v 0:31 bits };
    /// Colour of bits 1.
    set_pixels_from_cpu_color1 @ 0x206 { v 0:31 bits };
    /// Whether bits 0 are written.
    set_pixels_from_cpu_mono_opacity @ 0x207 { v 0:0 MonoOpacity };
    /// Pixels of a row.
    set_pixels_from_cpu_src_width @ 0x20E { v 0:31 count };
    /// Rows.
    set_pixels_from_cpu_src_height @ 0x20F { v 0:31 count };
    /// Destination pixels per source pixel, 32.32: the fraction.
    set_pixels_from_cpu_dx_du_frac @ 0x210 { v 0:31 ufixed(32) };
    /// Destination pixels per source pixel, 32.32: the integer.
    set_pixels_from_cpu_dx_du_int @ 0x211 { v 0:31 count };
    /// Destination rows per source row, 32.32: the fraction.
    set_pixels_from_cpu_dy_dv_frac @ 0x212 { v 0:31 ufixed(32) };
    /// Destination rows per source row, 32.32: the integer.
    set_pixels_from_cpu_dy_dv_int @ 0x213 { v 0:31 count };
    /// First pixel, 32.32: the fraction.
    set_pixels_from_cpu_dst_x0_frac @ 0x214 { v 0:31 ufixed(32) };
    /// First pixel, 32.32: the integer.
    set_pixels_from_cpu_dst_x0_int @ 0x215 { v 0:31 signed };
    /// First row, 32.32.
    set_pixels_from_cpu_dst_y0_frac @ 0x216 { v 0:31 ufixed(32) };
    /// First row, 32.32. Writing it restarts the image.
    set_pixels_from_cpu_dst_y0_int @ 0x217 { v 0:31 signed } Trigger(Trigger::CpuBegin);
    /// Pixels, left to right, top to bottom.
    pixels_from_cpu_data @ 0x218 { v 0:31 bits } Trigger(Trigger::CpuData);
    /// Exchanges of bits and bytes; not used.
    set_big_endian_control @ 0x21C {
        x32_swap_1 0:0, x32_swap_4 1:1, x32_swap_8 2:2, x32_swap_16 3:3, x16_swap_1 4:4, x16_swap_4 5:5,
        x16_swap_8 6:6, x16_swap_16 7:7, x8_swap_1 8:8, x8_swap_4 9:9, x8_swap_8 10:10, x8_swap_16 11:11,
        i1_x8_cga6_swap_1 12:12, i1_x8_cga6_swap_4 13:13, i1_x8_cga6_swap_8 14:14, i1_x8_cga6_swap_16 15:15,
        i1_x8_le_swap_1 16:16, i1_x8_le_swap_4 17:17, i1_x8_le_swap_8 18:18, i1_x8_le_swap_16 19:19,
        i4_swap_1 20:20, i4_swap_4 21:21, i4_swap_8 22:22, i4_swap_16 23:23, i8_swap_1 24:24, i8_swap_4 25:25,
        i8_swap_8 26:26, i8_swap_16 27:27, override_ 28:28,
    };
    /// Order of work; without visible effect.
    set_pixels_from_memory_block_shape @ 0x220 { v 0:2 BlockShape };
    /// Order of work; without visible effect.
    set_pixels_from_memory_corral_size @ 0x221 { v 0:9 };
    /// Source is read before it is overwritten.
    set_pixels_from_memory_safe_overlap @ 0x222 { v 0:0 bool };
    /// Where texels are sampled, and the filter.
    set_pixels_from_memory_sample_mode @ 0x223 { origin 0:0 SampleOrigin, filter 4:4 BlitFilter };
    /// Blit: destination, signed.
    set_pixels_from_memory_dst @ [0x22C set_pixels_from_memory_dst_x0, 0x22D set_pixels_from_memory_dst_y0] { v 0:31 signed };
    /// Blit: destination width.
    set_pixels_from_memory_dst_width @ 0x22E { v 0:31 count };
    /// Blit: destination height.
    set_pixels_from_memory_dst_height @ 0x22F { v 0:31 count };
    /// Blit: texels per pixel, signed 32.32: the fraction.
    set_pixels_from_memory_du_dx_frac @ 0x230 { v 0:31 ufixed(32) };
    /// Blit: texels per pixel, signed 32.32: the integer.
    set_pixels_from_memory_du_dx_int @ 0x231 { v 0:31 signed };
    /// Blit: texels per row, signed 32.32: the fraction.
    set_pixels_from_memory_dv_dy_frac @ 0x232 { v 0:31 ufixed(32) };
    /// Blit: texels per row, signed 32.32: the integer.
    set_pixels_from_memory_dv_dy_int @ 0x233 { v 0:31 signed };
    /// Blit: first texel, signed 32.32: the fraction.
    set_pixels_from_memory_src_x0_frac @ 0x234 { v 0:31 ufixed(32) };
    /// Blit: first texel, signed 32.32: the integer.
    set_pixels_from_memory_src_x0_int @ 0x235 { v 0:31 signed };
    /// Blit: first texel down, signed 32.32.
    set_pixels_from_memory_src_y0_frac @ 0x236 { v 0:31 ufixed(32) };
    /// Blit: first texel down; `texel = floor(src + pixel * step)`. Blits.
    pixels_from_memory_src_y0_int @ 0x237 { v 0:31 signed } Trigger(Trigger::Blit);
}
