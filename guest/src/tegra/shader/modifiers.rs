//! Modifiers of arithmetic: rounding, comparisons, conditions, formats. Source of values and names: envytools; meanings
//! as the tables of the operations say.

use super::part::{Part, modifiers};

modifiers! {
    /// How results are rounded: to nearest with ties to even, towards minus infinity, plus infinity, zero.
    Rounding, 2 bits; plain Nearest { Nearest = 0 "rn"; Down = 1 "rm"; Up = 2 "rp"; Zero = 3 "rz"; }

    /// How a product treats denormals and zeros.
    Fmz, 2 bits; plain None, others {
        None = 0 "none";
        /// Denormals of inputs and result are zero.
        Ftz = 1 "ftz";
        /// As `Ftz`, and a zero factor makes the product +0 whatever the other one is.
        Fmz = 2 "fmz";
    }

    /// A power of two that a product is multiplied by; D divides.
    Scale, 3 bits; plain None, others {
        None = 0 "none"; D2 = 1 "d2"; D4 = 2 "d4"; D8 = 3 "d8"; M8 = 4 "m8"; M4 = 5 "m4"; M2 = 6 "m2";
    }

    /// A comparison of floats. The first ones are false for NaN, those with U are true.
    FloatCompare, 4 bits {
        False = 0 "f"; Less = 1 "lt"; Equal = 2 "eq"; LessOrEqual = 3 "le"; Greater = 4 "gt"; NotEqual = 5 "ne";
        GreaterOrEqual = 6 "ge";
        /// Neither is NaN.
        Num = 7 "num";
        /// One is NaN.
        Nan = 8 "nan";
        LessU = 9 "ltu"; EqualU = 10 "equ"; LessOrEqualU = 11 "leu"; GreaterU = 12 "gtu"; NotEqualU = 13 "neu";
        GreaterOrEqualU = 14 "geu"; True = 15 "t";
    }

    /// A comparison of integers.
    IntCompare, 3 bits {
        False = 0 "f"; Less = 1 "lt"; Equal = 2 "eq"; LessOrEqual = 3 "le"; Greater = 4 "gt"; NotEqual = 5 "ne";
        GreaterOrEqual = 6 "ge"; True = 7 "t";
    }

    /// How a result is joined with a predicate.
    BoolOp, 2 bits, others { And = 0 "and"; Or = 1 "or"; Xor = 2 "xor"; }

    /// A test of the condition code: zero Z, sign S, carry C, overflow O.
    CcTest, 5 bits; plain True, others {
        False = 0 "cc_f";
        /// `(S & !Z) ^ O`
        Less = 1 "cc_lt";
        /// `!S & Z`
        Equal = 2 "cc_eq";
        /// `S ^ (Z | O)`
        LessOrEqual = 3 "cc_le";
        /// `(!S ^ O) & !Z`
        Greater = 4 "cc_gt";
        /// `!Z`
        NotEqual = 5 "cc_ne";
        /// `!(S ^ O)`
        GreaterOrEqual = 6 "cc_ge";
        /// `!S | !Z`
        Num = 7 "cc_num";
        /// `S & Z`
        Nan = 8 "cc_nan";
        /// `S ^ O`
        LessU = 9 "cc_ltu";
        /// `Z`
        EqualU = 10 "cc_equ";
        /// `(S ^ O) | Z`
        LessOrEqualU = 11 "cc_leu";
        /// `!S ^ (Z | O)`
        GreaterU = 12 "cc_gtu";
        /// `S | !Z`
        NotEqualU = 13 "cc_neu";
        /// `(!S | Z) ^ O`
        GreaterOrEqualU = 14 "cc_geu";
        True = 15 "cc_t";
        /// `!O`
        NoOverflow = 16 "cc_off";
        /// `!C`
        Lower = 17 "cc_lo";
        /// `!S`
        NoSign = 18 "cc_sff";
        /// `Z | !C`
        LowerOrSame = 19 "cc_ls";
        /// `C & !Z`
        Higher = 20 "cc_hi";
        /// `S`
        Sign = 21 "cc_sft";
        /// `C`
        HigherOrSame = 22 "cc_hs";
        /// `O`
        Overflow = 23 "cc_oft";
        /// Coverage; not known, taken as false.
        CsmTa = 24 "cc_csm_ta";
        /// Coverage; not known, taken as false.
        CsmTr = 25 "cc_csm_tr";
        /// Coverage; not known, taken as false.
        CsmMx = 26 "cc_csm_mx";
        /// Coverage; not known, taken as false.
        FcsmTa = 27 "cc_fcsm_ta";
        /// Coverage; not known, taken as false.
        FcsmTr = 28 "cc_fcsm_tr";
        /// Coverage; not known, taken as false.
        FcsmMx = 29 "cc_fcsm_mx";
        /// `S | Z`
        Rle = 30 "cc_rle";
        /// `!S & !Z`
        Rgt = 31 "cc_rgt";
    }

    /// Functions of the special function unit. RCP64H and RSQ64H take the upper word of an f64 and give the upper word
    /// of an approximation.
    MufuOp, 4 bits, others {
        Cos = 0 "cos"; Sin = 1 "sin"; Ex2 = 2 "ex2"; Lg2 = 3 "lg2"; Rcp = 4 "rcp"; Rsq = 5 "rsq"; Rcp64h = 6 "rcp64h";
        Rsq64h = 7 "rsq64h"; Sqrt = 8 "sqrt";
    }

    /// The function for which RRO prepares a value.
    RroMode, 1 bits { SinCos = 0 "sincos"; Ex2 = 1 "ex2"; }

    /// The operation that FCHK checks.
    FchkMode, 6 bits; plain Divide, others { Divide = 0 "divide"; }

    /// Which halves of a register an operand is: both, each for its lane; the register as f32, for both lanes; the
    /// lower half or the upper one for both.
    HalfSwizzle, 2 bits { H1H0 = 0 "h1_h0"; F32 = 1 "f32"; H0H0 = 2 "h0_h0"; H1H1 = 3 "h1_h1"; }

    /// How the two lanes of a result are stored: as both halves; the lower lane as f32; the lower lane as the lower
    /// half, or the upper lane as the upper half, where the other half of the register stays.
    HalfMerge, 2 bits; plain Pack { Pack = 0 "pack"; F32 = 1 "merge_f32"; H0 = 2 "merge_h0"; H1 = 3 "merge_h1"; }

    /// Which part of an addend of IADD3 counts, zero-extended.
    AddendPart, 2 bits, others { All = 0 "all"; Low = 1 "h0"; High = 2 "h1"; }

    /// The shift of the first sum of IADD3.
    SumShift, 2 bits; plain None, others {
        None = 0 "none";
        /// Right by 16, the carry coming in.
        Right = 1 "rs";
        /// Left by 16.
        Left = 2 "ls";
    }

    /// The addend of XMAD.
    XmadMode, 3 bits; plain Full, others {
        /// `C`
        Full = 0 "cfull";
        /// `C & 0xFFFF`
        Low = 1 "clo";
        /// `C >> 16`
        High = 2 "chi";
        /// `C` less 0x10000 for each negative factor. Source: Ryujinx
        Csfu = 3 "csfu";
        /// `C + (B << 16)`, B being the whole source.
        Cbcc = 4 "cbcc";
    }

    /// Logic operations.
    LogicOp, 2 bits {
        And = 0 "and"; Or = 1 "or"; Xor = 2 "xor";
        /// The second source.
        PassB = 3 "pass_b";
    }

    /// The predicate of a logic operation: a constant, or whether the result is 0 or is not.
    LogicPred, 2 bits; plain False {
        False = 0 "pred_f"; True = 1 "pred_t"; Zero = 2 "pred_z"; NotZero = 3 "pred_nz";
    }

    /// The type that SHF shifts.
    ShfType, 2 bits; plain Bits32, others {
        /// 32 bits at most.
        Bits32 = 0 "u32";
        Unsigned64 = 2 "u64"; Signed64 = 3 "s64";
    }

    /// The use of the selector by PRMT: F4E takes four bytes forward from the selected one, B4E backward, RC8 one byte
    /// four times, ECL and ECR are clamped to the left and to the right, RC16 takes one half twice.
    PrmtMode, 4 bits; plain Index, others {
        Index = 0 "idx"; F4e = 1 "f4e"; B4e = 2 "b4e"; Rc8 = 3 "rc8"; Ecl = 4 "ecl"; Ecr = 5 "ecr"; Rc16 = 6 "rc16";
    }

    /// How minimum and maximum chain over words.
    MinMaxChain, 2 bits; plain None { None = 0 "none"; Low = 1 "xlo"; Middle = 2 "xmed"; High = 3 "xhi"; }

    /// How right shifts chain over words.
    ShiftChain, 2 bits; plain None { None = 0 "none"; High = 1 "xhi"; X = 2 "x"; Xx = 3 "x3"; }

    /// Formats of floats in conversions.
    FloatFormat, 2 bits, others { F16 = 1 "f16"; F32 = 2 "f32"; F64 = 3 "f64"; }

    /// Sizes of integers in conversions.
    IntSize, 2 bits { Bits8 = 0 "b8"; Bits16 = 1 "b16"; Bits32 = 2 "b32"; Bits64 = 3 "b64"; }
}
