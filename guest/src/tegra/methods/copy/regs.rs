//! The registers.

use super::Trigger;
use super::values::{
    AddressType, BypassL2, CopyInterrupt, DataTransfer, GobHeight, PhysicalTarget, RemapSource, SemaphoreReduction,
    SemaphoreSign, SemaphoreType,
};
use crate::table::regs::regs;
use crate::tegra::methods::values::{MemoryLayout, RenderEnableMode};
use crate::tegra::methods::{Common, Effect};

regs! {
    effect Effect<Trigger>;

    /// Nothing.
    nop @ 0x040 { parameter 0:31 bits };
    /// Performance monitor; without effect.
    pm_trigger @ 0x050 { v 0:31 bits };
    /// Semaphore address, upper bits.
    set_semaphore_a @ 0x090 { upper 0:7 address(32) };
    /// Semaphore address, bits 31:0.
    set_semaphore_b @ 0x091 { lower 0:31 address };
    /// Semaphore payload.
    set_semaphore_payload @ 0x092 { payload 0:31 bits };
    /// Condition of copies: address, upper bits.
    set_render_enable_a @ 0x095 { upper 0:7 address(32) };
    /// Condition of copies: address, bits 31:0.
    set_render_enable_b @ 0x096 { lower 0:31 address };
    /// Evaluates the condition, as in the 3D class.
    set_render_enable_c @ 0x097 { mode 0:2 RenderEnableMode } Common(Common::RenderEnable);
    /// Memory of physical addresses; not used.
    set_phys_mode @ [0x098 set_src_phys_mode, 0x099 set_dst_phys_mode] { target 0:1 PhysicalTarget };
    /// Copies; what kind of copy, semaphore, layouts, remapping.
    launch_dma @ 0x0C0 {
        data_transfer_type 0:1 DataTransfer, flush_enable 2:2 bool, semaphore_type 3:4 SemaphoreType,
        interrupt_type 5:6 CopyInterrupt, src_memory_layout 7:7 MemoryLayout, dst_memory_layout 8:8 MemoryLayout,
        multi_line_enable 9:9 bool, remap_enable 10:10 bool, force_rmwdisable 11:11 bool,
        src_type 12:12 AddressType, dst_type 13:13 AddressType, semaphore_reduction 14:17 SemaphoreReduction,
        semaphore_reduction_sign 18:18 SemaphoreSign, semaphore_reduction_enable 19:19 bool,
        bypass_l2 20:20 BypassL2,
    } Trigger(Trigger::Launch);
    /// Source or destination address, upper bits.
    offset_upper @ [0x100 offset_in_upper, 0x102 offset_out_upper] { upper 0:7 address(32) };
    /// Source or destination address, bits 31:0.
    offset_lower @ [0x101 offset_in_lower, 0x103 offset_out_lower] { value 0:31 address };
    /// Bytes from row to row of a pitch source or destination, signed.
    pitch @ [0x104 pitch_in, 0x105 pitch_out] { value 0:31 signed };
    /// Bytes of a row; elements with remapping.
    line_length_in @ 0x106 { value 0:31 count };
    /// Rows.
    line_count @ 0x107 { value 0:31 count };
    /// Constants of remapping.
    set_remap_const @ [0x1C0 set_remap_const_a, 0x1C1 set_remap_const_b] { v 0:31 bits };
    /// Where the components of a destination element come from; bytes of a component and numbers of components, each
    /// less 1.
    set_remap_components @ 0x1C2 {
        dst_x 0:2 RemapSource, dst_y 4:6 RemapSource, dst_z 8:10 RemapSource, dst_w 12:14 RemapSource,
        component_size 16:17, num_src_components 20:21, num_dst_components 24:25,
    };
    /// A block-linear destination or source: block, log2 of GOBs.
    set_block_size @ [0x1C3 set_dst_block_size, 0x1CA set_src_block_size] {
        width 0:3, height 4:7, depth 8:11, gob_height 12:15 GobHeight,
    };
    /// A block-linear destination or source: elements of a row.
    set_width @ [0x1C4 set_dst_width, 0x1CB set_src_width] { v 0:31 count };
    /// A block-linear destination or source: rows.
    set_height @ [0x1C5 set_dst_height, 0x1CC set_src_height] { v 0:31 count };
    /// A block-linear destination or source: slices.
    set_depth @ [0x1C6 set_dst_depth, 0x1CD set_src_depth] { v 0:31 count };
    /// Slice that is written or read.
    set_layer @ [0x1C7 set_dst_layer, 0x1CE set_src_layer] { v 0:31 count };
    /// First element and row that are written or read.
    set_origin @ [0x1C8 set_dst_origin, 0x1CF set_src_origin] { x 0:15, y 16:31 };
    /// Performance monitor; without effect.
    pm_trigger_end @ 0x445 { v 0:31 bits };
}
