//! Vertex attributes and streams, indices, draws, transform feedback.

use super::values::{
    AttributeSource, BeginInstanceId, BeginPrimitiveId, D3dTopology, DefaultDiffuse, DefaultVector, IndexSize,
    ProvokingVertex, SplitMode, Topology, TopologyOverride,
};
use super::{Trigger, dirty};
use crate::table::regs::regs;
use crate::tegra::format::{VertexFormat, VertexType};
use crate::tegra::methods::Effect;

regs! {
    effect Effect<Trigger>;

    /// That many vertices, all with index 0.
    draw_zero_index @ 0x0C1 { count 0:31 count } Trigger(Trigger::DrawZero);
    /// A buffer of transform feedback.
    set_stream_out_buffer_enable @ [0x0E0; 4 step 8] { v 0:0 bool } Dirty(dirty::STREAM_OUT);
    /// Its address, upper bits.
    set_stream_out_buffer_address_a @ [0x0E1; 4 step 8] { upper 0:7 address(32) } Dirty(dirty::STREAM_OUT);
    /// Its address, bits 31:0.
    set_stream_out_buffer_address_b @ [0x0E2; 4 step 8] { lower 0:31 address } Dirty(dirty::STREAM_OUT);
    /// Its size in bytes.
    set_stream_out_buffer_size @ [0x0E3; 4 step 8] { bytes 0:31 count } Dirty(dirty::STREAM_OUT);
    /// Sets where the next vertex is written, in bytes.
    set_stream_out_buffer_load_write_pointer @ [0x0E4; 4 step 8] {
        start_offset 0:31 count,
    } Trigger(Trigger::StreamOutPointer);
    /// Vertex stream that a buffer takes.
    set_stream_out_control_stream @ [0x1C0; 4 step 4] { select 0:1 } Dirty(dirty::STREAM_OUT);
    /// Words of a vertex in a buffer.
    set_stream_out_control_component_count @ [0x1C1; 4 step 4] { max 0:7 } Dirty(dirty::STREAM_OUT);
    /// Bytes from vertex to vertex in a buffer.
    set_stream_out_control_stride @ [0x1C2; 4 step 4] { bytes 0:31 count } Dirty(dirty::STREAM_OUT);
    /// Vertex stream that is rasterised.
    set_raster_input @ 0x1D0 { stream_select 0:1 } Dirty(dirty::STREAM_OUT);
    /// Transform feedback on or off.
    set_stream_output @ 0x1D1 { enable 0:0 bool } Dirty(dirty::STREAM_OUT);
    /// Not used.
    set_da_primitive_restart_topology_change @ 0x1D2 { enable 0:0 bool };
    /// First vertex of the next draw.
    set_vertex_array_start @ 0x35D { v 0:31 count };
    /// Draws that many vertices.
    draw_vertex_array @ 0x35E { count 0:31 count } Trigger(Trigger::DrawArray);
    /// Control points of a patch.
    set_patch @ 0x373 = 0x10 { size 0:7 } Dirty(dirty::PROGRAM);
    /// Primitive restart in array draws as well.
    set_da_primitive_restart_vertex_array @ 0x37A { enable 0:0 bool };
    /// The address that is read instead of bytes beyond a limit; zeros are read here.
    set_vertex_stream_substitute_a @ 0x3E1 { address_upper 0:7 address(32) };
    /// The address that is read instead of bytes beyond a limit; zeros are read here.
    set_vertex_stream_substitute_b @ 0x3E2 { address_lower 0:31 address };
    /// Draws a rectangle of texels: left edge, 20.12 signed. Not in the vendor's list; source: yuzu, Ryujinx.
    draw_texture_dst_x0 @ 0x420 { s20_12 0:31 sfixed(12) };
    /// Upper edge, 20.12 signed; with a lower-left origin measured from below.
    draw_texture_dst_y0 @ 0x421 { s20_12 0:31 sfixed(12) };
    /// Width, 20.12 signed.
    draw_texture_dst_width @ 0x422 = 1 { s20_12 0:31 sfixed(12) };
    /// Height, 20.12 signed.
    draw_texture_dst_height @ 0x423 = 1 { s20_12 0:31 sfixed(12) };
    /// Texels per pixel across, 32.32 signed, low word.
    draw_texture_du_dx_low @ 0x424 { fraction 0:31 ufixed(32) };
    /// As before, high word.
    draw_texture_du_dx_high @ 0x425 = 1 { integer 0:31 signed };
    /// Texels per pixel down, 32.32 signed, low word.
    draw_texture_dv_dy_low @ 0x426 { fraction 0:31 ufixed(32) };
    /// As before, high word.
    draw_texture_dv_dy_high @ 0x427 = 1 { integer 0:31 signed };
    /// Index of the sampler.
    draw_texture_sampler @ 0x428 { tsc_index 0:31 count };
    /// Index of the texture header.
    draw_texture_texture @ 0x429 { tic_index 0:31 count };
    /// First texel across, 20.12 signed.
    draw_texture_src_x0 @ 0x42A { s20_12 0:31 sfixed(12) };
    /// First texel down, 20.12 signed; draws.
    draw_texture_src_y0 @ 0x42B { s20_12 0:31 sfixed(12) } Trigger(Trigger::DrawTexture);
    /// Added to the vertex id that programs read, not to the vertex that is fetched.
    set_vertex_id_base @ 0x446 { v 0:31 count } Dirty(dirty::VERTEX_INPUT);
    /// Attributes that need not be fetched; a hint.
    set_da_output_attribute_skip_mask @ [
        0x448 set_da_output_attribute_skip_mask_a, 0x44A set_da_output_attribute_skip_mask_b; 2 step 1
    ] {
        attribute0_comp0 0:0 bool, attribute0_comp1 1:1 bool, attribute0_comp2 2:2 bool, attribute0_comp3 3:3 bool,
        attribute1_comp0 4:4 bool, attribute1_comp1 5:5 bool, attribute1_comp2 6:6 bool, attribute1_comp3 7:7 bool,
        attribute2_comp0 8:8 bool, attribute2_comp1 9:9 bool, attribute2_comp2 10:10 bool,
        attribute2_comp3 11:11 bool, attribute3_comp0 12:12 bool, attribute3_comp1 13:13 bool,
        attribute3_comp2 14:14 bool, attribute3_comp3 15:15 bool, attribute4_comp0 16:16 bool,
        attribute4_comp1 17:17 bool, attribute4_comp2 18:18 bool, attribute4_comp3 19:19 bool,
        attribute5_comp0 20:20 bool, attribute5_comp1 21:21 bool, attribute5_comp2 22:22 bool,
        attribute5_comp3 23:23 bool, attribute6_comp0 24:24 bool, attribute6_comp1 25:25 bool,
        attribute6_comp2 26:26 bool, attribute6_comp3 27:27 bool, attribute7_comp0 28:28 bool,
        attribute7_comp1 29:29 bool, attribute7_comp2 30:30 bool, attribute7_comp3 31:31 bool,
    };
    /// Vertex attributes 0 to 15 (A) and 16 to 31 (B): stream, offset in bytes, widths, type; inactive ones are
    /// constant. Red and blue of one or two components are not swapped.
    set_vertex_attribute @ [0x458 set_vertex_attribute_a, 0x468 set_vertex_attribute_b; 16 step 1] = 0x25E0_0040 {
        stream 0:4, source 6:6 AttributeSource, offset 7:20, component_bit_widths 21:26 VertexFormat,
        numerical_type 27:29 VertexType, swap_r_and_b 31:31 bool,
    } Dirty(dirty::VERTEX_INPUT);
    /// BEGIN of the first or of the next instance, draw, END.
    draw_vertex_array_begin_end @ [
        0x485 draw_vertex_array_begin_end_instance_first, 0x486 draw_vertex_array_begin_end_instance_subsequent,
    ] { start_index 0:15, count 16:27, topology 28:31 Topology } Trigger(Trigger::DrawArrayOnce);
    /// Draws what transform feedback wrote: `bytes / stride` vertices.
    draw_auto @ 0x48F { byte_count 0:31 count } Trigger(Trigger::DrawAuto);
    /// Attributes that need not be kept; a hint.
    set_post_vtg_shader_attribute_skip_mask @ [0x490; 8 step 1] { v 0:31 bits };
    /// Not used.
    set_da_primitive_restart_index_topology_change @ 0x4A9 { v 0:31 bits };
    /// Indices that follow four in a word, and with which byte they begin.
    set_inline_index4x8_align @ 0x4C0 { count 0:29, start 30:31 };
    /// Four indices, the lowest byte first.
    draw_inline_index4x8 @ 0x4C1 { index0 0:7, index1 8:15, index2 16:23, index3 24:31 } Trigger(Trigger::DrawInline);
    /// Bytes of a vertex for DRAW_AUTO.
    set_draw_auto_stride @ 0x4C6 = 1 { v 0:11 };
    /// Bytes before the first vertex of DRAW_AUTO.
    set_draw_auto_start @ 0x4E9 { byte_count 0:31 count };
    /// Added to each index, signed.
    set_global_base_vertex_index @ 0x50D { v 0:31 signed } Dirty(dirty::VERTEX_INPUT);
    /// First element of instanced streams.
    set_global_base_instance_index @ 0x50E { v 0:31 count } Dirty(dirty::VERTEX_INPUT);
    /// Edge flag of following vertices.
    set_edge_flag @ 0x579 { v 0:0 bool };
    /// One index.
    draw_inline_index @ 0x57A { v 0:31 count } Trigger(Trigger::DrawInline);
    /// Indices that follow two in a word, and whether they begin with the upper half.
    set_inline_index2x16_align @ 0x57B { count 0:30, start_odd 31:31 bool };
    /// Two indices, the lower half first.
    draw_inline_index2x16 @ 0x57C { even 0:15, odd 16:31 } Trigger(Trigger::DrawInline);
    /// Added to all streams' addresses, upper bits.
    set_vertex_global_base_offset_a @ 0x57D { upper 0:7 address(32) } Dirty(dirty::VERTEX_INPUT);
    /// Added to all streams' addresses, bits 31:0.
    set_vertex_global_base_offset_b @ 0x57E { lower 0:31 address } Dirty(dirty::VERTEX_INPUT);
    /// Values of a pixel program's inputs that nothing writes. Drivers ask for (0, 0, 0, 1) (Mesa's NVK).
    set_attribute_default @ 0x584 = 0x12 {
        color_front_diffuse 0:0 DefaultDiffuse, color_front_specular 1:1 DefaultVector,
        generic_vector 2:2 DefaultVector, fixed_fnc_texture 3:3 DefaultVector, dx9_color0 4:4 DefaultDiffuse,
        dx9_color1_to_color15 5:5 DefaultVector,
    } Dirty(dirty::RASTER);
    /// Ends a draw.
    end @ 0x585 { v 0:0 } Trigger(Trigger::End);
    /// Begins a draw: topology, what happens to primitive and instance ids.
    begin @ 0x586 {
        op 0:15 Topology, primitive_id 24:24 BeginPrimitiveId, instance_id 26:27 BeginInstanceId,
        split_mode 29:30 SplitMode,
    } Trigger(Trigger::Begin);
    /// Copies the vertex id to an attribute.
    set_vertex_id_copy @ 0x587 = 0x9F0 { enable 0:0 bool, attribute_slot 4:11 } Dirty(dirty::VERTEX_INPUT);
    /// Adds to the primitive id.
    add_to_primitive_id @ 0x588 { v 0:31 count } Trigger(Trigger::PrimitiveId);
    /// Sets the primitive id.
    load_primitive_id @ 0x589 { v 0:31 count } Trigger(Trigger::PrimitiveId);
    /// Primitive restart in indexed draws.
    set_da_primitive_restart @ 0x591 { enable 0:0 bool };
    /// The index that restarts, compared before the base is added.
    set_da_primitive_restart_index @ 0x592 { v 0:31 count };
    /// Whether vertex ids of array draws include the first vertex.
    set_da_output @ 0x593 { vertex_id_uses_array_start 12:12 bool } Dirty(dirty::VERTEX_INPUT);
    /// The vertex that flat inputs come from.
    set_provoking_vertex @ 0x5A1 { v 0:0 ProvokingVertex } Dirty(dirty::RASTER);
    /// Address of the index buffer, upper bits.
    set_index_buffer_a @ 0x5F2 { address_upper 0:7 address(32) };
    /// Address of the index buffer, bits 31:0.
    set_index_buffer_b @ 0x5F3 { address_lower 0:31 address };
    /// Address of the index buffer's last byte, upper bits.
    set_index_buffer_c @ 0x5F4 = 0xFF { limit_address_upper 0:7 address(32) };
    /// Address of the index buffer's last byte, bits 31:0.
    set_index_buffer_d @ 0x5F5 = 0xFFFF_FFFF { limit_address_lower 0:31 address };
    /// Bytes of an index.
    set_index_buffer_e @ 0x5F6 = 2 { index_size 0:1 IndexSize };
    /// First index of the next draw.
    set_index_buffer_f @ 0x5F7 { first 0:31 count };
    /// Draws that many indices.
    draw_index_buffer @ 0x5F8 { count 0:31 count } Trigger(Trigger::DrawIndexed);
    /// BEGIN of the first or of the next instance, draw with indices of 32, 16 or 8 bits, END.
    draw_index_buffer_begin_end @ [
        0x5F9 draw_index_buffer32_begin_end_instance_first, 0x5FA draw_index_buffer16_begin_end_instance_first,
        0x5FB draw_index_buffer8_begin_end_instance_first, 0x5FC draw_index_buffer32_begin_end_instance_subsequent,
        0x5FD draw_index_buffer16_begin_end_instance_subsequent,
        0x5FE draw_index_buffer8_begin_end_instance_subsequent,
    ] { first 0:15, count 16:27, topology 28:31 Topology } Trigger(Trigger::DrawIndexedOnce);
    /// Whether the elements of streams 0 to 15 (A) and 16 to 31 (B) belong to instances.
    set_vertex_stream_instance @ [0x620 set_vertex_stream_instance_a, 0x630 set_vertex_stream_instance_b; 16 step 1] {
        is_instanced 0:0 bool,
    } Dirty(dirty::VERTEX_INPUT);
    /// Whether SET_PRIMITIVE_TOPOLOGY replaces the topology of BEGIN.
    set_primitive_topology_control @ 0x652 { override_ 0:0 TopologyOverride };
    /// Topology in D3D numbers.
    set_primitive_topology @ 0x65C = 1 { v 0:15 D3dTopology };
    /// Vertex streams 0 to 15 (A) and 16 to 31 (B): bytes from element to element, on or off.
    set_vertex_stream_format @ [0x700 set_vertex_stream_a_format, 0x740 set_vertex_stream_b_format; 16 step 4] {
        stride 0:11, enable 12:12 bool,
    } Dirty(dirty::VERTEX_INPUT);
    /// Address of a stream, upper bits.
    set_vertex_stream_location_a @ [
        0x701 set_vertex_stream_a_location_a, 0x741 set_vertex_stream_b_location_a; 16 step 4
    ] { offset_upper 0:7 address(32) } Dirty(dirty::VERTEX_INPUT);
    /// Address of a stream, bits 31:0.
    set_vertex_stream_location_b @ [
        0x702 set_vertex_stream_a_location_b, 0x742 set_vertex_stream_b_location_b; 16 step 4
    ] { offset_lower 0:31 address } Dirty(dirty::VERTEX_INPUT);
    /// Instances per element of an instanced stream; 0 means all.
    set_vertex_stream_frequency @ [
        0x703 set_vertex_stream_a_frequency, 0x743 set_vertex_stream_b_frequency; 16 step 4
    ] { v 0:31 count } Dirty(dirty::VERTEX_INPUT);
    /// Address of the last byte of streams 0 to 15 (A) and 16 to 31 (B), upper bits.
    set_vertex_stream_limit_a @ [0x7C0 set_vertex_stream_limit_a_a, 0x7E0 set_vertex_stream_limit_b_a; 16 step 2] {
        upper 0:7 address(32),
    } Dirty(dirty::VERTEX_INPUT);
    /// Address of the last byte of a stream, bits 31:0.
    set_vertex_stream_limit_b @ [0x7C1 set_vertex_stream_limit_a_b, 0x7E1 set_vertex_stream_limit_b_b; 16 step 2] {
        lower 0:31 address,
    } Dirty(dirty::VERTEX_INPUT);
    /// Attribute words (byte address / 4) that go to a buffer, four a register, the lowest byte first.
    set_stream_out_layout_select @ [
        0xA00 set_stream_out_layout_select_buffer0, 0xA20 set_stream_out_layout_select_buffer1,
        0xA40 set_stream_out_layout_select_buffer2, 0xA60 set_stream_out_layout_select_buffer3; 32 step 1
    ] {
        attribute_number00 0:7, attribute_number01 8:15, attribute_number02 16:23, attribute_number03 24:31,
    } Dirty(dirty::STREAM_OUT);
}
