//! Bit positions of the fields of a vertex instruction. Source: RPCS3 RSXVertexProgram.h, Mesa nv40_vertprog.h; the
//! width of the constant and the scalar temporary as RPCS3 has them.

use crate::table::words::word_fields;

word_fields! {
    /// Component of the address register that is added to a constant or input number.
    ADDR_SWZ 0 0:1;
    /// Component of the condition register that is tested for w.
    COND_SWZ_W 0 2:3;
    /// The same for z.
    COND_SWZ_Z 0 4:5;
    /// The same for y.
    COND_SWZ_Y 0 6:7;
    /// The same for x.
    COND_SWZ_X 0 8:9;
    /// Test: 1 less, 2 equal, 4 greater.
    COND_MASK 0 10:12;
    /// Whether writes and branches depend on the test.
    COND_TEST 0 13:13;
    /// Condition update, first of two bits.
    COND_UPDATE0 0 14:14;
    /// Temporary that the vector unit writes, 63 for none. For address registers bit 0 counts.
    VEC_DST_TEMP 0 15:20;
    /// Absolute value of source 0.
    SRC0_ABS 0 21:21;
    /// Absolute value of source 1.
    SRC1_ABS 0 22:22;
    /// Absolute value of source 2; bit 9 of a branch target.
    SRC2_ABS 0 23:23;
    /// Which address register is read.
    ADDR_REG_SEL 0 24:24;
    /// Which condition register is tested and updated.
    COND_REG_SEL 0 25:25;
    /// Results are clamped to 0..1.
    SATURATE 0 26:26;
    /// The address register is added to the input number.
    INDEX_INPUT 0 27:27;
    /// Unknown, zero in all known programs.
    UNKNOWN 0 28:28;
    /// Condition update, second of two bits.
    COND_UPDATE1 0 29:29;
    /// The output belongs to the vector unit, else to the scalar unit.
    VEC_RESULT 0 30:30;
    /// Bits 16:9 of source 0.
    SRC0_HIGH 1 0:7;
    /// Number of the input that sources of type input are.
    INPUT_SRC 1 8:11;
    /// Number of the constant that sources of type constant are.
    CONST_SRC 1 12:21;
    /// Operation of the vector unit.
    VEC_OPCODE 1 22:26;
    /// Operation of the scalar unit.
    SCA_OPCODE 1 27:31;
    /// Bits 16:11 of source 2; bits 8:3 of a branch target.
    SRC2_HIGH 2 0:5;
    /// Source 1.
    SRC1 2 6:22;
    /// Bits 8:0 of source 0.
    SRC0_LOW 2 23:31;
    /// Texture unit of TXL, in place of bits of source 1.
    TXL_UNIT 2 8:9;
    /// The program ends after this instruction.
    END 3 0:0;
    /// The address register is added to the constant number.
    INDEX_CONST 3 1:1;
    /// Output register, 31 for none.
    DST_OUTPUT 3 2:6;
    /// Temporary that the scalar unit writes, 63 for none.
    SCA_DST_TEMP 3 7:12;
    /// Vector unit writes w.
    VEC_MASK_W 3 13:13;
    /// Vector unit writes z.
    VEC_MASK_Z 3 14:14;
    /// Vector unit writes y.
    VEC_MASK_Y 3 15:15;
    /// Vector unit writes x.
    VEC_MASK_X 3 16:16;
    /// Scalar unit writes w.
    SCA_MASK_W 3 17:17;
    /// Scalar unit writes z.
    SCA_MASK_Z 3 18:18;
    /// Scalar unit writes y.
    SCA_MASK_Y 3 19:19;
    /// Scalar unit writes x.
    SCA_MASK_X 3 20:20;
    /// Bits 10:0 of source 2.
    SRC2_LOW 3 21:31;
    /// Branch bit of BRB and CLB, in place of bits of source 2.
    BRANCH_BIT_INDEX 3 23:27;
    /// Value at which BRB and CLB branch.
    BRANCH_BIT_VALUE 3 28:28;
    /// Bits 2:0 of a branch target, in place of bits of source 2.
    IADDR_LOW 3 29:31;
}

/// The fields of a source operand, 17 bits.
pub mod source {
    use crate::table::words::word_fields;

    word_fields! {
        /// 0 none, 1 temporary, 2 input, 3 constant.
        TYPE 0 0:1;
        /// Number of the temporary.
        TEMP 0 2:7;
        /// Component for w.
        SWZ_W 0 8:9;
        /// Component for z.
        SWZ_Z 0 10:11;
        /// Component for y.
        SWZ_Y 0 12:13;
        /// Component for x.
        SWZ_X 0 14:15;
        /// Negation, after the absolute value.
        NEGATE 0 16:16;
    }
}
