//! Vertex input, draws, command buffers, the geometry stage. 0x200 to 0x25F.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::geometry_values::{AttributeType, GeometryInput, GeometryStage, IndexType, PrimitiveType};
use crate::table::regs::regs;

regs! {
    effect Effect;

    /// Physical address that attribute and index buffers are relative to.
    attr_base @ 0x200 { address 1:28 address(4) } Dirty(VERTEX_INPUT);
    /// Attributes 0 to 7: type and number of components - 1.
    attr_format_lo @ 0x201 {
        type0 0:1 AttributeType, count0_minus_1 2:3, type1 4:5 AttributeType, count1_minus_1 6:7,
        type2 8:9 AttributeType, count2_minus_1 10:11, type3 12:13 AttributeType, count3_minus_1 14:15,
        type4 16:17 AttributeType, count4_minus_1 18:19, type5 20:21 AttributeType, count5_minus_1 22:23,
        type6 24:25 AttributeType, count6_minus_1 26:27, type7 28:29 AttributeType, count7_minus_1 30:31,
    } Dirty(VERTEX_INPUT);
    /// Attributes 8 to 11 as in ATTR_FORMAT_LO, which attributes are fixed (bit per attribute), number of attributes -
    /// 1.
    attr_format_hi @ 0x202 {
        type8 0:1 AttributeType, count8_minus_1 2:3, type9 4:5 AttributeType, count9_minus_1 6:7,
        type10 8:9 AttributeType, count10_minus_1 10:11, type11 12:13 AttributeType, count11_minus_1 14:15,
        fixed_mask 16:27 bits, total_minus_1 28:31,
    } Dirty(VERTEX_INPUT);
    /// Bytes from the base to each attribute buffer.
    attrbuf_offset @ [0x203; 12 step 3] { offset 0:27 } Dirty(VERTEX_INPUT);
    /// First eight components of each attribute buffer: below 12 an attribute, 12 to 15 padding of 4 to 16 bytes.
    attrbuf_config1 @ [0x204; 12 step 3] {
        component0 0:3, component1 4:7, component2 8:11, component3 12:15, component4 16:19, component5 20:23,
        component6 24:27, component7 28:31,
    } Dirty(VERTEX_INPUT);
    /// Last four components of each attribute buffer, its stride in bytes and number of components.
    attrbuf_config2 @ [0x205; 12 step 3] {
        component8 0:3, component9 4:7, component10 8:11, component11 12:15, stride 16:23, count 28:31,
    } Dirty(VERTEX_INPUT);
    /// Bytes from the base to the indices, and their type. Read by a draw.
    index_buffer @ 0x227 { offset 0:27, kind 31:31 IndexType };
    /// Number of vertices or indices. Read by a draw.
    num_vertices @ 0x228 { count 0:31 count };
    /// Geometry stage; indexed triangles; primitives of variable size.
    geostage_config @ 0x229 { mode 0:1 GeometryStage, indexed 8:8 bool, variable 31:31 bool } Dirty(GEOMETRY | PROGRAM);
    /// First vertex of DRAW_ARRAYS.
    vertex_offset @ 0x22A { first 0:31 count };
    /// Entries of the post-transform cache; 4 or 0x84 is customary.
    post_vertex_cache @ 0x22D { entries 0:7 };
    /// Anything but 0 draws NUM_VERTICES vertices.
    draw_arrays @ 0x22E { trigger 0:31 count } Trigger(DrawArrays);
    /// Anything but 0 draws NUM_VERTICES indices.
    draw_elements @ 0x22F { trigger 0:31 count } Trigger(DrawElements);
    /// Empties the post-transform cache.
    vertex_cache_clear @ 0x231 { trigger 0:31 count } Trigger(VertexCacheClear);
    /// 0 to 14 a fixed attribute, 15 immediate mode.
    fixed_attr_index @ 0x232 { index 0:3 } Trigger(FixedAttributeIndex);
    /// Port of fixed attributes and immediate vertices: three words of packed f24 are one attribute.
    fixed_attr_data @ [
        0x233 fixed_attr_data0, 0x234 fixed_attr_data1, 0x235 fixed_attr_data2,
    ] { word 0:31 bits } Trigger(FixedAttributeData);
    /// Sizes in bytes / 8 of the two command buffers to jump to.
    cmdbuf_size @ [0x238 cmdbuf_size0, 0x239 cmdbuf_size1] { size 0:20 };
    /// Physical addresses of the two command buffers to jump to.
    cmdbuf_addr @ [0x23A cmdbuf_addr0, 0x23B cmdbuf_addr1] { address 0:28 address(3) };
    /// Command fetch goes on in buffer 0.
    cmdbuf_jump0 @ 0x23C { trigger 0:31 count } Trigger(Jump0);
    /// Command fetch goes on in buffer 1.
    cmdbuf_jump1 @ 0x23D { trigger 0:31 count } Trigger(Jump1);
    /// Number of vertex shader inputs - 1; counts in immediate mode.
    vsh_num_attr @ 0x242 { count_minus_1 0:3 } Dirty(VERTEX_INPUT);
    /// 1 the geometry unit has a configuration of its own, 0 vertex shader uploads are mirrored to it.
    vsh_com_mode @ 0x244 { separate 0:0 bool };
    /// 0 drawing, 1 configuration; emulators ignore it. libctru writes 1 before anything else.
    draw_mode @ 0x245 = 1 { config 0:0 bool };
    /// Number of vertex shader outputs - 1.
    vsh_outmap_total1 @ 0x24A { count_minus_1 0:3 } Dirty(PROGRAM);
    /// Number of vertex shader outputs - 1, again.
    vsh_outmap_total2 @ 0x251 { count_minus_1 0:3 } Dirty(PROGRAM);
    /// Geometry shader input: number of fixed vertices - 1, stride - 1, first uniform register.
    gsh_misc0 @ 0x252 {
        mode 0:7 GeometryInput, fixed_minus_1 8:11, stride_minus_1 12:15, first_uniform 16:23, fixed 24:24 bool,
    } Dirty(GEOMETRY);
    /// Input in progress (array draw or immediate mode), indexed triangles.
    geostage_config2 @ 0x253 { active 0:0 bool, indexed 8:8 bool };
    /// Number of main vertices - 1 of variable primitives.
    gsh_misc1 @ 0x254 { main_minus_1 0:4 } Dirty(GEOMETRY);
    /// Number of vertex shader outputs - 1 and primitive type. A write empties the primitive assembler.
    primitive_config @ 0x25E { outputs_minus_1 0:3, primitive 8:9 PrimitiveType } Trigger(Topology);
    /// Anything but 0 empties the primitive assembler.
    primitive_restart @ 0x25F { trigger 0:0 bool } Trigger(TopologyReset);
}
