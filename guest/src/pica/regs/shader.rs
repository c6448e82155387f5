//! The geometry and the vertex shader unit: uniforms, inputs, code. 0x280 to 0x2DD.
//!
//! The units have the same registers, the vertex unit's 0x30 after the geometry unit's.

use super::effect::{Effect, Trigger::*, dirty::*};
use super::geometry_values::{ShaderMode, UniformFormat};
use crate::table::regs::regs;

/// Whether a register of a shader unit is the vertex unit's.
pub const fn is_vertex_unit(id: usize) -> bool {
    id >= vsh_bool::ID
}

regs! {
    effect Effect;

    /// Bool uniforms b0 to b15.
    shader_bool @ [0x280 gsh_bool, 0x2B0 vsh_bool] { values 0:15 bits, high 16:31 bits } Trigger(ShaderBool);
    /// Integer uniforms i0 to i3: iterations - 1, start and step of a loop.
    shader_int @ [0x281 gsh_int, 0x2B1 vsh_int; 4 step 1] { x 0:7, y 8:15, z 16:23, w 24:31 } Trigger(ShaderInt);
    /// Number of inputs - 1, whether inputs go to uniforms, mode of the unit.
    gsh_input_config @ 0x289 = 0xA0000001 { inputs_minus_1 0:3, to_uniforms 8:15, mode 24:31 ShaderMode } Dirty(GEOMETRY);
    /// As GSH_INPUT_CONFIG.
    vsh_input_config @ 0x2B9 { inputs_minus_1 0:3, to_uniforms 8:15, mode 24:31 ShaderMode } Dirty(VERTEX_INPUT);
    /// First instruction.
    shader_entry @ [0x28A gsh_entry, 0x2BA vsh_entry] { offset 0:15, high 16:31 bits } Dirty(PROGRAM);
    /// Input registers of attributes of the geometry shader, a nibble each: 0 to 7 (LO), 8 to 15 (HI).
    gsh_perm @ [0x28B gsh_perm_lo, 0x28C gsh_perm_hi] {
        nibble0 0:3, nibble1 4:7, nibble2 8:11, nibble3 12:15, nibble4 16:19, nibble5 20:23, nibble6 24:27,
        nibble7 28:31,
    } Dirty(GEOMETRY);
    /// As GSH_PERM, of the vertex shader.
    vsh_perm @ [0x2BB vsh_perm_lo, 0x2BC vsh_perm_hi] {
        nibble0 0:3, nibble1 4:7, nibble2 8:11, nibble3 12:15, nibble4 16:19, nibble5 20:23, nibble6 24:27,
        nibble7 28:31,
    } Dirty(VERTEX_INPUT);
    /// Which of o0 to o15 the shader writes.
    shader_outmap_mask @ [0x28D gsh_outmap_mask, 0x2BD vsh_outmap_mask] { mask 0:15 bits } Trigger(ShaderOutmapMask);
    /// Ends a code transfer.
    shader_code_end @ [0x28F gsh_code_end, 0x2BF vsh_code_end] { trigger 0:31 count } Trigger(ShaderCodeEnd);
    /// Float uniform that the float data ports write, and what words are.
    shader_float_index @ [0x290 gsh_float_index, 0x2C0 vsh_float_index] {
        register 0:7, format 31:31 UniformFormat,
    } Trigger(ShaderFloatIndex);
    /// Port of the float uniforms.
    shader_float_data @ [0x291 gsh_float_data, 0x2C1 vsh_float_data; 8 step 1] { word 0:31 bits } Trigger(ShaderFloatData);
    /// Word offset that the code ports write.
    shader_code_index @ [0x29B gsh_code_index, 0x2CB vsh_code_index] { offset 0:11 } Trigger(ShaderCodeIndex);
    /// Port of the code.
    shader_code_data @ [0x29C gsh_code_data, 0x2CC vsh_code_data; 8 step 1] { instruction 0:31 bits } Trigger(ShaderCode);
    /// Offset that the ports of operand descriptors write.
    shader_opdesc_index @ [0x2A5 gsh_opdesc_index, 0x2D5 vsh_opdesc_index] {
        offset 0:11,
    } Trigger(ShaderDescriptorIndex);
    /// Port of the operand descriptors.
    shader_opdesc_data @ [0x2A6 gsh_opdesc_data, 0x2D6 vsh_opdesc_data; 8 step 1] {
        descriptor 0:31 bits,
    } Trigger(ShaderDescriptor);
}
