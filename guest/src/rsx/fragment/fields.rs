//! Bit positions of the fields of a fragment instruction. Source: RPCS3 RSXFragmentProgram.h, Mesa nvfx_shader.h.

use crate::table::words::word_fields;

word_fields! {
    /// The program ends after this instruction.
    END 0 0:0;
    /// Number of the destination register.
    DST_REG 0 1:6;
    /// The destination is an H register.
    DST_HALF 0 7:7;
    /// The result goes to a condition register as well.
    SET_COND 0 8:8;
    /// Writes x.
    MASK_X 0 9:9;
    /// Writes y.
    MASK_Y 0 10:10;
    /// Writes z.
    MASK_Z 0 11:11;
    /// Writes w.
    MASK_W 0 12:12;
    /// Number of the input that sources of type input are.
    INPUT_SRC 0 13:16;
    /// Texture unit.
    TEX_UNIT 0 17:20;
    /// Texture results become 2v - 1.
    BX2 0 21:21;
    /// Precision of the result: 0 fp32, 1 fp16, 2 fx12, 3 fx9.
    PRECISION 0 22:23;
    /// Operation, low six bits.
    OPCODE_LOW6 0 24:29;
    /// No destination register.
    NO_DEST 0 30:30;
    /// The result is clamped to 0..1.
    SATURATE 0 31:31;
    /// Source 0.
    SRC0 1 0:17;
    /// Executes if the condition register is below zero.
    EXEC_LT 1 18:18;
    /// Executes if it is zero.
    EXEC_EQ 1 19:19;
    /// Executes if it is above zero.
    EXEC_GT 1 20:20;
    /// Component of the condition register that is tested for x.
    CC_SWZ_X 1 21:22;
    /// The same for y.
    CC_SWZ_Y 1 23:24;
    /// The same for z.
    CC_SWZ_Z 1 25:26;
    /// The same for w.
    CC_SWZ_W 1 27:28;
    /// Absolute value of source 0.
    SRC0_ABS 1 29:29;
    /// Condition register that is written.
    CC_WRITE_INDEX 1 30:30;
    /// Condition register that is tested.
    CC_READ_INDEX 1 31:31;
    /// Source 1.
    SRC1 2 0:17;
    /// Absolute value of source 1.
    SRC1_ABS 2 18:18;
    /// Modifier of source 0.
    SRC0_PREC_MOD 2 19:21;
    /// Modifier of source 1.
    SRC1_PREC_MOD 2 22:24;
    /// Modifier of source 2.
    SRC2_PREC_MOD 2 25:27;
    /// Scale of the result: 0 to 3 times 1, 2, 4, 8; 5 to 7 by 2, 4, 8.
    SCALE 2 28:30;
    /// Operation, top bit: flow control.
    OPCODE_BIT6 2 31:31;
    /// Source 2.
    SRC2 3 0:17;
    /// Absolute value of source 2.
    SRC2_ABS 3 18:18;
    /// Added to the index of a relative input, signed.
    ADDRESS_DISPLACEMENT 3 19:29;
    /// Inputs are relative to the loop's index.
    USE_INDEX 3 30:30;
    /// Inputs are read without their perspective.
    PERSPECTIVE_DISABLE 3 31:31;
}

/// The fields of a source operand, 18 bits.
pub mod source {
    use crate::table::words::word_fields;

    word_fields! {
        /// 0 register, 1 input, 2 inline constant.
        TYPE 0 0:1;
        /// Number of the register.
        REGISTER 0 2:7;
        /// The register is an H register.
        HALF 0 8:8;
        /// Component for x.
        SWZ_X 0 9:10;
        /// Component for y.
        SWZ_Y 0 11:12;
        /// Component for z.
        SWZ_Z 0 13:14;
        /// Component for w.
        SWZ_W 0 15:16;
        /// Negation, after everything else.
        NEGATE 0 17:17;
    }
}

/// The fields of words 2 and 3 in instructions of flow control. Offsets count 32-bit words from the start of the
/// program.
pub mod flow {
    use crate::table::words::word_fields;

    word_fields! {
        /// Else part of IFE, target of CAL.
        ELSE_OR_CALL_OFFSET 2 0:30;
        /// Passes of LOOP and REP.
        LOOP_COUNT 2 2:9;
        /// First index of LOOP.
        LOOP_INIT 2 10:17;
        /// Step of the index of LOOP, signed.
        LOOP_INCREMENT 2 19:26;
        /// End of IFE, LOOP and REP.
        END_OFFSET 3 0:31;
    }
}
