//! The geometry and the vertex shader unit: uniforms, inputs, code. 0x280 to 0x2DD.

use super::effect::{Effect, Trigger::*, dirty::*};
use crate::table::regs::regs;

regs! {
    effect Effect;

    // The geometry shader.

    /// Bool uniforms b0 to b15 of the geometry shader.
    gsh_bool @ 0x280 { values 0:15, high 16:31 } Trigger(GshBool);
    /// Integer uniforms i0 to i3 of the geometry shader: iterations - 1, start and step of a loop.
    gsh_int @ [
        0x281 gsh_int0, 0x282 gsh_int1, 0x283 gsh_int2, 0x284 gsh_int3,
    ] { x 0:7, y 8:15, z 16:23, w 24:31 } Trigger(GshInt);
    /// Number of inputs - 1, whether inputs go to uniforms, mode of the unit (0xA0 vertex, 0x08 geometry shader).
    gsh_input_config @ 0x289 = 0xA0000001 { inputs_minus_1 0:3, to_uniforms 8:15, mode 24:31 } Dirty(GEOMETRY);
    /// First instruction of the geometry shader.
    gsh_entry @ 0x28A { offset 0:15, high 16:31 } Dirty(PROGRAM);
    /// Input registers of attributes 0 to 7.
    gsh_perm_lo @ 0x28B {
        attribute0 0:3, attribute1 4:7, attribute2 8:11, attribute3 12:15, attribute4 16:19, attribute5 20:23,
        attribute6 24:27, attribute7 28:31,
    } Dirty(GEOMETRY);
    /// Input registers of attributes 8 to 15.
    gsh_perm_hi @ 0x28C {
        attribute8 0:3, attribute9 4:7, attribute10 8:11, attribute11 12:15, attribute12 16:19, attribute13 20:23,
        attribute14 24:27, attribute15 28:31,
    } Dirty(GEOMETRY);
    /// Which of o0 to o15 the geometry shader writes.
    gsh_outmap_mask @ 0x28D { mask 0:15 } Trigger(GshOutmapMask);
    /// Ends a code transfer.
    gsh_code_end @ 0x28F { trigger 0:31 } Trigger(GshCodeEnd);
    /// Float uniform that GSH_FLOAT_DATA writes; 1 four words of f32, 0 three words of packed f24.
    gsh_float_index @ 0x290 { register 0:7, f32 31:31 } Trigger(GshFloatIndex);
    /// Port of the float uniforms of the geometry shader.
    gsh_float_data @ [
        0x291 gsh_float_data0, 0x292 gsh_float_data1, 0x293 gsh_float_data2, 0x294 gsh_float_data3,
        0x295 gsh_float_data4, 0x296 gsh_float_data5, 0x297 gsh_float_data6, 0x298 gsh_float_data7,
    ] { word 0:31 } Trigger(GshFloatData);
    /// Word offset that GSH_CODE_DATA writes.
    gsh_code_index @ 0x29B { offset 0:11 } Trigger(GshCodeIndex);
    /// Port of the code of the geometry shader.
    gsh_code_data @ [
        0x29C gsh_code_data0, 0x29D gsh_code_data1, 0x29E gsh_code_data2, 0x29F gsh_code_data3,
        0x2A0 gsh_code_data4, 0x2A1 gsh_code_data5, 0x2A2 gsh_code_data6, 0x2A3 gsh_code_data7,
    ] { instruction 0:31 } Trigger(GshCode);
    /// Offset that GSH_OPDESC_DATA writes.
    gsh_opdesc_index @ 0x2A5 { offset 0:11 } Trigger(GshDescriptorIndex);
    /// Port of the operand descriptors of the geometry shader.
    gsh_opdesc_data @ [
        0x2A6 gsh_opdesc_data0, 0x2A7 gsh_opdesc_data1, 0x2A8 gsh_opdesc_data2, 0x2A9 gsh_opdesc_data3,
        0x2AA gsh_opdesc_data4, 0x2AB gsh_opdesc_data5, 0x2AC gsh_opdesc_data6, 0x2AD gsh_opdesc_data7,
    ] { descriptor 0:31 } Trigger(GshDescriptor);

    // The vertex shader.

    /// Bool uniforms b0 to b15 of the vertex shader.
    vsh_bool @ 0x2B0 { values 0:15, high 16:31 } Trigger(VshBool);
    /// Integer uniforms i0 to i3 of the vertex shader: iterations - 1, start and step of a loop.
    vsh_int @ [
        0x2B1 vsh_int0, 0x2B2 vsh_int1, 0x2B3 vsh_int2, 0x2B4 vsh_int3,
    ] { x 0:7, y 8:15, z 16:23, w 24:31 } Trigger(VshInt);
    /// Number of inputs - 1, whether inputs go to uniforms, mode of the unit (0xA0 vertex, 0x08 geometry shader).
    vsh_input_config @ 0x2B9 { inputs_minus_1 0:3, to_uniforms 8:15, mode 24:31 } Dirty(VERTEX_INPUT);
    /// First instruction of the vertex shader.
    vsh_entry @ 0x2BA { offset 0:15, high 16:31 } Dirty(PROGRAM);
    /// Input registers of attributes 0 to 7.
    vsh_perm_lo @ 0x2BB {
        attribute0 0:3, attribute1 4:7, attribute2 8:11, attribute3 12:15, attribute4 16:19, attribute5 20:23,
        attribute6 24:27, attribute7 28:31,
    } Dirty(VERTEX_INPUT);
    /// Input registers of attributes 8 to 15.
    vsh_perm_hi @ 0x2BC {
        attribute8 0:3, attribute9 4:7, attribute10 8:11, attribute11 12:15, attribute12 16:19, attribute13 20:23,
        attribute14 24:27, attribute15 28:31,
    } Dirty(VERTEX_INPUT);
    /// Which of o0 to o15 the vertex shader writes.
    vsh_outmap_mask @ 0x2BD { mask 0:15 } Trigger(VshOutmapMask);
    /// Ends a code transfer.
    vsh_code_end @ 0x2BF { trigger 0:31 } Trigger(VshCodeEnd);
    /// Float uniform that VSH_FLOAT_DATA writes; 1 four words of f32, 0 three words of packed f24.
    vsh_float_index @ 0x2C0 { register 0:7, f32 31:31 } Trigger(VshFloatIndex);
    /// Port of the float uniforms of the vertex shader.
    vsh_float_data @ [
        0x2C1 vsh_float_data0, 0x2C2 vsh_float_data1, 0x2C3 vsh_float_data2, 0x2C4 vsh_float_data3,
        0x2C5 vsh_float_data4, 0x2C6 vsh_float_data5, 0x2C7 vsh_float_data6, 0x2C8 vsh_float_data7,
    ] { word 0:31 } Trigger(VshFloatData);
    /// Word offset that VSH_CODE_DATA writes.
    vsh_code_index @ 0x2CB { offset 0:11 } Trigger(VshCodeIndex);
    /// Port of the code of the vertex shader.
    vsh_code_data @ [
        0x2CC vsh_code_data0, 0x2CD vsh_code_data1, 0x2CE vsh_code_data2, 0x2CF vsh_code_data3,
        0x2D0 vsh_code_data4, 0x2D1 vsh_code_data5, 0x2D2 vsh_code_data6, 0x2D3 vsh_code_data7,
    ] { instruction 0:31 } Trigger(VshCode);
    /// Offset that VSH_OPDESC_DATA writes.
    vsh_opdesc_index @ 0x2D5 { offset 0:11 } Trigger(VshDescriptorIndex);
    /// Port of the operand descriptors of the vertex shader.
    vsh_opdesc_data @ [
        0x2D6 vsh_opdesc_data0, 0x2D7 vsh_opdesc_data1, 0x2D8 vsh_opdesc_data2, 0x2D9 vsh_opdesc_data3,
        0x2DA vsh_opdesc_data4, 0x2DB vsh_opdesc_data5, 0x2DC vsh_opdesc_data6, 0x2DD vsh_opdesc_data7,
    ] { descriptor 0:31 } Trigger(VshDescriptor);
}
