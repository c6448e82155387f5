//! Vertex arrays, immediate values, draws.

use crate::rsx::enums::{IndexType, Primitive, VertexLocation, VertexType};
use crate::rsx::methods::effect::dirty::{INDEX, VERTEX_ARRAY, VERTEX_PROGRAM};
use crate::rsx::methods::effect::{Effect, Trigger};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Immediate value of four signed integers in two words, normalised as SNORM16 arrays are.
    set_vertex_data_scaled4s_m @ [0x0A80; 16 step 8] {
        low 0:15 signed, high 16:31 signed,
    } Trigger(Trigger::VertexDataScaled4S);
    /// Immediate value, f32 x, y, z; w becomes 1.
    set_vertex_data3f_m @ [0x1500; 16 step 16] { value 0:31 f32 } Trigger(Trigger::VertexData3F);
    /// Vertex array: address.
    set_vertex_data_array_offset @ [0x1680; 16 step 4] { offset 0:28 address, location 31:31 VertexLocation } Dirty(VERTEX_ARRAY);
    /// Added to the address of every array.
    set_vertex_data_base_offset @ 0x1738 { offset 0:31 address } Dirty(VERTEX_ARRAY);
    /// Added to every index; 20 bits of the sum count.
    set_vertex_data_base_index @ 0x173C { index 0:31 signed } Dirty(VERTEX_ARRAY);
    /// Vertex array: components, bytes from element to element, vertices of an element. Size 0 is off. Bit 3 does
    /// nothing (a console's test: RPCS3 #5585).
    set_vertex_data_array_format @ [0x1740; 16 step 4] = 0x0000_0002 {
        kind 0:2 VertexType, size 4:7, stride 8:15, frequency 16:31,
    } Dirty(VERTEX_ARRAY);
    /// Opens a draw, or with 0 closes it.
    set_begin_end @ 0x1808 { primitive 0:31 Primitive } Trigger(Trigger::BeginEnd);
    /// Two indices of the draw.
    array_element16 @ 0x180C { first 0:15, second 16:31 } Trigger(Trigger::ArrayElement16);
    /// An index of the draw.
    array_element32 @ 0x1810 { index 0:31 count } Trigger(Trigger::ArrayElement32);
    /// A range of vertices of the draw.
    draw_arrays @ 0x1814 { first 0:23, count_minus_1 24:31 } Trigger(Trigger::DrawArrays);
    /// A word of the vertices of the draw.
    inline_array @ 0x1818 { data 0:31 bits } Trigger(Trigger::InlineArray);
    /// Address of the indices, cut to the size of one (a console's tests: RPCS3 #6820, #9551).
    set_index_array_address @ 0x181C { offset 0:28 address } Dirty(INDEX);
    /// Location and type of the indices. A word with other bits set is rejected (RPCS3).
    set_index_array_dma @ 0x1820 { location 0:0 VertexLocation, kind 4:4 IndexType } Dirty(INDEX);
    /// A range of indices of the draw.
    draw_index_array @ 0x1824 { first 0:23, count_minus_1 24:31 } Trigger(Trigger::DrawIndexArray);
    /// Immediate value, f32 x, y; z becomes 0, w 1.
    set_vertex_data2f_m @ [0x1880; 16 step 8] { value 0:31 f32 } Trigger(Trigger::VertexData2F);
    /// Immediate value of two signed integers; z becomes 0, w 1.
    set_vertex_data2s_m @ [0x1900; 16 step 4] { x 0:15 signed, y 16:31 signed } Trigger(Trigger::VertexData2S);
    /// Immediate value of four unorm bytes.
    set_vertex_data4ub_m @ [0x1940; 16 step 4] { x 0:7, y 8:15, z 16:23, w 24:31 } Trigger(Trigger::VertexData4Ub);
    /// Immediate value of four signed integers in two words.
    set_vertex_data4s_m @ [0x1980; 16 step 8] { low 0:15 signed, high 16:31 signed } Trigger(Trigger::VertexData4S);
    /// Immediate value, f32 x, y, z, w.
    set_vertex_data4f_m @ [0x1C00; 16 step 16] { value 0:31 f32 } Trigger(Trigger::VertexData4F);
    /// An index that begins a new primitive.
    set_restart_index_enable @ 0x1DAC { enable 0:0 bool } Dirty(INDEX);
    /// Which one, compared before the base is added.
    set_restart_index @ 0x1DB0 = 0xFFFF_FFFF { index 0:31 count } Dirty(INDEX);
    /// Immediate value, f32 x; y and z become 0, w 1.
    set_vertex_data1f_m @ [0x1E40; 16 step 4] { value 0:31 f32 } Trigger(Trigger::VertexData1F);
    /// Bit n: array n repeats after `frequency` vertices instead of advancing after that many.
    set_frequency_divider_operation @ 0x1FC0 { modulo 0:15 bits } Dirty(VERTEX_ARRAY);
    /// Attributes that the vertex program reads.
    set_vertex_attrib_input_mask @ 0x1FF0 = 0x0000_FFFF { inputs 0:15 bits } Dirty(VERTEX_ARRAY | VERTEX_PROGRAM);
}
